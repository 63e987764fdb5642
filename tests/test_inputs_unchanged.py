"""No call writes to what it is given: every buffer of every input is the same before and after."""

import hashlib
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.utils.validation import has_fit_parameter

import vitalfew as vf

RNG = np.random.default_rng(20)
N, D = 36, 4
BASE = RNG.integers(0, 4, (N, D)) * RNG.integers(0, 2, (N, D))
SCORE = BASE[:, 0] - BASE[:, 1] + RNG.normal(size=N)
TARGET = {"classes": (np.median(SCORE) < SCORE).astype(np.int64), "numbers": SCORE}

MODELS = {
    "AdaBoost": (lambda: vf.AdaBoost(3), "classes"),
    "AdaBoost by resampling": (lambda: vf.AdaBoost(3, resample=True, random_state=0), "classes"),
    "Bagging": (lambda: vf.Bagging("stump", 2, random_state=0), "classes"),
    "BestSubsetClassifier": (lambda: vf.BestSubsetClassifier(2), "classes"),
    "BestSubsetRegressor": (lambda: vf.BestSubsetRegressor(2, near_ties=0.1), "numbers"),
    "Blend": (lambda: vf.Blend([("ridge", vf.Ridge(1.0)), ("lasso", vf.Lasso(0.01))], cv=2), "numbers"),
    "DecisionTree": (lambda: vf.DecisionTree(), "classes"),
    "DecisionTree by exceptions": (lambda: vf.DecisionTree(code="exceptions", mdl_weight="mdl"), "classes"),
    "Discretizer": (lambda: vf.Discretizer(), "classes"),
    "ForwardFittingClassifier": (lambda: vf.ForwardFittingClassifier(2), "classes"),
    "ForwardFittingRegressor": (lambda: vf.ForwardFittingRegressor(2), "numbers"),
    "GreedySearch": (lambda: vf.GreedySearch(vf.Ridge(1.0), 1, cv=2), "numbers"),
    "GreedySearch from a start": (
        lambda: vf.GreedySearch(vf.Ridge(1.0), "loo", select_by="training", start=[1], max_features=2),
        "numbers",
    ),
    "GreedySubsetClassifier": (lambda: vf.GreedySubsetClassifier(2), "classes"),
    "GreedySubsetRegressor": (lambda: vf.GreedySubsetRegressor(2), "numbers"),
    "InformationRanking": (lambda: vf.InformationRanking(2), "classes"),
    "InformationRanking with a prior": (lambda: vf.InformationRanking(2, prior_strength=20.0), "classes"),
    "KernelRidge": (lambda: vf.KernelRidge(1.0), "numbers"),
    "Lasso": (lambda: vf.Lasso(0.01), "numbers"),
    "LogisticRegression": (lambda: vf.LogisticRegression(0.01), "classes"),
    "NaiveBayes": (lambda: vf.NaiveBayes(), "classes"),
    "NaiveBayes with given features": (lambda: vf.NaiveBayes([0, 2], prior_strength="loo", grid=3), "classes"),
    "NaiveBayes by MDL": (lambda: vf.NaiveBayes(features="mdl"), "classes"),
    "Ridge": (lambda: vf.Ridge(1.0), "numbers"),
    "SemiSupervisedNaiveBayes": (lambda: vf.SemiSupervisedNaiveBayes(), "classes"),
    "Stump": (lambda: vf.Stump(), "classes"),
}
METHODS = ("predict", "predict_proba", "predict_joint_log_proba", "decision_function", "transform")


def buffers(X):
    """Everything that an input holds: its kind, and the bytes of its arrays."""
    if isinstance(X, np.ndarray):
        whole = X if X.base is None or not isinstance(X.base, np.ndarray) else X.base
        content = repr(whole.tolist()) if whole.dtype == object else whole.tobytes("A")
        return [type(X), X.dtype, X.shape, X.strides, str(X.flags), content]
    if sparse.issparse(X):
        held = [type(X), X.format, X.dtype, X.shape]
        if X.format == "dok":
            return [*held, sorted(X.items())]
        if X.format == "lil":
            return [*held, X.rows.tolist(), X.data.tolist()]
        names = {"dia": ("offsets",), "coo": ("row", "col")}.get(X.format, ("indices", "indptr"))
        return [*held, *(part for name in ("data", *names) for part in buffers(getattr(X, name)))]
    if isinstance(X, pd.DataFrame):
        columns = [part for name in X for part in buffers(X[name].to_numpy())]
        return [type(X), X.columns.tolist(), X.index.tolist(), X.dtypes.tolist(), *columns]
    if isinstance(X, pl.DataFrame):
        return [type(X), X.schema, *buffers(X.to_arrow())]
    assert isinstance(X, pa.Table | pa.Array)
    chunks = [X] if isinstance(X, pa.Array) else [chunk for column in X.columns for chunk in column.chunks]
    return [type(X), X.num_rows if isinstance(X, pa.Table) else X.type] + [
        None if buffer is None else buffer.to_pybytes() for chunk in chunks for buffer in chunk.buffers()
    ]


def digest(*inputs):
    return [hashlib.sha256(repr(buffers(X)).encode()).hexdigest() for X in inputs if X is not None]


def dense(dtype):
    table = BASE.astype(dtype)
    strided = np.zeros((2 * N, 2 * D), dtype=dtype)
    strided[::2, ::2] = table
    frozen = table.copy()
    frozen.flags.writeable = False
    yield "C", np.ascontiguousarray(table)
    yield "F", np.asfortranarray(table)
    yield "strided", strided[::2, ::2]
    yield "backwards", np.ascontiguousarray(table[::-1])[::-1]
    yield "read-only", frozen
    columns = {f"c{j}": table[:, j].copy() for j in range(D)}
    yield "pandas", pd.DataFrame(columns)
    yield "pandas of one block", pd.DataFrame(table.copy(), columns=list(columns))
    yield "polars", pl.DataFrame(columns)
    yield "arrow", pa.table(columns)


def disordered(X, order):
    """The entries of each line in another order, or with one of them twice."""
    if order == "canonical":
        return X
    take = []
    for begin, end in zip(X.indptr[:-1], X.indptr[1:]):
        line = np.arange(begin, end)
        take.append(line[::-1] if order == "unsorted" else np.concatenate([line, line[:1]]))
    indptr = np.concatenate([[0], np.cumsum([len(line) for line in take])]).astype(X.indptr.dtype)
    take = np.concatenate(take)
    return type(X)((X.data[take], X.indices[take], indptr), shape=X.shape)


def sparse_forms(dtype):
    kind = "matrix" if dtype in ("float32", "bool") else "array"
    for order in ("canonical", "unsorted", "duplicates"):
        table = getattr(sparse, f"csr_{kind}")(BASE.astype(dtype))
        for form in ("csr", "csc"):
            yield f"{form} {kind} {order}", disordered(table.asformat(form), order)
        yield f"bsr {kind} {order}", disordered(table.tobsr((2, 2)), order)
        yield f"coo {kind} {order}", disordered(table, order).tocoo()
        if order == "canonical":
            for form in ("dia", "lil", "dok"):
                yield f"{form} {kind}", table.asformat(form)


def calls(model, X, y, weight):
    """Return the results of all calls of a fitted model; invalid input raises a ValueError or a TypeError."""
    given = {"sample_weight": weight} if has_fit_parameter(model, "sample_weight") else {}
    if isinstance(model, vf.SemiSupervisedNaiveBayes):
        given["X_unlabeled"] = X
    try:
        model.fit(X, y, **given)
    except (TypeError, ValueError) as error:
        return [str(error)]
    answers = [getattr(model, name)(X) for name in METHODS if hasattr(model, name)]
    return [*answers, model.score(X, y)] if hasattr(model, "score") else answers


def same(a, b):
    if sparse.issparse(a):
        return same(a.toarray(), b.toarray())
    return np.array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize(
    ("containers", "dtype"),
    [
        *product([dense], ["float64", "float32", "int64", "uint8"]),
        *product([sparse_forms], ["float64", "float32", "int64", "bool"]),
    ],
)
@pytest.mark.parametrize("name", MODELS)
def test_models(name, containers, dtype):
    """A fit and all that follows leave their inputs alone; a second time has the same result."""
    make, target = MODELS[name]
    for label, X in containers(dtype):
        y, weight = TARGET[target].copy(), 0.5 + np.arange(N) % 3
        before = digest(X, y, weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = calls(make(), X, y, weight)
            second = calls(make(), X, y, weight) if dtype == "float64" else first
        assert digest(X, y, weight) == before, label
        assert all(same(a, b) for a, b in zip(first, second, strict=True)), label


def functions(X, y):
    yield vf.compare({"a": vf.NaiveBayes(), "b": vf.LogisticRegression(0.1)}, X, y, cv=2, random_state=0)
    yield vf.compare({"a": vf.NaiveBayes(), "b": vf.NaiveBayes([0])}, X, y, criterion="bic", random_state=0)
    yield vf.NaiveBayes([0]).fit(X, y).predict_joint_log_proba(X, marginals=True)
    yield vf.loo_predict(vf.NaiveBayes(), X, y)
    yield vf.Counts.from_data(X, y)
    yield vf.Moments.from_data(X, y)
    yield vf.mutual_information(X, y)
    yield vf.sealed_split(X, y, validation_size=0.25, random_state=0)
    yield vf.Summaries.from_folds(vf.Counts.from_data(X, y) for _ in range(3)).train(0)


@pytest.mark.parametrize("dtype", ["float64", "uint8"])
@pytest.mark.parametrize("containers", [dense, sparse_forms])
def test_functions(dtype, containers):
    for label, X in containers(dtype):
        y = TARGET["classes"].copy()
        before = digest(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in functions(X, y):
                assert digest(X, y) == before, label


@pytest.mark.parametrize("form", ["C", "pandas", "polars", "arrow", "csr array unsorted", "csc array duplicates"])
def test_report(form):
    X = dict([*dense("float64"), *sparse_forms("float64")])[form]
    y = TARGET["classes"].copy()
    before = digest(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vf.report(X, y, time_budget=1.0)
    assert digest(X, y) == before


@pytest.mark.parametrize("kind", ["counts", "moments"])
@pytest.mark.parametrize("form", ["pandas", "polars", "arrow"])
def test_summaries_of_folds(form, kind):
    table = dict(dense("float64"))[form]
    target, features = "c0", ["c1", "c2", "c3"]
    before = digest(table)
    summaries = vf.summarize(table, target, kind=kind, folds=3, memory=2**20)
    if kind == "counts":
        vf.NaiveBayes("cv", order="information").fit_counts(summaries, source=table)
    else:
        vf.Ridge("cv").fit_moments(summaries)
    assert list(summaries.total.names) == features
    assert digest(table) == before


def test_soft_threshold():
    values = np.array([3.0, -2.0, 0.5])
    before = digest(values)
    vf.soft_threshold(values, 1.0)
    assert digest(values) == before


def test_documents():
    texts = pa.array(["one two", "two three", "naïve three"])
    before = digest(texts)
    words = vf.WordPresence().fit(texts)
    X = disordered(words.transform(texts), "unsorted")
    held = digest(X)
    assert words.inverse_transform(X)[0].tolist() == ["one", "two"]
    assert digest(texts) == before
    assert digest(X) == held


def test_whole_numbers_stay_in_their_rows():
    """A permutation of rows leaves columns unsorted; their indices were once sorted in place, without the values."""
    A = sparse.csc_matrix(([1, 2], [1, 0], [0, 2]), shape=(2, 1))
    vf.Ridge(1.0).fit(A, [0.0, 1.0])
    assert A.toarray().ravel().tolist() == [2, 1]


def test_threads_that_share_a_matrix():
    rng = np.random.default_rng(3)
    X = disordered(sparse.random(400, 30, 0.3, "csc", random_state=rng), "unsorted")
    y = X.toarray() @ rng.normal(size=30)
    alone = vf.Lasso(0.01).fit(X.toarray(), y).coef_
    before = digest(X)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: vf.Lasso(0.01).fit(X, y).coef_, range(40)))
    assert digest(X) == before
    for coef in found:
        np.testing.assert_array_equal(coef, found[0])
        np.testing.assert_allclose(coef, alone, atol=1e-6)
