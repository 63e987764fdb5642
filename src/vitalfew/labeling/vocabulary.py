"""Words of all documents and their document frequencies, within a memory limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.text.document_batches import add_documents
from vitalfew.data.text.word_presence import Terms

if TYPE_CHECKING:
    import pyarrow as pa

# Approximate memory of a counted word: its text, its count, and the copies made by merging. Each byte beyond the usual
# length takes several.
BYTES_A_WORD = 100
USUAL_LENGTH = 16
COPIES = 4
MIN_DOCUMENTS = 2


@dataclass(frozen=True)
class Vocabulary:
    """Words in column order, with the number of documents that contain each."""

    words: pa.Array
    counts: NDArray[np.int64]
    n_documents: int
    threads: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """Inverse document frequency, log((1 + n) / (1 + df)) + 1."""
        return np.log((1.0 + self.n_documents) / (1.0 + self.counts)) + 1.0

    @cached_property
    def _terms(self) -> Terms:
        return _as_terms(self.words)

    def rows(self, texts: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the words of each document as compressed sparse rows."""
        found = _core.WordRows(True, 1, 1, True, Terms.of([]).table(), self._terms.table(), self.threads)
        add_documents(found, texts)
        found.merge()
        return found.rows(np.arange(len(self), dtype=np.int32), len(self))

    def values(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the idf of each word, normalized to unit length per document."""
        return _core.unit_rows(indptr, indices, self.idf, self.threads)

    def presence(self, texts: pa.Array) -> sparse.csr_matrix:
        """Return the documents as 0/1 rows."""
        indptr, indices = self.rows(texts)
        return sparse.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1, len(self)))

    def weighted(self, presence: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return the same rows with idf weights, normalized to unit length."""
        indptr, indices = presence.indptr.astype(np.int64), presence.indices.astype(np.int32)
        return sparse.csr_matrix((self.values(indptr, indices), indices, indptr), shape=presence.shape)

    def most_frequent(self, n: int) -> Vocabulary:
        """Return the vocabulary without the rarest words, if there are more than n."""
        if len(self) <= n:
            return self
        kept = np.sort(np.argsort(-self.counts, kind="stable")[:n])
        return Vocabulary(self.words.take(kept), self.counts[kept], self.n_documents, self.threads)


@dataclass
class WordCounter:
    """Counter of document frequencies, in parts that are merged.

    Memory is bounded: when the known words take more bytes, those of a single document are dropped, then the rarest. A
    word that is dropped and seen again counts from then on, and `is_exact` records that this has happened.
    """

    memory: int
    threads: int = 0
    n_documents: int = 0
    is_exact: bool = True
    _known: pa.Table | None = None
    _part: _core.WordRows | None = field(default=None, repr=False)
    _part_bytes: int = 0

    def __post_init__(self) -> None:
        # In the worst case no word is repeated, and each takes some 8 times its own length.
        self._most_part_bytes = self.memory // 8

    def add(self, texts: pa.Array) -> None:
        """Count the words of more documents."""
        for some in slices_of(texts, self.memory // 8):
            self._add(some)

    def _add(self, texts: pa.Array) -> None:
        if self._part is None:
            self._part = _core.WordRows(True, 1, 1, False, Terms.of([]).table(), None, self.threads)
        add_documents(self._part, texts)
        self.n_documents += len(texts)
        self._part_bytes += texts.nbytes
        if self._part_bytes > self._most_part_bytes:
            self._merge()

    def finish(self) -> Vocabulary:
        """Return the words of two documents or more, in code point order."""
        compute = import_module("pyarrow.compute")
        self._merge()
        known = self._known
        assert known is not None
        known = known.filter(compute.greater_equal(known["count"], MIN_DOCUMENTS))
        if known.num_rows == 0:
            raise ValueError("no word occurs in two documents, so there are no features; check the text column.")
        known = known.sort_by("word").combine_chunks()
        words = known["word"].chunk(0) if hasattr(known["word"], "chunk") else known["word"]
        return Vocabulary(words, known["count"].to_numpy(), self.n_documents, self.threads)

    def _merge(self) -> None:
        pa = import_module("pyarrow")
        if self._part is None:
            part = pa.table({"word": pa.array([], pa.large_string()), "count": pa.array([], pa.int64())})
        else:
            self._part.merge()
            counts = self._part.counts()
            text, start = self._part.words(np.arange(len(counts), dtype=np.int32))
            buffers = [None, pa.py_buffer(start), pa.py_buffer(text)]
            words = pa.Array.from_buffers(pa.large_string(), len(counts), buffers)
            part = pa.table({"word": words, "count": counts})
            # Fewer and larger parts if words are repeated often, judging by the last part.
            fitting = self._part_bytes * self.memory // (2 * BYTES_A_WORD * max(len(counts), 1))
            self._most_part_bytes = min(max(fitting, self.memory // 8), self.memory // 2)
        self._part, self._part_bytes = None, 0
        if self._known is None:
            self._known = part
        elif part.num_rows:
            both = pa.concat_tables([self._known, part])
            total = both.group_by("word").aggregate([("count", "sum")])
            self._known = total.select(["word", "count_sum"]).rename_columns(["word", "count"])
        self._forget()

    def _forget(self) -> None:
        compute = import_module("pyarrow.compute")
        assert self._known is not None
        room = max(self.memory, 1000 * BYTES_A_WORD)
        if self._cost(self._known).sum() <= room:
            return
        self.is_exact = False
        self._known = self._known.filter(compute.greater(self._known["count"], 1))
        cost = self._cost(self._known)
        if cost.sum() > room // 2:
            # Among equally frequent words, the shorter ones are kept.
            order = np.lexsort((cost, -self._known["count"].to_numpy()))
            n_kept = int(np.searchsorted(np.cumsum(cost[order]), room // 2, side="right"))
            self._known = self._known.take(np.sort(order[:n_kept]))

    @staticmethod
    def _cost(known: pa.Table) -> NDArray[np.int64]:
        """Return the bytes that each word takes."""
        length = import_module("pyarrow.compute").binary_length(known["word"]).to_numpy()
        return BYTES_A_WORD + COPIES * np.maximum(length - USUAL_LENGTH, 0)


def slices_of(texts: pa.Array, most: int) -> Iterator[pa.Array]:
    """Yield slices of consecutive documents with at most `most` bytes in total; a longer document is alone."""
    if texts.nbytes <= most:
        yield texts
        return
    length = import_module("pyarrow.compute").binary_length(texts)
    end = np.cumsum(length.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64))
    start = 0
    while start < len(texts):
        before = int(end[start - 1]) if start else 0
        stop = max(int(np.searchsorted(end, before + most, side="right")), start + 1)
        yield texts.slice(start, stop - start)
        start = stop


def _as_terms(words: pa.Array) -> Terms:
    _, offsets, text = words.buffers()
    start = np.frombuffer(offsets, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
    held = np.frombuffer(text, dtype=np.uint8) if text is not None else np.zeros(0, dtype=np.uint8)
    return Terms(held[start[0] : start[-1]], start - start[0])
