"""Base learners of ensembles: by name, fitted to bags of rows, and voting."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing

from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump
from vitalfew.support.checks import check_choice

# Learners that have a name; the first is the default.
LEARNERS = {
    "tree": DecisionTree(mdl_weight=None, n_jobs=1, verbose=False),  # whole trees: votes do what pruning would
    "stump": Stump(n_jobs=1),
}


def make_learner(estimator):
    """The base learner that a name, an estimator or nothing at all stands for."""
    if estimator is None:
        return next(iter(LEARNERS.values()))
    if isinstance(estimator, str):
        check_choice("estimator", estimator, LEARNERS)
        return LEARNERS[estimator]
    check_classifier(estimator)
    return estimator


def check_classifier(estimator) -> None:
    """Votes are had from classifiers alone."""
    missing = [name for name in ("fit", "predict", "get_params") if not hasattr(estimator, name)]
    if missing or isinstance(estimator, type):
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        reason = "an instance is needed" if isinstance(estimator, type) else f"it has no {', '.join(missing)}"
        raise TypeError(
            f"estimator must be a scikit-learn classifier or one of {list(LEARNERS)}, got {what}: {reason}."
        )
    if hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator):
        raise ValueError(f"estimator must be a classifier, for votes are cast for classes; got {estimator!r}.")


def fresh_learner(estimator, y):
    """A copy to fit. Where there is one class only, which many learners refuse, it is predicted whatever the row."""
    return clone(estimator) if len(np.unique(y)) > 1 else DummyClassifier(strategy="most_frequent")


def fit_learner(estimator, X, y, **weights):
    """A fitted copy, as `fresh_learner` makes it."""
    return fresh_learner(estimator, y).fit(X, y, **weights)


class FrameRows:
    """A frame that bags are drawn from. scikit-learn's bagging makes an array of what it is given; so for frames it is
    given the numbers of rows, and learners find the rows here, with their types and names."""

    def __init__(self, frame):
        self.frame = frame

    def __deepcopy__(self, _memo):
        return self  # each learner is a copy; the rows need not be

    def numbers(self) -> NDArray[np.intp]:
        """The numbers of the rows, as wide as the frame: the draws of bags depend on that."""
        return np.broadcast_to(np.arange(self.frame.shape[0])[:, None], self.frame.shape)


class Voter(BaseEstimator):
    """A learner as scikit-learn's bagging holds it."""

    def __init__(self, estimator, source: FrameRows | None = None):
        self.estimator = estimator
        self.source = source

    def predict(self, X):
        return self.learner_.predict(X)

    def learn(self, X, y, **weights):
        """From these rows, or from those with these numbers."""
        if self.source is not None:
            X, self.source = _safe_indexing(self.source.frame, X[:, 0]), None
        self.learner_ = fit_learner(self.estimator, X, y, **weights)
        return self


class RowsVoter(Voter):
    """A learner that is given the rows of its bag."""

    def fit(self, X, y):
        return self.learn(X, y)


class CountsVoter(Voter):
    """A learner that is given how often each row is in the bag, as its weight. Rows that are not in it are left out:
    some learners heed the classes of rows that weigh nothing."""

    def fit(self, X, y, sample_weight=None):
        if sample_weight is None:  # with metadata routing scikit-learn hands over the rows themselves
            return self.learn(X, y)
        rows = np.flatnonzero(sample_weight)
        return self.learn(X[rows], y[rows], sample_weight=sample_weight[rows])


def ballot(learner, X, codes: NDArray[np.intp], n_classes: int, votes: str) -> NDArray[np.float64]:
    """What a learner votes for each row: 1 for one class, or its probabilities. `codes` are the classes it knows."""
    out = np.zeros((X.shape[0], n_classes))
    if len(out) == 0:
        return out
    if votes == "label":
        out[np.arange(len(out)), codes[np.asarray(learner.predict(X), dtype=np.intp)]] = 1
    else:
        out[:, codes[np.asarray(learner.classes_, dtype=np.intp)]] = learner.predict_proba(X)
    return out
