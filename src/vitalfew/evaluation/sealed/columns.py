"""Data frame columns from the archive of a sealed test set. Only listed types are accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from vitalfew.evaluation.sealed.members import Members
from vitalfew.support.limits import check_hashed

_NUMBER = r"(u?int(8|16|32|64)|float(16|32|64)|bool)"
_ARROW_OF_PANDAS = (
    r"(u?int(8|16|32|64)|halffloat|float|double|bool|string|large_string|(timestamp|duration)\[(s|ms|us|ns)\])"
)
_ZONE = r"(?!dateutil)[A-Za-z0-9_+\-/:]{1,60}"
_PANDAS = re.compile(
    rf"{_NUMBER}|U?Int(8|16|32|64)|Float(32|64)|boolean|object|category|str|string(\[(python|pyarrow)\])?"
    rf"|(datetime64|timedelta64)\[(s|ms|us|ns)\]|datetime64\[(s|ms|us|ns), (?P<zone>{_ZONE})\]"
    rf"|{_ARROW_OF_PANDAS}\[pyarrow\]|Sparse\[{_NUMBER}, (0|0\.0|nan|False)\]"
)
_WHOLE = [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
# Types that polars and Arrow infer from the values are kept; values are cast only to the types listed here.
_POLARS = (*_WHOLE, "Float32", "Float64", "Boolean", "String", "Utf8", "Date", "Duration", "Datetime", "Null")
_ARROW = {
    **{name.lower(): name.lower() for name in _WHOLE},
    **{"halffloat": "float16", "float": "float32", "double": "float64", "bool": "bool_"},
    **{"string": "string", "large_string": "large_string"},
}


def _values(column: Mapping[str, Any], members: Members) -> Any:
    """Return an array, or a list with None for missing values."""
    if "items" in column:
        return members.items(column["items"])
    values = members.array(column["npy"])
    if values.ndim != 1:
        raise ValueError("a column is not one-dimensional")
    if "missing" not in column:
        return values
    is_missing = members.array(column["missing"])
    if is_missing.dtype != bool or is_missing.shape != values.shape:
        raise ValueError("a column has no missing-value mask for each row")
    return [None if missing else v for v, missing in zip(values.tolist(), is_missing)]


def _categories(column: Mapping[str, Any], values: Any) -> list[Any]:
    """Return the categories of a column, after checking that they are distinct and contain all its values."""
    found = column["categories"]
    if not isinstance(found, list) or any(v is None for v in found):
        raise ValueError("categories of a column are not a list of values")
    check_hashed(found, "a category")
    known = set(found)
    if len(known) < len(found):
        raise ValueError("a category occurs twice")
    if not set(values) - {None} <= known:
        raise ValueError("a value of a column is not one of its categories")
    return found


def _pandas_column(column: Mapping[str, Any], members: Members) -> Any:
    import pandas as pd

    dtype = _PANDAS.fullmatch(column["dtype"])
    if dtype is None:
        raise ValueError(f"a column has the type {column['dtype'][:60]!r}, which is not supported")
    values = _values(column, members)
    if "categories" in column:
        if not isinstance(column["is_ordered"], bool):
            raise ValueError("a column has no flag for ordered categories")
        known = pd.CategoricalDtype(_categories(column, values), ordered=column["is_ordered"])
        return pd.Series(pd.Categorical(values, dtype=known), name=column["name"])
    if column["dtype"] == "object":
        return pd.Series(np.array([*values, None], dtype=object)[:-1], name=column["name"])
    if dtype["zone"] is not None and isinstance(values, np.ndarray) and values.dtype.kind == "M":
        return pd.Series(values, name=column["name"]).dt.tz_localize("UTC").dt.tz_convert(dtype["zone"])
    return pd.Series(values, name=column["name"], dtype=column["dtype"])


def _polars_column(column: Mapping[str, Any], members: Members) -> Any:
    import polars as pl

    if "\0" in str(column["name"]):
        raise ValueError("a column has a name with a NUL, at which polars panics")
    values, dtype = _values(column, members), column["dtype"]
    if "categories" in column:
        known = _categories(column, values)
        if not all(isinstance(v, str) for v in known):
            raise ValueError("a category is not text")
        kind = pl.Enum(known) if dtype.startswith("Enum") else pl.Categorical
        return pl.Series(column["name"], values, dtype=pl.String).cast(kind)
    if dtype.split("(")[0] not in _POLARS:
        raise ValueError(f"a column has the type {dtype[:60]!r}, which is not supported")
    series = pl.Series(column["name"], values)
    if "(" in dtype:
        return series
    return series if series.dtype == getattr(pl, dtype) else series.cast(getattr(pl, dtype))


def _arrow_column(column: Mapping[str, Any], members: Members) -> Any:
    import pyarrow as pa

    values, dtype = _values(column, members), column["dtype"]
    array = pa.array(values)
    if dtype.startswith("dictionary<"):
        array = array.dictionary_encode()
    elif dtype in _ARROW:
        array = array.cast(getattr(pa, _ARROW[dtype])())
    elif str(array.type) != dtype:
        raise ValueError(f"a column has the type {dtype[:60]!r}, but values of type {array.type}")
    array.validate(full=True)
    return array


COLUMNS: Mapping[str, Callable[[Mapping[str, Any], Members], Any]] = {
    "pandas": _pandas_column,
    "polars": _polars_column,
    "pyarrow": _arrow_column,
}
