"""Model card: the model of few features, the features it uses, and its error on unseen samples."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.base import BaseEstimator

from vitalfew.answers.engine import Answers
from vitalfew.encoding.describe import chosen_features, rules_of
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.export.python_source import to_python
from vitalfew.export.sql import to_sql
from vitalfew.reporting.study import Study

MOST_LISTED = 500
MOST_RULES = 12_000
MOST_EXPORTED = 200_000
MOST_COLUMNS = 2000


def card(study: Study, answers: Answers, said: dict[str, Any], sealed: SealedTest | None) -> dict[str, Any]:
    """Return the facts of the card. The sealed rows, if there are any, are opened once."""
    candidate = answers.choice.candidate(answers.choice.few)
    model = answers.few.pipeline_
    sql, python, why = _exports(answers.few, study.d)
    test, confusion = _folds_test(said), None
    if sealed is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = sealed.score(answers.few, name=str(candidate))
        test = {
            "metric": score.metric,
            "error": float(score.error),
            "low": float(score.low),
            "high": float(score.high),
            "n": int(score.n),
            "openings": int(sealed.n_openings),
            "baseline": said["baseline"],
            "on": "sealed rows",
        }
        confusion = score.confusion if list(map(str, score.classes or [])) == study.classes else None
    return {
        "model": str(candidate),
        "features": _listed(model, answers),
        "rules": _rules(model),
        "test": test,
        "confusion": confusion,
        "sql": sql,
        "python": python,
        "why_no_export": why,
    }


def _folds_test(said: dict[str, Any]) -> dict[str, Any]:
    """Return the bias-corrected error of the folds, which takes the place of a sealed test if rows are few."""
    few = said["few"]
    return {
        "metric": said["metric"],
        "error": few["error"],
        "low": few["low"],
        "high": few["high"],
        "n": said["n_rows"],
        "openings": 0,
        "baseline": said["baseline"],
        "on": "rows left out of the folds",
    }


def _listed(model: BaseEstimator, answers: Answers) -> list[dict[str, Any]]:
    """Describe the features in use, largest weight first, or best first where the model has no weights."""
    form = answers.choice.candidate(answers.choice.few).task.learner.form
    if form in ("linear", "frame"):
        return [
            {"name": line["feature"], "weight": line["weight"], "detail": _detail(line)}
            for line in chosen_features(model)[:MOST_LISTED]
        ]
    names = answers.features(answers.choice.few)
    return [{"name": name, "weight": None, "detail": ""} for name in names[:MOST_LISTED]]


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
