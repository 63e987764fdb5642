"""Scoring on a sealed test set: predictions computed once, then the score, the error and its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, confusion_matrix, r2_score

from vitalfew.data.samples.numeric_data import check_squares
from vitalfew.evaluation.indexing import n_rows, take
from vitalfew.evaluation.intervals import bootstrap, effective_rows, of_mean, wilson
from vitalfew.evaluation.metrics import ERROR_RATE, Metric, task_of
from vitalfew.evaluation.prediction_count import PredictionCount
from vitalfew.rules.scoring import weights_for

# Bootstrap draws for scoring functions that take the model and the samples, which predict anew each time.
FEW_DRAWS = 200
# Maximum number of classes for a confusion matrix.
MOST_CLASSES = 100


@dataclass(frozen=True)
class Judgment:
    """A score, the corresponding error, a confidence interval of the error, and the confusion matrix."""

    value: float
    error: float
    low: float
    high: float
    metric: str
    classes: list | None = None
    confusion: list[list[int]] | None = None
    calls: int | None = None
    predictions: int | None = None


def judge(model, X, y: NDArray, weight, groups, scoring, opened: Callable[[], None]) -> Judgment:
    """Score a fitted model. `opened` is called just before the labels are first used."""
    is_classification = task_of([model])
    metric = Metric.of(scoring, bool(is_classification))
    if scoring is not None:
        return _by_scorer(model, X, y, weight, groups, metric, opened)
    if not is_classification and y.dtype.kind == "f":
        check_squares(y.astype(float))
    predicted = np.asarray(model.predict(X))
    if predicted.shape not in ((n_rows(X),), (n_rows(X), 1)):
        raise ValueError(f"expected {n_rows(X)} predictions, one per row, got an array of shape {predicted.shape}.")
    predicted = predicted.ravel()
    if is_classification:
        _check_classes(model, y)
    elif y.dtype.kind not in "fiub":
        raise ValueError("the test set has class labels, but the model predicts numbers; score a classifier.")
    opened()
    if is_classification:
        return replace(_error_rate(predicted != y, weight, groups), **_counted(model, predicted, y))
    return _squared(predicted.astype(float), y.astype(float), weight, groups)


def _check_classes(model, y: NDArray) -> None:
    classes = getattr(model, "classes_", None)
    if isinstance(classes, np.ndarray) and not np.isin(y.astype(str), classes.astype(str)).any():
        raise ValueError(
            f"none of the classes of the model, {classes[:5].tolist()}, is a label of the test set; fit it "
            "on the training rows of the same split, with the labels that the split returned."
        )


def _counted(model, predicted: NDArray, y: NDArray) -> dict[str, Any]:
    """Return the classes and the confusion matrix (true classes in rows); empty for very many classes."""
    known = getattr(model, "classes_", None)
    parts = [y, predicted, *([known] if isinstance(known, np.ndarray) and known.ndim == 1 else [])]
    if len({part.dtype.kind in "biuf" for part in parts}) > 1:  # numbers and strings are never the same class
        return {}
    classes = np.unique(np.concatenate(parts))
    if len(classes) > MOST_CLASSES:
        return {}
    return {"classes": classes.tolist(), "confusion": confusion_matrix(y, predicted, labels=classes).tolist()}


def _error_rate(is_wrong: NDArray[np.bool_], weight, groups) -> Judgment:
    w = np.ones(len(is_wrong)) if weight is None else weight
    error = float(np.average(is_wrong, weights=w))
    if groups is None:
        low, high = wilson(error, effective_rows(w))
    else:
        low, high = bootstrap(lambda rows: float(np.average(is_wrong[rows], weights=w[rows])), len(w), groups)
    return Judgment(1.0 - error, error, low, high, ERROR_RATE)


@np.errstate(over="ignore", invalid="ignore")
def _squared(predicted: NDArray, y: NDArray, weight, groups) -> Judgment:
    loss = (predicted - y) ** 2
    w = np.ones(len(y)) if weight is None else weight
    error = float(np.sqrt(np.average(loss, weights=w)))
    if groups is None:
        low, high = np.sqrt(of_mean(loss, weight))
    else:
        low, high = bootstrap(lambda rows: float(np.sqrt(np.average(loss[rows], weights=w[rows]))), len(y), groups)
    value = float(r2_score(y, predicted, sample_weight=weight)) if len(y) > 1 else np.nan
    return Judgment(value, error, float(low), float(high), Metric.of(None, False).label)


class _Answers(BaseEstimator):
    """Stand-in for a model with cached predictions for the test samples, which are requested by index."""

    def __init__(self, model, X):
        self.model, self.X = model, X
        self.known: dict[str, NDArray] = {}

    def fit(self, _X, _y):
        """Do nothing: the model is fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __getattr__(self, name: str):
        if name.startswith("__") or name in ("model", "X", "known"):
            raise AttributeError(name)
        if name not in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            return getattr(self.model, name)
        answer = getattr(self.model, name)

        def answered(rows):
            if name not in self.known:
                self.known[name] = np.asarray(answer(self.X))
            return self.known[name][np.asarray(rows).ravel()]

        answered.__name__ = name  # scikit-learn reads this name
        return answered


class _ClassAnswers(ClassifierMixin, _Answers):
    pass


class _NumberAnswers(RegressorMixin, _Answers):
    pass


def _by_scorer(model, X, y: NDArray, weight, groups, metric: Metric, opened: Callable[[], None]) -> Judgment:
    """Score with scikit-learn's scorers on cached predictions; other functions get the model and the samples."""
    scorer: Any = check_scoring(model, metric.scoring) if isinstance(metric.scoring, str) else metric.scoring
    if isinstance(metric.scoring, str) and task_of([model]) is not None:
        shown: Any = (_ClassAnswers if task_of([model]) else _NumberAnswers)(model, X)
        pick: Callable[[NDArray], Any] = lambda rows: rows[:, None]  # noqa: E731
        n_draws = 1000
    else:
        shown, pick, n_draws = model, lambda rows: take(X, rows), FEW_DRAWS

    count = PredictionCount()

    def score(rows: NDArray[np.intp]) -> float:
        weights = weights_for(scorer, None if weight is None else weight[rows])
        arguments = (shown, pick(rows), y[rows])
        found = count.watch(scorer, *arguments, **weights) if shown is model else scorer(*arguments, **weights)
        return float(found)

    opened()
    value = score(np.arange(len(y)))
    error = metric.to_error(value)
    if metric.label == ERROR_RATE and groups is None:
        low, high = wilson(error, effective_rows(np.ones(len(y)) if weight is None else weight))
    else:
        low, high = bootstrap(lambda rows: metric.to_error(score(rows)), len(y), groups, n_draws=n_draws)
    counted = _counted(model, shown.predict(np.arange(len(y))), y) if isinstance(shown, _ClassAnswers) else {}
    if shown is model:
        counted |= {"calls": count.calls, "predictions": count.predictions}
    return Judgment(value, error, low, high, metric.label, **counted)
