"""Detection of duplicate keys while rows are read, in memory that does not grow with them."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

# Hashes kept in memory, 8 bytes each; beyond this, they are sorted and written to a temporary file.
MOST = 2**22
# Keys of up to this many bytes are hashed by NumPy, all rows at once; longer keys are hashed one by one.
SHORT = 64
# Duplicate hashes that are examined: among 5 million rows two keys share one with probability 1e-6.
SUSPECTS = 1000
_ODD = np.uint64(0x9E3779B97F4A7C15)


class KeyCheck:
    """Collector of a hash of the key of each row; keys with equal hashes are compared after all rows were read."""

    def __init__(self, columns: tuple[str, ...]):
        self.columns = columns
        self._weights = np.random.default_rng(0).integers(0, 2**64, SHORT, dtype=np.uint64)
        self._hashes: list[NDArray[np.uint64]] = []
        self._n_kept = 0
        self._runs: list[int] = []  # lengths of the sorted runs in the file
        self._file: IO[bytes] | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Add the keys of more rows; null keys are rejected."""
        compute = import_module("pyarrow.compute")
        for name in self.columns:
            if compute.any(compute.is_null(batch.column(name))).as_py():  # a union has no null count
                raise ValueError(
                    f"key column {name!r} has rows without a value, which cannot be identified; fill them in, or "
                    "specify another column (--key)."
                )
        self._hashes.append(self._hash(batch))
        self._n_kept += batch.num_rows
        if self._n_kept >= MOST:
            self._spill()

    def finish(self, again: Iterable[pa.RecordBatch]) -> None:
        """Reject duplicate keys; `again` reads the same rows once more and is used only if hashes are duplicated."""
        suspects = np.concatenate(list(self._twice()) or [np.empty(0, np.uint64)])[:SUSPECTS]
        if self._file is not None:
            self._file.close()
        if not len(suspects):
            return
        seen = set()
        for batch in again:
            rows = np.flatnonzero(np.isin(self._hash(batch), suspects))
            for key in batch.select(list(self.columns)).take(rows).to_pylist():
                values = tuple(key.values())
                if repr(values) in seen:
                    self._refuse(values)
                seen.add(repr(values))

    def _refuse(self, values: tuple) -> None:
        named = " and ".join(map(repr, self.columns))
        value = repr(values[0] if len(values) == 1 else values)
        shown = value if len(value) <= 100 else f"{value[:100]}…"
        raise ValueError(
            f"key {named} does not identify rows: {shown} occurs more than once; specify a column with unique "
            "values, or several columns that are unique together (--key)."
        )

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="vitalfew-keys-")  # noqa: SIM115
        run = np.sort(np.concatenate(self._hashes))
        self._file.write(run.tobytes())
        self._runs.append(len(run))
        self._hashes, self._n_kept = [], 0

    def _twice(self) -> Iterator[NDArray[np.uint64]]:
        """Yield the hashes that occur more than once: each part of their range is merged from all runs."""
        runs = [np.sort(np.concatenate(self._hashes))] if self._hashes else []
        if self._file is not None:
            self._file.flush()
            stored = np.memmap(self._file, dtype=np.uint64, mode="r")
            runs += np.split(stored, np.cumsum(self._runs)[:-1])
        edges = [2**64 * i // max(len(runs), 1) for i in range(1, len(runs))]
        cuts = [[0, *np.searchsorted(run, np.array(edges, dtype=np.uint64)), len(run)] for run in runs]
        for part in range(len(runs)):
            merged = np.sort(np.concatenate([run[cut[part] : cut[part + 1]] for run, cut in zip(runs, cuts)]))
            yield np.unique(merged[1:][merged[1:] == merged[:-1]])

    def _hash(self, batch: pa.RecordBatch) -> NDArray[np.uint64]:
        found = np.zeros(batch.num_rows, dtype=np.uint64)
        for name in self.columns:
            found = found * _ODD + self._hash_column(batch.column(name))
            found ^= found >> np.uint64(29)
        return found

    def _hash_column(self, column: pa.Array) -> NDArray[np.uint64]:
        start, data = _bytes_of(column)
        short = np.minimum(np.diff(start), SHORT)
        width = int(short[0]) if len(short) else 0
        if 0 < width < SHORT and (short == width).all():  # the same sums in a third of the time
            rows = data[start[0] : start[-1]].reshape(-1, width).astype(np.uint64) + np.uint64(1)
            return rows @ self._weights[:width]
        ends = np.cumsum(short)
        position = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - short, short)
        values = data[np.repeat(start[:-1], short) + position].astype(np.uint64) + np.uint64(1)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values * self._weights[position], dtype=np.uint64)])
        found = total[ends] - total[ends - short]
        for row in np.flatnonzero(np.diff(start) > SHORT):
            digest = hashlib.blake2b(data[start[row] : start[row + 1]], digest_size=8).digest()
            found[row] = int.from_bytes(digest, "little")
        return found


def _bytes_of(column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the offsets and bytes of a column, converted to text unless it holds bytes."""
    pa = import_module("pyarrow")
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        try:
            column = column.cast(pa.large_string())
        except pa.ArrowException:  # lists and the like, or fixed-width bytes that are not text
            column = pa.array(map(repr, column.to_pylist()), pa.large_string())
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    start = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return start, np.frombuffer(data if data is not None else b"", dtype=np.uint8)
