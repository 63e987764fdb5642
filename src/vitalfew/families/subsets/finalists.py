"""Exact losses of the best subsets, where second moments lose too many digits to tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.least_squares import LeastSquares
from vitalfew.summaries.moments import Moments

# Share of the second moment of y within which the search by second moments cannot rank subsets.
ROUNDING = 1e-10
# Error of one mean squared error from second moments, as a share of the second moment of y.
NOISE = 1e-14
# Below this share of the second moment of y, rounding may rank subsets wrongly: finalists are compared on the rows.
NEARLY_PERFECT = 1e-6
MOST_FINALISTS = 100
# Fits of all finalists together may take this many products.
MOST_PRODUCTS = 2**28


def null_error(moments: Moments, has_intercept: bool) -> float:
    """Return the mean squared error of the model without features."""
    return moments.second(has_intercept)[2]


def is_affordable(data: NumericData, subsets: Sequence[NDArray]) -> bool:
    """Return True if least squares on all subsets is fast enough."""
    return data.n_rows * sum((len(subset) + 1) ** 2 for subset in subsets) <= MOST_PRODUCTS


def exact_fit(data: NumericData, columns: NDArray, has_intercept: bool) -> tuple[NDArray, float, float]:
    """Return the coefficients, intercept and mean squared error of least squares on the columns, from the rows."""
    names = [data.names[int(j)] for j in columns]
    fit = LeastSquares(replace(data, X=data.X[:, columns], names=names, moments=None), has_intercept)
    coef, intercept = fit.solution
    return coef, intercept, fit.squared_error / data.weight_sum


def exact_errors(data: NumericData, subsets: Sequence[NDArray], has_intercept: bool) -> NDArray[np.float64]:
    """Return the mean squared error of least squares on each subset.

    An error below the rounding of y itself is a perfect fit and becomes zero.
    """
    errors = np.array([exact_fit(data, columns, has_intercept)[2] for columns in subsets])
    resolution = (np.finfo(float).eps * np.abs(data.y).max(initial=0.0)) ** 2
    return np.where(errors <= resolution, 0.0, errors)
