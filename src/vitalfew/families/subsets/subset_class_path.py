"""Path of a subset search with the logistic or multinomial loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.classifier import embed_classes
from vitalfew.families.linear.logistic_path import SparseClassPath
from vitalfew.families.subsets.subset_path import describe_moves
from vitalfew.rules.path import Likelihood
from vitalfew.rules.point_criteria import at_point


class NullModel:
    """Result that a kernel would give for a fold with a single class."""

    grid = np.zeros(1)
    start = np.zeros(2, dtype=np.int64)
    index = np.empty(0, dtype=np.int32)
    value = np.empty(0)
    intercept = np.empty(0)
    loss = np.zeros(1)
    gap = np.zeros(1)
    null_loss = 0.0


@dataclass(frozen=True, kw_only=True)
class SubsetClassPath(SparseClassPath):
    """Path of unpenalized logistic regression on subsets of increasing size.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Numbers k of variables, from 0.
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_outputs * n_features)
        Coefficients of the single output (two classes) or of all outputs in turn (more classes, with mean zero over the
        classes); those outside the subset are zero. ``coef`` is the same as a dense array.
    intercept : ndarray of shape (n_points, n_outputs)
    log_loss : ndarray of shape (n_points,)
        Mean log loss on the training samples.
    """

    knob = "k"
    knob_title = "number of variables k"

    def subset(self, index: int) -> NDArray[np.intp]:
        """Return the columns of the model at one point."""
        start, stop = self.coef_sparse.indptr[index : index + 2]
        return np.unique(self.coef_sparse.indices[start:stop] % self._width).astype(np.intp)

    def log_likelihood_at(self, index: int) -> Likelihood:
        """Return the likelihood of one point."""
        return at_point(self.log_likelihood(), index)

    @cached_property
    def degrees_of_freedom(self) -> NDArray[np.float64]:
        """Number of free coefficients at each point: those of all classes but one."""
        return (self.n_features * (len(self.classes) - 1)).astype(np.float64)

    def _columns(self) -> dict[str, NDArray]:
        """Return the data frame columns, with the features that enter (`enters`) and leave (`leaves`) at each size."""
        return {**super()._columns(), **describe_moves([self.subset(p) for p in range(len(self.grid))], self.names)}

    @classmethod
    def from_kernel(
        cls,
        found: _core.PathPoints | NullModel,
        data: NumericData,
        present: NDArray,
        has_intercept: bool,
        grid: NDArray | None,
    ) -> SubsetClassPath:
        """Return the path that a kernel found for the classes present.

        Sizes of a given grid that the kernel did not reach have its largest model.
        """
        assert data.classes is not None
        points, m = len(found.grid), len(present) - 1
        stacked = sparse.csr_array((found.value, found.index, found.start), shape=(points, m * data.n_features))
        intercept = found.intercept.reshape(points, m)
        if m > 1:
            stacked, intercept = _symmetric(stacked, intercept)
        coef, intercept = embed_classes(stacked, intercept, present, len(data.classes), data.n_features)
        sizes = np.arange(points) if grid is None else np.asarray(grid)
        at = np.minimum(sizes, points - 1)
        return cls(
            grid=sizes,
            coef_sparse=coef if grid is None else coef[at],
            intercept=intercept[at],
            log_loss=found.loss[at],
            names=data.names,
            classes=data.classes,
            has_intercept=has_intercept,
            n_samples=data.weight_sum,
            data=data,
        )


def _symmetric(coef: sparse.csr_array, intercept: NDArray) -> tuple[sparse.csr_array, NDArray]:
    """Convert coefficients relative to the first class to mean-zero coefficients of all classes, for the same model."""
    points, m = intercept.shape
    outputs = coef.reshape((points * m, -1)).tocsr()
    widths = outputs.shape[1]
    mean = sparse.csr_array(sparse.kron(sparse.eye_array(points), np.full((1, m), 1 / (m + 1)))) @ outputs
    shifted = outputs - sparse.csr_array(sparse.kron(sparse.eye_array(points), np.ones((m, 1)))) @ mean
    blocks = [-mean, *(shifted[c::m] for c in range(m))]
    full = np.column_stack([np.zeros(points), intercept])
    stacked = sparse.csr_array(sparse.hstack([sparse.csr_array(block, shape=(points, widths)) for block in blocks]))
    return stacked, full - full.mean(axis=1, keepdims=True)
