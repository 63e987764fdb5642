"""Accuracy of approximate leave-one-out compared with n refits, on real data: `python benchmarks/loo_study.py`.

The whole path is fitted without each row in turn, and the scores of both are compared at every penalty. The table
goes to the section Leave-one-out of RESULTS.md.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes

from judge import SHARED
from run import circumstances, table, write_section
from vitalfew import Lasso, LogisticRegression

REGRESSION = {"diabetes": None, "prostate": "wide", "bodyfat": "wide", "hitters": "wide", "triazines": "wide"}
CLASSES = {
    "breast cancer": None,
    "sonar": "uci",
    "ionosphere": "uci",
    "pima-indians-diabetes": "uci",
    "cleveland": "uci",
}
POINTS = 20


def load(name: str, folder: str | None):
    """Return the standardized columns and the target, or None if the data is not available."""
    if folder is None:
        X, y = (load_diabetes if name == "diabetes" else load_breast_cancer)(return_X_y=True)
    else:
        path = SHARED / folder / f"{name}.csv"
        if not path.exists():
            print(f"{name} is not there: skipped")
            return None
        frame = pd.read_csv(path).dropna()
        if name == "bodyfat":  # density gives the target away
            frame = frame.drop(columns=[c for c in frame.columns if c.lower() == "density"])
        y = frame.pop("target").to_numpy()
        X = pd.get_dummies(frame, drop_first=True).to_numpy(float)
    X = np.asarray(X, dtype=float)
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def refitted(make, X, y, grid, loss):
    """Return the mean loss of each penalty over left-out rows."""
    total = np.zeros(len(grid))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        path = make(grid).set_params(alpha="bic").fit(X[others], y[others]).path_
        total += loss(path, X[i], y[i])
    return total / len(y)


def squared(path, x, y):
    """Return the squared error of one row at all penalties."""
    return (y - path.coef @ x - path.intercept) ** 2


def logarithmic(path, x, y):
    """Return the log loss of one row of two classes at all penalties."""
    margin = (path.coef @ x + path.intercept[:, 0]) * (1 if y == path.classes[1] else -1)
    return np.logaddexp(0, -margin)


def study(name, X, y, make, loss) -> dict:
    """Return one line of the table."""
    start = time.perf_counter()
    chosen = make(POINTS).fit(X, y)
    approximate_s = time.perf_counter() - start
    grid = chosen.path_.grid
    start = time.perf_counter()
    exact = refitted(make, X, y, grid, loss)
    refits_s = time.perf_counter() - start
    found = chosen.selection_.score
    best = int(np.argmin(exact))
    return {
        "data": name,
        "rows x columns": f"{X.shape[0]:,} x {X.shape[1]}",
        "refitted, least": float(exact[best]),
        "approximate there": float(found[best]),
        "largest difference": f"{np.max(np.abs(found / exact - 1)):.2%}",
        "same penalty": bool(chosen.selection_.index == best),
        "cost of the choice": f"{exact[chosen.selection_.index] / exact[best] - 1:.2%}",
        "approximate, s": approximate_s,
        "refits, s": refits_s,
    }


def main() -> None:
    """Write both tables to RESULTS.md."""
    lines = []
    for names, make, loss in (
        (REGRESSION, lambda grid: Lasso("loo", grid=grid, grid_ratio=1e-3, n_jobs=1), squared),
        (CLASSES, lambda grid: LogisticRegression("loo", grid=grid, grid_ratio=1e-2, tol=1e-6, n_jobs=1), logarithmic),
    ):
        for name, folder in names.items():
            if (data := load(name, folder)) is not None:
                kind = "lasso" if loss is squared else "L1 logistic"
                lines.append({"model": kind, **study(name, *data, make, loss)})
                print(lines[-1], flush=True)
    note = (
        f"Leave-one-out over {POINTS} penalties: the formula on the active features, compared with refitting the whole "
        "path without each row. The largest difference is over the path. The cost of the choice is the true "
        "leave-one-out loss at the penalty that the formula chose, relative to the minimum."
    )
    write_section("Leave-one-out", f"{circumstances()}\n\n{note}\n\n{table(lines, {key: key for key in lines[0]})}")


if __name__ == "__main__":
    main()
