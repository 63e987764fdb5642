"""scikit-learn's selector of columns, which checks sparse matrices first."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.feature_selection import SelectorMixin

from vitalfew.data.sparse_parts import check_sparse


class Selector(SelectorMixin):
    """Columns by the mask of a fitted model. A broken sparse matrix is refused before SciPy follows its indices."""

    def transform(self, X) -> Any:
        """Reduce X to the selected features."""
        return super().transform(check_sparse(X) if sparse.issparse(X) else X)

    def inverse_transform(self, X) -> Any:
        """Return the selected features in their places, with zeros in those of the others."""
        return super().inverse_transform(check_sparse(X) if sparse.issparse(X) else X)
