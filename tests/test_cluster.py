"""The same numbers on a real Dask cluster with separate processes, also when these are killed."""

from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from dask_cluster import explode_at, worker_pids
from vitalfew import Lasso, NaiveBayes, Ridge, SemiSupervisedNaiveBayes, WordPresence, compare, summarize
from vitalfew.data.tables.partitions import worker_threads

dask = pytest.importorskip("dask", reason="Dask is not installed: see the extra 'cluster'")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: see the extra 'cluster'")
WORDS = ["ale", "bread", "cheese", "dates", "eggs", "figs", "grapes", "honey", "ice", "jam", "日本", "kale"]


def _documents(n=600, d=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = sparse.csr_matrix((rng.random((n, d)) < np.where(truth[:, None] == 1, 0.4, 0.25)).astype(np.int64))
    return X, np.where(np.arange(n) % 20 == 0, truth, -1)


def _texts(n=300, seed=0):
    """Documents of which one in five has its topic."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 2, n)
    body = [" ".join(rng.choice(WORDS[:8] if t else WORDS[4:], 6)) for t in topic]
    label = np.where(rng.random(n) < 0.2, np.where(topic, "food", "other"), None)
    return pd.DataFrame({"body": body, "topic": label})


def _parts(data, n_parts=12):
    cuts = np.linspace(0, data.shape[0], n_parts + 1).astype(int)
    return [dask.delayed(data[a:b]) for a, b in pairwise(cuts)]


@pytest.mark.usefixtures("dask_client")
class TestSameAsInMemory:
    def test_text_to_labels(self):
        dataframe = pytest.importorskip("dask.dataframe")
        frame = _texts()
        here = WordPresence(weighting="idf")
        matrix = here.fit_transform(frame.body)
        model = SemiSupervisedNaiveBayes(unlabeled_weight=0.3, guard=False).fit(matrix, frame.topic)

        table = dataframe.from_pandas(frame, npartitions=5)
        there = WordPresence(weighting="idf").fit(table.body)
        blocks = there.transform(table.body).persist()
        fitted = SemiSupervisedNaiveBayes(unlabeled_weight=0.3, guard=False).fit(blocks, table.topic)
        labels = blocks.map_blocks(fitted.predict, dtype=object, drop_axis=1).compute()

        assert there.vocabulary_ == here.vocabulary_
        assert np.array_equal(there.idf_, here.idf_)
        assert (blocks.compute() != matrix).nnz == 0
        assert fitted.is_weighted_
        assert fitted.unlabeled_weight_ == model.unlabeled_weight_
        assert fitted.n_iter_ == model.n_iter_
        assert np.allclose(fitted.feature_log_prob_, model.feature_log_prob_, rtol=0, atol=1e-10)
        assert labels.tolist() == model.predict(matrix).tolist()

    def test_summaries_and_naive_bayes_of_a_table(self):
        dataframe = pytest.importorskip("dask.dataframe")
        rng = np.random.default_rng(1)
        frame = pd.DataFrame(
            {"a": rng.choice(["u", "v", "w"], 400), "z": rng.normal(size=400), "t": rng.integers(0, 2, 400)}
        )
        table = dataframe.from_pandas(frame, npartitions=4)

        assert np.array_equal(summarize(table, "t").table, summarize(frame, "t").table)
        ours, whole = summarize(table, "z", kind="moments"), summarize(frame, "z", kind="moments")
        assert np.allclose(ours.scatter, whole.scatter, rtol=1e-12, atol=1e-10)

        features = ["a", "z"]
        model = NaiveBayes().fit(table[features], table.t)
        expected = NaiveBayes().fit(frame[features], frame.t).predict(frame[features])
        found = table[features].map_partitions(model.predict, meta=np.empty(0, dtype=np.int64)).compute()
        assert np.array_equal(found, expected)

    def test_folds_of_compare(self):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(80, 6))
        y = X[:, 0] + rng.normal(size=80)
        models = {"lasso": Lasso(alpha="1se"), "ridge": Ridge(alpha="loo")}
        here = compare(models, X, y, random_state=0)
        with joblib.parallel_config(backend="dask"):
            there = compare(models, X, y, random_state=0)
        assert np.array_equal(there.errors, here.errors)
        assert np.array_equal(there.n_features, here.n_features)

    def test_a_kernel_has_the_threads_of_its_worker(self, dask_client):
        assert dask_client.submit(worker_threads, pure=False).result() == 1  # threads_per_worker
        assert worker_threads() == 1
        with (
            distributed.LocalCluster(
                n_workers=1, threads_per_worker=3, processes=False, dashboard_address=":0"
            ) as local,
            distributed.Client(local, set_as_default=False) as client,
        ):
            assert client.submit(worker_threads, pure=False).result() == 3


@pytest.mark.parametrize("n_dying", [1, 2])
def test_workers_that_die_in_the_middle_of_em_cost_nothing_but_time(dask_client, n_dying):
    X, y = _documents()
    model = SemiSupervisedNaiveBayes(unlabeled_weight=1.0, guard=False, tol=0, max_iter=6)
    undisturbed = clone(model).fit(_parts(X), _parts(y))
    before = worker_pids(dask_client)
    dying = list(before)[:n_dying]
    dask_client.run(explode_at, 15, "vitalfew.families.bayes.cluster_rows", "_expect", workers=dying)

    disturbed = model.fit(_parts(X), _parts(y))

    dask_client.wait_for_workers(2)
    assert {before[worker] for worker in dying}.isdisjoint(worker_pids(dask_client).values())
    assert disturbed.n_iter_ == 6
    assert np.array_equal(disturbed.feature_log_prob_, undisturbed.feature_log_prob_)
    assert np.array_equal(disturbed.class_log_prior_, undisturbed.class_log_prior_)


def test_a_worker_that_dies_while_words_are_counted(dask_client):
    body = _texts().body
    before = worker_pids(dask_client)
    dask_client.run(explode_at, 2, "vitalfew.data.text.partition_words", "_count", workers=list(before)[:1])
    found = WordPresence().fit(_parts(body.to_numpy()))
    dask_client.wait_for_workers(2)
    assert set(before.values()) != set(worker_pids(dask_client).values())
    assert found.vocabulary_ == WordPresence().fit(body).vocabulary_
    assert found.n_documents_ == len(body)
