"""Calibration of probabilities by one exponent, chosen on predictions for samples that the model has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import is_classifier

# Probabilities are kept away from 0 by this much, divided by the number of classes.
LEAST = 1e-4
# Range of the logarithm of the exponent.
RANGE = (-4.0, 4.0)


def tempered(log_probability: NDArray, exponent: float) -> NDArray[np.float64]:
    r"""Return log probabilities proportional to :math:`p^t`, normalized over the classes.

    An exponent t below 1 moves overconfident probabilities towards equality, and the class of largest probability stays
    the same (temperature scaling; Guo et al., 2017, https://proceedings.mlr.press/v70/guo17a.html).
    """
    return log_softmax(exponent * log_probability.astype(np.float64), axis=1)


def temperature(log_probability: NDArray, label: NDArray) -> float:
    """Return the exponent at which the mean log loss of held-out samples is smallest."""
    at = np.arange(len(label))
    scaled = log_probability.astype(np.float64)

    def loss(log_exponent: float) -> float:
        return float(-log_softmax(np.exp(log_exponent) * scaled, axis=1)[at, label].mean())

    found = minimize_scalar(loss, bounds=RANGE, method="bounded", options={"xatol": 1e-2})
    return float(np.exp(found.x)) if found.fun < loss(0.0) else 1.0


def scores_of(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the values of a fitted regressor, or the log probabilities of a classifier, normalized.

    Decision values of classifiers without probabilities take their place; :func:`temperature` sets their scale.
    """
    if not is_classifier(model):
        return np.asarray(model.predict(X), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return as_log(model.predict_proba(X))
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    return log_softmax(np.column_stack([-decision, decision]) if decision.ndim == 1 else decision, axis=1)


def as_log(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms of probabilities, which are kept away from zero."""
    floor = LEAST / probability.shape[1]
    return np.log(np.maximum(probability, floor) / (1 + LEAST))
