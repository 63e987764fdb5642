"""`report`: the four questions of feature selection, answered for a table or text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from vitalfew.data.tables.column_kinds import ColumnKind
from vitalfew.evaluation.sealed.sealed_split import sealed_split
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.reporting.facts import STEPS, gather, rows_note
from vitalfew.reporting.render.html import render_html
from vitalfew.reporting.render.markdown import render_markdown
from vitalfew.reporting.study import Clock, Study
from vitalfew.reporting.table import LEAST_ROWS, read_study_table, read_target
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.checks import check_is_values, check_threads
from vitalfew.support.progress import as_verbose
from vitalfew.support.progress import progress as progress_bar

MOST_TARGETS = 200
LEAST_TABLE = 20


@dataclass(frozen=True, repr=False)
class Report:
    """Result of :func:`report`.

    Attributes
    ----------
    facts : dict
        Everything as plain numbers and sentences; ``reporting/render/schema.json`` describes it.
    model : estimator or None
        The recommended model, fitted on the training samples; None if no model helps.
    sealed : SealedTest
        The test samples, used only once, to score the recommended model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew import report
    >>> data = load_iris(as_frame=True)
    >>> found = report(data.data, data.target, target="species", time_budget=3, progress=False)
    >>> "petal width (cm)" in found.to_markdown()
    True
    """

    facts: dict[str, Any]
    model: BaseEstimator | None
    sealed: SealedTest

    def to_dict(self) -> dict[str, Any]:
        """Return the facts."""
        return self.facts

    def to_json(self) -> str:
        """Return the facts as JSON."""
        return json.dumps(self.facts, ensure_ascii=False, allow_nan=False, indent=1)

    def to_html(self) -> str:
        """Return the report as one HTML page that needs no network."""
        return render_html(self.facts)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        return render_markdown(self.facts)

    def save(self, path) -> None:
        """Write ``.html``, ``.json`` or ``.md``, depending on the suffix; the file is written atomically."""
        makers = {".html": self.to_html, ".htm": self.to_html, ".json": self.to_json, ".md": self.to_markdown}
        kind = Path(path).suffix.lower()
        if kind not in makers:
            raise ValueError(f"the path of a report must end with .html, .json or .md, got {str(path)!r}.")
        text = makers[kind]()
        with written_aside(path, "w") as file:
            file.write(text)

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.to_html())}" style="width:100%;height:700px;border:0"></iframe>'

    def __repr__(self) -> str:
        return "\n".join(self.facts["headline"])


def report(
    X,
    y,
    *,
    target: str = "target",
    kinds: Mapping[str, str] | Sequence[ColumnKind] | None = None,
    task: str | None = None,
    time_budget: float = 60.0,
    test_size: float = 0.25,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress="auto",
    source: str | None = None,
) -> Report:
    r"""Report how many features are needed, which are redundant, which work together, and which model suits them.

    A quarter of the samples is sealed first. All answers come from the others, and the recommended model is scored once
    on the sealed samples.

    1. *How many?* A greedy path of features; description length, BIC, leave-one-out and 5-fold error of each size;
       selection frequencies over complementary half samples, with Shah and Samworth's bound on false selections.
    2. *Redundant?* Copies, near copies, and features that retain less than a tenth of their information given another:
       :math:`I(X_i; Y \mid X_j) \le I(X_i; Y) / 10`. Variance inflation factors of numeric features.
    3. *Together?* Pairs with positive interaction information
       :math:`I(X_i, X_j; Y) - I(X_i; Y) - I(X_j; Y)`, tested against the maximum over all pairs under permutations of
       the target; sets of three grown from them.
    4. *Which model?* Combinations of selectors and models in nested cross-validation; the simplest within one standard
       error of the best.

    Parameters
    ----------
    X : data frame, array, sparse matrix or list of texts
        Numbers, categories and text; values may be missing.
    y : array-like
        Classes or numbers. Samples without a value are left out.
    target : str
        Name of y in the report.
    kinds : mapping of column to kind, or list of ColumnKind, optional
        ``"numeric"``, ``"category"``, ``"text"``, or ``"identifier"`` to leave a column out; others are detected. A
        list, as :func:`~vitalfew.data.tables.column_kinds.recognize` returns it, has the kinds of all columns, and
        nothing is detected again.
    task : {"classes", "numeric"}, optional
        By default numbers are a quantity, unless they have only two values, or at most ten, all integers.
    time_budget : float, default 60
        Seconds from the end of reading and coding the table until the facts are known. Parts that would take longer
        use fewer sizes, resamples, permutations, models or samples, or are left out, and say so. Writing the page is
        not included.
    test_size : float, default 0.25
        Share of the samples that are sealed.
    random_state : int, default 0
    n_jobs : int, optional
    progress : bool or "auto", default "auto"
    source : str, optional
        Origin of the data, shown on the page.

    Returns
    -------
    Report
        ``facts``, ``save("report.html")``, ``to_markdown()``, ``model``, ``sealed``.

    References
    ----------
    Shah & Samworth (2013), doi:10.1111/j.1467-9868.2011.01034.x. Nogueira, Sechidis & Brown (2018),
    https://jmlr.org/papers/v18/17-514.html. Jakulin & Bratko (2004), Testing the significance of attribute
    interactions, ICML. Westfall & Young (1993), Resampling-Based Multiple Testing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import report
    >>> data = load_breast_cancer(as_frame=True)
    >>> found = report(data.data.iloc[:, :6], data.target, target="benign", time_budget=5, progress=False)
    >>> found.facts["target"]["kind"], found.facts["card"]["test"]["openings"]
    ('binary', 1)
    """
    if not time_budget > 0:
        raise ValueError(f"time_budget must be a positive number of seconds, got {time_budget!r}.")
    check_is_values(y)
    clock = Clock(float(time_budget))
    table = read_study_table(X, kinds)
    values, task, known = read_target(y, task)
    if len(known) != table.n_rows:
        raise ValueError(f"X and y must have the same number of rows, got {table.n_rows} and {len(known)}.")
    n_missing = int((~known).sum())
    rows, values, n_rare = _learnable(np.flatnonzero(known), values, task, target)
    table = table.take(rows)
    is_numeric = task == "numeric"
    X_train, y_train, sealed = sealed_split(
        table.frame,
        values,
        test_size=test_size,
        stratify="auto" if not is_numeric else False,
        random_state=random_state,
    )
    train = replace(table, frame=X_train)
    with progress_bar(len(STEPS), "report", as_verbose(progress)) as bar:

        def step(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        study = Study.of(train, y_train, is_numeric, clock, int(random_state), check_threads(n_jobs))
        clock.begin()
        study.notes.extend(rows_note(n_missing, n_rare, target))
        facts, model = gather(study, sealed, table, (target, n_missing), source, n_jobs, step)
    return Report(facts, model, sealed)


def _learnable(rows, values, task: str, target: str):
    """Return the rows of classes with enough rows."""
    n_rare = 0
    if task == "classes":
        classes, label, count = np.unique(values.astype(str), return_inverse=True, return_counts=True)
        keep = count >= LEAST_ROWS
        if keep.sum() < 2:
            listed = ", ".join(f"{c!r} ({n})" for c, n in list(zip(classes.tolist(), count))[:5])
            raise ValueError(
                f"target {target!r} must have at least two classes with at least {LEAST_ROWS} rows each, got {listed}."
            )
        if len(classes) > MOST_TARGETS:
            raise ValueError(
                f"target {target!r} has {len(classes)} classes, but at most {MOST_TARGETS} are supported; "
                "is it a number (task='numeric') or an identifier?"
            )
        own = keep[label]
        n_rare = int((~own).sum())
        rows, values = rows[own], values[own]
    elif len(np.unique(values)) < 2:
        raise ValueError(f"target {target!r} has a single value; at least two are required.")
    if len(rows) < LEAST_TABLE:
        raise ValueError(f"at least {LEAST_TABLE} rows with a value of {target!r} are required, got {len(rows)}.")
    return rows, values, n_rare
