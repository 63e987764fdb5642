"""Information criteria and description length, as plain functions and as rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from vitalfew.rules.path import Described, Path, Probabilistic
from vitalfew.rules.selection import Selection
from vitalfew.support.checks import check_choice

BITS = float(1 / np.log(2))


def aic(log_likelihood, n_parameters) -> Any:
    r"""Compute Akaike's information criterion :math:`-2 \log L + 2 p`; smaller is better.

    References
    ----------
    Akaike (1974), doi:10.1109/TAC.1974.1100705.

    Examples
    --------
    >>> from vitalfew import aic
    >>> aic(-100.0, 3)
    206.0
    """
    return -2 * log_likelihood + 2 * n_parameters


def bic(log_likelihood, n_parameters, n_samples) -> Any:
    r"""Compute the Bayesian information criterion :math:`-2 \log L + p \log n`; smaller is better.

    Some texts maximize :math:`\log L - \frac{p}{2} \log n` instead, which is this divided by -2.

    References
    ----------
    Schwarz (1978), doi:10.1214/aos/1176344136.

    Examples
    --------
    >>> from vitalfew import bic
    >>> float(round(bic(-100.0, 3, 50), 3))
    211.736
    """
    return -2 * log_likelihood + n_parameters * np.log(n_samples)


def ebic(log_likelihood, n_parameters, n_samples, n_selected, n_candidates, gamma=1.0) -> Any:
    r"""Compute the extended BIC :math:`-2 \log L + p \log n + 2 \gamma \log \binom{d}{k}` for k of d candidates.

    References
    ----------
    Chen & Chen (2008), doi:10.1093/biomet/asn034.

    Examples
    --------
    >>> from vitalfew import ebic
    >>> float(round(ebic(-100.0, 3, 50, n_selected=3, n_candidates=1000), 3))
    249.593
    """
    return bic(log_likelihood, n_parameters, n_samples) + 2 * gamma * log_binomial(n_candidates, n_selected)


class Bits(NamedTuple):
    """Description length, split into the parts for data and model."""

    data: float
    model: float

    @property
    def total(self) -> float:
        return self.data + self.model


def description_length(log_likelihood, class_count, n_candidates, n_values=(), unit="bits") -> Bits:
    r"""Compute the description length of labels under a Naive Bayes model with a subset J of d features.

    .. math::

       -\log P(y \mid x, J) + \log^* |J| + \log \binom{d}{|J|} + \log \binom{n + C - 1}{C - 1}
       + \sum_{j \in J} \sum_c \log \binom{n_c + k_j - 1}{k_j - 1}

    The last two terms count the possible class counts and, for each class, the possible counts of the values of a
    feature. With two classes and binary features they are :math:`\log(n + 1)` and
    :math:`|J| (\log(n_+ + 1) + \log(n_- + 1))`.

    Parameters
    ----------
    log_likelihood : float
        Conditional log-likelihood of the labels given the features, in nats.
    class_count : array-like of shape (n_classes,)
    n_candidates : int
        Number d of features to choose from.
    n_values : array-like of int
        Number of values of each selected feature (2 for a word that is present or absent).
    unit : {"bits", "nats"}

    References
    ----------
    Rissanen (1978), doi:10.1016/0005-1098(78)90005-5; Jaakkola, 6.867 Machine Learning (2006), lecture 12.

    Examples
    --------
    >>> from vitalfew import description_length
    >>> length = description_length(-10.0, class_count=[30, 20], n_candidates=100, n_values=[2, 2])
    >>> round(length.data, 2), round(length.model, 2)
    (14.43, 37.64)
    """
    check_choice("unit", unit, ("bits", "nats"))
    scale = BITS if unit == "bits" else 1.0
    class_count = np.asarray(class_count, dtype=float)
    n_values = np.asarray(n_values, dtype=float)
    model = (
        subset_cost(len(n_values), n_candidates) + class_cost(class_count) + feature_cost(class_count, n_values).sum()
    )
    return Bits(-float(log_likelihood) * scale, float(model) * scale)


def log_star(k):
    """Return log k + log log k + ... over the positive terms: the length of a code for any integer k, in nats."""
    rest = np.asarray(k, dtype=float)
    total = np.zeros_like(rest)
    while (rest > 1).any():
        rest = np.log(np.maximum(rest, 1.0))
        total += rest
    return total


def log_binomial(n, k):
    """Return the log of the binomial coefficient n over k; n may be fractional (weighted counts)."""
    return gammaln(np.asarray(n) + 1) - gammaln(np.asarray(k) + 1) - gammaln(np.asarray(n) - np.asarray(k) + 1)


def subset_cost(k, n_candidates):
    """Return the nats that encode a subset of k candidates: its size, then its members."""
    return log_star(k) + log_binomial(n_candidates, k)


def class_cost(class_count) -> float:
    """Return the nats that encode the class counts."""
    n_classes = len(class_count)
    return float(log_binomial(np.sum(class_count) + n_classes - 1, n_classes - 1))


def feature_cost(class_count, n_values):
    """Return the nats that encode the value counts of each feature in each class."""
    n_values = np.asarray(n_values, dtype=float)[..., None]
    return log_binomial(np.asarray(class_count, dtype=float) + n_values - 1, n_values - 1).sum(axis=-1)


def choose_criterion(rule: str, path: Probabilistic, *_) -> Selection:
    """Select the point with the smallest criterion."""
    found = path.log_likelihood()
    if rule == "aic":
        score = aic(found.log_likelihood, found.n_parameters)
    elif rule == "bic":
        score = bic(found.log_likelihood, found.n_parameters, found.n_samples)
    else:
        score = ebic(found.log_likelihood, found.n_parameters, found.n_samples, path.n_features, found.n_candidates)
    return _least(rule, path, score, rule.upper(), {})


def choose_mdl(rule: str, path: Described, *_) -> Selection:
    """Select the point with the smallest description length."""
    data, model = path.description_length()
    return _least(
        rule, path, (data + model) * BITS, "total_bits", {"data_bits": data * BITS, "model_bits": model * BITS}
    )


def _least(rule: str, path: Path, score, measure: str, parts) -> Selection:
    """Select the point with the smallest score; such scores have no standard error."""
    no_error = np.full(len(score), np.nan)
    index = int(np.argmin(score))
    return Selection(path.knob, rule, path.grid, score, no_error, path.n_features, index, measure, parts=parts)
