"""`Moments` against extended precision: any split, any storage, any weights, columns far from zero."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import linear_oracles as oracles
from strategies import SEEDS, partitions, weights
from vitalfew import Moments

KINDS = [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix, pd.DataFrame]


def table(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    X[rng.random((n, d)) < 0.3] = 0
    return X, X[:, 0] + rng.normal(size=n)


def assert_moments(found, X, y, weight=None, tol=1e-12):
    """Equal to those in extended precision, errors measured in standard deviations of the columns."""
    total, mean, scatter = oracles.moments(X, y, weight)
    size = np.sqrt(np.diag(scatter))
    assert found.weight_sum == pytest.approx(total, rel=1e-14)
    assert found.n_features == X.shape[1]
    spread = size / np.sqrt(total)
    assert (np.abs(found.mean - mean) <= tol * spread + 4e-16 * np.abs(mean)).all()
    assert (np.abs(found.scatter - scatter) <= tol * np.outer(size, size)).all()


def is_close(a, b, X, y):
    """Equal scatter up to what the rounding of means, which parts and totals store, must cost."""
    size = np.sqrt(np.maximum(np.diag(b.scatter), 0))
    lost = 1e-15 * np.abs(np.column_stack([X, y])).max(axis=0) * np.sqrt(a.weight_sum)
    bound = 1e-12 * np.outer(size, size) + np.outer(size, lost) + np.outer(lost, size) + np.outer(lost, lost)
    return (np.abs(a.scatter - b.scatter) <= bound).all()


def assert_same(a, b, tol=1e-12):
    size = np.sqrt(np.abs(np.diag(b.scatter)))
    assert a.n_rows == b.n_rows
    assert a.weight_sum == pytest.approx(b.weight_sum, rel=1e-14)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-13, atol=1e-13)
    assert (np.abs(a.scatter - b.scatter) <= tol * np.outer(size, size) + 1e-300).all()


@st.composite
def tables(draw, kinds=(None, "integer", "fractional")):
    """Columns that are plain, constant, doubled, sparse or far from zero, of any scale."""
    n, d = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.normal(size=(n, d))
    for j, fate in enumerate(rng.integers(0, 7, d)):
        if fate == 0:
            X[:, j] = rng.normal()
        elif fate == 1:
            X[:, j] = X[:, rng.integers(0, d)]
        elif fate == 2:
            X[rng.random(n) < 0.8, j] = 0
        elif fate == 3:
            X[:, j] += 1e6
        elif fate == 4:
            X[:, j] *= 10.0 ** rng.integers(-8, 9)
    y = rng.normal(size=n) * 10.0 ** rng.integers(-4, 5) + rng.choice([0, 1e5])
    return X, y, draw(weights(n, kinds))


# The numbers


@given(tables(), st.sampled_from(KINDS))
def test_one_pass_is_the_formula(data, kind):
    X, y, w = data
    total, mean, scatter = oracles.moments(X, y, w)
    found = Moments.from_data(kind(X), y, w)
    assert found.n_rows == len(y)
    assert is_close(found, Moments(len(y), total, mean, scatter), X, y)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-14, atol=1e-15 * np.abs(np.append(X, y)).max())


@pytest.mark.parametrize("weight", [None, np.linspace(0.1, 3, 500)])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_far_from_zero_lose_nothing(kind, weight):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), rng.normal(size=500) + 1e6
    X[:, 0] += 1e6
    X[:, 1] -= 1e8
    assert_moments(Moments.from_data(kind(X), y, weight), X, y, weight)
    assert_moments(Moments.from_data(kind(X[:, :1]), y, weight), X[:, :1], y, weight)


@pytest.mark.parametrize("kind", KINDS)
def test_scales_do_not_matter(kind):
    X, y = table(200, 9)
    X = X * 10.0 ** np.arange(-8, 9, 2)
    assert_moments(Moments.from_data(kind(X), y), X, y)


@pytest.mark.parametrize("weight", [None, np.full(100, 0.3)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_column_has_no_scatter(kind, weight):
    X, y = table(100)
    X[:, 1], X[:, 2] = 0.1, 1e6 + 0.1
    scatter = Moments.from_data(kind(X), y, weight).scatter
    assert scatter[1, 1] <= 1e-28 * 100
    assert scatter[2, 2] <= 1e-18 * 100
    assert (np.linalg.eigvalsh(scatter) > -1e-12 * np.trace(scatter)).all()


@pytest.mark.parametrize("kind", [sparse.csr_array, np.asarray])
def test_weights_on_the_few_rows_that_are_stored(kind):
    """Few entries, but nearly all the weight: far from zero as far as the weights can see."""
    rng = np.random.default_rng(0)
    X, y, w = np.zeros((200, 2)), rng.normal(size=200), np.full(200, 1e-10)
    X[:40], w[:40] = 1e6 + rng.normal(size=(40, 2)), 1.0
    assert_moments(Moments.from_data(kind(X), y, w), X, y, w, tol=1e-9)


def test_float32_is_summed_in_float64():
    rng = np.random.default_rng(0)
    X = (1000 + rng.normal(size=(3000, 3))).astype(np.float32)
    y = rng.normal(size=3000)
    for kind in (np.asarray, sparse.csr_array, pd.DataFrame):
        assert_moments(Moments.from_data(kind(X), y), X.astype(float), y)


def test_one_row():
    found = Moments.from_data([[1.0, 2.0]], [3.0])
    assert found.mean.tolist() == [1, 2, 3]
    assert not found.scatter.any()
    assert_moments(found + Moments.from_data([[3.0, 2.0]], [4.0]), np.array([[1.0, 2], [3, 2]]), np.array([3.0, 4]))


# Merging and taking apart


@given(st.data(), tables())
def test_merging_any_split_is_one_pass(data, problem):
    X, y, w = problem
    parts = data.draw(partitions(len(y)))
    batches = [(X[rows], y[rows], None if w is None else w[rows]) for rows in parts]
    whole = Moments.from_data(X, y, w)
    for merged in (sum(Moments.from_data(*b) for b in batches), Moments.from_batches(iter(batches))):
        assert merged.n_rows == len(y)
        np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-13, atol=1e-13 * np.abs(X).max(initial=1))
        assert is_close(merged, whole, X, y)


@given(st.data(), tables())
def test_the_rest_is_the_total_less_the_part(data, problem):
    X, y, w = problem
    parts = data.draw(partitions(len(y)))
    assume(len(parts) > 1)

    def of(rows):
        return Moments.from_data(X[rows], y[rows], None if w is None else w[rows])

    part, expected, total = of(parts[0]), of(np.concatenate(parts[1:])), of(np.arange(len(y)))
    found = total - part
    assert found.n_rows == expected.n_rows
    assert found.weight_sum == pytest.approx(expected.weight_sum)
    assert is_close(replace(total, scatter=total.scatter + found.scatter - expected.scatter), total, X, y)
    assert (np.diag(found.scatter) >= 0).all()
    assert not found.scatter[np.diag(found.scatter) == 0].any()  # what does not vary does not vary with anything
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-9, atol=1e-9 * np.abs(X).max(initial=1))


def test_merging_far_columns():
    rng = np.random.default_rng(0)
    X, y = 1e6 + rng.normal(size=(300, 3)), rng.normal(size=300)
    parts = [Moments.from_data(X[i::7], y[i::7]) for i in range(7)]
    assert_moments(sum(parts), X, y, tol=1e-11)
    rows = np.arange(300) % 7 != 3
    assert_moments(sum(parts) - parts[3], X[rows], y[rows], tol=1e-11)


def test_a_column_that_is_constant_in_the_rest_is_constant():
    X, y = table(50)
    X[:40, 2] = 0.1
    rest = Moments.from_data(X, y) - Moments.from_data(X[40:], y[40:])
    assert rest.scatter[2, 2] <= 1e-25


def test_merging_does_not_change_its_parts():
    X, y = table()
    a, b = Moments.from_data(X[:20], y[:20]), Moments.from_data(X[20:], y[20:])
    before = a.mean.copy(), a.scatter.copy()
    _ = (a + b) - b
    np.testing.assert_array_equal(a.mean, before[0])
    np.testing.assert_array_equal(a.scatter, before[1])


# Weights


@given(tables(kinds=("integer",)))
def test_a_weight_is_a_repetition(data):
    X, y, w = data
    times = w.astype(int)
    weighted = Moments.from_data(X, y, w)
    repeated = Moments.from_data(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert (weighted.n_rows, repeated.n_rows) == (len(y), times.sum())
    assert weighted.weight_sum == repeated.weight_sum
    assert is_close(weighted, repeated, X, y)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_weight_zero_do_not_count(kind):
    X, y = table()
    w = np.tile([1.0, 0.0, 2.5], 20)
    X[w == 0] = 1e9
    found, expected = Moments.from_data(kind(X), y, w), Moments.from_data(kind(X[w > 0]), y[w > 0], w[w > 0])
    assert found.n_rows == 40
    assert_same(found, expected)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_weights_scale_the_scatter_and_nothing_else(scale):
    X, y = table()
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    one, scaled = Moments.from_data(X, y, w), Moments.from_data(X, y, scale * w)
    np.testing.assert_allclose(scaled.mean, one.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(scaled.scatter, scale * one.scatter, rtol=1e-10, atol=1e-12 * scale)


# Storage


@pytest.mark.parametrize("weight", [None, np.linspace(0.1, 3, 60)])
@pytest.mark.parametrize(
    "kind",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X[::-1][::-1],
        np.ndarray.tolist,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_matrix,
        lambda X: pd.DataFrame(X, columns=list("abcd")),
        lambda X: pl.DataFrame(X, schema=list("abcd")),
        lambda X: pa.table({c: X[:, j] for j, c in enumerate("abcd")}),
    ],
)
def test_every_storage_gives_the_same(kind, weight):
    X, y = table()
    assert_same(Moments.from_data(kind(X), y, weight), Moments.from_data(X, y, weight))


def test_entries_stored_twice_are_added():
    twice = sparse.coo_array(([1.0, 2.0, 5.0], ([0, 0, 1], [0, 0, 0])), shape=(3, 1))
    expected = Moments.from_data(twice.toarray(), [1.0, 2.0, 4.0])
    assert_same(Moments.from_data(twice, [1.0, 2.0, 4.0]), expected)
    assert len(twice.data) == 3


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_whole_numbers(kind, dtype):
    X = np.random.default_rng(0).integers(0, 2, (40, 3)) * (1 if dtype is bool else 100)
    y = np.arange(40)
    assert_same(Moments.from_data(kind(X.astype(dtype)), y), Moments.from_data(X.astype(float), y.astype(float)))


@pytest.mark.parametrize("kind", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, pd.DataFrame])
def test_threads_do_not_change_the_result(kind):
    X, y = table(5000, 40)
    one, two = (Moments.from_data(kind(X), y, n_jobs=n) for n in (1, 2))
    assert_same(one, two, tol=1e-14)


def test_reading_leaves_the_input_alone():
    X, y = table()
    before = X.copy(), y.copy()
    Moments.from_data(X, y, np.ones(60) * 2)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


# Names, messages and what else is held


def test_names_are_kept():
    X, y = table()
    frame = pd.DataFrame(X, columns=["a", "ü", "<b>", "c d"])
    parts = [Moments.from_data(frame[i::2], y[i::2]) for i in range(2)]
    for found in (
        parts[0],
        parts[0] + parts[1],
        (parts[0] + parts[1]) - parts[1],
        pickle.loads(pickle.dumps(parts[0])),
    ):
        assert list(found.names) == ["a", "ü", "<b>", "c d"]


def test_a_part_without_names_takes_those_of_the_others():
    X, y = table()
    plain, named = Moments.from_data(X, y), Moments.from_data(pd.DataFrame(X, columns=list("abcd")), y)
    for merged in (named + plain, plain + named):
        assert list(merged.names) == list("abcd")


def test_different_columns_do_not_merge():
    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    a = Moments.from_data(frame, y)
    with pytest.raises(ValueError, match="'b'/'c'"):
        _ = a + Moments.from_data(frame[["a", "c", "b", "d"]], y)
    with pytest.raises(ValueError, match="'b'/'c'"):
        _ = a - Moments.from_data(frame[["a", "c", "b", "d"]][:9], y[:9])
    with pytest.raises(ValueError, match="Moments of 4 and 3 columns"):
        _ = a + Moments.from_data(X[:, :3], y)


def test_nothing_may_be_left_of_no_rows():
    X, y = table()
    a = Moments.from_data(X, y)
    for part in (a, a + a):
        with pytest.raises(ValueError, match="at least one row must remain"):
            _ = a - part
    with pytest.raises(ValueError, match="no batches"):
        Moments.from_batches([])
    with pytest.raises(TypeError):
        _ = a + 1
    with pytest.raises(TypeError):
        _ = a - 0.5


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        ([[1.0], [np.nan]], [1, 2], None, "NaN: column 'x0', row 1.*impute"),
        ([[1.0], [-np.inf]], [1, 2], None, "infinity: column 'x0', row 1"),
        (sparse.csr_array([[0.0, 1], [0, np.nan]]), [1, 2], None, "NaN: column 'x1', row 1"),
        (pd.DataFrame({"size": [1.0, None]}), [1, 2], None, "NaN: column 'size', row 1"),
        (pl.DataFrame({"size": [1, None]}), [1, 2], None, "NaN: column 'size', row 1"),
        (
            pd.DataFrame({"color": ["red", "blue"]}),
            [1, 2],
            None,
            "'color' contains text such as 'red'.*OneHotEncoder",
        ),
        ([[1.0], [2.0]], [1, np.nan], None, "y contains NaN"),
        ([[1.0], [2.0]], ["a", "b"], None, "y contains .* such as 'a'.*classifier"),
        ([[1.0], [2.0]], [1, 2, 3], None, "inconsistent numbers of samples"),
        ([[1.0], [2.0]], [1, 2], [1.0], "sample_weight must have 2 entries, one per row, got 1"),
        ([[1.0], [2.0]], [1, 2], [1.0, -1], "negative, got -1 at row 1"),
        ([[1.0], [2.0]], [1, 2], [0, 0], "zero for every row"),
        ([[1.0], [2.0]], [1, 2], [1, np.inf], "sample_weight contains inf"),
        (np.empty((0, 2)), [], None, "0 sample"),
        (np.empty((2, 0)), [1, 2], None, "0 feature"),
        ([1.0, 2.0], [1, 2], None, "1D array|one-dimensional"),
        (np.ones((2, 1)) * 1j, [1, 2], None, "[Cc]omplex"),
    ],
)
def test_messages_say_what_and_where(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        Moments.from_data(X, y, weight)


@pytest.mark.parametrize(("x", "y", "what"), [([1e200, -1e200], [1, 2], "column 'x0'"), ([1, 2], [-1e308, 9e15], "y")])
@np.errstate(over="ignore", invalid="ignore")
def test_squares_beyond_the_range_of_floats_are_refused(x, y, what):
    with pytest.raises(ValueError, match=f"^{what} has values so large"):
        Moments.from_data(np.array(x, dtype=float)[:, None], np.array(y, dtype=float))


def test_too_many_columns_are_refused_before_memory_is_taken():
    wide = sparse.csr_array((2, 100_000))
    with pytest.raises(ValueError, match="100,000 columns would take 80 GB"):
        Moments.from_data(wide, [1.0, 2.0])


def test_repr():
    assert repr(Moments.from_data(*table())) == "Moments(n_rows=60, n_features=4, weight_sum=60)"
