"""Source protocol, and helpers for implementing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from vitalfew.exceptions import DataFileError
from vitalfew.support.suggest import check_names

if TYPE_CHECKING:
    import pyarrow as pa


# Rows per batch: enough to keep all threads busy, few enough that a batch of long documents fits in memory.
BATCH_ROWS = 65_536


# Approximate bytes per batch; large rows make batches shorter. Several batches are held at once.
BATCH_BYTES = 32 << 20


# Rows fetched at once if the length of their texts is unknown.
PIECE_ROWS = 512


@runtime_checkable
class Source(Protocol):
    """Rows that can be read repeatedly, in batches.

    Reading again yields the same rows, but not necessarily in the same order.
    """

    @property
    def name(self) -> str:
        """Name used in messages."""

    def schema(self) -> pa.Schema:
        """Return the names and types of the columns."""

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        known: str | None = None,
        missing: str | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches of the given columns, by default all.

        With `known`, only rows in which that column is not null are read; with `missing`, only those in which that
        column is null. The source skips the other rows and columns itself if it can.
        """

    def n_rows(self) -> int | None:
        """Return the number of rows, if known without reading them."""


def check_header(names: Sequence[str], source: str) -> None:
    """Check that column names are unique."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFileError(f"{source!r} has two columns named {name!r}; rename one of them.")
        seen.add(name)


def check_columns(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> None:
    """Check that every name is a column; suggest the closest column otherwise."""
    check_names([*(columns or ()), *(n for n in (known, missing) if n is not None)], schema.names)


def asked(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> list[str]:
    """Return all columns that must be read, each once."""
    names = schema.names if columns is None else columns
    return list(dict.fromkeys([*names, *(n for n in (known, missing) if n is not None)]))


def chosen(
    blocks: Iterable[pa.RecordBatch],
    columns: Sequence[str] | None,
    known: str | None,
    missing: str | None,
    batch_rows: int,
) -> Iterator[pa.RecordBatch]:
    """Yield the requested rows and columns of blocks, for sources that cannot filter rows themselves."""
    compute = import_module("pyarrow.compute")
    for block in blocks:
        if known is not None:
            block = block.filter(compute.is_valid(block.column(known)))
        if missing is not None:
            block = block.filter(compute.is_null(block.column(missing)))
        if columns is not None:
            block = block.select(list(columns))
        for start in range(0, block.num_rows, batch_rows):
            yield block.slice(start, batch_rows)


def row_bytes(schema: pa.Schema) -> int | None:
    """Return the bytes per row, or None if a column has values of variable length."""
    try:
        return sum(-(-kind.bit_width // 8) for kind in schema.types)
    except ValueError:
        return None


def piece_rows(schema: pa.Schema, batch_rows: int) -> int:
    """Return the number of rows to request from a source, such that a batch stays within `BATCH_BYTES`."""
    width = row_bytes(schema)
    return max(min(batch_rows, PIECE_ROWS if width is None else BATCH_BYTES // max(width, 1)), 1)


def joined(pieces: Iterable[pa.RecordBatch], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Combine small batches into batches of up to `batch_rows` rows and about `BATCH_BYTES` bytes."""
    held: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for piece in pieces:
        if held and (n_rows + piece.num_rows > batch_rows or n_bytes + piece.nbytes > BATCH_BYTES):
            yield _one_batch(held)
            held, n_rows, n_bytes = [], 0, 0
        held.append(piece)
        n_rows += piece.num_rows
        n_bytes += piece.nbytes
    if held:
        yield _one_batch(held)


def _one_batch(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pieces[0] if len(pieces) == 1 else import_module("pyarrow").concat_batches(pieces)
