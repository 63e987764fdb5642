"""Columns of words: however they are held, rows come out the same."""

import datetime
import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vitalfew import Lasso, LogisticRegression, Moments, NaiveBayes, Stump
from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.data.tables.frames import read_table
from vitalfew.data.tables.text_columns import WordColumn

# Empty, alike but for case, space, accents or what follows a zero byte, and words that look like numbers or missing.
HOSTILE = [
    "",
    " ",
    "a",
    "A",
    "a\0",
    "a\0b",
    "é",
    "e\u0301",
    "nan",
    "NaN",
    "None",
    "<NA>",
    "null",
    "-1",
    "1",
    "1.0",
    "𝟙",
]
WORD = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
WORDS = st.lists(st.none() | WORD, min_size=1, max_size=12)


def category(words, ordered=False):
    names = sorted({w for w in words if w is not None} | {"not seen", "zz"}, reverse=ordered)
    return pd.DataFrame({"w": pd.Categorical(words, categories=names, ordered=ordered)})


def chunked(words, kind):
    """Return one chunk per row, each with its own dictionary if the kind has dictionaries."""

    def one(w):
        if not pa.types.is_dictionary(kind):
            return pa.array([w], kind)
        code = pa.array([None if w is None else 0], kind.index_type)  # pa.array made it of signed ones before Arrow 22
        return pa.DictionaryArray.from_arrays(code, pa.array([] if w is None else [w], kind.value_type))

    return pa.table({"w": pa.chunked_array([one(w) for w in words], kind)})


def with_missing_in_dictionary(words):
    names = [*dict.fromkeys(words), None, "not seen", *dict.fromkeys(words)]  # twice, and with None
    codes = [names.index(w) + (i % 2) * (len(set(words)) + 2) for i, w in enumerate(words)]
    return pa.table({"w": pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))})


HOLDERS = {
    "array with None": lambda w: np.array([[v] for v in w], dtype=object),
    "array with NaN": lambda w: np.array([[np.nan if v is None else v] for v in w], dtype=object),
    "array with several NaN": lambda w: np.array([[float("nan") if v is None else v] for v in w], dtype=object),
    "array with pandas.NA": lambda w: np.array([[pd.NA if v is None else v] for v in w], dtype=object),
    "pandas object": lambda w: pd.DataFrame({"w": pd.Series(w, dtype=object)}),
    "pandas str": lambda w: pd.DataFrame({"w": pd.Series(w, dtype="str")}),
    "pandas string": lambda w: pd.DataFrame({"w": pd.Series(w, dtype="string")}),
    "pandas string[python]": lambda w: pd.DataFrame({"w": pd.Series(w, dtype="string[python]")}),
    "pandas arrow": lambda w: pd.DataFrame({"w": pd.Series(w, dtype=pd.ArrowDtype(pa.string()))}),
    "pandas arrow dictionary": lambda w: pd.DataFrame(
        {"w": pd.Series(w, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))}
    ),
    "pandas category": category,
    "pandas ordered category": lambda w: category(w, True),
    "polars String": lambda w: pl.DataFrame({"w": pl.Series(w, dtype=pl.String)}),
    "polars Categorical": lambda w: pl.DataFrame({"w": pl.Series(w, dtype=pl.Categorical)}),
    "polars Enum": lambda w: pl.DataFrame(
        {"w": pl.Series(w, dtype=pl.Enum(["not seen", *sorted({v for v in w if v is not None} - {"not seen"})]))}
    ),
    "pyarrow string": lambda w: pa.table({"w": pa.array(w, pa.string())}),
    "pyarrow large string": lambda w: pa.table({"w": pa.array(w, pa.large_string())}),
    "pyarrow chunks": lambda w: chunked(w, pa.string()),
    "pyarrow dictionary": lambda w: pa.table({"w": pa.array(w, pa.string()).dictionary_encode()}),
    "pyarrow dictionaries": lambda w: chunked(w, pa.dictionary(pa.uint8(), pa.string())),
    "pyarrow dictionary with None": with_missing_in_dictionary,
}


def rows_of(column):
    """Words and None, row by row; None alone where nothing is known of any row."""
    if isinstance(column, WordColumn):
        assert column.codes.dtype == np.int32
        assert len(set(column.values)) == len(column.values)
        assert all(type(v) is str for v in column.values)
        return [None if c < 0 else column.values[c] for c in column.codes.tolist()]
    assert np.isnan(column).all()
    return [None] * len(column)


@pytest.mark.parametrize("held", HOLDERS)
@given(words=WORDS)
@example(words=HOSTILE)
@example(words=[None])
@example(words=[""])
@example(words=[None, None, "only"])
def test_words_are_read_alike_from_everything(held, words):
    given = HOLDERS[held](words)
    column = read_table(given).column(0)
    assert rows_of(column) == words
    has_type = not isinstance(given, np.ndarray) and not (
        isinstance(given, pd.DataFrame) and pd.api.types.is_object_dtype(given.dtypes["w"])
    )
    assert isinstance(column, WordColumn) == (has_type or any(w is not None for w in words))


@pytest.mark.parametrize("held", HOLDERS)
@given(words=WORDS, new=WORDS)
@example(words=["b", "a"], new=["c", None, "a"])
@example(words=[None], new=["c"])
@example(words=["1", "x"], new=["1.0", "1"])
def test_codes_are_ranks_and_what_was_not_seen_is_missing(held, words, new):
    seen = sorted({w for w in words if w is not None})
    rank = {w: i for i, w in enumerate(seen)}
    table, later = read_table(HOLDERS[held](words)), read_table(HOLDERS[held](new))
    if not seen or (len(seen) == 1 and None in words):  # see test_presence.py
        return
    coder, bins = TableCoder(), BinCoder()
    np.testing.assert_array_equal(coder.fit(table).to_codes().codes[:, 0], [rank.get(w, 255) for w in words])
    np.testing.assert_array_equal(coder.transform(later).to_codes().codes[:, 0], [rank.get(w, 255) for w in new])
    assert coder.codings[0].values == tuple(seen)
    np.testing.assert_array_equal(bins.fit(HOLDERS[held](words)).column(0), [rank.get(w, len(seen)) for w in words])
    np.testing.assert_array_equal(bins.transform(HOLDERS[held](new)).column(0), [rank.get(w, len(seen)) for w in new])
    assert bins.categories[0].values == tuple(seen)


@given(words=WORDS, data=st.data())
def test_rows_can_be_taken_and_saved(words, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(words) - 1), max_size=8)), dtype=np.intp)
    column = read_table(HOLDERS["pandas str"](words)).take(rows).column(0)
    taken = [words[i] for i in rows]
    assert rows_of(column) == taken
    if isinstance(column, WordColumn):
        assert column.distinct() == sorted({w for w in taken if w is not None})
        assert column.example() == next((w for w in taken if w is not None), None)
        assert rows_of(pickle.loads(pickle.dumps(column))) == taken


@pytest.mark.parametrize(
    ("categories", "names"),
    [
        ([3, 1, 20], ["3", "1", "20"]),
        ([0.5, 1.0, -2.0], ["0.5", "1.0", "-2.0"]),
        ([True, False], ["True", "False"]),
        ([1, "1", "b"], ["1", "1", "b"]),
        ([datetime.date(2024, 1, 2), "u"], ["2024-01-02", "u"]),
        (pd.interval_range(0, 2), ["(0, 1]", "(1, 2]"]),
        (pd.to_datetime(["2024-01-02"]), ["2024-01-02 00:00:00"]),
    ],
)
def test_categories_go_by_their_names(categories, names):
    codes = np.array([*range(len(names)), -1, 0])
    frame = pd.DataFrame({"w": pd.Categorical.from_codes(codes, categories)})
    assert rows_of(read_table(frame).column(0)) == [*names, None, names[0]]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.bool_()])
def test_dictionaries_of_numbers_go_by_their_names(kind):
    values = pa.array([1, 0, None, 1]).cast(kind)
    expected = [None if v is None else str(v) for v in values.to_pylist()]
    assert rows_of(read_table(pa.table({"w": values.dictionary_encode()})).column(0)) == expected


def test_objects_of_several_kinds():
    class Shout(str):
        def __str__(self):
            return self.upper() + "!"

    def read(*values):
        return read_table(pd.DataFrame({"w": pd.Series(values, dtype=object)})).column(0)

    assert rows_of(read("a", 1, True, 2.5, np.float32(0.5), np.str_("a"), pd.NaT, None)) == [
        *["a", "1", "True", "2.5", "0.5", "a", None, None]
    ]
    assert rows_of(read("\ud800", "a", None)) == ["\ud800", "a", None]
    assert rows_of(read("a", Shout("a"), "A!")) == ["a", "A!", "A!"]
    np.testing.assert_array_equal(read(1, True, None, np.nan, pd.NA, np.int8(3)), [1, 1, np.nan, np.nan, np.nan, 3])
    np.testing.assert_array_equal(read(1, 2.5, None), [1, 2.5, np.nan])


@pytest.mark.parametrize("held", HOLDERS)
def test_numbers_and_words_meet(held):
    """Words where there were numbers count as these, if they are; numbers where there were words go by their names."""
    words, numbers = HOLDERS[held](["2", "x", None, "1"]), pd.DataFrame({"w": [1, 2, 1, 2]})
    coder = TableCoder()
    coder.fit(read_table(pd.DataFrame({"w": [1.0, 2.0, 1.5, 1.0]})), np.array([0, 1, 0, 1], dtype=np.int32), 2)
    expected = coder.transform(read_table(np.array([[2.0], [np.nan], [np.nan], [1.0]]))).to_codes().codes
    np.testing.assert_array_equal(coder.transform(read_table(words)).to_codes().codes, expected)
    coder = TableCoder()
    coder.fit(read_table(words))
    np.testing.assert_array_equal(coder.transform(read_table(numbers)).to_codes().codes[:, 0], [0, 1, 0, 1])


@pytest.mark.parametrize("held", HOLDERS)
def test_words_where_there_must_be_numbers(held):
    words, coder = HOLDERS[held]([None, "first", "", "first"]), BinCoder()
    coder.fit(pd.DataFrame({"w": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="contains text such as 'first', but was numeric in training"):
        coder.transform(words)
    numbers = np.array([[1.0], [2.0]]) if isinstance(words, np.ndarray) else pd.DataFrame({"w": [1.0, 2.0]})
    model = Lasso(0.1).fit(numbers, [0.0, 1.0])
    with pytest.raises(ValueError, match="contains text such as 'first', but was numeric in training"):
        model.predict(words)
    if not isinstance(words, np.ndarray):
        with pytest.raises(ValueError, match="column 'w' contains text such as 'first', but numbers are required"):
            Moments.from_data(words, [0.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("held", HOLDERS)
def test_models_do_not_see_how_words_are_held(held):
    words = (["u", "v", None, "w", "u", "", "v"] * 6)[:40]
    y = np.arange(40) % 7 % 3 > 0
    plain = np.array([[w] for w in words], dtype=object)
    for make in (NaiveBayes, Stump, partial(LogisticRegression, 0.01)):
        expected = make().fit(plain, y).predict(plain)
        np.testing.assert_array_equal(make().fit(HOLDERS[held](words), y).predict(HOLDERS[held](words)), expected)
