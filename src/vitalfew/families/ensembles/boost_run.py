"""One run of boosting: its learners, their votes, and the statistics of every round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.bins import Bins
from vitalfew.families.trees.stump_set import StumpSet

STOPS = (
    "all rounds were completed",
    "the last learner makes no training error, so its vote would be infinite",
    "no learner is better than chance on the weighted rows",
)
MARGIN_BINS = 200
# Statistics recorded in every round.
CURVES = ("alpha", "error", "z", "trained", "margins")


class Learners(Protocol):
    """Base learners of a run."""

    def __len__(self) -> int: ...
    def votes(self, t: int, rows: Any) -> NDArray[np.float64]:
        """Return the votes of learner t for each row: for the second of two classes, or class codes."""


# Largest half log-odds of a confident vote: no learner is surer than 3,000 to 1.
SUREST = 4.0


@dataclass(frozen=True)
class FittedLearners:
    """scikit-learn classifiers, fitted on class codes. With `is_confident` they vote with half their log-odds."""

    models: Sequence[Any]
    n_classes: int
    is_confident: bool = False

    def __len__(self) -> int:
        return len(self.models)

    def __add__(self, other: FittedLearners) -> FittedLearners:
        return replace(self, models=[*self.models, *other.models])

    def features(self, n_rounds: int) -> NDArray[np.intp] | None:
        """Return the columns used by the first `n_rounds` learners, or None if a learner does not report them."""
        if not all(hasattr(model, "support_") for model in self.models):
            return None
        used = [np.flatnonzero(model.support_) for model in self.models[:n_rounds]]
        return np.unique(np.concatenate([np.empty(0, np.intp), *used]))

    @property
    def largest(self) -> float:
        """Bound on the absolute value of a vote."""
        return SUREST if self.is_confident else 1.0

    def votes(self, t: Any, rows: Any) -> Any:
        model = self.models[t]
        if self.is_confident:
            return half_log_odds(model, rows)
        label = np.asarray(model.predict(rows))
        return label.astype(float) if self.n_classes > 2 else np.where(label > 0, 1.0, -1.0)


def half_log_odds(model: Any, rows: Any) -> NDArray[np.float64]:
    """Return half the log-odds of class 1, limited to `SUREST` either way."""
    share = model.predict_proba(rows)
    own = share[:, list(model.classes_).index(1)] if 1 in model.classes_ else np.zeros(len(share))
    own = np.clip(own, 0.0, 1.0)  # a mean over leaves may exceed 1 by rounding
    with np.errstate(divide="ignore"):
        return np.clip(0.5 * (np.log(own) - np.log1p(-own)), -SUREST, SUREST)


@dataclass(frozen=True)
class BoostRun:
    """Rounds of boosting for two classes, or for several classes that learners vote for.

    Attributes
    ----------
    learners : StumpSet or FittedLearners
    alpha : ndarray of shape (rounds,)
        Votes, not normalized.
    error : ndarray of shape (rounds,)
        Weighted training error of each learner.
    z : ndarray of shape (rounds,)
        Normalizing constant of the weights after each round; for the logistic loss, the mean loss.
    trained : ndarray of shape (rounds,)
        Training error of the ensemble after each round.
    margins : ndarray of shape (rounds, 200)
        Share of samples by margin, in bins of equal width from -1 to 1.
    n_outputs : int
    stop : int
        Index into `STOPS` of the reason why the run stopped.
    drift : float
        Largest difference between an incrementally updated sum of weights and its exact value.
    """

    learners: Any
    alpha: NDArray[np.float64]
    error: NDArray[np.float64]
    z: NDArray[np.float64]
    trained: NDArray[np.float64]
    margins: NDArray[np.float64]
    n_outputs: int = 1
    stop: int = 0
    drift: float = 0.0

    @classmethod
    def from_kernel(cls, found: _core.BoostRounds, n_outputs: int) -> BoostRun:
        return cls(
            learners=StumpSet.from_kernel(found.stumps),
            alpha=found.alpha,
            error=found.error,
            z=found.z,
            trained=found.trained,
            margins=found.margins,
            n_outputs=n_outputs,
            stop=found.stop,
            drift=found.drift,
        )

    def __len__(self) -> int:
        return len(self.alpha)

    def then(self, more: BoostRun) -> BoostRun:
        """Return this run followed by the rounds that continue it."""
        joined: dict[str, Any] = {name: np.concatenate([getattr(self, name), getattr(more, name)]) for name in CURVES}
        return replace(more, learners=self.learners + more.learners, drift=max(self.drift, more.drift), **joined)

    @cached_property
    def vote_sums(self) -> NDArray[np.float64]:
        """Sum of the votes after each round, which normalizes them."""
        largest: float | NDArray[np.float64] = 1.0
        if isinstance(self.learners, FittedLearners):
            largest = self.learners.largest
        elif self.n_outputs == 1:
            largest = np.maximum(np.abs(self.learners.left), np.abs(self.learners.right))
        return np.cumsum(np.abs(self.alpha) * largest)

    def scores(self, rows: Any, n_rounds: int) -> NDArray[np.float64]:
        """Return sums of votes after some rounds: (rows, outputs)."""
        if isinstance(self.learners, StumpSet):
            bins: Bins = rows
            return bins.score(self.learners.table(self.alpha[:n_rounds], bins.offsets, self.n_outputs))
        total = None
        for total in self.staged(rows, n_rounds):  # noqa: B007  (only the last one is used)
            pass
        return self.nothing(rows) if total is None else total

    def staged(self, rows: Any, n_rounds: int) -> Iterator[NDArray[np.float64]]:
        """Yield sums of votes after each round, at most as many as the run has; the array is reused."""
        total = self.nothing(rows)
        every = np.arange(len(total))
        for t in range(min(n_rounds, len(self))):
            votes = self.learners.votes(t, rows)
            if self.n_outputs == 1:
                total[:, 0] += self.alpha[t] * votes
            else:
                total[every, votes.astype(np.intp)] += self.alpha[t]
            yield total

    def nothing(self, rows: Any) -> NDArray[np.float64]:
        """Return the sums of votes before the first round."""
        return np.zeros((rows.n_rows if hasattr(rows, "n_rows") else rows.shape[0], self.n_outputs))
