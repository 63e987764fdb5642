"""Recovery of the digits that rounding removed from polynomial columns, that is, powers of another column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.linear.double_double import Pair, multiply

EPS = float(np.finfo(float).eps)
HIGHEST = 64
MOST_COLUMNS = 1000
# Rows used to find columns that may be powers of others; all rows are then checked.
SOME_ROWS = 64


def lost_digits(X: NDArray[np.float64]) -> dict[int, NDArray[np.float64]]:
    """Return, by column, the difference between exact and rounded values for columns that are powers of another.

    Rounding x², x³, … to doubles affects the fit of an ill-conditioned polynomial more than the solver does. A
    column within `p` roundings of the `p`-th power of another in every row is taken to be that power. Columns whose
    powers are exact, such as small integers, are omitted. The result is empty for more than 1,000 columns.
    """
    if X.shape[1] > MOST_COLUMNS or not len(X):
        return {}
    some = np.unique(np.linspace(0, len(X) - 1, SOME_ROWS).astype(int))
    with np.errstate(divide="ignore"):
        log = np.log2(np.abs(X[some]))
    found: dict[int, NDArray[np.float64]] = {}
    for base in range(X.shape[1]):
        telling = np.where(np.isfinite(log[:, base]), np.abs(log[:, base]), 0.0)
        row = int(telling.argmax())
        if telling[row] < 1e-3:  # only zeros and ones, whose powers are all the same
            continue
        exponent = np.nan_to_num(log[row] / log[row, base], posinf=0.0, neginf=0.0)
        whole = np.round(exponent)
        likely = (whole >= 2) & (whole <= HIGHEST) & (np.abs(exponent - whole) <= 1e-6 * HIGHEST)
        for j in np.flatnonzero(likely):
            if j in found:
                continue
            power = _power(X[:, base], int(whole[j]))
            lost = (power.high - X[:, j]) + power.low
            if (np.abs(lost) <= 2 * whole[j] * EPS * np.abs(X[:, j])).all() and lost.any():
                found[int(j)] = lost
    return found


def _power(x: NDArray[np.float64], exponent: int) -> Pair:
    power = Pair.of(x)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(exponent - 1):
            power = multiply(x, power)
    return power
