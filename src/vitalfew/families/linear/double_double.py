"""Double-double arithmetic: unevaluated sums of two doubles, about 32 digits, for residuals free of rounding error.

Error-free sums and products (Knuth; Dekker, 1971, doi:10.1007/BF01397083) are computed elementwise on arrays.
Intermediate results overflow beyond about 1e300: scale first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPLITTER = 2.0**27 + 1
BLOCK_NUMBERS = 2**16


class Pair(NamedTuple):
    """Unevaluated sum high + low, where high is the nearest double."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]

    def __neg__(self) -> Pair:
        return Pair(-self.high, -self.low)

    @classmethod
    def of(cls, values: Any) -> Pair:
        high = np.asarray(values, dtype=np.float64)
        return cls(high, np.zeros_like(high))

    def part(self, index: Any) -> Pair:
        return Pair(self.high[index], self.low[index])


def two_sum(a: Any, b: Any) -> Pair:
    """Return a + b exactly."""
    total = a + b
    of_b = total - a
    return Pair(total, (a - (total - of_b)) + (b - of_b))


def two_product(a: Any, b: Any) -> Pair:
    """Return a * b exactly, as the rounded product and its error."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return Pair(product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)


def _split(a: Any) -> Any:
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def add(a: Pair, b: Pair) -> Pair:
    """Return a + b with an error of about 1e-32 relative to the larger."""
    high, low = two_sum(a.high, b.high)
    low = low + (a.low + b.low)
    total = high + low
    return Pair(total, low - (total - high))


def multiply(a: Any, b: Pair) -> Pair:
    """Return the product of a double and a pair."""
    high, low = two_product(a, b.high)
    low = low + a * b.low
    total = high + low
    return Pair(total, low - (total - high))


def sum_rows(a: Pair) -> Pair:
    """Return the sum over the first axis, computed pairwise."""
    while len(a.high) > 1:
        half = len(a.high) // 2
        paired = add(a.part(slice(half)), a.part(slice(half, 2 * half)))
        rest = a.part(slice(2 * half, None))
        a = Pair(np.concatenate([paired.high, rest.high]), np.concatenate([paired.low, rest.low]))
    return a.part(0)


def times(X: NDArray[np.float64], v: Pair) -> Pair:
    """Return X v in O(n d), with about 30 operations per entry of X."""
    total = Pair(np.zeros(len(X)), np.zeros(len(X)))
    for j in range(X.shape[1]):
        total = add(total, multiply(X[:, j], v.part(j)))
    return total


def transposed_times(X: NDArray[np.float64], v: Pair) -> Pair:
    """Return Xᵀ v in O(n d), with about 30 operations per entry of X."""
    high, low = np.empty(X.shape[1]), np.empty(X.shape[1])
    column = Pair(v.high[:, None], v.low[:, None])
    step = max(1, BLOCK_NUMBERS // len(X))
    for start in range(0, X.shape[1], step):
        block = slice(start, start + step)
        high[block], low[block] = sum_rows(multiply(X[:, block], column))
    return Pair(high, low)
