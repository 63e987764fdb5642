"""Dictionary-encoded columns of words, so that each distinct word is processed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from types import NoneType
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vitalfew.support.checks import is_missing


@dataclass(frozen=True)
class WordColumn:
    """Column in which row i holds ``values[codes[i]]``, or is missing if its code is -1.

    Values are distinct; some may not occur.
    """

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: NDArray) -> WordColumn:
        return WordColumn(self.codes[rows], self.values)

    def distinct(self) -> list[str]:
        """Return the words that occur, in increasing order."""
        occurs = np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:] > 0
        return sorted(self.values[i] for i in np.flatnonzero(occurs))

    def example(self) -> str | None:
        """Return the first word, or None if all are missing."""
        known = self.codes >= 0
        return self.values[self.codes[np.argmax(known)]] if known.any() else None

    def look_up(self, of_value: ArrayLike, of_missing, dtype) -> NDArray:
        """Map each row to the entry of `of_value` for its word, or to `of_missing`."""
        return np.append(np.asarray(of_value, dtype=dtype), np.asarray(of_missing, dtype=dtype))[self.codes]


def words_from_list(listed: list) -> WordColumn | None:
    """Encode strings, some of them missing; None if there is any other value, or no string."""
    if not set(map(type, listed)) <= {str, NoneType, float}:
        return None
    codes, values = _numbered(listed)
    others = [v for v in values if not isinstance(v, str)]
    if len(others) == len(values) or not all(map(is_missing, others)):
        return None
    return _named(codes, values)


def words_from_series(series: nw.Series) -> WordColumn:
    """Encode a column of strings or categories with its own library; categories become their names."""
    native, kind = nw.to_native(series), series.implementation
    if kind.is_polars():
        return _from_polars(native)
    if kind.is_pyarrow():
        is_coded = isinstance(series.dtype, nw.Categorical)
        return _from_arrow(native.chunks if is_coded else [native.dictionary_encode().combine_chunks()])
    if kind.is_pandas() and hasattr(native, "cat"):
        return _named(native.cat.codes.to_numpy(copy=True), native.cat.categories.tolist())
    # Python hashes its strings as fast as pandas does.
    if kind.is_pandas() and getattr(native.dtype, "storage", "") != "python":
        codes, values = native.factorize()
        return _named(codes, values.tolist())
    return _named(*_numbered(series.to_list()))


def _numbered(listed: list) -> tuple[NDArray[np.int32], list]:
    """Return the code of each value, and the distinct values in order of appearance."""
    number: dict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(number.__getitem__, listed), dtype=np.int32, count=len(listed))
    return codes, list(number)


def _from_polars(series) -> WordColumn:
    distinct = series.unique()
    codes = series.to_physical().replace_strict(distinct.to_physical(), np.arange(len(distinct)))
    return _named(codes.to_numpy(), distinct.to_list())


def _from_arrow(chunks: Sequence) -> WordColumn:
    """Combine chunks of codes, each with its own dictionary."""
    codes: list[NDArray] = []
    values: list = []
    for chunk in chunks:
        own = chunk.indices.cast("int64").fill_null(-1).to_numpy()
        codes.append(np.where(own < 0, -1, own + len(values)))
        values += chunk.dictionary.to_pylist()
    return _named(np.concatenate(codes), values)


def _named(codes: NDArray, values: list) -> WordColumn:
    """Create a column from codes and values, some of which may be missing or have the same name."""
    names = [None if is_missing(v) else str(v) for v in values]
    number = {name: i for i, name in enumerate(dict.fromkeys(name for name in names if name is not None))}
    lookup = np.array([*(-1 if name is None else number[name] for name in names), -1], dtype=np.int32)
    return WordColumn(lookup[codes], tuple(number))
