"""Targets in which most labels are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from vitalfew._checks import encode_labels, is_missing


def split_labels(y) -> tuple[NDArray[np.bool_], NDArray, NDArray[np.int32]]:
    """Which rows have a label, the classes in rising order, and the class code of each row that has one.

    A row has none where `y` is missing (None, NaN, null) or, among whole numbers, -1, as scikit-learn marks it.
    """
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "iuf":
        has_label = ~np.isnan(y) & (y != -1) if y.dtype.kind == "f" else y != -1
    elif y.dtype.kind == "O":
        has_label = np.array([not is_missing(v) and not _is_minus_one(v) for v in y.tolist()], dtype=bool)
    else:
        has_label = np.ones(len(y), dtype=bool)
    if not has_label.any():
        raise ValueError("no row has a label: every entry of y is missing or -1; label some rows of each class first.")
    known = y[has_label]
    if y.dtype.kind == "f" and np.isfinite(known).all() and (known == np.floor(known)).all():
        known = known.astype(np.int64)  # whole numbers became floats to make room for NaN
    classes, label = encode_labels(known)
    return has_label, classes, label


def _is_minus_one(value) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and value == -1
