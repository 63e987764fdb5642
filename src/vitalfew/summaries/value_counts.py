"""Counts of values that are not known in advance: each batch is counted, and added to growing tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.table_coder import MISSING
from vitalfew.summaries.arrow_columns import numbers_of, weights_of
from vitalfew.summaries.row_folds import RowFolds
from vitalfew.support.checks import MOST_EXACT, inexact

if TYPE_CHECKING:
    import pyarrow as pa

# Numeric columns with more distinct values than this are sampled and binned.
MOST_NUMBERS = 1024
# Text columns with more distinct values than this are keys, and would exceed the allowed memory.
MOST_WORDS = 100_000
MOST_CLASSES = 1000
# Number of rows inspected first, before the rest of a numeric column.
GLANCE = 4096


@dataclass
class ClassLabels:
    """Classes in order of appearance; number 0 means no label."""

    place: dict[Any, int] = field(default_factory=dict)

    def places(self, values: Sequence, name: str) -> NDArray[np.intp]:
        """Return the number of each class, adding new classes."""
        found = np.array([self.place.setdefault(v, len(self.place) + 1) for v in values], dtype=np.intp)
        if len(self.place) > MOST_CLASSES:
            raise ValueError(
                f"the target {name!r} has more than {MOST_CLASSES:,} classes; for a numeric target use kind='moments'."
            )
        return found


@dataclass
class ColumnTally:
    """Counts N(value, class) of one column over the values seen so far; class 0 means no label.

    With folds, each class has a column for each fold, see `table_columns`.
    """

    name: str
    kind: str
    most: int
    place: dict[Any, int] = field(default_factory=dict)
    table: NDArray[np.float64] = field(default_factory=lambda: np.zeros((8, 4)))
    is_many: bool = False

    def add(self, values: Sequence | None, lines: NDArray[np.float64] | None, labels: NDArray[np.intp]) -> None:
        """Add the counts of a batch: one row per value, one column per label and fold."""
        if self.is_many:
            return
        if values is None or lines is None:
            self._give_up()
            return
        place = self.place
        rows = np.array([place.setdefault(v, len(place)) for v in values], dtype=np.intp)
        if len(place) > self.most:
            self._give_up()
            return
        height, width = self.table.shape
        tall, wide = len(place), int(labels.max(initial=0)) + 1
        if tall > height or wide > width:
            grown = np.zeros((max(height, 2 * tall if tall > height else 0), max(width, wide)))
            grown[:height, :width] = self.table
            self.table = grown
        # The values of a batch are distinct, and so are its labels.
        self.table[np.ix_(rows, labels)] += lines

    def _give_up(self) -> None:
        if self.kind == "words":
            raise ValueError(
                f"column {self.name!r} has more than {self.most:,} distinct values, like a key; leave it out, or "
                "merge rare values first."
            )
        self.is_many, self.place, self.table = True, {}, np.zeros((0, 4))

    def counted(self, n_labels: int, n_folds: int) -> tuple[list, NDArray[np.float64]]:
        """Return the values in increasing order, and their counts: (values, 1 + classes, folds)."""
        table = np.zeros((len(self.place), (n_labels + 1) * n_folds))
        width = min(table.shape[1], self.table.shape[1])
        table[:, :width] = self.table[: len(self.place), :width]
        values = sorted(self.place)
        return values, table[[self.place[v] for v in values]].reshape(len(values), n_labels + 1, n_folds)


@dataclass(frozen=True)
class BatchCounts:
    """Counts of one batch: its labels (None first), their weights, and the values and counts of each column.

    With folds, all counts have one column per label and fold.
    """

    labels: list
    label_count: NDArray[np.float64]
    columns: list[tuple[Sequence | None, NDArray[np.float64] | None]]
    n_rows: int


def count_batch(
    batch: pa.RecordBatch,
    columns: Sequence[ColumnTally],
    target: str,
    weight: str | None,
    folds: RowFolds | None = None,
) -> tuple[BatchCounts, NDArray[np.int32]]:
    """Count one batch, with its own codes for values and labels; also return the label codes, 0 if missing.

    A numeric column with too many distinct values has neither values nor counts.
    """
    labels, label = encode_target(batch.column(target), target)
    own = None if weight is None else weights_of(batch.column(weight), weight)
    n, n_folds = batch.num_rows, 1 if folds is None else folds.n_folds
    width = len(labels) * n_folds
    cell = label if folds is None else label * np.int32(n_folds) + folds.of_batch(batch)
    codes = np.empty((n, len(columns)), dtype=np.uint32, order="F")
    values: list[Sequence | None] = []
    used: list[Sequence] = []
    for column in columns:
        found = None if column.is_many else _coded(batch.column(column.name), column)
        values.append(None if found is None else found[0])
        if found is not None:
            codes[:, len(used)] = found[1]
            used.append(found[0])
    offsets = np.concatenate([[0], np.cumsum([len(v) for v in used])]).astype(np.int64)
    table = np.zeros((0, width))
    if offsets[-1]:
        table = _core.count_codes(codes[:, : len(used)], offsets, cell, own, width, 1)
    lines = iter(np.split(table, offsets[1:-1]) if used else [])
    total = np.bincount(cell, weights=own, minlength=width).astype(float)
    return BatchCounts(labels, total, [(v, None if v is None else next(lines)) for v in values], n), label


def table_columns(places: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """Return the table columns of labels, by their numbers: the folds of a label are next to each other."""
    return (places[:, None] * n_folds + np.arange(n_folds)).ravel()


def encode_target(column: pa.Array, name: str) -> tuple[list, NDArray[np.int32]]:
    """Return the labels of a batch, None first, and the label code of each row."""
    values, codes = encode(column)
    if any(isinstance(v, float) and not v.is_integer() for v in values):
        raise ValueError(f"the target {name!r} contains fractions; use kind='moments', or cut it into intervals first.")
    return [None, *values], (codes.view(np.int32) + 1).astype(np.int32)


def encode(column: pa.Array) -> tuple[list, NDArray[np.uint32]]:
    """Return the distinct nonmissing values of a column, and the code of each row, MISSING if it has no value."""
    coded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    pa = import_module("pyarrow")
    codes = coded.indices.cast(pa.int32()).fill_null(-1).to_numpy().view(np.uint32)
    values = coded.dictionary.to_pylist()
    wrong = [i for i, v in enumerate(values) if v is None or v != v]
    if wrong or len(set(values)) < len(values):
        place: dict[Any, int] = {}
        lookup = [MISSING if i in wrong else place.setdefault(v, len(place)) for i, v in enumerate(values)]
        codes = np.array([*lookup, MISSING], dtype=np.uint32)[codes.view(np.int32)]
        values = list(place)
    return values, codes


def _coded(column: pa.Array, tally: ColumnTally) -> tuple[list, NDArray[np.uint32]] | None:
    pa = import_module("pyarrow")
    if tally.kind == "words":
        values, codes = encode(column.cast(pa.string()) if pa.types.is_null(column.type) else column)
        return [str(v) for v in values], codes
    if tally.kind == "numbers":
        if pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        if tally.most <= MOST_NUMBERS and len(column.slice(0, GLANCE).unique()) > tally.most + 1:
            refuse_infinite(numbers_of(column, tally.name), tally.name)
            return None
    values, codes = encode(column)
    numbers = [float(v) for v in values]
    refuse_infinite(np.array(numbers), tally.name)
    if values and isinstance(values[0], int) and (largest := max(map(abs, values))) > MOST_EXACT:
        raise inexact(tally.name, largest)
    return numbers, codes


def refuse_infinite(values: NDArray, name: str) -> None:
    """Raise if a column contains infinity, which is neither a quantity nor missing."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(
            f"column {name!r} contains infinity; replace it by a finite number, or by NULL or NaN if it means missing."
        )
