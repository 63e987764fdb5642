"""Path of ridge regression: coefficients at every penalty, with the quantities that selection rules need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coefficient_path import CoefficientPath, gaussian_likelihood
from vitalfew.families.linear.least_squares import LeastSquares, is_affordable
from vitalfew.families.linear.standardize import held_scales
from vitalfew.families.ridge.eigen import log_evidence
from vitalfew.rules.path import LeaveOneOut, Likelihood
from vitalfew.summaries.moments import Moments
from vitalfew.support.threads import limit_threads


@dataclass(frozen=True)
class RidgePath(CoefficientPath):
    """Path of ridge regression over a decreasing grid of penalties.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Penalties alpha, from the largest (simple) to the smallest (complex).
    coef : ndarray of shape (n_points, n_features)
    intercept : ndarray of shape (n_points,)
    mean_squared_error : ndarray of shape (n_points,)
        Mean squared error on the training samples.
    degrees_of_freedom : ndarray of shape (n_points,)
        Trace of the hat matrix, without the intercept: the effective number of coefficients.
    trusted_digits : ndarray of int, shape (n_points,)
        Decimal digits that rounding leaves in the coefficients, by the condition number of the equations solved.
    names : sequence of str
    scale : ndarray of shape (n_features,) or None
        Standard deviation of each column, if columns were standardized. ``coef * scale`` are the coefficients of the
        standardized columns.
    """

    grid: NDArray[np.float64]
    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    mean_squared_error: NDArray[np.float64]
    degrees_of_freedom: NDArray[np.float64]
    trusted_digits: NDArray[np.int64]
    names: Sequence[str]
    has_intercept: bool
    n_samples: float
    data: NumericData | Moments | None = None
    form: Any = None
    scale: NDArray[np.float64] | None = None

    transient = ("data", "form")
    # The extended criterion penalizes the choice of a subset, and none is chosen here.
    without_rules = ("ebic",)

    @property
    def dual_gap(self) -> NDArray[np.float64]:
        """Duality gap at each point, always zero since the solution has a closed form."""
        return np.zeros(len(self.grid))

    def at(self, index: int) -> tuple[NDArray[np.float64], float]:
        """Return the coefficients and intercept of one point."""
        return self.coef[index].copy(), float(self.intercept[index])

    def used(self) -> tuple[None, NDArray[np.float64]]:
        """Return None, for all columns, and their coefficients."""
        return None, self.coef

    def log_likelihood(self) -> Likelihood:
        """Return the Gaussian likelihood at the maximum-likelihood variance; perfect fits are not candidates."""
        return gaussian_likelihood(self, self.degrees_of_freedom, self.coef.shape[1], is_smoother=True)

    def log_evidence_at(self, index: int) -> float:
        """Return the log of the integral of likelihood times prior, see `log_evidence`."""
        n_columns = self.coef.shape[1]
        return log_evidence(self.form, n_columns, float(self.grid[index]), self.n_samples, self.has_intercept)

    def loo(self) -> LeaveOneOut:
        """Compute exact leave-one-out, for fixed scales of the columns: the residual over one minus the leverage."""
        data = self.data
        assert isinstance(data, NumericData)
        if data.n_rows < 2:
            raise ValueError("leave-one-out requires at least two rows, got n_samples = 1.")
        # Without a penalty, a row may alone determine a direction of the fit, and its residual over 1 - h is 0 / 0.
        is_safe = (self.form.is_safe(self.grid) & (self.grid > 0)) | (not is_affordable(data))
        residual = np.empty((data.n_rows, len(self.grid)))
        with limit_threads(data.threads):
            if is_safe.any():
                residual[:, is_safe] = self.form.left_out(data, self.grid[is_safe])
            for p in np.flatnonzero(~is_safe):
                residual[:, p] = LeastSquares(data, self.has_intercept, float(self.grid[p]), self.scale).left_out()
        found = LeaveOneOut(np.subtract(data.target[:, None], residual, out=residual), True)
        return held_scales(found, self.scale)

    def gcv(self) -> NDArray[np.float64]:
        """Compute generalized cross-validation, leave-one-out with all leverages replaced by their mean; O(points).

        A model with about as many degrees of freedom as rows leaves nothing to estimate the error from: its score is
        infinite.
        """
        if self.data is None:
            raise ValueError("this requires the number of rows, which is not stored with the model; fit it again.")
        n_rows = self.data.n_rows
        left = 1 - (self.degrees_of_freedom + self.has_intercept) / n_rows
        is_usable = left * n_rows > 1e-6
        return np.divide(self.mean_squared_error, left**2, out=np.full(len(left), np.inf), where=is_usable)

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "degrees_of_freedom": self.degrees_of_freedom}
