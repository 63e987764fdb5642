"""Which columns are numbers, categories, text, or nothing to learn from."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitalfew.data.tables.column_kinds import KINDS, recognize

N = 30
COLUMNS = {
    "id": (list(range(1, N + 1)), "identifier"),
    "customerID": ([f"C{i}" for i in range(N)], "identifier"),
    "name": ([f"n{i}" for i in range(N)], "identifier"),
    "year": (list(range(1990, 1990 + N)), "numeric"),
    "user_id": ([i / 2 for i in range(N)], "numeric"),
    "rating": ([1, 2, 3] * 10, "numeric"),
    "gap": ([1.5, None, 2.5] * 10, "numeric"),
    "digits": ([str(i % 5) for i in range(N)], "numeric"),
    "signed": (["-1.5", "2e3", ".5"] * 10, "numeric"),
    "zip": ([f"0{i % 5}139" for i in range(N)], "category"),
    "flag": ([True, False, None] * 10, "category"),
    "color": (["red", "blue", None] * 10, "category"),
    "reply": (["I do not know yet", "yes I think so"] * 15, "category"),
    "review": ([f"this film is number {i} of them" for i in range(N)], "text"),
    "born": ([dt.date(2020, 1, 1 + i % 28) for i in range(N)], "date"),
    "seen": ([dt.datetime(2020, 1, 1 + i % 28) for i in range(N)], "date"),
    "written": ([f"{1 + i % 12}/24/2019" for i in range(N)], "date"),
    "nothing": ([None] * N, "empty"),
    "lists": ([[1, 2]] * N, "empty"),
    "bytes": ([b"x", b"y"] * 15, "empty"),
    "always": ([7] * N, "constant"),
    "sometimes": (["yes", None] * 15, "category"),
}
LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow as pandas": lambda columns: pa.table(columns).to_pandas(),
}


LONG = [10**25 + i for i in range(20)]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"x": LONG}),
        pd.DataFrame({"x": list(map(str, LONG))}),
        pl.DataFrame({"x": pl.Series(LONG, dtype=pl.Int128)}),
        pa.table({"x": list(map(str, LONG))}),
    ],
)
def test_long_integers_are_names(table):
    (found,) = recognize(table)
    assert (found.kind, found.n_distinct, found.why) == ("identifier", 20, "differs in every row")


def test_long_integers_that_differ_as_floats_are_numbers():
    assert recognize(pd.DataFrame({"x": [str(10**25 * i) for i in range(20)]}))[0].kind == "numeric"


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_kind_in_every_library(library):
    kinds = recognize(LIBRARIES[library]({name: values for name, (values, _) in COLUMNS.items()}))
    assert {c.name: c.kind for c in kinds} == {name: kind for name, (_, kind) in COLUMNS.items()}
    assert all((c.why is None) == c.is_used for c in kinds)
    gap = next(c for c in kinds if c.name == "gap")
    assert (gap.n_missing, gap.n_distinct) == (10, 2)


def test_categories_and_decimals():
    frame = pd.DataFrame({"c": pd.Categorical(list("abcdefghijkl")), "d": [Decimal("1.5"), Decimal(2)] * 6})
    assert [c.kind for c in recognize(frame)] == ["category", "numeric"]


def test_not_a_number_is_missing():
    found = recognize(pl.DataFrame({"x": [1.0, float("nan"), None, 2.0]}))[0]
    assert (found.n_missing, found.n_distinct) == (2, 2)


@pytest.mark.parametrize("name", ["id", "ID", "row_id", "PassengerId", "index", "Unnamed: 0", "", "order no.", "key"])
def test_names_of_keys(name):
    assert recognize(pa.table({name: range(20)}))[0].kind == "identifier"


@pytest.mark.parametrize("name", ["paid", "width", "acid", "monkey", "humid", "x"])
def test_names_that_only_look_like_keys(name):
    assert recognize(pa.table({name: range(20)}))[0].kind == "numeric"


def test_few_rows_may_differ_by_chance():
    table = pa.table({"color": ["red", "blue"], "id": [1, 2], "said": ["it is what it is", "no it is not so"]})
    assert [c.kind for c in recognize(table)] == ["category", "numeric", "text"]


def test_overrides():
    table = pa.table({"zip": [10115, 10117, 10115], "id": [1, 1, 2]})
    kinds = recognize(table, {"zip": "category", "id": "identifier"})
    assert [c.kind for c in kinds] == ["category", "identifier"]
    assert kinds[1].why == "was set to identifier"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"Zip": "text"}, "there is no column 'Zip'; did you mean 'zip'"),
        ({"qqqq": "text"}, "there is no column 'qqqq'; the columns are 'zip', 'id'"),
        ({"zip": "words"}, "the kind of column 'zip' must be one of 'numeric', 'category', .* got 'words'"),
    ],
)
def test_overrides_that_make_no_sense(overrides, message):
    with pytest.raises(ValueError, match=message):
        recognize(pa.table({"zip": [1, 2], "id": [1, 2]}), overrides)


def test_what_is_not_a_table():
    with pytest.raises(TypeError, match="expected a pandas, polars or Arrow data frame, got ndarray"):
        recognize(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="two columns are named 'a'"):
        recognize(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_no_rows():
    assert [c.kind for c in recognize(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())}))] == [
        "empty",
        "empty",
    ]


VALUES = st.one_of(
    st.lists(st.none() | st.text(max_size=12), max_size=40),
    st.lists(st.none() | st.floats(allow_nan=True), max_size=40),
    st.lists(st.none() | st.integers(-(2**62), 2**62), max_size=40),
    st.lists(st.none() | st.booleans(), max_size=40),
)


@given(VALUES, st.text(max_size=8), st.randoms())
def test_the_order_of_rows_does_not_matter(values, name, random):
    first = recognize(pa.table({name: values}))[0]
    mixed = list(values)
    random.shuffle(mixed)
    assert recognize(pa.table({name: pa.array(mixed, pa.table({name: values})[name].type)}))[0] == first
    assert first.kind in KINDS
    assert first.n_missing + first.n_distinct <= len(values)


@given(VALUES)
def test_libraries_agree(values):
    table = pa.table({"x": values})
    found = recognize(table)[0]
    assert recognize(pl.from_arrow(table))[0] == found
    if not pa.types.is_null(table["x"].type):
        in_pandas = recognize(table.to_pandas(types_mapper=pd.ArrowDtype))[0]
        assert (in_pandas.kind, in_pandas.n_distinct) == (found.kind, found.n_distinct)
