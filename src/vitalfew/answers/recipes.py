"""Recipes: a selector, a learner and a number of features. One list, to which learners and selectors are added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from vitalfew.answers import learners, selectors
from vitalfew.answers.learners import Learner
from vitalfew.answers.views import SparseView, TableView, View, WordView

SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 500)
WORD_SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000, 20_000)


@dataclass(frozen=True)
class Task:
    """Learner at a number of features, ranked by a selector; None takes all features."""

    selector: str | None
    learner: Learner
    size: int

    def __str__(self) -> str:
        if self.selector is None:
            return self.learner.name
        return f"{self.learner.name}, {self.size} features by {self.selector}"

    def __hash__(self) -> int:
        return hash((self.selector, self.learner.name, self.size))


@dataclass(frozen=True)
class Candidate:
    """Task at one setting of its learner."""

    task: Task
    setting: int

    @property
    def size(self) -> int:
        return self.task.size

    @property
    def estimator(self) -> BaseEstimator:
        return self.task.learner.settings[self.setting]

    def __str__(self) -> str:
        return str(self.task)


@dataclass(frozen=True)
class Recipes:
    """All recipes for a table."""

    selectors: dict[str, Callable[..., Any]]
    learners: list[Learner]
    sizes: tuple[int, ...]
    n_features: int
    n_rows: int
    always: str  # selector that every learner is tried with

    @classmethod
    def of(cls, view: View, target, n_classes: int, seed: int) -> Recipes:
        """Return the recipes that suit a view and its target."""
        n, d, is_numeric = len(target), len(view.names), n_classes == 0
        if isinstance(view, TableView):
            listed = (
                learners.table_regressors(n, seed) if is_numeric else learners.table_classifiers(n, n_classes, seed)
            )
            return cls(selectors.table_selectors(is_numeric), listed, SIZES, d, n, "trees")
        words: dict[str, Callable[..., Any]] = {"word scores": selectors.by_word_scores}
        if is_numeric:
            listed = learners.sparse_regressors(seed)
        elif isinstance(view, WordView):
            listed = learners.word_classifiers(n, seed)
        else:
            assert isinstance(view, SparseView)
            listed = learners.sparse_classifiers(n, bool(view.matrix.data.min(initial=0) < 0), seed)
        sizes: tuple[int, ...] = (*SIZES, 2000, 5000)
        if isinstance(view, WordView):
            words["scores of single words"] = partial(selectors.by_single_words, view.words)
            sizes = tuple(sorted({*WORD_SIZES, len(view.words)}))
        return cls(words, listed, sizes, d, n, "word scores")

    def quick(self) -> list[Task]:
        """Return the tasks that are tried first, cheap ones first."""
        return [task for learner in self.learners if learner.is_quick for task in self._tasks(learner)]

    def slow(self) -> list[Task]:
        """Return the other tasks, all features first."""
        found = [task for learner in self.learners if not learner.is_quick for task in self._tasks(learner)]
        return sorted(found, key=lambda task: task.selector is not None)

    def simplest(self) -> list[Task]:
        """Return one quick task on all features."""
        learner = next(learner for learner in self.learners if learner.is_quick)
        return [Task(None, learner, self.n_features)]

    def _tasks(self, learner: Learner) -> list[Task]:
        n = int(self.n_rows * 0.8)
        found = [Task(None, learner, self.n_features)] if learner.takes(n, self.n_features) else []
        for size in self.sizes:
            if size < self.n_features and learner.takes(n, size):
                found += [Task(name, learner, size) for name in self.selectors]
        return found
