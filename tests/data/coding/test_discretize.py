"""Cuts of numeric columns against the formula of Fayyad & Irani (1993) and NumPy's quantiles."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from vitalfew import _core
from vitalfew.data.coding.discretize import STRATEGIES, Discretizer, apply_cuts, cut_columns


def entropy_bits(y, w):
    p = np.bincount(y, weights=w) / w.sum()
    return -(p[p > 0] * np.log2(p[p > 0])).sum()


def oracle_mdl_cuts(x, y, w=None):
    """Every value is tried as a cut, in rising order; the first best one stays if the criterion accepts."""
    w = np.ones(len(x)) if w is None else w
    is_used = ~np.isnan(x) & (w > 0)
    x, y, w = x[is_used], y[is_used], w[is_used]
    values, N = np.unique(x), w.sum()
    best = (-np.inf, None, None)
    for low, high in pairwise(values):
        left = x <= low
        rest = sum(w[s].sum() / N * entropy_bits(y[s], w[s]) for s in (left, ~left))
        gain = entropy_bits(y, w) - rest
        if gain > best[0] + 1e-11:
            middle = low / 2 + high / 2
            best = (gain, left, middle if low <= middle < high else low)
    gain, left, cut = best
    if left is None or N < 2:
        return np.empty(0)
    k, k1, k2 = (len(np.unique(y[s])) for s in (slice(None), left, ~left))
    Ent, Ent1, Ent2 = (entropy_bits(y[s], w[s]) for s in (slice(None), left, ~left))
    if gain <= (np.log2(N - 1) + np.log2(3.0**k - 2) - (k * Ent - k1 * Ent1 - k2 * Ent2)) / N:
        return np.empty(0)
    parts = [oracle_mdl_cuts(x[s], y[s], w[s]) for s in (left, ~left)]
    return np.concatenate([parts[0], [cut], parts[1]])


def kernel_cuts(x, y, w=None, threads=1):
    return _core.mdl_cuts(x, y.astype(np.int32), w, int(y.max(initial=0)) + 1, threads).value


EXTREMES = [np.nan, 0.0, -0.0, 1e300, -1e300, np.finfo(float).max, 5e-324, -5e-324, 1.0, np.nextafter(1.0, 2)]


@st.composite
def columns(draw):
    """A column and its classes: ties and extremes, or values that follow the class with some noise."""
    n, n_classes = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, n_classes, n)
    kind = draw(st.sampled_from(["extremes", "ties", "distinct", "blocks"]))
    if kind == "extremes":
        return rng.choice(EXTREMES, n), np.sort(y)
    if kind == "blocks":
        return np.arange(n) / 7, np.sort(y)
    x = y * draw(st.sampled_from([0.0, 1.0, 3.0])) + rng.normal(size=n)
    x[rng.random(n) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    return (np.round(x) if kind == "ties" else x), y


@given(columns())
def test_cuts_equal_the_formula(column):
    x, y = column
    np.testing.assert_array_equal(kernel_cuts(x, y), oracle_mdl_cuts(x, y))


@given(columns(), st.integers(0, 2**32 - 1))
def test_weights_equal_the_formula(column, seed):
    x, y = column
    w = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 1.7, 5.0], len(x))
    np.testing.assert_array_equal(kernel_cuts(x, y, w), oracle_mdl_cuts(x, y, w))


@given(columns(), st.sampled_from(STRATEGIES), st.integers(0, 2**32 - 1))
def test_weight_2_is_a_row_given_twice_and_weight_0_an_absent_row(column, strategy, seed):
    x, y = column
    times = np.random.default_rng(seed).integers(0, 3, len(x))
    twice = np.repeat(np.arange(len(x)), times)
    y = y.astype(np.int32)
    weighted = cut_columns(x[:, None], y, 4, times.astype(float), strategy, 4, 1)
    repeated = cut_columns(x[twice, None], y[twice], 4, None, strategy, 4, 1)
    np.testing.assert_array_equal(weighted[0], repeated[0])


@given(columns(), st.sampled_from(STRATEGIES), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(column, strategy, random):
    x, y = column
    rows = random.sample(range(len(x)), len(x))
    y = y.astype(np.int32)
    cuts = [cut_columns(x[r, None], y[r], 4, None, strategy, 4, 1)[0] for r in (slice(None), rows)]
    np.testing.assert_array_equal(*cuts)


@given(columns(), st.sampled_from(STRATEGIES))
def test_cuts_rise_and_leave_no_end_empty(column, strategy):
    x, y = column
    (cuts,) = cut_columns(x[:, None], y.astype(np.int32), 4, None, strategy, 4, 1)
    assert (np.diff(cuts) > 0).all()
    codes = apply_cuts(x, cuts)
    np.testing.assert_array_equal(np.isnan(codes), np.isnan(x))
    present = np.unique(codes[~np.isnan(codes)])
    if len(cuts):
        assert {0, len(cuts)} <= set(present)
    if strategy != "uniform" and present.size:
        np.testing.assert_array_equal(present, np.arange(len(cuts) + 1))


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_and_layouts_give_the_same_bits(weighted):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 3000).astype(np.int32)
    X = rng.normal(size=(3000, 37)) + y[:, None] * rng.random(37)
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.random(3000) * 3 if weighted else None
    found = _core.mdl_cuts(X, y, w, 5, 1)
    flat, start = found.value, found.start
    assert len(start) == 38
    assert start[-1] == len(flat) > 37
    for table, threads in [(X, 2), (np.asfortranarray(X), 2), (np.repeat(X, 2, axis=1)[:, ::2], 0)]:
        other = _core.mdl_cuts(table, y, w, 5, threads)
        np.testing.assert_array_equal(other.value, flat)
        np.testing.assert_array_equal(other.start, start)
    np.testing.assert_array_equal(_core.mdl_cuts(X[:, 5], y, w, 5).value, flat[start[5] : start[6]])


def test_many_rows_equal_the_formula():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 4000)
    x = np.round(rng.normal(size=4000) + y, 2)
    np.testing.assert_array_equal(kernel_cuts(x, y), oracle_mdl_cuts(x, y))


def test_many_classes_do_not_overflow():
    y = np.repeat(np.arange(2000), 3)
    assert len(kernel_cuts(y.astype(float), y)) == 1999


def test_iris_has_the_cuts_of_the_literature():
    X, y = load_iris(return_X_y=True)
    cuts = Discretizer().fit(X, y).cuts_
    for j in range(4):
        np.testing.assert_array_equal(cuts[j], oracle_mdl_cuts(X[:, j], y))
    np.testing.assert_allclose(cuts[2], [2.45, 4.75])
    np.testing.assert_allclose(cuts[3], [0.8, 1.75])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": np.array([[0.0], [np.inf]])}, "column 0 has an infinite value"),
        ({"label": np.array([0, 2], dtype=np.int32)}, "labels must be in"),
        ({"label": np.array([0, -1], dtype=np.int32)}, "labels must be in"),
        ({"label": np.zeros(3, dtype=np.int32)}, "one entry per row"),
        ({"weight": np.ones(1)}, "one entry per row"),
        ({"weight": np.array([1.0, -1.0])}, "must not be negative or NaN"),
        ({"weight": np.array([1.0, np.nan])}, "must not be negative or NaN"),
        ({"weight": np.array([1.0, np.inf])}, "sum of weights"),
    ],
)
def test_kernel_refuses_what_it_cannot_use(change, message):
    good = {"table": np.zeros((2, 1)), "label": np.zeros(2, dtype=np.int32), "weight": None, "n_classes": 2}
    with pytest.raises(ValueError, match=message):
        _core.mdl_cuts(**{**good, **change})


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (1, 2)])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_small_tables_have_no_cuts(shape, strategy):
    cuts = cut_columns(np.zeros(shape), np.zeros(shape[0], dtype=np.int32), 1, None, strategy, 3, 1)
    assert [len(c) for c in cuts] == [0] * shape[1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40, unique=True), st.integers(2, 6))
def test_quantiles_of_distinct_values_are_those_of_numpy(values, n_bins):
    x = np.array(values)
    (cuts,) = cut_columns(x[:, None], None, 0, None, "quantile", n_bins, 1)
    quantiles = np.quantile(x, np.arange(1, n_bins) / n_bins, method="averaged_inverted_cdf")
    if len(x) % n_bins == 0:
        assert len(cuts) == n_bins - 1
    rounding = 1e-12 * np.abs(x).max()
    assert np.isclose(cuts[:, None], quantiles, rtol=0, atol=rounding).any(axis=1).all()


def test_tied_quantiles_collapse():
    x = np.array([0.0] * 8 + [1.0, 2.0])
    assert cut_columns(x[:, None], None, 0, None, "quantile", 5, 1)[0].tolist() == [0.0]
    assert cut_columns(np.full((9, 1), 3.0), None, 0, None, "quantile", 5, 1)[0].size == 0


@given(st.floats(-1e307, 1e307), st.floats(-1e307, 1e307), st.integers(2, 9))
def test_uniform_cuts_are_a_linspace(a, b, n_bins):
    (cuts,) = cut_columns(np.array([[a], [b]]), None, 0, None, "uniform", n_bins, 1)
    expected = np.linspace(min(a, b), max(a, b), n_bins + 1)[1:-1] if a != b else []
    if len(cuts) == len(expected):
        np.testing.assert_allclose(cuts, expected, rtol=1e-12, atol=1e-300)
    else:
        assert abs(a - b) <= n_bins * max(5e-324, np.spacing(max(abs(a), abs(b))))


def test_uniform_range_may_exceed_the_largest_float():
    largest = np.finfo(float).max
    (cuts,) = cut_columns(np.array([[-largest], [largest]]), None, 0, None, "uniform", 2, 1)
    assert cuts.tolist() == [0.0]


def test_apply_cuts_counts_the_cuts_below():
    x = np.array([-1e300, 1.0, np.nextafter(1.0, 2), 2.5, 1e300, np.nan])
    np.testing.assert_array_equal(apply_cuts(x, np.array([1.0, 2.5])), [0, 0, 1, 1, 2, np.nan])
    many = np.arange(300.0)
    np.testing.assert_array_equal(apply_cuts(x, many), [0, 1, 2, 3, 300, np.nan])


@parametrize_with_checks([Discretizer("mdl"), Discretizer("quantile"), Discretizer("uniform")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_missing_stays_missing_and_unseen_extremes_go_to_the_outer_bins(strategy):
    X, y = load_iris(return_X_y=True)
    X[::10, 0] = np.nan
    discretizer = Discretizer(strategy).fit(X, y)
    codes = discretizer.transform([[np.nan, -1e9, 1e9, 1e300]])
    np.testing.assert_array_equal(codes, [[np.nan, 0, *(discretizer.n_bins_[2:] - 1)]])


@pytest.mark.parametrize(("engine", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output_keeps_the_names(engine, frame):
    X, y = load_iris(return_X_y=True)
    data = frame(dict(zip("abcd", X.T)))
    codes = Discretizer().set_output(transform=engine).fit_transform(data, y)
    assert isinstance(codes, frame)
    assert list(codes.columns) == list("abcd")
    np.testing.assert_array_equal(codes.to_numpy(), Discretizer().fit_transform(X, y))


def test_interval_labels():
    X, y = load_iris(return_X_y=True)
    assert Discretizer().fit(X, y).interval_labels(3) == ["<= 0.8", "0.8 – 1.75", "> 1.75"]
    assert Discretizer("uniform").fit(np.ones((4, 1))).interval_labels(0) == ["any value"]
    near = Discretizer("uniform", n_bins=3).fit([[1e9], [1e9 + 3]])
    assert near.interval_labels(0) == ["<= 1000000001", "1000000001 – 1000000002", "> 1000000002"]


def test_string_classes_and_jobs():
    X, y = load_iris(return_X_y=True)
    a, b = Discretizer().fit(X, y), Discretizer(n_jobs=2).fit(X, np.array(["u", "v", "w"], dtype=object)[y])
    for mine, other in zip(a.cuts_, b.cuts_):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 1.0, np.nan, 1.0], "missing label in row 2"),
        (np.array(["a", None, "b", "b"], dtype=object), "missing label in row 1"),
        (pd.Series([1, 2, 1, None], dtype="Int64"), "missing label in row 3"),
        ([0.5, 1.5, 2.25, 3.125], "Unknown label type"),
        (None, "requires y"),
    ],
)
def test_labels_that_are_no_classes(y, message):
    with pytest.raises(ValueError, match=message):
        Discretizer().fit(np.arange(4.0)[:, None], y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -1], ">= 0, got -1"),
        ([0, 0, 0], "zero for every row"),
        ([1, 1, np.nan], "NaN"),
        ([1, 1], "inconsistent numbers"),
        ([[1], [1], [1]], "2 dimensions"),
        ([1e308, 1e308, 1], "sum to less than"),
    ],
)
def test_weights_that_are_no_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        Discretizer("quantile").fit(np.arange(3.0)[:, None], sample_weight=weight)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_infinity_names_the_column_and_the_remedy(strategy):
    data = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, -np.inf]})
    message = re.escape("infinite value in column 'b'") + ".*Replace it"
    with pytest.raises(ValueError, match=message):
        Discretizer(strategy).fit(data, [0, 1])
    discretizer = Discretizer(strategy).fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    with pytest.raises(ValueError, match="infinite value in column 1"):
        discretizer.transform([[0.0, np.inf]])


@pytest.mark.parametrize("parameters", [{"strategy": "kmeans"}, {"n_bins": 1}, {"n_bins": 2.5}])
def test_bad_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        Discretizer(**parameters).fit([[1.0], [2.0]], [0, 1])
