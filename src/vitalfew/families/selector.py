"""Mixins for scikit-learn estimators that validate input before its indices or offsets are used."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.tables.feature_names import validate_array
from vitalfew.data.tables.frames import as_frame
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.support.arrow import check_given


class Selector(SelectorMixin):
    """Mixin that selects the columns in `support_` of a fitted model and rejects malformed input."""

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features."""
        X = _checked(X)
        if as_frame(X) is None or nw.dependencies.is_pandas_dataframe(X):
            return super().transform(X)
        check_is_fitted(self)
        is_finite = not get_tags(self).input_tags.allow_nan
        return self._transform(validate_array(self, X, reset=False, dtype=None, ensure_all_finite=is_finite))

    def inverse_transform(self, X: Any) -> Any:
        """Return the selected features in their original positions, with zeros for all other features."""
        return super().inverse_transform(_checked(X))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_  # type: ignore[attr-defined]


class CheckedScore:
    """Mixin that checks the target and weights passed to `score`; precedes ClassifierMixin or RegressorMixin."""

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of a classifier, or the coefficient of determination R² of a regressor.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Test samples.
        y : array of shape (n_samples,)
            True classes or values.
        sample_weight : array of shape (n_samples,), optional
            Sample weights.

        Returns
        -------
        float
        """
        check_given(y, "y")
        check_given(sample_weight, "sample_weight")
        return super().score(X, y, sample_weight)  # type: ignore[misc]


def _checked(X: Any) -> Any:
    if sparse.issparse(X):
        return check_sparse(X)
    check_given(X)
    return X
