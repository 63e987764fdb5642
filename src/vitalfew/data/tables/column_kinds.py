"""Column kinds of a table: numbers, categories, text, or columns that models do not use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from vitalfew.data.tables.frames import as_frame
from vitalfew.data.tables.number_blocks import number_blocks
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import MOST_EXACT, is_missing
from vitalfew.support.suggest import check_names, not_one_of

USED = ("numeric", "category", "text")
KINDS = (*USED, "constant", "identifier", "empty", "date")

# Free text has at least this many words per row, on average.
MIN_WORDS = 4
# In fewer rows than this, all values may differ by chance.
MIN_KEYS = 10
# A target with more distinct integers than this is numeric, not a set of classes.
MAX_CLASSES = 10
# Number of rows used to estimate the number of words.
SAMPLE = 2000
# Number of cells sorted at a time.
SORTED_CELLS = 2**20

_WORD = re.compile(r"\w+")
_DATE = re.compile(r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))([ T]\d{1,2}:\d{2}.*)?\s*")
_NUMBER = re.compile(r"\s*[-+]?(0|[1-9]\d*|\d*\.\d+|\d+\.\d*)([eE][-+]?\d+)?\s*")
_KEY_NAME = re.compile(r"(^|.*[_\W])(id|ids|key|uuid|guid|index|idx|rowid|row|nr|no|number|num)\W*", re.IGNORECASE)
_KEY_TAIL = re.compile(r".*[a-z](Id|ID|Key|Nr|No)")
_NO_NAME = re.compile(r"(unnamed: \d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnKind:
    """Kind and basic facts of one column of a table.

    Attributes
    ----------
    name : str
    kind : str
        ``"numeric"``, ``"category"`` or ``"text"``, which models use; ``"constant"``, ``"identifier"``, ``"empty"``
        or ``"date"``, which they do not.
    n_missing, n_distinct : int
        Number of rows without a value, and number of distinct values.
    why : str or None
        Reason why models do not use the column; None if they do.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    why: str | None = None

    @property
    def is_used(self) -> bool:
        """True if models use the column."""
        return self.kind in USED


def recognize(table: Any, overrides: Mapping[str, str] | None = None) -> list[ColumnKind]:
    """Detect the kind of every column of a table, in order.

    ========== ==========================================================================================
    numeric    numbers, and text columns that hold only numbers; also integers with few distinct values
    category   text with few words or few values, booleans, categories; one value that is missing in some rows
    text       at least four words per row on average, and many distinct values
    identifier text that differs in all of at least ten rows; integers that do, if the name suggests a key
    date       dates and times, also as text
    constant   one value
    empty      no value, or no single value per row (lists, bytes)
    ========== ==========================================================================================

    Parameters
    ----------
    table : pandas, polars or Arrow data frame
    overrides : mapping of column to kind, optional
        Kinds that replace the detected ones.

    Returns
    -------
    list of ColumnKind

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew.data.tables.column_kinds import recognize
    >>> table = pd.DataFrame({"age": [31, 45, None], "color": ["red", "blue", "red"], "unit": ["cm", "cm", "cm"]})
    >>> [(c.name, c.kind, c.n_missing) for c in recognize(table)]
    [('age', 'numeric', 1), ('color', 'category', 0), ('unit', 'constant', 0)]
    >>> recognize(table, {"age": "category"})[0].kind
    'category'
    """
    frame = table_frame(table)
    overrides = dict(overrides or {})
    check_names(overrides, frame.columns)
    for name, kind in overrides.items():
        if kind not in KINDS:
            raise ValueError(not_one_of(f"the kind of column {name!r}", kind, KINDS))
    numbers = {j: seen for at, matrix in number_blocks(frame) for j, seen in zip(at.tolist(), _inspect(matrix))}
    return [
        numbers[j].kind(str(name), overrides.get(name))
        if j in numbers
        else _recognize(frame.get_column(name), str(name), overrides.get(name))
        for j, name in enumerate(frame.columns)
    ]


def used_kinds(kinds: Sequence[ColumnKind]) -> dict[str, str]:
    """Return the names and kinds of the columns that models use."""
    return {c.name: c.kind for c in kinds if c.is_used}


def table_frame(table: Any) -> nw.DataFrame:
    """Return a data frame of any library as a narwhals frame; column names must be unique."""
    if isinstance(table, nw.DataFrame):
        return table
    columns = getattr(table, "columns", None)
    names = [str(n) for n in getattr(table, "column_names", columns if columns is not None else [])]
    if len(set(names)) < len(names):
        twice = next(n for i, n in enumerate(names) if n in names[:i])
        raise ValueError(f"two columns are named {twice!r}; rename one of them.")
    frame = as_frame(table)
    if frame is None:
        raise TypeError(f"expected a pandas, polars or Arrow data frame, got {type(table).__name__}.")
    return frame


def is_absent(series: nw.Series) -> nw.Series:
    """Return a mask of missing values, null or NaN."""
    return series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()


def _recognize(series: nw.Series, name: str, override: str | None) -> ColumnKind:
    if _has_no_single_value(series):
        holds = f"contains {series.dtype}, not one value per row; expand it into separate columns"
        return ColumnKind(name, "empty", int(series.null_count()), 0, holds)
    present = series.filter(~is_absent(series))
    n_missing = len(series) - len(present)
    distinct = present.unique()
    kind, why = _kind_of_few(len(present), len(distinct), n_missing) or _kind_of(present, distinct, name)
    return _found(name, kind, why, n_missing, len(distinct), override)


def _found(name: str, kind: str, why: str | None, n_missing: int, n_distinct: int, override: str | None) -> ColumnKind:
    if override is not None:
        kind, why = override, None if override in USED else f"was set to {override}"
    return ColumnKind(name, kind, n_missing, n_distinct, why)


@dataclass(frozen=True)
class _Numbers:
    """Facts about a column of numbers or booleans."""

    dtype: np.dtype
    n: int
    n_distinct: int
    n_missing: int

    def kind(self, name: str, override: str | None) -> ColumnKind:
        kind, why = _kind_of_few(self.n, self.n_distinct, self.n_missing) or (
            ("category", None)
            if self.dtype == bool
            else _kind_of_numbers(self.dtype.kind in "iu", self.n, self.n_distinct, name)
        )
        return _found(name, kind, why, self.n_missing, self.n_distinct, override)


def _inspect(matrix: NDArray) -> Iterator[_Numbers]:
    """Inspect each column of a matrix; a few columns at a time are copied and sorted."""
    step = max(1, SORTED_CELLS // max(len(matrix), 1))
    for start in range(0, matrix.shape[1], step):
        ordered = np.sort(matrix[:, start : start + step], axis=0)
        is_known = ordered == ordered
        n = is_known.sum(axis=0)
        n_distinct = ((ordered[1:] != ordered[:-1]) & is_known[1:]).sum(axis=0) + (n > 0)
        for own in zip(n.tolist(), n_distinct.tolist(), (len(matrix) - n).tolist()):
            yield _Numbers(matrix.dtype, *own)


def _kind_of_few(n: int, n_distinct: int, n_missing: int) -> tuple[str, str | None] | None:
    """Return the kind of a column with no value or a single one, otherwise None.

    One value and missing ones are two categories: whether a value is present is information.
    """
    if n == 0:
        return "empty", "has no values"
    if n_distinct == 1:
        return ("category", None) if n_missing else ("constant", "has a single value")
    return None


def _kind_of_numbers(is_integer: bool, n: int, n_distinct: int, name: str) -> tuple[str, str | None]:
    if is_integer and n_distinct == n >= MIN_KEYS and _is_key_name(name):
        return "identifier", "is a unique number in every row and is named like an identifier"
    return "numeric", None


def _kind_of(present: nw.Series, distinct: nw.Series, name: str) -> tuple[str, str | None]:
    dtype = present.dtype
    if dtype.is_temporal() or (_is_object(dtype) and all(isinstance(v, date | time) for v in distinct.to_list())):
        return "date", _DATES
    if isinstance(dtype, nw.Boolean):
        return "category", None
    if dtype.is_numeric() and not isinstance(dtype, nw.Int128 | nw.UInt128):
        return _kind_of_numbers(dtype.is_integer(), len(present), len(distinct), name)
    is_words = not isinstance(dtype, nw.Categorical | nw.Enum)
    return _kind_of_strings(present, distinct, name) if is_words else ("category", None)


_DATES = "contains dates or times; convert them to numbers (age in days) or parts (year, weekday)"


def _kind_of_strings(present: nw.Series, distinct: nw.Series, name: str) -> tuple[str, str | None]:
    n, n_distinct = len(present), len(distinct)
    values = distinct.to_list()
    if all(_NUMBER.fullmatch(str(v)) for v in values) and not _are_equal_as_floats(values):
        return "numeric", None
    if all(_DATE.fullmatch(str(v)) for v in values):
        return "date", _DATES
    is_many = n_distinct >= min(20, n / 2) and (n_distinct > 0.05 * n or n_distinct >= 1000)
    if is_many and _mean_words(present) >= MIN_WORDS:
        return "text", None
    if n >= MIN_KEYS and (n_distinct == n or (n_distinct > 0.9 * n and _is_key_name(name))):
        return "identifier", "differs in " + (
            "every row" if n_distinct == n else "nearly every row and is named like a key"
        )
    return "category", None


def _are_equal_as_floats(values: list) -> bool:
    """Return True if different integers are equal as floats; such a column holds identifiers."""
    digits = (str(v).strip() for v in values)
    long = {int(v) for v in digits if len(v) > 15 and v.lstrip("+-").isdigit() and abs(float(v)) > MOST_EXACT}
    return len(set(map(float, long))) < len(long)


def _mean_words(present: nw.Series) -> float:
    step = -(-len(present) // SAMPLE)
    rows = present.gather_every(step).to_list()
    return sum(len(_WORD.findall(str(v))) for v in rows) / len(rows)


def _is_key_name(name: str) -> bool:
    return bool(_KEY_NAME.fullmatch(name) or _KEY_TAIL.fullmatch(name) or _NO_NAME.fullmatch(name.strip()))


def _has_no_single_value(series: nw.Series) -> bool:
    dtype = series.dtype
    if dtype.is_nested() or isinstance(dtype, nw.Binary):
        return True
    return _is_object(dtype) and not all(map(_is_plain, series.to_list()))


def _is_object(dtype) -> bool:
    return isinstance(dtype, nw.Object | nw.Unknown)


def _is_plain(value) -> bool:
    return is_missing(value) or isinstance(value, str | bool | int | float | Decimal | np.generic | date | time)


def recognize_task(target: Any, task: str | None = None) -> str:
    """Return the task for a target, ``"classes"`` or ``"numeric"``, unless `task` is given.

    A numeric target means classes if it has at most two distinct values, or at most ten that are all integers.

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew.data.tables.column_kinds import recognize_task
    >>> recognize_task(pd.Series([1.5, 2.5, 3.0])), recognize_task(pd.Series(["a", "b"])), recognize_task([0, 1, 2, 1])
    ('numeric', 'classes', 'classes')
    """
    if task is not None:
        return task
    check_given(target, "the target")
    found = nw.from_native(target, series_only=True, pass_through=True)
    if isinstance(found, nw.Series):
        if not found.dtype.is_numeric():
            return "classes"
        values = found.filter(~is_absent(found)).unique().cast(nw.Float64).to_numpy()
    else:
        array = np.asarray(target)
        if array.dtype.kind not in "fiu":
            return "classes"
        values = np.unique(array[~np.isnan(array)])
    is_whole = bool((values == np.floor(values)).all())
    return "classes" if len(values) <= 2 or (is_whole and len(values) <= MAX_CLASSES) else "numeric"
