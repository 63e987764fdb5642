"""`Moments` of partitions: each worker computes products, which are merged in a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.partition_source import PartitionSource
from vitalfew.data.tables.partitions import add_all, compute, merge_tree, on_each, worker_threads
from vitalfew.summaries.arrow_columns import kind_of
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.summaries.row_folds import RowFolds
from vitalfew.summaries.stream_moments import Levels, NumberColumns, Parts, add_levels, find_levels, joined, sum_batches
from vitalfew.support.threads import limit_threads

if TYPE_CHECKING:
    import pyarrow as pa


def partitioned_moments(
    source: PartitionSource,
    target: str,
    columns: Sequence[str],
    weight: str | None,
    memory: int,
    folds: RowFolds | None,
) -> Moments | Summaries[Moments]:
    """Compute the moments of all partitions, after finding the levels of categorical columns."""
    schema = source.schema()
    words = [name for name in columns if kind_of(schema.field(name)) == "words"]
    levels: Levels = {}
    if words:
        parts = on_each(_levels, source.tables([*words, target]), columns=words, target=target)
        levels = compute(merge_tree(parts, add_levels))
    reading = NumberColumns(columns, target, weight, levels, folds)
    tables = source.tables(reading.asked)
    starts = [0] * len(tables) if folds is None else source.starts(target)
    parts = on_each(_moments, tables, starts, reading=reading, memory=memory)
    return joined(source, reading, compute(merge_tree(parts, _add_parts)))


def _levels(table: pa.Table, columns: list[str], target: str) -> Levels:
    return find_levels(FrameSource(table), columns, target)


def _moments(table: pa.Table, start: int, reading: NumberColumns, memory: int) -> Parts:
    threads = worker_threads()
    with limit_threads(threads):
        return sum_batches(FrameSource(table), reading, memory, threads, False, start)


def _add_parts(found: list[Parts]) -> Parts:
    return [add_all(of_fold) for of_fold in zip(*found)]
