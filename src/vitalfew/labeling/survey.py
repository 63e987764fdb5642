"""First pass over all documents: their words, and the labeled documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.labeling.documents import Documents
from vitalfew.labeling.vocabulary import Vocabulary, WordCounter
from vitalfew.support.progress import progress

if TYPE_CHECKING:
    import pyarrow as pa

# Minimum number of labeled documents kept per class if memory does not suffice for all; fewer if they are long.
MIN_KEPT = 100
# A label column with more classes than this is probably a key.
MOST_CLASSES = 1000
LONGEST_LABEL = 10_000
# Unlabeled documents used to evaluate EM.
N_SAMPLED = 10_000


@dataclass(frozen=True)
class Survey:
    """Summary of a table of documents after one pass."""

    vocabulary: Vocabulary
    texts: pa.ChunkedArray  # kept labeled documents
    others: pa.ChunkedArray  # a sample of the unlabeled documents
    code: NDArray[np.int32]  # classes of `texts`
    classes: pa.Array
    class_counts: NDArray[np.int64]  # over all labeled documents
    is_exact: bool  # whether all words were counted in all documents

    @property
    def n_documents(self) -> int:
        return self.vocabulary.n_documents

    @property
    def n_labeled(self) -> int:
        return int(self.class_counts.sum())

    @property
    def n_unlabeled(self) -> int:
        return self.n_documents - self.n_labeled


@dataclass
class LabeledStore:
    """Labeled documents within a memory limit: when it is exceeded, half of each larger class is dropped."""

    memory: int
    random_state: Any
    n_seen: dict[Any, int] = field(default_factory=dict)
    _texts: list[pa.Array] = field(default_factory=list)
    _labels: list[pa.Array] = field(default_factory=list)
    _n_bytes: int = 0
    _n_halvings: int = 0
    _least: int = MIN_KEPT

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.random_state)

    def add(self, texts: pa.Array, labels: pa.Array) -> None:
        """Add documents; those with a label are kept."""
        compute = import_module("pyarrow.compute")
        is_known = compute.is_valid(labels)
        texts, labels = texts.filter(is_known), labels.filter(is_known)
        if not len(labels):
            return
        for count in compute.value_counts(labels).to_pylist():
            length = len(count["values"]) if isinstance(count["values"], str) else 0
            if length > LONGEST_LABEL:
                raise ValueError(
                    f"labels must have at most {LONGEST_LABEL:,} characters, got {length:,}; specify a column of "
                    "classes."
                )
            self.n_seen[count["values"]] = self.n_seen.get(count["values"], 0) + count["counts"]
        if len(self.n_seen) > MOST_CLASSES:
            raise ValueError(f"the label has more than {MOST_CLASSES:,} distinct values; specify a column of classes.")
        if self._n_halvings:
            # Classes with few documents are kept entirely.
            rare = [self.n_seen[v] <= self._least for v in labels.to_pylist()]
            kept = np.flatnonzero(np.array(rare) | (self._rng.random(len(labels)) < 0.5**self._n_halvings))
            texts, labels = texts.take(kept), labels.take(kept)
        self._texts.append(texts)
        self._labels.append(labels)
        self._n_bytes += texts.nbytes + labels.nbytes
        while self._n_bytes > self.memory and self._least:
            if not self._halve():
                self._least //= 2

    def finish(self) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
        """Return texts and labels."""
        pa = import_module("pyarrow")
        return pa.chunked_array(self._texts), pa.chunked_array(self._labels)

    def _halve(self) -> bool:
        texts, labels = (part.combine_chunks() for part in self.finish())
        codes = labels.dictionary_encode().indices.to_numpy()
        chosen = self._rng.random(len(codes)) < 0.5
        for c in np.flatnonzero(np.bincount(codes) <= 2 * self._least):
            mine = np.flatnonzero(codes == c)
            chosen[mine] = False
            chosen[self._rng.permutation(mine)[: self._least]] = True
        if chosen.all():
            return False
        kept = np.flatnonzero(chosen)
        self._texts, self._labels = [texts.take(kept)], [labels.take(kept)]
        self._n_bytes = self._texts[0].nbytes + self._labels[0].nbytes
        self._n_halvings += 1
        return True


@dataclass
class Sample:
    """Random sample of up to `most` documents, and of fewer if they take more than `memory` bytes."""

    most: int
    memory: int
    random_state: Any
    _texts: list[pa.Array] = field(default_factory=list)
    _draws: list[NDArray[np.float64]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._below = 1.0

    def add(self, texts: pa.Array, is_asked: NDArray[np.bool_]) -> None:
        """Add the documents marked by `is_asked`: each draws a random number, and the smallest numbers are kept."""
        draw = self._rng.random(len(texts))
        kept = np.flatnonzero(is_asked & (draw < self._below))
        self._texts.append(texts.take(kept))
        self._draws.append(draw[kept])
        if sum(map(len, self._draws)) > 2 * self.most or sum(t.nbytes for t in self._texts) > self.memory:
            self._shrink()
            while self._texts[0].nbytes > self.memory and len(self._texts[0]) > 1:
                self._shrink()

    def _shrink(self) -> None:
        texts, draw = import_module("pyarrow").chunked_array(self._texts), np.concatenate(self._draws)
        n = min(self.most, len(draw))
        if texts.nbytes > self.memory:
            n = min(n, len(draw) // 2)
        kept = np.sort(np.argsort(draw)[:n])
        self._below = float(draw[kept].max(initial=0.0))
        self._texts, self._draws = [texts.take(kept).combine_chunks()], [draw[kept]]

    def finish(self) -> pa.ChunkedArray:
        """Return the sampled documents."""
        self._shrink()
        return import_module("pyarrow").chunked_array(self._texts)


def survey(documents: Documents, memory: int, random_state, threads: int, verbose: bool | None) -> Survey:
    """Read all documents once; half of `memory` is for words, the rest for labeled documents and a sample of others."""
    counter = WordCounter(memory // 2, threads)
    store = LabeledStore(memory // 4, random_state)
    sample = Sample(N_SAMPLED, memory // 8, random_state)
    compute = import_module("pyarrow.compute")
    with progress(documents.source.n_rows(), "reading all documents", verbose) as bar:
        for texts, labels in documents.everything():
            counter.add(texts)
            store.add(texts, labels)
            sample.add(texts, compute.is_null(labels).to_numpy(zero_copy_only=False))
            bar.update(len(texts))
    _check(documents, counter.n_documents, store.n_seen)
    vocabulary = counter.finish()
    texts, labels = store.finish()
    classes = import_module("pyarrow").array(sorted(store.n_seen), documents.label_type)
    code = compute.index_in(labels, classes).to_numpy().astype(np.int32)
    counts = np.array([store.n_seen[c] for c in classes.to_pylist()], dtype=np.int64)
    return Survey(vocabulary, texts, sample.finish(), code, classes, counts, counter.is_exact)


def _check(documents: Documents, n_documents: int, n_seen: dict[Any, int]) -> None:
    name, label = documents.source.name, documents.label
    if not n_documents:
        raise ValueError(f"{name!r} has no documents.")
    if not n_seen:
        raise ValueError(
            f"no document is labeled: column {label!r} is empty in all {n_documents:,} rows; label some of each class."
        )
    if len(n_seen) == 1:
        raise ValueError(
            f"all labeled documents have the same {label!r}, {next(iter(n_seen))!r}; label some of another class."
            + (
                ""
                if documents.marker is not None
                else " If a placeholder marks missing labels, specify it (--unlabeled)."
            )
        )
