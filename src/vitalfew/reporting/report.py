"""`report`: the four questions of feature selection, answered for a table or text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vitalfew.answers.engine import Answers
from vitalfew.data.tables.column_kinds import ColumnKind, table_frame
from vitalfew.evaluation.plan import seals
from vitalfew.evaluation.sealed.sealed_split import sealed_split
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.evaluation.table_model import TableModel
from vitalfew.reporting.facts import STEPS, gather, rows_note
from vitalfew.reporting.render.html import render_html
from vitalfew.reporting.render.markdown import render_markdown
from vitalfew.reporting.study import Clock, Study
from vitalfew.reporting.summary import summary_lines, why
from vitalfew.reporting.table import LEAST_ROWS, StudyTable, read_study_table, read_target
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.checks import check_is_values, check_threads
from vitalfew.support.progress import as_verbose
from vitalfew.support.progress import progress as progress_bar
from vitalfew.support.suggest import check_names

MOST_TARGETS = 200
# Share of the rows that is sealed if they are many.
SEALED = 0.25
LEAST_TABLE = 20


@dataclass(frozen=True, repr=False)
class Report:
    """Result of :func:`report`.

    Attributes
    ----------
    facts : dict
        Everything as plain numbers and sentences; ``reporting/render/schema.json`` describes it.
    few : TableModel
        The recommended model: the fewest features whose loss is within the price of the best single model. Fitted to
        the training samples; ``clone(report.few).fit(X, y)`` fits it to all samples.
    best : estimator
        The model of lowest loss, whatever it needs: often a blend of several.
    sealed : SealedTest or None
        The test samples, used only once, to score `few`; None if the table is too small to seal a part of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew import report
    >>> data = load_iris(as_frame=True)
    >>> found = report(data.data, data.target, target="species", time_budget=5, progress=False)
    >>> "petal width (cm)" in found.features or "petal length (cm)" in found.features
    True
    """

    facts: dict[str, Any]
    few: TableModel
    best: Any
    sealed: SealedTest | None
    _answers: Answers

    @property
    def model(self) -> TableModel:
        """The recommended model, `few`."""
        return self.few

    @property
    def features(self) -> list[str]:
        """Names of the features of `few`, best first."""
        return list(self.facts["recommended"]["few"]["features"])

    @property
    def error(self) -> dict[str, Any]:
        """Error of `few` on new samples with its 95% interval: on the sealed samples, or else from the folds."""
        test = self.facts["card"]["test"]
        return {key: test[key] for key in ("metric", "error", "low", "high", "n", "baseline", "on")}

    @property
    def frontier(self) -> list[dict[str, Any]]:
        """Lowest loss at each number of features, with model, selector and error."""
        return list(self.facts["recommended"]["frontier"])

    def model_of(self, n_features: int) -> TableModel:
        """Fit the model of the frontier with this number of features to the training samples."""
        points = {point.size: point.candidate for point in self._answers.choice.frontier}
        if n_features not in points:
            raise ValueError(f"n_features must be a size of the frontier, {sorted(points)}, got {n_features!r}.")
        return self._answers.fit(points[n_features])

    def why(self, name: str) -> str:
        """Say what the report found out about a feature or a column."""
        return why(self.facts, name)

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
        return "\n".join(summary_lines(self.facts))


def report(
    X,
    y,
    *,
    target: str = "target",
    kinds: Mapping[str, str] | Sequence[ColumnKind] | None = None,
    task: str | None = None,
    time_budget: float = 60.0,
    test_size: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress="auto",
    source: str | None = None,
) -> Report:
    r"""Report how many features are needed, which are redundant, which work together, and which model suits them.

    All answers come from one table of out-of-fold predictions: for each recipe (a selector of features and a learner)
    at each number of features, the prediction for every sample by a model that never saw it, with the selection
    repeated inside each fold. Recipes that lose to others almost surely are dropped after each fold. If there are at
    least 1,000 samples, and at least 50 of the rarest class in a quarter of them, a quarter is sealed first and scores
    the recommended model once.

    1. *How many?* ``few``: the smallest number of features whose loss (log loss, or squared error) is within one
       standard error of the difference to the lowest. ``best``: the lowest loss, often by a blend of several models.
       Their error is corrected for the choice by bootstrap bias-corrected cross-validation.
    2. *Redundant?* Copies, near copies, and features that retain less than a tenth of their information given another:
       :math:`I(X_i; Y \mid X_j) \le I(X_i; Y) / 10`. Variance inflation factors of numeric features.
    3. *Together?* Pairs with positive interaction information
       :math:`I(X_i, X_j; Y) - I(X_i; Y) - I(X_j; Y)`, tested against the maximum over all pairs under permutations of
       the target; sets of three grown from them.
    4. *Which model?* Each learner with all features and with the selection that suits it best.

    The verdict is ``"useful"``, ``"weak"`` or ``"cannot tell"``. A permutation test decides whether the features carry
    any signal; it finds one in pure noise in 3% of tables.

    Parameters
    ----------
    X : data frame, array, sparse matrix or list of texts
        Numbers, categories and text; values may be missing.
    y : array-like or str
        Classes or numbers, or the name of a column of X. Samples without a value are left out.
    target : str
        Name of y in the report, if it is not a column of X.
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
    test_size : float, optional
        Share of the samples that are sealed. By default a quarter if the samples are many, otherwise none.
    random_state : int, default 0
    n_jobs : int, optional
    progress : bool or "auto", default "auto"
    source : str, optional
        Origin of the data, shown on the page.

    Returns
    -------
    Report
        ``few``, ``best``, ``features``, ``error``, ``frontier``, ``why(name)``, ``facts``, ``save("report.html")``.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis (2018), Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation, doi:10.1007/s10994-018-5714-4. Caruana et al. (2004), Ensemble selection from libraries of models,
    doi:10.1145/1015330.1015432. Shah & Samworth (2013), doi:10.1111/j.1467-9868.2011.01034.x. Nogueira, Sechidis &
    Brown (2018), https://jmlr.org/papers/v18/17-514.html. Jakulin & Bratko (2004), Testing the significance of
    attribute interactions, ICML. Westfall & Young (1993), Resampling-Based Multiple Testing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import report
    >>> data = load_breast_cancer(as_frame=True)
    >>> found = report(data.data.iloc[:, :6], data.target, target="benign", time_budget=5, progress=False)
    >>> found.facts["target"]["kind"], found.facts["verdict"], found.sealed
    ('binary', 'useful', None)
    """
    if not time_budget > 0:
        raise ValueError(f"time_budget must be a positive number of seconds, got {time_budget!r}.")
    if isinstance(y, str):
        X, y, target = _column_as_target(X, y)
    check_is_values(y)
    clock = Clock(float(time_budget))
    table = read_study_table(X, kinds)
    values, task, known = read_target(y, task)
    if len(known) != table.n_rows:
        raise ValueError(f"X and y must have the same number of rows, got {table.n_rows} and {len(known)}.")
    n_missing = int((~known).sum())
    rows, values, n_rare = _learnable(np.flatnonzero(known), values, task, target)
    table = table.take(rows)
    train, y_train, sealed = _sealed(table, values, task == "numeric", test_size, int(random_state))
    with progress_bar(len(STEPS), "report", as_verbose(progress)) as bar:

        def step(name: str) -> None:
            bar.set_postfix_str(name)
            bar.update()

        study = Study.of(train, y_train, task == "numeric", clock, int(random_state), check_threads(n_jobs))
        clock.begin()
        study.notes.extend(rows_note(n_missing, n_rare, target))
        facts, answers = gather(study, sealed, table, (target, n_missing), source, step)
    return Report(facts, answers.few, answers.best, sealed, answers)


def _column_as_target(X, name: str):
    """Return the other columns, the column of this name, and the name."""
    frame = table_frame(X)
    check_names([name], frame.columns)
    return frame.drop(name).to_native(), frame.get_column(name).to_native(), name


def _sealed(table: StudyTable, values, is_numeric: bool, test_size: float | None, seed: int):
    """Return the training table and target, and the sealed part, None if there is none."""
    if test_size is None and not seals(values, is_numeric, SEALED):
        return table, values, None
    stratify = False if is_numeric else "auto"
    size = SEALED if test_size is None else test_size
    X, y, sealed = sealed_split(table.frame, values, test_size=size, stratify=stratify, random_state=seed)
    return replace(table, frame=X), y, sealed


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
