"""Log-likelihood, criteria and description length of one point of a path: the quality of a fitted model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vitalfew.rules.criteria import BITS, Bits, aic, bic, subset_cost
from vitalfew.rules.path import Likelihood


class PointCriteria(NamedTuple):
    """Likelihood of a fitted model and the numbers that criteria compute from it.

    `log_evidence` is the log of the integral of likelihood times prior, NaN where it has no closed form. `is_corrected`
    and `is_joint` are explained in `Likelihood`.
    """

    log_likelihood: float
    n_parameters: float
    n_samples: float
    data_bits: float
    model_bits: float
    log_evidence: float = np.nan
    is_corrected: bool = False
    is_joint: bool = False

    @property
    def aic(self) -> float:
        return float(aic(self.log_likelihood, self.n_parameters, self.n_samples, corrected=self.is_corrected))

    @property
    def bic(self) -> float:
        return float(bic(self.log_likelihood, self.n_parameters, self.n_samples, corrected=self.is_corrected))

    @property
    def description_length(self) -> Bits:
        return Bits(self.data_bits, self.model_bits)


def criteria_at(path: Any, index: int) -> PointCriteria | None:
    """Return the criteria of one point, or None if the path has no likelihood or computing it takes too long."""
    if not hasattr(path, "log_likelihood"):
        return None
    found = (
        path.log_likelihood_at(index) if hasattr(path, "log_likelihood_at") else at_point(path.log_likelihood(), index)
    )
    if found is None:
        return None
    if hasattr(path, "description_length"):
        data, model = path.description_length()
        length = Bits(float(data[index]) * BITS, float(model[index]) * BITS)
    else:
        # The extended criterion charges for the choice of a subset; a path without it does not choose one.
        chooses = "ebic" not in getattr(path, "without_rules", ())
        length = two_part_code(found, int(path.n_features[index]) if chooses else None)
    evidence = path.log_evidence_at(index) if hasattr(path, "log_evidence_at") else np.nan
    return describe(found, length, float(evidence))


def describe(found: Likelihood, length: Bits, log_evidence: float = np.nan) -> PointCriteria:
    """Return the criteria of a model with this likelihood and description length."""
    return PointCriteria(
        float(found.log_likelihood),
        float(found.n_parameters),
        float(found.n_samples),
        *length,
        log_evidence,
        bool(found.is_corrected),
        bool(found.is_joint),
    )


def at_point(found: Likelihood, index: int) -> Likelihood:
    """Return the likelihood of one point as numbers."""
    return found._replace(
        log_likelihood=found.log_likelihood[index], n_parameters=found.n_parameters[index], is_candidate=None
    )


def two_part_code(found: Likelihood | Any, n_selected: int | None) -> Bits:
    r"""Return the description length of a model whose family defines no code, from its likelihood.

    The data costs :math:`-\log L`, and the model :math:`\frac{p}{2} \log n + \log^* k + \log \binom{d}{k}`: half the
    penalty of BIC, then the number of selected features and which of the d candidates they are. The last two terms are
    omitted if `n_selected` is None, for models that use all features. For a density, the data bits are those of the
    target in its own unit, so that only their differences are meaningful.
    """
    half = bic(0.0, found.n_parameters, found.n_samples, corrected=found.is_corrected) / 2
    subset = 0.0 if n_selected is None else float(subset_cost(n_selected, found.n_candidates))
    return Bits(-float(found.log_likelihood) * BITS, (float(half) + subset) * BITS)
