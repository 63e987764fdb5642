"""Lasso paths at equal accuracy: 100 penalties from the largest down, ours compared with all peers.

No intercept; dense columns are centered and scaled, sparse rows have unit norm. `wide@100` is the data `wide` down to a
hundredth of the largest penalty.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import PolynomialFeatures, normalize

from judge import SHARED, row, time_calls
from linear_judge import OURS, PathQuality, compare_solvers, our_solvers, penalties, sized
from peers.linear import LASSO, ladder
from vitalfew import Lasso

SEED, N_PENALTIES, N_TRUE = 20240607, 100, 50
QUALITY = PathQuality("squared")
DATA = {
    "wide@100": "dense",
    "cubic@1000": "cubic terms of diabetes",
    "cubic@100": "cubic terms of diabetes",
    "tall@100": "dense",
    "sparse@100": "sparse",
    "riboflavin@100": "riboflavin",
    "leukemia_golub@100": "leukemia",
    "communities_crime@100": "communities and crime",
}
FILES = {"riboflavin": "riboflavin.npz", "leukemia_golub": "leukemia_golub.npz"}
FILES["communities_crime"] = "communities_crime.csv.gz"


def ours(X, y, alphas, tol=1e-6, n_jobs=None):
    """Return the coefficients, one row per penalty."""
    return (
        Lasso(alpha="bic", grid=alphas, fit_intercept=False, standardize=False, tol=tol, n_jobs=n_jobs)
        .fit(X, y)
        .path_.coef_sparse
    )


def solvers():
    """Return our solvers and the peers, by name."""
    return {**our_solvers(ours, ladder(3, 10), 1e-10), **LASSO}


def load(name: str):
    """Return X, y and the penalties of one of `DATA`."""
    name, ratio = name.split("@")
    X, y = _make(name)
    return X, y, penalties(X, y, float(ratio), N_PENALTIES)


def _make(name: str):
    if name == "wide":
        return correlated(sized(1_000), sized(10_000))
    if name == "tall":
        return correlated(sized(50_000), sized(500))
    if name == "sparse":
        return weighted_words(sized(20_000), sized(100_000))
    if name == "cubic":
        X, y = load_diabetes(return_X_y=True)
        return standardized(PolynomialFeatures(3, include_bias=False).fit_transform(X), y)
    path = SHARED / "wide" / FILES[name]
    if path.suffix == ".npz":
        with np.load(path) as stored:
            X, y = stored["X"].astype(float), stored["y"]
    else:
        frame = pd.read_csv(path).dropna(axis=1)
        y = frame.pop("target").to_numpy()
        X = frame.to_numpy(dtype=float)
    is_label = y.dtype.kind not in "fiu"
    return standardized(X, np.unique(y, return_inverse=True)[1] if is_label else y)


def standardized(X, y):
    """Return the nonconstant columns, standardized and in Fortran order, and the standardized target."""
    X = X[:, np.ptp(X, axis=0) > 0]
    return np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0)), (y - y.mean()) / y.std()


def correlated(n: int, d: int, n_true: int = N_TRUE, seed: int = SEED):
    """Return Gaussian columns, correlated 1/2 between neighbors, and a target of some of them with one fifth noise."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    for j in range(1, d):
        X[:, j] *= np.sqrt(0.75)
        X[:, j] += 0.5 * X[:, j - 1]
    n_true = min(n_true, d)
    w = rng.uniform(0.2, 1, n_true) * rng.choice([-1, 1], n_true)
    signal = X[:, rng.choice(d, n_true, replace=False)] @ w
    return standardized(X, signal + rng.standard_normal(n) * signal.std() / 2)


def weighted_words(n: int, d: int, density: float = 1e-3, seed: int = SEED):
    """Return words with Zipf frequencies and tf-idf weights: rows of unit norm, columns not centered."""
    rng = np.random.default_rng(seed)
    frequency = 1 / (np.arange(d) + 30.0)
    frequency /= frequency.sum()
    X = drawn_words(rng, frequency, n, max(round(density * d), 5))
    X.data = rng.lognormal(0, 0.5, X.nnz) * -np.log(frequency[X.indices])
    X = normalize(X).tocsc()
    n_true = min(200, d // 20)
    signal = X[:, rng.choice(d // 20, n_true, replace=False)] @ (3 * rng.standard_normal(n_true))
    y = signal + rng.standard_normal(n) * signal.std() / 2
    return X, (y - y.mean()) / y.std()


def drawn_words(rng, frequency, n: int, n_words: int):
    """Return a 0/1 matrix with about `n_words` distinct columns per row, drawn by frequency."""
    drawn = np.searchsorted(np.cumsum(frequency), rng.random((n, 3 * n_words)))
    drawn = np.minimum(drawn, len(frequency) - 1)
    rows = np.repeat(np.arange(n), 3 * n_words)
    X = sparse.coo_matrix((np.ones(drawn.size), (rows, drawn.ravel())), shape=(n, len(frequency))).tocsr()
    X.sum_duplicates()
    X.data = (rng.random(X.nnz) < n * n_words / X.nnz).astype(float)
    X.eliminate_zeros()
    return X


def title_of(name: str) -> str:
    """Return the name of the data in the results."""
    X, _, alphas = load(name)
    return f"{DATA[name]}, {X.shape[0]:,} x {X.shape[1]:,}, to 1/{alphas[0] / alphas[-1]:.0f}"


def compare(name: str) -> list[dict]:
    """Compare on one data set, if it is available."""
    data = name.split("@")[0]
    if data in FILES and not (SHARED / "wide" / FILES[data]).exists():
        print(f"{data} skipped: there is no such file")
        return []
    rows = compare_solvers("lasso_path", name, title_of(name))
    return [*rows, _product(rows[-1], name)] if data == "tall" else rows


def _product(like: dict, name: str) -> dict:
    """Time the Gram matrix in NumPy alone, a cost of every solver that uses it."""
    X, y, alphas = load(name)
    times = time_calls({OURS: lambda: ours(X, y, alphas), "product": lambda: X.T @ X}, repeats=7)
    note = "the product alone, no path; ours at its default tolerance"
    line = row(like["case"], "NumPy X.T @ X", times[OURS], times["product"], True, note=note)
    return {**line, "equal": ""}
