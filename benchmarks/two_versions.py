"""Compare the time of several checkouts of vitalfew, each with its own environment, on five cases.

``python benchmarks/two_versions.py before=../old/.venv/bin/python after=.venv/bin/python`` prints the table of
`benchmarks/RESULTS.md`. Each repetition runs five fits in a fresh process, and the checkouts take turns.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROUNDS, CALLS = 12, 5


def fits():
    """Return the fit of each case; only names that every version has may be used."""
    from vitalfew import AdaBoost, Lasso, LogisticRegression, NaiveBayes, WordPresence

    path = {"alpha": "bic", "fit_intercept": False, "tol": 1e-6}
    return {
        "wide lasso": lambda X, y, grid: Lasso(grid=grid, **path).fit(X, y),
        "logistic on words": lambda X, y, grid: LogisticRegression(penalty="l1", grid=grid, **path).fit(X, y),
        "boosting, 200k": lambda X, y: AdaBoost(100, n_jobs=2).fit(X, y),
        "MDL": lambda X, y: NaiveBayes(features="mdl", verbose=False).fit(X, y),
        "text": lambda documents: WordPresence().fit_transform(documents),
    }


def write_data(folder: Path) -> None:
    """Store the data of each case, so that all versions read the same."""
    from cases import boost, lasso_path, logistic_path, mdl, text

    data = {
        "wide lasso": lasso_path.load("wide@100"),
        "logistic on words": logistic_path.load("words"),
        "boosting, 200k": boost.load("200k")[:2],
        "MDL": mdl.load("comp"),
        "text": (text.load("newsgroups"),),
    }
    for name, arguments in data.items():
        (folder / name).write_bytes(pickle.dumps(arguments))


def measure(case: str, path: str) -> None:
    """Print the processor seconds of some fits in this process."""
    arguments, fit, found = pickle.loads(Path(path).read_bytes()), fits()[case], []
    for _ in range(CALLS):
        start = time.process_time()
        fit(*arguments)
        found.append(time.process_time() - start)
    print(json.dumps(found))


def main(pythons: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))
        found: dict[str, dict[str, list[float]]] = {case: {name: [] for name in pythons} for case in fits()}
        for turn in range(ROUNDS):
            for case, seconds in found.items():
                for name in np.roll(list(pythons), turn).tolist():
                    command = [pythons[name], __file__, "--measure", case, f"{folder}/{case}"]
                    done = subprocess.run(command, check=True, capture_output=True, text=True)
                    seconds[name] += json.loads(done.stdout)
    names = list(pythons)
    print(
        "| case |",
        " | ".join(f"{n}, s (spread)" for n in names),
        "|",
        " | ".join(f"{n} / {names[0]}" for n in names[1:]),
    )
    for case, seconds in found.items():
        print("|", case, "|", " | ".join([*map(shown, seconds.values()), *ratios(list(seconds.values()))]), "|")


def shown(seconds: list[float]) -> str:
    """Return the median with its spread, the interquartile range divided by the median."""
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
    return f"{middle:.3f} ({(high - low) / middle:.0%})"


def ratios(seconds: list[list[float]]) -> list[str]:
    """Return the ratios to the first version, of the medians and of the minima."""
    first = seconds[0]
    return [f"{np.median(s) / np.median(first):.2f} ({np.min(s) / np.min(first):.2f})" for s in seconds[1:]]


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main(dict(argument.split("=", 1) for argument in sys.argv[1:]))
