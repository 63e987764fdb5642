"""Model card: the chosen model, the features it uses, and its error on unseen samples."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from vitalfew.encoding.describe import chosen_features, rules_of
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.exceptions import TimeBudgetError
from vitalfew.export.python_source import to_python
from vitalfew.export.sql import to_sql
from vitalfew.reporting.questions.which_model import ModelChoice
from vitalfew.reporting.study import FOR_THE_CARD, Study
from vitalfew.support.deadline import deadline

MOST_LISTED = 500
MOST_RULES = 12_000
MOST_EXPORTED = 200_000
MOST_COLUMNS = 2000


def card(study: Study, choice: ModelChoice, sealed: SealedTest) -> tuple[dict, BaseEstimator | None]:
    """Return the facts of the card, and the model fitted on all training rows; the sealed rows are opened once."""
    if choice.chosen is None:
        told = "No model was selected, so none was fitted; the sealed test rows were not opened."
        return {"answer": told, "skipped": told}, None
    model, began = clone(choice.chosen.estimator), study.clock.spent
    limit = max(study.clock.budget - began, FOR_THE_CARD * study.clock.budget)
    rows = _affordable_rows(study, choice, 0.7 * limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with deadline(limit):
                model.fit(study.table.take(rows).frame if len(rows) < study.n else study.table.frame, study.y[rows])
        except TimeBudgetError:
            told = f"{choice.chosen.name} was not fitted, and the sealed test rows were not opened: "
            told += f"{study.clock.stopped(began)}."
            return {"answer": told, "skipped": told}, None
        # The sealed rows are opened once: scoring must not be interrupted.
        score = sealed.score(model, name=choice.chosen.name)
    baseline = next((r["error"] for r in choice.facts["rows"] if r["is_baseline"]), None)
    sql, python, why = _exports(model, study.d)
    return (
        {
            "model": choice.chosen.name,
            "features": _listed(model),
            "rules": _rules(model),
            "test": {
                "metric": score.metric,
                "error": float(score.error),
                "low": float(score.low),
                "high": float(score.high),
                "n": int(score.n),
                "openings": int(sealed.n_openings),
                "baseline": baseline,
            },
            "confusion": score.confusion if list(map(str, score.classes or [])) == study.classes else None,
            "sql": sql,
            "python": python,
            "why_no_export": why,
        },
        model,
    )


def _affordable_rows(study: Study, choice: ModelChoice, limit: float) -> NDArray[np.intp]:
    """Return all training rows, or as many as can be fitted in time if the cost is linear in the number of rows."""
    most = int(choice.n_rows * limit / choice.seconds) if choice.seconds > 0 else study.n
    if most >= study.n:
        return np.arange(study.n)
    most = max(most, choice.n_rows)
    study.notes.append(f"The model was fitted on {most:,} of {study.n:,} training rows because of the time budget.")
    return study.sample(most, 10)


def _listed(model: BaseEstimator) -> list[dict]:
    """Describe the features in use, largest weight first."""
    return [
        {"name": line["feature"], "weight": line["weight"], "detail": _detail(line)}
        for line in chosen_features(model)[:MOST_LISTED]
    ]


def _detail(line: dict) -> str:
    told = f"{line['information']:.3g} bits alone" if "information" in line else ""
    speaks = f"evidence for {line['speaks_for']}" if line.get("speaks_for") is not None else ""
    return "; ".join(part for part in (told, speaks) if part)


def _rules(model: BaseEstimator) -> str | None:
    text = rules_of(model)
    return text if text is None or len(text) <= MOST_RULES else text[:MOST_RULES].rsplit("\n", 1)[0] + "\n…"


def _exports(model: BaseEstimator, n_features: int) -> tuple[dict[str, str] | None, str | None, str | None]:
    if n_features > MOST_COLUMNS:
        return (
            None,
            None,
            f"A model with {n_features:,} features is too large to show here; export it with vitalfew.to_sql or "
            "to_python.",
        )
    sql, why = {}, None
    try:
        python = to_python(model)
        sql["duckdb"] = to_sql(model)
        sql["sqlite"] = to_sql(model, dialect="sqlite")
    except (ValueError, TypeError, NotImplementedError) as problem:
        if not sql:
            return None, None, str(problem)
        why = f"Not for SQLite: {problem}"
    if len(python) > MOST_EXPORTED or max(map(len, sql.values())) > MOST_EXPORTED:
        return None, None, "The model is too large to show here; export it with vitalfew.to_sql or to_python."
    return sql, python, why
