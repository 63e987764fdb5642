"""Estimator for whole tables that reads a few of their columns: what a report recommends."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.tables.frames import NumberedNames
from vitalfew.encoding.columns import TableColumns
from vitalfew.evaluation.calibration import scores_of, tempered


class TableModel(BaseEstimator):
    """Pipeline that reads chosen columns of a table, with calibrated probabilities.

    Parameters
    ----------
    pipeline : Pipeline
        Unfitted pipeline that selects its columns, encodes them and fits a model.
    exponent : float, default 1.0
        Exponent of the probabilities, see :func:`~vitalfew.evaluation.calibration.tempered`.

    Attributes
    ----------
    pipeline_ : Pipeline
        The fitted pipeline.
    support_ : ndarray of bool, shape (n_features_in_,)
        Mask of the columns of the table that the model reads.
    classes_ : ndarray
        Classes, if it is a classifier.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import Pipeline
    >>> from vitalfew import NaiveBayes
    >>> from vitalfew.evaluation.table_model import TableModel
    >>> from vitalfew.encoding.columns import TableColumns
    >>> table = pd.DataFrame({"age": [31.0, 45.0, 28.0, 50.0], "color": ["red", "blue", "red", "blue"]})
    >>> model = TableModel(Pipeline([("columns", TableColumns({"color": "category"})), ("model", NaiveBayes())]))
    >>> model.fit(table, ["a", "b", "a", "b"]).support_
    array([False,  True])
    >>> model.predict(table).tolist()
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, pipeline: Pipeline, exponent: float = 1.0):
        self.pipeline = pipeline
        self.exponent = exponent

    def fit(self, X, y) -> Self:
        """Fit the pipeline to the chosen columns."""
        X = _as_table(X)
        fitted = clone(self.pipeline).fit(X, y)
        self.n_features_in_ = X.shape[1]
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        self.support_ = self._mask(fitted)
        self.pipeline_ = fitted
        if is_classifier(fitted):
            self.classes_ = fitted.classes_
        return self

    def predict(self, X) -> NDArray:
        """Return the class of largest probability, or the value, for each row."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)] if is_classifier(self.pipeline_) else scores

    @available_if(lambda self: is_classifier(self))
    def predict_proba(self, X) -> NDArray[np.float64]:
        """Return calibrated probabilities of the classes."""
        return np.exp(tempered(self._scores(X), self.exponent))

    def get_support(self, indices: bool = False) -> NDArray:
        """Return the mask of the columns that the model reads, or their numbers."""
        check_is_fitted(self)
        return np.flatnonzero(self.support_) if indices else self.support_

    @property
    def columns_(self) -> list[str]:
        """Names of the columns that the model reads."""
        used = self.get_support(indices=True)
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" if names is None else str(names[j]) for j in used]

    def _scores(self, X) -> NDArray[np.float64]:
        check_is_fitted(self)
        return scores_of(self.pipeline_, _as_table(X) if hasattr(self, "feature_names_in_") else X)

    def _mask(self, fitted: Pipeline) -> NDArray[np.bool_]:
        first = fitted.steps[0][1]
        if isinstance(first, TableColumns):
            return np.isin(self.feature_names_in_, list(first.kinds))
        return first.get_support() if isinstance(first, SelectorMixin) else np.ones(self.n_features_in_, dtype=bool)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.pipeline)
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.target_tags = inner.regressor_tags, inner.target_tags
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _as_table(X) -> Any:
    """Return arrays as data frames with numbered names, as reports do; tables and sparse matrices stay as they are."""
    if not isinstance(X, np.ndarray | list):
        return X
    import pandas as pd

    values = np.asarray(X)
    if values.ndim == 1:
        return pd.DataFrame({"text": values.astype(object)})
    return pd.DataFrame(values, columns=list(NumberedNames(values.shape[1]))).infer_objects()
