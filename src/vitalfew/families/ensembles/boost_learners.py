"""AdaBoost with any scikit-learn classifier that accepts weights: the same rounds as the compiled ones, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from vitalfew.families.ensembles.boost_run import CURVES, MARGIN_BINS, SUREST, BoostRun, FittedLearners
from vitalfew.families.ensembles.learners import check_classifier, fresh_learner
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.support.deadline import check_deadline

# Advantages over guessing below this count as none.
CHANCE = 1e-10


def check_learner(estimator) -> None:
    """Check that `estimator` is a classifier that accepts sample weights."""
    check_classifier(estimator)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"boosting requires a classifier that accepts sample_weight in fit, which {type(estimator).__name__} "
            "does not; use another classifier, or Bagging."
        )


class LearnerBooster:
    """State of a run: scores and weights of the training samples.

    Parameters
    ----------
    estimator : classifier
        Cloned for every round.
    X, label, weight
        Samples, class codes, weights.
    n_classes : int
        With two classes, learners vote -1 and 1 or, with `is_confident`, half their log-odds; with more, they vote for
        a class (SAMME).
    is_logistic : bool
        Minimize the logistic loss instead of the exponential one.
    """

    def __init__(
        self, estimator, X, label, weight, n_classes: int, *, is_confident=False, is_logistic=False, seed=None
    ):
        self.estimator, self.X, self.label, self.n_classes = estimator, X, label, n_classes
        self.weight_sum = float(np.sum(weight))
        self.given = np.asarray(weight, dtype=float) / self.weight_sum
        self.is_confident, self.is_logistic = is_confident, is_logistic
        self.rng = np.random.default_rng(seed)
        self.n_outputs = n_classes if n_classes > 2 else 1
        self.score = np.zeros((len(label), self.n_outputs))
        self.vote_sum = 0.0

    def run(self, rounds: int, before: BoostRun | None = None, show: Callable[[int], Any] | None = None) -> BoostRun:
        """Run boosting rounds, continuing from those of `before` if given."""
        if before is not None:
            self.score = before.scores(self.X, len(before))
            self.vote_sum = float(before.vote_sums[-1])
        models: list[Any] = []
        seen: dict[str, list] = {name: [] for name in CURVES}
        stop = 0
        while len(models) < rounds and stop == 0:
            check_deadline()
            model = self._fit()
            votes = FittedLearners([model], self.n_classes, self.is_confident).votes(0, self.X)
            error = float(self.weights() @ self._is_wrong(votes))
            if self._is_guessing(votes, error):
                stop = 2
                break
            stop = 1 if error <= 0 else 0
            models.append(model)
            for name, value in self._take(votes, error).items():
                seen[name].append(value)
            if show is not None:
                show(len(models))
        parts: dict[str, Any] = {name: np.array(values, dtype=float) for name, values in seen.items()}
        parts["margins"] = parts["margins"].reshape(-1, MARGIN_BINS)
        learners = FittedLearners(models, self.n_classes, self.is_confident)
        return BoostRun(learners, **parts, n_outputs=self.n_outputs, stop=stop)

    def weights(self) -> NDArray[np.float64]:
        """Return the weights of the samples, which sum to 1."""
        if self.n_outputs > 1:
            against = -self.score[np.arange(len(self.label)), self.label]
        else:
            against = -self._sign * self.score[:, 0]
        weight = self.given * (expit(against) if self.is_logistic else np.exp(against - against.max()))
        return weight / weight.sum()

    @property
    def _sign(self) -> NDArray[np.float64]:
        return np.where(self.label > 0, 1.0, -1.0)

    def _fit(self):
        if isinstance(self.estimator, BinnedTree):  # knows all classes, even if some are not in the data
            model = clone(self.estimator)
        else:
            model = fresh_learner(self.estimator, self.label)
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=int(self.rng.integers(2**31)))
        return model.fit(self.X, self.label, sample_weight=self.weights() * self.weight_sum)

    def _is_wrong(self, votes) -> NDArray[np.bool_]:
        return votes != self.label if self.n_outputs > 1 else (votes > 0) != (self.label > 0)

    def _is_guessing(self, votes, error: float) -> bool:
        if self.is_confident:
            return bool(np.abs(self.weights() @ (self._sign * votes)) < CHANCE)
        return error >= 1 - 1 / self.n_classes - CHANCE / 2

    def _take(self, votes, error: float) -> dict[str, Any]:
        """Take one round: compute the vote, update the scores, and return the statistics to record."""
        weight = self.weights()
        e = error if error > 0 else min(0.5 / self.weight_sum, expit(-2.0))  # so that its vote is at least 1
        if self.n_outputs > 1:
            alpha = np.log((1 - e) / e) + np.log(self.n_classes - 1)
            z = float(weight @ np.exp(alpha * self._is_wrong(votes)))
            self.score[np.arange(len(votes)), votes.astype(np.intp)] += alpha
        else:
            alpha = self._vote(weight, votes, e, error)
            z = float(weight @ np.exp(-alpha * self._sign * votes))
            self.score[:, 0] += alpha * votes
        self.vote_sum += alpha * (SUREST if self.is_confident else 1.0)
        if self.is_logistic:
            z = float(self.given @ np.logaddexp(0.0, -self._sign * self.score[:, 0]))
        trained, margin = self._standing()
        spread = np.histogram(np.clip(margin, -1, 1), MARGIN_BINS, (-1.0, 1.0), weights=self.given)[0]
        return {"alpha": alpha, "error": error, "z": z, "trained": trained, "margins": spread}

    def _vote(self, weight, votes, e: float, error: float) -> float:
        if self.is_logistic:
            along = self._sign * votes
            before = self._sign * self.score[:, 0]
            found = minimize_scalar(lambda a: self.given @ np.logaddexp(0.0, -before - a * along), bracket=(0.0, 1.0))
            return float(min(found.x, 4.0))
        if not self.is_confident:
            return float(0.5 * np.log((1 - e) / e))
        if error <= 0:
            return 1.0
        along = self._sign * votes
        return float(minimize_scalar(lambda a: weight @ np.exp(-a * along), bracket=(0.0, 1.0)).x)

    def _standing(self) -> tuple[float, NDArray[np.float64]]:
        """Return the training error of the ensemble, and the margin of each sample."""
        if self.n_outputs == 1:
            margin = self._sign * self.score[:, 0]
            is_wrong = (self.score[:, 0] > 0) != (self.label > 0)
        else:
            every = np.arange(len(self.label))
            own = self.score[every, self.label]
            others = self.score.copy()
            others[every, self.label] = -np.inf
            margin, is_wrong = own - others.max(axis=1), self.score.argmax(axis=1) != self.label
        return float(self.given @ is_wrong), margin / self.vote_sum
