"""Naive Bayes parameters from counts: class priors and smoothed log P(value | class)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from vitalfew.data.tables.blocks import without_rounding
from vitalfew.rules.criteria import feature_cost, subset_cost
from vitalfew.rules.registry import rule_name
from vitalfew.summaries.counts import Counts, sum_by_feature
from vitalfew.support.checks import check_choice
from vitalfew.support.suggest import plain

Table = NDArray[np.float64]
# Replaces log 0: a value never seen in a class when there is no prior.
LOG_ZERO = -690.0
# Prior probability of value 1 of every feature, or of each of them, or the name of a rule that sets it.
PriorMean = float | str | Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    r"""Naive Bayes parameters for one set of counts.

    :math:`\theta_{v \mid c} = (N(v, c) + n' p_v) / (N(c) + n')`, where p is the prior mean and n' its strength in
    samples. A value that never occurred is no evidence for any class.
    """

    counts: Counts
    prior_strength: float
    prior_mean: PriorMean

    @property
    def is_pooled(self) -> bool:
        """True if the prior mean is the frequency of each value."""
        return isinstance(self.prior_mean, str) and self.prior_mean == "pooled"

    @cached_property
    def prior_line(self) -> NDArray[np.float64]:
        """Prior mean p of each slot."""
        counts = self.counts
        if self.is_pooled:
            line = counts.line_count + counts.unlabeled
            total = sum_by_feature(line, counts.offsets)
            return line / np.repeat(np.where(total > 0, total, 1.0), counts.n_values)
        if isinstance(self.prior_mean, str):
            return counts.occurs / np.repeat(counts.n_occurring, counts.n_values)
        mean = np.broadcast_to(np.asarray(self.prior_mean, dtype=np.float64), counts.n_features)
        return np.column_stack([1.0 - mean, mean]).ravel()

    @cached_property
    def log_prior(self) -> NDArray[np.float64]:
        return log_of(self.counts.class_count / max(self.counts.n, 1e-300))

    @cached_property
    def theta(self) -> NDArray[np.float64]:
        """P(value | class) of each slot and class; 0 for a value that never occurred, unless the prior expects it."""
        return self._theta(self.counts.table, self.counts.observed_or_all, self.prior_line)

    @cached_property
    def log_table(self) -> NDArray[np.float64]:
        return self._log_theta(self.counts.table, self.counts.observed_or_all, self.prior_line)

    def _theta(
        self, table: NDArray[np.float64], observed: NDArray[np.float64], prior: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return theta from counts (slots, classes), known values of each feature (features, classes), and p."""
        total = self._total(observed)
        theta = table + (self.prior_strength * prior)[:, None]
        theta /= np.where(total > 0, total, 1.0)
        return theta

    def _total(self, observed: Table) -> Table:
        """Return the weight of known values of each slot's feature, by class, with that of the prior."""
        total = observed + self.prior_strength
        return np.repeat(total, self.counts.n_values, axis=0) if len(observed) > 1 else total

    def _log_theta(
        self, table: NDArray[np.float64], observed: NDArray[np.float64], prior: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return log theta, with 0 where there is no evidence."""
        log_theta = log_of(self._theta(table, observed, prior))
        if isinstance(self.prior_mean, str):
            log_theta[prior == 0] = 0.0
        if self.prior_strength == 0 and not self.is_pooled:
            log_theta[~table.any(axis=1)] = 0.0
        if self.prior_strength == 0:  # a class without samples gives no evidence
            log_theta[np.broadcast_to(self._total(observed) == 0, log_theta.shape)] = 0.0
        return log_theta

    @property
    def information(self) -> NDArray[np.float64]:
        r"""Mutual information of each feature with the class in nats, under the regularized estimates.

        .. math:: \sum_{v, c} \hat P(v, c) \log \frac{\hat P(v, c)}{\hat P(v) \hat P(c)}, \qquad
           \hat P(v, c) = \theta_{v \mid c} \hat P(c), \quad \hat P(v) = \sum_c \hat P(v, c)

        The class frequencies are those of the samples in which the feature is not missing.
        """
        counts, observed = self.counts, self.counts.observed_or_all
        total = observed.sum(axis=1, keepdims=True)
        share = observed / np.where(total > 0, total, 1.0)
        if len(observed) > 1:
            share = np.repeat(share, counts.n_values, axis=0)
        joint = self.theta * share
        value = joint.sum(axis=1)
        of_slot = (xlogy(joint, joint) - xlogy(joint, share)).sum(axis=1) - xlogy(value, value)
        return np.maximum(sum_by_feature(of_slot, counts.offsets), 0.0)

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
        if self.is_pooled:
            line = counts.line_count + counts.unlabeled
            total = np.repeat(sum_by_feature(line, counts.offsets) - weight, counts.n_values)
            prior = without_rounding(line - weight, counts.n + counts.n_unlabeled) / np.where(total > 0, total, 1.0)
        remaining = without_rounding(counts.class_count - own, counts.n)
        with np.errstate(divide="ignore"):
            log_prior = np.log(remaining / max(remaining.sum(), 1e-300))
        return log_prior, self._log_theta(table, observed, prior)

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """P(value) of each slot: its frequency among the labeled samples in which the feature is not missing."""
        line = self.counts.line_count
        total = np.repeat(sum_by_feature(line, self.counts.offsets), self.counts.n_values)
        return line / np.where(total > 0, total, 1.0)

    def joint_table(self, support: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return log P(value | class) of the features in the set, and log P(value) of the others.

        Values that never occurred contribute nothing.
        """
        marginal = np.where(self.frequency > 0, log_of(self.frequency), 0.0)
        used = np.repeat(support, self.counts.n_values)
        return np.where(used[:, None], self.log_table, marginal[:, None])

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
        r"""Reduction of the description length of the labels by each feature alone, in nats, net of its own cost.

        This is the first step of the greedy search by description length.

        .. math:: \sum_{v, c} N(v, c) \log \frac{P(c \mid v)}{P(c)} - \log d
           - \sum_c \log \binom{n_c + k - 1}{k - 1}
        """
        counts = self.counts
        given = normalize(self.log_table + self.log_prior)
        told = np.einsum("sc,sc->s", counts.table, log_of(given) - self.log_prior)
        cost = feature_cost(counts.class_count, counts.n_occurring + counts.has_missing)
        return sum_by_feature(told, counts.offsets) - cost - subset_cost(1, counts.n_features)

    def log_integral(self, support: NDArray[np.bool_]) -> float:
        r"""Return the log evidence of the model with these features, :math:`\log \int L(\theta) P(\theta) \, d\theta`.

        The prior of the values of a feature, for each class if the feature is in the set, has a density in proportion
        to :math:`\prod_v \theta_v^{n' p_v}`, so that the estimates maximize the posterior; that of the class shares is
        uniform. With :math:`B(a) = \prod_i \Gamma(a_i) / \Gamma(\sum_i a_i)`, a count vector N contributes
        :math:`\log B(N + n' p + 1) - \log B(n' p + 1)`.
        """
        counts = self.counts
        prior = self.prior_strength * self.prior_line + counts.occurs
        within = sum_by_feature(_log_rising(prior[:, None], counts.table).sum(axis=1), counts.offsets)
        alone = sum_by_feature(_log_rising(prior, counts.line_count), counts.offsets)
        known = np.broadcast_to(counts.observed_or_all, (counts.n_features, counts.n_classes))
        total = sum_by_feature(prior, counts.offsets)
        within = within - _log_rising(total[:, None], known).sum(axis=1)
        alone = alone - _log_rising(total, known.sum(axis=1))
        shares = _log_rising(np.ones(counts.n_classes), counts.class_count).sum()
        shares = shares - _log_rising(np.array([float(counts.n_classes)]), np.array([counts.n])).sum()
        return float(np.where(support, within, alone).sum() + shares)

    @property
    def null_log_likelihood(self) -> float:
        """Joint log-likelihood when no feature depends on the class."""
        count = self.counts.class_count
        return float(self.marginal.sum() + xlogy(count, count).sum() - xlogy(count.sum(), count.sum()))


def _log_rising(start: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Γ(start + steps) - log Γ(start), and 0 for a start of 0, which belongs to a value never seen."""
    safe = np.where(start > 0, start, 1.0)
    return np.where(start > 0, _log_gamma(safe + steps) - _log_gamma(safe), 0.0)


def _log_gamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Γ(x), also below 1e-308, where SciPy's function is infinite."""
    return gammaln(1 + x) - np.log(x)


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

    Many correlated features make Naive Bayes overconfident, because it adds up their evidence as if they were
    independent. A stronger prior tempers this; for a table with few columns it would only blur the estimates. The
    constants were chosen on text and on tables.
    """
    return float(np.clip(n_features / 100, 0.2, 100.0))


def check_prior(prior_strength: Any, prior_mean: Any) -> None:
    """Check that the prior strength is "auto" or a number of samples, and that the mean is numbers or a name."""
    prior_strength = rule_name(prior_strength)
    if not (prior_strength == "auto" or (isinstance(prior_strength, Real) and 0 <= float(prior_strength) < np.inf)):
        raise ValueError(f"prior_strength must be a number >= 0, 'auto' or a rule, got {prior_strength!r}.")
    if isinstance(prior_mean, str):
        check_choice("prior_mean", prior_mean, ("pooled", "uniform"))
        return
    try:
        mean = np.asarray(prior_mean, dtype=np.float64)
    except (TypeError, ValueError):
        mean = np.array(np.nan)
    if isinstance(prior_mean, bool) or mean.ndim > 1 or not ((mean > 0) & (mean < 1)).all():
        raise ValueError(
            "prior_mean must be a number between 0 and 1, an array of one such number per feature, 'pooled' or "
            f"'uniform', got {plain(prior_mean)!r}."
        )


def check_prior_fits(prior_mean: Any, n_values: NDArray[np.int64], names: Sequence[str]) -> None:
    """Check that features are 0/1 if the prior mean is a number, which is the probability of 1, or one per feature."""
    wide = np.flatnonzero(n_values > 2)
    if np.ndim(prior_mean) == 1 and len(prior_mean) != len(n_values):
        raise ValueError(f"prior_mean must have {len(n_values)} entries, one per feature, got {len(prior_mean)}.")
    if wide.size and not isinstance(prior_mean, str):
        raise ValueError(
            f"prior_mean={prior_mean} requires 0/1 features, but column {names[int(wide[0])]!r} has more values; "
            "use 'pooled' or 'uniform'."
        )


def used_table(log_table: NDArray[np.float64], n_values: NDArray, support: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return log P(value | class) of the features in `support`, and 0 for the others, which then favor no class."""
    return np.where(np.repeat(support, n_values)[:, None], log_table, 0.0)
