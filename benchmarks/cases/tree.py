"""One decision tree: 100,000 x 50 numbers, letters (26 classes), and adult with its categories and missing values.

Half of the rows are for testing. A row is equal if our test error is at most that of the peer; both are in the note.
Ours reads text columns directly, which is part of its time; peers receive numbers: one-hot columns, or
codes where they take categories. Trees differ, so what is compared is the time to a tree that is no worse.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from judge import SHARED, THREADS, row, time_calls, time_once
from linear_judge import OURS, sized
from peers.tree import PEERS
from vitalfew import DecisionTree

DATA = ("t100k", "letter", "adult")
SLOW = {"scikit-learn, entropy, whole tree", "scikit-learn, entropy, ccp_alpha=1e-4"}
VARIANTS = {
    OURS: {},
    "ours, criterion='gain'": {"criterion": "gain"},
    "ours, not pruned": {"mdl_weight": None},
    "ours, criterion='gain', not pruned": {"mdl_weight": None, "criterion": "gain"},
    "ours, criterion='gain', not pruned, min_leaf=1": {"mdl_weight": None, "criterion": "gain", "min_leaf": 1},
}


def load(name: str):
    """Return the unprocessed table and its labels, shuffled."""
    if name == "t100k":
        X, y = make_classification(
            sized(200_000), 50, n_informative=15, n_redundant=5, n_clusters_per_class=4, flip_y=0.03, random_state=7
        )
        X = pd.DataFrame(X)
    else:
        table = pd.read_csv(SHARED / "uci" / {"letter": "letter-recognition.csv.gz", "adult": "adult.csv.gz"}[name])
        X, y = table.drop(columns="target"), pd.factorize(table["target"])[0]
    order = np.random.default_rng(0).permutation(len(y))
    return X.iloc[order], y[order]


def forms(X: pd.DataFrame):
    """Return the table for ours, for peers that accept categories, and for the others."""
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    if not words:
        values = np.ascontiguousarray(X.to_numpy(float))
        return values, values, values
    coded = X.assign(**{name: X[name].astype("category") for name in words})
    one_hot = np.ascontiguousarray(pd.get_dummies(X, columns=words, dtype=float).to_numpy())
    return X, coded, one_hot


def test_error(model, X, y) -> float:
    return float(np.mean(np.ravel(model.predict(X)) != y))


def compare(name: str) -> list[dict]:
    """Compare on one data set."""
    X, y = load(name)
    half = len(y) // 2
    own, coded, plain = forms(X)
    title = f"{name}: {half:,} x {X.shape[1]}"

    def fit(model, table):
        return model.fit(table[:half], y[:half])

    rivals = {rival: peer for rival, peer in PEERS.items() if peer.is_installed}
    calls = {OURS: lambda: fit(DecisionTree(n_jobs=THREADS), own)}
    tables_of = {rival: coded if peer.takes_categories else plain for rival, peer in rivals.items()}
    calls |= {rival: lambda p=peer, t=tables_of[rival]: fit(p.make(THREADS), t) for rival, peer in rivals.items()}
    is_slow = name == "t100k"
    times = time_calls({key: call for key, call in calls.items() if not (is_slow and key in SLOW)}, repeats=7)
    found = {}
    for key, call in calls.items():
        if key in times:
            found[key] = call()
        else:
            times[key], found[key] = time_once(call)
    error = test_error(found[OURS], own[half:], y[half:])
    rows = []
    for rival, peer in rivals.items():
        theirs = test_error(found[rival], tables_of[rival][half:], y[half:])
        note = f"test error {theirs:.4f}, ours {error:.4f} with {found[OURS].tree_.n_leaves} leaves"
        rows.append(row(title, rival + peer.version, times[OURS], times[rival], error <= theirs, note=note))
    return rows


def tables(name: str) -> dict[str, list[dict]]:
    """Return our times in several settings, with one and two threads."""
    X, y = load(name)
    half = len(y) // 2
    own = forms(X)[0]
    models = {
        (variant, threads): DecisionTree(n_jobs=threads, **settings)
        for variant, settings in VARIANTS.items()
        for threads in (1, 2)
    }
    times = time_calls({key: lambda m=model: m.fit(own[:half], y[:half]) for key, model in models.items()}, repeats=5)
    return {
        f"Ours on {name}": [
            {
                "model": variant,
                "1 thread, s": times[variant, 1].best,
                "2 threads, s": times[variant, 2].best,
                "CPU time, s": times[variant, 1].best_processor,
                "test error": test_error(models[variant, 2], own[half:], y[half:]),
                "leaves": models[variant, 2].tree_.n_leaves,
            }
            for variant in VARIANTS
        ]
    }
