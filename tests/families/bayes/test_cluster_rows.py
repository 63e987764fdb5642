"""Models of partitioned rows are those of the rows in memory, whatever the partitioning."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes
from vitalfew.exceptions import RuleError
from vitalfew.families.bayes.cluster_rows import ClusterRows, gather_labeled
from vitalfew.families.bayes.mixture import Parameters, PresenceRows, WeightRows
from vitalfew.families.bayes.mixture_data import read_rows

dask = pytest.importorskip("dask", reason="Dask is not installed: see the extra 'cluster'")
array, dataframe = (pytest.importorskip(f"dask.{name}") for name in ("array", "dataframe"))
CUTS = st.lists(st.integers(0, 150), max_size=6)


def rows(kind, n=150, seed=0):
    """Rows of one kind, all labels, and labels of which most are missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    dense = (rng.random((n, 12)) < np.where(truth[:, None] == 1, 0.5, 0.25)).astype(float)
    X = {
        "presence": lambda: sparse.csr_matrix(dense.astype(np.int64)),
        "weights": lambda: sparse.csr_matrix(dense * rng.uniform(0.5, 1.5, 12)),
        "frame": lambda: pd.DataFrame(
            {
                "word": np.where(rng.random(n) < 0.3, "w", np.array(["u", "v", "w"])[truth]),
                "z": rng.normal(size=n) + truth,
            }
        ),
        "array": lambda: np.round(dense * 3 + rng.random((n, 12))),
    }[kind]()
    labels = np.array(["a", "b", "c"], dtype=object)[truth]
    return X, labels, np.where(np.arange(n) % 3 == 0, labels, None)


def parts_of(data, cuts):
    edges = [0, *sorted(min(c, data.shape[0]) for c in cuts), data.shape[0]]
    take = (lambda a, b: data.iloc[a:b]) if hasattr(data, "iloc") else (lambda a, b: data[a:b])
    return [dask.delayed(take(a, b)) for a, b in pairwise(edges)]


def assert_same(found, expected):
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert found.unlabeled_weight_ == expected.unlabeled_weight_
    assert found.verdict_ == expected.verdict_
    assert np.allclose(found.objective_, expected.objective_, rtol=1e-12)
    assert np.allclose(found.feature_log_prob_, expected.feature_log_prob_, rtol=0, atol=1e-9)
    assert np.allclose(found.class_log_prior_, expected.class_log_prior_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["presence", "weights", "frame", "array"])
@settings(max_examples=6)
@given(cuts=CUTS)
def test_em_of_partitions(kind, cuts):
    X, _, y = rows(kind)
    model = SemiSupervisedNaiveBayes(guard=False, unlabeled_weight=1.0, prior_strength=2.0)
    with dask.config.set(scheduler="sync"):
        found = model.fit(parts_of(X, cuts), parts_of(y, cuts))
    assert_same(found, SemiSupervisedNaiveBayes(**model.get_params()).fit(X, y))
    assert found.n_iter_ > 2


@pytest.mark.parametrize("kind", ["weights", "frame"])
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.UnlabeledDataWarning")
def test_the_weight_of_unlabeled_rows_is_chosen_alike(kind):
    """Cuts of the numbers of a frame are made anew in each fold, and then the rows on the workers are read anew."""
    X, _, y = rows(kind)
    with dask.config.set(scheduler="sync"):
        found = SemiSupervisedNaiveBayes(n_folds=3).fit(parts_of(X, [20, 90]), parts_of(y, [20, 90]))
    expected = SemiSupervisedNaiveBayes(n_folds=3).fit(X, y)
    assert_same(found, expected)
    assert np.allclose(found.weight_scores_.log_loss, expected.weight_scores_.log_loss, rtol=1e-9)


def test_unlabeled_rows_alone_may_be_elsewhere():
    X, labels, _ = rows("presence")
    options = {"guard": False, "unlabeled_weight": 0.5}
    expected = SemiSupervisedNaiveBayes(**options).fit(X[:30], labels[:30], X_unlabeled=X[30:])
    with dask.config.set(scheduler="sync"):
        parts = parts_of(X[30:], [50])
        found = SemiSupervisedNaiveBayes(**options).fit(X[:30], labels[:30], X_unlabeled=parts)
        assert_same(found, expected)
        again = SemiSupervisedNaiveBayes(**options).fit(
            parts_of(X[:30], [7]), parts_of(labels[:30], [7]), X_unlabeled=parts
        )
        assert_same(again, expected)
        with pytest.raises(ValueError, match="must have the 12 columns of X, but one of its partitions has 11"):
            SemiSupervisedNaiveBayes(**options).fit(X[:30], labels[:30], X_unlabeled=parts_of(X[30:, :11], []))


def test_sample_weights_come_along():
    X, _, y = rows("presence")
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    options = {"guard": False, "unlabeled_weight": 1.0}
    with dask.config.set(scheduler="sync"):
        found = SemiSupervisedNaiveBayes(**options).fit(*(parts_of(a, [40, 41]) for a in (X, y, weight)))
    assert_same(found, SemiSupervisedNaiveBayes(**options).fit(X, y, weight))


def test_without_unlabeled_rows_the_model_is_supervised():
    X, labels, _ = rows("presence")
    with dask.config.set(scheduler="sync"):
        found = SemiSupervisedNaiveBayes().fit(parts_of(X, [5]), parts_of(labels, [5]))
    assert found.unlabeled_weight_ == 0
    assert "no unlabeled rows" in found.verdict_


@pytest.mark.parametrize("kind", ["presence", "weights"])
def test_sums_are_those_of_all_rows(kind):
    X, _, _ = rows(kind)
    here = (
        WeightRows(X)
        if kind == "weights"
        else read_rows(X, False, SemiSupervisedNaiveBayes().fit(*rows(kind)[::2]).coder_, 1)
    )
    assert isinstance(here, WeightRows | PresenceRows)
    rng = np.random.default_rng(2)
    table = np.log(rng.random((len(here.lines()), 3)))
    parameters = Parameters(table, np.log(np.full(3, 1 / 3)))
    with dask.config.set(scheduler="sync"):
        there = ClusterRows.read(parts_of(np.arange(150), [0, 60, 100]), lambda part, _: here.take(part))
        sums, height = there.expect(parameters)
    expected, expected_height = here.expect(parameters)
    assert there.n_rows == 150
    assert np.allclose(there.lines(), here.lines())
    assert np.allclose(sums.table, expected.table)
    assert np.allclose(sums.total, expected.total)
    assert height == pytest.approx(expected_height)


def test_only_labeled_rows_come_here():
    X, _, y = rows("frame")
    with dask.config.set(scheduler="sync"):
        found = gather_labeled(parts_of(X, [3, 77]), parts_of(y, [3, 77]))
        assert found.X.equals(X[pd.notna(y)])
        assert found.y.tolist() == y[pd.notna(y)].tolist()
        left = [part for part in dask.compute(*found.unlabeled) if part is not None]
        assert pd.concat(left).equals(X[pd.isna(y)])
        with pytest.raises(ValueError, match="y has no labels"):
            gather_labeled(parts_of(X, []), parts_of(np.full(len(X), -1), []))
        with pytest.raises(ValueError, match="the same number of rows, got 150 and 149"):
            gather_labeled(parts_of(X, []), parts_of(y[1:], []))


@pytest.mark.parametrize("kind", ["presence", "frame", "array"])
@settings(max_examples=6)
@given(cuts=CUTS)
def test_naive_bayes_of_partitions(kind, cuts):
    X, labels, y = rows(kind)
    is_known = pd.notna(y)
    expected = NaiveBayes().fit(X[is_known], labels[is_known], X_unlabeled=X[~is_known])
    with dask.config.set(scheduler="sync"):
        found = NaiveBayes().fit(parts_of(X, cuts), parts_of(y, cuts))
    assert np.allclose(found.predict_joint_log_proba(X), expected.predict_joint_log_proba(X), rtol=0, atol=1e-10)
    assert hasattr(found, "feature_names_in_") == (kind == "frame")


def test_naive_bayes_chooses_features_where_counts_are_enough():
    X, labels, _ = rows("presence")
    options = {"features": "bic", "order": "information"}
    with dask.config.set(scheduler="sync"):
        found = NaiveBayes(**options).fit(parts_of(X, [40]), parts_of(labels, [40]))
        with pytest.raises(RuleError, match="fit on a Dask collection cannot choose features='mdl'"):
            NaiveBayes(features="mdl").fit(parts_of(X, [40]), parts_of(labels, [40]))
        with pytest.raises(ValueError, match="X_unlabeled is not supported when X is a Dask collection"):
            NaiveBayes().fit(parts_of(X, [40]), parts_of(labels, [40]), X_unlabeled=X)
    assert np.array_equal(found.support_, NaiveBayes(**options).fit(X, labels).support_)


def test_minus_one_is_a_class_for_naive_bayes_and_no_label_for_em():
    X, _, _ = rows("presence")
    y = np.where(np.arange(150) % 2, 1, -1)
    with dask.config.set(scheduler="sync"):
        assert NaiveBayes().fit(parts_of(X, [9]), parts_of(y, [9])).classes_.tolist() == [-1, 1]
        assert SemiSupervisedNaiveBayes(guard=False).fit(parts_of(X, [9]), parts_of(y, [9])).classes_.tolist() == [1]


def test_predictions_are_made_by_workers():
    X, _, y = rows("presence")
    with dask.config.set(scheduler="sync"):
        blocks = array.concatenate(
            [array.from_delayed(part, (np.nan, 12), meta=X[:0]) for part in parts_of(X, [50])],
            allow_unknown_chunksizes=True,
        )
        model = SemiSupervisedNaiveBayes(guard=False).fit(blocks, parts_of(y, [50]))
        found = blocks.map_blocks(model.predict, drop_axis=1, dtype=object).compute()
        assert found.tolist() == model.predict(X).tolist()
        assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == found.tolist()
        labels = [part.label for part in dask.compute(*[dask.delayed(model.classify)(p) for p in parts_of(X, [50])])]
        assert np.concatenate(labels).tolist() == found.tolist()
