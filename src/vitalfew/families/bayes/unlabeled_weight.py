"""Weight of unlabeled samples: chosen on held-out labeled samples, and 0 if the unlabeled ones do harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.bayes.evidence import log_of
from vitalfew.rules.paired import losses_by_fold, standard_error, within_noise
from vitalfew.support.optional import make_frame
from vitalfew.support.progress import progress

GRID = (1.0, 0.3, 0.1)
# Default weight, used unless held-out labeled samples clearly favor another; see "few labels" in benchmarks/RESULTS.md.
USUAL = 0.3


@dataclass(frozen=True)
class WeightScores:
    """Losses on held-out labeled samples by the weight of unlabeled ones; weight 0 is the supervised model."""

    weight: NDArray[np.float64]
    loss: NDArray[np.float64]  # (weights, rows): 1 where the label was wrong
    log_loss: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        return self.loss.shape[1]

    @property
    def error(self) -> NDArray[np.float64]:
        return self.loss.mean(axis=1)

    @property
    def standard_error(self) -> NDArray[np.float64]:
        return standard_error(self.loss)

    def best(self) -> float:
        """Return the positive weight nearest to `USUAL` among those within one standard error of the smallest error."""
        used = np.flatnonzero(self.weight > 0)
        least = min(used, key=lambda i: (self.error[i], self.log_loss[i]))
        near = used[within_noise(self.loss, int(least))[used]]
        return float(min(self.weight[near], key=lambda w: abs(np.log(w / USUAL))))

    def does_harm(self, weight: float) -> bool:
        """Return True if the supervised model has a lower error by more than one standard error of the difference."""
        return not within_noise(self.loss, self._at(0.0))[self._at(weight)]

    def error_at(self, weight: float) -> float:
        return float(self.error[self._at(weight)])

    def _at(self, weight: float) -> int:
        return int(np.flatnonzero(self.weight == weight)[0])

    def to_frame(self) -> Any:
        """Return the scores as a data frame."""
        return make_frame(
            {
                "unlabeled_weight": self.weight,
                "error": self.error,
                "standard_error": self.standard_error,
                "log_loss": self.log_loss,
            }
        )


def score_weights(
    learn: Callable[[NDArray[np.intp], NDArray[np.intp]], Callable[[float], NDArray[np.float64]]],
    label: NDArray[np.int32],
    weights: Sequence[float],
    folds: Iterable[NDArray[np.intp]],
    verbose: bool | None,
) -> WeightScores:
    """Score each weight by the class probabilities of the rows `test` that ``learn(train, test)(weight)`` returns."""
    folds = list(folds)
    with progress(len(folds) * len(weights), "weight of unlabeled rows", verbose) as bar:

        def losses(train: NDArray[np.intp], test: NDArray[np.intp]) -> NDArray[np.float64]:
            predict = learn(train, test)
            found = np.empty((2, len(weights), len(test)))
            for w, weight in enumerate(weights):
                p = predict(weight)
                found[0, w] = p.argmax(axis=1) != label[test]
                found[1, w] = -log_of(p[np.arange(len(test)), label[test]])
                bar.update(1)
            return found

        error, log_loss = losses_by_fold(losses, len(label), folds)
    return WeightScores(np.array(weights), error, log_loss.mean(axis=1))
