"""Columns to codes: what is a category, what is cut, and how new data is coded."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from vitalfew import NaiveBayes
from vitalfew.data.coding.table_coder import MAX_CATEGORIES, Categories, Cuts, OwnCodes, TableCoder
from vitalfew.data.tables.frames import read_table
from vitalfew.exceptions import DiscretizationWarning, VitalfewWarning


def fit(X, y=None, **options):
    """The coder and the codes as floats, NaN where missing."""
    coder = TableCoder(**options)
    label = None if y is None else np.asarray(y, dtype=np.int32)
    block = coder.fit(read_table(X), label, 1 if y is None else int(max(y)) + 1)
    return coder, as_floats(block)


def as_floats(block):
    codes = block.to_codes().codes
    return np.where(codes == np.iinfo(codes.dtype).max, np.nan, codes.astype(float))


def transform(coder, X):
    return as_floats(coder.transform(read_table(X)))


@pytest.mark.parametrize("top", [1, 2, MAX_CATEGORIES])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_small_whole_numbers_are_their_own_codes(top, dtype):
    x = np.arange(top + 1, dtype=dtype)[:, None]
    coder, codes = fit(x)
    assert coder.codings == [OwnCodes(top + 1)]
    np.testing.assert_array_equal(codes, x)


def test_a_constant_column_has_two_values():
    assert fit([[0], [0]])[0].codings == [OwnCodes(2)]
    assert fit([["u"], ["u"]])[0].codings[0].n_values == 2


@pytest.mark.parametrize("values", [[-3, 5, 10**6], [0, 254, 255], [7.0, 300.0, -1.0], [0.5, 1.5]])
def test_few_distinct_numbers_are_categories(values):
    x = np.array(values * 3)[:, None]
    coder, codes = fit(x)
    assert coder.codings == [Categories(tuple(sorted(map(float, values))))]
    np.testing.assert_array_equal(codes[:, 0], [sorted(values).index(v) for v in values * 3])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_bytes_at_the_edge(dtype):
    """255 is the missing code, not a missing value."""
    x = np.array([254, 255, 254], dtype=dtype if dtype != np.int8 else None)[:, None]
    coder, codes = fit(x)
    np.testing.assert_array_equal(codes[:, 0], [0, 1, 0])
    np.testing.assert_array_equal(transform(coder, np.array([[255], [254], [3]], dtype=dtype))[:, 0], [1, 0, np.nan])


@pytest.mark.parametrize("values", [np.arange(MAX_CATEGORIES + 10) * 3, np.linspace(0, 1, 50)])
@pytest.mark.parametrize("numeric", ["mdl", "quantile", "uniform"])
def test_quantities_are_cut(values, numeric):
    y = (values > np.median(values)).astype(int)
    coder, codes = fit(values[:, None], y, numeric=numeric)
    assert isinstance(coder.codings[0], Cuts)
    assert coder.is_supervised == (numeric == "mdl")
    assert (np.diff(codes[:, 0]) >= 0).all()
    assert codes[:, 0].max() == len(coder.codings[0].cuts)


def test_distinct_numbers_on_request():
    x = np.arange(300)[:, None]
    with pytest.warns(DiscretizationWarning, match="300 distinct whole numbers"):
        coder, codes = fit(x, numeric="distinct")
    assert coder.codings[0].n_values == 300
    np.testing.assert_array_equal(codes, x)
    assert not coder.is_supervised


def test_many_fractions_as_values_are_doubtful():
    assert issubclass(DiscretizationWarning, VitalfewWarning)
    frame = pd.DataFrame({"size": np.linspace(0, 1, 50)})
    with pytest.warns(DiscretizationWarning, match=r"'size' has 50 distinct fractional numbers.*Discretizer"):
        fit(frame, numeric="distinct")


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, np.int16])
@pytest.mark.parametrize("start", [0, 100, -30])
def test_many_whole_numbers_as_values_are_doubtful(kind, start):
    values = (np.arange(77) % 70 + start).clip(0 if kind is np.uint8 else None).astype(kind)
    n = len(np.unique(values))
    for frame in (pd.DataFrame({"size": values}), pd.DataFrame({"size": values, "text": "u"})):
        with pytest.warns(DiscretizationWarning, match=f"'size' has {n} distinct whole numbers.*Discretizer.*strings"):
            fit(frame, numeric="distinct")


def test_few_whole_numbers_and_strings_are_categories():
    fit(pd.DataFrame({"few": np.arange(77) % 32, "shifted": 100 + np.arange(77) % 32}), numeric="distinct")
    fit(pd.DataFrame({"code": (np.arange(77) % 70).astype(str)}), numeric="distinct")


def test_wide_and_narrow_columns_together():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "id": [f"u{i}" for i in range(400)],
            "bit": rng.integers(0, 2, 400),
            "gap": np.where(np.arange(400) % 3, 1.0, np.nan),
        }
    )
    _, codes = fit(X)
    assert sorted(codes[:, 0]) == list(range(400))
    np.testing.assert_array_equal(codes[:, 1], X["bit"])
    np.testing.assert_array_equal(codes[:, 2], X["gap"].notna())  # missing and present


def test_new_values_are_missing():
    coder, _ = fit(pd.DataFrame({"own": [0, 1, 2], "text": ["u", "v", "u"], "few": [10.5, 20.5, 10.5]}))
    new = pd.DataFrame({"own": [2, 3, -1, 1.5], "text": ["v", "w", None, "u"], "few": [20.5, 30.5, np.nan, 10.5]})
    np.testing.assert_array_equal(transform(coder, new), [[2, 1, 1], [np.nan] * 3, [np.nan] * 3, [np.nan, 0, 0]])


def test_new_values_fall_into_the_outer_intervals():
    x = np.linspace(0, 1, 60)
    coder, _ = fit(x[:, None], (x > 0.5).astype(int))
    np.testing.assert_array_equal(transform(coder, [[-99.0], [99.0], [np.nan]])[:, 0], [0, 1, np.nan])


def test_numbers_and_their_texts_meet():
    coder, _ = fit(pd.DataFrame({"a": ["1", "2", "x"]}))
    np.testing.assert_array_equal(transform(coder, pd.DataFrame({"a": [2, 1, 7]}))[:, 0], [1, 0, np.nan])
    coder, _ = fit(pd.DataFrame({"a": [0, 1, 2]}))
    np.testing.assert_array_equal(transform(coder, pd.DataFrame({"a": ["2", "x", None]}))[:, 0], [2, np.nan, np.nan])
    coder, _ = fit(pd.DataFrame({"a": [-1, 5]}))
    np.testing.assert_array_equal(transform(coder, pd.DataFrame({"a": ["5", "x"]}))[:, 0], [1, np.nan])


def test_mixed_columns_are_texts():
    coder, codes = fit(np.array([[1], ["b"], [2.5], [None], [True]], dtype=object))
    assert coder.codings[0].values == ("1", "2.5", "True", "b")
    np.testing.assert_array_equal(codes[:, 0], [0, 3, 1, np.nan, 2])


def test_a_column_that_is_missing_throughout():
    coder, codes = fit(pd.DataFrame({"a": [None, None], "b": [np.nan, np.nan]}))
    assert np.isnan(codes).all()
    assert [c.n_values for c in coder.codings] == [2, 2]


def test_sparse_and_dense_meet():
    X = np.array([[0, 1], [1, 0], [1, 1]])
    coder, _ = fit(sparse.csr_array(X))
    assert coder.is_sparse
    np.testing.assert_array_equal(transform(coder, X * 5), X)
    np.testing.assert_array_equal(transform(coder, pd.DataFrame(X > 0)), X)
    coder, _ = fit(X)
    np.testing.assert_array_equal(transform(coder, sparse.csr_array(X)), X)


def test_another_number_of_columns():
    coder, _ = fit([[0, 1]])
    with pytest.raises(ValueError, match="X has 3 features, but 2 were seen in training"):
        transform(coder, [[0, 1, 2]])


def test_infinity_in_new_data():
    coder, _ = fit(pd.DataFrame({"a": [0, 1]}))
    with pytest.raises(ValueError, match="column 'a', row 1"):
        transform(coder, pd.DataFrame({"a": [0, np.inf]}))


@pytest.mark.parametrize("order", ["C", "F"])
def test_threads_code_alike(order):
    rng = np.random.default_rng(0)
    X = np.array(rng.integers(0, 5, (30_000, 6)), dtype=float, order=order)
    X[rng.random(X.shape) < 0.1] = np.nan
    np.testing.assert_array_equal(fit(X, threads=1)[1], fit(X, threads=2)[1])
    np.testing.assert_array_equal(fit(X)[1], X)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_that_floats_cannot_tell_apart(dtype):
    X, y = np.array([[2**53], [2**53 + 1]] * 20, dtype=dtype), [0, 1] * 20
    with pytest.raises(ValueError, match=r"'x0' contains integers beyond 2\*\*53.*astype\(str\)"):
        NaiveBayes().fit(X, y)
    assert NaiveBayes().fit(X.astype(str), y).score(X.astype(str), y) == 1.0
