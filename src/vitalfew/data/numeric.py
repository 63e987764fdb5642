"""Tables of numbers with a target: what linear families are fitted on, and how they are split into folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array, column_or_1d

from vitalfew import _core
from vitalfew._arrow import check_given
from vitalfew._checks import check_consistent_length, check_known, check_weight, encode_labels
from vitalfew.data.frames import Column, NumberedNames, check_shape, is_frame, read_frame
from vitalfew.data.rows import Given, split_rows
from vitalfew.data.sparse_parts import check_sparse
from vitalfew.data.words import WordColumn

FLOATS = (np.float64, np.float32)
Matrix = Any  # a NumPy array or a scipy.sparse.csc_array of floats


@dataclass(frozen=True)
class NumericData:
    """Rows of numbers with a target and weights. In classification `y` holds codes of `classes`."""

    X: Matrix
    target: NDArray
    weight: NDArray[np.float64] | None
    names: Sequence[str]
    classes: NDArray | None = None
    given: Given | None = None
    threads: int = 0
    # What has been computed of these rows and will be asked for again, such as their moments.
    known: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def read(cls, X, y, sample_weight, *, is_classification: bool = False, threads: int = 0) -> NumericData:
        """Reads and checks. Rows of weight zero are left out: they are as if they had not been given."""
        matrix, names = read_matrix(X, threads=threads)
        return cls.of_matrix(matrix, names, y, sample_weight, is_classification=is_classification, threads=threads)

    @classmethod
    def of_matrix(cls, matrix, names, y, sample_weight, *, is_classification: bool, threads: int = 0) -> NumericData:
        """Of a matrix that has been checked already: learners which are not ours may take more than numbers."""
        target: NDArray
        classes, target = encode_labels(y) if is_classification else (None, read_target(y))
        check_consistent_length(np.empty(matrix.shape[0]), target)
        weight = check_weight(sample_weight, matrix.shape[0])
        given = None
        if weight is not None and not weight.all():
            keep = np.flatnonzero(weight)
            given = Given(target if classes is None else classes[target], keep)
            matrix, target = take_rows(matrix, keep), target[keep]
            weight = check_weight(weight[keep], len(keep))
            if classes is not None:
                present, target = np.unique(target, return_inverse=True)
                classes = classes[present]
        return cls(matrix, target, weight, names, classes, given, threads)

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
        """Codes of the classes."""
        return self.target

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each row, 1 where none were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def weight_sum(self) -> float:
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @cached_property
    def columns(self) -> Matrix:
        """The matrix column by column, as kernels read it: a copy where it was stored by rows."""
        return self.X if sparse.issparse(self.X) else np.asfortranarray(self.X)

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[NumericData, NumericData]:
        """Training and test part."""
        return self.take(train), self.take(test)

    def take(self, rows: NDArray[np.intp]) -> NumericData:
        return replace(
            self,
            X=take_rows(self.X, rows),
            target=self.target[rows],
            weight=None if self.weight is None else self.weight[rows],
            given=None,
            known={},
        )


def take_rows(X: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Some rows, stored in the order the matrix is stored in; a view where the rows are a range."""
    if is_frame(X):
        return _safe_indexing(X, rows)
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all() and not sparse.issparse(X):
        return X[rows[0] : rows[-1] + 1]
    if sparse.issparse(X):
        return X.tocsr()[rows].tocsc()
    return X[rows] if X.flags.c_contiguous else np.take(X.T, rows, axis=1).T


def read_target(y) -> NDArray[np.float64]:
    """A numeric target, one number a row."""
    check_given(y, "y")
    y = column_or_1d(y, warn=True)
    if y.dtype.kind not in "fiub":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y holds {y.dtype} values such as {str(y.ravel()[0])!r}; regression needs numbers: "
                "use a classifier for labels, or convert the target."
            ) from None
    check_known(y)
    y = y.astype(np.float64)
    check_squares(y)
    return y


def check_squares(y: NDArray[np.float64]) -> None:
    """Squares of a target must add up, with a margin for those of its differences to predictions."""
    with np.errstate(over="ignore"):
        if np.dot(y, y) > np.finfo(np.float64).max / 1024:
            raise too_large("y")


def too_large(what: str) -> ValueError:
    """The error for values whose squares do not add up."""
    return ValueError(
        f"{what} holds values so large that their squares do not add up in float64; scale it, for instance with "
        "scikit-learn's StandardScaler."
    )


def read_matrix(X, *, threads: int = 0) -> tuple[Matrix, Sequence[str]]:
    """A dense or sparse matrix of finite floats, and the names of its columns."""
    if sparse.issparse(X):
        check_shape(X.shape, 1)
        return _read_sparse(X), NumberedNames(X.shape[1])
    frame = read_frame(X, min_rows=1)
    if frame is None:
        matrix = check_array(X, dtype=FLOATS, ensure_all_finite=False, estimator="vitalfew")
        if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
            matrix = np.asfortranarray(matrix)
        names: Sequence[str] = NumberedNames(matrix.shape[1])
    elif frame.matrix is not None:
        names = frame.names
        matrix = np.asfortranarray(frame.matrix, dtype=np.float32 if frame.matrix.dtype == np.float32 else float)
    else:
        names = frame.names
        assert frame.columns is not None
        kinds = {c.dtype for c in frame.columns if not isinstance(c, WordColumn)}
        matrix = np.empty((frame.n_rows, len(names)), np.float32 if kinds == {np.dtype(np.float32)} else float, "F")
        for j, column in enumerate(frame.columns):
            matrix[:, j] = _numbers_of(column, names[j])
    at = _core.find_not_finite(matrix.ravel("K"), threads)
    if at >= 0:
        where = np.unravel_index(at, matrix.shape, order="C" if matrix.flags.c_contiguous else "F")
        _refuse(matrix[where], int(where[0]), names[int(where[1])])
    return matrix, names


def _numbers_of(column: Column, name: str) -> NDArray:
    if not isinstance(column, WordColumn):
        return column
    raise ValueError(
        f"column {name!r} holds text such as {column.example()!r}; a linear model needs numbers: encode it first, for "
        "instance with scikit-learn's OneHotEncoder (and feature_groups, so that its columns enter together)."
    )


def _read_sparse(X) -> sparse.csc_array:
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported\nsparse X holds complex numbers.")
    if max(X.shape) > np.iinfo(np.int32).max:
        raise ValueError(f"sparse X has shape {X.shape}; at most 2,147,483,647 rows and columns are supported.")
    columns = sparse.csc_array(check_sparse(X), dtype=X.dtype if X.dtype in FLOATS else np.float64)
    if not columns.has_canonical_format:
        columns = columns.copy()  # the values may be the caller's
        columns.sum_duplicates()
    at = _core.find_not_finite(columns.data, 0)
    if at >= 0:
        j = int(np.searchsorted(columns.indptr, at, side="right")) - 1
        _refuse(columns.data[at], int(columns.indices[at]), f"x{j}")
    return columns


def _refuse(value: float, row: int, name: str) -> None:
    kind = "NaN" if value != value else "infinity"
    raise ValueError(
        f"Input X contains {kind}: column {name!r}, row {row}. Linear models need finite numbers: impute first "
        "(scikit-learn's SimpleImputer), or leave the rows or the column out."
    )


def kernel_columns(X: Matrix) -> tuple[Any, Any, Any, Any]:
    """The arguments by which compiled kernels take a sparse matrix."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int32, copy=False),
        X.data,
        X.shape[0],
    )
