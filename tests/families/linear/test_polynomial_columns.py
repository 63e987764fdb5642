"""Columns that are powers of another one, to rounding, get back the digits that rounding took."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import PolynomialFeatures

from vitalfew.families.linear.polynomial_columns import lost_digits


def exact_rest(x, exponent, column):
    """x to the power, minus the column, in rational arithmetic."""
    return np.array([float(Fraction(v) ** exponent - Fraction(c)) for v, c in zip(x.tolist(), column.tolist())])


@given(st.lists(st.floats(-50, 50).filter(lambda v: abs(v) > 1e-3), min_size=3, max_size=20), st.integers(2, 12))
def test_what_rounding_took_is_found(values, exponent):
    x = np.array(values)
    column = x**exponent
    expected = exact_rest(x, exponent, column)
    found = lost_digits(np.column_stack([x, column]))
    if expected.any() and (np.abs(np.abs(np.log2(np.abs(x)))) > 0.01).any():
        np.testing.assert_allclose(found[1], expected, rtol=1e-9, atol=1e-30 * np.abs(column).max())
    assert 0 not in found or np.allclose(x, column ** round(np.log(abs(x[0])) / np.log(abs(column[0]))), rtol=1e-14)


@pytest.mark.parametrize("degree", [2, 5, 10])
def test_products_of_scikit_learn_are_powers_too(degree):
    x = np.random.default_rng(0).uniform(-9, -3, 80)
    X = PolynomialFeatures(degree, include_bias=False).fit_transform(x[:, None])
    found = lost_digits(X)
    assert sorted(found) == list(range(1, degree))
    for j, lost in found.items():
        np.testing.assert_allclose(lost, exact_rest(x, j + 1, X[:, j]), rtol=1e-9, atol=1e-30 * np.abs(X[:, j]).max())


@pytest.mark.parametrize(
    "X",
    [
        np.empty((0, 3)),
        np.zeros((5, 3)),
        np.random.default_rng(0).integers(0, 2, (30, 4)).astype(float),
        np.random.default_rng(0).normal(size=(30, 4)),
        np.column_stack([np.arange(20.0), np.arange(20.0) ** 3]),
        np.column_stack([np.linspace(1e200, 1e250, 9), np.linspace(1, 2, 9)]),
        np.full((4, 1001), 1.5),
    ],
    ids=["no rows", "zeros", "ones", "normal", "exact powers", "huge", "many columns"],
)
def test_nothing_is_found_where_nothing_is_lost(X):
    assert lost_digits(X) == {}


def test_one_row_that_differs_is_enough():
    x = np.linspace(1.1, 1.9, 200)
    X = np.column_stack([x, x**3])
    assert list(lost_digits(X)) == [1]
    X[100, 1] *= 1 + 1e-13
    assert lost_digits(X) == {}
