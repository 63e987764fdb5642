"""Scaling of our time as a size doubles, and with a second thread: `python benchmarks/growth.py [name ...]`.

Each kernel is run on data of some size, then with one size doubled three times while the others stay. Writes the
section Growth of RESULTS.md, from which docs/performance.md draws its charts.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import judge

os.environ.update(judge.environment())

import numpy as np
from scipy import sparse

from run import circumstances, table, write_section
from vitalfew import (
    AdaBoost,
    BestSubsetRegressor,
    DecisionTree,
    GreedySubsetRegressor,
    Lasso,
    LogisticRegression,
    Moments,
    NaiveBayes,
    Ridge,
    WordPresence,
    mutual_information,
)

DOUBLINGS = 3
COLUMNS = {
    "kernel": "kernel",
    "grown": "doubled",
    "size": "size",
    "s": "s",
    "factor": "times the one before",
}


@dataclass(frozen=True)
class Case:
    """Call that depends on sizes; `make` creates it for given sizes and a number of threads."""

    make: Callable[..., Callable[[], object]]
    start: dict[str, int]


def dense(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, d)))
    return X, X[:, : min(d, 20)] @ rng.standard_normal(min(d, 20)) + rng.standard_normal(n)


def sparse_words(n: int, d: int, ones_per_row: int):
    rng = np.random.default_rng(0)
    column = np.minimum((d * rng.random(n * ones_per_row) ** 3).astype(np.int64), d - 1)
    X = sparse.csr_matrix((np.ones(len(column)), (np.repeat(np.arange(n), ones_per_row), column)), shape=(n, d))
    X.data[:] = 1.0
    y = (np.asarray(X[:, :50] @ rng.standard_normal(50)).ravel() + rng.standard_normal(n) > 0).astype(int)
    return X, y


def texts(n: int) -> list[str]:
    rng = np.random.default_rng(0)
    words = np.array([f"w{j}" for j in range(50_000)])
    drawn = np.minimum((50_000 * rng.random((n, 100)) ** 3).astype(int), 49_999)
    return [" ".join(line) for line in words[drawn]]


def on_numbers(fit: Callable[..., object]):
    def make(threads: int, rows: int, columns: int, **more: int):
        return partial(fit, *dense(rows, columns), threads, **more)

    return make


def on_classes(fit: Callable[..., object]):
    def make(threads: int, rows: int, columns: int, **more: int):
        X, y = dense(rows, columns)
        return partial(fit, X, (y > 0).astype(int), threads, **more)

    return make


def on_words(fit: Callable[..., object]):
    def make(threads: int, rows: int, words: int, **more: int):
        ones_per_row = more.pop("ones_per_row", 80)
        return partial(fit, *sparse_words(rows, words, ones_per_row), threads, **more)

    return make


CASES = {
    "WordPresence": Case(
        lambda threads, documents: partial(WordPresence(n_jobs=threads).fit_transform, texts(documents)),
        {"documents": 5_000},
    ),
    "mutual_information, sparse": Case(
        on_words(lambda X, y, threads: mutual_information(X, y, n_jobs=threads)),
        {"rows": 50_000, "words": 50_000, "ones_per_row": 80},
    ),
    "NaiveBayes": Case(
        on_words(lambda X, y, threads: NaiveBayes(n_jobs=threads).fit(X, y)),
        {"rows": 50_000, "words": 50_000, "ones_per_row": 80},
    ),
    "NaiveBayes, features by MDL": Case(
        on_words(lambda X, y, threads: NaiveBayes(features="mdl", n_jobs=threads).fit(X, y)),
        {"rows": 10_000, "words": 10_000, "ones_per_row": 80},
    ),
    "Moments": Case(
        on_numbers(lambda X, y, threads: Moments.from_data(X, y, n_jobs=threads)), {"rows": 50_000, "columns": 100}
    ),
    "Ridge, leave-one-out": Case(
        on_numbers(lambda X, y, threads: Ridge("loo", n_jobs=threads).fit(X, y)), {"rows": 5_000, "columns": 100}
    ),
    "Lasso, 100 penalties": Case(
        on_numbers(lambda X, y, threads: Lasso("bic", n_jobs=threads).fit(X, y)), {"rows": 1_000, "columns": 2_000}
    ),
    "LogisticRegression, 50 penalties": Case(
        on_classes(lambda X, y, threads: LogisticRegression("bic", n_jobs=threads).fit(X, y)),
        {"rows": 1_000, "columns": 250},
    ),
    "GreedySubsetRegressor": Case(
        on_numbers(lambda X, y, threads, k: GreedySubsetRegressor(k, n_jobs=threads).fit(X, y)),
        {"rows": 5_000, "columns": 500, "k": 10},
    ),
    "BestSubsetRegressor, proven": Case(
        on_numbers(lambda X, y, threads, k: BestSubsetRegressor(k, n_jobs=threads).fit(X, y)),
        {"rows": 1_000, "columns": 40, "k": 2},
    ),
    "AdaBoost, stumps": Case(
        on_classes(lambda X, y, threads, rounds: AdaBoost(rounds, n_jobs=threads).fit(X, y)),
        {"rows": 25_000, "columns": 25, "rounds": 50},
    ),
    "DecisionTree": Case(
        on_classes(lambda X, y, threads: DecisionTree(n_jobs=threads).fit(X, y)), {"rows": 12_500, "columns": 25}
    ),
}


def measure(name: str, repeats: int = 3) -> list[dict]:
    """Return one line per size; the initial size is timed again for each knob, so that its lines are comparable."""
    case, lines = CASES[name], []
    for grown in case.start:
        before = None
        for doubling in range(DOUBLINGS + 1):
            size = case.start | {grown: case.start[grown] << doubling}
            call = case.make(judge.THREADS, **size)
            seconds = judge.time_calls({name: call}, repeats, await_idle=False)[name].best
            lines.append(
                {"kernel": name, "grown": grown, "size": size[grown], "s": seconds}
                | ({} if before is None else {"factor": seconds / before})
            )
            before = seconds
    largest = {knob: size << (1 if knob in ("rows", "documents") else 0) for knob, size in case.start.items()}
    calls = {threads: case.make(threads, **largest) for threads in (1, 2)}
    found = judge.time_calls({str(t): call for t, call in calls.items()}, repeats, await_idle=False)
    one, two = (found[t].best for t in ("1", "2"))
    lines.append({"kernel": name, "grown": "threads", "size": 1, "s": one})
    lines.append({"kernel": name, "grown": "threads", "size": 2, "s": two, "factor": two / one})
    return lines


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    rows = []
    for name in CASES:
        if not names or name in names:
            rows += measure(name)
            print(table([r for r in rows if r["kernel"] == name], COLUMNS), flush=True)
    if not names:
        write_section(
            "Growth",
            f"{circumstances()}\n\nOne size is doubled at a time; the others keep their initial value.\n\n"
            f"{table(rows, COLUMNS)}",
        )


if __name__ == "__main__":
    main(sys.argv[1:])
