"""Subsets: greedy forward search, best subsets with a proof, large data, and forward-fitting.

A row is equal if the peer's subset, refitted by least squares, has at most our loss up to 1e-9, and ours at most the
peer's. Where losses differ, the note says them.
"""

from __future__ import annotations

import time
from functools import partial
from math import comb

import numpy as np
from scipy import sparse

from judge import Timing, in_child, row, time_calls, time_once
from linear_judge import OURS, sized
from peers.subset import PEERS, label
from vitalfew import BestSubsetRegressor, ForwardFittingRegressor, GreedySubsetRegressor

SEED = 20240614
# rows, columns, size, correlation of neighbors
SHAPES = {
    "forward": (10_000, 1_000, 20, 0.5),
    "small": (1_000, 100, 10, 0.5),
    "exact": (1_000, 200, 8, 0.5),
    "hard": (300, 200, 8, 0.9),
    "correlated": (300, 60, 10, 0.9),
    "brute": (500, 30, 8, 0.7),
    "large": (1_000, 10_000, 20, 0.5),
}
FORWARD = ("orthogonal_mp", "NumPy forward by hand", "abess, sizes up to k", "abess, size k", "fastsparsegams")
RIVALS = {
    "forward": FORWARD,
    "small": (*FORWARD, "SequentialFeatureSelector", "mlxtend SequentialFeatureSelector"),
    "exact": ("abess, sizes up to k", "fastsparsegams", "okridge"),
    "hard": ("abess, sizes up to k", "abess, size k", "fastsparsegams", "okridge"),
    "correlated": ("abess, sizes up to k", "fastsparsegams", "okridge"),
    "brute": ("NumPy all subsets by hand", "mlxtend ExhaustiveFeatureSelector"),
    "large": ("abess, sizes up to k", "abess, size k", "fastsparsegams", "orthogonal_mp"),
}
ONCE = {"NumPy all subsets by hand", "mlxtend ExhaustiveFeatureSelector", "okridge", "SequentialFeatureSelector",
        "mlxtend SequentialFeatureSelector"}  # fmt: skip
SCALED = "mlxtend ExhaustiveFeatureSelector"  # would need hours
FRAGILE = {"fastsparsegams"}  # sometimes crashes, so it runs in a separate process
DATA = (*SHAPES, "steps")


def load(name: str):
    """Return X with correlated neighbors, y from a few columns with one quarter noise, and the subset size."""
    n, p, k, rho = SHAPES[name]
    n, p = sized(n), max(sized(p), k + 2)
    rng = np.random.default_rng(SEED)
    X = np.empty((n, p), order="F")
    X[:, 0] = rng.standard_normal(n)
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * rng.standard_normal(n)
    X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    true = np.sort(rng.choice(p, k, replace=False))
    signal = X[:, true] @ (rng.choice([-1, 1], k) * rng.uniform(0.2, 1, k))
    y = signal + rng.standard_normal(n) * signal.std() / np.sqrt(3)
    return X, (y - y.mean()) / y.std(), k


def ours(name: str, X, y, k):
    """Run our method for this data: greedy forward, or the best subsets of all sizes."""
    if name in ("forward", "small"):
        return GreedySubsetRegressor(k, fit_intercept=False).fit(X, y)
    return BestSubsetRegressor(k, fit_intercept=False, near_ties=0.0).fit(X, y)


def loss(X, y, columns) -> float:
    """Return the mean squared residual of least squares on some columns."""
    part = X[:, np.asarray(columns, dtype=int)]
    residual = y - part @ np.linalg.lstsq(part, y, rcond=None)[0]
    return float(residual @ residual / len(y))


def compare(name: str) -> list[dict]:
    """Compare on one data set."""
    if name == "steps":
        return []
    X, y, k = load(name)
    title = f"{name}: {X.shape[0]:,} x {X.shape[1]:,}, k = {k}"
    if name == "hard":
        spent, model = time_once(lambda: ours(name, X, y, k))
        times = {OURS: spent}
    else:
        model = ours(name, X, y, k)
        times = {}
    own = loss(X, y, model.subset_)
    print(f"{title}: ours {own:.6f}, {_proof(model)}", flush=True)
    rivals = {rival: PEERS[rival] for rival in RIVALS[name] if PEERS[rival].is_installed}
    quick = {
        rival: lambda peer=peer: peer.call(X, y, k) for rival, peer in rivals.items() if rival not in ONCE | FRAGILE
    }
    with_ours = {} if name == "hard" else {OURS: lambda: ours(name, X, y, k)}
    times |= time_calls({**with_ours, **quick}, repeats=7)
    found = {rival: call() for rival, call in quick.items()}
    for rival in rivals.keys() & ONCE:
        call = _part_of_all if rival == SCALED else PEERS[rival].call
        times[rival], found[rival] = time_once(partial(call, X, y, k))
    for rival in sorted(rivals.keys() & FRAGILE):
        answer = in_child(_timed, partial(PEERS[rival].call, X, y, k))
        if answer is None:
            print(f"{title}: {rival} crashed and is left out", flush=True)
            del rivals[rival]
        else:
            times[rival], found[rival] = answer
    rows = []
    for rival, peer in rivals.items():
        columns, note = _read(found[rival])
        scale = 1.0
        if rival == SCALED:
            scale, equal = columns, True
            note = f"time of the subsets of {k + 1} columns, times {scale:,.0f}"
        else:
            theirs = loss(X, y, columns)
            equal = abs(theirs - own) <= 1e-9
            note = "; ".join(
                filter(None, [f"loss {theirs:.6f} of {len(columns)}, ours {own:.6f}", note, _proof(model)])
            )
        rows.append(row(title, label(rival, peer), times[OURS], times[rival], equal, scale=scale, note=note))
    return rows


def _timed(call):
    """Return the times of a call, and its result."""
    return time_calls({"": call}, repeats=5)[""], call()


def _part_of_all(X, y, k):
    """Return how many times more subsets all columns have than the few columns that are tried."""
    few = k + 1
    PEERS[SCALED].call(X[:, :few], y, k)
    return comb(X.shape[1], k) / comb(few, k)


def _read(answer):
    """Return the columns of an answer, and anything else the peer reported."""
    if isinstance(answer, tuple):
        return answer[0], f"gap {answer[1]:.2g} by its own account"
    return answer, ""


def _proof(model) -> str:
    if not hasattr(model, "certified_"):
        return ""
    return "proven" if model.certified_ else f"gap {model.gap_:.3g}"


def step_times() -> list[dict]:
    """Time a step of forward-fitting on sparse data, where a step touches only some rows and columns."""
    n = sized(10_000)
    X = sparse.random_array((n, n), density=1e-3, rng=np.random.default_rng(SEED), format="csc")
    y = X @ np.where(np.arange(n) % 100 == 0, 1.0, 0.0) + 0.01 * np.random.default_rng(1).standard_normal(n)
    lines = []
    for is_myopic in (False, True):
        for rate in (1.0, 0.1):
            model = ForwardFittingRegressor(1_000, myopic=is_myopic, learning_rate=rate)
            spent = min(_seconds(model, X, y, 1) for _ in range(3)), min(_seconds(model, X, y, 1_000) for _ in range(3))
            lines.append({"myopic": is_myopic, "learning rate": rate, "1,000 steps, s": spent[1],
                          "a step, µs": 1e6 * (spent[1] - spent[0]) / 999})  # fmt: skip
    return lines


def _seconds(model, X, y, steps) -> float:
    begin = time.perf_counter()
    model.set_params(steps=steps).fit(X, y)
    return time.perf_counter() - begin


def tables(name: str) -> dict[str, list[dict]]:
    """Return the step times, and the minimum memory traffic of greedy forward search."""
    if name == "steps":
        return {"A step of forward-fitting, 10,000 x 10,000 sparse": step_times()}
    if name != "forward":
        return {}
    X, y, k = load(name)
    times: dict[str, Timing] = time_calls({OURS: lambda: ours(name, X, y, k), "pass": lambda: X.T @ y}, repeats=7)
    passes = times[OURS].best / times["pass"].best
    return {
        "Greedy forward compared with one pass over X": [
            {"ours, s": times[OURS].best, "one pass X.T @ y, s": times["pass"].best, "passes": passes, "variables": k}
        ]
    }
