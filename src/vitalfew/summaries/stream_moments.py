"""`Moments` of Arrow batches, computed from the columns in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.sources.prefetch import batches_in_memory, read_ahead, work_ahead
from vitalfew.data.sources.protocol import BATCH_ROWS, Source
from vitalfew.data.tables.partitions import add_all
from vitalfew.summaries.arrow_columns import counting_rows, kind_of, labeled_rows, numbers_of, weights_of
from vitalfew.summaries.fold_summaries import Drawn, Summaries, empty_fold
from vitalfew.summaries.moments import MOST_BYTES, Moments, centered_sums
from vitalfew.summaries.row_folds import RowFolds
from vitalfew.support.progress import progress
from vitalfew.support.threads import limit_threads

if TYPE_CHECKING:
    import pyarrow as pa

# Cells per batch: small batches reuse warm memory, but each batch has a fixed cost per column.
BATCH_NUMBERS = 2**21
ROWS_FOR_COLUMN = 4
LEAST_ROWS = 256
# Type codes of columns that are multiplied directly; others are converted to double first.
NUMBERS = "dfqlihbQLIHB?"
# Maximum number of categories of a column, since each becomes a 0/1 column.
MOST_LEVELS = 1000

Levels = dict[str, list[str | None]]
# Moments of each fold, or of all rows if there are no folds; None where there is no row.
Parts = list[Moments | None]


@dataclass(frozen=True)
class NumberColumns:
    """Numeric view of the columns of batches: numbers are kept, categories become a 0/1 column per level."""

    columns: Sequence[str]
    target: str
    weight: str | None
    levels: Levels
    folds: RowFolds | None = None

    @property
    def n_parts(self) -> int:
        """Number of sums: one, or one for each fold."""
        return 1 if self.folds is None else self.folds.n_folds

    @property
    def asked(self) -> list[str]:
        """Columns that must be read."""
        return [*self.columns, self.target, *([] if self.weight is None else [self.weight])]

    @cached_property
    def names(self) -> list[str]:
        """Names of the features: ``column``, or ``column=level``."""
        found = []
        for name in self.columns:
            levels = self.levels.get(name)
            found += [name] if levels is None else [f"{name}={'(missing)' if v is None else v}" for v in levels]
        return found

    def rows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows that have a target and a nonzero weight."""
        return counting_rows(labeled_rows(batch, self.target), self.weight)

    def parts(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Return the rows of each fold that have a target and a nonzero weight; without folds, all such rows."""
        rows = self.rows(batch)
        if self.folds is None:
            return [rows]
        fold = self.folds.of_batch(rows)
        order = np.argsort(fold, kind="stable")
        ends = np.searchsorted(fold[order], np.arange(self.folds.n_folds + 1))
        ordered = rows.take(import_module("pyarrow").array(order))
        return [ordered.slice(first, last - first) for first, last in pairwise(ends.tolist())]

    def arrays(self, batch: pa.RecordBatch) -> list[NDArray]:
        """Return the columns of a batch as arrays, one per feature, followed by the target."""
        found = []
        for name in self.columns:
            column, levels = batch.column(name), self.levels.get(name)
            if levels is None:
                found.append(numbers_of(column, name))
                continue
            level = _level_codes(column, levels)
            found += [level == k for k in range(len(levels))]
        return [*found, numbers_of(batch.column(self.target), self.target)]

    def numbers(self, batch: pa.RecordBatch) -> list[NDArray]:
        """Return the same arrays, in types that the kernel can multiply."""
        return [a if a.dtype.char in NUMBERS else a.astype(np.float64) for a in self.arrays(batch)]


def stream_moments(
    source: Source,
    target: str,
    columns: Sequence[str],
    weight: str | None,
    memory: int,
    threads: int,
    verbose: bool | None,
    folds: RowFolds | None,
) -> Moments | Summaries[Moments]:
    """Compute moments in one pass over a source, after a pass that finds the levels of categorical columns."""
    schema = source.schema()
    levels = find_levels(source, [n for n in columns if kind_of(schema.field(n)) == "words"], target)
    reading = NumberColumns(columns, target, weight, levels, folds)
    return joined(source, reading, sum_batches(source, reading, memory, threads, verbose))


def joined(source: Source, reading: NumberColumns, parts: Parts) -> Moments | Summaries[Moments]:
    """Return the moments of all rows, with those of the folds if there are any."""
    known = [part for part in parts if part is not None]
    if not known:
        raise ValueError(
            f"{source.name!r} has no row with a value of the target {reading.target!r}; Moments require at least one."
        )
    if reading.folds is None:
        return known[0]
    if len(known) < len(parts):
        raise empty_fold(parts.index(None), len(parts), reading.target)
    total = sum(known[1:], start=known[0])
    return Summaries(total, tuple(known), Drawn(reading.folds, reading.target, reading.weight))


def sum_batches(
    source: Source, reading: NumberColumns, memory: int, threads: int, verbose: bool | None, start: int = 0
) -> Parts:
    """Sum the moments of all batches of a source, whose first row has number `start`."""
    rows = rows_of_batch(len(reading.names) + 1, memory, threads, reading.n_parts)
    batches = source.batches(reading.asked, batch_rows=rows)
    if reading.folds is not None:
        batches = reading.folds.hashed(batches, start)
    total: Parts = [None] * reading.n_parts
    with progress(source.n_rows(), "moments", verbose) as bar:
        for parts, n in _parts(source, reading, batches, threads):
            total = [add_all(pair) for pair in zip(total, parts)]
            bar.update(n)
    return total


def rows_of_batch(width: int, memory: int, threads: int, n_parts: int = 1) -> int:
    """Return the rows per batch, such that everything held at once stays within the allowed memory."""
    # For each fold the total and a part; the term between them, and the sum.
    fixed = (2 * n_parts + 2) * 8 * width * width
    if 8 * width * width > MOST_BYTES or fixed > memory:
        raise ValueError(
            f"Moments of {width - 1:,} columns require {max(fixed, 1) / 1e9:.2g} GB, but only "
            f"memory={memory / 1e9:.2g} GB is allowed; use fewer columns{' or folds' * (n_parts > 1)}, or increase "
            "memory."
        )
    wanted = min(max(BATCH_NUMBERS // width, ROWS_FOR_COLUMN * width), BATCH_ROWS)
    return int(np.clip((memory - fixed) // (batches_in_memory(threads) * 8 * width), LEAST_ROWS, wanted))


def _parts(source, reading: NumberColumns, batches, threads: int) -> Iterator[tuple[Parts, int]]:
    """Yield the moments of each batch, shifted by estimates from the first batch with a target."""
    ahead = iter(read_ahead(batches))
    shift: NDArray | None = None
    for batch in ahead:  # up to the first batch that has rows with a target
        rows = reading.rows(batch)
        if rows.num_rows:
            weight = None if reading.weight is None else weights_of(rows.column(reading.weight), reading.weight)
            total = float(rows.num_rows if weight is None else weight.sum())
            with limit_threads(1):  # as in `work_ahead`: threads that wait for each other are slow on a busy machine
                shift = _first_shift(reading, rows, weight, total)
        with limit_threads(1):
            first = _of_batch(source, reading, batch, shift)
        yield first, batch.num_rows
        if shift is not None:
            break

    def work(one):
        return _of_batch(source, reading, one, shift), one.num_rows

    yield from work_ahead(work, ahead, threads)


def _of_batch(source: Source, reading: NumberColumns, batch: pa.RecordBatch, shift: NDArray | None) -> Parts:
    """Return the centered second moments of the rows of a batch that have a target, for each fold."""
    return [_of_rows(source, reading, rows, shift) for rows in reading.parts(batch)]


def _of_rows(source: Source, reading: NumberColumns, batch: pa.RecordBatch, shift: NDArray | None) -> Moments | None:
    if not batch.num_rows or shift is None:
        return None
    weight = None if reading.weight is None else weights_of(batch.column(reading.weight), reading.weight)
    total = float(batch.num_rows if weight is None else weight.sum())
    mean, scatter = centered_sums(reading.numbers(batch), weight, total, shift, threads=1)
    if not np.isfinite(mean).all() or not np.isfinite(scatter).all():
        _refuse(source, reading, batch)
    return Moments(batch.num_rows, total, mean, scatter, reading.names)


def _first_shift(reading: NumberColumns, batch: pa.RecordBatch, weight, total: float) -> NDArray[np.float64]:
    """Return the values to subtract from columns before they are multiplied.

    These are the means of columns far from zero, and the values of constant columns, which then become exact zeros.
    """
    zero = np.zeros(len(reading.names) + 1)
    products = _core.column_products(reading.numbers(batch), zero, weight, 1)
    mean = products.first / total
    with np.errstate(invalid="ignore"):
        shift = np.where(np.diag(products.second) / total > 2 * mean**2, 0.0, mean)
    for j, values in enumerate(reading.arrays(batch)):
        if (values == values[0]).all():
            shift[j] = values[0]
    return np.where(np.isfinite(shift), shift, 0.0)


def find_levels(source: Source, columns: list[str], target: str) -> Levels:
    """Return the categories of columns in rows with a target, in increasing order; None is last if any is missing."""
    if not columns:
        return {}
    found: Levels = {name: [] for name in columns}
    for batch in read_ahead(source.batches([*columns, target])):
        rows = labeled_rows(batch, target)
        own: Levels = {}
        for name in columns:
            column = rows.column(name)
            values = (column.dictionary_decode() if hasattr(column, "dictionary") else column).unique().to_pylist()
            own[name] = [None if v is None else str(v) for v in values]
        found = add_levels([found, own])
    return found


def add_levels(parts: Sequence[Levels]) -> Levels:
    """Return the union of the levels of all parts."""
    found: Levels = {}
    for name in parts[0]:
        seen = {value for part in parts for value in part[name]}
        if len(seen) > MOST_LEVELS:
            raise ValueError(
                f"column {name!r} has more than {MOST_LEVELS:,} categories, each of which would become a column; "
                "leave it out, or merge rare categories first."
            )
        found[name] = [*sorted(v for v in seen if v is not None), *([None] if None in seen else [])]
    return found


def _level_codes(column: Any, levels: list[str | None]) -> NDArray[np.int64]:
    pa, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    column = column.dictionary_decode() if hasattr(column, "dictionary") else column
    found = compute.index_in(column.cast(pa.string()), pa.array(levels, pa.string()))
    return found.fill_null(-1).to_numpy()


def _refuse(source: Source, reading: NumberColumns, batch: pa.RecordBatch) -> None:
    """Raise for the first column with values that are not finite, with the number of such rows."""
    names = [*(n for n in reading.columns for _ in range(len(reading.levels.get(n, "1")))), reading.target]
    name = next((name for name, values in zip(names, reading.arrays(batch)) if not np.isfinite(values).all()), None)
    if name is None:
        raise ValueError("the sums of products of these columns overflow float64; scale the columns first.")
    asked = list(dict.fromkeys([name, reading.target]))
    n_missing = n_infinite = 0
    for batch in read_ahead(source.batches(asked)):
        values = numbers_of(labeled_rows(batch, reading.target).column(name), name)
        n_missing += int(np.isnan(values).sum())
        n_infinite += int(np.isinf(values).sum())
    what = f"{n_missing:,} missing value(s)" if n_missing else f"{n_infinite:,} infinite value(s)"
    raise ValueError(
        f"column {name!r} has {what}, but Moments require finite numbers; leave out the column or the rows (a query "
        "with WHERE), or fill in the values first."
    )
