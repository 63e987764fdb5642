"""Candidate models for labeling documents; each is linear in the words."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.exceptions import SeparationWarning
from vitalfew.families.bayes.evidence import log_of
from vitalfew.families.bayes.mixture import Parameters, Rows, Sums
from vitalfew.families.bayes.semi_supervised import SemiSupervisedNaiveBayes
from vitalfew.families.bayes.unlabeled_weight import USUAL
from vitalfew.families.linear.logistic import LogisticRegression
from vitalfew.labeling.vocabulary import Vocabulary
from vitalfew.support.threads import limit_threads

# Up to this many labeled documents, a squared penalty is solved in the span of the rows.
MOST_REDUCED = 2000
# EM stops at a step that gains less than this, in nats per document: labels hardly change afterwards.
EM_TOL = 1e-3


class LinearModel(NamedTuple):
    """Model of log P(class | document): `base` plus the rows of `table` for its words, times their weights, if any."""

    table: NDArray[np.float64]
    base: NDArray[np.float64]
    is_weighted: bool

    def predict(self, labeled: LabeledDocuments) -> NDArray[np.intp]:
        """Return the most probable class of each document."""
        rows = labeled.weighted if self.is_weighted else labeled.presence
        return (np.asarray(rows @ self.table) + self.base).argmax(axis=1)


@dataclass(frozen=True)
class LabeledDocuments:
    """Labeled documents, as 0/1 rows and as unit rows of idf weights."""

    presence: sparse.csr_matrix
    weighted: sparse.csr_matrix
    code: NDArray[np.int32]
    n_classes: int

    @property
    def n_rows(self) -> int:
        return len(self.code)

    def take(self, rows: NDArray[np.intp]) -> LabeledDocuments:
        return LabeledDocuments(self.presence[rows], self.weighted[rows], self.code[rows], self.n_classes)


@dataclass(frozen=True)
class CountedRows:
    """Documents of which only the document frequency of each word is known; see `Rows`."""

    counts: NDArray[np.int64]
    n_rows: int

    @classmethod
    def others(cls, vocabulary: Vocabulary, labeled: LabeledDocuments) -> CountedRows:
        """Return all documents except the labeled ones."""
        own = np.bincount(labeled.presence.indices, minlength=len(vocabulary))
        return cls(np.maximum(vocabulary.counts - own, 0), vocabulary.n_documents - labeled.n_rows)

    def lines(self) -> NDArray[np.float64]:
        lines = np.empty(2 * len(self.counts))
        lines[0::2], lines[1::2] = self.n_rows - self.counts, self.counts
        return lines

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        raise NotImplementedError("only the word counts are available, not the documents.")


@dataclass(frozen=True)
class Others:
    """Information about the unlabeled documents that a model may use."""

    counted: CountedRows
    rows: Rows | None = None  # unit rows of idf weights


@dataclass(frozen=True)
class Candidate(ABC):
    """A way to learn a model, with a hyperparameter chosen from a grid that begins with the default value."""

    n_jobs: int | None = None
    verbose: bool | None = False

    name: ClassVar[str]
    grid: ClassVar[tuple[float, ...]] = (1.0,)
    needs_documents: ClassVar[bool] = False  # all unlabeled documents, not only the document frequencies

    @abstractmethod
    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        """Yield the models at these values of the hyperparameter."""


class PresenceBayes(Candidate):
    r"""Naive Bayes on word presence; the prior mean p of a word is its frequency in all documents.

    The hyperparameter a is the weight of the prior, as a number of documents with the word:
    θ = (N(word, c) + a) / (N(c) + a / p), so that a word seen once does not decide, however rare it is. With a = 0 the
    prior is worth the same number of documents, with or without the word, for all words, as in
    :class:`~vitalfew.NaiveBayes`.
    """

    name = "nb"
    grid = (0.0, 0.1, 1.0, 3.0)

    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        for worth in grid:
            if worth == 0:
                yield _bayes(labeled, labeled.presence, others.counted, 0.0, "presence", self.n_jobs)
            else:
                yield _occurrence_bayes(labeled, others.counted, worth)


class WeightedBayes(Candidate):
    """Naive Bayes on words with idf weights, where a class is a distribution over words."""

    name = "nb-idf"
    needs_documents = True

    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        for _ in grid:
            yield _bayes(labeled, labeled.weighted, others.rows, 0.0, "weights", self.n_jobs)


class ExpectationMaximization(Candidate):
    """Naive Bayes on idf weights, fitted by EM with unlabeled documents; their weight is the hyperparameter."""

    name = "em"
    needs_documents = True
    grid = (USUAL, 0.03)

    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        for weight in grid:
            yield _bayes(labeled, labeled.weighted, others.rows, weight, "weights", self.n_jobs, self.verbose)


class RidgeLogistic(Candidate):
    """Logistic regression with a squared penalty on idf weights; the hyperparameter is the penalty on the total loss.

    It has no intercept: a new document shares few words with the training documents, so an intercept would dominate.
    """

    name = "logistic-l2"
    grid = (0.01, 1.0, 0.1, 0.001)

    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        del others
        X, n = labeled.weighted, labeled.n_rows
        alphas = np.array(grid) / n
        if n > MOST_REDUCED:
            yield from _logistic_models(labeled, X, alphas, lambda coef: coef.T, "l2", self.n_jobs)
            return
        # The coefficients lie in the span of the rows: in a basis of that span, the same problem has n columns.
        with limit_threads(_blas_threads(n)):
            value, vector = np.linalg.eigh((X @ X.T).toarray())
        used = value > 1e-10 * max(value[-1], 1e-300)
        value, vector = value[used], vector[:, used]
        turned = np.asfortranarray(vector * np.sqrt(value))

        def back(coef: NDArray) -> NDArray:
            return np.asarray(X.T @ (vector / np.sqrt(value) @ coef.T))

        yield from _logistic_models(labeled, turned, alphas, back, "l2", self.n_jobs)


class LassoLogistic(Candidate):
    """Logistic regression on few words; the hyperparameter is the penalty relative to the one that selects none."""

    name = "logistic-l1"
    grid = (0.06, 0.5, 0.25, 0.12, 0.03)

    def models(self, labeled: LabeledDocuments, others: Others, grid: Sequence[float]) -> Iterator[LinearModel]:
        del others
        words = np.unique(labeled.weighted.indices)
        X = labeled.weighted[:, words]
        present = np.unique(labeled.code)
        own = (labeled.code[:, None] == present).astype(float)
        slope = np.abs(X.T @ (own - 1.0 / len(present))).max(initial=0.0) / labeled.n_rows
        alphas = np.array(grid) * max(slope, 1e-12)

        def back(coef: NDArray) -> NDArray:
            table = np.zeros((labeled.weighted.shape[1], len(coef)))
            table[words] = coef.T
            return table

        yield from _logistic_models(labeled, X, alphas, back, "l1", self.n_jobs)


CANDIDATES: tuple[type[Candidate], ...] = (
    ExpectationMaximization,
    RidgeLogistic,
    WeightedBayes,
    PresenceBayes,
    LassoLogistic,
)


def _bayes(
    labeled: LabeledDocuments, X, others, weight: float, events: str, n_jobs, verbose: bool | None = False
) -> LinearModel:
    model = SemiSupervisedNaiveBayes(
        events=events, unlabeled_weight=weight, guard=False, tol=EM_TOL, n_jobs=n_jobs, verbose=verbose
    )
    model.fit(X, labeled.code, X_unlabeled=others)
    table, base = model.linear_form()
    return _spread(model.classes_, table, base, labeled.n_classes, events == "weights")


def _occurrence_bayes(labeled: LabeledDocuments, others: CountedRows, worth: float) -> LinearModel:
    own = (labeled.code[:, None] == np.arange(labeled.n_classes)).astype(float)
    count, total = np.asarray(labeled.presence.T @ own), own.sum(axis=0)
    everywhere = count.sum(axis=1) + others.counts
    n_documents = labeled.n_rows + others.n_rows
    # A word that occurs in all documents, or in none, is uninformative.
    frequency = np.clip(everywhere / n_documents, 0.5 / n_documents, 1 - 0.5 / n_documents)[:, None]
    theta = (count + worth) / (total + worth / frequency)
    present, absent = np.log(theta), np.log1p(-theta)
    return LinearModel(present - absent, absent.sum(axis=0) + log_of(total / labeled.n_rows), False)


def _logistic_models(
    labeled: LabeledDocuments, X, alphas: NDArray, back: Callable[[NDArray], NDArray], penalty: str, n_jobs
) -> Iterator[LinearModel]:
    """Yield the models of a path; `back` maps coefficients to a table of words by outputs."""
    model = LogisticRegression(
        float(alphas.min()),
        grid=alphas,
        penalty=penalty,
        fit_intercept=False,
        standardize=False,
        n_jobs=n_jobs,
        verbose=False,
    )
    with limit_threads(_blas_threads(labeled.n_rows)), warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # few documents are separable by their many words
        model.fit(X, labeled.code)
    for alpha in alphas:
        coef, _ = model.path_.at(int(np.argmin(np.abs(model.path_.grid - alpha))))
        table = back(coef)
        if table.shape[1] == 1:  # two classes share one set of coefficients: log odds of the second
            table = np.column_stack([-0.5 * table, 0.5 * table])
        yield _spread(model.classes_, table, np.zeros(table.shape[1]), labeled.n_classes, True)


def _blas_threads(n_rows: int) -> int:
    """Return the number of BLAS threads: threads do not pay off for matrices of few rows; 0 means all."""
    return 1 if n_rows <= 500 else 0


def _spread(present: NDArray, table: NDArray, base: NDArray, n_classes: int, is_weighted: bool) -> LinearModel:
    """Extend a model of the classes present to all classes; the others are never predicted."""
    if len(present) == n_classes:
        return LinearModel(np.ascontiguousarray(table), np.ascontiguousarray(base), is_weighted)
    whole, start = np.zeros((len(table), n_classes)), np.full(n_classes, -np.inf)
    whole[:, present], start[present] = table, base
    return LinearModel(whole, start, is_weighted)
