"""Summaries of partitions are those of the whole, whatever the partitioning."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from vitalfew import summarize
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.partition_rows import count_partitions

dask = pytest.importorskip("dask", reason="Dask is not installed: see the extra 'cluster'")
dataframe = pytest.importorskip("dask.dataframe")


def table(n, seed=0):
    """Words, flags, whole numbers, quantities of few and of many values; some missing; half of the labels missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "word": rng.choice(["u", "v", "w", None], n),
            "flag": rng.random(n) < 0.3,
            "whole": rng.integers(0, 5, n),
            "few": rng.integers(0, 60, n) / 7,
            "many": rng.normal(size=n),
            "weight": rng.integers(0, 3, n).astype(float),
        }
    )
    frame.loc[rng.random(n) < 0.1, "many"] = np.nan
    frame["label"] = np.where(frame.whole + rng.normal(size=n) > 2, "yes", "no")
    frame.loc[rng.random(n) < 0.5, "label"] = None
    return frame


def parts_of(data, cuts):
    edges = [0, *sorted(min(c, len(data)) for c in cuts), len(data)]
    return [dask.delayed(data[a:b]) for a, b in pairwise(edges)]


def assert_same(found: Counts, expected: Counts):
    assert found.codings == expected.codings
    assert list(found.names) == list(expected.names)
    assert found.classes.tolist() == expected.classes.tolist()
    assert found.note == expected.note
    for name in ("table", "class_count", "unlabeled", "n_unlabeled"):
        assert np.allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)


@settings(max_examples=12)
@given(
    cuts=st.lists(st.integers(0, 300), max_size=6),
    numeric=st.sampled_from(["mdl", "quantile", "uniform", "distinct"]),
    weight=st.sampled_from([None, "weight"]),
)
def test_counts(cuts, numeric, weight):
    frame = table(300)
    expected = summarize(frame, "label", numeric=numeric, weight=weight)
    with dask.config.set(scheduler="sync"):
        assert_same(summarize(parts_of(frame, cuts), "label", numeric=numeric, weight=weight), expected)


@pytest.mark.parametrize("numeric", ["mdl", "quantile", "uniform"])
def test_numbers_in_bins_are_sampled_as_one_pass_would(numeric):
    """More labeled rows than the sample has, so that partitions have to agree on it."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=30_000), "z": rng.random(30_000)})
    frame["label"] = (frame.x + rng.normal(size=30_000) > 0).map({True: "yes", False: "no"})
    frame.loc[rng.random(30_000) < 0.2, "label"] = None
    expected = summarize(frame, "label", numeric=numeric, memory=1)  # the smallest sample
    assert ("sample" in expected.note) == (numeric != "uniform")
    with dask.config.set(scheduler="sync"):
        parts = dataframe.from_pandas(frame, npartitions=7)
        assert_same(summarize(parts, "label", numeric=numeric, memory=1), expected)


@settings(max_examples=12)
@given(cuts=st.lists(st.integers(0, 200), max_size=6), weight=st.sampled_from([None, "weight"]))
def test_moments(cuts, weight):
    frame = table(200).assign(many=lambda f: 1e6 + f.many.fillna(0))
    options = {"kind": "moments", "columns": ["word", "flag", "few", "whole"], "weight": weight}
    expected = summarize(frame, "many", **options)
    with dask.config.set(scheduler="sync"):
        found = summarize(parts_of(frame, cuts), "many", **options)
    assert list(found.names) == list(expected.names)
    assert (found.n_rows, found.weight_sum) == (expected.n_rows, expected.weight_sum)
    assert np.allclose(found.mean, expected.mean, rtol=1e-13)
    scale = np.sqrt(np.outer(np.diag(expected.scatter), np.diag(expected.scatter)))
    assert (np.abs(found.scatter - expected.scatter) <= 1e-9 * scale + 1e-12).all()


def test_errors_of_workers_name_what_is_wrong():
    frame = table(50)
    with dask.config.set(scheduler="sync"):
        with pytest.raises(ValueError, match="no row with a value of the target 'label'"):
            summarize(parts_of(frame.assign(label=pd.Series([None] * 50, dtype=object)), [10]), "label")
        with pytest.raises(ValueError, match="column 'many' contains infinity"):
            summarize(parts_of(frame.assign(many=np.inf), [10]), "label")
        with pytest.raises(ValueError, match=r"column 'many' has .* missing value"):
            summarize(parts_of(frame, [10]), "few", columns=["many"], kind="moments")
        with pytest.raises(ValueError, match="no row with a value of the target 'y'"):
            summarize(parts_of(pd.DataFrame({"x": [1.0, 2.0], "y": [np.nan, np.nan]}), [1]), "y", kind="moments")


@settings(max_examples=20)
@given(
    cuts=st.lists(st.integers(0, 60), max_size=5),
    has_weight=st.booleans(),
    kind=st.sampled_from(["sparse", "array", "frame"]),
)
def test_counts_of_rows_whose_labels_are_elsewhere(cuts, has_weight, kind):
    rng = np.random.default_rng(5)
    dense = (rng.random((60, 7)) < 0.3).astype(float)
    X = {"sparse": sparse.csr_matrix(dense), "array": dense, "frame": pd.DataFrame(dense).add_prefix("word ")}[kind]
    y = rng.choice(["a", "b"], 60).astype(object)
    is_known = rng.random(60) < 0.6
    partly = np.where(is_known, y, None)
    weight = rng.random(60) if has_weight else None
    known, unknown = np.flatnonzero(is_known), np.flatnonzero(~is_known)
    take = (lambda rows: X.iloc[rows]) if kind == "frame" else (lambda rows: X[rows])
    own = None if weight is None else weight[known]
    expected = Counts.from_data(take(known), y[known], sample_weight=own)
    with dask.config.set(scheduler="sync"):
        rows = [0, *sorted(cuts), 60]
        blocks = [dask.delayed(take(slice(a, b))) for a, b in pairwise(rows)]
        found = count_partitions(blocks, parts_of(partly, cuts), None if weight is None else parts_of(weight, cuts))
    assert found.classes.tolist() == ["a", "b"]
    assert list(found.names) == list(expected.names)
    assert np.allclose(found.table, expected.table, rtol=1e-12, atol=1e-12)
    assert found.n_unlabeled == pytest.approx(len(unknown) if weight is None else weight[unknown].sum())
    lines = Counts.from_data(
        take(unknown), np.zeros(len(unknown)), sample_weight=None if weight is None else weight[unknown]
    )
    assert np.allclose(found.unlabeled, lines.table[:, 0], rtol=1e-12, atol=1e-12)


def test_rows_and_labels_must_match():
    with dask.config.set(scheduler="sync"):
        X = [dask.delayed(sparse.eye(4, format="csr"))]
        with pytest.raises(ValueError, match="partitions of X and y must have the same number of rows, got 4 and 3"):
            count_partitions(X, [dask.delayed(np.array([0, 1, 0]))])
        with pytest.raises(ValueError, match="y has no labels"):
            count_partitions(X, [dask.delayed(np.array([None] * 4, dtype=object))])
