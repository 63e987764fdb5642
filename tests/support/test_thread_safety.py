"""Kernels among other threads: limits of others, loops of others, the interpreter's lock, and forks."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from test_threads import CASES, classes, codes, numbers
from threadpoolctl import threadpool_limits

from vitalfew import Counts, Lasso, _core
from vitalfew.support.threads import limit_threads

# Only to notice that something hangs.
PATIENCE_S = 240


def helpers_of(call):
    before = _core.helper_threads()[0]
    call()
    return _core.helper_threads()[0] - before


@pytest.mark.parametrize("call", [lambda: Counts.from_data(*codes()), lambda: Lasso(0.05).fit(*numbers())])
def test_limits_of_threadpoolctl_hold(call):
    with threadpool_limits(1):
        assert _core.thread_count(0) == 1
        assert helpers_of(call) == 0
    with threadpool_limits(3):
        assert _core.thread_count(0) == 3
        assert helpers_of(call) > 0


def test_a_limit_is_of_the_thread_that_sets_it():
    with ThreadPoolExecutor(1) as other:
        before = other.submit(_core.thread_count).result()
        with limit_threads(3):
            assert _core.thread_count() == 3
            assert other.submit(_core.thread_count).result() == before


def run(script, **environment):
    """Return the output of a separate process."""
    begin = """
    import os, threading
    import joblib
    import numpy as np
    from vitalfew import _core, AdaBoost, Counts, Lasso, NaiveBayes, Ridge
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 200))
    y = X[:, 3] + rng.normal(size=6000)
    Z = rng.integers(0, 3, (80_000, 20), dtype=np.uint8)
    """
    code = textwrap.dedent(begin) + textwrap.dedent(script)
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_loops_over_threads_share_the_processors():
    script = """
    alone = Lasso(0.05).fit(X, y).coef_
    outer = joblib.Parallel(n_jobs=6, backend="threading")
    tables = outer(joblib.delayed(Counts.from_data)(Z, Z[:, 0]) for _ in range(30))
    models = outer(joblib.delayed(Lasso(0.05).fit)(X, y) for _ in range(12))
    assert all((t.table == tables[0].table).all() for t in tables)
    assert all((m.coef_ == alone).all() for m in models)
    begun, most = _core.helper_threads()
    assert 1 <= most <= 2 and begun > 2, (begun, most)  # of three, one is the caller
    """
    run(script, OMP_NUM_THREADS="3")


def test_loops_over_processes_share_the_processors():
    script = """
    def work():
        found = Counts.from_data(Z, Z[:, 0]).table
        return found, _core.thread_count(0), _core.helper_threads()[1]

    alone = Counts.from_data(Z, Z[:, 0]).table
    allowed = max(1, joblib.cpu_count() // 2)
    for found, threads, most in joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(work)() for _ in range(4)):
        assert (found == alone).all()
        assert threads == allowed and most < allowed, (threads, most)
    """
    run(script)


def test_dask_workers_with_threads_share_the_processors():
    pytest.importorskip("distributed")
    script = """
    import distributed
    with distributed.LocalCluster(1, threads_per_worker=6, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            futures = [client.submit(Lasso(0.05).fit, X, y, pure=False) for _ in range(12)]
            found = [f.result().coef_ for f in futures]
    assert all((c == Lasso(0.05).fit(X, y).coef_).all() for c in found)
    begun, most = _core.helper_threads()
    assert 1 <= most <= 2, (begun, most)
    """
    run(script, OMP_NUM_THREADS="3")


# A kernel of each kind, and the call that comes to it.
KERNELS = {
    "count_codes": "Counts",
    "mdl_cuts": "Discretizer",
    "mdl_codes": "NaiveBayes mdl",
    "lasso_path": "Lasso wide",
    "logistic_path": "LogisticRegression",
    "multinomial_path": "LogisticRegression classes",
    "best_subsets": "BestSubsetRegressor",
    "greedy_classes": "GreedySubsetClassifier",
    "forward_fitting": "ForwardFittingRegressor",
    "boost": "AdaBoost",
    "grow_tree": "DecisionTree",
}


@pytest.fixture
def counting():
    """A number that a Python thread increases while the main thread has given up the interpreter's lock, only then."""
    count, is_over = [0], threading.Event()

    def increase():
        while not is_over.is_set():
            count[0] += 1
            time.sleep(0.0005)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e5)  # no thread is asked to release the lock
    thread = threading.Thread(target=increase)
    thread.start()
    yield count
    sys.setswitchinterval(interval)
    is_over.set()
    thread.join()


@pytest.mark.parametrize("kernel", KERNELS)
def test_python_goes_on_while_a_kernel_runs(kernel, counting, monkeypatch):
    original, moved = getattr(_core, kernel), []

    def watched(*arguments, **named):
        before = counting[0]
        result = original(*arguments, **named)
        moved.append(counting[0] - before)
        return result

    monkeypatch.setattr(_core, kernel, watched)
    for _ in range(50):  # a machine that is busy may leave the other thread out for a while
        CASES[KERNELS[kernel]][0](1, None)
        if any(moved):
            break
    assert any(moved)


def test_without_a_kernel_nothing_is_counted(counting):
    before = counting[0]
    total = sum(range(3_000_000))
    assert counting[0] == before
    assert total > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")
def test_a_child_that_is_forked_while_kernels_run_can_run_them_too():
    script = """
    # Kernels of the core alone: to fork while another thread is inside of OpenBLAS can hang, in OpenBLAS.
    def fit():
        return [
            AdaBoost(20, n_jobs=2).fit(X, y > 0).decision_function(X),
            AdaBoost(20).fit(X, y > 0).decision_function(X),
            Counts.from_data(Z, Z[:, 0]).table,
        ]

    def fit_all():
        return [*fit(), Lasso(0.05, n_jobs=2).fit(X, y).coef_, Ridge(1.0, n_jobs=2).fit(X, y).coef_]

    before = fit_all()
    is_over = threading.Event()

    def keep_on():
        while not is_over.is_set():
            fit()

    others = [threading.Thread(target=keep_on) for _ in range(2)]
    for other in others:
        other.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            begun = _core.helper_threads()[0]
            same = all(np.allclose(a, b, rtol=1e-9) for a, b in zip(fit_all(), before))
            os._exit(0 if same and _core.helper_threads()[0] > begun else 3)
        print(os.waitpid(child, 0)[1])
    is_over.set()
    """
    assert run(script, OMP_NUM_THREADS="3", PYTHONWARNINGS="ignore").split() == ["0"] * 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")
def test_pools_of_forked_processes():
    script = """
    import multiprocessing
    before = AdaBoost(20, n_jobs=2).fit(X, y > 0).decision_function(X)

    def fit(_):
        return AdaBoost(20, n_jobs=2).fit(X, y > 0).decision_function(X)

    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(all((found == before).all() for found in pool.map(fit, range(4))))
    """
    assert run(script, PYTHONWARNINGS="ignore") == "True\n"


def test_many_callers_at_once_agree():
    """Callers that share what is handed to kernels: nothing in it changes."""
    (X, y), (C, k) = numbers(), classes()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: (Lasso(0.05).fit(X, y).coef_, Counts.from_data(C > 0, k).table), range(16)))
    for coef, table in found:
        np.testing.assert_array_equal(coef, found[0][0])
        np.testing.assert_array_equal(table, found[0][1])
