"""Which models there is time to compare: a first fold of each tells."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import Pipeline

from vitalfew._deadline import deadline
from vitalfew.evaluation.compare import run_fold
from vitalfew.evaluation.metrics import Metric
from vitalfew.reporting.study import Study

FEW_TREES = 3


def first_fold(
    study: Study, models: dict[str, BaseEstimator], X, y, split, limits: tuple[float, float]
) -> tuple[dict[str, float], dict[str, str]]:
    """Seconds that each model takes on one fold, and why others have none; time limits of all models and of one."""
    known: dict[str, float] = {}
    left_out: dict[str, str] = {}
    end = study.clock.spent + limits[0]
    for name, model in models.items():
        limit = min(limits[1], end - study.clock.spent)
        if limit <= 0:
            left_out[name] = "not run: there was no time for a first fold"
            continue
        found = _judge(study, model, X, y, split, limit)
        if found is None:
            left_out[name] = f"stopped: a fold takes more than {limit:.2g} s"
        elif "failure" in found:
            left_out[name] = f"failed: {found['failure']}"
        else:
            known[name] = found["seconds"]
    return known, left_out


def _judge(study: Study, model: BaseEstimator, X, y, split, limit: float) -> dict[str, Any] | None:
    metric = Metric.of(None, not study.is_numeric)
    last = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
    with deadline(limit):
        if isinstance(last[1], RandomForestRegressor):
            # A forest cannot be stopped once it grows: a few trees tell how long all of them take.
            prefix = f"{last[0]}__" if last[0] else ""
            few = clone(model).set_params(**{f"{prefix}n_estimators": FEW_TREES})
            found = run_fold(0, 0, few, X, y, split, metric, study.seed, 0, None)[2]
            if found is None or found.get("seconds", 0.0) * last[1].n_estimators / FEW_TREES > limit:
                return None
        return run_fold(0, 0, model, X, y, split, metric, study.seed, 0, None)[2]


def affordable(
    known: dict[str, float], models: dict[str, BaseEstimator], folds: int, limit: float
) -> tuple[dict[str, BaseEstimator], dict[str, str]]:
    """Models all of whose folds fit into the time, the quickest first, and why others were left out."""
    kept: list[str] = []
    left_out: dict[str, str] = {}
    spent = 0.0
    for name in sorted(known, key=lambda n: known[n]):
        if kept and spent + folds * known[name] > limit:
            left_out[name] = f"left out: a fold takes {known[name]:.2g} s"
            continue
        spent += folds * known[name]
        kept.append(name)
    return {n: m for n, m in models.items() if n in kept}, left_out
