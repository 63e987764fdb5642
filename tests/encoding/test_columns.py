"""Columns picked by name and brought to type, in the library they came in."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from vitalfew.encoding.columns import TableColumns

DATA = {
    "id": [1, 2, 3, 4],
    "size": ["1", "2.5", None, "3"],
    "count": [1, None, 2, 2],
    "zip": [10115, None, 10117, 10115],
    "said": ["yes we do", None, "no we do not", ""],
}
KINDS = {"said": "text", "zip": "category", "count": "numeric", "size": "numeric"}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_types_and_order(library):
    table = library(DATA)
    found = TableColumns(KINDS).fit_transform(table)
    assert isinstance(found, type(table))
    frame = (
        pa.table(found)
        if isinstance(found, pd.DataFrame)
        else pa.table(found.to_dict(as_series=False))
        if isinstance(found, pl.DataFrame)
        else found
    )
    assert frame.column_names == list(KINDS)
    assert frame["said"].to_pylist() == ["yes we do", "", "no we do not", ""]
    assert [v if v == v else None for v in frame["zip"].to_pylist()] == ["10115", None, "10117", "10115"]
    sizes = np.array([np.nan if v is None else v for v in frame["size"].to_pylist()], dtype=float)
    np.testing.assert_array_equal(sizes, [1, 2.5, np.nan, 3])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_words(library):
    table = library(DATA)
    columns = TableColumns(KINDS, max_words=1).fit(table)
    assert list(columns.get_feature_names_out()) == ["zip", "count", "size", "said: do"]
    found = columns.transform(library({k: v[::-1] for k, v in DATA.items()}))
    assert list(found["said: do"].to_pylist() if library is pa.table else found["said: do"]) == [0, 1, 0, 1]


def test_rows_of_pandas_keep_together():
    """An index that is not 0, 1, … must not come between columns and words."""
    table = pd.DataFrame(DATA, index=[7, 3, 3, 0])
    found = TableColumns({"count": "numeric", "said": "text"}, max_words=9).fit_transform(table)
    assert found["count"].isna().tolist() == [False, True, False, False]
    assert found["said: we"].tolist() == [1, 0, 1, 0]


def test_names_of_words_differ_from_those_of_columns():
    table = pa.table({"a: no": [1.0, 2.0], "a": ["no", "no"]})
    columns = TableColumns({"a: no": "numeric", "a": "text"}, max_words=9).fit(table)
    assert list(columns.get_feature_names_out()) == ["a: no", "a: no (word)"]
    assert columns.transform(table).column_names == ["a: no", "a: no (word)"]


def test_text_without_common_words():
    table = pa.table({"n": [1.0, 2.0], "t": ["one two", "three four"]})
    assert TableColumns({"n": "numeric", "t": "text"}, max_words=9).fit_transform(table).column_names == ["n"]
    with pytest.raises(ValueError, match=r"no word occurs in at least 2 rows of \['t'\]"):
        TableColumns({"t": "text"}, max_words=9).fit_transform(table)


def test_many_rows_have_fewer_words(monkeypatch):
    monkeypatch.setattr("vitalfew.encoding.columns.MOST_CELLS", 8)
    monkeypatch.setattr("vitalfew.encoding.columns.LEAST_WORDS", 1)
    table = pa.table({"n": [1.0] * 4, "t": ["one two three four"] * 4})
    assert TableColumns({"n": "numeric", "t": "text"}, max_words=9).fit_transform(table).num_columns == 3


def test_errors():
    table = pa.table({"size": ["1", "two"], "n": [1, 2]})
    with pytest.raises(
        ValueError, match="column 'size' is treated as numeric, but row 1 contains 'two'; treat it as a cat"
    ):
        TableColumns({"size": "numeric"}).fit(table)
    with pytest.raises(ValueError, match="there is no column 'Size'; did you mean 'size'"):
        TableColumns({"Size": "category"}).fit(table)
    with pytest.raises(ValueError, match="must be one of 'numeric', 'category', 'text', got 'date'"):
        TableColumns({"n": "date"}).fit(table)


def test_it_can_be_cloned():
    columns = TableColumns(KINDS, max_words=3)
    assert clone(columns).get_params() == columns.get_params()
