"""Numeric tables with a target, for linear families, and their split into folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d

from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.data.samples.labeled import encode_held_out
from vitalfew.data.samples.zero_weight import DroppedRows, drop_zero_weight, split_rows
from vitalfew.data.tables.frames import RawTable
from vitalfew.data.tables.matrix import Matrix, read_matrix, read_numbers, take_rows
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_consistent_length, check_known, count_weight, encode_labels

if TYPE_CHECKING:
    from vitalfew.summaries.moments import Moments

MOST_IN_PRODUCTS = 1e74


@dataclass(frozen=True)
class NumericData:
    """Numeric samples with target and weights; in classification `target` holds codes of `classes`."""

    X: Matrix
    target: NDArray
    weight: NDArray[np.float64] | None
    names: Sequence[str]
    classes: NDArray | None = None
    given: DroppedRows | None = None
    threads: int = 0
    # Second moments, if they are computed already.
    moments: Moments | None = None
    validation: NumericData | None = None

    @classmethod
    def read(cls, X, y, sample_weight, *, is_classification: bool = False, threads: int = 0) -> NumericData:
        """Read and check data; samples of weight zero are dropped, as if they had not been given."""
        data = cls.read_part(X, y, sample_weight, is_classification=is_classification, threads=threads)
        return replace(data, weight=count_weight(data.weight))

    @classmethod
    def read_part(cls, X, y, sample_weight, *, is_classification: bool = False, threads: int = 0) -> NumericData:
        """Read and check a subset of the samples; its weights are counts, whatever their sum."""
        matrix, names = read_matrix(X, threads=threads)
        return cls.of_matrix(matrix, names, y, sample_weight, is_classification=is_classification, threads=threads)

    @classmethod
    def read_coded(
        cls,
        X,
        y,
        sample_weight,
        *,
        coder: NumberCoder | None = None,
        is_classification: bool = False,
        threads: int = 0,
    ) -> tuple[NumericData, NumberCoder | None]:
        """Read and check data as `read` does, with categories and missing values coded as numbers; return the coder.

        The coding is learned from the samples of positive weight unless a coder is given. Sparse data needs none.
        """
        has_text = coder is not None and bool(coder.levels)
        given, names = read_numbers(X, has_text=has_text, threads=threads)
        data = cls.of_matrix(given, names, y, sample_weight, is_classification=is_classification, threads=threads)
        data = replace(data, weight=count_weight(data.weight))
        if coder is None:
            if sparse.issparse(given):
                return data, None
            coder = NumberCoder.fit(data.X, names, data.weight)
        return replace(data, X=coder.transform(data.X), names=coder.coded_names), coder

    @classmethod
    def of_matrix(cls, matrix, names, y, sample_weight, *, is_classification: bool, threads: int = 0) -> NumericData:
        """Create data from a matrix that is already checked; third-party learners may take more than numbers."""
        target: NDArray
        classes, target = encode_labels(y) if is_classification else (None, read_target(y))
        n_rows = matrix.n_rows if isinstance(matrix, RawTable) else matrix.shape[0]
        check_consistent_length(np.empty(n_rows), target)
        kept = drop_zero_weight(target, classes, sample_weight)
        if classes is None and kept.weight is not None:
            check_squares(kept.target * np.sqrt(kept.weight), "y with sample_weight")
        matrix = matrix if kept.rows is None else take_rows(matrix, kept.rows)
        return cls(matrix, kept.target, kept.weight, names, kept.classes, kept.given, threads)

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def is_classification(self) -> bool:
        return self.classes is not None

    @property
    def y(self) -> NDArray:
        return self.target if self.classes is None else self.classes[self.target]

    @property
    def label(self) -> NDArray:
        """Class codes of the samples."""
        return self.target

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each sample, 1 if no weights were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def weight_sum(self) -> float:
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @cached_property
    def columns(self) -> Matrix:
        """Matrix in column-major order, as kernels read it; a copy if it was stored by rows."""
        return self.X if sparse.issparse(self.X) else np.asfortranarray(self.X)

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[NumericData, NumericData]:
        """Return the training and test parts."""
        return self.take(train), self.take(test)

    def take(self, rows: NDArray[np.intp]) -> NumericData:
        return replace(
            self,
            X=take_rows(self.X, rows),
            target=self.target[rows],
            weight=None if self.weight is None else self.weight[rows],
            given=None,
            moments=None,
        )

    def like(self, X, y) -> Self:
        """Return other samples, such as a validation set, in the form of these."""
        matrix, _ = read_matrix(X, threads=self.threads)
        return self.of_held_out(matrix, y)

    def of_held_out(self, matrix, y) -> Self:
        """Return held-out samples, given as a matrix that is already checked."""
        target = read_target(y) if self.classes is None else encode_held_out(y, matrix.shape[0], self.classes)
        check_consistent_length(np.empty(matrix.shape[0]), target)
        return replace(self, X=matrix, target=target, weight=None, given=None, moments=None)


def read_target(y) -> NDArray[np.float64]:
    """Read a numeric target with one number per sample."""
    check_given(y, "y")
    y = column_or_1d(y, warn=True)
    if y.dtype.kind not in "fiub":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y contains {y.dtype} values such as {str(y.ravel()[0])!r}, but regression requires numbers; "
                "use a classifier for labels, or convert the target."
            ) from None
    check_known(y)
    y = y.astype(np.float64)
    check_squares(y)
    return y


def check_squares(y: NDArray[np.float64], what: str = "y") -> None:
    """Check that the sum of squares of a target does not overflow, with a margin for residuals."""
    with np.errstate(over="ignore"):
        if np.dot(y, y) > np.finfo(np.float64).max / 1024:
            raise too_large(what)


def check_products(data: NumericData) -> None:
    """Reject columns whose cross products overflow when squared, as eigenvalues are."""
    X, root = data.X, 1.0 if data.weight is None else float(np.sqrt(data.weight.max()))
    ends = [X.max(axis=0), -X.min(axis=0)]
    largest = np.maximum(*(end.toarray().ravel() if sparse.issparse(end) else np.asarray(end) for end in ends))
    if float(largest.max()) * root > MOST_IN_PRODUCTS:
        raise too_large(f"column {data.names[int(np.argmax(largest))]!r}" if root <= 1 else "X with sample_weight")


def too_large(what: str) -> ValueError:
    """Return the error for values whose sum of squares overflows."""
    return ValueError(
        f"{what} has values so large that their sum of squares overflows float64; scale it, for instance with "
        "scikit-learn's StandardScaler."
    )
