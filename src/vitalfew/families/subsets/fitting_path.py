"""Path of forward-fitting: the change made by each step, and the model after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coefficient_path import CoefficientPath, gaussian_likelihood
from vitalfew.rules.path import Likelihood
from vitalfew.summaries.moments import Moments
from vitalfew.support.optional import make_frame


@dataclass(frozen=True)
class Steps:
    """Sequence of changes to one coefficient at a time."""

    column: NDArray[np.int32]
    change: NDArray[np.float64]

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """Columns changed by any step, in increasing order."""
        return np.unique(self.column).astype(np.intp)

    def coefficients(self, sizes: NDArray) -> NDArray[np.float64]:
        """Return the coefficients of these columns after each number of steps, at most the last: (sizes, columns)."""
        if len(sizes) == 1:  # a million steps take no table
            taken, d = slice(0, int(sizes[0])), len(self.columns)
            place = np.searchsorted(self.columns, self.column[taken])
            return np.bincount(place, self.change[taken], minlength=d).astype(np.float64)[None]
        moved = np.zeros((len(self.column) + 1, len(self.columns)))
        moved[np.arange(1, len(moved)), np.searchsorted(self.columns, self.column)] = self.change
        return np.cumsum(moved, axis=0)[np.minimum(sizes, len(self.column))]

    def n_nonzero(self, sizes: NDArray) -> NDArray[np.int64]:
        """Return the number of nonzero coefficients after each number of steps, without a table of coefficients."""
        order = np.argsort(self.column, kind="stable")
        entered = np.zeros(len(order) + 1, dtype=np.int64)
        for own in np.split(order, np.flatnonzero(np.diff(self.column[order])) + 1):
            is_nonzero = np.cumsum(self.change[own]) != 0
            entered[own + 1] = np.diff(is_nonzero.astype(np.int64), prepend=0)
        return np.cumsum(entered)[np.minimum(sizes, len(self.column))]


@dataclass(frozen=True, kw_only=True)
class FittingPath(CoefficientPath):
    """Path of forward-fitting models, one after each step.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Numbers of steps, from 0.
    steps : Steps
        Column selected by each step (``column``) and the change of its coefficient (``change``).
    intercept : ndarray of shape (n_points,)
    mean_squared_error : ndarray of shape (n_points,)
        Mean squared error on the training samples.
    names : sequence of str
    """

    grid: NDArray
    steps: Steps
    intercept: NDArray[np.float64]
    mean_squared_error: NDArray[np.float64]
    names: Sequence[str]
    n_columns: int
    has_intercept: bool
    n_samples: float
    data: NumericData | Moments | None = None

    knob = "steps"
    knob_title = "steps"

    def used(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the columns selected by any step, and their coefficients (points, columns)."""
        return self.steps.columns, self.steps.coefficients(self.grid)

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Number of nonzero coefficients at each point."""
        return self.steps.n_nonzero(self.grid)

    @property
    def coef(self) -> NDArray[np.float64]:
        """Coefficients as a dense array of shape (n_points, n_features)."""
        index, coef = self.used()
        full = np.zeros((len(self.grid), self.n_columns))
        full[:, index] = coef
        return full

    def at(self, index: int) -> tuple[NDArray[np.float64], float]:
        """Return the coefficients and intercept of one point."""
        coef = np.zeros(self.n_columns)
        coef[self.steps.columns] = self.steps.coefficients(self.grid[[index]])[0]
        return coef, float(self.intercept[index])

    def log_likelihood(self) -> Likelihood:
        """Return the Gaussian likelihood at the maximum-likelihood variance.

        The parameter count is the number of features selected so far, which is too high, since their coefficients are
        not fitted jointly.
        """
        return gaussian_likelihood(self, self.n_features.astype(float), self.n_columns)

    def to_frame(self) -> Any:
        """Return a data frame with one row per step: iteration, feature, change, and J (half the sum of squares)."""
        taken = len(self.steps.column)
        return make_frame(
            {
                "iteration": np.arange(1, taken + 1),
                "feature": np.array([str(self.names[j]) for j in self.steps.column], dtype=object),
                "change": self.steps.change,
                "J": 0.5 * self.n_samples * self.mean_squared_error[1 : taken + 1],
            }
        )

    @classmethod
    def from_kernel(
        cls,
        found: _core.FittingSteps,
        data: Any,
        seen: Any,
        has_intercept: bool,
        grid: NDArray | None,
        names: Sequence[str],
    ) -> FittingPath:
        """Return the path for `data` that a kernel found from `seen`, its rows or its moments.

        Points of the grid beyond the last step have the final model.
        """
        steps = Steps(found.column, found.change)
        points = np.arange(len(steps.column) + 1) if grid is None else np.asarray(grid)
        loss = np.append(found.null_loss, found.loss)[np.minimum(points, len(steps.column))]
        intercept = np.zeros(len(points))
        if has_intercept:
            mean, y_mean = _means(seen, steps.columns)
            shift = np.append(0.0, np.cumsum(steps.change * mean[np.searchsorted(steps.columns, steps.column)]))
            intercept = y_mean - shift[np.minimum(points, len(steps.column))]
        return cls(
            grid=points,
            steps=steps,
            intercept=intercept,
            mean_squared_error=2 * loss,
            names=names,
            n_columns=data.n_features,
            has_intercept=has_intercept,
            n_samples=data.weight_sum,
            data=data,
        )


def _means(data: NumericData | Moments, columns: NDArray) -> tuple[NDArray, float]:
    """Return the weighted means of some columns, and of y."""
    if isinstance(data, Moments):
        return data.mean[columns], float(data.mean[-1])
    weight = data.weights / data.weight_sum
    part = data.X[:, columns]
    part = sparse.csr_array(part) if sparse.issparse(part) else np.asarray(part, dtype=float)
    return np.asarray(part.T @ weight).ravel(), float(weight @ data.target)
