"""Attributes of fitted models that have a likelihood."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from vitalfew.rules.criteria import Bits
from vitalfew.rules.point_criteria import PointCriteria


class FittedCriteria:
    """Base class of models that may have a likelihood; `_criteria` holds it after a fit, or None."""

    @property
    def log_likelihood_(self) -> float:
        """Log-likelihood of the training samples, at the estimated variance if the model is Gaussian."""
        return self._fitted_criteria().log_likelihood

    @property
    def n_parameters_(self) -> float:
        """Number of parameters that the criteria charge for, or the effective number of a model with a penalty."""
        return self._fitted_criteria().n_parameters

    @property
    def bic_(self) -> float:
        """Bayesian information criterion; smaller is better. See :func:`~vitalfew.bic`."""
        return self._fitted_criteria().bic

    @property
    def aic_(self) -> float:
        """Akaike's information criterion; smaller is better. See :func:`~vitalfew.aic`."""
        return self._fitted_criteria().aic

    @property
    def log_evidence_(self) -> float:
        """Log of the integral of likelihood times prior; NaN if it has no closed form.

        It is also NaN if a penalty given as a number was solved for without eigenvalues, as with more than 300 samples
        of a kernel; a penalty that a rule chooses has them.
        """
        return self._fitted_criteria().log_evidence

    @property
    def description_length_(self) -> Bits:
        """Bits of the target given the model, and of the model."""
        return self._fitted_criteria().description_length

    def _fitted_criteria(self) -> PointCriteria:
        check_is_fitted(self)
        found = getattr(self, "_criteria", None)
        if found is None:
            raise AttributeError(
                f"this {type(self).__name__} has no likelihood: its kind of model has none, the number of its "
                "parameters takes long to compute (choose the penalty by 'bic' to have it computed), or it was saved "
                "by an earlier version (fit it again)."
            )
        return found
