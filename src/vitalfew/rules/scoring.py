"""Scores of predictions at all points of a path, by the default loss or by any scikit-learn scorer."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring


@dataclass(frozen=True)
class Scores:
    """Score of each point on one set of rows, and its standard error over the rows where the score is a mean."""

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]


class _Point(ClassifierMixin, BaseEstimator):
    """Stands in for the model at one point: scorers see its probabilities."""

    def __init__(self, classes, probability):
        self.classes = classes
        self.probability = probability

    @property
    def classes_(self):
        return self.classes

    def fit(self, _X, _y):
        """Scorers ask for it before they score; there is nothing left to fit."""
        return self

    def predict_proba(self, X):
        return self.probability[np.asarray(X).ravel()]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def score_probabilities(probability: NDArray[np.float64], data, scoring=None) -> Scores:
    """Scores of class probabilities (rows, points, classes): error rate by default, lower is better."""
    if scoring is None:
        wrong = probability.argmax(axis=2) != data.label[:, None]
        return _mean(wrong.astype(float), data.weight)
    rows = np.arange(len(probability))[:, None]
    values = []
    for p in range(probability.shape[1]):
        point = _Point(data.classes, probability[:, p])
        scorer = check_scoring(point, scoring)
        values.append(scorer(point, rows, data.y, **_weight_for(scorer, data.weight)))
    return Scores(np.array(values, dtype=float), np.full(len(values), np.nan))


def _weight_for(scorer, weight) -> dict:
    """Weights for a scorer that takes them; a plain function need not."""
    if weight is None:
        return {}
    parameters = signature(scorer).parameters.values()
    takes = any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)
    return {"sample_weight": weight} if takes else {}


def _mean(loss: NDArray[np.float64], weight) -> Scores:
    """Weighted mean of row losses and its standard error."""
    n = len(loss)
    mean = np.average(loss, axis=0, weights=weight)
    w = np.ones(n) if weight is None else weight
    spread = np.sqrt(np.sum((w[:, None] * (loss - mean)) ** 2, axis=0)) / w.sum()
    return Scores(mean, spread * np.sqrt(n / max(n - 1, 1)))
