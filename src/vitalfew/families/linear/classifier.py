"""Base class of linear classifiers: input validation, class weights, prediction and feature selection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coded_table import CodedTable
from vitalfew.families.linear.logistic_path import log_probabilities, probabilities
from vitalfew.families.linear.penalty import check_end
from vitalfew.families.path_estimator import Chosen, PathEstimator
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.support.checks import check_classes, weigh_classes

# Log odds of a class that is missing from a training fold.
NEVER = -30.0


class LinearClassifier(CodedTable, Selector, CheckedScore, ClassifierMixin, PathEstimator):
    """Base class of linear classifiers with a path over one knob.

    A family defines `_family`, and `_point` for the attributes of the chosen point other than its coefficients.
    """

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the linear predictors: the log odds of the second class, or one column per class."""
        decision = np.asarray(self._read_rows(X) @ self.coef_.T) + self.intercept_
        return decision[:, 0] if decision.shape[1] == 1 else decision

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x) for each sample and class."""
        decision = self.decision_function(X)
        return probabilities(decision[:, None] if decision.ndim == 1 else decision)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x) for each sample and class."""
        decision = self.decision_function(X)
        return log_probabilities(decision[:, None] if decision.ndim == 1 else decision)

    def predict(self, X: Any) -> NDArray:
        """Return the most probable class of each sample."""
        decision = self.decision_function(X)
        best = (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)
        return self.classes_[best]

    @property
    def support_(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self._used((self.coef_ != 0).any(axis=0))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> NumericData:
        data = self._read_coded(X, y, sample_weight, is_classification=True)
        if self.class_weight is not None:
            data = replace(data, weight=weigh_classes(self.class_weight, data.y, data.label, data.weights))
        check_classes(data.classes)
        return data

    def _attributes(self, chosen: Chosen, _data: Any) -> dict[str, Any]:
        path, index = chosen.path, chosen.index
        coef, intercept = path.at(index)
        if chosen.selection.knob == "alpha":
            check_end(path, chosen.selection, self.grid)
        of_model = {"classes_": path.classes, "coef_": coef, "intercept_": intercept}
        return {**of_model, **self._point(path, index)}

    def _point(self, path: Any, index: int) -> dict[str, Any]:
        """Return the fitted attributes of the chosen point other than its coefficients."""
        raise NotImplementedError


def present_classes(data: NumericData) -> tuple[NumericData, NDArray]:
    """Return the data restricted to the classes that occur in it, and the indices of those classes."""
    assert data.classes is not None
    present = np.unique(data.label)
    if len(present) == len(data.classes):
        return data, present
    return replace(data, target=np.searchsorted(present, data.target), classes=data.classes[present]), present


def embed_classes(coef: sparse.csr_array, intercept: NDArray, present: NDArray, n_classes: int, width: int) -> Any:
    """Return coefficients and intercepts for all classes, given those of the classes present in a fold."""
    if len(present) == n_classes and n_classes != 1:
        return coef, intercept
    points = coef.shape[0]
    if n_classes <= 2:  # a single class: its log odds are large
        sign = 1.0 if present[0] == n_classes - 1 else -1.0
        return sparse.csr_array((points, width)), np.full((points, 1), -sign * NEVER)
    outputs = np.full((points, n_classes), NEVER)
    blocks = [sparse.csr_array((points, width)) for _ in range(n_classes)]
    if len(present) == 1:
        outputs[:, present] = 0.0
    elif len(present) == 2:
        outputs[:, present[0]], outputs[:, present[1]] = 0.0, intercept[:, 0]
        blocks[present[1]] = coef
    else:
        outputs[:, present] = intercept
        for at, c in enumerate(present):
            blocks[c] = coef[:, at * width : (at + 1) * width]
    return sparse.csr_array(sparse.hstack(blocks, format="csr")), outputs
