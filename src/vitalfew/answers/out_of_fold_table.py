"""Table of out-of-fold predictions: for every candidate and training row, by models that never saw the row."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from vitalfew.answers.recipes import Candidate, Recipes, Task
from vitalfew.answers.views import FoldView, View
from vitalfew.evaluation.calibration import temperature, tempered
from vitalfew.exceptions import TimeBudgetError
from vitalfew.support.deadline import Inheriting, deadline

# Shares of the time for the first fold, and of that time for quick learners.
FIRST_FOLD, QUICK_PART = 0.4, 0.5
# Bootstrap draws of the race, and the probability of losing at which a task is dropped.
N_DRAWS, LOST = 200, 0.99
# Selectors that a learner is tried with in the first fold, unless it is quick.
MOST_SELECTORS = 2
TOO_LONG = "the ranking takes too long"


@dataclass(frozen=True)
class Problem:
    """Training samples: a view of the table, and class codes or numbers."""

    view: View
    target: NDArray
    n_classes: int  # 0 for a numeric target
    seed: int = 0
    threads: int = 1

    @property
    def is_numeric(self) -> bool:
        return self.n_classes == 0

    @property
    def n_rows(self) -> int:
        return len(self.target)


@dataclass(frozen=True)
class OutOfFoldTable:
    """Out-of-fold predictions of all candidates that took part in every fold.

    Attributes
    ----------
    rows : ndarray
        Training rows that have predictions: all, unless time ran out.
    predictions : dict of Candidate to ndarray
        Values (rows,), or log probabilities (rows, classes).
    seconds : dict of Task to float
        Time of one fold.
    not_run : dict of str to str
        What was left out for lack of time or because it failed, and why.
    """

    problem: Problem
    rows: NDArray[np.intp]
    predictions: dict[Candidate, NDArray[np.float32]] = field(repr=False)
    seconds: dict[Task, float] = field(repr=False)
    not_run: dict[str, str]
    n_dropped: int = 0
    rankings: list[dict[str, NDArray[np.intp]]] = field(default_factory=list, repr=False)  # of each fold

    @property
    def is_complete(self) -> bool:
        """True if nothing was left out for lack of time."""
        return not any(why.startswith(("no time", "a fold takes", TOO_LONG)) for why in self.not_run.values())

    @cached_property
    def candidates(self) -> list[Candidate]:
        return list(self.predictions)

    @cached_property
    def target(self) -> NDArray:
        return self.problem.target[self.rows]

    @cached_property
    def temperatures(self) -> list[float]:
        """Exponent of the probabilities of each candidate at which its log loss is smallest."""
        if self.problem.is_numeric:
            return [1.0] * len(self.candidates)
        return [temperature(found, self.target) for found in self.predictions.values()]

    @cached_property
    def loss(self) -> NDArray[np.float64]:
        """Proper loss of each row and candidate: log loss with calibrated probabilities, or squared error."""
        found = zip(self.predictions.values(), self.temperatures)
        return np.column_stack([row_loss(p, self.target, t) for p, t in found])

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """Error of each row and candidate: 1 for a wrong class, or the squared error."""
        if self.problem.is_numeric:
            return self.loss
        return np.column_stack([p.argmax(axis=1) != self.target for p in self.predictions.values()]).astype(np.float64)


def row_loss(prediction: NDArray, target: NDArray, t: float = 1.0) -> NDArray[np.float64]:
    """Return the squared error of values, or the log loss of tempered log probabilities, of each row."""
    if prediction.ndim == 1:
        return (prediction.astype(np.float64) - target) ** 2
    return -tempered(prediction, t)[np.arange(len(target)), target]


class Race:
    """Folds of a table, after each of which hopeless tasks leave."""

    def __init__(self, problem: Problem, recipes: Recipes, splits: Sequence[tuple[NDArray, NDArray]], seconds: float):
        self.problem, self.recipes, self.splits = problem, recipes, list(splits)
        self.seconds, self.start = seconds, time.perf_counter()
        self.found: dict[Task, list[list[NDArray[np.float32]]]] = {}  # by fold, then by setting
        self.cost: dict[Task, float] = {}
        self.not_run: dict[str, str] = {}
        self.n_dropped = 0
        self.rankings: list[dict[str, NDArray[np.intp]]] = []

    def run(self) -> OutOfFoldTable:
        """Run the folds and return the table."""
        # Filters of warnings belong to the process, so that threads cannot set their own.
        with warnings.catch_warnings(), ThreadPoolExecutor(self.problem.threads, initializer=_one_thread) as pool:
            warnings.simplefilter("ignore")
            try:
                return self._table(self._run_folds(pool))
            except BaseException:  # Ctrl-C must not wait for the tasks in the queue
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _run_folds(self, pool) -> int:
        """Run as many folds as there is time for, and return their number."""
        self._first_fold(pool)
        for f in range(1, len(self.splits)):
            alive = self._survivors(f)
            with deadline(max(self._left, 0.0)):
                if not self._run(pool, f, alive):
                    return f
        return len(self.splits)

    @property
    def _left(self) -> float:
        return self.seconds - (time.perf_counter() - self.start)

    def _first_fold(self, pool) -> None:
        """Run all quick tasks, then the others with the selectors that the quick ones prefer."""
        quick, slow = self.recipes.quick(), self.recipes.slow()
        limit = FIRST_FOLD * self.seconds
        with deadline(limit * QUICK_PART):
            self._run(pool, 0, quick)
        chosen = list(self._with_best_selectors(slow))
        with deadline(max(limit - (self.seconds - self._left), limit * (1 - QUICK_PART))):
            self._run(pool, 0, chosen)
        if not self.found:  # there is always a model, however little time there is
            self._run(pool, 0, self.recipes.simplest())
        if not self.found:
            raise ValueError(f"no model could be fitted: {next(iter(self.not_run.items()), 'the table is empty')}.")

    def _with_best_selectors(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield tasks of all features, then those with the selectors of lowest loss at their size so far."""
        tasks = list(tasks)
        yield from (task for task in tasks if task.selector is None)
        best: dict[int, list[str]] = {}
        for task in sorted(self.found, key=self._mean_loss):
            names = best.setdefault(task.size, [])
            if task.selector is not None and task.selector not in names:
                names.append(task.selector)
        for task in tasks:
            if task.selector in {self.recipes.always, *best.get(task.size, [])[: MOST_SELECTORS - 1]}:
                yield task

    def _run(self, pool, f: int, tasks: Sequence[Task]) -> bool:
        """Run one fold of these tasks; return True if all of them were run."""
        train, test = self.splits[f]
        fold = self.problem.view.fold(train, test)
        target = self.problem.target[train]
        rankings = self._rankings(pool, f, fold, target, tasks)
        work = Inheriting(lambda task: self._one(fold, target, task, rankings.get(task.selector)))
        complete = True
        for task, (scores, seconds, why) in zip(tasks, pool.map(work, tasks)):
            if scores is None:
                complete = complete and why != "time"
                self._leave_out(task, why)
                continue
            self.found.setdefault(task, []).append(scores)
            self.cost[task] = max(seconds, self.cost.get(task, 0.0))
        return complete

    def _rankings(self, pool, f: int, fold: FoldView, target: NDArray, tasks: Sequence[Task]) -> dict[str, NDArray]:
        """Return the rankings that the tasks need; each is computed once in a fold."""
        if f == len(self.rankings):
            self.rankings.append({})
        known = self.rankings[f]
        named = (task.selector for task in tasks if task.selector is not None)
        names = [name for name in dict.fromkeys(named) if name not in known]
        rank = Inheriting(lambda name: self._rank(fold, target, name))
        known |= {name: found for name, found in zip(names, pool.map(rank, names)) if found is not None}
        return known

    def _rank(self, fold: FoldView, target: NDArray, name: str) -> NDArray[np.intp] | None:
        try:
            return self.recipes.selectors[name](fold, target, self.problem.is_numeric, self.problem.seed)
        except TimeBudgetError:
            self.not_run[f"features by {name}"] = TOO_LONG
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as problem:
            self.not_run[f"features by {name}"] = f"failed: {problem}"
        return None

    def _one(self, fold: FoldView, target: NDArray, task: Task, ranking) -> tuple[Any, float, str]:
        """Fit a task to a fold: predictions of all settings, the time it took, and why there are none."""
        began = time.perf_counter()
        features = None
        if task.selector is not None:
            if ranking is None and self.not_run.get(f"features by {task.selector}") == TOO_LONG:
                return None, 0.0, "time"
            if ranking is None or len(ranking) < task.size:
                return None, 0.0, "no ranking"
            features = ranking[: task.size]
        try:
            form = task.learner.form
            train, test = fold.parts(form, features)
            adapt = partial(self.problem.view.adapted, features=features, kind=form)
            scores = [s.astype(np.float32) for s in task.learner.scores(train, target, test, adapt)]
        except TimeBudgetError:
            return None, 0.0, "time"
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as problem:
            return None, 0.0, f"failed: {problem}"
        return scores, time.perf_counter() - began, ""

    def _leave_out(self, task: Task, why: str) -> None:
        if why != "time":  # otherwise the folds that it finished count
            self.found.pop(task, None)
        if why != "no ranking":
            self.not_run[str(task)] = "no time left" if why == "time" else why

    def _losses(self, task: Task) -> NDArray[np.float64]:
        """Return the losses of the best setting in the folds so far."""
        folds = self.found[task]
        target = self.problem.target[np.concatenate([test for _, test in self.splits[: len(folds)]])]
        each = []
        for parts in zip(*folds):
            scores = np.concatenate(parts)
            t = 1.0 if scores.ndim == 1 else temperature(scores, target)
            each.append(row_loss(scores, target, t))
        return min(each, key=np.mean)

    def _mean_loss(self, task: Task) -> float:
        return float(self._losses(task).mean())

    def _survivors(self, f: int) -> list[Task]:
        """Drop the tasks that lose almost surely, and those that there is no time for; return the others."""
        tasks = [task for task, folds in self.found.items() if len(folds) == f]
        loss = np.column_stack([self._losses(task) for task in tasks])
        size = np.array([task.size for task in tasks])
        mean = loss.mean(axis=0)
        draws = np.random.default_rng([self.problem.seed, f]).multinomial(
            len(loss), np.full(len(loss), 1 / len(loss)), N_DRAWS
        )
        drawn = draws @ loss
        to_best = _loses(drawn, int(mean.argmin()))
        to_own = np.zeros(len(tasks))
        for k in np.unique(size):
            at = np.flatnonzero(size == k)
            to_own[at] = _loses(drawn[:, at], int(mean[at].argmin()))
        stays = ~((to_best > LOST) & (to_own > LOST))
        alive = self._affordable([tasks[i] for i in np.argsort(mean) if stays[i]], len(self.splits) - f)
        self.n_dropped += int((~stays).sum())
        for task in set(tasks) - set(alive):
            del self.found[task]
        return alive

    def _affordable(self, tasks: list[Task], n_folds: int) -> list[Task]:
        """Return the tasks that fit into the remaining time, the best of each size and learner first."""
        left = 0.85 * self._left * self.problem.threads / n_folds
        firsts: list[Task] = []
        for kind in (lambda t: t.size, lambda t: t.learner.name):
            seen: set[Any] = set()
            for task in tasks:
                if kind(task) not in seen:
                    seen.add(kind(task))
                    firsts.append(task)
        kept: list[Task] = []
        for task in dict.fromkeys([tasks[0], *firsts, *tasks]):
            if kept and self.cost[task] > left:
                self.not_run[str(task)] = f"a fold takes {self.cost[task]:.2g} s"
                continue
            kept.append(task)
            left -= self.cost[task]
        return sorted(kept, key=lambda task: -self.cost[task])  # long ones first, so that threads end together

    def _table(self, n_folds: int) -> OutOfFoldTable:
        rows = np.concatenate([test for _, test in self.splits[:n_folds]] or [np.empty(0, dtype=np.intp)])
        order = np.argsort(rows, kind="stable")
        predictions = {}
        for task, folds in self.found.items():
            if len(folds) < n_folds:
                continue
            for setting, parts in enumerate(zip(*folds[:n_folds])):
                predictions[Candidate(task, setting)] = np.concatenate(parts)[order]
        return OutOfFoldTable(
            self.problem, rows[order], predictions, self.cost, self.not_run, self.n_dropped, self.rankings[:n_folds]
        )


def _loses(drawn: NDArray[np.float64], best: int) -> NDArray[np.float64]:
    """Return the share of draws in which each column is worse than the best one."""
    return (drawn > drawn[:, [best]]).mean(axis=0)


def _one_thread() -> None:
    threadpool_limits(1)
