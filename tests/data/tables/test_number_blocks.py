import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from vitalfew.data.tables import number_blocks as module
from vitalfew.data.tables.column_kinds import recognize
from vitalfew.data.tables.frames import read_table
from vitalfew.data.tables.matrix import read_matrix
from vitalfew.data.tables.text_columns import WordColumn
from vitalfew.encoding.columns import TableColumns

RNG = np.random.default_rng(0)
COLUMNS = {
    "a": RNG.normal(size=30),
    "id": np.arange(30),
    "flag": RNG.random(30) < 0.5,
    "gap": np.where(RNG.random(30) < 0.3, np.nan, RNG.integers(0, 4, 30)),
    "word": [f"w{k}" for k in RNG.integers(0, 5, 30)],
    "single": RNG.normal(size=30).astype(np.float32),
    "one": np.full(30, 7),
    "none": np.full(30, np.nan),
    "small": RNG.integers(0, 9, 30).astype(np.int8),
    "nothing": [None if k % 3 else k for k in range(30)],
}
LIBRARIES = {
    "pandas": lambda c: pd.DataFrame(c, index=np.arange(len(next(iter(c.values()))))[::-1]),
    "polars": lambda c: pl.DataFrame(c),
    "arrow": lambda c: pa.table(c),
    "nullable pandas": lambda c: pd.DataFrame(c).convert_dtypes(),
    "pandas of Arrow": lambda c: pa.table(c).to_pandas(types_mapper=pd.ArrowDtype),
}


@pytest.fixture(params=list(LIBRARIES))
def make(request):
    return LIBRARIES[request.param]


@pytest.fixture
def one_by_one(monkeypatch):
    """The plain way, a column at a time."""

    def run(call, *arguments):
        with monkeypatch.context() as patch:
            patch.setattr(module, "MOST_ROWS", -1)
            return call(*arguments)

    return run


def test_kinds_are_those_of_columns_read_one_by_one(make, one_by_one):
    frame = make(COLUMNS)
    assert recognize(frame) == one_by_one(recognize, frame)
    assert recognize(frame, {"a": "category"})[0].kind == "category"


@pytest.mark.parametrize("names", [list(COLUMNS), ["a", "gap"], ["id", "one"], ["single"], ["flag"], ["flag", "word"]])
def test_values_are_those_of_columns_read_one_by_one(make, one_by_one, names):
    frame = make({name: COLUMNS[name] for name in names})
    found, expected = read_table(frame), one_by_one(read_table, frame)
    assert list(found.names) == list(expected.names) == names
    for j in range(len(names)):
        a, b = found.column(j), expected.column(j)
        if isinstance(b, WordColumn):
            assert [a.values[k] for k in a.codes] == [b.values[k] for k in b.codes]
        else:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


KINDS = [
    {"id": "numeric", "small": "numeric", "single": "numeric"},
    {"a": "numeric"},
    {"word": "category", "small": "numeric", "gap": "category", "a": "numeric"},
    {"flag": "category"},
    {"a": "numeric", "flag": "category", "word": "category", "small": "numeric"},
    {"flag": "text", "id": "numeric"},
]


@pytest.mark.parametrize("kinds", KINDS)
def test_types_are_those_of_columns_converted_one_by_one(make, one_by_one, kinds):
    frame = make(COLUMNS)
    found = TableColumns(kinds).fit(frame).transform(frame)
    expected = one_by_one(TableColumns(kinds).fit(frame).transform, frame)
    found, expected = nw.from_native(found), nw.from_native(expected)
    assert found.schema == expected.schema
    for name in kinds:
        pd.testing.assert_series_equal(pd.Series(found[name].to_list()), pd.Series(expected[name].to_list()))
    index = getattr(found.to_native(), "index", None)
    assert index is None or index.tolist() == frame.index.tolist()


@pytest.mark.parametrize("names", [["a", "single"], ["single"], ["id", "small"], ["id"], ["flag"]])
def test_matrices_are_those_of_columns_read_one_by_one(make, one_by_one, names):
    frame = make({name: COLUMNS[name] for name in names})
    (found, _), (expected, _) = read_matrix(frame), one_by_one(read_matrix, frame)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_wide_frames_are_read_as_one_matrix(make):
    matrix = RNG.normal(size=(5, 200))
    frame = make({f"x{j}": column for j, column in enumerate(matrix.T)})
    np.testing.assert_array_equal(read_table(frame).matrix, matrix)


def test_a_table_without_rows_has_empty_columns(make):
    assert [c.kind for c in recognize(make({"a": np.empty(0), "b": np.empty(0, dtype=int)}))] == ["empty", "empty"]


OBJECTS = {
    "word": ["x", None, "y", np.nan],
    "mixed": ["x", 1, 2.5, None],
    "number": [1, 2.5, None, np.nan],
    "flag": [True, False, None, True],
    "nothing": [None, None, np.nan, None],
}


@pytest.mark.parametrize("names", [list(OBJECTS), *([name] for name in OBJECTS)])
def test_objects_are_those_of_columns_read_one_by_one(one_by_one, names):
    frame = pd.DataFrame({name: OBJECTS[name] for name in names}, dtype=object).assign(a=1.0)
    found, expected = read_table(frame), one_by_one(read_table, frame)
    for a, b in zip(found.columns, expected.columns):
        if isinstance(b, WordColumn):
            assert a.values == b.values
            np.testing.assert_array_equal(a.codes, b.codes)
        else:
            np.testing.assert_array_equal(a, b)


def test_wide_booleans_are_converted_and_read_together(monkeypatch):
    """Thousands of columns take minutes one by one."""
    frame = pd.DataFrame(RNG.random((5, 200)) < 0.5, columns=[f"x{j}" for j in range(200)])

    def look_up(*_):
        raise AssertionError("a column was looked up on its own")

    monkeypatch.setattr(nw.DataFrame, "get_column", look_up)
    found = TableColumns(dict.fromkeys(frame, "category")).fit_transform(frame)
    assert found.iloc[0].tolist() == [str(v) for v in frame.iloc[0]]
    assert read_table(found).n_features == 200
