"""Information criteria and description length, as plain functions and as rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from vitalfew.rules.path import Described, Likelihood, Path, Probabilistic
from vitalfew.rules.selection import Selection
from vitalfew.support.checks import check_choice

# One number, or one for each model.
Numbers = float | NDArray

BITS = float(1 / np.log(2))
CORRECTED = "corrected for degrees of freedom near the number of samples: penalty times n / (n - p - 1)"


def aic(
    log_likelihood: Numbers, n_parameters: Numbers, n_samples: Numbers | None = None, *, corrected: bool = False
) -> Any:
    r"""Compute Akaike's information criterion :math:`-2 \log L + 2 p`; smaller is better.

    With `corrected`, the penalty is :math:`2 p \, n / (n - p - 1)`, and infinite from :math:`p = n - 1` on. This is
    AICc for Gaussian models whose variance is estimated and counted in p: the plain criterion falls without bound as
    the fit approaches interpolation.

    References
    ----------
    Akaike (1974), doi:10.1109/TAC.1974.1100705. Hurvich & Tsai (1989), doi:10.1093/biomet/76.2.297, for the correction;
    Hurvich, Simonoff & Tsai (1998), doi:10.1111/1467-9868.00125, for p as the trace of a smoother.

    Examples
    --------
    >>> from vitalfew import aic
    >>> aic(-100.0, 3)
    206.0
    >>> float(round(aic(-100.0, 3, 50, corrected=True), 3))
    206.522
    """
    if corrected and n_samples is None:
        raise ValueError("corrected=True requires n_samples, the number of samples.")
    with np.errstate(invalid="ignore"):  # a perfect fit with an infinite penalty
        return -2 * log_likelihood + 2 * _charged(n_parameters, n_samples, corrected)


def bic(log_likelihood: Numbers, n_parameters: Numbers, n_samples: Numbers, *, corrected: bool = False) -> Any:
    r"""Compute the Bayesian information criterion :math:`-2 \log L + p \log n`; smaller is better.

    Some texts maximize :math:`\log L - \frac{p}{2} \log n` instead, which is this divided by -2.

    With `corrected`, the penalty is :math:`p \log n \cdot n / (n - p - 1)`, the correction of :func:`aic` applied to
    BIC.

    References
    ----------
    Schwarz (1978), doi:10.1214/aos/1176344136. McQuarrie (1999), doi:10.1016/S0167-7152(98)00294-6, for the correction,
    there without the variance in the numerator. 427, lecture 11.

    Examples
    --------
    >>> from vitalfew import bic
    >>> float(round(bic(-100.0, 3, 50), 3))
    211.736
    """
    with np.errstate(invalid="ignore"):
        return -2 * log_likelihood + _charged(n_parameters, n_samples, corrected) * np.log(n_samples)


def ebic(
    log_likelihood: Numbers,
    n_parameters: Numbers,
    n_samples: Numbers,
    n_selected: Numbers,
    n_candidates: Numbers,
    gamma: float = 1.0,
    *,
    corrected: bool = False,
) -> Any:
    r"""Compute the extended BIC :math:`-2 \log L + p \log n + 2 \gamma \log \binom{d}{k}` for k of d candidates.

    `corrected` changes the second term, as in :func:`bic`.

    References
    ----------
    Chen & Chen (2008), doi:10.1093/biomet/asn034.

    Examples
    --------
    >>> from vitalfew import ebic
    >>> float(round(ebic(-100.0, 3, 50, n_selected=3, n_candidates=1000), 3))
    249.593
    """
    of_subset = 2 * gamma * log_binomial(n_candidates, n_selected)
    return bic(log_likelihood, n_parameters, n_samples, corrected=corrected) + of_subset


def _charged(n_parameters: Numbers, n_samples: Any, corrected: bool) -> Any:
    """Return the number of parameters that a criterion charges for: p, or p n / (n - p - 1)."""
    if not corrected:
        return n_parameters
    left = np.asarray(n_samples - n_parameters - 1, dtype=float)
    found = np.divide(n_parameters * n_samples, left, out=np.full_like(left, np.inf), where=left > 0)
    return found if found.ndim else float(found)


class Bits(NamedTuple):
    """Description length, split into the parts for data and model."""

    data: float
    model: float

    @property
    def total(self) -> float:
        return self.data + self.model


def description_length(
    log_likelihood: Numbers,
    class_count: ArrayLike,
    n_candidates: Numbers,
    n_values: ArrayLike = (),
    unit: str = "bits",
) -> Bits:
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


def log_star(k: Numbers) -> Any:
    """Return log k + log log k + ... over the positive terms: the length of a code for any integer k, in nats."""
    rest = np.asarray(k, dtype=float)
    total = np.zeros_like(rest)
    while (rest > 1).any():
        rest = np.log(np.maximum(rest, 1.0))
        total += rest
    return total


def log_binomial(n: Numbers, k: Numbers) -> Any:
    """Return the log of the binomial coefficient n over k; n may be fractional (weighted counts)."""
    return gammaln(np.asarray(n) + 1) - gammaln(np.asarray(k) + 1) - gammaln(np.asarray(n) - np.asarray(k) + 1)


def subset_cost(k: Numbers, n_candidates: Numbers) -> Any:
    """Return the nats that encode a subset of k candidates: its size, then its members."""
    return log_star(k) + log_binomial(n_candidates, k)


def class_cost(class_count: ArrayLike) -> float:
    """Return the nats that encode the class counts."""
    n_classes = np.size(class_count)
    return float(log_binomial(np.sum(class_count) + n_classes - 1, n_classes - 1))


def feature_cost(class_count: ArrayLike, n_values: ArrayLike) -> Any:
    """Return the nats that encode the value counts of each feature in each class."""
    n_values = np.asarray(n_values, dtype=float)[..., None]
    return log_binomial(np.asarray(class_count, dtype=float) + n_values - 1, n_values - 1).sum(axis=-1)


def choose_criterion(rule: str, path: Probabilistic, *_: Any) -> Selection:
    """Select the point with the smallest criterion."""
    found = path.log_likelihood()
    score = criterion(rule, found, path.n_features)
    if found.is_candidate is not None and found.is_candidate.any():
        score = np.where(found.is_candidate, score, np.inf)
    score = np.where(np.isnan(score), np.inf, score)
    note = CORRECTED if found.is_corrected else ""
    return _least(rule, path, score, rule.upper(), note=note)


def criterion(rule: str, found: Likelihood, n_features: Numbers) -> Any:
    """Return the criterion of this name at each point."""
    value, p, n, is_corrected = found.log_likelihood, found.n_parameters, found.n_samples, found.is_corrected
    if rule == "aic":
        return aic(value, p, n, corrected=is_corrected)
    if rule == "bic":
        return bic(value, p, n, corrected=is_corrected)
    return ebic(value, p, n, n_features, found.n_candidates, corrected=is_corrected)


def choose_mdl(rule: str, path: Described, *_: Any) -> Selection:
    """Select the point with the smallest description length."""
    parts = bits_of(path)
    return _least(rule, path, parts["data_bits"] + parts["model_bits"], "total_bits", parts)


def bits_of(path: Described) -> dict[str, NDArray[np.float64]]:
    """Return the bits of the data and the model at each point, and those of the parts of the model."""
    parts = path.model_parts() if hasattr(path, "model_parts") else {}
    nats = {**path.description_length()._asdict(), **parts}
    return {f"{name}_bits": np.asarray(values) * BITS for name, values in nats.items()}


def _least(rule: str, path: Path, score: Any, measure: str, parts: Any = None, note: str = "") -> Selection:
    """Select the point with the smallest score; such scores have no standard error."""
    none = np.full(len(score), np.nan)
    index = int(np.argmin(score))
    return Selection(path.knob, rule, path.grid, score, none, path.n_features, index, measure, False, parts or {}, note)
