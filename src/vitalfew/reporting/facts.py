"""Facts of a report, as plain numbers and sentences. Rendering comes later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting.phrases import plural
from vitalfew.reporting.questions.card import card
from vitalfew.reporting.questions.how_many import how_many
from vitalfew.reporting.questions.redundant import redundant, screen_informative
from vitalfew.reporting.questions.together import together
from vitalfew.reporting.questions.which_model import ModelChoice, which_model
from vitalfew.reporting.study import FOR_MODELS, Study
from vitalfew.reporting.table import StudyTable
from vitalfew.summaries.information import entropy
from vitalfew.support.deadline import deadline

SCHEMA = "vitalfew.report/1"
STRONG = 0.01
STEPS = ("how many features", "which are redundant", "which work together", "which model", "model card")


def gather(
    study: Study,
    sealed: SealedTest,
    whole: StudyTable,
    target: tuple[str, int],
    source: str | None,
    n_jobs,
    step: Callable,
) -> tuple[dict[str, Any], BaseEstimator | None]:
    """Return all facts, and the fitted model if one was chosen. `target` is its name and number of missing values."""
    from vitalfew import __version__

    step(STEPS[0])
    many = _ask(study, 0.3, how_many)
    step(STEPS[1])
    screened = screen_informative(study)
    same = _ask(study, 0.1, redundant, screened)
    step(STEPS[2])
    joint = {"sets": [], "slopes": []} | _ask(study, 0.3, together, screened)
    step(STEPS[3])
    choice = which_model(study, n_jobs)
    step(STEPS[4])
    model_card, model = card(study, choice, sealed)
    nothing = is_nothing(study, joint, choice)
    facts = {
        "schema": SCHEMA,
        "made": {
            "version": __version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "seconds": study.clock.reading + study.clock.spent,
            "seed": study.seed,
            "time_budget": study.clock.budget,
        },
        "headline": _headline(many, same, joint, choice, nothing),
        "nothing_here": nothing,
        "notes": study.notes,
        "data": _data(study, whole, source, sealed),
        "target": _target(study, *target),
        "features": _features(study, many, same, joint, model_card),
        "how_many": many,
        "redundant": same,
        "together": joint
        if joint.get("skipped")
        else {**joint, "slopes": [_without(s, "feature") for s in joint["slopes"]]},
        "which_model": choice.facts,
        "card": model_card,
    }
    return facts, model


def _ask(study: Study, share: float, question: Callable[..., dict], *given) -> dict:
    """Return the facts of a part, or why there are none if it exceeds its share of the time."""
    began = study.clock.spent
    try:
        with deadline(study.clock.share(share, keep=FOR_MODELS)):
            return question(study, *given)
    except TimeBudgetError:
        why = f"Not answered: {study.clock.stopped(began)}."
        return {"answer": why, "skipped": why}


def is_nothing(study: Study, joint: dict, choice: ModelChoice) -> bool:
    """Return True if no model helps, no feature is clearly informative alone, and none are together.

    Parts that ran out of time are not evidence of that.
    """
    if joint.get("skipped") or choice.facts.get("skipped"):
        return False
    sure = study.alone.p_value.min(initial=1.0) * study.d < STRONG
    works_together = any(s["p_value"] <= STRONG for s in joint["sets"])
    return choice.chosen is None and not sure and not works_together


def _headline(many: dict, same: dict, joint: dict, choice: ModelChoice, nothing: bool) -> list[str]:
    if nothing:
        return [
            "No signal: no feature is more informative about the target than expected by chance, alone or in a pair."
        ]
    return [many["answer"], same["answer"], joint["answer"], choice.facts["answer"]]


def _data(study: Study, whole: StudyTable, source: str | None, sealed: SealedTest) -> dict:
    owned = np.bincount(study.features.column, minlength=len(whole.kinds))
    columns = []
    for at, kind in enumerate(whole.kinds):
        columns.append(
            {
                "name": kind.name,
                "kind": kind.kind,
                "n_missing": int(kind.n_missing),
                "n_distinct": int(kind.n_distinct),
                "is_used": kind.is_used,
                "why": kind.why,
                "n_features": int(owned[at]),
                "values": _values(whole, at),
            }
        )
    return {
        "source": source,
        "n_rows": int(study.n + len(sealed)),
        "n_columns": len(whole.kinds),
        "n_train": int(study.n),
        "n_test": len(sealed),
        "n_features": int(study.d),
        "columns": columns,
    }


def _values(whole: StudyTable, at: int) -> dict | None:
    kind = whole.kinds[at]
    if not kind.is_used or not hasattr(whole.frame, "iloc") or len(whole.kinds) > 2000:
        return None
    series = whole.frame[kind.name]
    if kind.kind == "numeric":
        known = series.dropna()
        return (
            {"min": float(known.min()), "mean": float(known.mean()), "max": float(known.max())} if len(known) else None
        )
    if kind.kind == "category":
        return {"top": [[str(v)[:200], int(n)] for v, n in series.value_counts().head(5).items()]}
    return None


def _target(study: Study, name: str, n_missing: int) -> dict:
    count = np.bincount(study.coded.label)
    kind = "numeric" if study.is_numeric else "binary" if len(count) == 2 else "classes"
    return {
        "name": name,
        "kind": kind,
        "classes": None if study.is_numeric else study.classes,
        "counts": None if study.is_numeric else [int(c) for c in count],
        "entropy": entropy(study.coded.label),
        "mean": float(np.mean(study.y)) if study.is_numeric else None,
        "deviation": float(np.std(study.y)) if study.is_numeric else None,
        "n_missing": n_missing,
    }


def _features(study: Study, many: dict, same: dict, joint: dict, model_card: dict) -> dict:
    order = study.alone.order
    names = [study.name(j) for j in order]
    stable = many.get("stability")
    often = dict(zip(stable["names"], stable["frequency"])) if stable else {}
    group: dict[str, int] = {}
    for at, found in enumerate(same.get("groups", ())):
        for name in (found["keep"], *(m["name"] for m in found["members"])):
            group.setdefault(name, at)
    context = {s["feature"]: s for s in joint["slopes"]}
    chosen = _chosen_names(many, model_card)
    alone = study.alone
    return {
        "n": int(study.d),
        "name": names,
        "column": [int(study.features.column[j]) for j in order],
        "information": _rounded(alone.information[order]),
        "p_value": _rounded(alone.p_value[order], 3),
        "q_value": _rounded(alone.q_value[order], 3),
        "rank_alone": [int(r) for r in alone.rank[order]],
        "in_context": [_or_none(context, j, "in_context") for j in order],
        "rank_in_context": [_or_none(context, j, "rank_in_context") for j in order],
        "chosen": [n in chosen for n in names],
        "frequency": [often.get(n) for n in names],
        "group": [group.get(n) for n in names],
    }


def _chosen_names(many: dict, model_card: dict) -> set[str]:
    """Return the features, or columns of encoded ones, used by the model on the card, else those of the path."""
    if "features" in model_card:
        used = {f["name"] for f in model_card["features"]}
        columns = {n.split("=", 1)[0] for n in used}
        return used | columns
    if many.get("skipped"):
        return set()
    return {f for f, k in zip(many["feature"], many["k"]) if f is not None and k <= many["size"]}


def _or_none(context: dict, j: int, key: str):
    return context[int(j)][key] if int(j) in context else None


def _rounded(values: NDArray[np.float64], digits: int = 4) -> list[float]:
    """Round numbers to a few significant digits: a table of 50,000 features should not fill a page with the rest."""
    return [float(f"{v:.{digits}g}") for v in values]


def _without(line: dict, key: str) -> dict:
    return {k: v for k, v in line.items() if k != key}


def rows_note(n_missing: int, n_rare: int, target: str) -> list[str]:
    """Return notes on the rows that were left out."""
    notes = []
    if n_missing:
        notes.append(f"{plural(n_missing, 'row has', 'rows have')} no value of {target!r} and were excluded.")
    if n_rare:
        notes.append(f"{plural(n_rare, 'row is', 'rows are')} of classes that are too rare and were excluded.")
    return notes
