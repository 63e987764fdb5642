"""Weight of unlabeled samples: chosen on held-out labeled samples, and 0 if the unlabeled ones do harm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.bayes.evidence import log_of
from vitalfew.support.optional import make_frame
from vitalfew.support.progress import progress

GRID = (1.0, 0.3, 0.1)
# Used unless labeled samples speak against it: benchmarks/RESULTS.md, few labels.
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
        excess = self.loss[used] - self.loss[least]
        near = used[is_noise(excess.mean(axis=1), standard_error(excess))]
        return float(min(self.weight[near], key=lambda w: abs(np.log(w / USUAL))))

    def does_harm(self, weight: float) -> bool:
        """Return True if the supervised model has a lower error by more than one standard error of the difference."""
        excess = self.loss[self._at(weight)] - self.loss[self._at(0.0)]
        return not is_noise(excess.mean(), standard_error(excess))

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


def held_out(label: NDArray[np.int32], n_folds: int, random_state) -> list[NDArray[np.intp]]:
    """Return the test rows of each fold, with classes spread evenly; the only row of a class is never held out.

    With n_folds = 0 each row is a separate fold.
    """
    count = np.bincount(label)
    rows = np.random.default_rng(random_state).permutation(np.flatnonzero(count[label] > 1))
    if n_folds == 0:
        return [rows[i : i + 1] for i in range(len(rows))]
    by_class = rows[np.argsort(label[rows], kind="stable")]
    parts = [by_class[f::n_folds] for f in range(n_folds)]
    # Each class must keep a row to train on.
    return [
        np.array(part, dtype=np.intp)
        for part in parts
        if len(part) and (np.bincount(label[part], minlength=len(count)) < count)[label[part]].all()
    ]


def score_weights(
    learn: Callable[[NDArray[np.intp], NDArray[np.intp]], Callable[[float], NDArray[np.float64]]],
    label: NDArray[np.int32],
    weights: Sequence[float],
    folds: Iterable[NDArray[np.intp]],
    verbose: bool | None,
) -> WeightScores:
    """Score each weight by the class probabilities of the rows `test` that ``learn(train, test)(weight)`` returns."""
    folds = list(folds)
    tested = np.concatenate(folds)
    loss = np.zeros((len(weights), len(tested)))
    surprise = np.zeros_like(loss)
    done = 0
    with progress(len(folds) * len(weights), "weight of unlabeled rows", verbose) as bar:
        for test in folds:
            predict = learn(np.setdiff1d(np.arange(len(label)), test), test)
            place = slice(done, done + len(test))
            for w, weight in enumerate(weights):
                p = predict(weight)
                loss[w, place] = p.argmax(axis=1) != label[test]
                surprise[w, place] = -log_of(p[np.arange(len(test)), label[test]])
                bar.update(1)
            done += len(test)
    return WeightScores(np.array(weights), loss, surprise.mean(axis=1))


def is_noise(excess, error):
    """Return True if a difference does not exceed its standard error.

    A difference in a single row equals its standard error; the tolerance keeps rounding from deciding such cases.
    """
    return excess <= error * (1 + 1e-9)


def standard_error(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of the mean over the last axis."""
    n = values.shape[-1]
    return values.std(axis=-1, ddof=min(1, n - 1)) / np.sqrt(n)
