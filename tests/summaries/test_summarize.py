"""`summarize` against the summaries of the same rows in memory, however they are cut into batches."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from strategies import SEEDS
from vitalfew import Counts, Moments, summarize
from vitalfew.data.coding.table_coder import MISSING, Cuts
from vitalfew.data.databases.open import open_database
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.prefetch import read_ahead, work_ahead
from vitalfew.summaries import stream_counts
from vitalfew.summaries.number_bins import RowSample
from vitalfew.summaries.value_counts import encode

NAMES = st.sampled_from(["a", "b c", 'd"; drop table x; --', "e'", "ß\n", "select", "%s"])


class Pieces(FrameSource):
    """A frame in batches of given lengths, again and again."""

    def __init__(self, frame, lengths=(7,)):
        super().__init__(frame)
        self.lengths = lengths

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=65_536):
        table = self.table if columns is None else self.table.select(list(columns))
        start = step = 0
        while start < table.num_rows:
            length = self.lengths[step % len(self.lengths)]
            yield from table.slice(start, length).combine_chunks().to_batches()
            start, step = start + length, step + 1


def frame(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    is_yes = y == "yes"
    table = pd.DataFrame(
        {
            "word": np.where(rng.random(n) < 0.2 + 0.5 * is_yes, "red", rng.choice(["blue", "green"], n)),
            "flag": rng.random(n) < 0.3 + 0.3 * is_yes,
            "few": rng.integers(-2, 4, n),
            "age": rng.integers(0, 90, n) + 20 * is_yes,
            "size": rng.normal(size=n) + is_yes,
            "same": 1.5,
        }
    )
    return table, y


def assert_counts(found, expected):
    assert found.codings == expected.codings
    assert list(found.names) == list(expected.names)
    np.testing.assert_array_equal(found.classes, expected.classes)
    np.testing.assert_allclose(found.table, expected.table, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.class_count, expected.class_count, rtol=1e-12)
    np.testing.assert_allclose(found.unlabeled, expected.unlabeled, rtol=1e-12, atol=1e-12)
    assert found.n_unlabeled == pytest.approx(expected.n_unlabeled)


def assert_moments(found, expected, tol=1e-12):
    """Up to rounding of means, which totals and parts store."""
    size = np.sqrt(np.diag(expected.scatter))
    assert found.n_rows == expected.n_rows
    assert found.weight_sum == pytest.approx(expected.weight_sum)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12, atol=1e-13)
    lost = 1e-15 * (np.abs(expected.mean) + size) * expected.weight_sum
    bound = tol * np.outer(size, size) + np.outer(size, lost) + np.outer(lost, size) + np.outer(lost, lost)
    assert (np.abs(found.scatter - expected.scatter) <= bound + 1e-30).all()


@st.composite
def tables(draw):
    """Columns of all kinds with hostile names, gaps, constants and few or many values; some labels are null."""
    n = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["words", "booleans", "small", "whole", "numbers", "constant", "empty"]))
        values = {
            "words": rng.choice(["x", "y", "", "ü"], n),
            "booleans": rng.random(n) < 0.5,
            "small": rng.integers(0, 4, n),
            "whole": rng.integers(-1000, 1000, n),
            "numbers": rng.normal(size=n),
            "constant": np.full(n, 0.1),
            "empty": np.zeros(n),
        }[kind]
        gaps = rng.random(n) < draw(st.sampled_from([0.0, 0.3]))
        columns[name] = pa.array(values, mask=gaps if kind != "empty" else np.ones(n, dtype=bool))
    label = pa.array(rng.choice(["p", "q", "r"], n), mask=rng.random(n) < draw(st.sampled_from([0.0, 0.3])))
    return pa.table({**columns, "label": label})


@settings(max_examples=80)
@given(tables(), st.lists(st.integers(1, 30), min_size=1, max_size=3), st.sampled_from(["mdl", "quantile", "uniform"]))
def test_any_batching_counts_what_memory_counts(table, lengths, numeric):
    known = table.filter(pa.compute.is_valid(table["label"]))
    assume(known.num_rows)
    rest = table.filter(pa.compute.is_null(table["label"])).drop_columns("label")
    expected = Counts.from_data(
        known.drop_columns("label"),
        known["label"].to_numpy(),
        X_unlabeled=rest if rest.num_rows else None,
        numeric=numeric,
    )
    found = summarize(Pieces(table, lengths), "label", numeric=numeric)
    assert_counts(found, expected)
    assert found.note == ""


@settings(max_examples=40)
@given(st.integers(2, 80), st.lists(st.integers(1, 30), min_size=1, max_size=3), SEEDS, st.booleans(), st.booleans())
def test_any_batching_has_the_moments_of_memory(n, lengths, seed, is_weighted, is_plain):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "near": rng.normal(size=n),
            "far": 1e6 + rng.normal(size=n),
            "narrow": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(-5, 5, n),
            "flag": rng.random(n) < 0.5,
            "same": 0.1,
            "sorted": np.arange(n) * 1e3,
        }
    )
    if is_plain:
        table = table.astype(float)
    y, weight = rng.normal(size=n), rng.integers(0, 3, n) + 0.5 * is_weighted
    assume(weight.any())
    source = Pieces(table.assign(y=y, w=weight), lengths)
    found = summarize(source, "y", kind="moments", weight="w" if is_weighted else None, columns=list(table))
    expected = Moments.from_data(table.astype(float), y, weight if is_weighted else None)
    assert_moments(found, expected, 1e-10)
    assert list(found.names) == list(table)
    at = list(table).index("same")
    assert not found.scatter[at].any()


@pytest.fixture(params=["duckdb", "sqlite", "postgresql"])
def database(request, tmp_path):
    """Return the location of an engine's tables."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres")
    pytest.importorskip("duckdb" if request.param == "duckdb" else "adbc_driver_sqlite")
    return str(tmp_path / f"rows.{request.param}")


def write(database, name, table):
    with open_database(database) as opened, opened.sink(name, table.schema, replace=True) as sink:
        for batch in table.to_batches():
            sink.write(batch)


@pytest.mark.parametrize("push_down", [True, False, "auto"])
def test_databases_count_as_they_send(database, push_down):
    rows, y = frame(3000)
    rows['d"; drop table x; --'] = rows.pop("word")
    table = pa.Table.from_pandas(rows.assign(y=pd.Series(y).mask(np.arange(3000) % 7 == 0)))
    write(database, "some rows", table)
    found = summarize(database, "y", table="some rows", push_down=push_down)
    assert_counts(found, summarize(table, "y"))


def test_a_query_is_counted_too(database):
    rows, y = frame(300)
    write(database, "t", pa.Table.from_pandas(rows.assign(y=y)))
    expected = summarize(rows.assign(y=y)[rows["age"] > 30], "y", columns=["word", "few"])
    for push_down in (True, False):
        found = summarize(
            database, "y", columns=["word", "few"], query="select * from t where age > 30 -- old", push_down=push_down
        )
        assert_counts(found, expected)


def test_files_in_parts(tmp_path):
    table, y = frame(3000)
    expected = Counts.from_data(table, y)
    whole = pa.Table.from_pandas(table.assign(y=y))
    for i in range(3):
        parquet.write_table(whole.slice(1000 * i, 1000), tmp_path / f"{i}.parquet", row_group_size=300)
    assert_counts(summarize(tmp_path / "*.parquet", "y"), expected)


def test_counts_of_many_rows_are_exact_and_cuts_nearly(monkeypatch):
    monkeypatch.setattr(stream_counts, "SAMPLE_ROWS", 8192)
    rng = np.random.default_rng(1)
    n = 60_000
    size = np.sort(rng.normal(size=n))  # sorted: the first batches say nothing of the others
    y = np.where(size + 0.3 * rng.normal(size=n) > 0.7, "big", "small")
    table = pd.DataFrame({"size": size, "noise": rng.normal(size=n), "y": y})
    found = summarize(table, "y")
    assert "'size'" in found.note
    assert isinstance(found.codings[0], Cuts)
    cuts = np.array(found.codings[0].cuts)
    code = np.searchsorted(cuts, size, side="left")
    own = [[np.sum((code == v) & (y == c)) for c in ("big", "small")] for v in range(len(cuts) + 1)]
    np.testing.assert_array_equal(found.table[: len(own)], own)
    exact = np.array(Counts.from_data(table[["size"]], y).codings[0].cuts)
    ranks = [np.searchsorted(size, c) / n for c in (cuts, exact)]
    main = ranks[1][np.argmin(np.abs(exact - 0.7))]
    assert np.abs(ranks[0] - main).min() < 0.005
    assert found.codings[1].cuts == ()
    again = summarize(Pieces(table, (1000, 17, 9000)), "y")
    assert again.codings == found.codings  # the sample does not depend on the batches
    assert Counts.from_json(found.to_json()).note == found.note


def test_quantiles_of_many_rows(monkeypatch):
    monkeypatch.setattr(stream_counts, "SAMPLE_ROWS", 8192)
    x = np.random.default_rng(2).permutation(50_000).astype(float)
    table = pd.DataFrame({"x": x, "y": np.where(x > 100, "a", "b")})
    found = summarize(table, "y", numeric="quantile")
    np.testing.assert_allclose(found.table.sum(axis=1), 10_000, atol=200)
    even = summarize(table, "y", numeric="uniform")
    assert even.codings == Counts.from_data(table[["x"]], table["y"], numeric="uniform").codings
    assert even.note == ""


def test_categories_and_classes_that_come_late():
    words = ["a"] * 50 + ["b", "new"]
    source = Pieces(pd.DataFrame({"word": words, "y": ["no"] * 50 + ["yes", "late"]}), (10,))
    found = summarize(source, "y")
    assert found.codings[0].values == ("a", "b", "new")
    assert found.classes.tolist() == ["late", "no", "yes"]
    assert found.table.tolist() == [[0, 50, 0], [0, 0, 1], [1, 0, 0]]


def test_weights_stand_for_rows():
    table, y = frame(200)
    weight = np.random.default_rng(3).integers(0, 4, 200)
    twice = np.repeat(np.arange(200), weight)
    found = summarize(Pieces(table.assign(y=y, w=weight)), "y", weight="w")
    assert_counts(found, Counts.from_data(table.iloc[twice], y[twice]))
    moments = summarize(Pieces(table.assign(w=weight)), "size", columns=["age", "few"], weight="w")
    expected = Moments.from_data(table[["age", "few"]].astype(float).iloc[twice], table["size"].iloc[twice])
    np.testing.assert_allclose(moments.scatter, expected.scatter, rtol=1e-10)


def test_categories_become_columns_of_moments():
    table, _ = frame(100)
    table.loc[[3, 50], "word"] = None
    found = summarize(Pieces(table), "size", columns=["age", "word"])
    dummies = pd.get_dummies(table["word"].fillna("(missing)"), dtype=float)
    order = ["blue", "green", "red", "(missing)"]
    expected = Moments.from_data(pd.concat([table["age"].astype(float), dummies[order]], axis=1), table["size"])
    assert found.names == ["age", *(f"word={v}" for v in order)]
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("target", "kind"), [("word", Counts), ("flag", Counts), ("few", Counts), ("age", Moments), ("size", Moments)]
)
def test_the_kind_follows_the_target(target, kind):
    table, _ = frame()
    assert isinstance(summarize(table, target), kind)


def test_rows_without_a_target_are_left_out_of_moments():
    table, _ = frame(90)
    y = table["size"].mask(np.arange(90) % 3 == 0)
    found = summarize(Pieces(table[["age"]].assign(y=y)), "y")
    assert found.n_rows == 60
    kept = y.notna()
    assert_moments(found, Moments.from_data(table.loc[kept, ["age"]].astype(float), y[kept]))


def test_few_threads_and_little_memory_change_nothing():
    table, y = frame(3000)
    table["y"] = y
    assert_counts(summarize(table, "y", n_jobs=1, memory=1_000_000), summarize(table, "y"))
    one, two = (summarize(table, "size", columns=["age", "few"], n_jobs=j) for j in (1, 2))
    np.testing.assert_array_equal(one.scatter, two.scatter)


def test_errors_name_the_column_and_the_remedy():
    table, y = frame(50)
    gaps = table.assign(age=table["age"].mask(table.index % 10 == 0), y=y)
    with pytest.raises(ValueError, match=r"'age' has 5 missing value\(s\).*leave out the column"):
        summarize(Pieces(gaps), "size", kind="moments")
    with pytest.raises(ValueError, match=r"'size' contains infinity"):
        summarize(table.assign(size=np.inf, y=y), "y")
    with pytest.raises(ValueError, match=r"'size' has 1 infinite"):
        summarize(table.assign(size=np.r_[np.inf, np.zeros(49)]), "age")
    with pytest.raises(ValueError, match="no column 'agee'; did you mean 'age'"):
        summarize(table, "agee")
    with pytest.raises(ValueError, match="'age' is the target"):
        summarize(table, "age", columns=["age", "few"])
    with pytest.raises(ValueError, match="Moments require a numeric target"):
        summarize(table, "word", kind="moments")
    with pytest.raises(ValueError, match="contains fractions"):
        summarize(table, "size", kind="counts")
    with pytest.raises(ValueError, match="must be numbers >= 0, got -1"):
        summarize(table.assign(y=y, w=-1), "y", weight="w")
    with pytest.raises(ValueError, match="kind must be one of"):
        summarize(table, "age", kind="sums")
    with pytest.raises(TypeError, match=r"'day' contains timestamp.*dates"):
        summarize(table.assign(day=pd.Timestamp("2024-01-01"), y=y), "y")
    with pytest.raises(ValueError, match="has more than 100,000 distinct values, like a key"):
        summarize(pd.DataFrame({"key": [f"k{i}" for i in range(100_001)], "y": "a"}), "y")
    with pytest.raises(ValueError, match="increase memory"):
        summarize(table, "age", columns=["few"], memory=10)


@pytest.mark.parametrize("kind", ["counts", "moments"])
def test_a_source_without_rows(kind):
    empty = pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.float64())})
    with pytest.raises(ValueError, match="no row with a value of the target 'y'"):
        summarize(empty, "y", kind=kind)
    with pytest.raises(ValueError, match="no row with a value of the target 'y'"):
        summarize(pa.table({"x": [1.0], "y": pa.array([None], pa.float64())}), "y", kind=kind)


def test_a_sample_is_drawn_without_replacement_and_whole_while_it_fits():
    sample = RowSample(100)
    for start in range(0, 1000, 50):
        sample.add(50, lambda rows, start=start: (start + rows,))
        assert sample.is_complete == (start < 100)
    (rows,) = sample.rows()
    assert len(rows) == len(set(rows.tolist())) == 100
    assert 300 < rows.mean() < 700


@given(st.lists(st.sampled_from([None, float("nan"), 0.0, -0.0, 1.5])))
def test_codes_of_values(listed):
    values, codes = encode(pa.array(listed, pa.float64()))
    again = [None if c == MISSING else values[c] for c in codes]
    assert again == [None if v is None or v != v else v for v in listed]
    assert len(set(values)) == len(values)


def test_errors_of_readers_and_workers_come_out():
    def broken():
        yield 1
        raise OSError("gone")

    found = read_ahead(broken())
    assert next(found) == 1
    with pytest.raises(OSError, match="gone"):
        next(found)
    with pytest.raises(ZeroDivisionError):
        list(work_ahead(lambda x: 1 / x, iter([1, 0, 2]), 2))
    assert list(work_ahead(lambda x: x * x, range(50), 3)) == [x * x for x in range(50)]


def test_whole_numbers_that_floats_cannot_tell_apart():
    rows = pa.table({"id": [2**53, 2**53 + 1] * 6, "y": ["p", "q"] * 6})
    with pytest.raises(ValueError, match=r"'id' contains integers beyond 2\*\*53"):
        summarize(rows, "y", numeric="distinct")
