"""Error metrics for fitted models: lower is better, whatever the sign of scikit-learn's score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer

ERROR_RATE = "error rate"
RMSE = "root mean squared error"


@dataclass(frozen=True)
class Metric:
    """An error metric, and the scikit-learn scorer it derives from."""

    label: str
    scoring: Any

    @classmethod
    def of(cls, scoring, is_classification: bool) -> Metric:
        """Return the error rate or the root mean squared error, unless `scoring` is given.

        Scores that scikit-learn negates are negated back; others, whose best value is 1, are subtracted from 1.
        """
        if scoring is None:
            return cls(ERROR_RATE if is_classification else RMSE, None)
        if not isinstance(scoring, str):
            if not callable(scoring):
                raise ValueError(
                    f"scoring must be None, the name of a scikit-learn scorer or a callable, got {scoring!r}."
                )
            return cls(f"minus {getattr(scoring, '__name__', 'score')}", scoring)
        get_scorer(scoring)
        if scoring == "accuracy":
            return cls(ERROR_RATE, scoring)
        return cls(scoring[4:].replace("_", " ") if scoring.startswith("neg_") else f"1 - {scoring}", scoring)

    def to_error(self, score: float) -> float:
        """Convert a score to the corresponding error."""
        is_negated = not isinstance(self.scoring, str) or self.scoring.startswith("neg_")
        return -score if is_negated else 1.0 - score

    def error(self, model, X, y: NDArray) -> float:
        """Compute the error of a fitted model on unseen samples."""
        if self.scoring is None:
            predicted = np.asarray(model.predict(X))
            if self.label == ERROR_RATE:
                return float(np.mean(predicted.ravel() != y))
            with np.errstate(over="ignore", invalid="ignore"):
                error = float(np.sqrt(np.mean((predicted.ravel().astype(float) - y) ** 2)))
            if not np.isfinite(error):
                raise ValueError("the model predicts values that are not finite, or whose squares overflow.")
            return error
        with np.errstate(over="ignore", invalid="ignore"):  # scores that are not finite are rejected below
            score = check_scoring(model, self.scoring)(model, X, y)
        if not np.ndim(score) == 0 or not np.isfinite(float(score)):
            raise ValueError(f"the score {self.scoring!r} must be a finite number, got {score!r}.")
        return self.to_error(float(score))


def task_of(models) -> bool | None:
    """Return True for classifiers, False for regressors, None if no model declares its type."""
    known = [m for m in models if hasattr(m, "__sklearn_tags__")]
    kinds = {is_classifier(m) for m in known if is_classifier(m) or is_regressor(m)}
    if len(kinds) == 2:
        raise ValueError(
            "the models must be all classifiers or all regressors; their errors are not comparable otherwise."
        )
    return kinds.pop() if kinds else None
