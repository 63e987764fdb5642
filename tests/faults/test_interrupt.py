"""Ctrl-C stops a kernel, and a forked child can run one; each in a separate process."""

import os
import subprocess
import sys
import textwrap

import pytest

# Only to notice that something hangs.
PATIENCE_S = 240

DATA = """
    import os, signal, threading, time
    import numpy as np
    from scipy import sparse
    from vitalfew import Counts, NaiveBayes

    rng = np.random.default_rng(0)
    y = rng.integers(0, {n_classes}, 4000)
    X = sparse.csr_array(rng.random((4000, 3000)) < 0.05)
    if not {is_sparse}:
        X = X.toarray().astype(np.uint8)
"""


def run(script, **values):
    code = textwrap.dedent(DATA.format(**values)) + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("n_classes", "is_sparse", "n_jobs"), [(2, True, 2), (3, True, 1), (2, False, 2)])
def test_ctrl_c_stops_the_search(n_classes, is_sparse, n_jobs):
    script = f"""
    def press():
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        while True:  # the search is long, but a machine may be fast
            NaiveBayes(features=3000, n_jobs={n_jobs}).fit(X, y)
    except KeyboardInterrupt:
        print("stopped")
    model = NaiveBayes(features=2, n_jobs={n_jobs}).fit(X[:500], y[:500])
    print("works", int(model.support_.sum()))
    """
    found = run(script, n_classes=n_classes, is_sparse=is_sparse)
    assert found.stdout.split("\n")[:2] == ["stopped", "works 2"], found.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")
def test_a_forked_child_can_run_a_kernel():
    script = """
    before = NaiveBayes(features=2, n_jobs=2).fit(X, y)
    table = Counts.from_data(X, y, n_jobs=2).table
    child = os.fork()
    if child == 0:
        again = NaiveBayes(features=2, n_jobs=2).fit(X, y)
        same = (again.support_ == before.support_).all() and (Counts.from_data(X, y, n_jobs=2).table == table).all()
        os._exit(0 if same else 3)
    print("child", os.waitpid(child, 0)[1])
    """
    found = run(script, n_classes=2, is_sparse=True)
    assert found.stdout == "child 0\n", found.stderr


def test_an_error_in_the_progress_callback_reaches_the_caller():
    script = """
    from vitalfew.families.bayes import naive_bayes_path

    from contextlib import contextmanager

    @contextmanager
    def failing(*_):
        def show(done):
            raise RuntimeError("no more paper")
        yield show

    naive_bayes_path.kernel_progress = failing
    try:
        while True:
            NaiveBayes(features=3000).fit(X, y)
    except RuntimeError as error:
        print(error)
    """
    found = run(script, n_classes=2, is_sparse=True)
    assert found.stdout == "no more paper\n", found.stderr


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "call",
    [
        "BestSubsetRegressor(10, time_budget=200).fit(Z, t)",
        "BestSubsetClassifier(8, time_budget=200).fit(Z[:, :60], t > 0)",
        "GreedySubsetClassifier(60).fit(Z, t > 0)",
        "ForwardFittingRegressor(10**8, learning_rate=1e-6).fit(Z, t)",
        "ForwardFittingClassifier(10**5, learning_rate=1e-3).fit(Z, t > 0)",
        "AdaBoost(10**5).fit(Z, t > 0)",
        "AdaBoost(10**5, multiclass='samme').fit(Z, np.digitize(t, [-20, 20]))",
    ],
)
def test_ctrl_c_stops_long_fits(call):
    script = f"""
    from vitalfew import *
    Z = rng.normal(size=(400, 150)) + rng.normal(size=(400, 1))
    t = Z @ rng.normal(size=150) + 30 * rng.normal(size=400)

    def press():
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        while True:
            {call}
    except KeyboardInterrupt:
        print("stopped")
    print("works", len(GreedySubsetRegressor(2).fit(Z, t).subset_), threading.active_count())
    """
    found = run(script, n_classes=2, is_sparse=True)
    assert found.stdout.split("\n")[:2] == ["stopped", "works 2 1"], found.stderr
