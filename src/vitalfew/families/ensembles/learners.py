"""Base learners of ensembles: by name, fitted to bags of samples, and voting."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.support.checks import check_choice

# Learners available by name; the first is the default.
LEARNERS = {
    "tree": DecisionTree(mdl_weight=None, n_jobs=1, verbose=False),  # unpruned trees: voting takes the place of pruning
    "stump": Stump(n_jobs=1),
}


def make_learner(estimator: Any) -> Any:
    """Return the base learner given by a name, an estimator or None."""
    if estimator is None:
        return next(iter(LEARNERS.values()))
    if isinstance(estimator, str):
        check_choice("estimator", estimator, LEARNERS)
        return LEARNERS[estimator]
    check_classifier(estimator)
    return estimator


def check_classifier(estimator: Any) -> None:
    """Check that `estimator` is a classifier."""
    missing = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if missing or isinstance(estimator, type):
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        reason = "pass an instance" if isinstance(estimator, type) else f"it has no {', '.join(missing)}"
        raise TypeError(
            f"estimator must be a scikit-learn classifier or one of {list(LEARNERS)}, got {what}: {reason}."
        )
    if hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator):
        raise ValueError(f"estimator must be a classifier, got {estimator!r}.")


def fresh_learner(estimator: Any, y: Any) -> Any:
    """Return an unfitted copy, or a constant classifier for a single class, which many learners refuse."""
    return clone(estimator) if len(np.unique(y)) > 1 else DummyClassifier(strategy="most_frequent")


def fit_learner(estimator: Any, X: Any, y: Any, **weights: NDArray[np.float64] | None) -> Any:
    """Fit a copy made by `fresh_learner` and return it."""
    return fresh_learner(estimator, y).fit(X, y, **weights)


def weight_arguments(model: Any, weight: NDArray) -> dict[str, NDArray]:
    """Return the weights under the fit parameter name of a model, or of the last step of a pipeline."""
    steps = getattr(model, "steps", None)
    if steps and hasattr(model, "named_steps"):
        name, last = steps[-1]
        return {f"{name}__{key}": value for key, value in weight_arguments(last, weight).items()}
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(f"{type(model).__name__} does not support sample_weight; omit it.")
    return {"sample_weight": weight}


class FrameRows:
    """Data frame that bags are drawn from.

    scikit-learn's bagging converts its input to an array. For data frames it is therefore given row numbers, and
    learners look up the rows here, with their types and names.
    """

    def __init__(self, frame: Any):
        self.frame = frame

    def __deepcopy__(self, _memo: dict) -> Self:
        return self  # each learner is a copy, but all share the rows

    def numbers(self) -> NDArray[np.intp]:
        """Return the row numbers in the shape of the frame, because the draws of bags depend on its width."""
        return np.broadcast_to(np.arange(self.frame.shape[0])[:, None], self.frame.shape)


class Voter(BaseEstimator):
    """Wrapper of a learner for scikit-learn's bagging."""

    def __init__(self, estimator: Any, source: FrameRows | None = None):
        self.estimator = estimator
        self.source = source

    def predict(self, X: Any) -> Any:
        return self.learner_.predict(X)

    def learn(self, X: Any, y: Any, **weights: NDArray[np.float64] | None) -> Self:
        """Fit the learner to these rows, or to the rows of the data frame with these numbers."""
        if self.source is not None:
            X, self.source = _safe_indexing(self.source.frame, X[:, 0]), None
        self.learner_ = fit_learner(self.estimator, X, y, **weights)
        return self


class RowsVoter(Voter):
    """Learner that receives the rows of its bag."""

    def fit(self, X: Any, y: Any) -> Self:
        return self.learn(X, y)


class CountsVoter(Voter):
    """Learner that receives, as the weight of each row, how often it is in the bag.

    Rows outside the bag are left out, because some learners use the classes of rows with weight zero.
    """

    def fit(self, X: Any, y: Any, sample_weight: NDArray[np.float64] | None = None) -> Self:
        if sample_weight is None:  # with metadata routing scikit-learn passes the rows themselves
            return self.learn(X, y)
        rows = np.flatnonzero(sample_weight)
        return self.learn(X[rows], y[rows], sample_weight=sample_weight[rows])


def ballot(learner: Any, X: Any, codes: NDArray[np.intp], n_classes: int, votes: str) -> NDArray[np.float64]:
    """Return a learner's votes for each row: 1 for one class, or its probabilities.

    `codes` are the classes that it knows.
    """
    out = np.zeros((X.shape[0], n_classes))
    if len(out) == 0:
        return out
    if votes == "label":
        out[np.arange(len(out)), codes[np.asarray(learner.predict(X), dtype=np.intp)]] = 1
    else:
        out[:, codes[np.asarray(learner.classes_, dtype=np.intp)]] = learner.predict_proba(X)
    return out
