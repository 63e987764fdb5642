"""Errors of the test behind the verdict: `python benchmarks/verdict.py [noise] [power] [--draws 100]`.

Noise tables, whose target is independent of the columns, count how often the test rejects. Planted signals compare it
with two likelihood-ratio tests at the same level: one that knows the features and the form of the model, and one that
knows the form and searches all features, corrected for their number. Writes the sections Verdict of RESULTS.md.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from scipy import optimize, stats

from run import circumstances, table, write_section
from vitalfew.answers.signal_test import signal_test

LEVEL = 0.03
SHAPES = ((30, 5), (60, 20), (100, 100), (200, 1000), (60, 2000), (200, 5000))
TARGETS = ("two classes", "three classes", "unbalanced", "numbers", "heavy tails")
SIGNALS = ("one", "several", "pair", "square", "category")
# Rows, columns, and whether the target has two classes.
PLANTED = ((60, 3, False), (200, 5, True), (1000, 10, False), (200, 1000, False))
POWERS = (0.5, 0.8)
LEVELS = 4


def noise(n: int, p: int, seed: int):
    """Draw a table with numbers, skewed numbers and one-hot categories, and a target that does not depend on it."""
    random = np.random.default_rng([seed, n, p])
    codes = random.integers(0, LEVELS, (n, max(1, p // 12)))
    X = np.hstack([np.eye(LEVELS)[codes].reshape(n, -1), random.standard_normal((n, p))])[:, :p]
    X[:, -max(1, p // 4) :] = random.lognormal(size=(n, max(1, p // 4)))
    kind = TARGETS[seed % len(TARGETS)]
    y = {
        "two classes": random.integers(0, 2, n),
        "three classes": random.integers(0, 3, n),
        "unbalanced": random.permutation(np.arange(n) < max(3, n // 12)).astype(int),
        "numbers": random.standard_normal(n),
        "heavy tails": random.standard_t(1.5, n),
    }[kind]
    return X, y, "class" in kind or kind == "unbalanced"


def noise_rows(draws: int) -> list[dict[str, object]]:
    rows = []
    for n, p in SHAPES:
        tests = [
            signal_test(X, y, is_classification=classes, seed=seed)
            for seed in range(draws)
            for X, y, classes in [noise(n, p, seed)]
        ]
        rejected = sum(test.p_value <= LEVEL for test in tests)
        permutations = float(np.mean([test.n_permutations for test in tests]))
        rows.append({"table": f"{n} x {p:,}", "draws": draws, "rejected": rejected, "permutations": permutations})
        print(rows[-1], flush=True)
    total = sum(int(row["rejected"]) for row in rows)
    return [*rows, {"table": "all", "draws": draws * len(SHAPES), "rejected": total, "permutations": ""}]


def models(signal: str, X, codes):
    """Return the columns of each model that a search would try; the first one is true."""
    if signal == "several":
        return [X[:, :5], X]
    if signal == "pair":
        return [X[:, [i]] * X[:, [j]] for i, j in combinations(range(min(X.shape[1], 100)), 2)]
    if signal == "category":
        return [np.eye(LEVELS)[column][:, 1:] for column in codes.T]
    return [column[:, None] for column in (X**2 if signal == "square" else X).T]


def p_value(columns, y) -> float:
    """Return the p-value of the F test, the likelihood-ratio test of a linear model."""
    centered = columns - columns.mean(axis=0)
    y = y - y.mean()
    explained = np.sum((np.linalg.qr(centered)[0].T @ y) ** 2)
    k, rest = columns.shape[1], len(y) - columns.shape[1] - 1
    return float(stats.f.sf(explained / k / ((y @ y - explained) / rest), k, rest)) if rest > 0 else 1.0


def planted(signal: str, n: int, p: int, classes: bool, power: float, random):
    """Draw a table in which the test of the true model has this power, and return the models as well."""
    X, codes = random.standard_normal((n, p)), random.integers(0, LEVELS, (n, p))
    if signal == "pair":
        X = np.sign(X)
    tried = models(signal, X, codes)
    freedom = tried[0].shape[1]
    limit = stats.chi2.isf(LEVEL, freedom)
    strength = optimize.brentq(lambda x: stats.ncx2.sf(limit, freedom, x) - power, 1e-3, 100) / n
    score = {"one": X[:, 0], "several": X[:, :5].sum(axis=1), "square": X[:, 0] ** 2}.get(signal)
    if signal == "pair":
        score = X[:, 0] * X[:, 1]
    if signal == "category":
        score = np.array([1.0, -1.0, 0.5, -0.5])[codes[:, 0]]
    score = (score - score.mean()) / score.std()
    if classes:
        y = (random.random(n) < 0.5 + np.clip(score * np.sqrt(strength), -1, 1) / 2).astype(int)
    else:
        y = score * np.sqrt(strength) + random.standard_normal(n)
    columns = np.eye(LEVELS)[codes].reshape(n, -1) if signal == "category" else X
    return columns, y, tried


def found(signal: str, n: int, p: int, classes: bool, power: float, seed: int) -> tuple[bool, bool, bool]:
    """Return whether the test, that of the true model, and that of the best model find one planted signal."""
    random = np.random.default_rng([seed, n, p, SIGNALS.index(signal), int(10 * power)])
    X, y, tried = planted(signal, n, p, classes, power, random)
    values = [p_value(columns, y) for columns in tried]
    # The model of several columns is that of all columns, without a search.
    best = values[-1] if signal == "several" else 1 - (1 - min(values)) ** len(values)
    return signal_test(X, y, is_classification=classes, seed=seed).p_value <= LEVEL, values[0] <= LEVEL, best <= LEVEL


def power_rows(draws: int) -> list[dict[str, object]]:
    rows = []
    for n, p, classes in PLANTED:
        for signal in SIGNALS:
            for power in POWERS:
                shares = np.mean([found(signal, n, p, classes, power, seed) for seed in range(draws)], axis=0)
                rows.append(
                    {
                        "table": f"{n:,} x {p:,}",
                        "target": "two classes" if classes else "numbers",
                        "signal": signal,
                        "draws": draws,
                        "found": f"{shares[0]:.0%}",
                        "true model": f"{shares[1]:.0%}",
                        "form known": f"{shares[2]:.0%}",
                    }
                )
                print(rows[-1], flush=True)
    return rows


PARTS = {
    "noise": (
        noise_rows,
        {"table": "table", "draws": "tables", "rejected": "rejected", "permutations": "permutations"},
    ),
    "power": (
        power_rows,
        {key: key for key in ("table", "target", "signal", "draws", "found", "true model", "form known")},
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--draws", type=int, default=100)
    asked = parser.parse_args()
    for part in asked.parts:
        rows, columns = PARTS[part]
        described = f"Level {LEVEL}. {circumstances()}\n\n{table(rows(asked.draws), columns)}"
        write_section(f"Verdict: {part}", described)


if __name__ == "__main__":
    main()
