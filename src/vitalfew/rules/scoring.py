"""Scores of predictions at all points of a path, by the path's own loss or by any scikit-learn scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring


@dataclass(frozen=True)
class PointScores:
    """Score of each point on one set of samples, and its standard error where the score is a mean over samples."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]


class _Stored(BaseEstimator):
    """Stand-in for a fitted model, which gives scorers its stored predictions for rows given by their number."""

    def __init__(self, prediction: Any, classes: Any = None):
        self.prediction = prediction
        self.classes = classes

    @property
    def classes_(self) -> NDArray:
        return self.classes

    def fit(self, _X: Any, _y: Any) -> Self:
        """Return self: scorers require `fit`, but there is nothing left to fit."""
        return self

    def predict(self, X: Any) -> NDArray:
        return self.prediction[np.asarray(X).ravel()]


class ClassifierPoint(ClassifierMixin, _Stored):
    """Stored class probabilities."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return super().predict(X)

    def predict(self, X: Any) -> NDArray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class LabelPoint(ClassifierMixin, _Stored):
    """Stored labels of a classifier without probabilities."""


class RegressorPoint(RegressorMixin, _Stored):
    """Stored predictions of a regressor."""


def _error(prediction: NDArray[np.float64], data: Any) -> NDArray[np.float64]:
    return (prediction.argmax(axis=2) != data.label[:, None]).astype(float)


def _log_loss(prediction: NDArray[np.float64], data: Any) -> NDArray[np.float64]:
    own = np.take_along_axis(prediction, data.label[:, None, None].astype(np.intp), axis=2)[:, :, 0]
    return -np.log(np.maximum(own, np.finfo(float).tiny))


def _squared_error(prediction: NDArray[np.float64], data: Any) -> NDArray[np.float64]:
    return (prediction - data.y[:, None]) ** 2


# Loss of each sample at each point: (samples, points). A path names its loss; a scorer given by the user replaces it.
LOSSES: dict[str, Callable] = {"error": _error, "log_loss": _log_loss, "squared_error": _squared_error}


@dataclass(frozen=True)
class Targets:
    """Targets and weights of the samples to score."""

    y: NDArray
    label: NDArray
    weight: NDArray[np.float64] | None
    classes: NDArray | None

    @classmethod
    def of(cls, data: Any, rows: NDArray[np.intp]) -> Targets:
        """Return the targets of some rows of `data`."""
        weight = None if data.weight is None else data.weight[rows]
        return cls(data.y[rows], data.label[rows], weight, data.classes)


def loss_of(path: Any) -> str:
    """Return the name of the loss that a path is scored by."""
    return getattr(path, "loss", "error")


def score(path: Any, tested: Any, scoring: Any = None) -> PointScores:
    """Score a path on samples it has not seen, or on a summary of them if the path supports that."""
    if scoring is None and hasattr(path, "default_scores"):
        return path.default_scores(tested)
    return score_predictions(path.predict(tested), tested, loss_of(path), scoring)


def score_predictions(prediction: NDArray[np.float64], data: Any, loss: str, scoring: Any = None) -> PointScores:
    """Score predictions (samples, points[, classes]) by mean loss, lower is better, unless `scoring` is given."""
    if scoring is None:
        return mean_loss(LOSSES[loss](prediction, data), data.weight)
    rows = np.arange(len(prediction))[:, None]
    values = []
    for p in range(prediction.shape[1]):
        at = prediction[:, p]
        point = ClassifierPoint(at, data.classes) if prediction.ndim == 3 else RegressorPoint(at)
        scorer = check_scoring(point, scoring)
        values.append(scorer(point, rows, data.y, **weights_for(scorer, data.weight)))
    return PointScores(np.array(values, dtype=float), np.full(len(values), np.nan))


def weights_for(scorer: Any, weight: NDArray[np.float64] | None) -> dict:
    """Return the weights as keyword arguments if the scorer accepts them; a plain function may not."""
    if weight is None:
        return {}
    parameters = signature(scorer).parameters.values()
    takes = any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)
    return {"sample_weight": weight} if takes else {}


def mean_loss(loss: NDArray[np.float64], weight: NDArray[np.float64] | None) -> PointScores:
    """Compute the weighted mean of sample losses and its standard error."""
    n = len(loss)
    w = np.ones(n) if weight is None else weight
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(loss, axis=0, weights=weight)
        spread = root_sum_of_squares(w[:, None] * (loss - mean)) / w.sum()
    return PointScores(mean, spread * np.sqrt(n / max(n - 1, 1)))


def deviation(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the standard deviation of each column, without a warning if values are very large or not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        plain = values.std(axis=0, ddof=1)
        if not np.isinf(plain).any():
            return plain
        scaled = root_sum_of_squares(values - values.mean(axis=0)) / np.sqrt(len(values) - 1)
        return np.where(np.isinf(plain), scaled, plain)


def root_sum_of_squares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the norm of each column, even if the squares overflow and the norm does not."""
    with np.errstate(over="ignore", invalid="ignore"):
        plain = np.sqrt(np.sum(values**2, axis=0))
        largest = np.abs(values).max(axis=0, initial=0.0)
        is_lost = np.isinf(plain) & np.isfinite(largest)
        if not is_lost.any():
            return plain
        scale = np.where(is_lost, largest, 1.0)
        return np.where(is_lost, scale * np.sqrt(np.sum((values / scale) ** 2, axis=0)), plain)
