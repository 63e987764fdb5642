"""Closed-form leave-one-out of Naive Bayes, compared with refitting without each row."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import BernoulliNB

from judge import peak_mb, row, time_calls, time_once
from vitalfew import NaiveBayes

N_ROWS, N_COLUMNS, N_REFITS, SEED = 5_000, 2_000, 20, 20240617
PRIORS = {"BernoulliNB": {"prior_strength": 2, "prior_mean": 0.5}, "pooled": {}}


def load(_name: str = "dense"):
    """Return dense 0/1 data whose columns differ slightly between two classes."""
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 2, N_ROWS)
    p = rng.beta(0.5, 5, (2, N_COLUMNS))
    p[1] = p[0] * np.exp(0.15 * rng.standard_normal(N_COLUMNS))
    X = (rng.random((N_ROWS, N_COLUMNS)) < np.clip(p, 0.002, 0.998)[y]).astype(np.float64)
    return X, y


def ours(X, y, prior="BernoulliNB", n_jobs=None):
    """Fit, and return all leave-one-out probabilities."""
    return NaiveBayes(**PRIORS[prior], n_jobs=n_jobs).fit(X, y).loo_predict_proba(X, y)


def numpy_closed_form(X, y):
    """Subtract each row from the counts of its class, in NumPy."""
    n = len(y)
    present = np.stack([X[y == c].sum(axis=0) for c in (0, 1)])
    in_class = np.bincount(y).astype(float)[:, None]
    # A row reads a count only where it adds to it, so one may be taken off every count of its class.
    tables = {0: (present, in_class - present), 1: (present - 1, in_class - present - 1)}
    joint = np.empty((n, 2))
    for c in (0, 1):
        for is_own in (0, 1):
            rows = (y == c) == bool(is_own)
            with np.errstate(divide="ignore"):
                p, q = (np.log(np.maximum(t[c] + 1, 1)) for t in tables[is_own])
            total = in_class[c, 0] - is_own
            joint[rows, c] = X[rows] @ (p - q) + q.sum() - X.shape[1] * np.log(total + 2) + np.log(total)
    joint -= joint.max(axis=1, keepdims=True)
    p = np.exp(joint)
    return p / p.sum(axis=1, keepdims=True)


def refit(X, y, make, rows):
    """Refit without each of some rows."""
    found = []
    for i in rows:
        others = np.arange(len(y)) != i
        found.append(make().fit(X[others], y[others]).predict_proba(X[i : i + 1])[0])
    return np.array(found)


def compare() -> list[dict]:
    """Compare the closed form with refits of scikit-learn's model and of ours, and with hand-written NumPy."""
    X, y = load()
    rows = np.random.default_rng(0).choice(N_ROWS, N_REFITS, replace=False)
    case = f"leave-one-out, {N_ROWS:,} x {N_COLUMNS:,} dense 0/1"
    calls = {
        "ours": lambda: ours(X, y),
        "pooled": lambda: ours(X, y, "pooled"),
        "hand": lambda: numpy_closed_form(X, y),
        "one thread": lambda: ours(X, y, n_jobs=1),
    }
    times = time_calls(calls, repeats=11)
    found = {prior: ours(X, y, prior)[rows] for prior in PRIORS}
    note = f"{N_REFITS} refits, scaled to {N_ROWS:,}"
    memory = peak_mb("loo", "dense", "ours"), peak_mb("loo", "dense", "numpy_closed_form")
    results = []
    peers = (
        ("BernoulliNB refitted", "ours", BernoulliNB, "BernoulliNB"),
        ("NaiveBayes refitted", "ours", lambda: NaiveBayes(**PRIORS["BernoulliNB"]), "BernoulliNB"),
        ("NaiveBayes refitted, pooled prior", "pooled", NaiveBayes, "pooled"),
    )
    for name, mine, make, prior in peers:
        theirs, expected = time_once(lambda make=make: refit(X, y, make, rows))
        equal = np.allclose(found[prior], expected, rtol=1e-8, atol=1e-12)
        results.append(row(case, name, times[mine], theirs, equal, scale=N_ROWS / N_REFITS, note=note))
    equal = np.allclose(ours(X, y), numpy_closed_form(X, y), rtol=1e-8, atol=1e-12)
    results.append(row(case, "NumPy closed form by hand", times["ours"], times["hand"], equal, memory=memory))
    results.append(row(case, "ours, one thread", times["ours"], times["one thread"], True))
    return results
