"""Feature selection for tables larger than memory: from their summaries, without the rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from vitalfew.cli.command_runner import note
from vitalfew.cli.commands.select import check_method
from vitalfew.cli.progress_bars import working
from vitalfew.cli.task import TASKS, TableInput, parse_kinds
from vitalfew.data.sources.protocol import Source
from vitalfew.data.tables.column_kinds import ColumnKind, recognize
from vitalfew.families.bayes.information_ranking import WITHOUT_ROWS, InformationRanking
from vitalfew.families.bayes.streamed_folds import BY_FOLDS
from vitalfew.families.linear.lasso import Lasso
from vitalfew.families.subsets.best_subset import BestSubsetRegressor
from vitalfew.families.subsets.greedy import GreedySubsetRegressor
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.summaries.summarize import is_number, summarize
from vitalfew.support.checks import check_choice
from vitalfew.support.suggest import check_names

# Larger files are streamed.
MOST_BYTES = 2**30
# Number of rows used to detect the kinds of columns.
LOOKED_AT = 65_536
# Default number of features, or rule, of each method.
FOR_CLASSES = {"mdl": "gain", "information": "fdr"}
FOR_NUMBERS = {"lasso": "bic", "greedy": "bic", "best": "bic"}
CRITERIA = ("bic", "aic", "ebic")
FOLDS = 5


def is_streamed(data: str) -> bool:
    """Return True if rows should not be read into memory: many files, a server, or one large file."""
    if data == "-":
        return False
    if data.startswith(("postgres://", "postgresql://")) or os.path.isdir(data):
        return True
    if not os.path.exists(data):
        return glob.has_magic(data)
    return os.path.isfile(data) and os.path.getsize(data) > MOST_BYTES


def select_streamed(
    source: TableInput,
    target: str,
    method: str | None,
    k: int | str | None,
    *,
    kind: Sequence[str] | None,
    drop: Sequence[str] | None,
    task: str | None,
    time_budget: float | None,
    seed: int = 0,
) -> tuple[list[dict[str, Any]], int, str, str]:
    """Return a line for each feature chosen, the number of candidates, and the method and rule used."""
    if task is not None:
        check_choice("--task", task, TASKS)
    rows = source.open()
    names = _columns(rows, target, parse_kinds(kind), drop or ())
    task = task or ("numeric" if is_number(rows, target) else "classes")
    known = FOR_CLASSES if task == "classes" else FOR_NUMBERS
    method = method or ("information" if k == "fdr" and task == "classes" else next(iter(known)))
    if method not in known:
        what = "classes" if task == "classes" else "a number"
        listed = " or ".join(known)
        raise ValueError(f"method {method!r} requires the rows for {what}; with --stream use {listed}.")
    if time_budget is not None and method != "best":
        raise ValueError(f"--time-budget is only supported with --method best; omit it with {method}.")
    rule = known[method] if k is None else k
    by_folds = rule in BY_FOLDS
    if task == "numeric":
        check_method(method, rule)
    _check_rule(rule, method, task)
    with working(f"summarizing {source.name}"):
        kind_of_summary = "counts" if task == "classes" else "moments"
        found = summarize(
            rows, target, columns=names, kind=kind_of_summary, folds=FOLDS if by_folds else None, random_state=seed
        )
    summaries: Summaries = found if isinstance(found, Summaries) else Summaries.of(found)
    with working(f"selecting features by {method}"):
        if task == "classes":
            return *_by_counts(summaries, rows, method, rule), method, str(rule)
        return *_by_moments(summaries, names, method, rule, time_budget), method, str(rule)


def _check_rule(rule: int | str, method: str, task: str) -> None:
    """Raise, before the rows are read, if summaries do not support a rule."""
    known = (*(WITHOUT_ROWS if task == "classes" else CRITERIA), *BY_FOLDS)
    if isinstance(rule, str) and rule not in known and not (method == rule == "mdl"):
        raise ValueError(f"--k {rule} requires the rows; with --stream use a number, or {', '.join(known)}.")


def _columns(rows: Source, target: str, overrides: dict[str, str], drop: Sequence[str]) -> list[str]:
    """Return the columns to learn from, judging by the first rows."""
    import pyarrow as pa

    schema = rows.schema()
    check_names([target, *overrides, *drop], schema.names)
    if target in drop:
        raise ValueError(f"column {target!r} is the target and cannot be dropped.")
    first = pa.Table.from_batches(islice(rows.batches(batch_rows=LOOKED_AT), 1), schema).drop_columns([target])
    names = []
    for column, seen in zip(recognize(first, overrides), recognize(first)):
        if column.name in drop:
            continue
        why = _why_not(column, seen, column.name in overrides)
        if why is None:
            names.append(column.name)
        else:
            note(f"column {column.name!r} is not used: it {why}.")
    if not names:
        raise ValueError(f"{rows.name!r} has no usable columns other than the target.")
    return names


def _why_not(column: ColumnKind, seen: ColumnKind, is_told: bool) -> str | None:
    if column.kind == "text":
        return "is text, which requires the rows"
    if is_told and column.is_used and column.kind != seen.kind:
        raise ValueError(
            f"column {column.name!r} is {seen.kind} and cannot be treated as {column.kind} while rows are streamed; "
            "cast it in a --query."
        )
    # Later rows may have other values than the first ones.
    can_change = column.kind == "constant" or (column.kind == "empty" and "single value" not in (column.why or ""))
    return None if column.is_used or (can_change and not is_told) else column.why


def _by_counts(
    summaries: Summaries[Counts], rows: Source, method: str, rule: int | str
) -> tuple[list[dict[str, Any]], int]:
    counts = summaries.total
    if counts.note:
        note(counts.note)
    if len(counts.classes) < 2:
        raise ValueError(f"the target has only one class, {counts.classes.tolist()[0]!r}; at least two are required.")
    rule = "gain" if rule == "mdl" else rule
    is_size = not isinstance(rule, str)
    # "cv" and "1se" read the rows again, to classify those of each fold.
    ranking = InformationRanking(k=0 if is_size and method == "mdl" else rule).fit_counts(summaries, source=rows)
    support = ranking.support_
    if is_size and method == "mdl":
        if rule > counts.n_features:  # type: ignore[operator]
            raise ValueError(f"--k {rule} exceeds the {counts.n_features} features.")
        support = np.isin(np.arange(counts.n_features), np.argsort(-ranking.gains_, kind="stable")[: int(rule)])
    lines = [
        {
            "feature": counts.names[j],
            "column": counts.names[j],
            "information": float(ranking.scores_[j]),
            "p_value": float(ranking.p_values_[j]),
        }
        for j in np.flatnonzero(support).tolist()
    ]
    return lines, counts.n_features


def _by_moments(
    summaries: Summaries[Moments], columns: list[str], method: str, rule: int | str, time_budget: float | None
) -> tuple[list[dict[str, Any]], int]:
    names = list(summaries.total.names or ())
    own = [n for n in names if n in columns]
    column_of = {n: n if n in columns else max((c for c in columns if n.startswith(f"{c}=")), key=len) for n in names}
    scaled = _standardized(summaries, np.isin(names, own))
    model: Any
    if method == "lasso":
        model = Lasso("bic" if isinstance(rule, int) else rule, standardize=False).fit_moments(scaled)
        if isinstance(rule, int):
            fits = np.flatnonzero(model.path_.n_features <= rule)
            alpha = float(model.path_.grid[fits[-1] if fits.size else 0])
            model = Lasso(alpha, standardize=False).fit_moments(scaled)
    elif method == "greedy":
        model = GreedySubsetRegressor(k=rule).fit_moments(scaled)
    else:
        model = BestSubsetRegressor(k=rule)
        model = (model if time_budget is None else model.set_params(time_budget=time_budget)).fit_moments(scaled)
    lines = [
        {"feature": names[j], "column": column_of[names[j]], "weight": float(model.coef_[j])}
        for j in np.flatnonzero(model.coef_).tolist()
    ]
    return sorted(lines, key=lambda line: -abs(line["weight"])), len(names)


def _standardized(summaries: Summaries[Moments], is_number: np.ndarray) -> Summaries[Moments]:
    """Return moments of numeric columns divided by their deviation over all rows, as for rows in memory."""
    total = summaries.total
    spread = np.sqrt(np.diag(total.scatter)[:-1] / total.weight_sum)
    unit = np.append(np.where(is_number & (spread > 0), spread, 1.0), 1.0)
    return summaries.map(lambda m: replace(m, mean=m.mean / unit, scatter=m.scatter / np.outer(unit, unit)))
