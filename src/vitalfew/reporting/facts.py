"""Facts of a report, as plain numbers and sentences. Rendering comes later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray

from vitalfew.answers.engine import Answers, answer, view_of
from vitalfew.answers.exchange import exchanges
from vitalfew.answers.signal_test import signal_test
from vitalfew.answers.views import TableView
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting.phrases import plural
from vitalfew.reporting.questions.card import card
from vitalfew.reporting.questions.how_many import how_many
from vitalfew.reporting.questions.recommended import recommended
from vitalfew.reporting.questions.redundant import redundant, screen_informative
from vitalfew.reporting.questions.substitutes import with_exchanges
from vitalfew.reporting.questions.together import together
from vitalfew.reporting.questions.which_model import which_model
from vitalfew.reporting.study import FOR_MODELS, Study
from vitalfew.reporting.table import StudyTable
from vitalfew.summaries.information import entropy
from vitalfew.support.deadline import deadline

SCHEMA = "vitalfew.report/1"
# Shares of the time for the permutation test, and for exchanging features of the recommended model.
FOR_THE_TEST, FOR_EXCHANGES = 0.08, 0.1
LEAST_FOR_THE_TEST = 2.0  # seconds
STEPS = ("how many features", "which are redundant", "which work together", "which model", "model card")


def gather(
    study: Study,
    sealed: SealedTest | None,
    whole: StudyTable,
    target: tuple[str, int],
    source: str | None,
    step: Callable,
) -> tuple[dict[str, Any], Answers]:
    """Return all facts, and the answers they come from. `target` is its name and number of missing values."""
    from vitalfew import __version__

    step(STEPS[0])
    p_value = _signal(study)
    many = _ask(study, 0.12, how_many)
    step(STEPS[1])
    screened = screen_informative(study)
    same = _ask(study, 0.06, redundant, screened)
    step(STEPS[2])
    joint = {"sets": [], "slopes": []} | _ask(study, 0.25, together, screened)
    step(STEPS[3])
    found = answer(
        study.table,
        study.y,
        is_numeric=study.is_numeric,
        seconds=study.clock.share(1.0, keep=FOR_EXCHANGES),
        seed=study.seed,
        threads=study.threads or cpu_count(),
    )
    if len(found.maker.rows) < study.n:
        study.notes.append(f"The models were chosen on {len(found.maker.rows):,} of {study.n:,} training rows.")
    step(STEPS[4])
    said = recommended(found, p_value)
    model_card = card(study, found, said, sealed)
    with deadline(study.clock.share(FOR_EXCHANGES)):
        same = with_exchanges(same, exchanges(found), said["few"]["features"], said["metric"])
    which = which_model(found)
    facts = {
        "schema": SCHEMA,
        "made": {
            "version": __version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "seconds": study.clock.reading + study.clock.spent,
            "seed": study.seed,
            "time_budget": study.clock.budget,
        },
        "verdict": said["verdict"],
        "headline": [said["answer"], same["answer"], joint["answer"], which["answer"]],
        "nothing_here": said["verdict"] == "cannot tell",
        "notes": study.notes,
        "recommended": said,
        "data": _data(study, whole, source, sealed),
        "target": _target(study, *target),
        "features": _features(study, said, same, joint),
        "how_many": {**many, "answer": said["answer"]},
        "redundant": same,
        "together": {**joint, "slopes": [_without(s, "feature") for s in joint["slopes"]]},
        "which_model": which,
        "card": model_card,
    }
    return facts, found


def _signal(study: Study) -> float | None:
    """Return the p-value of the permutation test for any signal; None if there was no time for it."""
    view = view_of(study.table)
    every = np.arange(study.n)
    if isinstance(view, TableView):
        matrix = view.fold(every, every[:1]).linear[0]
    else:
        matrix = view.fold(every, every[:1]).parts("tf-idf")[0]
    try:
        with deadline(study.clock.share(FOR_THE_TEST, least=LEAST_FOR_THE_TEST)):
            target = study.y if study.is_numeric else study.coded.label
            return signal_test(matrix, target, is_classification=not study.is_numeric, seed=study.seed).p_value
    except TimeBudgetError:
        study.notes.append("There was no time for the permutation test of a signal.")
        return None


def _ask(study: Study, share: float, question: Callable[..., dict], *given) -> dict:
    """Return the facts of a part, or why there are none if it exceeds its share of the time."""
    began = study.clock.spent
    try:
        with deadline(study.clock.share(share, keep=FOR_MODELS)):
            return question(study, *given)
    except TimeBudgetError:
        why = f"Not answered: {study.clock.stopped(began)}."
        return {"answer": why, "skipped": why}


def _data(study: Study, whole: StudyTable, source: str | None, sealed: SealedTest | None) -> dict:
    n_test = 0 if sealed is None else len(sealed)
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
        "n_rows": int(study.n + n_test),
        "n_columns": len(whole.kinds),
        "n_train": int(study.n),
        "n_test": n_test,
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


def _features(study: Study, said: dict, same: dict, joint: dict) -> dict:
    order = study.alone.order
    names = [study.name(j) for j in order]
    often = said["stability"]
    group: dict[str, int] = {}
    for at, found in enumerate(same.get("groups", ())):
        for name in (found["keep"], *(m["name"] for m in found["members"])):
            group.setdefault(name, at)
    context = {s["feature"]: s for s in joint["slopes"]}
    chosen = set(said["few"]["features"])
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
