"""Bounded queue of record batches, exposed as a RecordBatchReader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from queue import Empty, Full, Queue
from threading import Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import pyarrow as pa

# Maximum number of batches in the queue.
WAITING = 2


class Handed:
    """Queue whose batches are `put` by the producer and read from `reader` by a consumer in another thread.

    When the context succeeds, the consumer has read everything. If the context ends with an error, the consumer gets
    an error instead of the end of the stream. An error of the consumer is raised by the next `put`, or at the end.
    """

    def __init__(self, schema: pa.Schema):
        self._queue: Queue[pa.RecordBatch | None] = Queue(WAITING)
        self._is_broken = False
        self._error: BaseException | None = None
        self._thread: Thread | None = None
        self.reader = import_module("pyarrow").RecordBatchReader.from_batches(schema, self._batches())

    def to(self, taker: Callable[[], object]) -> None:
        """Start the consumer of the reader in a thread."""

        def run() -> None:
            try:
                taker()
            except BaseException as error:
                self._error = error

        self._thread = Thread(target=run, name="vitalfew-writer", daemon=True)
        self._thread.start()

    def put(self, batch: pa.RecordBatch | None) -> None:
        """Add a batch; wait until the queue has room."""
        while self._thread is not None and self._thread.is_alive():
            try:
                return self._queue.put(batch, timeout=0.1)
            except Full:
                continue
        if self._error is not None:
            raise self._error
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._is_broken = error is not None
        try:
            if self._is_broken:
                self._end()
            else:
                self.put(None)
            if self._thread is not None:
                self._thread.join()
        except BaseException:
            self._is_broken = True
            raise
        finally:
            self._end()  # the consumer's threads may still wait for a batch after it failed
        if self._error is not None and not self._is_broken:
            raise self._error

    def _end(self) -> None:
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        self._queue.put(None)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        while (batch := self._queue.get()) is not None:
            yield batch
        if self._is_broken:
            raise RuntimeError("the source of the batches to write failed.")
