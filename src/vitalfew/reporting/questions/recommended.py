"""The recommended models: a few features, and the best whatever they need, with errors and the price of parsimony."""

from __future__ import annotations

from typing import Any

from vitalfew.answers.choice import Choice, Estimate
from vitalfew.answers.engine import Answers
from vitalfew.evaluation.metrics import ERROR_RATE, RMSE
from vitalfew.reporting.phrases import listing, plural, short

MOST_NAMED = 200
# Level of the permutation test.
LEVEL = 0.03


def recommended(answers: Answers, p_value: float | None) -> dict[str, Any]:
    """Return the facts of `few` and `best`, the frontier between them, and the verdict."""
    choice, table = answers.choice, answers.choice.table
    few = choice.few
    metric = RMSE if table.problem.is_numeric else ERROR_RATE
    facts = {
        "verdict": verdict(p_value, choice.few_error, answers.baseline),
        "p_value": p_value,
        "metric": metric,
        "baseline": answers.baseline,
        "few": {
            **_candidate(choice, few),
            **_estimate(choice.few_error),
            "features": answers.features(few)[:MOST_NAMED],
        },
        "best": {**_best(choice), **_estimate(choice.best_error)},
        "stability": answers.stability(few) if len(answers.features(few)) <= MOST_NAMED else {},
        "frontier": [
            {**_candidate(choice, point.candidate), "error": _shown(choice, point.error), "loss": point.loss}
            for point in choice.frontier
        ],
        "n_features": len(answers.maker.problem.view.names),
        "n_rows": len(table.rows),
        "plan": answers.plan.sentence,
        "n_candidates": len(table.candidates),
        "n_dropped": table.n_dropped,
        "is_complete": table.is_complete,
        "not_run": [f"{name}: {why}" for name, why in list(table.not_run.items())[:MOST_NAMED]],
    }
    facts["answer"] = _answer(facts)
    return facts


def verdict(p_value: float | None, error: Estimate, baseline: float) -> str:
    """Return "useful", "weak" or "cannot tell".

    The permutation test decides whether there is a signal, and the interval of the error whether it is of use. Without
    a test, only an interval below the error without features counts.
    """
    is_of_use = error.high < baseline
    if p_value is None:
        return "useful" if is_of_use else "cannot tell"
    if p_value > LEVEL:
        return "cannot tell"
    return "useful" if is_of_use else "weak"


def _candidate(choice: Choice, at: int) -> dict[str, Any]:
    candidate = choice.candidate(at)
    return {
        "model": candidate.task.learner.name,
        "selector": candidate.task.selector,
        "n_features": candidate.size,
    }


def _best(choice: Choice) -> dict[str, Any]:
    members = [
        {**_candidate(choice, at), "weight": weight}
        for at, weight in sorted(choice.best.items(), key=lambda item: -item[1])
    ]
    if len(members) == 1:
        return {**members[0], "members": members}
    most = max(m["n_features"] for m in members)
    return {"model": f"blend of {len(members)} models", "selector": None, "n_features": most, "members": members}


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"error": estimate.error, "low": estimate.low, "high": estimate.high}


def _shown(choice: Choice, error: float) -> float:
    return float(error**0.5) if choice.table.problem.is_numeric else error


def _answer(facts: dict[str, Any]) -> str:
    """Return the sentence of the first question."""
    few, best, metric = facts["few"], facts["best"], facts["metric"]
    said = f"{plural(few['n_features'], 'feature')} of {facts['n_features']:,}"
    if few["n_features"] <= 6:
        said += f" ({listing([short(f, 30) for f in few['features']])})"
    interval = f"95% interval: {show(few['low'], metric)} to {show(few['high'], metric)}"
    said += f": {metric} {show(few['error'], metric)} on new rows ({interval}). "
    article = "a " if len(best["members"]) > 1 else ""
    name = f"{article}{best['model']} with {plural(best['n_features'], 'feature')}"
    if best["error"] < few["error"]:
        said += f"The best model, {name}: {show(best['error'], metric)}. "
    elif is_same(few, best):
        said += "No other model has a lower loss. "
    else:
        said += f"The model of lowest loss, {name}, has no lower {metric}. "
    said += f"Without features: {show(facts['baseline'], metric)}."
    if facts["verdict"] == "cannot tell":
        tested = "" if facts["p_value"] is None else f" (permutation test: p = {facts['p_value']:.2g})"
        said = f"Cannot tell whether any feature helps{tested}. {said}"
    elif facts["verdict"] == "weak":
        said = f"A weak signal. {said}"
    return said


def is_same(few: dict[str, Any], best: dict[str, Any]) -> bool:
    """Return True if the facts of `few` and `best` are of one model."""
    return all(few[key] == best[key] for key in ("model", "selector", "n_features"))


def show(error: float, metric: str) -> str:
    """Return an error for a sentence: rates in percent."""
    return f"{error:.1%}" if metric == ERROR_RATE else f"{error:.3g}"


def rise(change: float | None, metric: str) -> str:
    """Return the change of an error for a sentence: of a rate in percentage points."""
    value = 0.0 if change is None else change
    return f"{100 * value:+.1f} points" if metric == ERROR_RATE else f"{value:+.2g}"
