"""Fit and prediction of Naive Bayes with all features, against `BernoulliNB` with the same prior."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import BernoulliNB

from cases import information
from judge import peak_mb, row, time_calls
from vitalfew import NaiveBayes


def load(name: str):
    """Return the sparse words of the case `information`."""
    return information.load(name)


def ours(X, y, n_jobs=None):
    return NaiveBayes(prior_strength=2, prior_mean=0.5, n_jobs=n_jobs).fit(X, y)


def bernoulli(X, y):
    return BernoulliNB().fit(X, y)


def ours_fit_predict(X, y):
    return ours(X, y).predict_proba(X)


def bernoulli_fit_predict(X, y):
    return bernoulli(X, y).predict_proba(X)


def compare() -> list[dict]:
    """Compare fit and prediction, and one thread with two."""
    return [*_compare("sparse2"), *_compare("sparse20")]


def _compare(name: str) -> list[dict]:
    X, y = load(name)
    size = f"{X.shape[0]:,} x {X.shape[1]:,} sparse, {y.max() + 1} classes"
    model, single, peer = ours(X, y), ours(X, y, 1), bernoulli(X, y)
    equal = np.allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-8, atol=1e-10)
    fits = {"ours": lambda: ours(X, y), "peer": lambda: bernoulli(X, y), "one thread": lambda: ours(X, y, 1)}
    predictions = {
        "ours": lambda: model.predict_proba(X),
        "peer": lambda: peer.predict_proba(X),
        "one thread": lambda: single.predict_proba(X),
    }
    calls = (
        ("fit", fits, "ours", "bernoulli"),
        ("predict_proba", predictions, "ours_fit_predict", "bernoulli_fit_predict"),
    )
    rows = []
    for what, pair, our_function, peer_function in calls:
        times = time_calls(pair, repeats=15)
        memory = tuple(peak_mb("naive_bayes", name, f) for f in (our_function, peer_function))
        note = "memory of fit and predict_proba" if what == "predict_proba" else ""
        case = f"{what}, {size}"
        rows.append(row(case, "BernoulliNB", times["ours"], times["peer"], equal, memory=memory, note=note))
        rows.append(row(case, "ours, one thread", times["ours"], times["one thread"], True))
    return rows
