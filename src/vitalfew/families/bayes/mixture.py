"""Mixtures of classes fitted by the EM algorithm to a few labeled and many unlabeled samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.tables.blocks import BinaryBlock, Block
from vitalfew.families.bayes.evidence import Evidence, log_of, normalize, used_table
from vitalfew.summaries.counts import Counts
from vitalfew.support.progress import progress


class Parameters(NamedTuple):
    """Parameters of a mixture: log P(x, c) is `log_prior` plus the lines of `log_table` that the row has."""

    log_table: NDArray[np.float64]
    log_prior: NDArray[np.float64]


class Sums(NamedTuple):
    """Sufficient statistics for the M-step: the amount of each line, and the number of rows, in each class."""

    table: NDArray[np.float64]
    total: NDArray[np.float64]


class Rows(Protocol):
    """Rows of one kind of events, in memory or elsewhere."""

    @property
    def n_rows(self) -> int: ...

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        """Return the expected sums over the classes of unlabeled rows, and their log-likelihood."""

    def lines(self) -> NDArray[np.float64]:
        """Return the amount of each line in all rows together."""


class Model(Protocol):
    """Model of the rows of each class: the M-step and its prior."""

    def maximize(self, sums: Sums) -> Parameters:
        """Return the parameters with the largest posterior, given sums."""

    def log_density(self, parameters: Parameters) -> float:
        """Return the log density of the prior, up to a constant."""


@dataclass(frozen=True)
class PresenceRows:
    """Rows of discrete features: each value is present or absent."""

    block: Block
    threads: int = 0

    @property
    def n_rows(self) -> int:
        return self.block.n_rows

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        if isinstance(self.block, BinaryBlock):
            return self._expect_binary(self.block, parameters)
        score = self.score(parameters)
        peak = score.max(axis=1, keepdims=True)
        log_likelihood = float((peak[:, 0] + np.log(np.exp(score - peak).sum(axis=1))).sum())
        share = np.ascontiguousarray(normalize(score).T)
        table = np.column_stack([self.block.count(None, line, 1, self.threads)[:, 0] for line in share])
        return Sums(table, share.sum(axis=1)), log_likelihood

    def _expect_binary(self, block: BinaryBlock, parameters: Parameters) -> tuple[Sums, float]:
        absent, present = parameters.log_table[0::2], parameters.log_table[1::2]
        base = absent.sum(axis=0) + parameters.log_prior
        evidence = np.ascontiguousarray(present - absent)
        found = _core.expect_rows(block.indptr, block.indices, None, evidence, base, None, self.threads)
        count, total = found.count, found.total
        table = np.empty((2 * block.n_features, len(total)))
        table[0::2], table[1::2] = np.maximum(total - count, 0.0), count
        return Sums(table, total), found.log_likelihood

    def score(self, parameters: Parameters) -> NDArray[np.float64]:
        """Return log P(x, c) for each row and class."""
        return self.block.score(parameters.log_table, None, self.threads)[:, 0] + parameters.log_prior

    def lines(self) -> NDArray[np.float64]:
        return self._lines

    @cached_property
    def _lines(self) -> NDArray[np.float64]:
        return self.block.count(None, None, 1, self.threads)[:, 0]

    def sums(self, label: NDArray[np.int32], weight: NDArray[np.float64] | None, n_classes: int) -> Sums:
        """Return the sums of labeled rows."""
        table = self.block.count(label, weight, n_classes, self.threads)
        return Sums(table, np.bincount(label, weights=weight, minlength=n_classes).astype(float))

    def take(self, rows: NDArray[np.intp]) -> PresenceRows:
        return PresenceRows(self.block.take(rows), self.threads)


@dataclass(frozen=True)
class WeightRows:
    """Sparse rows with a weight for each word, such as its inverse document frequency."""

    X: sparse.csr_matrix
    threads: int = 0

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        table = np.ascontiguousarray(parameters.log_table)
        found = _core.expect_rows(*self.sparse_parts(), table, parameters.log_prior, None, self.threads)
        return Sums(found.count, found.total), found.log_likelihood

    def score(self, parameters: Parameters) -> NDArray[np.float64]:
        """Return log P(x, c) for each row and class, up to a term that all classes share."""
        return np.asarray(self.X @ parameters.log_table) + parameters.log_prior

    def lines(self) -> NDArray[np.float64]:
        return self._lines

    @cached_property
    def _lines(self) -> NDArray[np.float64]:
        return np.asarray(self.X.sum(axis=0)).ravel()

    def sums(self, label: NDArray[np.int32], weight: NDArray[np.float64] | None, n_classes: int) -> Sums:
        """Return the sums of labeled rows."""
        share = np.zeros((self.n_rows, n_classes))
        share[np.arange(self.n_rows), label] = 1.0 if weight is None else weight
        return Sums(np.asarray(self.X.T @ share), share.sum(axis=0))

    def take(self, rows: NDArray[np.intp]) -> WeightRows:
        return WeightRows(self.X[rows], self.threads)

    def sparse_parts(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return the starts of the rows, their words and the weights of these, as the kernels expect them."""
        return self.X.indptr.astype(np.int64, copy=False), self.X.indices.astype(np.int32, copy=False), self.X.data

    def restricted(self, support: NDArray[np.bool_]) -> WeightRows:
        """Return the rows without the words outside `support`, rescaled to their previous norm."""
        if support.all():
            return self
        X = self.X.copy()
        X.data[~support[X.indices]] = 0.0
        X.eliminate_zeros()
        before, after = (np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1)).ravel()) for Z in (self.X, X))
        X.data *= np.repeat(before / np.where(after > 0, after, 1.0), np.diff(X.indptr))
        return WeightRows(X, self.threads)


@dataclass(frozen=True)
class PresenceModel:
    r"""Model with features independent given the class: :math:`\theta_{v|c} = (N(v, c) + n' p_v) / (N(c) + n')`.

    `form` holds counts of the right shape; its `unlabeled` line determines the pooled prior mean.
    """

    form: Counts
    strength: float
    prior_mean: float | str
    support: NDArray[np.bool_]

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """Prior mean p of each value."""
        return Evidence(self.form, self.strength, self.prior_mean).prior_line

    def _evidence(self, sums: Sums) -> Evidence:
        # The pooled mean gives all rows weight one, however small the weight of unlabeled rows is here.
        rest = np.maximum(self.form.unlabeled - sums.table.sum(axis=1), 0.0)
        counts = self.form._replace(table=sums.table, class_count=sums.total, unlabeled=rest)
        return Evidence(counts, self.strength, self.prior_mean)

    def maximize(self, sums: Sums) -> Parameters:
        evidence = self._evidence(sums)
        return Parameters(used_table(evidence.log_table, self.form.n_values, self.support), evidence.log_prior)

    def log_density(self, parameters: Parameters) -> float:
        return float(self.strength * self.prior @ parameters.log_table.sum(axis=1))


@dataclass(frozen=True)
class WeightModel:
    r"""Model with a distribution over words for each class: :math:`\theta_{j|c} = (N(j, c) + s p_j) / (N(c) + s)`.

    Words outside the support are treated as absent; `pooled` is the amount of each word in all rows.
    """

    pooled: NDArray[np.float64]
    strength: float
    support: NDArray[np.bool_]

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """Prior mean p of each word."""
        used = np.where(self.support, self.pooled, 0.0)
        return used / max(used.sum(), 1e-300)

    def maximize(self, sums: Sums) -> Parameters:
        used = np.where(self.support[:, None], sums.table, 0.0)
        prior = self.prior
        total = used.sum(axis=0) + self.strength
        log_table = log_of((used + self.strength * prior[:, None]) / np.where(total > 0, total, 1.0))
        log_table[prior == 0] = 0.0  # a word that never occurred is no evidence
        return Parameters(log_table, log_of(sums.total / max(sums.total.sum(), 1e-300)))

    def log_density(self, parameters: Parameters) -> float:
        return float(self.strength * self.prior @ parameters.log_table.sum(axis=1))


@dataclass(frozen=True)
class Run:
    """Result of EM: the parameters, the last sums, and the objective after each step."""

    parameters: Parameters
    sums: Sums
    objective: list[float]


def run_em(
    model: Model,
    labeled: Sums,
    unlabeled: Rows | None,
    weight: float,
    *,
    start: Sums | None = None,
    max_iter: int = 50,
    tol: float = 1e-2,
    verbose: bool | None = False,
) -> Run:
    r"""Maximize the penalized log-likelihood by EM.

    .. math:: \sum_{i \in L} \log P(x_i, y_i) + \lambda \sum_{i \in U} \log \sum_c P(x_i, c) + \log P(\theta)

    EM starts from the parameters that `start` gives, by default those of the labeled rows, and stops after a step that
    gains less than `tol` per row.
    """
    if unlabeled is None or weight == 0 or unlabeled.n_rows == 0:
        parameters = model.maximize(labeled)
        return Run(parameters, labeled, [_height(model, labeled, parameters)])
    parameters, sums = model.maximize(labeled if start is None else start), labeled
    enough = tol * (labeled.total.sum() + weight * unlabeled.n_rows)
    objective: list[float] = []
    with progress(max_iter, "EM", verbose) as bar:
        for _ in range(max_iter):
            expected, log_likelihood = unlabeled.expect(parameters)
            objective.append(_height(model, labeled, parameters) + weight * log_likelihood)
            bar.update(1)
            sums = Sums(labeled.table + weight * expected.table, labeled.total + weight * expected.total)
            if len(objective) > 1 and objective[-1] - objective[-2] < enough:
                return Run(parameters, sums, objective)
            parameters = model.maximize(sums)
    return Run(parameters, sums, objective)


def _height(model: Model, labeled: Sums, parameters: Parameters) -> float:
    """Return the log-likelihood of the labeled rows, plus the log prior of the parameters."""
    log_likelihood = np.vdot(labeled.table, parameters.log_table) + labeled.total @ parameters.log_prior
    return float(log_likelihood) + model.log_density(parameters)
