"""AdaBoost with any scikit-learn classifier, by weights or by resampling: the rounds of the compiled one, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import has_fit_parameter

from vitalfew.data.coding.bins import DenseBins, SparseBins
from vitalfew.families.ensembles.boost_run import CURVES, MARGIN_BINS, SUREST, BoostRun, FittedLearners
from vitalfew.families.ensembles.learners import check_classifier, fresh_learner
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.support.deadline import check_deadline

# Advantages over guessing below this count as none.
CHANCE = 1e-10
# Weights below this share of the sum count as zero; they are far below rounding, and their products could underflow.
LIGHTEST = 1e-200
# Where every margin is larger than this, the logistic loss equals the exponential one but underflows.
FAR = 500.0
# Draws of rows for one round before a resampled learner counts as guessing.
MOST_DRAWS = 10
# Largest vote with the logistic loss, and largest exponent of a weight.
MOST_VOTE, MOST_EXPONENT = 4.0, 700.0


def check_learner(estimator: Any, *, is_resampled: bool = False) -> None:
    """Check that `estimator` is a classifier that accepts sample weights, unless it is fitted to resampled rows."""
    check_classifier(estimator)
    if not (is_resampled or has_fit_parameter(estimator, "sample_weight")):
        raise TypeError(
            f"boosting by weights requires a classifier that accepts sample_weight in fit, which "
            f"{type(estimator).__name__} does not; set resample=True, or use another classifier."
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
    is_resampled : bool
        Fit to rows drawn with probabilities in proportion to their weights, instead of to weighted rows.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        label: NDArray[np.int32],
        weight: NDArray[np.float64],
        n_classes: int,
        *,
        is_confident: bool = False,
        is_logistic: bool = False,
        is_resampled: bool = False,
        seed: Any = None,
    ):
        self.estimator, self.X, self.label, self.n_classes = estimator, X, label, n_classes
        self.weight_sum = float(np.sum(weight))
        self.given = np.asarray(weight, dtype=float) / self.weight_sum
        self.is_confident, self.is_logistic, self.is_resampled = is_confident, is_logistic, is_resampled
        self.rng = np.random.default_rng(seed)
        # Each round draws from its own stream, so that a warm start draws the same rows.
        self.stream = int(check_random_state(seed).randint(2**31)) if is_resampled else 0
        self.n_outputs = n_classes if n_classes > 2 else 1
        self.score = np.zeros((len(label), self.n_outputs))
        self.vote_sum = 0.0

    def run(self, rounds: int, before: BoostRun | None = None, show: Callable[[int], Any] | None = None) -> BoostRun:
        """Run boosting rounds, continuing from those of `before` if given."""
        if before is not None:
            self.score = before.scores(self.X, len(before))
            self.vote_sum = float(before.vote_sums[-1])
        done = 0 if before is None else len(before)
        models: list[Any] = []
        seen: dict[str, list] = {name: [] for name in CURVES}
        stop = 0
        while len(models) < rounds and stop == 0:
            check_deadline()
            learned = self._learn(done + len(models))
            if learned is None:
                stop = 2
                break
            model, votes, error = learned
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
        against = self._against()
        weight = self.given * (expit(against) if self._is_near() else np.exp(against - against.max()))
        weight /= weight.sum()
        return np.where(weight < LIGHTEST, 0.0, weight)

    def _against(self) -> NDArray[np.float64]:
        """Return the exponents of the weights: minus the margin, or minus the score of the own class."""
        if self.n_outputs > 1:
            return -self.score[np.arange(len(self.label)), self.label]
        return -self._sign * self.score[:, 0]

    def _is_near(self) -> bool:
        """Return True if the logistic loss is minimized and differs from the exponential one for some sample."""
        return self.is_logistic and bool(self._against().max() > -FAR)

    @property
    def _sign(self) -> NDArray[np.float64]:
        return np.where(self.label > 0, 1.0, -1.0)

    def _learn(self, round_number: int) -> tuple[Any, NDArray[np.float64], float] | None:
        """Fit a learner; return it, its votes and its weighted error, or None if it is no better than guessing.

        A resampled learner may be unlucky with its rows, so several draws are tried.
        """
        if self.is_resampled:
            self.rng = np.random.default_rng((self.stream, round_number))
        for _ in range(MOST_DRAWS if self.is_resampled else 1):
            model = self._fit()
            votes = FittedLearners([model], self.n_classes, self.is_confident).votes(0, self.X)
            error = float(self.weights() @ self._is_wrong(votes))
            if not self._is_guessing(votes, error):
                return model, votes, error
        return None

    def _fit(self) -> Any:
        weight = self.weights()
        X, label, weighted = self.X, self.label, {"sample_weight": weight * self.weight_sum}
        if self.is_resampled:
            rows = self.rng.choice(len(label), len(label), p=weight / weight.sum())
            X, label, weighted = take_rows(X, rows), label[rows], {}
        elif not weight.all():  # learners differ in what they make of weight zero
            rows = np.flatnonzero(weight)
            X, label, weighted = take_rows(X, rows), label[rows], {"sample_weight": weighted["sample_weight"][rows]}
        if isinstance(self.estimator, BinnedTree):  # knows all classes, even if some are not in the data
            model = clone(self.estimator)
        else:
            model = fresh_learner(self.estimator, label)
        self._seed(model)
        return model.fit(X, label, **weighted)

    def _seed(self, model: Any) -> None:
        """Seed a learner, and the parts of a composed learner that have no seed of their own."""
        own = model.get_params(deep=False)
        parts = model.get_params(deep=True) if self.is_resampled else own
        for name in sorted(parts):
            is_part = name.endswith("__random_state") and parts[name] is None
            if is_part or (name == "random_state" and name in own):
                model.set_params(**{name: int(self.rng.integers(2**31))})

    def _is_wrong(self, votes: NDArray[np.float64]) -> NDArray[np.bool_]:
        return votes != self.label if self.n_outputs > 1 else (votes > 0) != (self.label > 0)

    def _is_guessing(self, votes: NDArray[np.float64], error: float) -> bool:
        if self.is_confident:
            return bool(np.abs(self.weights() @ (self._sign * votes)) < CHANCE)
        return error >= 1 - 1 / self.n_classes - CHANCE / 2

    def _take(self, votes: NDArray[np.float64], error: float) -> dict[str, Any]:
        """Take one round: compute the vote, update the scores, and return the statistics to record."""
        weight = self.weights()
        e = error if error > 0 else min(0.5 / self.weight_sum, expit(-2.0))  # so that its vote is at least 1
        if self.n_outputs > 1:
            alpha = np.log((1 - e) / e) + np.log(self.n_classes - 1)
            z = float(weight @ np.exp(alpha * self._is_wrong(votes)))
            self.score[np.arange(len(votes)), votes.astype(np.intp)] += alpha
        else:
            alpha = self._vote(weight, votes, e, error)
            z = float(weight @ _exp(-alpha * self._sign * votes))
            self.score[:, 0] += alpha * votes
        self.vote_sum += abs(alpha) * (SUREST if self.is_confident else 1.0)
        if self.is_logistic:
            z = float(self.given @ np.logaddexp(0.0, -self._sign * self.score[:, 0]))
        trained, margin = self._standing()
        spread = np.histogram(np.clip(margin, -1, 1), MARGIN_BINS, (-1.0, 1.0), weights=self.given)[0]
        return {"alpha": alpha, "error": error, "z": z, "trained": trained, "margins": spread}

    def _vote(self, weight: NDArray[np.float64], votes: NDArray[np.float64], e: float, error: float) -> float:
        """Return the vote that minimizes the loss; where every larger vote lowers it, a moderate one."""
        along = self._sign * votes
        is_never_wrong = not (along[weight > 0] < 0).any()
        if self._is_near():
            if is_never_wrong:
                return MOST_VOTE
            before = self._sign * self.score[:, 0]
            found = minimize_scalar(lambda a: self.given @ np.logaddexp(0.0, -before - a * along), bracket=(0.0, 1.0))
            return float(np.clip(found.x, -MOST_VOTE, MOST_VOTE))
        if not self.is_confident:
            return float(0.5 * np.log((1 - e) / e))
        if error <= 0 or is_never_wrong:
            return 1.0
        return float(minimize_scalar(lambda a: weight @ _exp(-a * along), bracket=(0.0, 1.0)).x)

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
        return float(self.given @ is_wrong), margin / (self.vote_sum or 1.0)


def _exp(exponent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exponential, limited so that a search along large votes does not overflow."""
    return np.exp(np.minimum(exponent, MOST_EXPONENT))


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of bins, of a frame or of a matrix."""
    return X.take(rows) if isinstance(X, (DenseBins, SparseBins)) else _safe_indexing(X, rows)
