"""Coding of tables as numbers: the coded columns are those of pandas' get_dummies, means and indicators."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from vitalfew.data.coding import number_coder
from vitalfew.data.coding.number_coder import MOST_LEVELS, NumberCoder
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.matrix import read_numbers
from vitalfew.exceptions import DiscretizationWarning

MAKERS = {
    "pandas": pd.DataFrame,
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"color": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "objects": lambda columns: np.array([*zip(*columns.values())], dtype=object),
    "lists": lambda columns: [list(row) for row in zip(*columns.values())],
}


def columns():
    return {
        "age": [31.0, None, 45.0, 28.0, None, 52.0],
        "color": ["red", "blue", None, "red", "blue", "red"],
        "size": [1, 2, 3, 4, 5, 6],
        "town": ["Ulm", "Bonn", "Ulm", "Ulm", "Bonn", "Bonn"],
    }


def by_hand(frame, weight=None):
    """The same coding with pandas alone."""
    known = frame["age"].notna()
    mean = np.average(frame["age"][known], weights=None if weight is None else np.asarray(weight)[known])
    parts = [
        frame["age"].fillna(mean),
        frame["age"].isna().rename("age is missing"),
        frame["color"].isna().rename("color is missing"),
        pd.get_dummies(frame["color"], prefix="color", prefix_sep="="),
        frame["size"],
        pd.get_dummies(frame["town"], prefix="town", prefix_sep="="),
    ]
    return pd.concat(parts, axis=1).astype(float)


def fitted(X, weight=None):
    table, names = read_numbers(X)
    return NumberCoder.fit(table, names, None if weight is None else np.asarray(weight, dtype=float))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("weight", [None, [1, 2, 3, 1, 1, 0.5]])
def test_the_coded_columns_are_those_of_pandas(make, weight):
    X = MAKERS[make](columns())
    coder, expected = fitted(X, weight), by_hand(pd.DataFrame(columns()), weight)
    names = ["age", "color", "size", "town"] if make not in ("objects", "lists") else ["x0", "x1", "x2", "x3"]
    for name, own in zip(["age", "color", "size", "town"], names):
        expected.columns = [c.replace(name, own) for c in expected.columns]
    assert list(coder.coded_names) == list(expected.columns)
    assert coder.owner.tolist() == [0, 0, 1, 1, 1, 2, 3, 3]
    np.testing.assert_allclose(coder.transform(read_numbers(X, has_text=True)[0]), expected, rtol=1e-15)


@pytest.mark.parametrize("make", MAKERS)
def test_new_tables_are_coded_like_training(make):
    coder = fitted(MAKERS[make](columns()))
    new = {"age": [None, 1.5], "color": ["violet", None], "size": [None, 7], "town": [None, "Ulm"]}
    found = coder.transform(read_numbers(MAKERS[make](new), has_text=True)[0])
    np.testing.assert_array_equal(found, [[39, 1, 0, 0, 0, 3.5, 0, 0], [1.5, 0, 1, 0, 0, 7, 0, 1]])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_complete_numbers_are_not_copied(kind, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(20, 3)), dtype=kind, order=order)
    data, coder = NumericData.read_coded(X, np.arange(20.0), None)
    assert np.shares_memory(data.X, X)
    assert data.X.dtype == kind
    assert coder.is_plain
    assert list(coder.coded_names) == ["x0", "x1", "x2"]
    np.testing.assert_allclose(coder.mean, X.mean(axis=0, dtype=float), atol=1e-12)
    assert NumericData.read_coded(sparse.csr_array(X), np.arange(20.0), None)[1] is None


def test_rows_of_weight_zero_are_not_seen():
    X, y, weight = pd.DataFrame(columns()), np.arange(6.0), np.array([1.0, 0, 0, 1, 0, 1])
    _, coder = NumericData.read_coded(X, y, weight)
    assert list(coder.coded_names) == ["age", "color=red", "size", "town=Bonn", "town=Ulm"]
    assert coder.mean[0] == pytest.approx((31 + 28 + 52) / 3)
    data, coder = NumericData.read_coded(X[["age", "size"]], y, weight)
    assert coder.is_plain
    assert data.X.tolist() == [[31, 1], [28, 4], [52, 6]]


@pytest.mark.parametrize("dtype", [object, float, "string"])
def test_a_column_without_any_value_accepts_anything_later(dtype):
    X = pd.DataFrame({"x": pd.Series([None] * 3, dtype=dtype), "z": [1.0, 2, 3]})
    coder = fitted(X)
    assert list(coder.coded_names) == ["x is missing", "z"]
    for later in ([7.0, 8.0, None], ["a", "b", None], ["7", "8", None]):
        found = coder.transform(read_numbers(X.assign(x=later), has_text=True)[0])
        np.testing.assert_array_equal(found[:, 0], [0, 0, 1])


def test_the_most_frequent_of_many_categories():
    values = [f"v{i:03}" for i in range(MOST_LEVELS + 20)]
    X = pd.DataFrame({"v": values + values[20:] + [None]})
    with pytest.warns(DiscretizationWarning, match=r"'v' has 120 categories: the 100 most frequent ones"):
        coder = fitted(X)
    assert list(coder.coded_names) == ["v is missing", *(f"v={v}" for v in values[20:])]
    coded = coder.transform(read_numbers(X)[0])
    assert coded[:20].sum() == 0
    np.testing.assert_array_equal(coded[20:].sum(axis=1), 1)


@pytest.mark.parametrize("make", MAKERS)
def test_large_tables_become_sparse(make, monkeypatch):
    X = {
        **columns(),
        "town": list("abcdef"),
        "size": list("ghijkl"),
        "age": [*"mnopq", None],
        "color": [1.5, 0, None] * 2,
    }
    coder = fitted(MAKERS[make](X))
    table = read_numbers(MAKERS[make](X), has_text=True)[0]
    expected = coder.transform(table)
    monkeypatch.setattr(number_coder, "MOST_CELLS", 0)
    found = coder.transform(table)
    assert sparse.issparse(found)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), expected)


def test_infinity_beside_text_and_missing_values():
    for other in (["a", "b", "a"], [1.0, np.nan, 2.0]):
        with pytest.raises(ValueError, match=r"infinity: column 'x', row 2.*replace it"):
            read_numbers(pd.DataFrame({"o": other, "x": [1.0, 2.0, -np.inf]}))


def test_numbers_written_as_text_in_an_array_stay_numbers():
    found, _ = read_numbers(np.array([["1", "2.5"], ["3", "4"]]))
    assert found.tolist() == [[1, 2.5], [3, 4]]


def test_means_of_huge_numbers_do_not_overflow():
    X = np.array([[1e308], [1e308], [np.nan]])
    assert fitted(X).mean.tolist() == [1e308]
    assert fitted(X[:2]).mean.tolist() == [1e308]
