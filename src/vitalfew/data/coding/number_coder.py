"""Coding of tables as numbers for linear models and kernels: one-hot categories, and missing numbers by their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.coding.table_coder import MISSING, Categories
from vitalfew.data.tables.frames import Column, RawTable
from vitalfew.data.tables.matrix import FLOATS, Matrix
from vitalfew.data.tables.text_columns import WordColumn
from vitalfew.exceptions import DiscretizationWarning
from vitalfew.support.caller import warn_caller

# Categories of one column with a coded column each.
MOST_LEVELS = 100
# A coded table is sparse if it has more cells than this, and more coded columns for each column.
MOST_CELLS = 2**25
SPARSE_SHARE = 4
# Columns whose means are computed at once.
COLUMNS_AT_ONCE = 256


@dataclass(frozen=True)
class NumberCoder:
    """Coding of the columns of a table as columns of floats, learned from training rows without their target.

    A number stays as it is. Where it is missing, it takes the weighted mean of the known ones; a column with missing
    values in training has an indicator of them beside it. A category has an indicator for each of its values; a missing
    one is a value of its own. Categories not seen in training, and all but the `MOST_LEVELS` most frequent ones, have
    zeros. A column without any value has the indicator of missing values alone, and may hold anything later.

    Attributes
    ----------
    names : sequence of str
        The columns of the table.
    mean : ndarray of shape (n_columns,)
        Value of a missing number; 0 for categories.
    flagged : ndarray of bool, shape (n_columns,)
        Numeric columns with an indicator of missing values.
    levels : dict of int to Categories
        Values of the columns that are categories; the first one is None if some were missing in training.
    """

    names: Sequence[str]
    mean: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    levels: Mapping[int, Categories] = field(default_factory=dict)

    @classmethod
    def fit(cls, table: Matrix | RawTable, names: Sequence[str], weight: NDArray[np.float64] | None) -> NumberCoder:
        """Learn the coding; a table without text and missing values may be a dense matrix."""
        if not isinstance(table, RawTable):
            return cls(names, _means(table, weight), np.zeros(len(names), dtype=bool))
        mean, flagged = np.zeros(len(names)), np.zeros(len(names), dtype=bool)
        levels: dict[int, Categories] = {}
        for j, name in enumerate(names):
            column = table.column(j)
            is_absent = _absent(column)
            if isinstance(column, WordColumn) or is_absent.all():
                levels[j] = _levels(column, name, weight)
                continue
            known = ~is_absent
            own = None if weight is None else weight[known]
            mean[j] = _means(np.asarray(column)[known, None], own)[0]
            flagged[j] = is_absent.any()
        return cls(names, mean, flagged, levels)

    @classmethod
    def of_means(cls, names: Sequence[str], mean: NDArray[np.float64]) -> NumberCoder:
        """Return the coding of numbers that were all known in training."""
        return cls(names, mean, np.zeros(len(names), dtype=bool))

    @property
    def n_features(self) -> int:
        """Number of columns of the table."""
        return len(self.names)

    @property
    def is_plain(self) -> bool:
        """True if each column of the table is one coded column, the number itself."""
        return not self.levels and not self.flagged.any()

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """Column of the table that each coded column comes from."""
        width = 1 + self.flagged
        for j, levels in self.levels.items():
            width[j] = len(levels.values)
        return np.repeat(np.arange(self.n_features), width)

    @property
    def coded_names(self) -> Sequence[str]:
        """Names of the coded columns: ``age``, ``age is missing``, ``color=red``, ``color is missing``."""
        if self.is_plain:
            return self.names
        found: list[str] = []
        for j, name in enumerate(self.names):
            if j in self.levels:
                values = self.levels[j].values
                found += [f"{name} is missing" if v is None else f"{name}={v}" for v in values]
            else:
                found += [name, f"{name} is missing"] if self.flagged[j] else [name]
        return found

    def used(self, coded: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the columns of the table with any of these coded columns."""
        if self.is_plain:
            return coded
        mask = np.zeros(self.n_features, dtype=bool)
        mask[self.owner[coded]] = True
        return mask

    def transform(self, table: Matrix | RawTable) -> Matrix:
        """Return the coded columns; a complete matrix that needs no coding is returned as it is.

        A large table whose categories have many values becomes a sparse matrix.
        """
        if not isinstance(table, RawTable):
            if self.is_plain:
                return table
            dense = table.toarray() if sparse.issparse(table) else table
            table = RawTable(dense.shape[0], self.names, matrix=dense)
        if table.n_features != self.n_features:
            raise ValueError(f"X has {table.n_features} features, but {self.n_features} were seen in training.")
        width = len(self.owner)
        if table.n_rows * width > MOST_CELLS and width > SPARSE_SHARE * self.n_features:
            return self._sparse(table)
        kind = table.matrix.dtype if table.matrix is not None and table.matrix.dtype in FLOATS else np.dtype(float)
        out = np.zeros((table.n_rows, width), dtype=kind, order="F")
        at = 0
        for j in range(self.n_features):
            if j in self.levels:
                rows, code = _known_codes(self.levels[j], table.column(j))
                out[rows, at + code] = 1
                at += len(self.levels[j].values)
                continue
            for values in self._numbers(table, j):
                out[:, at] = values
                at += 1
        return out

    def _sparse(self, table: RawTable) -> sparse.csc_array:
        """Return the coded columns of a large table whose categories have many values."""
        parts: list[sparse.csc_array] = []
        for j in range(self.n_features):
            if j in self.levels:
                rows, code = _known_codes(self.levels[j], table.column(j))
                shape = (table.n_rows, len(self.levels[j].values))
                parts.append(sparse.csc_array((np.ones(len(rows)), (rows, code)), shape=shape))
            else:
                parts += [sparse.csc_array(values[:, None]) for values in self._numbers(table, j)]
        return sparse.csc_array(sparse.hstack(parts, format="csc"))

    def _numbers(self, table: RawTable, j: int) -> list[NDArray[np.float64]]:
        """Return the coded columns of a numeric column."""
        values = np.array(_numbers(table.column(j), self.names[j]), dtype=np.float64)
        is_absent = np.isnan(values)
        values[is_absent] = self.mean[j]
        return [values, is_absent.astype(np.float64)] if self.flagged[j] else [values]


def _absent(column: Column) -> NDArray[np.bool_]:
    return column.codes < 0 if isinstance(column, WordColumn) else np.isnan(np.asarray(column, dtype=float))


def _means(columns: NDArray, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the weighted means of complete columns, without a sum that may overflow."""
    n, d = columns.shape
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    if columns.dtype == np.float64:
        return share @ columns
    parts = [columns[:, at : at + COLUMNS_AT_ONCE].astype(np.float64) for at in range(0, d, COLUMNS_AT_ONCE)]
    return np.concatenate([share @ part for part in parts])


def _levels(column: Column, name: str, weight: NDArray[np.float64] | None) -> Categories:
    """Return the values of a category, in increasing order, or the most frequent ones if there are many."""
    if not isinstance(column, WordColumn):
        return Categories((None,))
    values = column.distinct()
    if len(values) > MOST_LEVELS:
        warn_caller(
            f"column {name!r} has {len(values)} categories: the {MOST_LEVELS} most frequent ones have a coefficient "
            "each, and the others count as unseen. Drop the column if it holds identifiers, or turn its text into "
            "words with WordPresence.",
            DiscretizationWarning,
        )
        total = np.bincount(column.codes + 1, weights=weight, minlength=len(column.values) + 1)[1:]
        size = dict(zip(column.values, total.tolist()))
        values = sorted(sorted(values, key=lambda v: -size[v])[:MOST_LEVELS])
    return Categories(((None,) if (column.codes < 0).any() else ()) + tuple(values))


def _known_codes(levels: Categories, column: Column) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows with a value that has a column, and the codes of these values."""
    if levels.values == (None,):  # no value in training, so all values are unseen
        rows = np.flatnonzero(_absent(column))
        return rows, np.zeros(len(rows), dtype=np.intp)
    code = levels.encode(column)
    rows = np.flatnonzero(code != MISSING)
    return rows, code[rows].astype(np.intp)


def _numbers(column: Column, name: str) -> NDArray:
    """Return the numbers of a column that was numeric in training."""
    if not isinstance(column, WordColumn):
        return column
    if column.example() is None:
        return np.full(len(column), np.nan)
    raise ValueError(
        f"column {name!r} contains text such as {column.example()!r}, but was numeric in training; convert it to "
        "numbers, or fit on text."
    )
