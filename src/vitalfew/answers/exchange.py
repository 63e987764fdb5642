"""Worth of the features of the recommended model: held-out error without each, and with the best substitute."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from vitalfew.answers.choice import Choice
from vitalfew.answers.engine import Answers
from vitalfew.answers.out_of_fold_table import row_loss
from vitalfew.answers.selectors import coarse_codes
from vitalfew.answers.views import TableView
from vitalfew.evaluation.calibration import temperature
from vitalfew.exceptions import TimeBudgetError
from vitalfew.summaries.information import information
from vitalfew.support.deadline import check_deadline

# Features of a larger model are not exchanged one by one.
MOST_FEATURES = 20


@dataclass(frozen=True)
class Exchange:
    """Feature of the recommended model, with the rise of the error without it and with its best substitute.

    A rise is the difference of two out-of-fold errors of the same learner on the same folds. `is_clear` is True if the
    loss without the feature is higher by more than two standard errors, and `is_clear_exchange` the same for the
    substitute.
    """

    feature: str
    without: float
    is_clear: bool
    substitute: str | None = None
    exchanged: float | None = None
    is_clear_exchange: bool | None = None


def exchanges(answers: Answers) -> list[Exchange]:
    """Drop and replace each feature of `few`; stop at the deadline with those found so far."""
    choice = answers.choice
    view = answers.maker.problem.view
    if not isinstance(view, TableView) or not 1 < choice.candidate(choice.few).size <= MOST_FEATURES:
        return []
    kept = answers.maker.features(choice.candidate(choice.few))
    kept = np.arange(len(view.names)) if kept is None else kept
    found: list[Exchange] = []
    with warnings.catch_warnings(), threadpool_limits(1), suppress(TimeBudgetError):
        warnings.simplefilter("ignore")
        whole = _Fitted.of(answers, kept)
        found.extend(_exchange(answers, view, whole, kept, j) for j in kept.tolist())
    return found


@dataclass(frozen=True)
class _Fitted:
    """Loss and error of each row, left out of its fold."""

    loss: NDArray[np.float64]
    error: NDArray[np.float64]

    @classmethod
    def of(cls, answers: Answers, features: NDArray[np.intp]) -> _Fitted:
        choice, problem = answers.choice, answers.maker.problem
        candidate = choice.candidate(choice.few)
        rows, scores = [], []
        for train, test in answers.plan.splits:
            check_deadline()
            form = candidate.task.learner.form
            parts = problem.view.fold(train, test).parts(form, features)
            adapt = partial(problem.view.adapted, features=features, kind=form)
            found = candidate.task.learner.scores(parts[0], problem.target[train], parts[1], adapt)[candidate.setting]
            rows.append(test)
            scores.append(found)
        target, score = problem.target[np.concatenate(rows)], np.concatenate(scores)
        if problem.is_numeric:
            return cls(row_loss(score, target), (score - target) ** 2)
        loss = row_loss(score, target, temperature(score, target))
        return cls(loss, (score.argmax(axis=1) != target).astype(np.float64))

    def rise(self, before: _Fitted, choice: Choice) -> tuple[float, bool]:
        """Return the rise of the error, and whether that of the loss is clear."""
        more = self.loss - before.loss
        is_clear = bool(more.mean() > 2 * more.std() / np.sqrt(len(more)))
        a, b = self.error.mean(), before.error.mean()
        return float(np.sqrt(a) - np.sqrt(b) if choice.table.problem.is_numeric else a - b), is_clear


def _exchange(answers: Answers, view: TableView, whole: _Fitted, kept: NDArray[np.intp], j: int) -> Exchange:
    choice = answers.choice
    rest = kept[kept != j]
    without, is_clear = _Fitted.of(answers, rest).rise(whole, choice)
    name = str(view.names[j])
    other = _substitute(view, kept, j)
    if other is None:
        return Exchange(name, without, is_clear)
    exchanged, clear = _Fitted.of(answers, np.append(rest, other)).rise(whole, choice)
    return Exchange(name, without, is_clear, str(view.names[other]), exchanged, clear)


def _substitute(view: TableView, kept: NDArray[np.intp], j: int) -> int | None:
    """Return the feature outside the model that shares most information with feature j; None if none shares any."""
    every = np.arange(len(view.coded))
    codes = coarse_codes(view.fold(every, every[:1]))
    own = codes.codes[:, j].astype(np.int32)
    found = information(codes.count(own, None, int(own.max()) + 1, 1), codes.offsets)
    shared = found.corrected().mutual.copy()
    shared[kept] = -np.inf
    best = int(shared.argmax())
    return best if np.isfinite(shared[best]) and shared[best] > 0 else None
