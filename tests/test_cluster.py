"""The same numbers on a real Dask cluster, also when workers die."""

import numpy as np
import pytest
from dask_cluster import explode_at, worker_pids
from scipy import sparse

from vitalfew import SemiSupervisedNaiveBayes

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install 'vitalfew[cluster]'")


def _documents(n=600, d=40, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = sparse.csr_matrix((rng.random((n, d)) < np.where(truth[:, None] == 1, 0.4, 0.25)).astype(np.int64))
    return X, np.where(np.arange(n) % 20 == 0, truth, -1)


def _parts(data, n_parts=12):
    cuts = np.linspace(0, data.shape[0], n_parts + 1).astype(int)
    return [dask.delayed(data[a:b]) for a, b in zip(cuts, cuts[1:])]


@pytest.mark.parametrize("n_dying", [1, 2])
def test_workers_that_die_in_the_middle_of_em_cost_nothing_but_time(mortal_dask_client, n_dying):
    client = mortal_dask_client
    X, y = _documents()
    model = SemiSupervisedNaiveBayes(unlabeled_weight=1.0, guard=False, tol=0, max_iter=8)
    undisturbed = model.fit(_parts(X), _parts(y)).parameters_
    before = worker_pids(client)
    dying = list(before)[:n_dying]
    client.run(explode_at, 15, "vitalfew.families.cluster_rows", "_expect", workers=dying)

    disturbed = model.fit(_parts(X), _parts(y))

    assert disturbed.n_iter_ == 8
    assert set(before[w] for w in dying).isdisjoint(worker_pids(client).values())
    assert np.array_equal(disturbed.parameters_.log_table, undisturbed.log_table)
    assert np.array_equal(disturbed.parameters_.log_prior, undisturbed.log_prior)
