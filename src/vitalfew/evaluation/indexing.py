"""Rows, columns and targets of every input of a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples

from vitalfew.data.samples.numeric_data import read_target
from vitalfew.data.tables.frames import as_frame
from vitalfew.data.tables.rows import as_rows, is_series, take, take_parts
from vitalfew.support.checks import check_classes, encode_labels


def n_rows(X) -> int:
    return _num_samples(X)


def n_columns(X) -> int | None:
    """Return the number of columns; None for texts."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else None


def column_names(X) -> list[str] | None:
    """Return the column names of a frame; None for anything else."""
    frame = as_frame(X)
    return None if frame is None else [str(name) for name in frame.columns]


def read_labels(y) -> NDArray:
    """Return the class labels as an array, one per row; at least two classes are required."""
    classes, codes = encode_labels(y)
    check_classes(classes)
    return classes[codes]


def read_y(y, is_classification: bool) -> NDArray:
    """Return labels or numbers as an array, one per row, none missing."""
    return read_labels(y) if is_classification else read_target(y)


def looks_like_classes(y: NDArray) -> bool:
    """Return True if a target appears to hold classes: text, booleans, or few integers."""
    if y.dtype.kind in "OUSTb":
        return True
    with np.errstate(over="ignore", invalid="ignore"):  # warnings of casts and sums of very large numbers
        kind = type_of_target(y)
    return kind in ("binary", "multiclass") and len(np.unique(y)) <= 32


__all__ = [
    "as_rows",
    "column_names",
    "is_series",
    "looks_like_classes",
    "n_columns",
    "n_rows",
    "read_labels",
    "read_y",
    "take",
    "take_parts",
]
