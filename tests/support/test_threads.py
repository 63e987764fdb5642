"""The number of threads changes how long a call takes, and not a bit of what it finds."""

import dataclasses
import inspect
import sqlite3
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression

import vitalfew as vf
from vitalfew import _core


@cache
def numbers(n=6000, p=200, seed=0):
    """Columns that are like their neighbors, and a target of a few of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1:] += X[:, :-1]
    return X, X[:, [1, p // 3, p // 2]] @ [1.0, -2.0, 0.5] + rng.normal(size=n)


@cache
def classes(n=6000, p=200, n_classes=3):
    X, y = numbers(n, p)
    return X, np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


@cache
def words(n=6000, p=800):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, n)
    return sparse.csr_array(rng.random((n, p)) < 0.02 + 0.2 * (np.arange(p) % 40 == y[:, None])), y


@cache
def codes(n=80000, p=30):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, n)
    return np.where(rng.random((n, p)) < 0.1, y[:, None], rng.integers(0, 3, (n, p))).astype(np.uint8), y


@cache
def texts(n=8000):
    rng = np.random.default_rng(3)
    return [" ".join(f"word{w}" for w in row) for row in rng.geometric(0.002, (n, 40))]


def partly_labeled():
    X, y = words()
    return X, np.where(np.arange(len(y)) < 300, y, -1)


def labeled_table(folder, n_jobs):
    """Documents of a database, labeled: the table that was written."""
    path = folder / f"{n_jobs}.sqlite"
    rows = [(i, text + f" topic{i % 2}", "ab"[i % 2] if i < 60 else None) for i, text in enumerate(texts())]
    with sqlite3.connect(path) as connection:
        connection.execute("create table documents (id integer primary key, body text, topic text)")
        connection.executemany("insert into documents values (?, ?, ?)", rows)
    vf.label_documents(str(path), "documents", "body", "topic", key="id", model="nb", n_jobs=n_jobs, verbose=False)
    return sqlite3.connect(path).execute("select * from documents_predicted order by id").fetchall()


def summary(n_jobs):
    pd = pytest.importorskip("pandas")
    X, y = numbers()
    return vf.summarize(pd.DataFrame(X[:, :40]).add_prefix("x").assign(y=y), "y", n_jobs=n_jobs, verbose=False)


FEW = {"n_jobs": 1, "verbose": False}
SMALL = vf.LogisticRegression(0.02, **FEW)
PAIR = {"plain": LinearRegression(), "lasso": vf.Lasso(0.1, **FEW)}

# Calls with a number of threads, and whether the core uses them; the others use threads of joblib or BLAS.
CASES = {
    "AdaBoost": (lambda n, _: vf.AdaBoost(20, n_jobs=n).fit(*classes(n_classes=2)), True),
    "AdaBoost samme": (lambda n, _: vf.AdaBoost(10, multiclass="samme", n_jobs=n).fit(*classes()), True),
    "Bagging": (lambda n, _: vf.Bagging(rounds=6, random_state=0, n_jobs=n).fit(*classes(1500, 20)), False),
    "BestSubsetClassifier": (lambda n, _: vf.BestSubsetClassifier(3, n_jobs=n).fit(*classes(400, 12, 2)), True),
    "BestSubsetRegressor": (lambda n, _: vf.BestSubsetRegressor(4, n_jobs=n).fit(*numbers(6000, 40)), True),
    "Blend": (
        lambda n, _: vf.Blend([("bayes", vf.NaiveBayes(n_jobs=1)), ("linear", SMALL)], cv=3, n_jobs=n).fit(
            *classes(600, 20)
        ),
        False,
    ),
    "Counts": (lambda n, _: vf.Counts.from_data(*codes(), n_jobs=n), True),
    "Counts sparse": (lambda n, _: vf.Counts.from_data(*words(), n_jobs=n), True),
    "DecisionTree": (lambda n, _: vf.DecisionTree(n_jobs=n).fit(*classes()), True),
    "Discretizer": (lambda n, _: vf.Discretizer(n_jobs=n).fit(*classes()), True),
    "ForwardFittingClassifier": (lambda n, _: vf.ForwardFittingClassifier(4, n_jobs=n).fit(*classes()), True),
    "ForwardFittingRegressor": (lambda n, _: vf.ForwardFittingRegressor(10, n_jobs=n).fit(*numbers()), True),
    "GreedySearch": (
        lambda n, _: vf.GreedySearch(LinearRegression(), 2, cv=3, n_jobs=n).fit(*numbers(200, 8)),
        False,
    ),
    "GreedySubsetClassifier": (lambda n, _: vf.GreedySubsetClassifier(3, n_jobs=n).fit(*classes()), True),
    "GreedySubsetRegressor": (lambda n, _: vf.GreedySubsetRegressor(6, n_jobs=n).fit(*numbers()), True),
    "InformationRanking": (lambda n, _: vf.InformationRanking(10, n_jobs=n).fit(*words()), True),
    "KernelRidge": (lambda n, _: vf.KernelRidge(1.0, gamma=0.1, n_jobs=n).fit(*numbers(300, 8)), False),
    "Lasso": (lambda n, _: vf.Lasso(0.05, n_jobs=n).fit(*numbers()), True),
    "Lasso wide": (lambda n, _: vf.Lasso(0.2, n_jobs=n).fit(*numbers(500, 4000)), True),
    "Lasso cv": (lambda n, _: vf.Lasso("cv", random_state=0, n_jobs=n).fit(*numbers(3000, 60)), False),
    "LogisticRegression": (lambda n, _: vf.LogisticRegression(0.02, n_jobs=n).fit(*classes(n_classes=2)), True),
    "LogisticRegression classes": (lambda n, _: vf.LogisticRegression(0.02, n_jobs=n).fit(*classes()), True),
    "Moments": (lambda n, _: vf.Moments.from_data(*numbers(), n_jobs=n), True),
    "NaiveBayes": (lambda n, _: vf.NaiveBayes(features=20, n_jobs=n).fit(*words()), True),
    "NaiveBayes mdl": (lambda n, _: vf.NaiveBayes(features="mdl", n_jobs=n).fit(*codes(20000)), True),
    "Ridge": (lambda n, _: vf.Ridge(1.0, n_jobs=n).fit(*numbers()), False),
    "SemiSupervisedNaiveBayes": (
        lambda n, _: vf.SemiSupervisedNaiveBayes(unlabeled_weight=0.5, max_iter=5, tol=0, n_jobs=n).fit(
            *partly_labeled()
        ),
        True,
    ),
    "Stump": (lambda n, _: vf.Stump(n_jobs=n).fit(*classes()), True),
    "WordPresence": (lambda n, _: vf.WordPresence(n_jobs=n).fit_transform(texts()), True),
    "bias_variance": (
        lambda n, _: (
            vf.bias_variance(vf.Stump(n_jobs=1), *classes(300, 5), n_sets=6, random_state=0, n_jobs=n).variance
        ),
        False,
    ),
    "compare": (
        lambda n, _: vf.compare(PAIR, *numbers(300, 8), random_state=0, n_jobs=n, progress=False).errors,
        False,
    ),
    "conditional_entropy": (lambda n, _: vf.conditional_entropy(*codes(), n_jobs=n), True),
    "conditional_mutual_information": (
        lambda n, _: vf.conditional_mutual_information(*codes(), codes()[0][:, 0], n_jobs=n),
        True,
    ),
    "entropy": (lambda n, _: vf.entropy(codes()[0], n_jobs=n), True),
    "interaction_information": (
        lambda n, _: vf.interaction_information(*codes(), codes()[0][:, 0], n_jobs=n),
        True,
    ),
    "label_documents": (lambda n, folder: labeled_table(folder, n), True),
    "loo_predict": (
        lambda n, _: vf.loo_predict(vf.Stump(n_jobs=1), *classes(40, 5), n_jobs=n, progress=False).prediction,
        False,
    ),
    "mutual_information": (lambda n, _: vf.mutual_information(*codes(), n_jobs=n), True),
    "summarize": (lambda n, _: summary(n), False),
}
# Their sums are those of BLAS, of which the last digits depend on how many threads it has.
BY_BLAS = {"KernelRidge", "Lasso cv", "Ridge"}
# What it finds depends on how far it comes in the time it is given.
TIMED = {"report"}


def test_every_public_name_with_threads_has_a_case():
    def takes_threads(thing):
        members = [thing, *(v for k, v in inspect.getmembers(thing, callable) if k.startswith("from_"))]
        return any("n_jobs" in inspect.signature(member).parameters for member in members)

    names = {name for name in vf.__all__ if takes_threads(getattr(vf, name))}
    assert names - TIMED == {name.partition(" ")[0] for name in CASES}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.VitalfewWarning")
def test_the_number_of_threads_changes_no_bit(name, tmp_path):
    call, uses_kernels = CASES[name]
    begun, found = [], []
    for n_jobs in (1, 2, 4):
        before = _core.helper_threads()[0]
        found.append(bits(call(n_jobs, tmp_path)))
        begun.append(_core.helper_threads()[0] - before)
    assert found[0]  # something was compared
    for other in found[1:]:
        if name in BY_BLAS:
            assert_near(other, found[0])
        else:
            assert other == found[0]
    assert begun[0] == 0
    assert not uses_kernels or 0 < begun[1] < begun[2]


def assert_near(found, expected):
    """Check that two results of `bits` agree up to the last digits."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert_near(found[key], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_near(one, other)
    elif isinstance(expected, tuple) and expected[0] == "<f8":
        one, other = (np.frombuffer(held[2]).reshape(held[1]) for held in (found, expected))
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12 + 1e-9 * np.abs(other).max(initial=0))
    elif isinstance(expected, str) and "0x" in expected:
        assert float.fromhex(found) == pytest.approx(float.fromhex(expected), rel=1e-9, abs=1e-12)
    else:
        assert found == expected


HOW = ("n_jobs", "threads", "time", "seconds")  # what says how it was done, not what was found


def bits(thing):
    """All that a result holds, in a form that is equal if every bit is."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return thing.dtype.str, thing.shape, np.ascontiguousarray(thing).tobytes()
    if sparse.issparse(thing):
        thing = thing.tocsr()
        return bits([thing.indptr, thing.indices, thing.data])
    if isinstance(thing, list | tuple | np.ndarray):
        return [bits(item) for item in thing]
    if isinstance(thing, dict):
        return {key: bits(value) for key, value in thing.items() if key not in HOW}
    if isinstance(thing, BaseEstimator):
        return bits({k: v for k, v in vars(thing).items() if k.endswith("_") and not k.startswith("_")})
    if isinstance(thing, vf.Counts | vf.Moments):
        return bits({k: v for k, v in inspect.getmembers(thing) if isinstance(v, np.ndarray | float)})
    if dataclasses.is_dataclass(thing):
        return bits({field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)})
    if isinstance(thing, float):
        return thing.hex()
    if isinstance(thing, int | str | bytes | None | np.generic):
        return thing
    if hasattr(thing, "to_dict"):
        return bits(thing.to_dict())
    return type(thing).__name__
