"""Dense and sparse matrices of finite floats, read from user input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array

from vitalfew import _core
from vitalfew.data.tables.frames import (
    Column,
    NumberedNames,
    RawTable,
    check_shape,
    is_frame,
    read_frame,
    read_table,
)
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.data.tables.text_columns import WordColumn

FLOATS = (np.float64, np.float32)


Matrix = Any  # a NumPy array or a scipy.sparse.csc_array of floats


def take_rows(X: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Return some rows in the storage order of the matrix; a view if the rows are a range."""
    if isinstance(X, RawTable):
        return X.take(rows)
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
    matrix, names = _of_array(X) if frame is None else (_of_frame(frame), frame.names)
    where = _first_not_finite(matrix, threads)
    if where is not None:
        _refuse(matrix[where], where[0], names[where[1]])
    return matrix, names


def read_numbers(X, *, has_text: bool = False, threads: int = 0) -> tuple[Matrix | RawTable, Sequence[str]]:
    """Read a matrix of finite floats, or a table if there is text or a missing value; and the names of its columns.

    An array of strings that are all numbers is numeric, unless the data is known to have text.
    """
    if sparse.issparse(X):
        return read_matrix(X, threads=threads)
    table = read_frame(X, min_rows=1)
    if table is None and not (has_text and _is_of_objects(X)):
        try:
            matrix, names = _of_array(X)
        except (TypeError, ValueError):
            if not _is_of_objects(X):
                raise
            has_text = True
        else:
            return _complete(matrix, names, threads), names
    if table is None:
        table = read_table(np.array(X, dtype=object) if isinstance(X, list | tuple) else X)
    if has_text or any(isinstance(c, WordColumn) for c in table.columns or ()):
        _refuse_infinite(table)
        return table, table.names
    return _complete(_of_frame(table), table.names, threads), table.names


def _complete(matrix: NDArray, names: Sequence[str], threads: int) -> Matrix | RawTable:
    """Return a matrix if it is complete, otherwise a table; reject infinity."""
    if _first_not_finite(matrix, threads) is None:
        return matrix
    table = RawTable(len(matrix), names, matrix=matrix)
    _refuse_infinite(table)
    return table


def _is_of_objects(X) -> bool:
    """Return True for lists, and for arrays of objects or text."""
    return isinstance(X, list | tuple) or getattr(getattr(X, "dtype", None), "kind", "") in tuple("OUST")


def _of_array(X) -> tuple[NDArray, Sequence[str]]:
    matrix = check_array(X, dtype=FLOATS, ensure_all_finite=False, estimator="vitalfew")
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.asfortranarray(matrix)
    return matrix, NumberedNames(matrix.shape[1])


def _of_frame(frame: RawTable) -> NDArray:
    if frame.matrix is not None:
        return np.asfortranarray(frame.matrix, dtype=np.float32 if frame.matrix.dtype == np.float32 else float)
    assert frame.columns is not None
    kinds = {c.dtype for c in frame.columns if not isinstance(c, WordColumn)}
    kind = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    matrix = np.empty((frame.n_rows, len(frame.names)), kind, "F")
    for j, column in enumerate(frame.columns):
        matrix[:, j] = _numbers_of(column, frame.names[j])
    return matrix


def _first_not_finite(matrix: NDArray, threads: int) -> tuple[int, int] | None:
    """Return the row and column of the first value that is infinite or missing."""
    at = _core.find_not_finite(matrix.ravel("K"), threads)
    if at < 0:
        return None
    row, column = np.unravel_index(at, matrix.shape, order="C" if matrix.flags.c_contiguous else "F")
    return int(row), int(column)


def _refuse_infinite(table: RawTable) -> None:
    """Reject a table with an infinite number."""
    for j, name in enumerate(table.names):
        column = table.column(j)
        if not isinstance(column, WordColumn) and column.dtype.kind == "f" and (is_infinite := np.isinf(column)).any():
            row = int(np.argmax(is_infinite))
            _refuse(column[row], row, name)


def _numbers_of(column: Column, name: str) -> NDArray:
    if not isinstance(column, WordColumn):
        return column
    if column.example() is None:
        return np.full(len(column), np.nan)
    raise ValueError(
        f"column {name!r} contains text such as {column.example()!r}, but numbers are required here; encode "
        "it first, for instance with scikit-learn's OneHotEncoder."
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
    remedy = "impute first (scikit-learn's SimpleImputer)" if value != value else "replace it"
    raise ValueError(
        f"Input X contains {kind}: column {name!r}, row {row}. Finite numbers are required: {remedy}, or drop the rows "
        "or the column."
    )


def kernel_columns(X: Matrix) -> tuple[Any, Any, Any, Any]:
    """Return the arguments that pass a sparse matrix to compiled kernels."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
        X.shape[0],
    )
