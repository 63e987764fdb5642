"""Paths of sparse linear models for a numeric target, with the quantities that selection rules need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coefficient_path import CoefficientPath, gaussian_likelihood
from vitalfew.families.linear.standardize import held_scales, ridge_factor
from vitalfew.rules.path import LeaveOneOut, Likelihood
from vitalfew.rules.point_criteria import at_point
from vitalfew.summaries.moments import Moments

# Smallest value of one minus leverage that approximate leave-one-out uses.
LEAST_LEFT = 1e-4
# Columns sum to a constant if the variance of the sum is at most this share of the sum of their variances.
CONSTANT = 1e-12
# Products of numbers that a fit may add for the degrees of freedom of the chosen point, about a tenth of a second.
MOST_WORK = 2**28


@dataclass(frozen=True, kw_only=True)
class SparseLinearPath(CoefficientPath):
    """Path of sparse coefficients of a linear model.

    Without a ridge part, the number of nonzero coefficients is the degrees of freedom, as for the lasso and for least
    squares on the active set.
    """

    grid: NDArray
    coef_sparse: sparse.csr_array
    intercept: NDArray[np.float64]
    mean_squared_error: NDArray[np.float64]
    names: Sequence[str]
    has_intercept: bool
    n_samples: float
    data: NumericData | Moments | None = None

    kept = ("degrees_of_freedom", "coef")

    def _has_ridge(self) -> NDArray[np.bool_]:
        """Return a mask of the points whose penalty has a ridge part."""
        return np.zeros(len(self.grid), dtype=bool)

    def ridge(self, _point: int, active: NDArray) -> NDArray[np.float64]:
        """Return the ridge penalty of the active columns, on the scale of the mean loss."""
        return np.zeros(len(active))

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Number of nonzero coefficients at each point."""
        return np.diff(self.coef_sparse.indptr).astype(np.int64)

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """Coefficients as a dense array of shape (n_points, n_features)."""
        return self.coef_sparse.toarray()

    def at(self, index: int) -> tuple[NDArray[np.float64], float]:
        """Return the coefficients and intercept of one point."""
        return self.coef_sparse[[index]].toarray()[0], float(self.intercept[index])

    def used(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the columns in use at any point, and their coefficients (points, columns)."""
        index = np.unique(self.coef_sparse.indices)
        return index, self.coef_sparse[:, index].toarray()

    @cached_property
    def degrees_of_freedom(self) -> NDArray[np.float64]:
        r"""Effective number of coefficients at each point, without the intercept.

        This is :math:`\mathrm{tr}\,G (G + \lambda_2 F)^{-1}` on the active set, which for the lasso is the number of
        active columns (Zou, Hastie & Tibshirani, 2007).
        """
        freedom = self._n_active()
        for p in np.flatnonzero(self._has_ridge() & (self.n_features > 0)).tolist():
            freedom[p] = self._shrunk_freedom(p)
        return freedom

    def _n_active(self) -> NDArray[np.float64]:
        """Return the number of active columns at each point, at most the number that rows can tell apart."""
        free = self.n_features - self._n_spare()
        return np.minimum(free, max(self._n_rows() - self.has_intercept, 0)).astype(float)

    def _n_spare(self) -> NDArray[np.int64]:
        """Return the number of active columns at each point that the intercept and the others determine."""
        return np.zeros(len(self.grid), dtype=np.int64)

    def _shrunk_freedom(self, point: int) -> float:
        active = self._active(point)
        second = self._second(active)
        return float(np.trace(np.linalg.solve(second + np.diag(self.ridge(point, active)), second)))

    def _n_rows(self) -> int:
        return self.data.n_rows if self.data is not None else int(self.n_samples)

    def _active(self, point: int) -> NDArray:
        return self.coef_sparse.indices[self.coef_sparse.indptr[point] : self.coef_sparse.indptr[point + 1]]

    def _second(self, active: NDArray) -> NDArray:
        """Return the second moments of the active columns."""
        if isinstance(self.data, Moments):
            full = self.data.scatter[np.ix_(active, active)] / self.data.weight_sum
            return full if self.has_intercept else full + np.outer(self.data.mean[active], self.data.mean[active])
        columns, weight = self._centered(active)
        return columns.T @ (columns * weight[:, None])

    def _centered(self, active: NDArray) -> tuple[NDArray, NDArray]:
        """Return the active columns, centered if there is an intercept, and weights that sum to one."""
        data = self._rows()
        columns = data.X[:, active]
        columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns, dtype=float)
        weight = data.weights / data.weight_sum
        return columns - weight @ columns if self.has_intercept else columns, weight

    def log_likelihood(self) -> Likelihood:
        """Return the Gaussian likelihood at the maximum-likelihood variance; perfect fits are not candidates."""
        return gaussian_likelihood(self, self.degrees_of_freedom, self.coef_sparse.shape[1])

    def log_likelihood_at(self, index: int) -> Likelihood | None:
        """Return the likelihood of one point; None if its degrees of freedom take long to compute."""
        if "degrees_of_freedom" in vars(self):
            return at_point(self.log_likelihood(), index)
        freedom, n_active = self._n_active(), int(self.n_features[index])
        if n_active and self._has_ridge()[index]:
            if n_active**2 * (n_active if isinstance(self.data, Moments) else self._n_rows()) > MOST_WORK:
                return None
            freedom[index] = self._shrunk_freedom(index)
        return at_point(gaussian_likelihood(self, freedom, self.coef_sparse.shape[1]), index)

    def loo(self) -> LeaveOneOut:
        """Approximate leave-one-out by the residuals over one minus leverage on the active set.

        This is exact for a ridge regression on the active columns; it ignores columns that would enter, leave or change
        sign without the sample.
        """
        data = self._rows()
        fitted = self.predict(data)
        left_out = np.empty_like(fitted)
        weight = data.weights
        others = weight.sum() - weight
        without = (weight @ data.y - weight * data.y) / others if self.has_intercept else np.zeros(data.n_rows)
        for p in range(len(self.grid)):
            leverage = self._leverage(p)
            residual = (data.y - fitted[:, p]) / np.maximum(1 - leverage, LEAST_LEFT)
            # The fit follows a row of leverage one exactly, so the formula is undefined there: use the mean of the
            # other rows.
            left_out[:, p] = np.where(1 - leverage > LEAST_LEFT, data.y - residual, without)
        # The formula diverges near such rows; a refit would not, since its active set would change.
        span = np.ptp(data.y)
        left_out = np.clip(left_out, data.y.min() - span, data.y.max() + span)
        return LeaveOneOut(left_out, False, "the active set is held fixed")

    def _leverage(self, point: int) -> NDArray[np.float64]:
        active = self._active(point)
        columns, weight = self._centered(active)
        base = weight if self.has_intercept else np.zeros(len(columns))
        if len(active) == 0:
            return base
        scaled = columns * np.sqrt(weight)[:, None]
        gram = scaled.T @ scaled + np.diag(self.ridge(point, active))
        lower, is_sound = _cholesky(gram)
        if not is_sound:  # singular: the active columns are collinear on these rows
            vectors, sizes, _ = linalg.svd(scaled, full_matrices=False)
            keep = sizes > 1e-10 * sizes.max()
            return base + np.sum(vectors[:, keep] ** 2, axis=1)
        half = linalg.solve_triangular(lower, scaled.T, lower=True, check_finite=False)
        return base + np.sum(half**2, axis=0)

    @property
    def l1_norm(self) -> NDArray[np.float64]:
        """Sum of absolute coefficients at each point."""
        return np.asarray(abs(self.coef_sparse).sum(axis=1)).ravel()


@dataclass(frozen=True, kw_only=True)
class LinearPath(SparseLinearPath):
    """Path of penalized linear models over a decreasing grid of penalties.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Penalties alpha, from the largest (simple) to the smallest (complex).
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_features)
        Coefficients; zeros are exact. ``coef`` is the same as a dense array.
    intercept : ndarray of shape (n_points,)
    dual_gap : ndarray of shape (n_points,)
        Upper bound on how far the objective is above its minimum, as a fraction of the objective of the null model:
        a certificate computed from the solution itself.
    mean_squared_error : ndarray of shape (n_points,)
        Mean squared error on the training samples.
    names : sequence of str
    scale : ndarray of shape (n_features,) or None
        Standard deviation of each column, if columns were standardized. ``coef * scale`` are the coefficients of the
        standardized columns.
    """

    dual_gap: NDArray[np.float64]
    l2: NDArray[np.float64]  # ridge penalty on the scale of the mean loss
    factor: NDArray[np.float64] | None
    group: NDArray[np.int32] | None = None
    scale: NDArray[np.float64] | None = None

    def _has_ridge(self) -> NDArray[np.bool_]:
        return self.l2 > 0

    def ridge(self, point: int, active: NDArray) -> NDArray[np.float64]:
        return self.l2[point] * ridge_factor(self.factor, self.scale, active)

    def loo(self) -> LeaveOneOut:
        return held_scales(super().loo(), self.scale)

    def _n_spare(self) -> NDArray[np.int64]:
        """Count the groups whose columns sum to a constant, as the indicators of all values of a category do."""
        found = super()._n_spare()
        if self.group is None or not self.has_intercept:
            return found
        known: dict[bytes, bool] = {}
        for p in range(len(found)):
            active = np.sort(self._active(p))
            active = active[np.argsort(self.group[active], kind="stable")]
            for columns in np.split(active, np.flatnonzero(np.diff(self.group[active])) + 1):
                key = columns.tobytes()
                if key not in known:
                    known[key] = len(columns) > 1 and self._sum_is_constant(columns)
                found[p] += known[key]
        return found

    def _sum_is_constant(self, columns: NDArray) -> bool:
        second = self._second(columns)
        return bool(second.sum() <= CONSTANT * np.trace(second))

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "dual_gap": self.dual_gap}


def _cholesky(gram: NDArray) -> tuple[NDArray, bool]:
    try:
        lower = linalg.cholesky(gram, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return gram, False
    pivots = np.diag(lower) ** 2
    return lower, bool((pivots > 1e-12 * np.diag(gram)).all())
