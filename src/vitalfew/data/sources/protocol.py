"""The Source protocol, and helpers for those who write one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from vitalfew.exceptions import DataFileError
from vitalfew.support.suggest import check_names

if TYPE_CHECKING:
    import pyarrow as pa


# Rows of a batch: enough to keep all threads busy, little enough that a batch of long documents fits in memory.
BATCH_ROWS = 65_536


# Bytes of a batch, about: where rows are large it has fewer of them. Several batches are held at once.
BATCH_BYTES = 32 << 20


# Rows that are fetched at once where nobody knows how long their texts are.
PIECE_ROWS = 512


@runtime_checkable
class Source(Protocol):
    """Rows that can be read any number of times, a batch at a time.

    Reading again gives the same rows; their order need not be the same.
    """

    @property
    def name(self) -> str:
        """What messages call it."""

    def schema(self) -> pa.Schema:
        """Names and types of the columns."""

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        known: str | None = None,
        missing: str | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """These columns (all by default) of all rows, or of those in which column `known` is not null, or `missing` is
        null; the source leaves out what is not asked for itself where it can."""

    def n_rows(self) -> int | None:
        """The number of rows where the source knows it without reading them."""


def check_header(names: Sequence[str], source: str) -> None:
    """Every column needs a name of its own."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFileError(f"{source!r} has two columns named {name!r}; rename one of them.")
        seen.add(name)


def check_columns(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> None:
    """Every name must be a column; otherwise the closest one is suggested."""
    check_names([*(columns or ()), *(n for n in (known, missing) if n is not None)], schema.names)


def asked(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> list[str]:
    """All columns that have to be read, each once."""
    names = schema.names if columns is None else columns
    return list(dict.fromkeys([*names, *(n for n in (known, missing) if n is not None)]))


def chosen(
    blocks: Iterable[pa.RecordBatch],
    columns: Sequence[str] | None,
    known: str | None,
    missing: str | None,
    batch_rows: int,
) -> Iterator[pa.RecordBatch]:
    """What is asked for of blocks that hold it: for sources that cannot leave out rows themselves."""
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
    """Bytes of a row; None where a column holds values of any length."""
    try:
        return sum(-(-kind.bit_width // 8) for kind in schema.types)
    except ValueError:
        return None


def piece_rows(schema: pa.Schema, batch_rows: int) -> int:
    """Rows to ask of a source that counts a batch by rows, so that it stays within `BATCH_BYTES`."""
    width = row_bytes(schema)
    return max(min(batch_rows, PIECE_ROWS if width is None else BATCH_BYTES // max(width, 1)), 1)


def joined(pieces: Iterable[pa.RecordBatch], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of up to `batch_rows` rows and about `BATCH_BYTES` bytes, made of smaller ones."""
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
