"""Leave-one-out predictions without refitting, for the models that have a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import Ridge as PeerRidge

from vitalfew.families.left_out import LeftOut
from vitalfew.families.ridge.ridge import Ridge


def leave_out(model: Any, X: Any, y: Any, weight: NDArray[np.float64] | None) -> LeftOut | str:
    """Apply the formula for models of exactly this class, with nonzero weights, or return why there is none."""
    if type(model) in (LinearRegression, PeerRidge):
        return _peer(model, X, y, weight)
    if "_leave_out" not in vars(type(model)):  # a subclass may predict in another way
        return f"there is no formula for {type(model).__name__}"
    return model._leave_out(X, y, weight)


def _peer(model: Any, X: Any, y: Any, weight: NDArray[np.float64] | None) -> LeftOut | str:
    """Apply the ridge formula to scikit-learn's least squares and ridge regression (same objective)."""
    alpha = 0.0 if isinstance(model, LinearRegression) else model.alpha
    if model.positive or np.ndim(alpha) > 0 or np.ndim(y) > 1:
        return "there is no formula for nonnegative coefficients or several targets"
    return Ridge(float(alpha), fit_intercept=model.fit_intercept, standardize=False)._leave_out(X, y, weight)
