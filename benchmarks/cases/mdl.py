"""Greedy selection of features by description length, with every candidate evaluated at every step.

Peers: scikit-learn's time to make the words of the same texts, and two ways to evaluate all candidates in NumPy.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from cases import information
from judge import CACHE, SHARED, peak_mb, row, time_calls, time_once
from vitalfew import NaiveBayes, WordPresence

STEPS = (4, 44)  # the time of a step is the slope between paths of these lengths
CHUNK = 256


def documents() -> pd.DataFrame:
    """Load the text and the targets of the newsgroups."""
    return pd.read_csv(SHARED / "text" / "newsgroups20.csv.gz", keep_default_na=False)


def load(name: str):
    """X and y of `comp` (words, comp.* against the rest), `groups` (words, 20 classes), `splice`, or `kary`."""
    if name == "kary":
        return information.load("kary")
    if name == "splice":
        frame = pd.read_csv(SHARED / "uci" / "splice.csv.gz")
        y = frame.pop("target").to_numpy()
        return frame, y
    CACHE.mkdir(exist_ok=True)
    path = CACHE / "mdl-words.npz"
    if not path.exists():
        frame = documents()
        X = WordPresence(min_df=2).fit_transform(frame["text"].tolist())
        np.savez(path, indices=X.indices, indptr=X.indptr, shape=X.shape, target=frame["target"].to_numpy().astype(str))
    with np.load(path) as stored:
        ones = np.ones(len(stored["indices"]))
        X = sparse.csr_matrix((ones, stored["indices"], stored["indptr"]), shape=stored["shape"])
        target = stored["target"]
    return X, np.char.startswith(target, "comp.").astype(int) if name == "comp" else target


def ours(X, y, features="mdl", n_jobs=None):
    return NaiveBayes(features=features, n_jobs=n_jobs, verbose=False).fit(X, y)


def evidence(model):
    """Return the change of the log-odds by each word if present and if absent."""
    odds = model.feature_log_prob_[:, 1] - model.feature_log_prob_[:, 0]
    return odds[1::2], odds[0::2]


def log_odds(X, model, n_steps: int):
    """Return the log-odds of the rows after the first steps of the path."""
    present, absent = evidence(model)
    words = model.path_.feature[:n_steps]
    prior = model.class_log_prior_[1] - model.class_log_prior_[0]
    return prior + absent[words].sum() + X[:, words] @ (present - absent)[words]


def numpy_dense(X, y, f, present, absent):
    """Data nats of every candidate: blocks of all documents x some words, log(1 + exp) of each cell."""
    sign = np.where(y == 1, -1.0, 1.0)
    X = X.tocsc()
    found = np.empty(X.shape[1])
    base = (sign * f)[:, None]
    for begin in range(0, X.shape[1], CHUNK):
        words = slice(begin, min(begin + CHUNK, X.shape[1]))
        block = X[:, words].toarray()
        block *= (present - absent)[words]
        block += absent[words]
        block *= sign[:, None]
        block += base
        np.exp(block, out=block)
        np.log1p(block, out=block)
        found[words] = block.sum(axis=0)
    return found


def numpy_sparse(X, y, f, present, absent):
    """The same with two ideas: stored entries only correct the sum for an absent word, and words of equal counts
    share that sum."""
    sign = np.where(y == 1, -1.0, 1.0)
    X = X.tocsc()
    values, of_word = np.unique(absent, return_inverse=True)
    exp_f = np.exp(sign * f)
    is_one = y == 1
    shared = np.empty(len(values))
    for begin in range(0, len(values), CHUNK):
        b = np.exp(values[begin : begin + CHUNK])
        cells = np.log1p(np.concatenate([exp_f[is_one, None] / b, exp_f[~is_one, None] * b]))
        shared[begin : begin + CHUNK] = cells.sum(axis=0)
    s = sign[X.indices]
    word = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    e = exp_f[X.indices]
    change = np.log1p(e * np.exp(s * present[word])) - np.log1p(e * np.exp(s * absent[word]))
    return shared[of_word] + np.bincount(word, weights=change, minlength=X.shape[1])


def count_vectorizer(texts):
    return CountVectorizer(binary=True, min_df=2).fit_transform(texts)


def compare() -> list[dict]:
    """Compare the whole path with tokenization, and a single step with NumPy."""
    X, y = load("comp")
    texts = documents()["text"].tolist()
    model = ours(X, y)
    n_steps = len(model.path_.feature)
    calls = {
        "ours": lambda: ours(X, y),
        "peer": lambda: count_vectorizer(texts),
        "one thread": lambda: ours(X, y, n_jobs=1),
    }
    times = time_calls(calls, repeats=5)
    case = f"mdl path, newsgroups comp.* against the rest, {X.shape[1]:,} words, {n_steps} steps"
    same = np.array_equal(count_vectorizer(texts).shape, X.shape)
    note = f"{int(model.support_.sum())} words chosen; the peer only makes the matrix"
    memory = peak_mb("mdl", "comp", "ours"), np.nan
    rows = [row(case, "CountVectorizer(min_df=2)", times["ours"], times["peer"], same, note=note, memory=memory)]
    rows.append(row(case, "ours, one thread", times["ours"], times["one thread"], True))
    return rows + _compare_numpy(X, y, model, times["ours"], case)


def _compare_numpy(X, y, model, our_time, case: str) -> list[dict]:
    present, absent = evidence(model)
    path, n_steps, rows = model.path_, len(model.path_.feature), []
    peers = ((numpy_dense, "NumPy, dense blocks", (0,)), (numpy_sparse, "NumPy, sparse and shared", (0, 5, 10)))
    for peer, name, steps in peers:
        equal = True
        for step in steps:
            f = log_odds(X, model, step)
            seconds, data = time_once(lambda peer=peer, f=f: peer(X, y, f, present, absent))
            data[path.feature[:step]] = np.inf
            best = int(data.argmin())
            is_near = np.isclose(data[best], path.trace[step + 1], rtol=0, atol=1e-8)
            equal &= bool(best == path.feature[step] and is_near)
        note = f"one step of {seconds.best:.1f} s, times {n_steps}"
        rows.append(row(case, name, our_time, seconds, equal, scale=n_steps, note=note))
    return rows


def time_of_step(X, y, repeats: int = 9) -> float:
    """Return the seconds per step: the slope between two lengths of the path."""
    times = time_calls({n: (lambda n=n: ours(X, y, n)) for n in STEPS}, repeats=repeats)
    return (times[STEPS[1]].best - times[STEPS[0]].best) / (STEPS[1] - STEPS[0])


def tables() -> dict[str, list[dict]]:
    """Return the time of a step by the number of documents, and on other data."""
    X, y = load("comp")
    growth, others = [], []
    order = np.random.default_rng(0).permutation(X.shape[0])
    for halvings in range(4):
        rows = np.sort(order[: X.shape[0] >> halvings])
        part = X[rows]
        part = part[:, part.getnnz(axis=0) >= 2]
        seconds = time_of_step(part, y[rows])
        line = {"documents": len(rows), "words": part.shape[1], "ones": part.nnz, "ms a step": 1e3 * seconds}
        growth.append({**line, "ns a one": 1e9 * seconds / part.nnz})
    for name, title, repeats in (
        ("groups", "newsgroups, 20 classes, words", 2),
        ("splice", "splice, 3 classes, 60 columns", 9),
        ("kary", "synthetic, 5 classes, 200 columns of 8 values", 2),
    ):
        X, y = load(name)
        seconds = time_of_step(X, y, repeats)
        cells = X.nnz if sparse.issparse(X) else X.shape[0] * X.shape[1]
        line = {
            "data": title,
            "rows": X.shape[0],
            "columns": X.shape[1],
            "cells or ones": cells,
            "ms a step": 1e3 * seconds,
        }
        others.append(line)
    return {
        "A step of the MDL search by the number of documents": growth,
        "A step of the MDL search on other data": others,
    }
