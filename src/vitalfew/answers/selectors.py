"""Selectors of recipes: rankings of the features of a fold, best first, learned from its training rows alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.feature_selection import chi2, f_regression

from vitalfew.answers.views import TableFold
from vitalfew.data.coding.bins import BinCoder, DenseBins
from vitalfew.data.tables.blocks import CodesBlock
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.families.subsets.greedy import GreedySubsetRegressor
from vitalfew.summaries.information import information
from vitalfew.support.deadline import check_deadline

# Ranks the features of a fold; those it says nothing about are left out.
Ranking = Callable[[Any, NDArray, bool, int], NDArray[np.intp]]
MOST_BINS = 8
MOST_GREEDY = 60
N_TREES = 200
# Features are ranked anew by trees on the better half until this many are left.
LEAST_HALVED = 8
# Share of the features that a split tries, if it is more than the square root of their number.
LEAST_TRIED = 0.1
QUARTERS = np.array([0.25, 0.5, 0.75])


def labels(target: NDArray, is_numeric: bool) -> NDArray[np.int32]:
    """Return class codes; the quarters of a numeric target."""
    if not is_numeric:
        return target.astype(np.int32)
    return np.searchsorted(np.unique(np.quantile(target, QUARTERS)), target, side="left").astype(np.int32)


def by_information(fold: TableFold, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank features by their information about the target, in about eight equal bins."""
    del seed
    coded = coarse_codes(fold)
    label = labels(target, is_numeric)
    count = coded.count(label, None, int(label.max()) + 1, 1)
    found = information(count, coded.offsets).corrected().mutual
    return np.argsort(-found, kind="stable")


def coarse_codes(fold: TableFold) -> CodesBlock:
    """Return the training rows with numbers in about eight equal bins."""
    values = fold.table.coded[fold.train]
    bins = BinCoder(max_bins=MOST_BINS, threads=1).fit(values)
    assert isinstance(bins, DenseBins)
    codes = np.asarray(bins.codes).astype(np.uint8) if bins.codes.dtype != np.uint8 else bins.codes
    return CodesBlock(np.asfortranarray(codes), bins.offsets)


def by_l1_path(fold: TableFold, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank features by the order in which they enter the L1 path."""
    del seed
    matrix, owner = fold.linear
    grid: dict[str, Any] = {
        "grid": 60,
        "grid_ratio": 0.01,
        "tol": 1e-4,
        "n_jobs": 1,
        "standardize": False,
        "verbose": False,
    }
    model = Lasso("bic", **grid) if is_numeric else LogisticRegression("bic", **grid)
    path = model.fit(matrix[fold.train], target).path_
    index, coef = path.used()
    coef = np.abs(coef).reshape(len(coef), -1)
    width = matrix.shape[1]
    first = np.where(coef.any(axis=0), (coef != 0).argmax(axis=0), len(coef))
    largest = coef[-1]
    return _first_of_each(index % width, first, largest, owner)


def _first_of_each(index, first, largest, owner) -> NDArray[np.intp]:
    order = np.lexsort((-largest, first))
    features = owner[index[order]]
    _, at = np.unique(features, return_index=True)
    return features[np.sort(at)]


def by_trees(fold: TableFold, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank features by the impurity decrease of extremely randomized trees, anew on each better half."""
    kind = ExtraTreesRegressor if is_numeric else ExtraTreesClassifier
    left: NDArray[np.intp] = np.arange(len(fold.table.names))
    tail: list[NDArray[np.intp]] = []
    while True:
        check_deadline()
        train, _ = fold.parts("trees", left)
        order = left[np.argsort(fold.table.is_category[left], kind="stable")]
        tried = int(np.ceil(max(np.sqrt(len(left)), LEAST_TRIED * len(left))))
        trees = kind(N_TREES, min_samples_leaf=2, max_features=tried, random_state=seed)
        ranked = order[np.argsort(-trees.fit(train, target).feature_importances_, kind="stable")]
        if len(left) <= LEAST_HALVED:
            return np.concatenate([ranked, *tail[::-1]])
        half = len(left) // 2
        tail.append(ranked[half:])
        left = np.sort(ranked[:half])


def by_description_length(fold: TableFold, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank features in the order in which they shorten the description of the classes with Naive Bayes."""
    del seed, is_numeric
    train, _ = fold.parts("frame")
    most = min(MOST_GREEDY, len(fold.table.names))
    model = NaiveBayes(features=most, n_jobs=1, verbose=False).fit(train, target)
    return np.array(list(dict.fromkeys(model.path_.feature.tolist())), dtype=np.intp)


def by_greedy_search(fold: TableFold, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank features in the order in which they lower the squared error of least squares most."""
    del seed, is_numeric
    matrix, owner = fold.linear
    train = matrix[fold.train]
    _, group = np.unique(owner, return_inverse=True)
    most = min(MOST_GREEDY, len(np.unique(owner)), len(train) // 2)
    model = GreedySubsetRegressor("bic", max_features=most, feature_groups=group, n_jobs=1, verbose=False)
    path = model.fit(train, target).path_
    found: list[int] = []
    for i in range(len(path.grid)):
        found += [j for j in dict.fromkeys(owner[path.subset(i)].tolist()) if j not in found]
    return np.array(found, dtype=np.intp)


def by_word_scores(fold: Any, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Rank words by the chi-square score of their counts, or by correlation with a numeric target."""
    del seed
    train, _ = fold.parts("counts")
    with np.errstate(all="ignore"):
        if is_numeric or (sparse.issparse(train) and train.data.min(initial=0) < 0):
            score = f_regression(train, target)[0]
        else:
            score = chi2(train, target)[0]
    return np.argsort(-np.nan_to_num(score, nan=-1.0), kind="stable")


def by_single_words(
    words: NDArray[np.intp], fold: Any, target: NDArray, is_numeric: bool, seed: int
) -> NDArray[np.intp]:
    """Rank single words alone, without pairs of words."""
    ranked = by_word_scores(fold, target, is_numeric, seed)
    return ranked[np.isin(ranked, words)]


def table_selectors(is_numeric: bool) -> dict[str, Ranking]:
    """Return the selectors for a table of numbers and categories."""
    found: dict[str, Ranking] = {"information": by_information, "L1 path": by_l1_path, "trees": by_trees}
    if is_numeric:
        found["greedy search"] = by_greedy_search
    else:
        found["description length"] = by_description_length
    return found
