"""Labeled samples in their original form, for any classifier, and their split into folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array

from vitalfew.data.samples.zero_weight import DroppedRows, drop_zero_weight, split_rows
from vitalfew.data.tables.frames import as_frame, check_shape
from vitalfew.data.tables.sparse_checks import sparse_rows
from vitalfew.support.checks import check_consistent_length, count_weight, encode_labels
from vitalfew.support.suggest import plain


class LabeledSample:
    """Base class of samples with labels and weights, independent of their storage."""

    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    given: DroppedRows | None

    @property
    def y(self) -> NDArray:
        return self.classes[self.label]

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each sample, 1 if no weights were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Self, Self]:
        """Return the training and test parts."""
        return self.take(train), self.take(test)

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return the samples at the given row indices."""
        raise NotImplementedError

    def like(self, X, y) -> Self:
        """Return other samples, such as a validation set, in the form of these."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabeledRows(LabeledSample):
    """Samples of a frame, an array or a sparse matrix, with labels and weights."""

    X: Any
    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    given: DroppedRows | None = None
    validation: LabeledRows | None = None

    @classmethod
    def read(cls, X, y, sample_weight) -> LabeledRows:
        """Read and check data, labels and weights; samples of weight zero are dropped."""
        X = read_rows(X)
        classes, label = encode_labels(y)
        check_consistent_length(np.empty(X.shape[0]), label)
        kept = drop_zero_weight(label, classes, sample_weight)
        X = X if kept.rows is None else _safe_indexing(X, kept.rows)
        assert kept.classes is not None
        return cls(X, kept.target, kept.classes, count_weight(kept.weight), kept.given)

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    def take(self, rows: NDArray[np.intp]) -> LabeledRows:
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=_safe_indexing(self.X, rows), label=self.label[rows], weight=weight, given=None)

    def like(self, X, y) -> LabeledRows:
        X = read_rows(X)
        return replace(self, X=X, label=encode_held_out(y, X.shape[0], self.classes), weight=None, given=None)


def encode_held_out(y, n_rows: int, classes: NDArray) -> NDArray[np.int32]:
    """Return the class codes of held-out labels, all of which must be among the classes of the training samples."""
    found, label = encode_labels(y)
    check_consistent_length(np.empty(n_rows), label)
    unseen = ~np.isin(found, classes)
    if unseen.any():
        raise ValueError(f"validation has the label {plain(found[unseen][0])!r}, which is not in y.")
    return np.searchsorted(classes, found).astype(np.int32)[label]


def read_rows(X) -> Any:
    """Read anything with rows: sparse matrices become CSR, lists become arrays, frames are kept."""
    if sparse.issparse(X):
        X = sparse_rows(X).tocsr()
    elif as_frame(X) is None:
        return check_array(X, dtype=None, ensure_all_finite=False, estimator="vitalfew")
    check_shape(X.shape, 1)
    return X
