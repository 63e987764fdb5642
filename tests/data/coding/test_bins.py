"""Bins of tables: exact where a column has few values, in order where it has many, the same for dense and sparse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from strategies import SEEDS
from vitalfew.data.coding.bins import BinCoder, DenseBins, SparseBins, to_dense
from vitalfew.data.samples.binned_data import BinnedData


@st.composite
def numbers(draw, may_miss=True, max_rows=60):
    """Columns of few and of many values, constant ones, large and small numbers, missing ones."""
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.normal(size=(n, d))
    for j in range(d):
        fate = rng.integers(0, 6)
        if fate == 0:
            X[:, j] = rng.integers(-2, 3, n)
        elif fate == 1:
            X[:, j] = rng.normal()
        elif fate == 2:
            X[:, j] *= 10.0 ** rng.integers(-300, 300)
        elif fate == 3:
            X[rng.random(n) < 0.7, j] = 0
    if may_miss:
        X[rng.random((n, d)) < rng.choice([0.0, 0.3])] = np.nan
    return X


def check_bins(coder, bins, X):
    for j in range(X.shape[1]):
        size = bins.offsets[j + 1] - bins.offsets[j] - 1
        assert size == coder.n_bins(j) == len(coder.cuts[j]) + 1
        code, known = np.asarray(bins.column(j)).astype(int), ~np.isnan(X[:, j])
        assert (code[~known] == size).all()
        expected = np.searchsorted(coder.cuts[j], X[known, j], side="left")
        np.testing.assert_array_equal(code[known], expected)
        assert (np.diff(coder.cuts[j]) > 0).all()


@given(numbers(), st.integers(2, 70), st.sampled_from([np.float64, np.float32]))
def test_codes_count_the_cuts_below(X, most, kind):
    with np.errstate(over="ignore"):
        X = np.nan_to_num(X.astype(kind), nan=np.nan, posinf=1e30, neginf=-1e30)
    coder = BinCoder(most)
    bins = coder.fit(X)
    assert isinstance(bins, DenseBins)
    check_bins(coder, bins, X.astype(np.float64))
    for j in range(X.shape[1]):
        distinct = np.unique(X[~np.isnan(X[:, j]), j])
        if len(distinct) <= most:  # then each value has its own bin
            assert coder.n_bins(j) == max(len(distinct), 1)
        else:
            assert 1 <= coder.n_bins(j) <= most
    again = coder.transform(X)
    np.testing.assert_array_equal(again.codes, bins.codes)


def cuts_of_sorted(x, most):
    """Cuts at the quantiles of all values in order, each moved up to where the value changes."""
    x = np.sort(x[~np.isnan(x)])
    cuts, last = [], 0
    for q in range(1, most):
        at = max(q * len(x) // most, last + 1)
        while at < len(x) and x[at - 1] == x[at]:
            at += 1
        if at >= len(x):
            break
        cuts.append((x[at - 1] + x[at]) / 2)
        last = at
    return cuts


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "most"), [(300, 17), (2000, 40), (5000, 255), (16_000, 255)])
def test_cuts_at_quantiles_need_no_sorting(n, most, order):
    rng = np.random.default_rng(n)
    columns = [rng.normal(size=n), rng.lognormal(0, 4, n), np.arange(n), -np.arange(n), rng.integers(0, most + 3, n)]
    columns += [np.where(rng.random(n) < 0.6, 0, rng.normal(size=n)), np.where(rng.random(n) < 0.3, np.nan, columns[0])]
    columns += [np.where(np.arange(n) == n // 2, 1e300, columns[0]), rng.integers(0, 2, n), rng.normal(size=n)]
    X = np.array(np.column_stack(columns), order=order)
    coder = BinCoder(most)
    check_bins(coder, coder.fit(X), X)
    for j in range(X.shape[1]):
        if len(np.unique(X[:, j])) > most + 1:
            np.testing.assert_array_equal(coder.cuts[j], cuts_of_sorted(X[:, j], most))


@given(numbers(), st.integers(2, 70))
def test_codes_keep_the_order(X, most):
    bins = BinCoder(most).fit(X)
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        value, code = X[known, j], bins.codes[known, j].astype(int)
        order = np.argsort(value, kind="stable")
        assert (np.diff(code[order]) >= 0).all()


@given(numbers(may_miss=False))
def test_sparse_bins_are_dense_bins(X):
    X[np.abs(X) > 1e100] = 1.0
    dense, thin = BinCoder(255), BinCoder(255)
    a, b = dense.fit(X), thin.fit(sparse.csr_array(X))
    assert isinstance(b, SparseBins)
    check_bins(thin, b, X)
    written = to_dense(b)
    for j in range(X.shape[1]):
        np.testing.assert_array_equal(written.codes[:, j], a.codes[:, j])
    rows = np.arange(len(X))[::2]
    np.testing.assert_array_equal(to_dense(b.take(rows)).codes, written.codes[rows])
    table = np.random.default_rng(0).normal(size=(b.offsets[-1], 2))
    np.testing.assert_allclose(b.score(table), a.score(table), atol=1e-9)
    np.testing.assert_array_equal(to_dense(thin.transform(X)).codes, written.codes)


@given(numbers())
def test_scores_are_sums_of_lines(X):
    bins = BinCoder(9).fit(X)
    table = np.random.default_rng(0).normal(size=(bins.offsets[-1], 3))
    expected = sum(table[bins.offsets[j] + bins.codes[:, j]] for j in range(X.shape[1]))
    np.testing.assert_allclose(bins.score(table), expected, atol=1e-12)


def test_bins_hold_about_as_many_rows():
    X = np.random.default_rng(0).lognormal(size=(100_000, 1))
    coder = BinCoder(50)
    count = np.bincount(coder.fit(X).codes[:, 0])
    assert len(count) == 50
    assert 0.55 * 2000 < count.min() <= count.max() < 1.45 * 2000


@pytest.mark.parametrize(("most", "kind"), [(255, np.uint8), (256, np.uint16), (65_535, np.uint16)])
def test_many_values_need_two_bytes(most, kind):
    X = np.random.default_rng(0).normal(size=(100_000, 2))
    bins = BinCoder(most).fit(X)
    assert bins.codes.dtype == kind
    assert bins.codes.flags.f_contiguous
    assert bins.codes.max() == most - 1


def test_threads_do_not_matter():
    X = np.random.default_rng(0).normal(size=(30_000, 7))
    a, b = (BinCoder(255, threads=t).fit(X) for t in (1, 2))
    np.testing.assert_array_equal(a.codes, b.codes)


def frame():
    return pd.DataFrame(
        {
            "word": ["b", "a", None, "b"],
            "kind": pd.Categorical([3, 1, 3, None]),
            "number": [1.5, np.nan, 0.5, 1.5],
            "flag": [True, False, True, True],
        }
    )


def test_categories_of_frames():
    coder = BinCoder()
    bins = coder.fit(frame())
    assert list(coder.names) == ["word", "kind", "number", "flag"]
    assert bins.is_category.tolist() == [True, True, False, False]
    assert coder.categories[0].values == ("a", "b")
    assert bins.codes.tolist() == [[1, 1, 1, 1], [0, 0, 2, 0], [2, 1, 0, 1], [1, 2, 1, 1]]


def test_new_categories_count_as_missing():
    coder = BinCoder()
    coder.fit(frame())
    new = frame().assign(word=["a", "z", "b", None])
    assert coder.transform(new).codes[:, 0].tolist() == [0, 2, 1, 2]


@pytest.mark.parametrize("named", [[1], ["x1"], [False, True]])
def test_numbers_may_be_named_categories(named):
    X = np.array([[1.0, 7.0], [2.0, 3.0], [3.0, np.nan]])
    coder = BinCoder(categorical_features=named)
    bins = coder.fit(X)
    assert bins.is_category.tolist() == [False, True]
    assert coder.categories[1].values == (3.0, 7.0)
    assert bins.codes[:, 1].tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ([5], "contains 5, which is not a column of X"),
        (["z"], "contains 'z'"),
        ([True], "must have 2 entries, one per feature, got 1"),
    ],
)
def test_names_that_are_not_there(named, message):
    with pytest.raises(ValueError, match=message):
        BinCoder(categorical_features=named).fit(np.ones((3, 2)))


def test_sparse_has_no_categories():
    with pytest.raises(ValueError, match="categorical_features is not supported for sparse X"):
        BinCoder(categorical_features=[0]).fit(sparse.eye_array(3).tocsr())


@pytest.mark.parametrize("most", [1, 65_536, 2.5, "many"])
def test_numbers_of_bins_out_of_range(most):
    with pytest.raises(ValueError, match="max_bins must be an integer between 2 and 65535"):
        BinCoder(most).fit(np.ones((3, 2)))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_name(value):
    X = np.zeros((5, 3))
    X[4, 1] = value
    with pytest.raises(ValueError, match="infinity: column 'x1', row 4"):
        BinCoder().fit(X)
    coder = BinCoder()
    coder.fit(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="infinity: column 'x1', row 4"):
        coder.transform(X)


def test_other_columns_than_in_training():
    coder = BinCoder()
    coder.fit(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="X has 2 features, but 3 were seen in training"):
        coder.transform(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="column 'x0' contains text such as 'a', but was numeric"):
        coder.transform(np.array([["a", "b", "c"]], dtype=object))


def test_labels_weights_and_folds():
    X = np.arange(12.0).reshape(6, 2)
    y = np.array(["b", "a", "b", "c", "a", "b"])
    data = BinnedData.read(X, y, [1, 2, 1, 0, 1, 1], BinCoder())
    assert data.classes.tolist() == ["a", "b"]  # the only row of class c has no weight
    assert data.y.tolist() == ["b", "a", "b", "a", "b"]
    assert (data.n_rows, data.n_features) == (5, 2)
    assert data.weights.tolist() == [1, 2, 1, 1, 1]
    train, test = data.split(np.array([0, 1]), np.array([4]))
    assert train.bins.codes.flags.f_contiguous
    assert train.y.tolist() == ["b", "a"]
    assert train.weight.tolist() == [1, 2]
    assert test.bins.codes.tolist() == data.bins.codes[[4]].tolist()
    with pytest.raises(ValueError, match="must not be negative"):
        BinnedData.read(X, y, [1, 1, 1, 1, 1, -1], BinCoder())
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BinnedData.read(X, y[:3], None, BinCoder())
