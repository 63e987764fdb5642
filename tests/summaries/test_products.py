"""Sums of products of columns of any number type, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitalfew import _core

TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"]


@st.composite
def mixed_columns(draw):
    n, d = draw(st.integers(1, 300)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = [draw(st.sampled_from(TYPES)) for _ in range(d)]
    columns = [
        (rng.normal(scale=3, size=n) if k[0] == "f" else rng.integers(0, 2 if k == "?" else 50, n)) for k in kinds
    ]
    shift = rng.normal(size=d)
    weight = draw(st.sampled_from([None, rng.exponential(size=n), rng.integers(0, 3, n).astype(float)]))
    return [c.astype(k) for c, k in zip(columns, kinds)], shift, weight


@given(mixed_columns())
def test_sums_are_those_of_numpy(case):
    columns, shift, weight = case
    centered = np.column_stack([c.astype(float) for c in columns]) - shift
    w = np.ones(len(centered)) if weight is None else weight
    found = _core.column_products(columns, shift, weight)
    first, second = found.first, found.second
    size = np.sqrt(np.einsum("ij,i,ij->j", centered, w, centered)) + 1e-100
    np.testing.assert_allclose(first, w @ centered, rtol=1e-12, atol=1e-12 * np.sqrt(w.sum()) * size.max())
    np.testing.assert_allclose(
        second / np.outer(size, size), (centered.T * w) @ centered / np.outer(size, size), atol=1e-12
    )
    assert (second == second.T).all()


def test_values_that_are_not_finite_show_in_their_own_sums_alone():
    columns = [np.arange(200.0), np.arange(200.0)]
    columns[0][150] = np.nan
    found = _core.column_products(columns, np.zeros(2), None)
    first, second = found.first, found.second
    assert np.isnan(first[0])
    assert np.isnan(second[0]).all()
    assert first[1] == 19900
    assert second[1, 1] == np.sum(np.arange(200.0) ** 2)


def test_rows_and_columns_that_are_not_there():
    found = _core.column_products([np.empty(0)], np.zeros(1), None)
    first, second = found.first, found.second
    assert first == 0
    assert second == 0
    assert _core.column_products([], np.zeros(0), None).second.shape == (0, 0)


@pytest.mark.parametrize(
    ("columns", "shift", "weight", "message"),
    [
        ([np.ones(3), np.ones(4)], np.zeros(2), None, "must have the same length"),
        ([np.ones(3)], np.zeros(2), None, "shift must have one entry"),
        ([np.ones(3)], np.zeros(1), np.ones(2), "weights must have one entry"),
        ([np.ones(3, dtype="complex128")], np.zeros(1), None, "must be numeric"),
        ([np.ones(3, dtype="f2")], np.zeros(1), None, "must be numeric"),
    ],
)
def test_what_does_not_fit_is_refused(columns, shift, weight, message):
    with pytest.raises(ValueError, match=message):
        _core.column_products(columns, shift, weight)
