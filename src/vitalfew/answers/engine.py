"""Answer engine: from a training table to the models `few` and `best`, by one table of out-of-fold predictions."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from vitalfew.answers.choice import Choice
from vitalfew.answers.out_of_fold_table import Problem, Race
from vitalfew.answers.recipes import Candidate, Recipes
from vitalfew.answers.views import SparseView, TableView, View, WordView
from vitalfew.encoding.columns import TableColumns
from vitalfew.evaluation.plan import Plan, make_plan
from vitalfew.evaluation.table_model import TableModel
from vitalfew.families.ensembles.blend import Blend

# Share of the time for the folds; the rest is for the final models.
FOR_THE_FOLDS = 0.75
# Rows, and cells, of the table of out-of-fold predictions.
MOST_ROWS, LEAST_ROWS, MOST_CELLS = 40_000, 1000, 6e7


@dataclass(frozen=True)
class Answers:
    """Answers for a training table: the choice, and the fitted models `few` and `best`.

    Attributes
    ----------
    choice : Choice
    plan : Plan
    few : TableModel
        The model of few features.
    best : TableModel
        The model of lowest loss: a blend, or the best candidate.
    maker : ModelMaker
        Fits any other candidate on request.
    """

    choice: Choice
    plan: Plan
    few: TableModel
    best: TableModel
    maker: ModelMaker = field(repr=False)

    @property
    def baseline(self) -> float:
        """Error without features: of the most frequent class, or of the mean."""
        problem = self.choice.table.problem
        if problem.is_numeric:
            return float(np.std(problem.target))
        return float(1 - np.bincount(problem.target).max() / problem.n_rows)

    def features(self, at: int) -> list[str]:
        """Return the names of the features of a candidate, best first."""
        names = self.maker.problem.view.names
        chosen = self.maker.features(self.choice.candidate(at))
        return [str(names[j]) for j in (range(len(names)) if chosen is None else chosen)]

    def stability(self, at: int) -> dict[str, float]:
        """Return, for each feature of a candidate, the share of the folds in which its selector chose it."""
        candidate, names = self.choice.candidate(at), self.features(at)
        chosen, selector = self.maker.features(candidate), candidate.task.selector
        if chosen is None or selector is None:
            return dict.fromkeys(names, 1.0)
        rankings = [r[selector] for r in self.choice.table.rankings if selector in r]
        known = [set(r[: candidate.size].tolist()) for r in rankings]
        return {name: sum(int(j) in own for own in known) / len(known) for name, j in zip(names, chosen)}

    def fit(self, at: int) -> TableModel:
        """Fit a candidate to all training rows."""
        return self.maker.fitted(self.choice, at)


def answer(
    table: Any,
    y: NDArray,
    *,
    is_numeric: bool,
    seconds: float,
    seed: int = 0,
    threads: int = 1,
    price: float | None = None,
) -> Answers:
    """Fill the table of out-of-fold predictions within the time, and choose and fit the models.

    Parameters
    ----------
    table : StudyTable
        Columns of known kinds.
    y : ndarray
        Classes or numbers.
    is_numeric : bool
    seconds : float
    seed : int, default 0
    threads : int, default 1
        Number of recipes that are fitted at a time. The answers do not depend on it unless time runs out.
    price : float, optional
        Increase of the loss that is accepted for fewer features; one standard error by default.
    """
    start = time.perf_counter()
    classes, target = (None, y.astype(np.float64)) if is_numeric else np.unique(y, return_inverse=True)
    rows = drawn_rows(table, target, is_numeric, seed)
    view, target = view_of(table if len(rows) == len(y) else table.take(rows)), target[rows]
    problem = Problem(view, target, 0 if classes is None else len(classes), seed, max(threads, 1))
    recipes = Recipes.of(view, target, problem.n_classes, seed)
    plan = make_plan(target, is_numeric=is_numeric, seed=seed)
    left = FOR_THE_FOLDS * seconds - (time.perf_counter() - start)
    choice = Choice(Race(problem, recipes, plan.splits, left).run(), price, seed)
    maker = ModelMaker(problem, recipes, table.frame, y, rows, seconds - (time.perf_counter() - start), table.used)
    few = maker.fitted(choice, choice.few)
    best = maker.best(choice, seconds - (time.perf_counter() - start))
    return Answers(choice, plan, few, best, maker)


def drawn_rows(table: Any, target: NDArray, is_numeric: bool, seed: int) -> NDArray[np.intp]:
    """Return the rows for the table of out-of-fold predictions: all, or as many as there is memory and time for."""
    n, d = table.frame.shape
    most = min(MOST_ROWS, max(LEAST_ROWS, int(MOST_CELLS / max(d, 1))))
    if n <= most or sparse.issparse(table.frame):
        return np.arange(n)
    kept = train_test_split(np.arange(n), train_size=most, stratify=None if is_numeric else target, random_state=seed)[
        0
    ]
    return np.sort(kept)


def view_of(table: Any) -> View:
    """Return the view of a table of the report that suits its columns."""
    frame, kinds = table.frame, table.used
    if sparse.issparse(frame):
        return SparseView(frame, [c.name for c in table.kinds])
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts and len(kinds) == 1:
        return WordView.of(frame[texts[0]].tolist(), texts[0])
    return TableView.of(frame, kinds)


@dataclass
class ModelMaker:
    """Fits candidates to all training rows."""

    problem: Problem
    recipes: Recipes
    frame: Any
    y: NDArray
    rows: NDArray[np.intp]  # those of the table of out-of-fold predictions
    seconds: float = np.inf  # for a model of all rows, where these are not all
    kinds: dict[str, str] = field(default_factory=dict)  # of the columns of the frame
    _rankings: dict[str, NDArray[np.intp]] = field(default_factory=dict)

    def features(self, candidate: Candidate) -> NDArray[np.intp] | None:
        """Return the features that the selector of a candidate chooses on all training rows; None for all."""
        name = candidate.task.selector
        if name is None:
            return None
        if name not in self._rankings:
            every = np.arange(self.problem.n_rows)
            fold = self.problem.view.fold(every, every[:1])
            rank = self.recipes.selectors[name]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._rankings[name] = rank(fold, self.problem.target, self.problem.is_numeric, self.problem.seed)
        return self._rankings[name][: candidate.size]

    def unfitted(self, choice: Choice, at: int) -> TableModel:
        """Return the estimator of a candidate for whole tables."""
        candidate = choice.candidate(at)
        learner = candidate.task.learner
        pipeline = self.problem.view.pipeline(candidate.estimator, self.features(candidate), learner.form)
        return TableModel(pipeline, choice.table.temperatures[at])

    def fitted(self, choice: Choice, at: int) -> TableModel:
        """Return the candidate, fitted to all training rows."""
        task = choice.candidate(at).task
        seconds = choice.table.seconds.get(task, 0.0) / len(task.learner.settings)
        return self._fit(self.unfitted(choice, at), seconds)

    def _fit(self, model: Any, seconds: float) -> Any:
        """Fit a model that took `seconds` on a fold to all rows, or to those of the table if there is no time."""
        frame, y = self.frame, self.y
        if len(self.rows) < len(y) and 2 * seconds * len(y) / len(self.rows) > self.seconds:
            frame, y = self.sample
        with warnings.catch_warnings(), threadpool_limits(1):  # on a busy machine, threads that wait take minutes
            warnings.simplefilter("ignore")
            return model.fit(frame, y)

    @property
    def sample(self) -> tuple[Any, NDArray]:
        """Rows of the table of out-of-fold predictions."""
        frame = self.frame
        taken = frame.iloc[self.rows].reset_index(drop=True) if hasattr(frame, "iloc") else frame[self.rows]
        return taken, self.y[self.rows]

    def best(self, choice: Choice, seconds: float) -> TableModel:
        """Return the best model, fitted to all training rows; a blend without the members that there is no time for."""
        weights = _affordable(choice, seconds)
        if len(weights) == 1:
            return self.fitted(choice, next(iter(weights)))
        members = [(f"{choice.candidate(m)} ({i + 1})", self.unfitted(choice, m)) for i, m in enumerate(weights)]
        cost = sum(choice.table.seconds[choice.candidate(m).task] for m in weights)
        blend = Blend(members, weights=list(weights.values()), n_jobs=1, verbose=False)
        # The table may have more columns than those in use, and arrays have no names.
        first = [("columns", TableColumns(self.kinds))] if hasattr(self.frame, "iloc") else []
        return self._fit(TableModel(Pipeline([*first, ("model", blend)])), cost)


def _affordable(choice: Choice, seconds: float) -> dict[int, float]:
    """Return the members of the best model that can be fitted in the time, large weights first; at least one."""
    kept: dict[int, float] = {}
    for at, weight in sorted(choice.best.items(), key=lambda item: -item[1]):
        task = choice.candidate(at).task
        cost = 1.3 * choice.table.seconds[task] / len(task.learner.settings)
        if kept and cost > seconds:
            continue
        seconds -= cost
        kept[at] = weight
    return kept
