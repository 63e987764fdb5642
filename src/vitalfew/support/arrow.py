"""Validation of Arrow data from other producers: consumers trust its offsets, lengths and indices."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

# List elements of these types cannot hold Arrow data.
PLAIN = {str, bytes, int, float, bool, type(None), np.str_, np.float64, np.int64}


def check_arrow(data: Any, source: str, error: type[ValueError] = ValueError, *, needs_utf8: bool = True) -> None:
    """Raise `error` if the offsets or indices of Arrow data point outside its buffers.

    Parameters
    ----------
    data : pyarrow.Table, RecordBatch, ChunkedArray or Array
        Every offset, length, index and view is checked, including those of dictionaries and nested columns.
    source : str
        Name of the data in the error message.
    error : type of exception, default ValueError
        Use DataFileError for files.
    needs_utf8 : bool, default True
        Whether text that is not UTF-8 is an error. Reading its bytes is safe; only decoding fails.
    """
    pa = sys.modules["pyarrow"]
    try:
        data.validate(full=True)
        return
    except pa.ArrowException as found:
        whole = found
    for name, column in _columns(data):
        try:
            column.validate(full=True)
        except pa.ArrowException as found:
            is_text = _is_safe_text(pa, column)
            if is_text and not needs_utf8:
                continue
            what = "contains text that is not valid UTF-8" if is_text else "is corrupted"
            remedy = "encode it as UTF-8 or drop it" if is_text else "recreate it from the original data"
            raise error(f"{name}{source} {what} ({_reason(found)}); {remedy}.") from found
    if not needs_utf8 and "UTF8" in str(whole):
        return
    raise error(f"{source} is corrupted ({_reason(whole)}); recreate it from the original data.") from whole


def check_given(data: Any, name: str = "X") -> None:
    """Raise ValueError if Arrow data passed by a caller points outside its buffers; accept all other data.

    Arrow data means pyarrow tables, batches and arrays, and Arrow-backed pandas columns, indexes and categories. They
    are also found inside narwhals objects, lists, tuples and dicts.
    """
    pa = sys.modules.get("pyarrow")
    if pa is None or isinstance(data, np.ndarray):
        return
    data = nw.to_native(data, pass_through=True)
    if isinstance(data, pa.Table | pa.RecordBatch | pa.ChunkedArray | pa.Array):
        check_arrow(data, name)
    elif isinstance(data, list | tuple | dict):
        parts = data.values() if isinstance(data, dict) else data
        if not set(map(type, parts)) <= PLAIN:  # cheap for a long list of texts
            for part in parts:
                if type(part) not in PLAIN:
                    check_given(part, name)
    elif nw.dependencies.is_pandas_dataframe(data):
        _check_index(data.index, f"the index of {name}")
        _check_index(data.columns, f"the column index of {name}")
        for j, dtype in enumerate(data.dtypes.tolist()):
            if _is_arrow_dtype(dtype) or hasattr(dtype, "categories"):  # looking up a column costs more than this
                _check_pandas(data.iloc[:, j], dtype, f"column {str(data.columns[j])!r} of {name}")
    else:
        _check_pandas(data, getattr(data, "dtype", None), name)
        if nw.dependencies.is_pandas_series(data):
            _check_index(data.index, f"the index of {name}")


def _check_index(index: Any, name: str) -> None:
    """Check a pandas index, or each level of a MultiIndex."""
    for level in getattr(index, "levels", [index]):
        _check_pandas(level, level.dtype, name)


def _check_pandas(column: Any, dtype: Any, name: str) -> None:
    """Check a pandas series, index or array if its values or categories are Arrow-backed."""
    if _is_arrow_dtype(dtype):
        check_arrow(getattr(column, "array", column).__arrow_array__(), name)
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        _check_pandas(categories, getattr(categories, "dtype", None), f"the categories of {name}")


def _is_arrow_dtype(dtype: Any) -> bool:
    return getattr(dtype, "storage", None) == "pyarrow" or type(dtype).__name__ == "ArrowDtype"


def _columns(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns, each with the prefix of its error message; an array is its own column."""
    if not hasattr(data, "schema"):
        yield "", data
        return
    for field, column in zip(data.schema, data.columns):
        yield f"column {field.name!r} of ", column


def _is_safe_text(pa: Any, column: Any) -> bool:
    """Return True if only the text encoding is wrong, so that the bytes are valid binary values."""
    kind = column.type
    is_coded = pa.types.is_dictionary(kind)
    bytes_of = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    plain = bytes_of.get(kind.value_type if is_coded else kind)
    if plain is None:
        return False
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    try:
        for chunk in chunks:
            if is_coded:
                chunk.indices.validate(full=True)
                values = chunk.dictionary.view(plain)
                pa.DictionaryArray.from_arrays(chunk.indices, values, safe=False).validate(full=True)
            else:
                chunk.view(plain).validate(full=True)
    except pa.ArrowException:
        return False
    return True


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
