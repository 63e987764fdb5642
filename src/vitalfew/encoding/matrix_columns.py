"""Selection of the columns of a matrix by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class MatrixColumns(SelectorMixin, BaseEstimator):
    """Transformer that selects columns of a dense or sparse matrix: the first step of a model on matrices.

    Parameters
    ----------
    columns : sequence of int
        Numbers of the columns. Their order does not matter.

    Examples
    --------
    >>> from vitalfew.encoding.matrix_columns import MatrixColumns
    >>> MatrixColumns([0, 2]).fit_transform([[1, 2, 3], [4, 5, 6]])
    array([[1, 3],
           [4, 6]])
    """

    def __init__(self, columns: Sequence[int]):
        self.columns = columns

    def fit(self, X, y=None) -> Self:  # noqa: ARG002
        """Learn the number of columns."""
        validate_data(self, X, accept_sparse=True, dtype=None, ensure_all_finite=False)
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "n_features_in_")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[list(self.columns)] = True
        return mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags
