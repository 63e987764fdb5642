"""Partitioned text: workers count words, which are merged in a tree, and build rows, which stay on the workers."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from vitalfew.data.tables.partitions import compute, merge_tree, on_each, partitions_of, worker_threads

if TYPE_CHECKING:
    from vitalfew.data.text.word_presence import Terms, WordPresence


@dataclass(frozen=True)
class WordCounts:
    """Words as UTF-8 in code point order, each with its number of documents, and the total number of documents.

    It has the same interface as ``_core.WordRows``, which also holds the rows.
    """

    text: NDArray[np.uint8]
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    n_documents: int

    def counts(self) -> NDArray[np.int64]:
        return self.count

    def words(self, columns: NDArray[np.int32]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the words of the given columns: bytes, and the start of each word."""
        length = np.diff(self.start)[columns]
        start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        taken = np.repeat(self.start[columns] - start[:-1], length) + np.arange(start[-1])
        return self.text[taken], start


def count_words(presence: WordPresence, documents, vocabulary: Terms | None) -> WordCounts:
    """Count the words of all partitions: those of the vocabulary if given, otherwise all."""
    parts = on_each(_count, partitions_of(documents), presence=clone(presence), vocabulary=vocabulary)
    return compute(merge_tree(parts, _merge if vocabulary is None else _add))


def word_rows(presence: WordPresence, documents) -> Any:
    """Return the matrix of all documents as a Dask array of sparse blocks, one per partition."""
    import dask.array as da

    like = presence.transform([])
    parts = on_each(_transform, partitions_of(documents), presence=presence)
    # The number of documents in a partition is unknown before it is read.
    blocks = [da.from_delayed(part, (np.nan, like.shape[1]), meta=like) for part in parts]
    return da.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)


def _count(documents, presence: WordPresence, vocabulary: Terms | None) -> WordCounts:
    rows = _on_worker(presence)._read(documents, vocabulary, keep_rows=False)
    counts = rows.counts()
    everything = np.arange(len(counts), dtype=np.int32)
    text, start = rows.words(everything) if vocabulary is None else vocabulary.arrays
    return WordCounts(text, start, counts, rows.n_documents)


def _add(parts: list[WordCounts]) -> WordCounts:
    """Add counts of the same words."""
    first = parts[0]
    count = np.sum([part.count for part in parts], axis=0)
    return WordCounts(first.text, first.start, count, sum(part.n_documents for part in parts))


def _merge(parts: list[WordCounts]) -> WordCounts:
    """Merge the word counts of several parts; UTF-8 bytes sort in code point order."""
    import pyarrow as pa

    words = pa.chunked_array([_as_arrow(part) for part in parts], pa.large_binary())
    counts = pa.chunked_array([pa.array(part.count) for part in parts], pa.int64())
    table = pa.table({"word": words, "n": counts}).group_by("word", use_threads=False).aggregate([("n", "sum")])
    table = table.sort_by("word")
    merged = pa.concat_arrays([pa.array([], pa.large_binary()), *table["word"].chunks])
    _, start, text = merged.buffers()
    begin = np.frombuffer(start, dtype=np.int64)[: len(merged) + 1] if len(merged) else np.zeros(1, np.int64)
    held = np.zeros(0, np.uint8) if text is None else np.frombuffer(text, dtype=np.uint8)[: begin[-1]]
    return WordCounts(held, begin, table["n_sum"].to_numpy(), sum(part.n_documents for part in parts))


def _as_arrow(part: WordCounts):
    import pyarrow as pa

    n = len(part.count)
    buffers = [None, pa.py_buffer(np.ascontiguousarray(part.start)), pa.py_buffer(np.ascontiguousarray(part.text))]
    return pa.Array.from_buffers(pa.large_binary(), n, buffers)


def _transform(documents, presence: WordPresence) -> sparse.csr_matrix:
    return _on_worker(presence).transform(documents)


def _on_worker(presence: WordPresence) -> WordPresence:
    """Return a copy that uses the worker's threads and shows no progress bar."""
    own = copy(presence)
    own.n_jobs, own.verbose = worker_threads(), False
    return own
