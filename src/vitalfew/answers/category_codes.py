"""Codes and indicators of categories for the rows of a fold, as the encoders of the final pipelines make them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Most levels of a category; the rarest of more levels are one, as scikit-learn's boosting requires.
MOST_LEVELS = 250


def alphabetical_codes(series: Any) -> NDArray[np.float64]:
    """Return the codes of a column of strings in alphabetical order, and NaN for missing values."""
    absent = series.isna().to_numpy()
    codes = np.full(len(series), np.nan)
    codes[~absent] = np.unique(series[~absent].to_numpy(dtype=str), return_inverse=True)[1]
    return codes


def indicators(codes: NDArray[np.float64], train: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return one column per level of the training rows, missing included; rare levels share the last column.

    The columns are those of scikit-learn's ``OneHotEncoder(max_categories=MOST_LEVELS, handle_unknown="ignore")``.
    """
    whole = np.where(np.isnan(codes), np.nanmax(codes, initial=-1.0) + 1, codes).astype(np.intp)
    level, is_rare = _levels(whole[train])
    columns = [whole[:, None] == level[~is_rare]]
    if is_rare.any():
        columns.append(np.isin(whole, level[is_rare])[:, None])
    return np.hstack(columns).astype(np.float64)


def ordinals(codes: NDArray[np.float64], train: NDArray[np.intp]) -> NDArray[np.float64]:
    """Number the levels among those of the training rows, and give others NaN; rare levels share the last number.

    The numbers are those of scikit-learn's ``OrdinalEncoder(max_categories=MOST_LEVELS)``.
    """
    own = codes[train]
    level, is_rare = _levels(own[~np.isnan(own)])
    if not len(level):
        return np.full(len(codes), np.nan)
    number = np.where(is_rare, (~is_rare).sum(), np.cumsum(~is_rare) - 1)
    at = np.minimum(np.searchsorted(level, codes), len(level) - 1)
    return np.where(level[at] == codes, number[at], np.nan)


def _levels(codes: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
    """Return the distinct codes, and which of them are grouped: of equally frequent ones the first."""
    level, count = np.unique(codes, return_counts=True)
    is_rare = np.zeros(len(level), dtype=bool)
    if len(level) >= MOST_LEVELS:
        is_rare[np.argsort(count, kind="stable")[: -(MOST_LEVELS - 1)]] = True
    return level, is_rare
