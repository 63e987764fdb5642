"""`Counts` of partitions: each worker counts its partitions, and the counts are merged in a tree.

The sample from which bins of numbers are made is the one that a single pass over all rows in order would draw: each
partition continues the sequence of random numbers where the previous one ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.partition_source import PartitionSource
from vitalfew.data.tables.partitions import compute, merge_tree, on_each, worker_threads
from vitalfew.summaries.arrow_columns import counting_rows
from vitalfew.summaries.number_bins import RowSample
from vitalfew.summaries.row_folds import RowFolds, add_checksums
from vitalfew.summaries.stream_counts import CountsStream
from vitalfew.summaries.value_counts import ClassLabels, ColumnTally, encode_target, table_columns

if TYPE_CHECKING:
    import pyarrow as pa


# Smallest and largest value of each column.
Spans = dict[str, tuple[float, float]]
# Counts of the bins of each column.
Tables = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Form:
    """Specification of what is counted in a partition, and how."""

    target: str
    names: Sequence[str]
    weight: str | None
    numeric: str
    memory: int
    folds: RowFolds | None = None

    @property
    def columns(self) -> list[str]:
        return [*self.names, self.target, *([] if self.weight is None else [self.weight])]

    def stream(self, table: pa.Table, start: int = 0) -> PartCounts:
        """Return a stream that counts one partition, whose first row has number `start`, on its worker."""
        form = (self.target, self.names, self.weight, self.numeric, self.memory)
        return PartCounts(FrameSource(table), *form, worker_threads(), folds=self.folds, start=start)


@dataclass(frozen=True)
class PartitionTally:
    """Counts from one pass over partitions, and the number of labeled rows of each partition."""

    labels: ClassLabels
    label_count: dict[int, NDArray[np.float64]]
    columns: list[ColumnTally]
    n_labeled: list[int]
    n_folds: int
    sums: dict[str, int]


class PartCounts(CountsStream):
    """Counts of one partition, without a sample."""

    n_labeled = 0

    def _draw(self, _batch, label: NDArray[np.int32]) -> None:
        self.n_labeled += int(np.count_nonzero(label))


class PartitionedCounts(CountsStream):
    """Counts of a partitioned source; only merged results are fetched from the workers."""

    source: PartitionSource

    @property
    def form(self) -> Form:
        return Form(self.target, self.names, self.weight, self.numeric, self.memory, self.folds)

    @cached_property
    def starts(self) -> list[int]:
        """Number of the first row of each partition; zeros if there are no folds, which alone need row numbers."""
        n_partitions = len(self.source.tables([self.target]))
        return [0] * n_partitions if self.folds is None else self.source.starts(self.target)

    def _tally_rows(self, columns: list[ColumnTally], has_labels: bool) -> None:  # noqa: ARG002
        parts = on_each(_tally, self.source.tables(self.form.columns), self.starts, form=self.form)
        found = compute(merge_tree(parts, _merge_tallies))
        self.labels, self.label_count, self.columns = found.labels, found.label_count, found.columns
        self.numbers = [c for c in self.columns if c.kind == "numbers" and c.is_many]
        self.n_labeled, self.sums = found.n_labeled, found.sums

    def bin_numbers(self) -> None:
        if self.numbers:
            form = replace(self.form, names=[c.name for c in self.numbers])
            starts = np.concatenate([[0], np.cumsum(self.n_labeled)[:-1]]).tolist()
            parts = on_each(_sample, self.source.tables(form.columns), starts, form=form, labels=self.labels,
                            most=self.sample.most)  # fmt: skip
            self.sample, self.span = compute(merge_tree(parts, _merge_samples))
        super().bin_numbers()

    def _count_bins(self, names: list[str]) -> None:
        form = replace(self.form, names=names)
        parts = on_each(_count_bins, self.source.tables(form.columns), self.starts, form=form, bins=self.bins,
                        classes=self.classes)  # fmt: skip
        self.binned, self.sums_again = compute(merge_tree(parts, _add_tables))


def _tally(table: pa.Table, start: int, form: Form) -> PartitionTally:
    stream = form.stream(table, start)
    stream._tally_rows(stream.columns, has_labels=False)
    n_labeled = [stream.n_labeled]
    return PartitionTally(stream.labels, stream.label_count, stream.columns, n_labeled, stream.n_folds, stream.sums)


def _merge_tallies(parts: list[PartitionTally]) -> PartitionTally:
    """Merge tallies as if the rows of the parts had been read one after another."""
    columns = [replace(c, place={}, table=np.zeros((0, 0))) for c in parts[0].columns]
    sums = add_checksums(part.sums for part in parts)
    total = PartitionTally(ClassLabels(), {}, columns, [], parts[0].n_folds, sums)
    for part in parts:
        known = list(part.labels.place)
        places = np.array([0, *total.labels.places(known, "")], dtype=np.intp)
        for own, count in part.label_count.items():
            place = int(places[own])
            total.label_count[place] = total.label_count.get(place, 0.0) + count
        cells = table_columns(places, total.n_folds)
        for column, other in zip(total.columns, part.columns):
            if other.is_many:
                column.add(None, None, cells)
            elif other.place:
                lines = np.zeros((len(other.place), len(cells)))
                width = min(other.table.shape[1], len(cells))
                lines[:, :width] = other.table[: len(lines), :width]
                column.add(list(other.place), lines, cells)
        total.n_labeled.extend(part.n_labeled)
    return total


def _sample(table: pa.Table, start: int, form: Form, labels: ClassLabels, most: int) -> tuple[RowSample, Spans]:
    """Return the sampled rows of a partition that is preceded by `start` labeled rows."""
    stream = form.stream(table)
    stream.sample = RowSample(most)
    stream.sample.rng.bit_generator.advance(start)  # type: ignore[attr-defined]
    for batch in stream.source.batches(form.columns, batch_rows=stream.batch_rows):
        batch = counting_rows(batch, form.weight)
        values, label = encode_target(batch.column(form.target), form.target)
        places = np.array([0, *(labels.place[v] for v in values[1:])], dtype=np.int32)
        CountsStream._draw(stream, batch, places[label])
    return stream.sample, stream.span


def _merge_samples(parts: list[tuple[RowSample, Spans]]) -> tuple[RowSample, Spans]:
    samples, spans = zip(*parts)
    rows = [part for sample in samples for part in sample.parts]
    total = RowSample(samples[0].most, n_seen=sum(s.n_seen for s in samples), parts=rows)
    total.rows()  # drops the surplus rows
    names = {name: None for span in spans for name in span}
    low = {name: float(np.fmin.reduce([s[name][0] for s in spans if name in s])) for name in names}
    high = {name: float(np.fmax.reduce([s[name][1] for s in spans if name in s])) for name in names}
    return total, {name: (low[name], high[name]) for name in names}


def _count_bins(table: pa.Table, start: int, form: Form, bins: dict, classes: list) -> tuple[Tables, dict[str, int]]:
    stream = form.stream(table, start)
    stream.bins, stream.classes = bins, classes
    stream._count_bins(list(form.names))
    return stream.binned, stream.sums_again


def _add_tables(parts: list[tuple[Tables, dict[str, int]]]) -> tuple[Tables, dict[str, int]]:
    tables, sums = zip(*parts)
    return {name: np.sum([table[name] for table in tables], axis=0) for name in tables[0]}, add_checksums(sums)
