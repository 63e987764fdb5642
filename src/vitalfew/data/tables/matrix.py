"""Dense and sparse matrices of finite floats, read from user input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array

from vitalfew import _core
from vitalfew.data.tables.frames import Column, NumberedNames, check_shape, is_frame, read_frame
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.data.tables.text_columns import WordColumn

FLOATS = (np.float64, np.float32)


Matrix = Any  # a NumPy array or a scipy.sparse.csc_array of floats


def take_rows(X: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Return some rows in the storage order of the matrix; a view if the rows are a range."""
    if is_frame(X):
        return _safe_indexing(X, rows)
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all() and not sparse.issparse(X):
        return X[rows[0] : rows[-1] + 1]
    if sparse.issparse(X):
        return X.tocsr()[rows].tocsc()
    return X[rows] if X.flags.c_contiguous else np.take(X.T, rows, axis=1).T


def read_matrix(X, *, threads: int = 0) -> tuple[Matrix, Sequence[str]]:
    """Read a dense or sparse matrix of finite floats, and the names of its columns."""
    if sparse.issparse(X):
        check_shape(X.shape, 1)
        return _read_sparse(X), NumberedNames(X.shape[1])
    frame = read_frame(X, min_rows=1)
    if frame is None:
        matrix = check_array(X, dtype=FLOATS, ensure_all_finite=False, estimator="vitalfew")
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.asfortranarray(matrix)
        names: Sequence[str] = NumberedNames(matrix.shape[1])
    elif frame.matrix is not None:
        names = frame.names
        matrix = np.asfortranarray(frame.matrix, dtype=np.float32 if frame.matrix.dtype == np.float32 else float)
    else:
        names = frame.names
        assert frame.columns is not None
        kinds = {c.dtype for c in frame.columns if not isinstance(c, WordColumn)}
        matrix = np.empty((frame.n_rows, len(names)), np.float32 if kinds == {np.dtype(np.float32)} else float, "F")
        for j, column in enumerate(frame.columns):
            matrix[:, j] = _numbers_of(column, names[j])
    at = _core.find_not_finite(matrix.ravel("K"), threads)
    if at >= 0:
        where = np.unravel_index(at, matrix.shape, order="C" if matrix.flags.c_contiguous else "F")
        _refuse(matrix[where], int(where[0]), names[int(where[1])])
    return matrix, names


def _numbers_of(column: Column, name: str) -> NDArray:
    if not isinstance(column, WordColumn):
        return column
    if column.example() is None:
        return np.full(len(column), np.nan)
    raise ValueError(
        f"column {name!r} contains text such as {column.example()!r}, but a linear model requires numbers; encode it "
        "first, for instance with scikit-learn's OneHotEncoder (with feature_groups to select its columns together)."
    )


def _read_sparse(X) -> sparse.csc_array:
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported\nsparse X contains complex numbers.")
    if max(X.shape) > np.iinfo(np.int32).max:
        raise ValueError(f"sparse X has shape {X.shape}; at most 2,147,483,647 rows and columns are supported.")
    columns = sparse.csc_array(check_sparse(X), dtype=X.dtype if X.dtype in FLOATS else np.float64)
    if not columns.has_canonical_format:
        columns = columns.copy()  # the values may belong to the caller
        columns.sum_duplicates()
    at = _core.find_not_finite(columns.data, 0)
    if at >= 0:
        j = int(np.searchsorted(columns.indptr, at, side="right")) - 1
        _refuse(columns.data[at], int(columns.indices[at]), f"x{j}")
    return columns


def _refuse(value: float, row: int, name: str) -> None:
    kind = "NaN" if value != value else "infinity"
    raise ValueError(
        f"Input X contains {kind}: column {name!r}, row {row}. Linear models require finite numbers: impute first "
        "(scikit-learn's SimpleImputer), or drop the rows or the column."
    )


def kernel_columns(X: Matrix) -> tuple[Any, Any, Any, Any]:
    """Return the arguments that pass a sparse matrix to compiled kernels."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
        X.shape[0],
    )
