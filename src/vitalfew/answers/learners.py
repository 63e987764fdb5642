"""Learners of recipes: what each reads, the settings it is tried at, and its predictions for a fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, LinearSVC

from vitalfew.evaluation.calibration import as_log, scores_of
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.ridge.kernel_ridge import KernelRidge
from vitalfew.families.ridge.ridge import Ridge
from vitalfew.support.deadline import check_deadline

# Most training rows, and cells, for learners whose cost grows faster than these.
MOST_KERNEL_ROWS = 3000
MOST_NEIGHBOR_ROWS = 10_000
MOST_NEIGHBOR_FEATURES = 50
MOST_TREE_CELLS = 2e7
MOST_STUMP_CELLS = 4e7
# From this number of rows on, forests have fewer trees and boosting more rounds.
MANY_ROWS = 5000


Adapt = Callable[[BaseEstimator], BaseEstimator]


@dataclass(frozen=True)
class Learner:
    """Kind of model that recipes combine with a selector.

    Attributes
    ----------
    name : str
        As people know it.
    form : str
        The form of the table that it reads, see :mod:`~vitalfew.answers.views`.
    settings : tuple of estimators
        Unfitted estimators, one for each setting that is tried.
    is_quick : bool
        True if it is tried first, with every selector.
    most_rows, most_features, most_cells : float
        Limits on training rows, features and their product.
    """

    name: str
    form: str
    settings: tuple[BaseEstimator, ...]
    is_quick: bool = False
    most_rows: float = np.inf
    most_features: float = np.inf
    most_cells: float = np.inf

    def takes(self, n_rows: int, n_features: int) -> bool:
        """Return True if a table of this size is within the limits of the learner."""
        in_cells = n_rows * n_features <= self.most_cells
        return n_rows <= self.most_rows and n_features <= self.most_features and in_cells

    def scores(self, train: Any, target: NDArray, test: Any, adapt: Adapt = clone) -> list[NDArray[np.float64]]:
        """Return the prediction of each setting for the test part: values (rows,) or log probabilities (rows, classes).

        All classes from 0 to the largest code must be in the target. `adapt` makes the copies that are fitted.
        """
        return [fitted_scores(adapt(model), train, target, test) for model in self.settings]


class PathLearner(Learner):
    """Logistic regression, whose settings are the points of one path."""

    def scores(self, train: Any, target: NDArray, test: Any, adapt: Adapt = clone) -> list[NDArray[np.float64]]:
        grid = np.array([model.alpha for model in self.settings])
        model = adapt(self.settings[0]).set_params(grid=grid)
        path = model.fit(train, target).path_
        found = []
        for alpha in grid:
            coef, intercept = path.at(int(np.argmin(np.abs(path.grid - alpha))))
            linear = np.asarray(test @ coef.T) + intercept
            if len(coef) == 1:
                linear = np.column_stack([np.zeros(len(linear)), linear])
            found.append(as_log(softmax(linear, axis=1)))
        return found


class NeighborLearner(Learner):
    """Nearest neighbors, whose settings share one search."""

    def scores(self, train: Any, target: NDArray, test: Any, adapt: Adapt = clone) -> list[NDArray[np.float64]]:
        settings = [adapt(model) for model in self.settings]
        most = max(min(model.n_neighbors, len(target)) for model in settings)
        distance, at = settings[0].fit(train, target).kneighbors(test, most)
        weight = 1 / np.maximum(distance, 1e-12)
        found = []
        for model in settings:
            own, w = at[:, : model.n_neighbors], weight[:, : model.n_neighbors]
            w = w / w.sum(axis=1, keepdims=True)
            if is_classifier(model):
                share = np.zeros((len(own), int(target.max()) + 1))
                np.add.at(share, (np.arange(len(own))[:, None], target[own]), w)
                found.append(as_log(share))
            else:
                found.append((w * target[own]).sum(axis=1))
        return found


def fitted_scores(model: BaseEstimator, train: Any, target: NDArray, test: Any) -> NDArray[np.float64]:
    """Fit a model and return its values, or its log probabilities up to a constant for each row."""
    check_deadline()
    return scores_of(model.fit(train, target), test)


def table_classifiers(n_rows: int, n_classes: int, seed: int) -> list[Learner]:
    """Return the learners for classes of a table of numbers and categories."""
    linear = [
        LogisticRegression(1 / (c * n_rows), penalty="l2", standardize=False, verbose=False)
        for c in (100.0, 10.0, 1.0, 0.1, 0.01)
    ]
    n_trees = _trees_for(n_rows)
    forest = RandomForestClassifier(n_trees, random_state=seed)
    boosted = _boosted(HistGradientBoostingClassifier, n_rows, seed)
    loss, rounds = ("logistic", 100) if n_classes == 2 else ("exponential", 300)
    return [
        PathLearner("logistic regression", "linear", tuple(linear), is_quick=True),
        Learner("Naive Bayes", "frame", (NaiveBayes(verbose=False),), is_quick=True),
        _neighbors(KNeighborsClassifier),
        Learner("gradient boosting", "trees", boosted, most_cells=MOST_TREE_CELLS),
        Learner(
            "extra trees",
            "trees",
            (ExtraTreesClassifier(n_trees, random_state=seed),),
            most_cells=MOST_TREE_CELLS,
        ),
        Learner("random forest", "trees", (forest,), most_cells=MOST_TREE_CELLS),
        Learner(
            "support vectors",
            "linear",
            tuple(SVC(C=c, decision_function_shape="ovr", random_state=seed) for c in (1.0, 10.0)),
            most_rows=MOST_KERNEL_ROWS,
        ),
        Learner(
            "boosted stumps",
            "frame",
            (AdaBoost(rounds, loss=loss, verbose=False),),
            most_cells=MOST_STUMP_CELLS,
        ),
    ]


def table_regressors(n_rows: int, seed: int) -> list[Learner]:
    """Return the learners for numbers of a table of numbers and categories."""
    n_trees = _trees_for(n_rows)
    boosted = _boosted(HistGradientBoostingRegressor, n_rows, seed)
    return [
        Learner(
            "ridge regression",
            "linear",
            (Ridge("loo", standardize=False, verbose=False),),
            is_quick=True,
        ),
        _neighbors(KNeighborsRegressor),
        Learner("gradient boosting", "trees", boosted, most_cells=MOST_TREE_CELLS),
        Learner(
            "extra trees",
            "trees",
            tuple(ExtraTreesRegressor(n_trees, max_features=f, random_state=seed) for f in (1.0, 1 / 3)),
            most_cells=MOST_TREE_CELLS,
        ),
        Learner(
            "random forest",
            "trees",
            (RandomForestRegressor(n_trees, max_features=0.5, random_state=seed),),
            most_cells=MOST_TREE_CELLS,
        ),
        Learner("kernel regression", "linear", (KernelRidge("loo", gamma="loo", verbose=False),), most_rows=1500),
    ]


def _neighbors(kind: type) -> NeighborLearner:
    return NeighborLearner(
        "nearest neighbors",
        "linear",
        tuple(kind(k, weights="distance") for k in (5, 15)),
        is_quick=True,
        most_rows=MOST_NEIGHBOR_ROWS,
        most_features=MOST_NEIGHBOR_FEATURES,
    )


def _trees_for(n_rows: int) -> int:
    return 200 if n_rows <= MANY_ROWS else 100


def _boosted(kind: type, n_rows: int, seed: int) -> tuple[BaseEstimator, ...]:
    """Return gradient boosting of large trees, and of small ones with slower steps."""
    rounds, rate = (150, 0.08) if n_rows <= MANY_ROWS else (300, 0.06)
    common = {"early_stopping": False, "random_state": seed, "categorical_features": None}
    return (
        kind(max_iter=rounds, learning_rate=rate, **common),
        kind(max_iter=200, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=10, l2_regularization=1.0, **common),
    )


def word_classifiers(n_rows: int, seed: int) -> list[Learner]:
    """Return the learners for classes of texts."""
    linear = [LogisticRegression(1 / (c * n_rows), penalty="l2", standardize=False, verbose=False) for c in (30.0, 3.0)]
    return [
        Learner("Naive Bayes of counts", "counts", tuple(MultinomialNB(alpha=a) for a in (1.0, 0.1)), is_quick=True),
        Learner("complement Naive Bayes", "tf-idf", tuple(ComplementNB(alpha=a) for a in (1.0, 0.3)), is_quick=True),
        Learner(
            "linear support vectors",
            "tf-idf",
            tuple(LinearSVC(C=c, random_state=seed) for c in (0.3, 1.0)),
            is_quick=True,
        ),
        PathLearner("logistic regression", "tf-idf", tuple(linear)),
    ]


def sparse_classifiers(n_rows: int, has_negative: bool, seed: int) -> list[Learner]:
    """Return the learners for classes of a sparse matrix of numbers."""
    linear = [
        LogisticRegression(1 / (c * n_rows), penalty="l2", standardize=False, verbose=False) for c in (30.0, 3.0, 0.3)
    ]
    found: list[Learner] = [PathLearner("logistic regression", "scaled", tuple(linear), is_quick=True)]
    if not has_negative:
        found.append(Learner("Naive Bayes of counts", "counts", (MultinomialNB(alpha=0.5),), is_quick=True))
    svm = tuple(LinearSVC(C=c, random_state=seed) for c in (0.1, 1.0))
    trees = ExtraTreesClassifier(200, random_state=seed)
    return [
        *found,
        Learner("linear support vectors", "scaled", svm, is_quick=True),
        Learner("extra trees", "scaled", (trees,), most_cells=MOST_TREE_CELLS),
    ]


def sparse_regressors(seed: int) -> list[Learner]:
    """Return the learners for numbers of a sparse matrix or of texts."""
    trees = ExtraTreesRegressor(200, max_features=1 / 3, random_state=seed)
    ridge = tuple(Ridge(a, standardize=False, verbose=False) for a in (0.1, 1.0, 10.0))
    return [
        Learner("ridge regression", "scaled", ridge, is_quick=True),
        Learner("extra trees", "scaled", (trees,), most_cells=MOST_TREE_CELLS),
    ]
