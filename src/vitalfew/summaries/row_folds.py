"""Assignment of the rows of a source to folds, by a seeded hash of the row number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitalfew.summaries.arrow_columns import numbers_of

if TYPE_CHECKING:
    import pyarrow as pa

# Name of the column that carries the hash through filters of rows. Few sources can have such a name.
HASH = "\0row hash"
# Increment and multipliers of SplitMix64.
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = 2**64


@dataclass(frozen=True)
class RowFolds:
    """Folds of the rows of a source: row i, counted from 0 over all rows, is in fold ``hash(seed, i) % n_folds``.

    The hash is the output function of SplitMix64, so the fold of a row depends on nothing but its number.

    References
    ----------
    Steele, Lea & Flood (2014), doi:10.1145/2660193.2660195.
    """

    n_folds: int
    seed: int

    @classmethod
    def check(cls, folds, random_state) -> RowFolds:
        """Check the parameters of `summarize` and return the folds."""
        if isinstance(folds, bool) or not isinstance(folds, Integral) or folds < 2:
            raise ValueError(f"folds must be None or an integer >= 2, got {folds!r}.")
        is_seed = isinstance(random_state, Integral) and not isinstance(random_state, bool)
        if not is_seed or not 0 <= random_state < _WORD:
            raise ValueError(f"random_state must be an integer >= 0, from which folds are drawn, got {random_state!r}.")
        return cls(int(folds), int(random_state))

    def hashes(self, start: int, n: int) -> NDArray[np.uint64]:
        """Return the hashes of n rows, the first of which has number `start`."""
        origin = int(_mixed(np.array([self.seed], dtype=np.uint64))[0])
        first = (origin + (start + 1) * _STEP) % _WORD
        return _mixed(np.arange(n, dtype=np.uint64) * np.uint64(_STEP) + np.uint64(first))

    def of_rows(self, start: int, n: int) -> NDArray[np.int32]:
        """Return the folds of n rows, the first of which has number `start`."""
        return self._of_hashes(self.hashes(start, n))

    def of_batch(self, batch: pa.RecordBatch) -> NDArray[np.int32]:
        """Return the folds of the rows of a batch, from the column that `hashed` added."""
        return self._of_hashes(batch.column(HASH).to_numpy())

    def hashed(self, batches: Iterable[pa.RecordBatch], start: int = 0) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a source with the hash of each row as a further column."""
        pa = import_module("pyarrow")
        for batch in batches:
            yield batch.append_column(HASH, pa.array(self.hashes(start, batch.num_rows)))
            start += batch.num_rows

    def checksums(self, batch: pa.RecordBatch, columns: Iterable[str]) -> dict[str, int]:
        """Return a checksum of each column of numbers that depends on the order of rows; those of batches add up.

        It is the sum of ``hash * bits of the value`` modulo 2**64.
        """
        hashes = batch.column(HASH).to_numpy()
        bits = {name: numbers_of(batch.column(name), name).astype(np.float64).view(np.uint64) for name in columns}
        return {name: int(np.sum(hashes * own)) for name, own in bits.items()}

    def _of_hashes(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        return (hashes % np.uint64(self.n_folds)).astype(np.int32)


def add_checksums(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return the checksums of all parts together."""
    total: dict[str, int] = {}
    for part in parts:
        for name, value in part.items():
            total[name] = (total.get(name, 0) + value) % _WORD
    return total


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return z ^ (z >> np.uint64(31))
