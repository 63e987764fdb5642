"""Targets with missing labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from vitalfew.support.arrow import check_given
from vitalfew.support.checks import encode_labels, is_missing


def split_labels(y) -> tuple[NDArray[np.bool_], NDArray, NDArray[np.int32]]:
    """Return a mask of labeled samples, the classes in increasing order, and the class codes of the labeled samples.

    A sample is unlabeled if its `y` is missing (None, NaN, null) or, among integers, -1, the scikit-learn convention.
    """
    check_given(y, "y")
    y = column_or_1d(y, warn=True)
    has_label = are_labeled(y)
    if not has_label.any():
        raise ValueError("y has no labels: every entry is missing or -1; label some rows of each class first.")
    classes, label = encode_labels(as_whole(y[has_label]))
    return has_label, classes, label


def are_labeled(y: NDArray, minus_one: bool = True) -> NDArray[np.bool_]:
    """Return a mask of labeled samples; with `minus_one`, -1 means unlabeled."""
    if y.dtype.kind == "O":
        return np.array([not is_missing(v) and not (minus_one and _is_minus_one(v)) for v in y.tolist()], dtype=bool)
    is_known = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)
    return is_known & (y != -1) if minus_one and y.dtype.kind in "iuf" else is_known


def as_whole(labels: NDArray) -> NDArray:
    """Restore integer labels that became floats because of NaN; return other labels unchanged."""
    if labels.dtype.kind == "f" and (np.abs(labels) <= 2**53).all() and (labels == np.floor(labels)).all():
        return labels.astype(np.int64)
    return labels


def _is_minus_one(value) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and value == -1
