"""Boosted stumps, including binning: AdaBoost compared with scikit-learn's, and with gradient boosting at depth one.

LightGBM, XGBoost and HistGradientBoosting make the logistic loss small, not the exponential one, and with a learning
rate: errors compare, models do not. "equal" says whether our training error is no higher than theirs; for
scikit-learn's AdaBoost, whose stumps minimize Gini's index, whether it is at most half a point higher after every tenth
round. Confident votes also take as many rounds as they need for a training error no higher than that of any peer.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from judge import SHARED, row, time_calls, time_once
from linear_judge import OURS
from vitalfew import AdaBoost, WordPresence

# rows, columns, rounds
SHAPES = {"20k": (20_000, 50, 200), "200k": (200_000, 50, 100), "adult": (0, 0, 200)}
DATA = (*SHAPES, "threads", "words")
RATE = 0.5


def load(name: str):
    """Return training rows and as many test rows."""
    n, d, _ = SHAPES[name]
    if name == "adult":
        path = SHARED / "uci" / "adult.csv.gz"
        if not path.exists():
            return None
        frame = pd.read_csv(path)
        y = frame.pop("target").astype(str).str.contains(">50").to_numpy().astype(int)
        X = pd.get_dummies(frame, dtype=float).to_numpy()
    else:
        X, y = make_classification(
            2 * n, d, n_informative=15, n_redundant=5, n_clusters_per_class=4, flip_y=0.03, random_state=20261
        )
    order = np.random.default_rng(0).permutation(len(y))
    half = len(y) // 2
    return X[order[:half]], y[order[:half]], X[order[half:]], y[order[half:]]


def ours(X, y, rounds, votes="sign", n_jobs=2, loss="exponential"):
    return AdaBoost(rounds, votes=votes, loss=loss, n_jobs=n_jobs).fit(X, y)


def sklearn_adaboost(X, y, rounds):
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds, random_state=0).fit(X, y)


def hist_gradient(X, y, rounds):
    from sklearn.ensemble import HistGradientBoostingClassifier

    options = {"max_leaf_nodes": 2, "early_stopping": False, "min_samples_leaf": 1}
    return HistGradientBoostingClassifier(max_iter=rounds, learning_rate=RATE, **options).fit(X, y)


def lightgbm(X, y, rounds):
    from lightgbm import LGBMClassifier

    options = {"num_leaves": 2, "max_bin": 255, "min_child_samples": 1, "n_jobs": 2, "verbose": -1}
    return LGBMClassifier(n_estimators=rounds, learning_rate=RATE, **options).fit(X, y)


def xgboost(X, y, rounds):
    from xgboost import XGBClassifier

    options = {"tree_method": "hist", "max_depth": 1, "max_bin": 256, "n_jobs": 2}
    return XGBClassifier(n_estimators=rounds, learning_rate=RATE, **options).fit(X, y)


PEERS = {"HistGradientBoosting": hist_gradient, "LightGBM": lightgbm, "XGBoost": xgboost}


def error(model, X, y) -> float:
    return float(np.mean(np.asarray(model.predict(X)) != y))


def compare(name: str) -> list[dict]:
    """Compare on one data set; peers that are not installed are skipped."""
    if name not in SHAPES:
        return []
    data = load(name)
    if data is None:
        print(f"{name} is not there: skipped")
        return []
    X, y, X_test, y_test = data
    rounds = SHAPES[name][2]
    title = f"{name}: {X.shape[0]:,} x {X.shape[1]}, {rounds} rounds"
    calls = {OURS: partial(ours, X, y, rounds), "confidence": partial(ours, X, y, rounds, "confidence")}
    calls["logistic"] = partial(ours, X, y, rounds, "confidence", loss="logistic")
    calls |= {peer: partial(call, X, y, rounds) for peer, call in PEERS.items() if _is_there(call)}
    models = {key: call() for key, call in calls.items()}
    enough = _rounds_for(min(error(models[peer], X, y) for peer in PEERS if peer in calls), X, y, rounds)
    calls["enough"] = partial(ours, X, y, enough, "confidence")
    models["enough"] = calls["enough"]()
    times = time_calls(calls, repeats=7)
    errors = {key: (error(model, X, y), error(model, X_test, y_test)) for key, model in models.items()}
    rows = []
    kinds = {"signs": OURS, "confident votes": "confidence", f"confident votes, {enough} rounds": "enough"}
    kinds["confident votes, logistic loss"] = "logistic"
    for votes, key in kinds.items():
        rows += [
            _line(f"{title}, {votes}", peer, times[key], times[peer], errors[key], errors[peer])
            for peer in PEERS
            if peer in calls
        ]
    return [_scikit_learn(title, X, y, rounds, times[OURS], models[OURS]), *rows]


def _rounds_for(goal: float, X, y, rounds: int) -> int:
    """Return the rounds of confident votes needed to reach the training error `goal`."""
    curve = ours(X, y, 4 * rounds, "confidence").path_.trained
    reached = np.flatnonzero(curve <= goal)
    return int(reached[0]) + 1 if len(reached) else 4 * rounds


def _line(title, peer, own, theirs, own_errors, their_errors) -> dict:
    note = "training / test error {:.4f} / {:.4f}, ours {:.4f} / {:.4f}".format(*their_errors, *own_errors)
    return row(title, peer, own, theirs, own_errors[0] <= their_errors[0] + 5e-4, note=note)


def _scikit_learn(title, X, y, rounds, own, model) -> dict:
    """Time some of the peer's rounds on large data, since all rounds cost the same."""
    part = min(rounds, 2_000_000 // len(y))
    spent, theirs = time_once(lambda: sklearn_adaboost(X, y, part))
    curve = np.array([np.mean(p != y) for p in theirs.staged_predict(X)])
    higher = (model.path_.trained[:part] - curve)[9::10].max()
    note = f"{part} rounds, times {rounds / part:g}; " if part < rounds else ""
    note += f"our training error is at most {higher:.4f} above, from round 10 on every tenth; after {part} rounds "
    note += f"{curve[-1]:.4f}, ours {model.path_.trained[part - 1]:.4f}"
    return row(f"{title}, signs", "AdaBoostClassifier", own, spent, higher <= 0.005, scale=rounds / part, note=note)


def _is_there(call) -> bool:
    try:
        call(np.array([[0.0], [1.0]] * 10), np.array([0, 1] * 10), 1)
    except ImportError:
        return False
    return True


def tables(name: str) -> dict[str, list[dict]]:
    """Return tables without a peer: scaling with the number of threads, and with the nonzeros of sparse rows."""
    if name == "threads":
        return {"Threads, 200,000 x 50, 100 rounds": _threads()}
    return {"Words of newsgroups20, comp.* against the rest, 500 rounds": _words()} if name == "words" else {}


def _threads() -> list[dict]:
    X, y, *_ = load("200k")
    lines = []
    for votes in ("sign", "confidence"):
        calls = {jobs: partial(ours, X, y, 100, votes, jobs) for jobs in (1, 2)}
        best = {jobs: timing.best for jobs, timing in time_calls(calls, repeats=7).items()}
        lines.append(
            {"votes": votes, "one thread, s": best[1], "two threads, s": best[2], "times faster": best[1] / best[2]}
        )
    return lines


def _words() -> list[dict]:
    path = SHARED / "text" / "newsgroups20.csv.gz"
    if not path.exists():
        return []
    frame = pd.read_csv(path, keep_default_na=False)
    X = WordPresence(min_df=2).fit_transform(frame["text"])
    y = frame["target"].str.startswith("comp").to_numpy()
    lines = []
    for share in (4, 2, 1):
        part, label = X[: X.shape[0] // share], y[: X.shape[0] // share]
        timing = time_calls({"": partial(ours, part, label, 500)}, repeats=3)[""]
        model = ours(part, label, 500)
        votes = model.votes_of(part)
        sizes = np.diff(part.tocsr().indptr)
        moved = float(sum(sizes[votes[:, t] != np.where(label, 1, -1)].sum() for t in range(votes.shape[1])))
        lines.append(
            {
                "rows": part.shape[0],
                "words": part.shape[1],
                "non-zeros": part.nnz,
                "s": timing.best,
                "ms a round": 1e3 * timing.best / 500,
                "non-zeros of wrong rows, all rounds": moved,
                "ns for each of them": 1e9 * timing.best / moved,
                "training error": model.path_.trained[-1],
            }
        )
    return lines
