"""Scores of feature subsets by leave-one-out predictions: by the formula of the estimator, or by refitting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.utils.validation import _num_samples

from vitalfew.families.left_out import LeftOut
from vitalfew.families.loo_formulas import leave_out
from vitalfew.families.subsets.subset_scores import RefittingEvaluator, Subset
from vitalfew.rules.scoring import ClassifierPoint, LabelPoint, RegressorPoint
from vitalfew.support.deadline import check_deadline


class LeaveOneOutEvaluator(RefittingEvaluator):
    """Evaluator that predicts each row by the model fitted without it, and scores all predictions together."""

    def __init__(self, estimator: Any, X: Any, y: Any, weight: NDArray[np.float64] | None, scorer: Any, n_jobs: Any):
        rows = np.arange(_num_samples(y))
        super().__init__(estimator, X, y, weight, [(rows, rows)], scorer, n_jobs)

    def score(self, subset: Subset) -> NDArray[np.float64]:
        """Return the score of one subset, an array of one number."""
        model, X = self.model_and_columns(subset)
        check_deadline()
        weight = None if self.weight is None else np.asarray(self.weight, dtype=float)
        found = leave_out(model, X, np.asarray(self.y), weight)
        point = self._refitted(model, X, weight) if isinstance(found, str) else _point_of(found)
        return self.score_point(point, bool(subset))

    def how(self, subset: Subset) -> str:
        """Return how the samples are left out: by a formula, and whether it is exact, or by refitting."""
        model, X = self.model_and_columns(subset)
        weight = None if self.weight is None else np.asarray(self.weight, dtype=float)
        found = leave_out(model, X, np.asarray(self.y), weight)
        if isinstance(found, str):
            return f"refitted without each sample: {found}" if found else "refitted without each sample"
        return f"{found.kind}; {found.note}" if found.note else found.kind

    def score_point(self, point: Any, is_strict: bool) -> NDArray[np.float64]:
        """Return the score of stored predictions; NaN if they are constant and the scorer needs another method."""
        rows = np.arange(_num_samples(self.y))[:, None]
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return np.array([self.scorer(point, rows, self.y)], dtype=float)
        except AttributeError:
            if is_strict:
                raise
            return np.array([np.nan])

    def _refitted(self, model: Any, X: Any, weight: NDArray[np.float64] | None) -> Any:
        """Fit the model once without each row."""
        if not is_classifier(model):
            return RegressorPoint(self._left_out(model, X, weight, "predict"))
        if not hasattr(model, "predict_proba"):
            return LabelPoint(self._left_out(model, X, weight, "predict"), np.unique(np.asarray(self.y)))
        # Columns follow the sorted classes; a class that a single row has gets probability zero for it.
        return ClassifierPoint(self._left_out(model, X, weight, "predict_proba"), np.unique(np.asarray(self.y)))

    def _left_out(self, model: Any, X: Any, weight: NDArray[np.float64] | None, method: str) -> NDArray:
        params = {} if weight is None else {"sample_weight": weight}
        return cross_val_predict(clone(model), X, self.y, cv=LeaveOneOut(), method=method, params=params)


def _point_of(found: LeftOut) -> Any:
    """Return the predictions of a formula in the form that scorers call."""
    if found.probability is not None:
        return ClassifierPoint(found.probability, found.classes)
    return RegressorPoint(found.value)
