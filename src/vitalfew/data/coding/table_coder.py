"""Encoding of tables as codes, one code column per feature instead of one-hot; new data is encoded in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.discretize import apply_cuts, cut_columns, interval_names
from vitalfew.data.tables.blocks import BinaryBlock, Block, CodesBlock
from vitalfew.data.tables.frames import Column, RawTable
from vitalfew.data.tables.text_columns import WordColumn
from vitalfew.exceptions import DiscretizationWarning
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import MOST_EXACT, check_choice, inexact

NUMERIC = ("mdl", "quantile", "uniform", "distinct")
# Integer columns with more distinct values than this are quantities, not categories.
MAX_CATEGORIES = 32
MISSING = np.iinfo(np.uint32).max


class Coding(Protocol):
    """Mapping of the values of one column to codes 0 .. n_values - 1, or MISSING."""

    @property
    def n_values(self) -> int: ...

    def encode(self, column: Column) -> NDArray[np.uint32]: ...


@dataclass(frozen=True)
class OwnCodes:
    """Coding for small nonnegative integers, which are their own codes."""

    n_values: int

    def encode(self, column):
        values = _as_numbers(column)
        codes = np.full(len(values), MISSING, dtype=np.uint32)
        with np.errstate(invalid="ignore"):
            known = (values >= 0) & (values < self.n_values) & (values == np.floor(values))
        codes[known] = values[known].astype(np.uint32)
        return codes


@dataclass(frozen=True)
class Categories:
    """Distinct values seen in training, in increasing order; any other value counts as missing.

    If the first value is None, it stands for a missing value: the column has one other value, and its presence is the
    information.
    """

    values: tuple

    @classmethod
    def of(cls, values: tuple, has_missing: bool) -> Categories:
        """Return the coding of a column with these values; a missing value is one of them if there is only one."""
        return cls((None, *values) if has_missing and len(values) == 1 else values)

    @property
    def n_values(self) -> int:
        return max(2, len(self.values))

    @property
    def is_presence(self) -> bool:
        """True if the only values are None (missing) and one other value."""
        return bool(self.values) and self.values[0] is None

    @property
    def is_text(self) -> bool:
        return bool(self.values) and isinstance(self.values[-1], str)

    def encode(self, column):
        code = {v: i for i, v in enumerate(self.values)}
        missing = 0 if self.is_presence else MISSING
        known: Sequence  # in the type of the categories, so that 1 and '1' match
        if isinstance(column, WordColumn):
            known = column.values if self.is_text else _numbers_in(column.values)
            return column.look_up([missing if v != v else code.get(v, MISSING) for v in known], missing, np.uint32)
        known = [v if v != v else str(v) for v in column.tolist()] if self.is_text else _as_numbers(column).tolist()
        if self.is_presence:
            known = [None if v != v else v for v in known]
        return np.fromiter(map(code.get, known, repeat(MISSING)), dtype=np.uint32, count=len(column))


@dataclass(frozen=True)
class Cuts:
    """Intervals of a numeric column."""

    cuts: tuple[float, ...]

    @property
    def n_values(self) -> int:
        return max(2, len(self.cuts) + 1)

    def encode(self, column):
        values = _as_numbers(column)
        known = ~np.isnan(values)
        codes = np.full(len(values), MISSING, dtype=np.uint32)
        codes[known] = apply_cuts(values[known], np.array(self.cuts))
        return codes


@dataclass
class TableCoder:
    """Encoder that learns the coding of each column of a table and applies it.

    Strings, booleans, categories and integers with at most 32 distinct values are categories. Other numbers are cut
    into intervals by `numeric` (``"mdl"``, ``"quantile"``, ``"uniform"``) or, with ``"distinct"``, every distinct
    number is a separate category. A column with a single value and missing ones has two values: missing and present.
    """

    numeric: str = "mdl"
    threads: int = 0
    codings: list[Coding] = field(default_factory=list)
    names: Sequence[str] = ()
    is_sparse: bool = False

    @property
    def is_supervised(self) -> bool:
        """True if the coding depends on the labels, so that each fold must be encoded again."""
        return self.numeric == "mdl" and any(isinstance(c, Cuts) for c in self.codings)

    def fit(self, table: RawTable, label=None, n_classes: int = 1, weight=None, *, presence: bool = True) -> Block:
        """Learn the codings and return the encoded table; without `presence`, missing is never a value."""
        check_choice("numeric", self.numeric, NUMERIC)
        self.names = table.names
        self.is_sparse = table.sparse_block is not None
        if table.sparse_block is not None:
            return table.sparse_block
        flags, tops, small = self._code_small(table)
        single = _single_values(table, flags, tops, small) if presence else {}
        self.codings = []
        rest, quantities = [], []
        for j in range(table.n_features):
            coding = single.get(j) or self._easy_coding(table, j, flags[j], tops[j])
            self.codings.append(coding or OwnCodes(2))
            if coding is None:
                quantities.append(j)
            if not isinstance(coding, OwnCodes):
                rest.append(j)
        if quantities:
            columns = np.column_stack([_as_numbers(table.column(j)) for j in quantities])
            found = cut_columns(columns, label, n_classes, weight, self.numeric, 5, self.threads)
            for j, cuts in zip(quantities, found):
                self.codings[j] = Cuts(tuple(cuts.tolist()))
        return self._assemble(table, small, rest)

    def transform(self, table: RawTable) -> Block:
        """Return the codes of new data; values not seen in training become missing."""
        if table.n_features != len(self.names):
            raise ValueError(f"X has {table.n_features} features, but {len(self.names)} were seen in training.")
        if self.is_sparse:
            return table.sparse_block or _sparsified(table)
        if table.sparse_block is not None:
            table = RawTable(table.n_rows, table.names, matrix=table.sparse_block.to_codes().codes)
        flags, tops, small = self._code_small(table)
        own = [
            isinstance(c, OwnCodes) and not flags[j] & _core.NEEDS_CODING and tops[j] <= c.n_values
            for j, c in enumerate(self.codings)
        ]
        return self._assemble(table, small, [j for j, is_own in enumerate(own) if not is_own])

    def _code_small(self, table: RawTable):
        """Encode columns of small integers in one pass; flags and tops identify these columns."""
        if table.matrix is not None:
            flags, small, tops = _code_matrix(table.matrix, self.threads)
        else:
            assert table.columns is not None
            small = np.full((table.n_rows, table.n_features), 255, dtype=np.uint8, order="F")
            flags = np.full(table.n_features, _core.NEEDS_CODING, dtype=np.uint8)
            tops = np.zeros(table.n_features, dtype=np.int32)
            for j, column in enumerate(table.columns):
                if not isinstance(column, WordColumn):
                    flag, codes, top = _code_matrix(column[:, None], self.threads)
                    flags[j], small[:, j], tops[j] = flag[0], codes[:, 0], top[0]
        refuse_infinite(flags, table, range(table.n_features))
        return flags, tops, small

    def _easy_coding(self, table: RawTable, j: int, flag: int, top: int) -> Coding | None:
        """Return the coding of a column that needs no cuts, or None."""
        column = table.column(j)
        if isinstance(column, WordColumn):
            return Categories(tuple(column.distinct())) if column.example() is not None else OwnCodes(2)
        if not flag & _core.NEEDS_CODING and (top <= MAX_CATEGORIES + 1 or self.numeric == "distinct"):
            if top > MAX_CATEGORIES + 1:
                _warn_of_many(table.names[j], np.unique(column))
            return OwnCodes(max(2, int(top)))
        _check_exact(column, table.names[j])
        values = _as_numbers(column)
        distinct = np.unique(values[~np.isnan(values)])
        is_whole = bool((distinct == np.floor(distinct)).all())
        if self.numeric == "distinct":
            _warn_of_many(table.names[j], distinct)
        if self.numeric == "distinct" or len(distinct) <= 2 or (is_whole and len(distinct) <= MAX_CATEGORIES):
            return Categories(tuple(distinct.tolist()))
        return None

    def _assemble(self, table: RawTable, small: NDArray[np.uint8], rest: list[int]) -> CodesBlock:
        """Return the codes of all columns; those in `rest` are encoded one by one."""
        n_values = np.array([c.n_values for c in self.codings], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(n_values)])
        if not rest:
            return CodesBlock(small, offsets)
        wide = n_values.max() > 254
        codes = np.array(small, dtype=np.uint32 if wide else np.uint8, order="F", copy=True)
        if wide:
            codes[small == 255] = MISSING
        for j in rest:
            # MISSING wraps to 255 in a byte, which is the missing code of bytes.
            codes[:, j] = self.codings[j].encode(table.column(j)).astype(codes.dtype)
        return CodesBlock(codes, offsets)


def value_names(coding: Coding) -> list[str]:
    """Return the text of each value of a feature."""
    if isinstance(coding, Cuts):
        return interval_names(np.array(coding.cuts))
    if isinstance(coding, Categories):
        return ["(missing)" if v is None else f"{v:g}" if isinstance(v, float) else str(v) for v in coding.values]
    return [str(v) for v in range(coding.n_values)]


def numeric_values(coding: Coding, low: int = 0, high: int = 1) -> tuple[float, float]:
    """Return the numbers that two codes of a feature stand for; NaN for a second value that never occurred.

    Text, intervals and presence are coded as 0 and 1.
    """
    if isinstance(coding, OwnCodes):
        return float(low), float(high) if high > low else np.nan
    if isinstance(coding, Categories) and not coding.is_text and not coding.is_presence and coding.values:
        return float(coding.values[0]), float(coding.values[1]) if len(coding.values) > 1 else np.nan
    return 0.0, 1.0


def refuse_infinite(flags: NDArray[np.uint8], table: RawTable, which: Sequence[int]) -> None:
    """Raise for the first infinite number, found by the flags that a kernel returned for these columns."""
    infinite = np.flatnonzero(flags & _core.HAS_INFINITE)
    if infinite.size:
        j = which[int(infinite[0])]
        row = int(np.argmax(np.isinf(_as_numbers(table.column(j)))))
        raise ValueError(
            f"Input X contains infinity: column {table.names[j]!r}, row {row}. "
            "Replace it by a finite number, or by NaN if it means missing."
        )


def _warn_of_many(name: str, distinct: NDArray) -> None:
    """Warn if a column of numbers that are treated as categories has more values than categories usually have."""
    known = distinct[distinct == distinct]
    if len(known) <= MAX_CATEGORIES:
        return
    kind = "whole" if (known == np.floor(known)).all() else "fractional"
    warn_caller(
        f"column {name!r} has {len(known)} distinct {kind} numbers, each of which is treated as a category; cut it "
        "into intervals with Discretizer first, or convert it to strings if these are names.",
        DiscretizationWarning,
    )


def _single_values(table: RawTable, flags, tops, small: NDArray[np.uint8]) -> dict[int, Coding]:
    """Return the codings of the columns with one value and missing ones."""
    found: dict[int, Coding] = {}
    if table.matrix is None:
        which = [j for j, c in enumerate(table.columns or ()) if isinstance(c, WordColumn) or c.dtype.kind == "f"]
    else:
        which = list(range(table.n_features)) if table.matrix.dtype.kind == "f" else []
    lowest = small[:, which].min(axis=0, initial=255) if len(which) < table.n_features else small.min(axis=0)
    for j, low in zip(which, lowest.tolist()):
        column = table.column(j)
        if isinstance(column, WordColumn) or flags[j] & _core.NEEDS_CODING:
            value, has_missing = single_value(column)
        else:
            value = float(low) if low == tops[j] - 1 else None
            has_missing = value is not None and small[:, j].max() == 255
        if value is not None and has_missing:
            found[j] = Categories.of((value,), True)
    return found


def single_value(column: Column) -> tuple[str | float | None, bool]:
    """Return the value of a column, None if it has none or several, and whether it has missing values."""
    if isinstance(column, WordColumn):
        first, has_missing = column.example(), bool((column.codes < 0).any())
        is_single = first is not None and len(np.unique(column.codes[column.codes >= 0])) == 1
        return (first if is_single else None), has_missing
    if column.dtype.kind != "f" or not len(column):
        return None, False
    is_absent = np.isnan(column)
    low = column[~is_absent][:1]
    is_single = len(low) == 1 and bool((is_absent | (column == low)).all())
    return (float(low[0]) if is_single else None), bool(is_absent.any())


def _code_matrix(matrix: NDArray, threads: int):
    if matrix.dtype == bool:
        matrix = matrix.view(np.uint8)
    if not matrix.dtype.isnative:
        matrix = matrix.astype(matrix.dtype.newbyteorder("="))
    if matrix.dtype.char not in "dflihbBq":
        matrix = matrix.astype(np.int64 if matrix.dtype.kind in "iu" and matrix.dtype.itemsize < 8 else np.float64)
    if matrix.dtype == np.uint8 and (matrix.strides[0] == 1 or matrix.strides[1] == 1):
        found = _core.code_small(matrix, None, threads)
        return found.flag, matrix, found.top
    out = np.empty_like(matrix, dtype=np.uint8)
    found = _core.code_small(matrix, out, threads)
    return found.flag, out, found.top


def _as_numbers(column: Column) -> NDArray[np.float64]:
    """Return the numbers of a column; words that are not numbers become NaN."""
    if isinstance(column, WordColumn):
        return column.look_up(_numbers_in(column.values), np.nan, np.float64)
    return column.astype(np.float64, copy=False)


def _check_exact(column: Column, name: str) -> None:
    """Reject integers that differ but are equal as floats, such as 64-bit identifiers."""
    if isinstance(column, WordColumn) or column.dtype.kind not in "iu" or column.dtype.itemsize < 8 or not column.size:
        return
    largest = max(int(column.max()), -int(column.min()))
    if largest > MOST_EXACT:
        raise inexact(name, largest)


def _numbers_in(words: tuple[str, ...]) -> list[float]:
    numbers = []
    for word in words:
        try:
            numbers.append(float(word))
        except ValueError:
            numbers.append(np.nan)
    return numbers


def _sparsified(table: RawTable) -> BinaryBlock:
    present = np.column_stack([np.nan_to_num(_as_numbers(table.column(j))) != 0 for j in range(table.n_features)])
    rows, indices = np.nonzero(present)
    indptr = np.searchsorted(rows, np.arange(table.n_rows + 1)).astype(np.int64)
    return BinaryBlock(indptr, indices.astype(np.int32), table.n_features)
