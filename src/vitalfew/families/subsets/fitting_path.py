"""The path of forward-fitting: what each step did, and the model after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coefficient_path import CoefficientPath, gaussian_likelihood
from vitalfew.rules.path import Likelihood
from vitalfew.summaries.moments import Moments
from vitalfew.support.optional import make_frame


@dataclass(frozen=True)
class Steps:
    """Changes of one coefficient at a time."""

    column: NDArray[np.int32]
    change: NDArray[np.float64]

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """Columns that some step changes, in rising order."""
        return np.unique(self.column).astype(np.intp)

    def coefficients(self, sizes: NDArray) -> NDArray[np.float64]:
        """Coefficients of these columns after so many steps, or after the last: (sizes, columns)."""
        moved = np.zeros((len(self.column) + 1, len(self.columns)))
        moved[np.arange(1, len(moved)), np.searchsorted(self.columns, self.column)] = self.change
        return np.cumsum(moved, axis=0)[np.minimum(sizes, len(self.column))]


@dataclass(frozen=True, kw_only=True)
class FittingPath(CoefficientPath):
    """Models of forward-fitting after each step.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Numbers of steps, from 0.
    steps : Steps
        The column that each step takes (``column``) and the change of its coefficient (``change``).
    intercept : ndarray of shape (n_points,)
    mean_squared_error : ndarray of shape (n_points,)
        On the training rows.
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
        """Columns that some step takes, and their coefficients: (points, columns)."""
        return self.steps.columns, self.steps.coefficients(self.grid)

    @property
    def coef(self) -> NDArray[np.float64]:
        """Coefficients as a dense array of shape (n_points, n_features)."""
        index, coef = self.used()
        full = np.zeros((len(self.grid), self.n_columns))
        full[:, index] = coef
        return full

    def at(self, index: int) -> tuple[NDArray[np.float64], float]:
        """Coefficients and intercept of one point."""
        coef = np.zeros(self.n_columns)
        coef[self.steps.columns] = self.steps.coefficients(self.grid[[index]])[0]
        return coef, float(self.intercept[index])

    def log_likelihood(self) -> Likelihood:
        """Gaussian, the variance at its maximum; parameters are the features taken so far, which counts too many: their
        coefficients are not fitted together."""
        return gaussian_likelihood(self, self.n_features.astype(float), self.n_columns)

    def to_frame(self):
        """A line for each step: iteration, feature, change of its coefficient, and J (half the sum of squares) then."""
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
    def from_kernel(cls, found: dict, data, seen, has_intercept: bool, grid: NDArray | None, names) -> FittingPath:
        """The path a kernel found of `data`, of which it has `seen` the rows or the moments.

        After the last step it took, the model stays as it is.
        """
        steps = Steps(found["column"], found["change"])
        points = np.arange(len(steps.column) + 1) if grid is None else np.asarray(grid)
        loss = np.append(found["null_loss"], found["loss"])[np.minimum(points, len(steps.column))]
        intercept = np.zeros(len(points))
        if has_intercept:
            mean, y_mean = _means(seen, steps.columns)
            intercept = y_mean - steps.coefficients(points) @ mean
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
    """Weighted means of some columns, and of y."""
    if isinstance(data, Moments):
        return data.mean[columns], float(data.mean[-1])
    weight = data.weights / data.weight_sum
    part = data.X[:, columns]
    part = sparse.csr_array(part) if sparse.issparse(part) else np.asarray(part, dtype=float)
    return np.asarray(part.T @ weight).ravel(), float(weight @ data.target)
