"""Rows whose target may be permuted under the null hypothesis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Rows in use, if no limit of memory applies earlier.
MOST_ROWS = 20_000
LEAST_ROWS = 1_000
MOST_NUMBERS = 4e6
# Groups with fewer rows than this quantile of their sizes are left out; the others give that many rows.
SMALL_GROUPS = 0.2
# More rows of a group add little, since groups and not rows are exchanged.
LARGEST_BLOCK = 100


class Exchangeable(NamedTuple):
    """Rows in blocks of `size` consecutive rows; whole blocks are exchangeable."""

    X: Any
    y: NDArray
    size: int


def exchangeable_rows(
    X: Any, y: NDArray, groups: Any, is_classification: bool, random: np.random.Generator
) -> Exchangeable:
    """Return rows or blocks of rows that are exchangeable if X says nothing about y.

    Without groups, a block is a row. If y is constant in each group, a group becomes one row with its mean of X, since
    groups of any size may exchange their targets. Otherwise, blocks must be of equal size: as many rows as four of
    five groups have, but not more than 100, are drawn at random from each group that has them. Their order is
    random, so that a block of y is independent of a block of X under the null hypothesis, however the rows of a group
    depend on each other.

    At most 20,000 rows are drawn, fewer of wide tables. Rare classes are drawn more often, which leaves the rows
    exchangeable, because the draw depends on y alone.
    """
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    most = int(np.clip(MOST_NUMBERS / max(X.shape[1], 1), LEAST_ROWS, MOST_ROWS))
    size = 1
    if groups is None:
        rows = _draw(y, most, is_classification, random)
    else:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
        _, first = np.unique(codes, return_index=True)
        if np.array_equal(y, y[first][codes]):
            X, y = _group_means(X, codes), y[first]
            rows = _draw(y, most, is_classification, random)
        else:
            size, rows = _equal_blocks(codes, most, random)
    return Exchangeable(X[rows], y[rows], size)


def _draw(y: NDArray, most: int, is_classification: bool, random: np.random.Generator) -> NDArray[np.int64]:
    """Return at most this many rows in random order; half of the draw is divided equally among classes."""
    rows = random.permutation(len(y))
    if len(y) <= most or not is_classification:
        return rows[:most]
    _, codes, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
    quota = np.maximum(most / 2 * counts / len(y), most / (2 * len(counts)))
    order = np.argsort(codes, kind="stable")
    rank = np.empty(len(y), dtype=np.int64)
    rank[order] = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows[rank < quota[codes]]


def _group_means(X: Any, codes: NDArray) -> Any:
    counts = np.bincount(codes)
    members = sparse.csr_array((1 / counts[codes], (codes, np.arange(len(codes)))), shape=(len(counts), len(codes)))
    return members @ X


def _equal_blocks(codes: NDArray, most: int, random: np.random.Generator) -> tuple[int, NDArray[np.int64]]:
    """Return a size and the rows of blocks of that size, in random order."""
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    size = max(1, int(np.quantile(counts, SMALL_GROUPS, method="lower")))
    size = min(size, LARGEST_BLOCK)
    starts = (np.cumsum(counts) - counts)[counts >= size]
    starts = random.permutation(starts)[: max(1, most // size)]
    return size, order[(starts[:, None] + np.arange(size)).ravel()]
