"""Parameters of Naive Bayes from counts: class priors and log P(value | class), with their prior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from vitalfew.summaries.counts import Counts

# Stands for log 0: a value never seen in a class when there is no prior.
LOG_ZERO = -690.0


@dataclass(frozen=True)
class Evidence:
    r"""Naive Bayes parameters for one set of counts.

    :math:`\theta_{v \mid c} = (N(v, c) + n' p_v) / (N(c) + n')`, where p is the prior mean and n' its strength in rows.
    A value that never occurred is no evidence for any class.
    """

    counts: Counts
    prior_strength: float
    prior_mean: float | str

    @cached_property
    def prior_line(self) -> NDArray[np.float64]:
        """p of each slot."""
        counts = self.counts
        if self.prior_mean == "pooled":
            line = counts.table.sum(axis=1) + counts.unlabeled
            total = np.add.reduceat(line, counts.offsets[:-1])
            return line / np.repeat(np.where(total > 0, total, 1.0), counts.n_values)
        if self.prior_mean == "uniform":
            return np.repeat(1.0 / counts.n_values, counts.n_values)
        line = np.full(len(counts.table), float(self.prior_mean))
        line[counts.offsets[:-1]] = 1.0 - float(self.prior_mean)
        return line

    @cached_property
    def log_prior(self) -> NDArray[np.float64]:
        return log_of(self.counts.class_count / max(self.counts.n, 1e-300))

    @cached_property
    def log_table(self) -> NDArray[np.float64]:
        return self._log_theta(self.counts.table, self.counts.observed, self.prior_line)

    def _log_theta(self, table, observed, prior) -> NDArray[np.float64]:
        """log theta from counts (slots, classes), rows in which the feature is known (features, classes), and p."""
        n_values = self.counts.n_values
        strength = self.prior_strength
        total = np.repeat(observed + strength, n_values, axis=0)
        theta = (table + strength * prior[:, None]) / np.where(total > 0, total, 1.0)
        log_theta = log_of(theta)
        known = table.any(axis=1)
        if self.prior_mean == "pooled":
            known |= prior > 0
        else:
            known |= strength > 0
        log_theta[~known] = 0.0
        if strength == 0:  # a class without rows says nothing
            log_theta[total == 0] = 0.0
        return log_theta

    def without_row(self, label: int, weight: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """log prior and log table as a row of this class and weight sees them when it is left out.

        A line of the table is read by a row only if the row has that value, so the row's own count can be taken
        off every line at once.
        """
        counts = self.counts
        own = np.zeros(counts.n_classes)
        own[label] = weight
        table = np.maximum(counts.table - own, 0.0)
        observed = np.maximum(counts.observed - own, 0.0)
        prior = self.prior_line
        if self.prior_mean == "pooled":
            line = np.maximum(counts.table.sum(axis=1) + counts.unlabeled - weight, 0.0)
            whole = counts.table.sum(axis=1) + counts.unlabeled
            total = np.repeat(np.add.reduceat(whole, counts.offsets[:-1]) - weight, counts.n_values)
            prior = line / np.where(total > 0, total, 1.0)
        remaining = np.maximum(counts.class_count - own, 0.0)
        with np.errstate(divide="ignore"):
            log_prior = np.log(remaining / max(remaining.sum(), 1e-300))
        return log_prior, self._log_theta(table, observed, prior)

    @cached_property
    def gain(self) -> NDArray[np.float64]:
        """What each feature adds to the joint log-likelihood when it depends on the class."""
        return np.add.reduceat((self.counts.table * self.log_table).sum(axis=1), self.counts.offsets[:-1]) - self.marginal

    @cached_property
    def marginal(self) -> NDArray[np.float64]:
        """Log-likelihood of each feature on its own, by its frequencies."""
        line = self.counts.table.sum(axis=1)
        total = np.add.reduceat(line, self.counts.offsets[:-1])
        return np.add.reduceat(xlogy(line, line), self.counts.offsets[:-1]) - xlogy(total, total)

    @property
    def null_log_likelihood(self) -> float:
        """Joint log-likelihood when no feature depends on the class."""
        count = self.counts.class_count
        return float(self.marginal.sum() + xlogy(count, count).sum() - xlogy(count.sum(), count.sum()))


def log_of(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm with a floor in place of minus infinity."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(probability), LOG_ZERO)


def normalise(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Joint log-probabilities to probabilities over the last axis."""
    top = score.max(axis=-1, keepdims=True)
    p = np.exp(score - np.where(np.isfinite(top), top, 0.0))
    return p / p.sum(axis=-1, keepdims=True)
