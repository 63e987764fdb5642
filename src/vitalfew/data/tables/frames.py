"""Reading of NumPy, SciPy sparse, pandas, polars and Arrow tables into a common form, before encoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags, check_array

from vitalfew import _core
from vitalfew.data.tables.blocks import BinaryBlock
from vitalfew.data.tables.number_blocks import number_blocks, object_block
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.data.tables.text_columns import WordColumn, words_from_list, words_from_series
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import MOST_EXACT, inexact, is_missing

Column: TypeAlias = NDArray | WordColumn


class NumberedNames(Sequence):
    """Lazy sequence of the names x0, x1, … for columns without names."""

    def __init__(self, n: int):
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, j):
        if isinstance(j, slice):
            return [f"x{i}" for i in range(self.n)[j]]
        return f"x{range(self.n)[j]}"

    def __eq__(self, other) -> bool:
        return isinstance(other, NumberedNames) and other.n == self.n


def names_of(data) -> Sequence[str]:
    """Return the column names of data, or x0, x1, … if it has none."""
    return NumberedNames(data.n_features) if data.names is None else data.names


@dataclass(frozen=True)
class RawTable:
    """Table before encoding: a numeric matrix, or columns of numbers and of words.

    For sparse input, which needs no encoding, `sparse_block` is set instead.
    """

    n_rows: int
    names: Sequence[str]
    matrix: NDArray | None = None
    columns: list[Column] | None = None
    sparse_block: BinaryBlock | None = None

    @property
    def n_features(self) -> int:
        return len(self.names)

    def column(self, j: int) -> Column:
        if self.matrix is not None:
            return self.matrix[:, j]
        assert self.columns is not None
        return self.columns[j]

    def take(self, rows: NDArray[np.intp]) -> RawTable:
        return RawTable(
            len(rows),
            self.names,
            None if self.matrix is None else self.matrix[rows],
            None if self.columns is None else [c[rows] for c in self.columns],
            None if self.sparse_block is None else self.sparse_block.take(rows),
        )


def read_table(X: Any, *, min_rows: int = 1, threads: int = 0) -> RawTable:
    """Read `X` into a common form, with clear errors for anything that is not a table."""
    frame = read_frame(X, min_rows=min_rows)
    if frame is not None:
        return frame
    if sparse.issparse(X):
        check_shape(X.shape, min_rows)
        block = _read_sparse(check_sparse(X, threads).tocsr(), threads)
        return RawTable(X.shape[0], NumberedNames(X.shape[1]), sparse_block=block)
    X = check_array(
        X,
        dtype=None,
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
        estimator="vitalfew",
    )
    names = NumberedNames(X.shape[1])
    if X.dtype.kind in "fiub":
        return RawTable(len(X), names, matrix=X)
    return RawTable(len(X), names, columns=[_read_objects(X[:, j].tolist(), names[j]) for j in range(X.shape[1])])


def tag_tables(tags: Tags) -> Tags:
    """Set the scikit-learn tags of an estimator that accepts any input of `read_table`."""
    tags.input_tags.sparse = True
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


def read_frame(X: Any, *, min_rows: int = 1) -> RawTable | None:
    """Read a data frame, as a matrix if all columns are numbers of one type; None if `X` is not a frame."""
    frame = as_frame(X)
    return None if frame is None else _read_columns(frame, min_rows)


def as_frame(X: Any) -> nw.DataFrame | None:
    """Return a data frame of any library as a narwhals frame; None if `X` is not a frame."""
    if sparse.issparse(X):
        return None
    check_given(X)
    if isinstance(X, np.ndarray | list | tuple):
        return None
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X is a lazy {type(X).__name__}; collect it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def is_frame(X: Any) -> bool:
    """Return True if `X` is a frame whose rows scikit-learn can index (pandas, polars)."""
    return nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_polars_dataframe(X)


def check_shape(shape: tuple[int, ...], min_rows: int) -> None:
    """Check a shape as scikit-learn checks arrays, with similar error messages."""
    if len(shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(shape)}D array instead (shape={shape}).")
    if shape[0] < min_rows:
        raise ValueError(
            f"Found array with {shape[0]} sample(s) (shape={shape}) while a minimum of {min_rows} is required."
        )
    if shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def _read_columns(frame: nw.DataFrame, min_rows: int) -> RawTable:
    check_shape(frame.shape, min_rows)
    n_rows, n_features = frame.shape
    names = [str(name) for name in frame.columns]
    together: dict[int, Column] = {}
    for at, matrix in number_blocks(frame):
        if len(at) == n_features:
            return RawTable(n_rows, names, matrix=matrix)
        together.update(zip(at.tolist(), matrix.T))
    at, objects = object_block(frame)
    together.update({j: _read_objects(objects[:, k].tolist(), names[j]) for k, j in enumerate(at.tolist())})
    columns = [
        together[j] if j in together else _read_series(frame.get_column(name), names[j])
        for j, name in enumerate(frame.columns)
    ]
    return RawTable(n_rows, names, columns=columns)


def _read_series(series: nw.Series, name: str) -> Column:
    dtype = series.dtype
    if isinstance(dtype, nw.Categorical | nw.Enum):  # numbers are category names here
        return words_from_series(series)
    if isinstance(dtype, nw.Int128 | nw.UInt128):
        return _read_objects(series.to_list(), name)
    if isinstance(dtype, nw.Boolean) or dtype.is_numeric():
        if series.null_count() == 0:
            values = series.to_numpy()
            if values.dtype.kind in "fiub":
                return values
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    if dtype.is_nested():
        raise TypeError(
            f"column {name!r} contains {dtype}, but a feature must have one value per row; expand it into separate "
            "columns."
        )
    if dtype.is_temporal():
        raise TypeError(f"column {name!r} contains {dtype}; convert dates to numbers or parts (year, weekday) first.")
    if isinstance(dtype, nw.String) and getattr(nw.to_native(series), "dtype", None) != np.dtype(object):
        return words_from_series(series)
    return _read_objects(series.to_list(), name)


def _read_objects(listed: list, name: str) -> Column:
    """Return numbers if all values are numeric, otherwise strings."""
    words = words_from_list(listed)
    if words is not None:
        return words
    if set(map(type, listed)) <= {int, float, NoneType}:
        numbers = np.array(listed, dtype=np.float64)
        if np.nanmax(np.abs(numbers), initial=0.0) > MOST_EXACT:
            whole = {v for v in listed if type(v) is int}
            if len(set(map(float, whole))) < len(whole):
                raise inexact(name, max(whole, key=abs))
        return numbers
    listed = [None if is_missing(v) else v for v in listed]
    if all(v is None or isinstance(v, bool | int | float | np.number) for v in listed):
        return np.array([np.nan if v is None else v for v in listed], dtype=np.float64)
    for row, v in enumerate(listed):
        if v is not None and not isinstance(v, str | bool | int | float | np.generic):
            raise TypeError(
                f"argument must be a string or a number: column {name!r}, row {row} contains "
                f"a {type(v).__name__}; a feature may contain strings, numbers and missing values."
            )
    words = words_from_list([None if v is None else str(v) for v in listed])
    assert words is not None
    return words


def _read_sparse(X, threads: int) -> BinaryBlock:
    """Read stored nonzero values as presence. The indices are copied; the values may belong to the caller."""
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported\nsparse X contains complex numbers.")
    if X.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"sparse X has {X.shape[1]} columns; at most 2,147,483,647 are supported.")
    value = (
        X.data if X.data.dtype.char in "dfbil" else X.data.astype(np.int8 if X.data.dtype.kind == "b" else np.float64)
    )
    indptr, indices = X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)
    seen = _core.inspect_pattern(indptr, indices, value, X.shape[1], threads)
    if seen.has_nan:
        at = int(np.flatnonzero(~np.isfinite(X.data))[0])
        row = int(np.searchsorted(indptr, at, side="right")) - 1
        raise ValueError(
            f"Input X contains NaN or infinity (row {row}, column {int(indices[at])}); sparse data encode presence "
            "and cannot have missing values; remove them, or pass a dense table."
        )
    if seen.has_zero or not seen.is_sorted:
        X = X.astype(np.float64) if X.dtype.kind == "b" else X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int32)
    return BinaryBlock(np.ascontiguousarray(indptr), np.ascontiguousarray(indices), X.shape[1])
