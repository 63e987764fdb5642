"""Reading of Parquet rows in bounded memory, for row groups of any size and width."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

from vitalfew.data.sources.protocol import BATCH_BYTES, row_bytes

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes of a column that are fetched at once.
FETCHED = 1 << 16
# A column being read keeps a page, its dictionary and their compressed forms: about three times a typical page.
PAGES = 3 << 20
# Columns are read together only up to this total size of their pages.
MOST_PAGES = 128 << 20
# Maximum number of rows decoded at once; few rows are slow, since each call visits every column.
MOST_ROWS = 1 << 18
# Memory budget to which the limits of this module belong.
USUAL_BUDGET = 1 << 30
# Row groups up to this size are decoded whole, two at a time, which is faster than page by page.
MOST_GROUP = 128 << 20


def parquet_batches(
    fragment: Any, columns: Sequence[str], batch_rows: int, share: float = 1.0
) -> Iterator[pa.RecordBatch]:
    """Yield columns of the row groups of a fragment, at most `batch_rows` rows at a time.

    A dataset decodes whole row groups; if these are large, pages are read as rows are needed. If the pages of all
    columns would take too much memory, sets of columns are decoded one after another into temporary files, from which
    the rows are joined. A `share` below 1 lowers all limits, for budgets below the usual one.
    """
    parquet, dataset = import_module("pyarrow.parquet"), import_module("pyarrow.dataset")
    groups = [group.id for group in fragment.row_groups]
    if not groups:
        return
    if columns and _group_bytes(fragment, columns) <= MOST_GROUP * share:
        options = dataset.ParquetFragmentScanOptions(
            pre_buffer=False, use_buffered_stream=True, page_checksum_verification=True
        )
        own = fragment.physical_schema
        scanner = fragment.scanner(
            schema=own, columns=list(columns), batch_size=batch_rows, batch_readahead=2, fragment_scan_options=options
        )
        yield from scanner.to_batches()
        return
    rows = _fitting_rows(fragment, columns, BATCH_BYTES * share)
    # Read at least one column to get the number of rows.
    sets = _sets_of(fragment, list(columns) or fragment.physical_schema.names[:1], MOST_PAGES * share)
    with parquet.ParquetFile(
        fragment.path, pre_buffer=False, buffer_size=FETCHED, page_checksum_verification=True
    ) as file:
        if len(sets) == 1:
            decoded: Iterable[pa.RecordBatch] = file.iter_batches(rows, row_groups=groups, columns=sets[0])
        else:
            decoded = chain.from_iterable(_by_sets(file, group, sets, rows) for group in groups)
        for batch in decoded:
            yield from (batch.slice(start, batch_rows) for start in range(0, batch.num_rows, batch_rows))


def _group_bytes(fragment: Any, columns: Sequence[str]) -> float:
    """Return the decoded size of the largest row group; infinite if a column has values of variable length."""
    own = fragment.physical_schema
    width = row_bytes(import_module("pyarrow").schema([own.field(name) for name in columns]))
    largest = max(fragment.metadata.row_group(g).num_rows for g in range(fragment.metadata.num_row_groups))
    return math.inf if width is None else float(width) * largest


def _by_sets(file: Any, group: int, sets: list[list[str]], rows: int) -> Iterator[pa.RecordBatch]:
    pa = import_module("pyarrow")
    with ExitStack() as stack:
        readers = []
        for names in sets:
            held = stack.enter_context(tempfile.TemporaryFile(prefix="vitalfew-columns-"))
            batches = (batch.select(names) for batch in file.iter_batches(rows, row_groups=[group], columns=names))
            first = next(batches, None)
            if first is None:
                return
            with pa.ipc.new_stream(held, first.schema) as writer:
                writer.write_batch(first)
                for batch in batches:
                    writer.write_batch(batch)
            held.seek(0)
            readers.append(stack.enter_context(pa.ipc.open_stream(held)))
        names = [name for own in sets for name in own]
        for parts in zip(*readers, strict=True):
            yield pa.RecordBatch.from_arrays([column for part in parts for column in part.columns], names=names)


def _sets_of(fragment: Any, columns: list[str], most: float) -> list[list[str]]:
    """Split the columns into sets that are read together, of up to `most` bytes of pages."""
    places = _places(fragment.metadata)
    sets: list[list[str]] = [[]]
    held = 0
    largest = _largest(fragment.metadata, [j for name in columns for j in places.get(name, ())])
    for name in columns:
        own = sum(min(3 * largest[j], PAGES) for j in places.get(name, ()))
        if sets[-1] and held + own > most:
            sets.append([])
            held = 0
        sets[-1].append(name)
        held += own
    return sets


def _fitting_rows(fragment: Any, columns: Sequence[str], most: float) -> int:
    """Return a number of rows that take at most `most` bytes, estimated from the row group with the longest rows."""
    pa, own, found = import_module("pyarrow"), fragment.physical_schema, fragment.metadata
    widths = {name: row_bytes(pa.schema([own.field(name)])) for name in columns}
    places = _places(found)
    texts = [j for name, width in widths.items() if width is None for j in places.get(name, ())]
    longest = 0.0
    for g in range(found.num_row_groups) if texts else ():
        group = found.row_group(g)
        n_bytes = sum(group.column(j).total_uncompressed_size for j in texts)
        longest = max(longest, n_bytes / max(group.num_rows, 1))
    width = sum(width or 0 for width in widths.values()) + longest
    return max(min(MOST_ROWS, int(most / max(width, 1))), 1)


def _places(metadata: Any) -> dict[str, list[int]]:
    """Return the Parquet column indices of each column; a nested column has several."""
    found: dict[str, list[int]] = {}
    for j in range(metadata.num_columns):
        path = metadata.schema.column(j).path
        for name in {path, path.partition(".")[0]}:
            found.setdefault(name, []).append(j)
    return found


def _largest(metadata: Any, places: list[int]) -> dict[int, int]:
    """Return the sizes in bytes of columns in the largest row group."""
    sizes = [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)]
    group = metadata.row_group(sizes.index(max(sizes)))
    return {j: group.column(j).total_uncompressed_size for j in places}
