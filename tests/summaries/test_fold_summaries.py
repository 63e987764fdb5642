"""`summarize(folds=)` and `Summaries`: folds by a hash of the row number, whatever holds the rows."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet
from test_summarize import Pieces, assert_counts, assert_moments, database, frame, tables, write  # noqa: F401

from strategies import SEEDS
from vitalfew import Counts, Moments, Summaries, summarize
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.tables.frames import read_table
from vitalfew.families.bayes.streamed_folds import coder_of
from vitalfew.summaries.row_folds import RowFolds

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=3)


def split_mix(seed, row):
    """SplitMix64 in plain integers."""

    def mixed(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    return mixed((mixed(seed) + (row + 1) * 0x9E3779B97F4A7C15) % 2**64)


def counts_of(total, table, label, weight=None):
    """Counts of rows in memory, in the codings of a total."""
    coder = coder_of(total, "mdl", 1)
    code = np.searchsorted(total.classes, label).astype(np.int32)
    return Counts.of_block(coder.transform(read_table(table)), code, weight, total.classes, coder)


def assert_summaries(found, expected):
    check = assert_counts if isinstance(expected.total, Counts) else assert_moments
    assert len(found) == len(expected)
    for a, b in zip([found.total, *found], [expected.total, *expected], strict=True):
        check(a, b)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**62), st.integers(2, 20), st.integers(0, 40))
def test_folds_are_a_hash_of_the_row_number(seed, start, n_folds, n):
    expected = [split_mix(seed, start + i) % n_folds for i in range(n)]
    assert RowFolds(n_folds, seed).of_rows(start, n).tolist() == expected


def test_folds_have_about_equal_sizes_and_differ_between_seeds():
    sizes = np.bincount(RowFolds(5, 0).of_rows(0, 100_000))
    assert np.abs(sizes - 20_000).max() < 5 * np.sqrt(20_000 * 0.8)
    a, b = (RowFolds(5, seed).of_rows(0, 10_000) for seed in (0, 1))
    assert np.mean(a == b) == pytest.approx(0.2, abs=0.02)


@settings(max_examples=40)
@given(tables(), LENGTHS, st.integers(2, 4), SEEDS)
def test_any_batching_counts_the_same_folds(table, lengths, n_folds, seed):
    fold = RowFolds(n_folds, seed).of_rows(0, table.num_rows)
    label = table["label"].to_pandas()
    is_known = label.notna().to_numpy()
    assume(len(np.unique(fold[is_known])) == n_folds)
    found = summarize(Pieces(table, lengths), "label", folds=n_folds, random_state=seed)
    assert_counts(found.total, summarize(table, "label"))
    for k, part in enumerate(found):
        rows = np.flatnonzero(is_known & (fold == k))
        taken = table.drop_columns("label").take(rows)
        assert_counts(part, counts_of(found.total, taken, label.to_numpy()[rows]))
        assert found.train(k).unlabeled.tolist() == found.total.unlabeled.tolist()


@settings(max_examples=30)
@given(st.integers(10, 80), LENGTHS, st.integers(2, 4), SEEDS, st.booleans())
def test_any_batching_has_the_moments_of_the_same_folds(n, lengths, n_folds, seed, is_weighted):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"near": rng.normal(size=n), "far": 1e6 + rng.normal(size=n), "flag": rng.random(n) < 0.5})
    y, weight = rng.normal(size=n), rng.integers(0, 3, n)
    y[rng.random(n) < 0.2] = np.nan
    counts = np.isfinite(y) & (weight > 0) if is_weighted else np.isfinite(y)
    fold = RowFolds(n_folds, seed).of_rows(0, n)
    assume(len(np.unique(fold[counts])) == n_folds)
    source = Pieces(table.assign(y=y, w=weight), lengths)
    options = {"columns": list(table), "weight": "w" if is_weighted else None}
    found = summarize(source, "y", kind="moments", folds=n_folds, random_state=seed, **options)
    for k, part in enumerate(found):
        rows = counts & (fold == k)
        own = weight[rows] if is_weighted else None
        assert_moments(part, Moments.from_data(table[rows].astype(float), y[rows], own), 1e-10)
    assert_moments(found.total, summarize(source, "y", kind="moments", **options), 1e-10)


@pytest.mark.parametrize("kind", ["counts", "moments"])
def test_files_threads_and_memory_do_not_matter(tmp_path, kind):
    rows, y = frame(3000)
    rows = rows.assign(y=y == "yes")
    rows.loc[::7, "word"] = None
    whole = pa.Table.from_pandas(rows)
    for i in range(3):
        parquet.write_table(whole.slice(1000 * i, 1000), tmp_path / f"{i}.parquet", row_group_size=300)
    csv.write_csv(whole, tmp_path / "all.csv")
    options = {"kind": kind, "folds": 5, "random_state": 3}
    expected = summarize(rows, "y", **options)
    assert isinstance(expected, Summaries)
    for source in (tmp_path / "*.parquet", tmp_path / "all.csv"):
        assert_summaries(summarize(source, "y", **options), expected)
    assert_summaries(summarize(rows, "y", **options, n_jobs=1, memory=2**20), expected)
    assert repr(expected).startswith(f"Summaries(n_folds=5, total={kind.title()}(n")


@pytest.mark.parametrize("kind", ["counts", "moments"])
def test_databases_have_the_folds_of_their_rows(database, kind):  # noqa: F811
    """Just written, the tables of all engines are read in the order of their rows."""
    rows, y = frame(3000)
    rows = rows.assign(y=(y == "yes").astype(int))
    rows["flag"] = rows["flag"].astype(int)  # SQLite has no booleans
    write(database, "rows", pa.Table.from_pandas(rows))
    options = {"kind": kind, "folds": 4, "random_state": 1}
    assert_summaries(summarize(database, "y", table="rows", **options), summarize(rows, "y", **options))


@settings(max_examples=8)
@given(cuts=st.lists(st.integers(0, 300), max_size=6), kind=st.sampled_from(["counts", "moments"]))
def test_partitions_have_the_folds_of_the_whole(cuts, kind):
    dask = pytest.importorskip("dask")
    rows, y = frame(300)
    rows = rows.assign(y=y == "yes", w=np.arange(300) % 3)
    parts = [dask.delayed(rows[a:b]) for a, b in pairwise([0, *sorted(cuts), 300])]
    options = {"kind": kind, "folds": 3, "random_state": 2, "weight": "w"}
    with dask.config.set(scheduler="sync"):
        assert_summaries(summarize(parts, "y", **options), summarize(rows, "y", **options))


def test_partitions_of_numbers_in_bins():
    dask = pytest.importorskip("dask")
    dataframe = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"x": rng.normal(size=20_000), "label": rng.choice(["yes", "no"], 20_000)})
    expected = summarize(rows, "label", folds=3, memory=1)  # the smallest sample
    assert "sample" in expected.total.note
    with dask.config.set(scheduler="sync"):
        found = summarize(dataframe.from_pandas(rows, npartitions=5), "label", folds=3, memory=1)
    assert_summaries(found, expected)


def test_another_order_in_the_second_pass_is_noticed():
    class Shuffled(FrameSource):
        name = "the server"
        n_read = 0

        def batches(self, columns=None, **options):
            self.n_read += 1
            order = np.random.default_rng(self.n_read).permutation(self.table.num_rows)
            yield from FrameSource(self.table.take(order)).batches(columns, **options)

    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"few": rng.integers(0, 3, 3000), "many": rng.normal(size=3000), "y": ["a", "b"] * 1500})
    with pytest.raises(ValueError, match=r"'the server' returned .* in another order, .* ORDER BY"):
        summarize(Shuffled(rows), "y", folds=3)
    found = summarize(Shuffled(rows), "y", columns=["few"], folds=3)  # one pass: random folds, but consistent
    assert_counts(sum(found), found.total)


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 4), st.sampled_from(["counts", "moments"]), st.data())
def test_merged_parts_are_the_whole(seed, n_folds, kind, data):
    rng = np.random.default_rng(seed)
    n = 120
    rows = pd.DataFrame({"word": rng.choice(list("abc"), n), "flag": rng.random(n) < 0.5, "y": rng.integers(0, 2, n)})
    rows.loc[rng.random(n) < 0.1, "y"] = np.nan
    options = {"kind": kind, "folds": n_folds, "random_state": seed}
    if kind == "moments":
        rows["word"] = rng.normal(size=n)
    cut = data.draw(st.integers(50, 70))
    a, b = (summarize(part, "y", **options) for part in (rows[:cut], rows[cut:]))
    merged, other_way = a + b, sum([b, a])
    assert merged.drawn is None
    for pair in zip([merged.total, *merged], [other_way.total, *other_way]):
        (assert_counts if kind == "counts" else assert_moments)(*pair)
    whole = summarize(rows, "y", kind=kind)
    (assert_counts if kind == "counts" else assert_moments)(merged.total, whole)
    for k, (train, fold) in enumerate(merged.splits()):
        again = train + fold
        (assert_counts if kind == "counts" else assert_moments)(again, whole)
        assert repr(merged.train(k)) == repr(train)


def test_what_summaries_are_made_of():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    moments, counts = Moments.from_data(X, y), Counts.from_data(X, y)
    assert Summaries.of(moments).total is moments
    assert len(Summaries.of(moments)) == 0
    assert len(Summaries.of([counts, counts])) == 2
    with pytest.raises(ValueError, match="got an empty list"):
        Summaries.from_folds([])
    with pytest.raises(ValueError, match="got Counts and Moments"):
        Summaries.from_folds([moments, counts])
    with pytest.raises(ValueError, match="2 and 3 folds"):
        Summaries.of([moments] * 2) + Summaries.of([moments] * 3)
    with pytest.raises(TypeError):
        Summaries.of([moments] * 2) + moments
    assert repr(counts) == "Counts(n=60, n_features=2, n_classes=2)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds must be None or an integer >= 2, got 1"),
        ({"folds": True}, "folds must be"),
        ({"folds": 2, "random_state": None}, "random_state must be an integer >= 0"),
        ({"folds": 2, "random_state": -1}, "random_state must be an integer >= 0"),
        ({"folds": 50}, r"fold \d+ of 50 has no row with a value of the target 'y'; use fewer folds"),
        ({"folds": 50, "kind": "moments"}, r"fold \d+ of 50 has no row"),
    ],
)
def test_folds_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        summarize(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0, 1, 1]}), "y", **options)


def test_folds_of_a_list_need_not_have_the_same_values():
    parts = [Counts.from_data([[u], [v]], [a, b]) for u, v, a, b in ("uvab", "vwbc")]
    trained = Summaries.from_folds(parts).train(0)
    assert dict(zip(trained.classes.tolist(), trained.class_count.tolist())) == {"a": 0, "b": 1, "c": 1}
    assert trained.codings[0].values == ("u", "v", "w")
    np.testing.assert_array_equal(trained.line_count, [0, 1, 1])
