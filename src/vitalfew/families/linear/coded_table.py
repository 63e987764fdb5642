"""Mixin of models on numbers that read tables: categories and missing values are coded, also in new data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.frames import NumberedNames, tag_tables
from vitalfew.data.tables.matrix import Matrix, read_matrix, read_numbers
from vitalfew.families.left_out import APPROXIMATE, LeftOut
from vitalfew.families.linear.feature_groups import check_groups
from vitalfew.support.checks import check_threads


class CodedTable:
    """Mixin of estimators on numbers that code tables with categories and missing values.

    `fit` learns the coding from all its rows, without the target, before any fold is split off, and predictions apply
    it. Coefficients belong to the coded columns, and everything about features to the columns of the table.
    """

    n_jobs: int | None
    n_features_in_: int
    # None if the model was fitted to a sparse matrix, or saved by a version without coding.
    _coder: NumberCoder | None = None

    @property
    def coef_names_(self) -> NDArray:
        """Names of the columns that `coef_` (of kernels, `X_fit_`) refers to: those of X, or of its coding.

        A number with missing values has the columns ``age`` and ``age is missing``, a category ``color=red``,
        ``color=blue`` and, if it has missing values, ``color is missing``.
        """
        check_is_fitted(self)
        coder = self._coder
        names = getattr(self, "feature_names_in_", NumberedNames(self.n_features_in_))
        return np.array(list(names if coder is None or coder.is_plain else coder.coded_names), dtype=object)

    def _read_coded(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, is_classification: bool = False, reset: bool = True
    ) -> NumericData:
        """Read and check samples; learn the coding of their columns if `reset`."""
        data, coder = NumericData.read_coded(
            X,
            y,
            sample_weight,
            coder=None if reset else self._coder,
            is_classification=is_classification,
            threads=check_threads(self.n_jobs),
        )
        check_features(self, X, reset=reset)
        if reset:
            self._coder = coder
        return data

    def _read_rows(self, X: Any) -> Matrix:
        """Read samples to predict, in the coding of the training samples."""
        check_is_fitted(self)
        coder, threads = self._coder, check_threads(self.n_jobs)
        if coder is None:
            matrix, _ = read_matrix(X, threads=threads)
            check_features(self, X, reset=False)
            return matrix
        table, _ = read_numbers(X, has_text=bool(coder.levels), threads=threads)
        check_features(self, X, reset=False)
        return coder.transform(table)

    def _is_coded(self) -> bool:
        """Return True if coded columns differ from the columns of the table."""
        return self._coder is not None and not self._coder.is_plain

    def _left_out(self, kind: str, note: str, prediction: NDArray) -> LeftOut:
        """Return leave-one-out predictions by a formula, which does not learn the coding without each sample."""
        if not self._is_coded():
            return LeftOut(kind, note, prediction)
        return LeftOut(APPROXIMATE, f"{note}; the coding of the table is held fixed", prediction)

    def _used(self, coded: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the features with any of these coded columns."""
        return coded if self._coder is None else self._coder.used(coded)

    def _n_given(self, data: Any) -> int:
        """Return the number of columns of the table that the data was read from."""
        return self._coder.n_features if self._is_coded() and self._coder is not None else data.n_features

    def _of_coded(self, values: NDArray | None) -> NDArray | None:
        """Return values of the columns of the table as values of the coded columns."""
        return values if values is None or self._coder is None or not self._is_coded() else values[self._coder.owner]

    def _groups(self, groups: Any, data: Any, *, coded: bool = True) -> NDArray[np.int32] | None:
        """Return the group of each coded column: those of one column of the table belong together if `coded`."""
        coder = self._coder
        if coder is None or coder.is_plain:
            return check_groups(groups, data.n_features, data.names)
        of_column = check_groups(groups, coder.n_features, coder.names)
        if of_column is None:
            return coder.owner.astype(np.int32) if coded else None
        return of_column[coder.owner]

    def __sklearn_tags__(self) -> Any:
        return tag_tables(super().__sklearn_tags__())  # type: ignore[misc]
