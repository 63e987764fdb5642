"""Row indexing for every input of a model: arrays, sparse matrices, frames of any library, lists of texts."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import get_tags

from vitalfew.data.tables.frames import as_frame
from vitalfew.data.tables.sparse_checks import sparse_rows
from vitalfew.support.arrow import check_given


def as_rows(X) -> Any:
    """Return the same data in a form whose rows can be indexed."""
    if sparse.issparse(X):
        return sparse_rows(X)
    if as_frame(X) is not None or is_series(X) or isinstance(X, np.ndarray):
        return X
    if hasattr(X, "__array__"):
        return np.asarray(X)
    if isinstance(X, str) or not hasattr(X, "__len__"):
        raise TypeError(f"X must be a table, a matrix or a list of texts, got {type(X).__name__}.")
    listed = list(X)
    return listed if all(isinstance(row, str | bytes) for row in listed) else np.asarray(listed)


def is_series(X) -> bool:
    """Return True if `X` is a series of a data frame library."""
    check_given(X)
    return isinstance(nw.from_native(X, series_only=True, pass_through=True), nw.Series)


def take(X, rows: NDArray[np.intp]) -> Any:
    """Return some rows of the output of `as_rows`."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list):
        return [X[i] for i in rows]
    if sparse.issparse(X):
        return X[rows]
    if isinstance(X, np.ndarray):
        return X[rows]
    return nw.to_native(nw.from_native(X, allow_series=True)[rows])


def take_parts(model, X, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
    """Return training and test rows; for pairwise (kernel) matrices, also restrict the columns to the training rows."""
    fitted, tested = take(X, train), take(X, test)
    is_pairwise = hasattr(model, "__sklearn_tags__") and get_tags(model).input_tags.pairwise
    if not is_pairwise:
        return fitted, tested
    return tuple(rows.iloc[:, train] if hasattr(rows, "iloc") else rows[:, train] for rows in (fitted, tested))
