"""Paths of L1 logistic regression at equal accuracy: 50 penalties down to a hundredth of the largest, and all peers.

No intercept; labels are -1 and 1.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_svmlight_file

from cases import mdl
from cases.lasso_path import correlated, drawn_words, standardized
from judge import SHARED
from linear_judge import PathQuality, compare_solvers, our_solvers, penalties, sized
from peers.linear import LOGISTIC, ladder
from vitalfew import LogisticRegression

SEED, N_PENALTIES, RATIO = 20240608, 50, 100
QUALITY = PathQuality("logistic")
DATA = {
    "dense": "dense",
    "words": "sparse 0/1",
    "breast_cancer": "breast cancer",
    "a9a": "a9a, sparse",
    "w8a": "w8a, sparse",
    "dexter": "dexter, sparse",
    "newsgroups": "newsgroups comp.* against the rest, words",
}
FILES = {name: SHARED / "wide" / f"{name}.svmlight.gz" for name in ("a9a", "w8a", "dexter")}
FILES["newsgroups"] = SHARED / "text" / "newsgroups20.csv.gz"
N_FEATURES = {"a9a": 123, "w8a": 300, "dexter": 20_000}


def ours(X, y, alphas, tol=1e-6, n_jobs=None):
    """Return the coefficients, one row per penalty."""
    options = {
        "penalty": "l1",
        "grid": alphas,
        "fit_intercept": False,
        "standardize": False,
        "tol": tol,
        "n_jobs": n_jobs,
    }
    return LogisticRegression(alpha="bic", **options).fit(X, y).path_.coef_sparse


def solvers():
    """Return our solvers and the peers, by name."""
    return {**our_solvers(ours, ladder(2, 10), 1e-10), **LOGISTIC}


def load(name: str):
    """Return X, y and the penalties of one of `DATA`."""
    X, y = _make(name)
    return X, y, penalties(X, y, RATIO, N_PENALTIES, "logistic")


def _make(name: str):
    if name == "dense":
        X, score = correlated(sized(5_000), sized(2_000), 40, SEED)
        return X, drawn_labels(2 * score)
    if name == "words":
        return binary_words(sized(20_000), sized(50_000))
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return standardized(X, y)[0], np.where(y > 0, 1.0, -1.0)
    if name == "newsgroups":
        X, y = mdl.load("comp")
    else:
        X, y = load_svmlight_file(str(FILES[name]), n_features=N_FEATURES[name], zero_based=False)
    rows = np.sort(np.random.default_rng(SEED).permutation(len(y))[: sized(len(y), 300)])
    return X[rows].tocsc(), np.where(y[rows] > 0, 1.0, -1.0)


def binary_words(n: int, d: int, n_words: int = 60):
    """Return words with Zipf frequencies; a few hundred of the frequent ones matter."""
    rng = np.random.default_rng(SEED)
    frequency = 1 / (np.arange(d) + 20.0)
    X = drawn_words(rng, frequency / frequency.sum(), n, n_words).tocsc()
    n_true = min(300, d // 20)
    score = X[:, rng.choice(d // 10, n_true, replace=False)] @ (2 * rng.standard_normal(n_true))
    return X, drawn_labels(score - score.mean())


def drawn_labels(score):
    """Draw labels -1 and 1 with log-odds `score`."""
    rng = np.random.default_rng(SEED)
    return np.where(rng.logistic(size=len(score)) < score, 1.0, -1.0)


def compare(name: str) -> list[dict]:
    """Compare on one data set, if it is available."""
    if name in FILES and not FILES[name].exists():
        print(f"{name} skipped: there is no such file")
        return []
    X, _, _ = load(name)
    return compare_solvers("logistic_path", name, f"{DATA[name]}, {X.shape[0]:,} x {X.shape[1]:,}")
