"""Model that suits the features: the rows of the table of out-of-fold predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from vitalfew.answers.choice import Choice
from vitalfew.answers.engine import Answers
from vitalfew.evaluation.metrics import ERROR_RATE, RMSE
from vitalfew.reporting.phrases import listing
from vitalfew.reporting.questions.recommended import show

BASELINE = {True: "mean of the target", False: "most frequent class"}


def which_model(answers: Answers) -> dict[str, Any]:
    """Return the facts of the fourth question: each learner with all features, and with the best selection."""
    choice, table = answers.choice, answers.choice.table
    metric = RMSE if table.problem.is_numeric else ERROR_RATE
    rows = [_row(answers, at) for at in _shown(choice)]
    rows.append(_baseline(answers))
    best = min(row["error"] for row in rows)
    for row in rows:
        row["difference"] = row["error"] - best
    return {
        "answer": _answer(answers, metric),
        "metric": metric,
        "folds": f"{answers.plan.sentence} Selection is repeated inside each fold",
        "n_rows": len(table.rows),
        "rows": rows,
        "frontier": _frontier(rows),
        "reason": choice.price_said,
    }


def _shown(choice: Choice) -> list[int]:
    """Return the best candidate of each learner with all features and with a selection, and `few`."""
    loss = choice.table.loss.mean(axis=0)
    best: dict[tuple[str, bool], int] = {}
    for at in np.argsort(loss, kind="stable").tolist():
        task = choice.candidate(at).task
        best.setdefault((task.learner.name, task.selector is None), at)
    return list(dict.fromkeys([*best.values(), choice.few]))


def _row(answers: Answers, at: int) -> dict[str, Any]:
    choice, table = answers.choice, answers.choice.table
    candidate = choice.candidate(at)
    error, se = choice.error_of(at)
    more = table.loss[:, at] - table.loss[:, choice.best_single]
    return {
        "selector": candidate.task.selector or "none",
        "model": candidate.task.learner.name,
        "name": str(candidate.task),
        "error": error,
        "se": se,
        "n_features": candidate.size,
        "seconds": table.seconds.get(candidate.task),
        "difference": None,
        "difference_se": None,
        "within_one_se": bool(more.mean() <= more.std() / np.sqrt(len(more))),
        "is_baseline": False,
        "is_chosen": at == choice.few,
        "note": None,
    }


def _baseline(answers: Answers) -> dict[str, Any]:
    problem = answers.choice.table.problem
    name = BASELINE[problem.is_numeric]
    rate = answers.baseline
    se = 0.0 if problem.is_numeric else float(np.sqrt(rate * (1 - rate) / problem.n_rows))
    return {
        "selector": "none",
        "model": name,
        "name": name,
        "error": rate,
        "se": se,
        "n_features": 0,
        "seconds": None,
        "difference": None,
        "difference_se": None,
        "within_one_se": False,
        "is_baseline": True,
        "is_chosen": False,
        "note": None,
    }


def _frontier(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that no other beats in both features and error."""
    found: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda r: (r["n_features"], r["error"])):
        if not found or row["error"] < found[-1]["error"]:
            found.append({key: row[key] for key in ("name", "n_features", "error")})
    return found


def _answer(answers: Answers, metric: str) -> str:
    """Say which model is best, what a blend adds, and which learners gain from selection."""
    choice = answers.choice
    top = choice.candidate(choice.best_single)
    name, error = str(top.task), choice.error_of(choice.best_single)[0]
    said = f"{name[0].upper()}{name[1:]}: {metric} {show(error, metric)}"
    if len(choice.best) > 1:
        said += f"; a blend of {len(choice.best)} models has a lower loss on rows that its weights have not seen"
    gains = [f"{name} ({show(a, metric)} → {show(b, metric)})" for name, a, b in gains_of_selection(choice)]
    if gains:
        return f"{said}. Selection lowers the error of {listing(gains, 4)}."
    return f"{said}. No model gains clearly from selection."


def gains_of_selection(choice: Choice) -> list[tuple[str, float, float]]:
    """Return the learners whose loss a selection lowers by more than two standard errors: error before and after."""
    table, found = choice.table, []
    loss = table.loss.mean(axis=0)
    for name in dict.fromkeys(c.task.learner.name for c in table.candidates):
        own = [i for i, c in enumerate(table.candidates) if c.task.learner.name == name]
        whole = [i for i in own if table.candidates[i].task.selector is None]
        chosen = [i for i in own if table.candidates[i].task.selector is not None]
        if not whole or not chosen:
            continue
        a, b = min(whole, key=lambda i: loss[i]), min(chosen, key=lambda i: loss[i])
        less = table.loss[:, a] - table.loss[:, b]
        if less.mean() > 2 * less.std() / np.sqrt(len(less)):
            found.append((name, choice.error_of(a)[0], choice.error_of(b)[0]))
    return found
