"""The models that may label documents; each is linear in the words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.families.mixture import Parameters, Rows, Sums
from vitalfew.families.semi_supervised import SemiSupervisedNaiveBayes
from vitalfew.labelling.vocabulary import Vocabulary


class LinearModel(NamedTuple):
    """log P(class | document) is `base` plus the lines of `table` for its words, times their weights if it has any."""

    table: NDArray[np.float64]
    base: NDArray[np.float64]
    is_weighted: bool


@dataclass(frozen=True)
class Labelled:
    """Labelled documents, as 0/1 rows and as unit rows of idf weights."""

    presence: sparse.csr_matrix
    weighted: sparse.csr_matrix
    code: NDArray[np.int32]
    n_classes: int

    @property
    def n_rows(self) -> int:
        return len(self.code)

    def take(self, rows: NDArray[np.intp]) -> Labelled:
        return Labelled(self.presence[rows], self.weighted[rows], self.code[rows], self.n_classes)


@dataclass(frozen=True)
class CountedRows:
    """Documents of which only the number that has each word is known; see `Rows`."""

    counts: NDArray[np.int64]
    n_rows: int

    @classmethod
    def others(cls, vocabulary: Vocabulary, labelled: Labelled) -> CountedRows:
        """All documents but the labelled ones."""
        own = np.bincount(labelled.presence.indices, minlength=len(vocabulary))
        return cls(np.maximum(vocabulary.counts - own, 0), vocabulary.n_documents - labelled.n_rows)

    def lines(self) -> NDArray[np.float64]:
        lines = np.empty(2 * len(self.counts))
        lines[0::2], lines[1::2] = self.n_rows - self.counts, self.counts
        return lines

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        raise NotImplementedError("the documents are not here, only how many have each word.")


@dataclass(frozen=True)
class Others:
    """What a model may know of documents without labels."""

    counted: CountedRows
    rows: Rows | None = None  # unit rows of idf weights


class Candidate(Protocol):
    """A way to learn a model."""

    name: str

    def fit(self, labelled: Labelled, others: Others, verbose: bool | None = False) -> LinearModel: ...


@dataclass(frozen=True)
class PresenceBayes:
    """Naive Bayes on which words are there; the prior mean of a word is its frequency in all documents."""

    name: str = "nb"
    n_jobs: int | None = None

    def fit(self, labelled: Labelled, others: Others, verbose: bool | None = False) -> LinearModel:
        model = SemiSupervisedNaiveBayes(
            events="presence", unlabeled_weight=0.0, guard=False, n_jobs=self.n_jobs, verbose=verbose
        )
        model.fit(labelled.presence, labelled.code, X_unlabeled=others.counted)
        return spread(model.classes_, *model.linear_form(), labelled.n_classes, is_weighted=False)


def spread(present: NDArray, table: NDArray, base: NDArray, n_classes: int, *, is_weighted: bool) -> LinearModel:
    """A model of the classes that were present, as one of all: the others are never chosen."""
    if len(present) == n_classes:
        return LinearModel(np.ascontiguousarray(table), np.ascontiguousarray(base), is_weighted)
    whole, start = np.zeros((len(table), n_classes)), np.full(n_classes, -np.inf)
    whole[:, present], start[present] = table, base
    return LinearModel(whole, start, is_weighted)
