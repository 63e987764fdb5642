"""Choice of the models to compare within the time limit, based on a first fold of each."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import Pipeline

from vitalfew.evaluation.compare import Outer, run_fold
from vitalfew.reporting.study import Study
from vitalfew.support.deadline import deadline

FEW_TREES = 3


def first_fold(study: Study, outer: Outer, limits: tuple[float, float]) -> tuple[dict[str, float], dict[str, str]]:
    """Run one fold of each model; return its seconds, or the reason why it was not run.

    `limits` are the time limits for all models and for one. The results are stored in the outer loop.
    """
    known: dict[str, float] = {}
    left_out: dict[str, str] = {}
    end = study.clock.spent + limits[0]
    for m, name in enumerate(outer.names):
        limit = min(limits[1], end - study.clock.spent)
        if limit <= 0:
            left_out[name] = "not run: no time left for the first fold"
            continue
        found = _judge(outer, m, limit)
        if found is None:
            left_out[name] = f"stopped: a fold takes more than {limit:.2g} s"
        elif "failure" in found:
            left_out[name] = f"failed: {found['failure']}"
        else:
            known[name] = found["seconds"]
            outer.put(m, 0, found)
    return known, left_out


def _judge(outer: Outer, m: int, limit: float) -> dict[str, Any] | None:
    model = outer.models[outer.names[m]]
    given = (outer.X, outer.y, outer.splits[0], outer.metric, int(outer.seeds[0]), 0, None)
    last = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
    with deadline(limit):
        if isinstance(last[1], RandomForestRegressor):
            # A growing forest cannot be stopped: a few trees predict how long all of them take.
            prefix = f"{last[0]}__" if last[0] else ""
            few = clone(model).set_params(**{f"{prefix}n_estimators": FEW_TREES})
            found = run_fold(m, 0, few, *given)[2]
            if found is None or found.get("seconds", 0.0) * last[1].n_estimators / FEW_TREES > limit:
                return None
        return run_fold(m, 0, model, *given)[2]


def affordable(known: dict[str, float], folds: int, limit: float) -> tuple[list[str], dict[str, str]]:
    """Return the models whose remaining folds fit into the time limit, fastest first, and why others were left out."""
    kept: list[str] = []
    left_out: dict[str, str] = {}
    spent = 0.0
    for name in sorted(known, key=lambda n: known[n]):
        if kept and spent + folds * known[name] > limit:
            left_out[name] = f"skipped: a fold takes {known[name]:.2g} s"
            continue
        spent += folds * known[name]
        kept.append(name)
    return kept, left_out
