"""Count how often a criterion finds the right function class: linear, quadratic or RBF, fitted to data of each kind.

``python benchmarks/function_classes.py [draws]`` prints the table of `benchmarks/RESULTS.md` (100 draws of 80 samples).
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
from threadpoolctl import threadpool_limits

from vitalfew import KernelRidge, compare

N, NOISE = 80, 0.3
TRUTHS = {
    "linear": lambda X: 1 + X[:, 0] - 0.7 * X[:, 1],
    "quadratic": lambda X: 1 + X[:, 0] - 0.7 * X[:, 1] ** 2,
    "RBF": lambda X: np.sin(2 * X[:, 0]) + np.cos(2 * X[:, 1]),
}


def classes(rule: str) -> dict[str, KernelRidge]:
    """Return a model of each function class, its penalty and width chosen by the rule."""
    return {
        "linear": KernelRidge(rule, kernel="poly", degree=1, grid=40, n_jobs=1),
        "quadratic": KernelRidge(rule, kernel="poly", degree=2, grid=40, n_jobs=1),
        "RBF": KernelRidge(rule, gamma=rule, grid=40, n_jobs=1),
    }


def draw(truth: str, seed: int):
    """Return samples of one truth: X uniform in a square, and y with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (N, 2))
    return X, TRUTHS[truth](X) + NOISE * rng.normal(size=N)


def main(draws: int) -> None:
    print("| truth | criterion | linear | quadratic | RBF |\n| --- | --- | --- | --- | --- |")
    for truth in TRUTHS:
        for rule in ("bic", "aic"):
            with threadpool_limits(1):
                best = Counter(compare(classes(rule), *draw(truth, s), criterion=rule).best for s in range(draws))
            print(f"| {truth} | {rule.upper()} | {best['linear']} | {best['quadratic']} | {best['RBF']} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
