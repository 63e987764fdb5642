"""Documents for EM within a memory limit; the rest is kept in a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.families.bayes.mixture import Parameters, Sums
from vitalfew.labeling.vocabulary import Vocabulary

# Words of a chunk: enough that adding up its sums costs little compared to computing them.
CHUNK_WORDS = 4_000_000


class _Held(NamedTuple):
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]


class _Filed(NamedTuple):
    place: int
    n_starts: int
    n_words: int


class StreamedRows:
    """Unit rows of idf weights for any number of documents; see `vitalfew.families.bayes.mixture.Rows`.

    Only word indices are stored, four bytes each: up to `memory` bytes in memory and the rest in an unnamed temporary
    file, which disappears with the process, however it ends. Weights are computed when a chunk is used.
    """

    def __init__(self, vocabulary: Vocabulary, memory: int, chunk_words: int = CHUNK_WORDS):
        self.vocabulary, self.memory = vocabulary, memory
        # Each chunk requires a pass over the sums of all words.
        self.chunk_words = max(chunk_words, 2 * len(vocabulary)) if chunk_words == CHUNK_WORDS else chunk_words
        self.n_rows = 0
        self._lines = np.zeros(len(vocabulary))
        self._pending: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self._n_pending = 0
        self._chunks: list[_Held | _Filed] = []
        self._held = 0
        self._file: IO[bytes] | None = None

    def __enter__(self) -> StreamedRows:
        return self

    def __exit__(self, *_) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
        """Add documents, given the words of each."""
        self.n_rows += len(indptr) - 1
        self._pending.append((indptr, indices))
        self._n_pending += len(indices)
        if self._n_pending >= self.chunk_words:
            self.seal()

    def seal(self) -> None:
        """Make a chunk of the pending documents."""
        if not self._pending:
            return
        indices = np.concatenate([words for _, words in self._pending])
        lengths = np.concatenate([np.diff(starts) for starts, _ in self._pending])
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self._pending, self._n_pending = [], 0
        values = self.vocabulary.values(indptr, indices)
        self._lines += np.bincount(indices, weights=values, minlength=len(self._lines))
        if self._held + indptr.nbytes + indices.nbytes <= self.memory:
            self._held += indptr.nbytes + indices.nbytes
            self._chunks.append(_Held(indptr, indices))
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="vitalfew-words-")  # noqa: SIM115
        self._chunks.append(_Filed(self._file.seek(0, 2), len(indptr), len(indices)))
        self._file.write(indptr.data)
        self._file.write(indices.data)

    def lines(self) -> NDArray[np.float64]:
        """Return the total weight of each word over all documents."""
        self.seal()
        return self._lines

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        """Compute the expected sums per class, and the log-likelihood."""
        table, base = np.ascontiguousarray(parameters.log_table), parameters.log_prior
        count, total, height = np.zeros_like(table), np.zeros(len(base)), 0.0
        for indptr, indices in self._each():
            values = self.vocabulary.values(indptr, indices)
            found = _core.expect_rows(indptr, indices, values, table, base, None, self.vocabulary.threads)
            count += found.count
            total += found.total
            height += found.log_likelihood
        return Sums(count, total), height

    def _each(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        self.seal()
        for chunk in self._chunks:
            if isinstance(chunk, _Held):
                yield chunk
                continue
            assert self._file is not None
            self._file.seek(chunk.place)
            indptr = np.frombuffer(self._file.read(8 * chunk.n_starts), dtype=np.int64)
            yield indptr, np.frombuffer(self._file.read(4 * chunk.n_words), dtype=np.int32)
