"""The soft threshold against a search over a grid, and against the lasso."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from vitalfew import Lasso, soft_threshold


@given(st.floats(-50, 50), st.floats(0, 60))
def test_it_minimizes_the_lasso_of_one_number(y, threshold):
    found = minimize_scalar(lambda t: (y - t) ** 2 / 2 + threshold * abs(t), bounds=(-60, 60), options={"xatol": 1e-10})
    own = float(soft_threshold(y, threshold))
    value = (y - own) ** 2 / 2 + threshold * abs(own)
    assert value <= found.fun + 1e-9


def test_the_lasso_of_orthonormal_features():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(50, 6)))[0] * np.sqrt(50)
    y = X @ [3, -2, 0.4, 0, 1, -0.2] + rng.normal(size=50)
    model = Lasso(0.5, fit_intercept=False, standardize=False, tol=1e-13).fit(X, y)
    np.testing.assert_allclose(model.coef_, soft_threshold(X.T @ y / 50, 0.5), atol=1e-9)


def test_a_negative_threshold_is_refused():
    with pytest.raises(ValueError, match="nonnegative"):
        soft_threshold([1.0], [-1.0])
