"""Columns of numbers or objects read in blocks, because some libraries take a millisecond per column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

# Longer columns take longer to copy than to look up, and some are read without a copy.
MOST_ROWS = 100_000
ColumnBlock = tuple[NDArray[np.intp], NDArray]


def number_blocks(frame: nw.DataFrame) -> list[ColumnBlock]:
    """Return blocks of numeric or boolean columns of one type without nulls: their positions and their values.

    NaN counts as a value here. Other columns are in no block and must be read one by one: columns of other types or
    with nulls, frames of libraries other than pandas, polars and Arrow, and frames of more than 100,000 rows.

    Examples
    --------
    >>> import narwhals.stable.v2 as nw
    >>> import pandas as pd
    >>> from vitalfew.data.tables.number_blocks import number_blocks
    >>> frame = nw.from_native(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [3.0, 4.0], "d": [5, 6]}))
    >>> [(at.tolist(), matrix.tolist()) for at, matrix in number_blocks(frame)]
    [([0, 2], [[1.0, 3.0], [2.0, 4.0]]), ([3], [[5], [6]])]
    """
    kind = frame.implementation
    if len(frame) > MOST_ROWS:
        return []
    if kind.is_pandas():
        found = _of_pandas(frame.to_native())
    elif kind.is_polars():
        found = _of_polars(frame.to_native())
    elif kind.is_pyarrow():
        found = _of_arrow(frame.to_native())
    else:
        return []
    return [(at, matrix) for at, matrix in found if matrix.dtype.kind in "fiub"]


def object_block(frame: nw.DataFrame) -> ColumnBlock:
    """Return positions and values of the columns of Python objects in a pandas frame of at most 100,000 rows."""
    nothing = np.empty(0, dtype=np.intp), np.empty((len(frame), 0), dtype=object)
    if len(frame) > MOST_ROWS or not frame.implementation.is_pandas():
        return nothing
    native = frame.to_native()
    at = np.flatnonzero([isinstance(dtype, np.dtype) and dtype.kind == "O" for dtype in native.dtypes])
    return (at, (native if len(at) == native.shape[1] else native.iloc[:, at]).to_numpy()) if len(at) else nothing


def _by_type(types, is_wanted: Callable[[int, Any], bool]) -> list[NDArray[np.intp]]:
    """Return the positions of the wanted columns, grouped by type."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for j, dtype in enumerate(types):
        if is_wanted(j, dtype):
            groups[dtype].append(j)
    return [np.array(at, dtype=np.intp) for at in groups.values()]


def _of_pandas(frame) -> Iterator[ColumnBlock]:
    for at in _by_type(frame.dtypes, lambda _, dtype: getattr(_numpy_type(dtype), "kind", "") in tuple("fiub")):
        dtype = frame.dtypes.iloc[at[0]]
        part = frame if len(at) == frame.shape[1] else frame.iloc[:, at]
        if not isinstance(dtype, np.dtype):  # nullable
            is_full = ~part.isna().to_numpy().any(axis=0)
            at, part = at[is_full], part.loc[:, is_full]
        if len(at):
            yield at, part.to_numpy(dtype=_numpy_type(dtype))


def _numpy_type(dtype) -> Any:
    """Return the NumPy type of the values of a column without nulls."""
    return dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)


def _of_polars(frame) -> Iterator[ColumnBlock]:
    import polars as pl

    n_null = frame.null_count().row(0) if frame.width else ()
    # NumPy has no integers of 128 bits.
    is_number = {
        dtype: (dtype.is_numeric() and "128" not in str(dtype)) or dtype == pl.Boolean for dtype in set(frame.dtypes)
    }
    for at in _by_type(frame.dtypes, lambda j, dtype: is_number[dtype] and n_null[j] == 0):
        yield at, (frame if len(at) == frame.width else frame[:, at.tolist()]).to_numpy()


def _of_arrow(table) -> Iterator[ColumnBlock]:
    import pyarrow as pa

    columns = table.columns
    is_number = {
        kind: pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64(), pa.bool_())
        for kind in set(table.schema.types)
    }
    for at in _by_type(table.schema.types, lambda j, kind: is_number[kind] and columns[j].null_count == 0):
        yield at, np.array([columns[j].to_numpy() for j in at]).T
