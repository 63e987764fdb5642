"""Polynomials given as columns of powers: the digits that rounding took from the columns, found again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.linear.double_double import Pair, multiply

EPS = float(np.finfo(float).eps)
HIGHEST = 64
MOST_COLUMNS = 1000
# Enough to see which columns may be powers of which; all rows must then agree.
SOME_ROWS = 64


def lost_digits(X: NDArray[np.float64]) -> dict[int, NDArray[np.float64]]:
    """What the exact powers have beyond columns that are powers of another column to rounding, by column.

    Rounding x², x³, … to doubles moves the fit of an ill conditioned polynomial more than a solver does. A
    column within `p` roundings of the `p`-th power of another in every row is taken to be that power. Columns whose
    powers are exact, such as small integers, are left out, and so are tables of more than 1,000 columns.
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
        if telling[row] < 1e-3:  # only zeros and ones, of which all powers are alike
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
