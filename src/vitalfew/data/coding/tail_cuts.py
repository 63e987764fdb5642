"""Exact cuts in the first and last bin of a numeric column, where the classes of a rare tail would share a bin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from vitalfew.data.coding.discretize import between

# A bin is cut if chance alone separates the classes inside it as well with a smaller probability.
MAX_P_CHANCE = 1e-3


def tail_cuts(
    value: NDArray[np.float64], label: NDArray[np.int32], n_classes: int, n_tests: int
) -> NDArray[np.float64] | None:
    """Return cuts between all distinct values of a bin, or None if no cut separates different classes.

    The likelihood-ratio test compares the classes on the two sides of each cut; its smallest p-value is multiplied by
    the number of cuts and by `n_tests`, the number of bins that are tested. The sides of the best cut must also differ
    in their largest class. The labels decide whether a bin is cut, but not where.
    """
    if len(value) < 2 or value.min() == value.max() or label.min() == label.max():
        return None
    order = np.argsort(value, kind="stable")
    value, label = value[order], label[order]
    at = np.flatnonzero(np.diff(value)) + 1  # number of samples on the left
    total = np.bincount(label, minlength=n_classes)
    left = np.column_stack([np.cumsum(label == c)[at - 1] for c in np.flatnonzero(total)])
    right = total[total > 0] - left
    sides = _log_likelihood(left) + _log_likelihood(right)
    best = int(sides.argmax())
    if left[best].argmax() == right[best].argmax():
        return None
    excess = 2 * (sides[best] - _log_likelihood(total[total > 0]))
    p_chance = chdtrc(left.shape[1] - 1, excess) * len(at) * n_tests
    return between(value[at - 1], value[at]) if p_chance < MAX_P_CHANCE else None


def _log_likelihood(count: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the largest log-likelihood of class counts (last axis)."""
    n = count.sum(axis=-1)
    return xlogy(count, count).sum(axis=-1) - xlogy(n, n)
