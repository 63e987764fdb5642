"""Selected features and error of each selection method on real data: `python benchmarks/subset_study.py`.

The error is that of nested cross-validation: the selection, rule included, is done anew in each of ten outer folds, and
tested on rows that took no part in it. The tables go to the section Subsets of RESULTS.md.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from judge import SHARED
from loo_study import load
from run import circumstances, table, write_section
from vitalfew import BestSubsetRegressor, ForwardFittingRegressor, GreedySubsetRegressor, Lasso
from vitalfew.exceptions import VitalfewWarning

SEED, OUTER, SHOWN = 0, 10, 8
DATA = ("prostate", "hitters", "bodyfat", "communities_crime", "riboflavin")
RULES = ("bic", "ebic", "cv", "1se")
SECONDS = 2.0


def methods(rule: str, is_large: bool) -> dict:
    """Return the selection methods, by name."""
    most = {"max_features": 12}
    found = {
        "best subset": BestSubsetRegressor(rule, time_budget=SECONDS, near_ties=0.0, **most),
        "greedy forward": GreedySubsetRegressor(rule, **most),
        "greedy both ways": GreedySubsetRegressor(rule, direction="both", **most),
        "forward-fitting": ForwardFittingRegressor(rule, max_steps=100),
        "stagewise, rate 0.1": ForwardFittingRegressor(rule, max_steps=400, learning_rate=0.1),
        "lasso": Lasso(rule),
    }
    if not is_large:
        found["greedy backward"] = GreedySubsetRegressor(rule, direction="backward", **most)
    return found


def read(name: str):
    """Return the standardized columns, the target and the names, or None if the data is not available."""
    if name in ("prostate", "hitters", "bodyfat"):
        found = load(name, "wide")
        if found is None:
            return None
        frame = pd.read_csv(SHARED / "wide" / f"{name}.csv").dropna().drop(columns="target")
        if name == "bodyfat":
            frame = frame.drop(columns=[c for c in frame.columns if c.lower() == "density"])
        return (*found, list(pd.get_dummies(frame, drop_first=True).columns))
    path = SHARED / "wide" / (f"{name}.csv.gz" if name == "communities_crime" else f"{name}.npz")
    if not path.exists():
        print(f"{name} is not there: skipped")
        return None
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            X, y = stored["X"].astype(float), stored["y"].astype(float)
        names = [f"x{j}" for j in range(X.shape[1])]
    else:
        frame = pd.read_csv(path).dropna(axis=1)
        y = frame.pop("target").to_numpy(float)
        X, names = frame.to_numpy(float), list(frame.columns)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0), y, names


def nested_error(model, X, y) -> tuple[float, float, float]:
    """Return the mean squared error on outer folds over the variance of y, its standard error, and the mean size."""
    errors, sizes = [], []
    for train, test in KFold(OUTER, shuffle=True, random_state=SEED).split(X):
        model.fit(X[train], y[train])
        errors.append(np.mean((y[test] - model.predict(X[test])) ** 2) / y.var())
        sizes.append(model.support_.sum())
    return float(np.mean(errors)), float(np.std(errors, ddof=1) / np.sqrt(OUTER)), float(np.mean(sizes))


def study(name: str) -> list[dict]:
    """Return one line per method and rule."""
    data = read(name)
    if data is None:
        return []
    X, y, names = data
    lines = []
    for rule in RULES:
        for method, model in methods(rule, X.shape[1] > len(y)).items():
            begin = time.perf_counter()
            error, spread, size = nested_error(model, X, y)
            model.fit(X, y)
            chosen = [names[j] for j in np.flatnonzero(model.support_)]
            proof = ("yes" if model.certified_ else f"gap {model.gap_:.0%}") if hasattr(model, "certified_") else ""
            lines.append(
                {
                    "method": method,
                    "rule": rule,
                    "nested error": f"{error:.3f} ± {spread:.3f}",
                    "features, mean": f"{size:.1f}",
                    "on all rows": len(chosen),
                    "which": ", ".join(chosen[:SHOWN]) + (", …" if len(chosen) > SHOWN else ""),
                    "proven": proof,
                    "s": f"{time.perf_counter() - begin:.2f}",
                }
            )
            print(name, lines[-1], flush=True)
    return lines


def main() -> None:
    parts = [
        circumstances(),
        "Mean squared error divided by the variance of the target, by nested ten-fold cross-validation, with the rule "
        f"applied inside each fold. Each search for best subsets has {SECONDS:.0f} s; best subsets and greedy search "
        "use at most 12 features.",
    ]
    for name in DATA:
        lines = study(name)
        if lines:
            parts.append(f"**{name}**\n\n{table(lines, {key: key for key in lines[0]})}")
            write_section("Subsets", "\n\n".join(parts))


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VitalfewWarning)
        main()
