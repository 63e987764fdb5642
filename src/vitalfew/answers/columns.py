"""Columns whose relation to the target is tested one by one: linear terms, squares and pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special, stats

# The kinds of relation that are tested.
LINEAR, SQUARES, PAIRS, SMOOTH = "linear", "squares", "pairs", "smooth"
# Standardized numbers are cut at this value, so that a few outliers do not determine the result.
CUT = 3.0
# A column with less than this sum of squares, in units of its range, says something on one or two rows only.
LEAST_ROWS = 2.0
# All pairs are tested one by one up to this many numbers (rows times pairs).
PAIR_NUMBERS = 4e6
# Numbers in larger tables are not ranked, which would take longer than the test.
RANKED_NUMBERS = 4e6


def prepared(X: Any) -> Any:
    """Return the columns that vary, free of their units.

    Numbers have unit variance, and columns with two values a range of 2. A sparse matrix keeps its values.
    """
    if sparse.issparse(X):
        return sparse.csr_array(X, dtype=np.float64)
    X = np.asarray(X, dtype=np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    X, half = X[:, high > low], (high - low)[high > low] / 2
    X = (X - low[high > low]) / half - 1
    X -= X.mean(axis=0)
    return np.clip(X / np.where(is_binary(X), 1.0, X.std(axis=0)), -CUT, CUT)


def is_binary(X: NDArray) -> NDArray[np.bool_]:
    low, high = X.min(axis=0), X.max(axis=0)
    middle = (high - low) * 1e-9
    return ~np.any((low + middle < X) & (high - middle > X), axis=0)


def normal_scores(values: NDArray) -> NDArray[np.float64]:
    """Return the normal quantiles of the ranks in each column, which do not change under monotone transformations."""
    return special.ndtri((stats.rankdata(values, axis=0) - 0.5) / len(values))


def as_scores(X: NDArray) -> NDArray[np.float64]:
    """Return numbers replaced by centered normal scores of unit variance; columns with two values stay."""
    result = X.copy()
    numbers = ~is_binary(X)
    if numbers.any() and X.size <= RANKED_NUMBERS:
        scores = normal_scores(X[:, numbers])
        scores -= scores.mean(axis=0)
        result[:, numbers] = scores / scores.std(axis=0)
    return result


def column_families(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield each family and its columns of unit norm. O(n p), and O(n p²) for at most `PAIR_NUMBERS`."""
    if sparse.issparse(X):
        mean, square = (np.asarray(each.mean(axis=0)).ravel() for each in (X, X.multiply(X)))
        norm, top = np.sqrt(X.shape[0] * np.maximum(square - mean**2, 0)), abs(X).max(axis=0).toarray().ravel()
        kept = norm**2 > LEAST_ROWS * top**2
        if kept.any():
            yield LINEAR, (X[:, kept] @ sparse.diags_array(1 / norm[kept])).tocsr()
        return
    scores = as_scores(X)
    affordable = X.size * (X.shape[1] - 1) / 2 <= PAIR_NUMBERS
    first, second = np.triu_indices(X.shape[1] if affordable else 0, 1)
    for family, columns in (
        (LINEAR, X),
        (SQUARES, scores[:, ~is_binary(X)] ** 2),
        (PAIRS, scores[:, first] * scores[:, second]),
    ):
        if (found := _unit_columns(columns)).shape[1]:
            yield family, found


def _unit_columns(X: NDArray) -> NDArray[np.float64]:
    X = X - X.mean(axis=0)
    norm = np.linalg.norm(X, axis=0)
    kept = norm**2 > LEAST_ROWS * np.max(np.abs(X), axis=0, initial=0.0) ** 2 / 4
    return X[:, kept] / norm[kept]
