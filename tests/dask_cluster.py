"""Real Dask clusters for tests: workers are processes of their own."""

import os
import signal
from contextlib import contextmanager

import pytest


@contextmanager
def new_cluster(n_workers: int = 2):
    """A cluster with a client that is the default one until it is closed."""
    dask = pytest.importorskip("dask", reason="Dask is not installed: see the extra 'cluster'")
    distributed = pytest.importorskip("distributed", reason="distributed is not installed: see the extra 'cluster'")
    # A machine that is busy may take long to start a worker anew; by default it is given up after 15 seconds.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "300s"}),
        distributed.LocalCluster(n_workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def worker_pids(client) -> dict[str, int]:
    return client.run(os.getpid)


def explode_at(call: int, module: str, function: str) -> None:
    """To be run on a worker: the process kills itself when the function is called for the so-manieth time."""
    import importlib

    owner = importlib.import_module(module)
    sound = getattr(owner, function)
    calls = []

    def explosive(*arguments, **named):
        calls.append(1)
        if len(calls) == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return sound(*arguments, **named)

    setattr(owner, function, explosive)


@pytest.fixture(scope="session")
def dask_client():
    """The client of a cluster that all tests of a process share."""
    with new_cluster() as client:
        yield client
        pids = list(worker_pids(client).values())
    left = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    assert not left, f"workers {left} outlived their cluster"
