"""A deadline that has passed stops every kernel, and complete results found before it are kept."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import kernels
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetRegressor,
    Blend,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySearch,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    KernelRidge,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    _core,
    bias_variance,
    compare,
    loo_predict,
)
from vitalfew.exceptions import TimeBudgetError, UnfinishedWarning
from vitalfew.families.subsets import best_subset
from vitalfew.support.deadline import Inheriting, check_deadline, deadline, time_left

NAMED = [name for name in kernels.CALLS if name != "WordRows"]
Z, t, two = kernels.Z, kernels.t, kernels.two
wide = np.random.default_rng(1).normal(size=(1000, 4000))


@pytest.mark.parametrize("call", NAMED)
def test_no_kernel_begins_after_the_deadline(monkeypatch, call):
    kernel = call.split()[0]
    real = getattr(_core, kernel)

    def late(*arguments, **named):
        with deadline(0):
            return real(*arguments, **named)

    with monkeypatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.setattr(_core, kernel, late)
        with pytest.raises(TimeBudgetError):
            kernels.CALLS[call](1000)
    assert time_left() == np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernels.CALLS[call](200)


def test_no_document_is_read_after_the_deadline():
    with deadline(0), pytest.raises(TimeBudgetError):
        kernels.CALLS["WordRows"](200)
    kernels.CALLS["WordRows"](200)


# Fits that call no kernel, or none for long.
LOOPS = {
    "ridge": lambda: Ridge(1.0).fit(Z[:100], t[:100]),
    "ridge from eigenvalues": lambda: Ridge("loo").fit(Z[:100], t[:100]),
    "kernel ridge": lambda: KernelRidge("loo").fit(Z[:100], t[:100]),
    "logistic ridge": lambda: LogisticRegression(0.1, penalty="l2").fit(Z[:100], two[:100]),
    "boosted learners": lambda: AdaBoost(3, estimator=DecisionTreeClassifier(max_depth=2)).fit(Z[:100], two[:100]),
    "bagging": lambda: Bagging(KNeighborsClassifier(), 3).fit(Z[:100], two[:100]),
    "blend": lambda: Blend([("neighbors", KNeighborsClassifier())]).fit(Z[:100], two[:100]),
    "leave one out": lambda: loo_predict(KNeighborsRegressor(), Z[:20, :3], t[:20]),
    "bias and variance": lambda: bias_variance(LinearRegression(), Z[:60, :3], t[:60], random_state=0),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_no_loop_begins_after_the_deadline(loop):
    with deadline(0), pytest.raises(TimeBudgetError):
        LOOPS[loop]()


def test_work_that_cannot_be_stopped_is_not_begun_if_it_cannot_end():
    check_deadline(needs=1e9)
    with deadline(1e6), pytest.raises(TimeBudgetError, match="takes about 1e"):
        check_deadline(needs=1e9)


def test_the_earlier_of_nested_deadlines_holds():
    with deadline(1000):
        with deadline(1e6):
            assert time_left() <= 1000
        with deadline(1):
            assert time_left() <= 1
        assert 500 < time_left() <= 1000
    assert time_left() == np.inf


def test_a_deadline_belongs_to_a_thread_and_those_that_inherit_it():
    with deadline(100), ThreadPoolExecutor(1) as pool:
        assert pool.submit(time_left).result() == np.inf
        assert pool.submit(Inheriting(time_left)).result() <= 100
        assert pool.submit(time_left).result() == np.inf


@pytest.mark.parametrize("rule", ["cv", "1se"])
def test_folds_in_threads_inherit_the_deadline(monkeypatch, rule):
    """The path of all rows is found before the deadline; the folds are not."""
    caller, real = threading.get_ident(), _core.lasso_path
    late = []

    def watch(*arguments, **named):
        if threading.get_ident() != caller:
            late.append(time_left())
            _core.set_deadline(0)
        return real(*arguments, **named)

    monkeypatch.setattr(_core, "lasso_path", watch)
    with deadline(1e6), pytest.raises(TimeBudgetError):
        Lasso(rule, cv=3).fit(Z[:100], t[:100])
    assert max(late) <= 1e6


# What a family calls its progress bar, and a fit whose path may be cut short.
PREFIXES = {
    "bayes.naive_bayes_path": lambda n: NaiveBayes(features=200).fit(kernels.bits[:n], two[:n]),
    "linear.lasso": lambda n: Lasso("bic", grid_ratio=1e-4).fit(wide[: n // 4], t[: n // 4]),
    "linear.logistic": lambda n: LogisticRegression("bic").fit(Z[:n], two[:n]),
    "subsets.greedy": lambda n: GreedySubsetRegressor(200).fit(wide[: n // 4], t[: n // 4]),
    "subsets.greedy_classes": lambda n: GreedySubsetClassifier(20).fit(Z[:n], two[:n]),
    "subsets.forward_fitting": lambda n: ForwardFittingRegressor(10**6, learning_rate=1e-4).fit(Z[:n], t[:n]),
    "subsets.forward_fitting_classes": lambda n: ForwardFittingClassifier(2000, learning_rate=1e-3).fit(Z[:n], two[:n]),
}


@pytest.fixture
def stop_in(monkeypatch):
    """Let the deadline pass when the kernel of a family reports a given number of points."""
    import importlib

    def arrange(family: str, least: float = 2) -> None:
        @contextmanager
        def stopping(*_):
            yield lambda done: _core.set_deadline(0) if done >= least else None

        monkeypatch.setattr(importlib.import_module(f"vitalfew.families.{family}"), "kernel_progress", stopping)

    return arrange


@pytest.mark.parametrize("family", PREFIXES)
def test_what_was_found_before_the_deadline_stands(stop_in, family):
    stop_in(family)
    for n in (1000, 2000, 4000):  # until the kernel takes long enough to report progress
        with warnings.catch_warnings(record=True) as told, deadline(1e6):
            warnings.simplefilter("always")
            model = PREFIXES[family](n)
        if any(issubclass(one.category, UnfinishedWarning) for one in told):
            break
    else:
        pytest.fail("no deadline came while the kernel was at work")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(_core, "set_deadline", lambda _at: None)
            whole = PREFIXES[family](n)
    short = model.path_.grid
    assert 1 < len(short) < len(whole.path_.grid)
    np.testing.assert_array_equal(short, whole.path_.grid[: len(short)])


def test_a_given_penalty_that_was_not_reached_is_an_error(stop_in):
    stop_in("linear.lasso", least=0)
    with deadline(1e6), pytest.raises(TimeBudgetError):
        Lasso(1e-6, grid_ratio=1e-6).fit(wide, t[:1000])  # takes long enough to report progress


def test_the_best_subset_so_far_stands_without_a_proof(monkeypatch):
    monkeypatch.setattr(best_subset, "time_left", lambda: 0.0)
    model = BestSubsetRegressor(5).fit(Z[:, :30], t)
    assert len(model.subset_) == 5
    assert not model.certified_


def test_a_greedy_search_keeps_the_best_so_far(monkeypatch):
    fits, X = [], np.random.default_rng(0).normal(size=(60, 5))

    class Slow(LinearRegression):
        def fit(self, X, y):
            fits.append(X.shape)
            if len(fits) == 15:
                monkeypatch.setattr("vitalfew.families.subsets.subset_scores.time.perf_counter", lambda: np.inf)
            return super().fit(X, y)

    with deadline(1e6), pytest.warns(UnfinishedWarning):
        search = GreedySearch(Slow(), cv=2).fit(X, X[:, 1] - 2 * X[:, 4])
    assert not search.is_complete_


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_comparison_leaves_out_what_the_deadline_stops(n_jobs):
    models = {"a": Lasso("bic"), "b": LinearRegression()}
    with deadline(0), pytest.warns(UnfinishedWarning, match="deadline was reached"):
        found = compare(models, Z[:100, :5], t[:100], n_jobs=n_jobs, progress=False)
    assert not found.failures
    assert {line["status"] for line in found.rows} == {"not run: time budget"}
