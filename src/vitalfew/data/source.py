"""One notion of where rows come from: frames, files, databases and clusters, all read as batches of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a batch: enough to keep all threads busy, little enough that a batch of long documents fits in memory.
BATCH_ROWS = 65_536


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
