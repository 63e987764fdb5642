"""Mutual information of every feature with the label: sparse words and dense codes."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.feature_selection import mutual_info_classif

from judge import CACHE, peak_mb, row, time_calls, time_once
from vitalfew import mutual_information

SEED = 20240609
N_WORDS, N_SAMPLED = 50_000, 2_000


def load(name: str):
    """X and y of `sparse2`, `sparse20` (100,000 documents x 50,000 words) or `kary` (200,000 x 200 codes below 8)."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"information-{name}.npz"
    if not path.exists():
        make = _make_codes if name == "kary" else partial(_make_words, n_classes=int(name.removeprefix("sparse")))
        X, y = make(np.random.default_rng(SEED))
        arrays = {"indices": X.indices, "indptr": X.indptr} if sparse.issparse(X) else {"X": X}
        np.savez(path, y=y, **arrays)
    with np.load(path) as stored:
        if "X" in stored:
            return stored["X"], stored["y"]
        ones = np.ones(len(stored["indices"]))
        n_rows = len(stored["indptr"]) - 1
        words = sparse.csr_matrix((ones, stored["indices"], stored["indptr"]), shape=(n_rows, N_WORDS))
        return words, stored["y"]


def _make_words(rng, n_classes: int, n_rows: int = 100_000, n_draws: int = 85):
    """Return words with Zipf frequencies, some of which are more frequent in each class."""
    base = 1.0 / (np.arange(N_WORDS) + 10.0)
    y = rng.integers(0, n_classes, n_rows)
    words = np.empty((n_rows, n_draws), dtype=np.int64)
    for c in range(n_classes):
        tilted = np.cumsum(base * np.exp(0.5 * rng.standard_normal(N_WORDS)))
        rows = np.flatnonzero(y == c)
        drawn = np.searchsorted(tilted, tilted[-1] * rng.random((len(rows), n_draws)))
        words[rows] = np.minimum(drawn, N_WORDS - 1)
    rows = np.repeat(np.arange(n_rows), n_draws)
    X = sparse.csr_matrix((np.ones(words.size), (rows, words.ravel())), shape=(n_rows, N_WORDS))
    X.sum_duplicates()
    return X, y


def _make_codes(rng, n_rows: int = 200_000, n_columns: int = 200, n_values: int = 8, n_classes: int = 5):
    """Return columns whose distributions depend on the class to different degrees."""
    y = rng.integers(0, n_classes, n_rows)
    X = np.empty((n_rows, n_columns), dtype=np.uint8)
    for j in range(n_columns):
        bounds = np.cumsum(rng.dirichlet(np.ones(n_values) * (1 + 20 * (j % 4)), n_classes), axis=1)
        X[:, j] = np.minimum((rng.random(n_rows)[:, None] > bounds[y]).sum(axis=1), n_values - 1)
    return X, y


def ours(X, y, n_jobs=None):
    return mutual_information(X, y, unit="nats", n_jobs=n_jobs)


def scipy_product(X, y):
    """Compute Y'X and apply the formula, as in hand-written code."""
    n, n_classes = len(y), int(y.max()) + 1
    Y = sparse.csr_matrix((np.ones(n), y, np.arange(n + 1)), shape=(n, n_classes))
    present = (Y.T @ X).toarray()
    in_class = np.bincount(y, minlength=n_classes).astype(float)
    absent, words = in_class[:, None] - present, present.sum(axis=0)
    joint = xlogy(present, present).sum(axis=0) + xlogy(absent, absent).sum(axis=0)
    alone = xlogy(words, words) + xlogy(n - words, n - words) + xlogy(in_class, in_class).sum()
    return (joint - alone + n * np.log(n)) / n


def numpy_bincount(X, y):
    """Count each column jointly with the label."""
    n, n_classes, n_values = len(y), int(y.max()) + 1, int(X.max()) + 1
    in_class = np.bincount(y, minlength=n_classes)
    base = y * n_values
    found = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        joint = np.bincount(base + X[:, j], minlength=n_classes * n_values).reshape(n_classes, n_values)
        value = joint.sum(axis=0)
        found[j] = xlogy(joint, joint).sum() - xlogy(value, value).sum() - xlogy(in_class, in_class).sum()
    return (found + n * np.log(n)) / n


def sklearn_information(X, y):
    return mutual_info_classif(X, y, discrete_features=True)


def compare() -> list[dict]:
    """Compare sparse words and dense codes with hand-written code and scikit-learn, and one thread with two."""
    return [*_compare_words("sparse2"), *_compare_words("sparse20"), *_compare_codes()]


def _compare_words(name: str) -> list[dict]:
    X, y = load(name)
    case = f"information, {X.shape[0]:,} x {X.shape[1]:,} sparse, {X.nnz / 1e6:.1f} million ones, {y.max() + 1} classes"
    calls = {"ours": lambda: ours(X, y), "hand": lambda: scipy_product(X, y), "one thread": lambda: ours(X, y, 1)}
    times = time_calls(calls, repeats=15)
    equal = np.allclose(ours(X, y), scipy_product(X, y), rtol=0, atol=1e-10)
    memory = peak_mb("information", name, "ours"), peak_mb("information", name, "scipy_product")
    rows = [row(case, "scipy Y'X by hand", times["ours"], times["hand"], equal, memory=memory)]
    rows.append(row(case, "ours, one thread", times["ours"], times["one thread"], True))
    if name == "sparse2":
        sampled = np.sort(np.random.default_rng(0).choice(N_WORDS, N_SAMPLED, replace=False))
        theirs, found = time_once(lambda: sklearn_information(X[:, sampled], y))
        equal = np.allclose(ours(X, y)[sampled], found, rtol=0, atol=1e-10)
        note = f"one run on {N_SAMPLED:,} columns, scaled to all"
        scale = N_WORDS / N_SAMPLED
        rows.append(row(case, "mutual_info_classif", times["ours"], theirs, equal, scale=scale, note=note))
    return rows


def _compare_codes() -> list[dict]:
    X, y = load("kary")
    case = f"information, {X.shape[0]:,} x {X.shape[1]} dense, 8 values, {y.max() + 1} classes"
    calls = {"ours": lambda: ours(X, y), "hand": lambda: numpy_bincount(X, y), "one thread": lambda: ours(X, y, 1)}
    times = time_calls(calls, repeats=11)
    slow, found = time_once(lambda: sklearn_information(X, y))
    expected = ours(X, y)
    rows = []
    for name, function, theirs, note in (
        ("numpy.bincount by column", "numpy_bincount", times["hand"], ""),
        ("mutual_info_classif", "sklearn_information", slow, "one run"),
    ):
        equal = np.allclose(expected, found if note else numpy_bincount(X, y), rtol=0, atol=1e-10)
        memory = peak_mb("information", "kary", "ours"), peak_mb("information", "kary", function)
        rows.append(row(case, name, times["ours"], theirs, equal, note=note, memory=memory))
    return [*rows, row(case, "ours, one thread", times["ours"], times["one thread"], True)]
