"""Ordered bins and categories of tables, which stumps and trees search over; labels decide where tails are exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.coding.discretize import between
from vitalfew.data.coding.table_coder import MISSING, Categories, refuse_infinite, single_value
from vitalfew.data.coding.tail_cuts import tail_cuts
from vitalfew.data.tables.feature_names import column_mask
from vitalfew.data.tables.frames import Column, RawTable, read_table
from vitalfew.data.tables.matrix import read_matrix
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.data.tables.text_columns import WordColumn

# Maximum number of bins of a column with two-byte codes; one-byte codes allow 255.
MOST_BINS = 65_535
Found = TypeVar("Found")
# Sparse matrices with more cells than this are not converted to dense codes.
MOST_DENSE_CODES = 2**31


class Bins(Protocol):
    """Binned samples.

    Feature j has codes 0 .. b - 1, and b where a value is missing: b + 1 slots starting at ``offsets[j]``.
    """

    @property
    def n_rows(self) -> int: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def is_category(self) -> NDArray[np.bool_]: ...

    def call(self, kernel: Callable[..., Found], *rest) -> Found:
        """Call a compiled function on the bins: its overload for this storage."""

    def column(self, j: int) -> NDArray:
        """Return the codes of one feature."""

    def take(self, rows: NDArray[np.intp]) -> Bins:
        """Return the bins of the given rows."""

    def score(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of `table` (slots, outputs) at each sample's slots; the result has shape (rows, outputs)."""


@dataclass(frozen=True)
class DenseBins:
    """Codes of all rows, stored by column."""

    codes: NDArray[np.uint8] | NDArray[np.uint16]
    offsets: NDArray[np.int64]
    is_category: NDArray[np.bool_]

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    def call(self, kernel: Callable[..., Found], *rest) -> Found:
        return kernel(self.codes, self.offsets, self.is_category.view(np.uint8), *rest)

    def column(self, j):
        return self.codes[:, j]

    def take(self, rows):
        return replace(self, codes=np.take(self.codes.T, rows, axis=1).T)

    def score(self, table):
        total = np.zeros((self.n_rows, table.shape[1]))
        for j in range(len(self.offsets) - 1):
            lines = table[self.offsets[j] : self.offsets[j + 1]]
            if lines.any():
                total += lines[self.codes[:, j]]
        return total


@dataclass(frozen=True)
class SparseBins:
    """Codes of each row except those of zeros; `zero` holds each feature's code of zero. No value is missing."""

    codes: sparse.csr_array  # explicit entries hold codes, which may be 0
    zero: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        return self.codes.shape[0]

    @property
    def is_category(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.zero), dtype=bool)

    @cached_property
    def slots(self) -> NDArray[np.int32]:
        return (self.offsets[self.codes.indices] + self.codes.data).astype(np.int32)

    @cached_property
    def by_column(self) -> sparse.csc_array:
        return self.codes.tocsc()

    def call(self, kernel: Callable[..., Found], *rest) -> Found:
        start = self.codes.indptr.astype(np.int64)
        return kernel(start, self.slots, self.zero, self.offsets, self.is_category.view(np.uint8), *rest)

    def column(self, j):
        codes = np.full(self.n_rows, self.zero[j], dtype=np.uint16)
        own = slice(self.by_column.indptr[j], self.by_column.indptr[j + 1])
        codes[self.by_column.indices[own]] = self.by_column.data[own]
        return codes

    def take(self, rows):
        return replace(self, codes=self.codes[rows])

    def score(self, table):
        usual = table[self.offsets[:-1] + self.zero]
        difference = table[self.slots] - usual[self.codes.indices]
        start = self.codes.indptr
        sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(difference, axis=0)])
        return usual.sum(axis=0) + sums[start[1:]] - sums[start[:-1]]


def to_dense(bins: Bins) -> DenseBins:
    """Convert bins to dense codes; raise if they would need too much memory."""
    if isinstance(bins, DenseBins):
        return bins
    n_features = len(bins.offsets) - 1
    if bins.n_rows * n_features > MOST_DENSE_CODES:
        raise ValueError(
            f"this model stores one code per cell, and sparse X has {bins.n_rows} x {n_features} cells; "
            f"at most {MOST_DENSE_CODES} are supported. Select columns first, for instance with InformationRanking."
        )
    kind = np.uint8 if np.diff(bins.offsets).max() <= 256 else np.uint16
    codes = np.empty((bins.n_rows, n_features), dtype=kind, order="F")
    for j in range(n_features):
        codes[:, j] = bins.column(j)
    return DenseBins(codes, bins.offsets, bins.is_category)


@dataclass
class BinCoder:
    """Encoder that learns the bins of each column of a table and applies them to new data.

    Strings, booleans of frames and columns of a categorical type are categories, and so are the columns in
    `categorical_features` (by number, name or a mask). Other columns are numbers and keep their order. A column of at
    most `max_bins` distinct numbers has one bin for each; in other columns the bins hold about equally many samples. If
    labels are given, and the classes in the first or last of these bins depend on the value, this bin is replaced by
    one for each value: a rare class in the tail of a column would otherwise be lost.
    """

    max_bins: int = 255
    categorical_features: Any = None
    threads: int = 0
    names: Sequence[str] = ()
    cuts: list[NDArray[np.float64]] = field(default_factory=list)
    categories: dict[int, Categories] = field(default_factory=dict)
    is_sparse: bool = False

    def fit(self, X, label: NDArray[np.int32] | None = None, *, presence: bool = False) -> Bins:
        """Learn the bins and return the binned table; class codes, if given, decide where tails are cut exactly.

        With `presence`, a column with one value and missing ones has two categories: missing and present. Stumps and
        counts, which have a side or a slot for missing values, do not need it.
        """
        most = self.max_bins
        if not isinstance(most, Integral) or not 2 <= most <= MOST_BINS:
            raise ValueError(f"max_bins must be an integer between 2 and {MOST_BINS}, got {most!r}.")
        self.is_sparse = sparse.issparse(X)
        self.categories = {}
        if self.is_sparse:
            return self._fit_sparse(X)
        table = read_table(X, threads=self.threads)
        self.names = table.names
        given = () if self.categorical_features is None else self.categorical_features
        named = column_mask(given, table.names, "categorical_features")
        numbers = []
        for j in range(table.n_features):
            column = table.column(j)
            if isinstance(column, WordColumn) or named[j]:
                self.categories[j] = _categories_of(column, table.names[j], presence)
            else:
                numbers.append(j)
        self.cuts = [np.empty(0)] * table.n_features
        if numbers:
            found = _core.bin_cuts(_numbers(table, numbers), int(most), self.threads)
            value, start = found.value, found.start
            for at, j in enumerate(numbers):
                self.cuts[j] = value[start[at] : start[at + 1]]
                if start[at] == start[at + 1]:
                    self._code_without_cuts(table, j, presence)
        bins = self._dense(table)
        has_tails = label is not None and self._cut_tails(table, bins, label)
        return self._dense(table) if has_tails else bins

    def _cut_tails(self, table: RawTable, bins: DenseBins, label: NDArray[np.int32]) -> bool:
        """Cut the first and last bin of numeric columns exactly where the classes in them differ."""
        numbers = [j for j, cuts in enumerate(self.cuts) if len(cuts) > 1]
        n_classes, n_tests, found = int(label.max()) + 1, 2 * len(numbers), False
        for j in numbers:
            code, cuts = bins.column(j), self.cuts[j]
            for end in (len(cuts), 0):
                rows = np.flatnonzero(code == end)
                value = np.asarray(table.column(j))[rows].astype(np.float64)
                inner = tail_cuts(value, label[rows], n_classes, n_tests)
                if inner is not None and len(self.cuts[j]) + len(inner) < MOST_BINS:
                    self.cuts[j] = np.concatenate([inner, self.cuts[j]] if end == 0 else [self.cuts[j], inner])
                    found = True
        return found

    def _code_without_cuts(self, table: RawTable, j: int, presence: bool) -> None:
        """Code a column as a category if it has no value, in which case it may hold text later, or only one."""
        value, has_missing = single_value(table.column(j))
        if has_missing and value is None:
            self.categories[j] = Categories(())
        elif has_missing and presence:
            self.categories[j] = Categories.of((value,), True)

    def transform(self, X) -> Bins:
        """Return the bins of new data; categories not seen in training count as missing."""
        if self.is_sparse:
            return self._sparse(read_matrix(X if sparse.issparse(X) else sparse.csc_array(np.asarray(X)))[0])
        if sparse.issparse(X):
            X = check_sparse(X).toarray()
        return self._dense(read_table(X, threads=self.threads))

    @property
    def offsets(self) -> NDArray[np.int64]:
        """First slot of each feature, and the total number of slots."""
        return np.concatenate([[0], np.cumsum([self.n_bins(j) + 1 for j in range(len(self.cuts))])]).astype(np.int64)

    def n_bins(self, j: int) -> int:
        return len(self.categories[j].values) or 1 if j in self.categories else len(self.cuts[j]) + 1

    @property
    def is_category(self) -> NDArray[np.bool_]:
        return np.isin(np.arange(len(self.cuts)), list(self.categories))

    def _dense(self, table: RawTable) -> DenseBins:
        if table.n_features != len(self.cuts):
            raise ValueError(f"X has {table.n_features} features, but {len(self.cuts)} were seen in training.")
        n_bins = [self.n_bins(j) for j in range(table.n_features)]
        kind = np.uint8 if max(n_bins) <= 255 else np.uint16
        codes = np.empty((table.n_rows, table.n_features), dtype=kind, order="F")
        numbers = [j for j in range(table.n_features) if j not in self.categories]
        if numbers:
            cuts = np.concatenate([self.cuts[j] for j in numbers])
            start = np.concatenate([[0], np.cumsum([len(self.cuts[j]) for j in numbers])]).astype(np.int64)
            out = codes if len(numbers) == table.n_features else np.empty((table.n_rows, len(numbers)), kind, "F")
            refuse_infinite(_core.code_bins(_numbers(table, numbers), cuts, start, out, self.threads), table, numbers)
            if out is not codes:
                codes[:, numbers] = out
        for j, categories in self.categories.items():
            found = categories.encode(table.column(j))
            codes[:, j] = np.where(found == MISSING, n_bins[j], found)
        return DenseBins(codes, self.offsets, self.is_category)

    def _fit_sparse(self, X) -> SparseBins:
        if self.categorical_features is not None:
            raise ValueError("categorical_features is not supported for sparse X, whose columns are numeric.")
        columns, self.names = read_matrix(X)
        if (columns.data == 1).all():  # words: present or absent
            n_present = np.diff(columns.indptr)
            half, nothing = np.array([0.5]), np.empty(0)
            self.cuts = [half if 0 < count < columns.shape[0] else nothing for count in n_present.tolist()]
        else:
            self.cuts = self._sparse_cuts(columns)
        return self._sparse(columns)

    def _sparse_cuts(self, columns: sparse.csc_array) -> list[NDArray[np.float64]]:
        """Return cuts between the distinct values of each column, including zero, or between groups of them if many."""
        n, d = columns.shape
        owner = np.repeat(np.arange(d), np.diff(columns.indptr))
        has_zero = np.flatnonzero(np.diff(columns.indptr) < n)  # has a zero that is not stored
        owner, value = np.concatenate([owner, has_zero]), np.concatenate([columns.data, np.zeros(len(has_zero))])
        order = np.lexsort((value, owner))
        owner, value = owner[order], value[order].astype(np.float64)
        is_new = np.concatenate([[True], (np.diff(owner) != 0) | (np.diff(value) != 0)])
        owner, value = owner[is_new], value[is_new]
        count = np.bincount(owner, minlength=d)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        bins = np.minimum(count, self.max_bins)
        code = rank * bins[owner] // count[owner]
        is_cut = np.flatnonzero((owner[1:] == owner[:-1]) & (code[1:] != code[:-1]))
        cuts = between(value[is_cut], value[is_cut + 1])
        return np.split(cuts, np.cumsum(np.bincount(owner[is_cut], minlength=d))[:-1])

    def _sparse(self, columns: sparse.csc_array) -> SparseBins:
        d = columns.shape[1]
        if d != len(self.cuts):
            raise ValueError(f"X has {d} features, but {len(self.cuts)} were seen in training.")
        lengths = np.array([len(c) for c in self.cuts])
        start, cuts = np.cumsum(lengths) - lengths, np.concatenate([*self.cuts, [np.inf]])
        zero = _cuts_below(np.zeros(d), np.arange(d), cuts, start, lengths)
        owner = np.repeat(np.arange(d), np.diff(columns.indptr))
        code = _cuts_below(columns.data, owner, cuts, start, lengths)
        other = code != zero[owner]
        entries = (code[other].astype(np.uint16), (columns.indices[other], owner[other]))
        codes = sparse.coo_array(entries, shape=columns.shape).tocsr()
        offsets = np.concatenate([[0], np.cumsum(lengths + 2)]).astype(np.int64)
        return SparseBins(codes, zero.astype(np.int32), offsets)


def _cuts_below(value, owner, cuts, start, lengths) -> NDArray[np.intp]:
    """Count the cuts of the same column below each value, by a simultaneous binary search for all values."""
    low, high = np.zeros(len(value), dtype=np.intp), lengths[owner].astype(np.intp)
    for _ in range(int(lengths.max(initial=0)).bit_length()):
        middle = (low + high) // 2
        is_open = low < high
        is_below = is_open & (cuts[start[owner] + middle] < value)
        low = np.where(is_below, middle + 1, low)
        high = np.where(is_open & ~is_below, middle, high)
    return low


def _numbers(table: RawTable, which: list[int]) -> NDArray:
    """Return numeric columns as floats; a matrix is not copied if all its columns are used."""
    if table.matrix is not None and len(which) == table.n_features:
        matrix = table.matrix
        return matrix if matrix.dtype in (np.float64, np.float32) and matrix.dtype.isnative else matrix.astype(float)
    found = np.empty((table.n_rows, len(which)), order="F")
    for at, j in enumerate(which):
        column = table.column(j)
        if isinstance(column, WordColumn):
            raise ValueError(
                f"column {table.names[j]!r} contains text such as {column.example()!r}, but was numeric in training; "
                "convert it to numbers, or fit on text."
            )
        found[:, at] = column
    return found


def _categories_of(column: Column, name: str, presence: bool) -> Categories:
    distinct: list = (
        column.distinct() if isinstance(column, WordColumn) else sorted(v for v in set(column.tolist()) if v == v)
    )
    if len(distinct) >= MOST_BINS:
        raise ValueError(f"column {name!r} has {len(distinct)} categories; at most {MOST_BINS - 1} are supported.")
    return Categories.of(tuple(distinct), presence and len(distinct) == 1 and single_value(column)[1])
