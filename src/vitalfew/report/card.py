"""The model card: what was chosen, what it looks at, and its error on rows that nobody has seen."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from vitalfew.families.adaboost import AdaBoost
from vitalfew.families.decision_tree import DecisionTree
from vitalfew.families.encoding import encoded_features
from vitalfew.families.naive_bayes import NaiveBayes
from vitalfew.report.study import Study
from vitalfew.report.which_model import Choice

MOST_LISTED = 500
MOST_RULES = 12_000
MOST_EXPORTED = 200_000


def card(study: Study, choice: Choice, sealed) -> tuple[dict, BaseEstimator | None]:
    """The facts of the card, and the model fitted on all training rows; the sealed rows are opened once."""
    if choice.chosen is None:
        told = "No model was chosen, so none was fitted; the sealed test rows were not opened."
        return {"answer": told, "skipped": told}, None
    model = clone(choice.chosen.estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(study.table.model_input, study.y)
        score = sealed.score(model, name=choice.chosen.name)
    baseline = next((r["error"] for r in choice.facts["rows"] if r["is_baseline"]), None)
    sql, python, why = _exports(model)
    return (
        {
            "model": choice.chosen.name,
            "features": features_of(study, model),
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
            "confusion": None,
            "sql": sql,
            "python": python,
            "why_no_export": why,
        },
        model,
    )


def _last(model: BaseEstimator) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def names_seen(study: Study, model: BaseEstimator) -> list[str]:
    """The names of the columns that the last step is given."""
    if not isinstance(model, Pipeline) or "columns" not in model.named_steps:
        return [study.name(j) for j in range(study.d)]
    names = np.array([f.name for f in encoded_features(model)], dtype=object)
    return names[model.named_steps["select"].get_support()].tolist() if "select" in model.named_steps else names.tolist()


def features_of(study: Study, model: BaseEstimator) -> list[dict]:
    """Features that the model uses, the weightiest first."""
    last, names = _last(model), names_seen(study, model)
    if isinstance(last, NaiveBayes):
        return _of_bayes(last, names)
    if isinstance(last, AdaBoost):
        return _of_boosting(last, names)
    if isinstance(last, DecisionTree):
        return _listed(names, np.asarray(last.feature_importances_), "share of what its splits gain")
    coef = getattr(last, "coef_", None)
    if coef is None:
        return [{"name": n, "weight": None, "detail": ""} for n in names[:MOST_LISTED]]
    coef = np.asarray(coef)
    if coef.ndim == 2 and len(coef) > 1:
        top = np.abs(coef).argmax(axis=0)
        classes = [str(c) for c in last.classes_]
        found = _listed(names, coef[top, np.arange(coef.shape[1])], "")
        place = {n: j for j, n in enumerate(names)}
        return [{**f, "detail": f"of class {classes[top[place[f['name']]]]}"} for f in found]
    return _listed(names, coef.ravel(), "")


def _of_boosting(model: AdaBoost, names: list[str]) -> list[dict]:
    """Stumps have votes; what a boosted tree looks at is known, its share is not."""
    if model.estimator != "stump" or not hasattr(model.path_, "stumps"):
        return [{"name": names[j], "weight": None, "detail": ""} for j in np.flatnonzero(model.support_)[:MOST_LISTED]]
    stumps, alpha = model.path_.stumps, model.path_.alpha
    weight = np.zeros(len(names))
    for t in range(int(model.rounds_)):
        reach = max(abs(float(stumps.left[t])), abs(float(stumps.right[t])))
        weight[int(stumps.feature[t])] += abs(float(np.ravel(alpha[t])[0])) * reach
    return _listed(names, weight, "share of all votes", scale=float(weight.sum()))


def _listed(names: list[str], weight, detail: str, scale: float = 1.0) -> list[dict]:
    used = np.flatnonzero(weight)
    used = used[np.argsort(-np.abs(weight[used]), kind="stable")]
    divisor = scale if scale > 0 else 1.0
    return [{"name": names[j], "weight": float(weight[j] / divisor), "detail": detail} for j in used[:MOST_LISTED]]


def _of_bayes(model: NaiveBayes, names: list[str]) -> list[dict]:
    import narwhals.stable.v2 as nw

    table = nw.from_native(model.summary(names)).head(MOST_LISTED)
    columns = {c: table[c].to_list() for c in table.columns}
    weight = columns.get("weight", [None] * len(table))
    speaks = columns.get("speaks_for", [None] * len(table))
    found = []
    for name, bits, value, speaks_for in zip(columns["feature"], columns["information"], weight, speaks):
        is_known = value is not None and value == value
        detail = f"tells {bits:.3g} bits alone"
        if is_known and speaks_for is not None and speaks_for == speaks_for:
            detail += f"; present, it speaks for {speaks_for}"
        found.append({"name": str(name), "weight": float(value) if is_known else None, "detail": detail})
    return found


def _rules(model: BaseEstimator) -> str | None:
    last = _last(model)
    if not isinstance(last, DecisionTree):
        return None
    text = last.export_text()
    return text if len(text) <= MOST_RULES else text[:MOST_RULES].rsplit("\n", 1)[0] + "\n…"


def _exports(model: BaseEstimator) -> tuple[dict[str, str] | None, str | None, str | None]:
    from vitalfew.export import to_python, to_sql

    try:
        sql = {dialect: to_sql(model, dialect=dialect) for dialect in ("duckdb", "sqlite")}
        python = to_python(model)
    except (ValueError, TypeError, NotImplementedError) as problem:
        return None, None, str(problem)
    if len(python) > MOST_EXPORTED or max(map(len, sql.values())) > MOST_EXPORTED:
        return None, None, "The model is too large to be shown here; vitalfew.to_sql and to_python write it out."
    return sql, python, None
