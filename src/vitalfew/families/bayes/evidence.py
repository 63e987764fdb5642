"""Naive Bayes parameters from counts: class priors and smoothed log P(value | class)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from vitalfew.data.tables.blocks import without_rounding
from vitalfew.rules.criteria import feature_cost, subset_cost
from vitalfew.summaries.counts import Counts, sum_by_feature
from vitalfew.summaries.information import information
from vitalfew.support.checks import check_choice

# Replaces log 0: a value never seen in a class when there is no prior.
LOG_ZERO = -690.0


@dataclass(frozen=True)
class Evidence:
    r"""Naive Bayes parameters for one set of counts.

    :math:`\theta_{v \mid c} = (N(v, c) + n' p_v) / (N(c) + n')`, where p is the prior mean and n' its strength in
    samples. A value that never occurred is no evidence for any class.
    """

    counts: Counts
    prior_strength: float
    prior_mean: float | str

    @cached_property
    def prior_line(self) -> NDArray[np.float64]:
        """Prior mean p of each slot."""
        counts = self.counts
        if self.prior_mean == "pooled":
            line = counts.line_count + counts.unlabeled
            total = sum_by_feature(line, counts.offsets)
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
        return self._log_theta(self.counts.table, self.counts.observed_or_all, self.prior_line)

    def _log_theta(self, table, observed, prior) -> NDArray[np.float64]:
        """Return log theta from counts (slots, classes), known values of each feature (features, classes), and p."""
        strength = self.prior_strength
        total = observed + strength
        if len(observed) > 1:
            total = np.repeat(total, self.counts.n_values, axis=0)
        theta = table + (strength * prior)[:, None]
        theta /= np.where(total > 0, total, 1.0)
        log_theta = log_of(theta)
        if self.prior_mean == "pooled" or strength == 0:
            log_theta[(prior == 0) if self.prior_mean == "pooled" else ~table.any(axis=1)] = 0.0
        if strength == 0:  # a class without samples gives no evidence
            log_theta[np.broadcast_to(total == 0, log_theta.shape)] = 0.0
        return log_theta

    def without_row(self, label: int, weight: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return log prior and log table for a row of this class and weight when it is left out.

        A row reads a line of the table only if it has that value, so its own count can be subtracted from every line at
        once.
        """
        counts = self.counts
        own = np.zeros(counts.n_classes)
        own[label] = weight
        table = without_rounding(counts.table - own, counts.class_count)
        observed = without_rounding(counts.observed_or_all - own, counts.class_count)
        prior = self.prior_line
        if self.prior_mean == "pooled":
            line = counts.line_count + counts.unlabeled
            total = np.repeat(sum_by_feature(line, counts.offsets) - weight, counts.n_values)
            prior = without_rounding(line - weight, counts.n + counts.n_unlabeled) / np.where(total > 0, total, 1.0)
        remaining = without_rounding(counts.class_count - own, counts.n)
        with np.errstate(divide="ignore"):
            log_prior = np.log(remaining / max(remaining.sum(), 1e-300))
        return log_prior, self._log_theta(table, observed, prior)

    @cached_property
    def gain(self) -> NDArray[np.float64]:
        """Increase in the joint log-likelihood if a feature depends on the class, for each feature."""
        counts = self.counts
        of_slot = np.einsum("sc,sc->s", counts.table, self.log_table)
        return sum_by_feature(of_slot, counts.offsets) - self.marginal

    @cached_property
    def marginal(self) -> NDArray[np.float64]:
        """Log-likelihood of each feature on its own, under its frequencies."""
        line = self.counts.line_count
        total = sum_by_feature(line, self.counts.offsets)
        return sum_by_feature(xlogy(line, line), self.counts.offsets) - xlogy(total, total)

    @property
    def own_gain(self) -> NDArray[np.float64]:
        r"""Nats by which each feature alone shortens the description of the labels, net of its own cost.

        This is the first step of the greedy search by description length.

        .. math:: \sum_{v, c} N(v, c) \log \frac{P(c \mid v)}{P(c)} - \log d
           - \sum_c \log \binom{n_c + k - 1}{k - 1}
        """
        counts = self.counts
        given = normalize(self.log_table + self.log_prior)
        told = np.einsum("sc,sc->s", counts.table, log_of(given) - self.log_prior)
        cost = feature_cost(counts.class_count, counts.n_values + counts.has_missing)
        return sum_by_feature(told, counts.offsets) - cost - subset_cost(1, counts.n_features)

    @property
    def null_log_likelihood(self) -> float:
        """Joint log-likelihood when no feature depends on the class."""
        count = self.counts.class_count
        return float(self.marginal.sum() + xlogy(count, count).sum() - xlogy(count.sum(), count.sum()))


def log_of(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm, with a floor instead of minus infinity."""
    with np.errstate(divide="ignore"):
        log = np.log(probability)
    return np.maximum(log, LOG_ZERO, out=log)


def normalize(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert joint log-probabilities to probabilities over the last axis."""
    # Loop over classes: the last axis is short, and NumPy is slow over short axes.
    classes = range(score.shape[-1])
    top = score[..., 0].copy()
    for c in classes[1:]:
        np.maximum(top, score[..., c], out=top)
    p = score - np.where(np.isfinite(top), top, 0.0)[..., None]
    np.exp(p, out=p)
    p /= (p @ np.ones(len(classes)))[..., None]
    return p


def default_strength(n_features: int) -> float:
    """Return the default prior strength: one sample per hundred features that the model may use, from 0.2 to 100.

    The evidence of many dependent features adds up to a certainty that the data does not support, and a stronger prior
    tempers it; in a table with few columns it would only blur them. Chosen on text and tables.
    """
    return float(np.clip(n_features / 100, 0.2, 100.0))


def check_prior(prior_strength, prior_mean) -> None:
    """Check that the prior strength is "auto" or a number of samples, and that the mean is a number or a name."""
    if not (prior_strength == "auto" or (isinstance(prior_strength, Real) and 0 <= float(prior_strength) < np.inf)):
        raise ValueError(f"prior_strength must be a number >= 0, 'auto' or a rule, got {prior_strength!r}.")
    if isinstance(prior_mean, str):
        check_choice("prior_mean", prior_mean, ("pooled", "uniform"))
    elif not (isinstance(prior_mean, Real) and 0 < float(prior_mean) < 1):
        raise ValueError(f"prior_mean must be a number between 0 and 1, 'pooled' or 'uniform', got {prior_mean!r}.")


def check_prior_fits(prior_mean, n_values: NDArray[np.int64], names) -> None:
    """Check that features are 0/1 if the prior mean is a number, which is the probability of 1."""
    wide = np.flatnonzero(n_values > 2)
    if wide.size and not isinstance(prior_mean, str):
        raise ValueError(
            f"prior_mean={prior_mean} requires 0/1 features, but column {names[int(wide[0])]!r} has more values; "
            "use 'pooled' or 'uniform'."
        )


def used_table(log_table: NDArray[np.float64], n_values: NDArray, support: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return log P(value | class) of the features in the set, and 0, the same for every class, for the others."""
    return np.where(np.repeat(support, n_values)[:, None], log_table, 0.0)


def linear_form(evidence: Evidence, support: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coef and intercept such that P(y | x) is the logistic function or softmax of coef @ x + intercept."""
    if not evidence.counts.is_binary:
        raise AttributeError(
            "coef_ and intercept_ are only defined for 0/1 features; some features have more than two values."
        )
    table = used_table(evidence.log_table, evidence.counts.n_values, support)
    absent, present = table[0::2], table[1::2]
    coef, intercept = (present - absent).T, absent.sum(axis=0) + evidence.log_prior
    if evidence.counts.n_classes == 2:
        return coef[1:] - coef[:1], intercept[1:] - intercept[:1]
    return coef, intercept


def describe_features(evidence: Evidence, support: NDArray[np.bool_], names) -> dict[str, NDArray]:
    """Return the information of each feature in the set and, for 0/1 features, the class it favors when present."""
    counts, used = evidence.counts, np.flatnonzero(support)
    bits = information(counts.table, counts.offsets).mutual / np.log(2)
    used = used[np.argsort(-bits[used], kind="stable")]
    columns = {"feature": np.array([str(names[j]) for j in used], dtype=object), "information": bits[used]}
    if counts.is_binary and counts.n_classes > 1:
        present = counts.offsets[used] + 1
        best, weight = _speaks_for(evidence.log_table[present] - evidence.log_table[present - 1])
        columns["speaks_for"], columns["weight"] = counts.classes[best].astype(str), weight
    return columns


def describe_lines(
    table: NDArray[np.float64], amount: NDArray[np.float64], support, names, classes
) -> dict[str, NDArray]:
    """Tabulate words, most informative first: favored class, its log-odds against the others in bits, and amount."""
    best, weight = _speaks_for(table)
    used = np.flatnonzero(support & (amount > 0))
    used = used[np.argsort(-(weight * amount)[used], kind="stable")]
    return {
        "feature": np.array([str(names[j]) for j in used], dtype=object),
        "speaks_for": np.asarray(classes)[best[used]].astype(str),
        "weight": weight[used],
        "amount": amount[used],
    }


def _speaks_for(table: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the class that each line favors most, and its log-odds against the mean of the others in bits."""
    odds = table - (table.sum(axis=1, keepdims=True) - table) / max(table.shape[1] - 1, 1)
    best = odds.argmax(axis=1)
    return best, odds[np.arange(len(table)), best] / np.log(2)
