"""Collections of Dask as sources and as text: any partitioning gives what the whole gives."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitalfew.data.source import open_source
from vitalfew.data.tables.partitions import (
    aligned_partitions,
    compute,
    is_partitioned,
    merge_tree,
    on_each,
    partitions_of,
    sent_to_all,
)
from vitalfew.data.text.word_presence import WordPresence

dask = pytest.importorskip("dask", reason="Dask is not installed: see the extra 'cluster'")
array, bag, dataframe = (pytest.importorskip(f"dask.{name}") for name in ("array", "bag", "dataframe"))

WORDS = ["ale", "Bread", "gämma", "εψ", "日本", "𝒳yz", "zz", "a_b", "x", "\ud800x"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), min_size=1, max_size=20)
CUTS = st.lists(st.integers(0, 20), max_size=5)


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def parts_of(data, cuts):
    """Delayed slices; some may be empty."""
    edges = [0, *sorted(min(c, len(data)) for c in cuts), len(data)]
    return [dask.delayed(data[a:b]) for a, b in pairwise(edges)]


def test_dask_is_not_imported_unless_it_is_met():
    code = (
        "import sys, numpy; from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes, WordPresence, summarize; "
        "X = WordPresence().fit_transform(['big cat', 'old dog']); NaiveBayes().fit(X, [0, 1]); "
        "sys.exit('dask' in sys.modules or 'distributed' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_what_is_partitioned():
    frame = dataframe.from_pandas(pd.DataFrame({"a": range(6)}), npartitions=3)
    for one in (frame, frame.a, bag.from_sequence([1]), array.ones(3), dask.delayed(1), [dask.delayed(1)]):
        assert is_partitioned(one)
    for one in (None, [], [1, dask.delayed(1)], np.ones(3), pd.DataFrame({"a": [1]}), "text", [frame.compute()]):
        assert not is_partitioned(one)


def test_partitions_are_in_order_and_hold_whole_rows():
    numbers = np.arange(24).reshape(6, 4)
    parts = compute(*partitions_of(array.from_array(numbers, chunks=(2, 3))))
    assert [part.shape for part in parts] == [(2, 4)] * 3
    assert np.array_equal(np.vstack(parts), numbers)


@given(st.lists(st.text(max_size=2), min_size=1, max_size=40), st.integers(2, 9))
def test_neighbors_are_merged_in_order(words, split_every):
    with dask.config.set(scheduler="sync"):
        assert compute(merge_tree([dask.delayed(w) for w in words], "".join, split_every)) == "".join(words)


def test_a_tree_does_not_merge_more_than_told_at_once():
    sizes = []

    def add(parts):
        sizes.append(len(parts))
        return sum(parts)

    assert compute(merge_tree(on_each(int, range(100)), add)) == sum(range(100))
    assert max(sizes) <= 8


def test_without_a_cluster_nothing_is_sent():
    assert sent_to_all(3, lambda value: dask.delayed(value) + 1) == 4


def test_collections_must_have_the_same_partitions():
    with pytest.raises(ValueError, match="X and y must be partitioned alike, got 2 and 1"):
        aligned_partitions(X=[dask.delayed(1)] * 2, y=[dask.delayed(1)])
    with pytest.raises(TypeError, match="y is ndarray; pass y as a collection"):
        aligned_partitions(X=dask.delayed(1), y=np.ones(3))


@pytest.mark.parametrize(
    "options",
    [{}, {"weighting": "idf", "ngram_range": (1, 2)}, {"min_df": 2}, {"max_features": 3, "lowercase": False}],
)
@given(documents=DOCUMENTS, cuts=CUTS)
def test_words_of_partitions_are_those_of_the_whole(options, documents, cuts):
    documents = [*documents, "ale Bread", "ale Bread"]
    whole = WordPresence(**options)
    matrix = whole.fit_transform(documents)
    with dask.config.set(scheduler="sync"):
        found = WordPresence(**options)
        blocks = found.fit_transform(parts_of(documents, cuts))
        assert found.vocabulary_ == whole.vocabulary_
        assert found.n_documents_ == len(documents)
        assert (blocks.compute() != matrix).nnz == 0
        assert blocks.dtype == matrix.dtype
    if "weighting" in options:
        assert np.array_equal(found.idf_, whole.idf_)


@pytest.mark.parametrize("kind", ["series", "bag", "delayed Arrow"])
def test_documents_of_any_collection(kind):
    documents = ["big cat", "old dog", "", "cat"]
    collection = {
        "series": dataframe.from_pandas(pd.Series(documents), npartitions=2),
        "bag": bag.from_sequence(documents, npartitions=3).map(str.upper),
        "delayed Arrow": [dask.delayed(pa.array(documents[:1])), dask.delayed(pa.array(documents[1:]))],
    }[kind]
    words = WordPresence().fit(collection)
    assert words.vocabulary_ == {"big": 0, "cat": 1, "dog": 2, "old": 3}
    expected = words.transform(documents)
    assert (words.transform(collection).compute() != expected).nnz == 0


def test_a_given_vocabulary_is_counted_for_its_weights():
    documents = ["ale cheese", "cheese", "fig", "ale"]
    options = {"vocabulary": ["fig", "ale", "none"], "weighting": "idf"}
    found = WordPresence(**options).fit(parts_of(documents, [1, 1, 3]))
    assert np.array_equal(found.idf_, WordPresence(**options).fit(documents).idf_)


def test_a_document_that_is_missing_or_no_word_at_all_is_told():
    with pytest.raises(ValueError, match="is missing"):
        WordPresence().fit([dask.delayed(["ale"]), dask.delayed([None])])
    with pytest.raises(ValueError, match="empty vocabulary"):
        WordPresence().fit([dask.delayed(["", "a"]), dask.delayed([])])


def test_a_frame_is_a_source():
    frame = pd.DataFrame({"body": ["x", "y", "z", "w"], "label": [None, "p", None, "q"], "n": [1.5, 2, 3, None]})
    source = open_source(dataframe.from_pandas(frame, npartitions=3))
    assert source.schema().names == ["body", "label", "n"]
    assert source.n_rows() is None
    found = pa.Table.from_batches(source.batches(["body"], missing="label"))
    assert found.to_pydict() == {"body": ["x", "z"]}
    assert sum(batch.num_rows for batch in source.batches(batch_rows=1)) == 4
    with pytest.raises(ValueError, match="not a database"):
        open_source(dask.delayed(frame), table="t")


def test_partitions_take_the_types_of_the_collection():
    """A column without values has no type."""
    first, second = pd.DataFrame({"a": [None, None], "b": [1, 2]}), pd.DataFrame({"a": ["u", None], "b": [3.0, 4.0]})
    source = open_source([dask.delayed(first), dask.delayed(second)])
    assert [str(t) for t in source.schema().types] in (["string", "double"], ["large_string", "double"])
    table = pa.Table.from_batches(source.batches())
    assert table.to_pydict() == {"a": [None, None, "u", None], "b": [1, 2, 3, 4]}
    third = pd.DataFrame({"a": ["u"], "b": ["much"]})
    with pytest.raises(ValueError, match=r"column 'b' is .*string in one partition and double in another"):
        list(open_source([dask.delayed(second), dask.delayed(third)]).batches())
