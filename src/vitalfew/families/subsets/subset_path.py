"""Path of a subset search, with a model for every number of variables."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import names_of
from vitalfew.families.linear.sparse_path import SparseLinearPath
from vitalfew.summaries.moments import Moments


@dataclass(frozen=True, kw_only=True)
class SubsetPath(SparseLinearPath):
    """Path of least squares on subsets of increasing size.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Numbers k of variables, from 0.
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_features)
        Coefficients; those outside the subset are zero. ``coef`` is the same as a dense array.
    intercept : ndarray of shape (n_points,)
    mean_squared_error : ndarray of shape (n_points,)
        Mean squared error on the training samples.
    names : sequence of str
    """

    knob = "k"
    knob_title = "number of variables k"

    def subset(self, index: int) -> NDArray[np.intp]:
        """Return the columns of the model at one point."""
        start, stop = self.coef_sparse.indptr[index : index + 2]
        return self.coef_sparse.indices[start:stop].astype(np.intp)

    def _columns(self) -> dict[str, NDArray]:
        """Return the data frame columns, with the features that enter (`enters`) and leave (`leaves`) at each size."""
        return {**super()._columns(), **describe_moves([self.subset(p) for p in range(len(self.grid))], self.names)}

    @classmethod
    def from_kernel(
        cls,
        found: _core.PathPoints,
        data: NumericData | Moments,
        seen: NumericData | Moments,
        has_intercept: bool,
        grid: NDArray | None = None,
    ) -> SubsetPath:
        """Return the path for `data` that a kernel found from `seen`, its rows or its moments.

        Sizes of a given grid that the kernel did not reach have its largest model.
        """
        reached = len(found.grid) - 1
        coef = sparse.csr_array((found.value, found.index, found.start), shape=(reached + 1, data.n_features))
        intercept, loss = found.intercept, found.loss
        if isinstance(seen, Moments) and has_intercept:
            intercept = seen.mean[-1] - coef @ seen.mean[:-1]
        sizes = np.arange(reached + 1) if grid is None else np.asarray(grid)
        at = np.minimum(sizes, reached)
        return cls(
            grid=sizes,
            coef_sparse=coef if grid is None else coef[at],
            intercept=intercept[at],
            mean_squared_error=2 * loss[at],
            names=names_of(data),
            has_intercept=has_intercept,
            n_samples=data.weight_sum,
            data=data,
        )


def describe_moves(subsets: Sequence[NDArray], names: Sequence[str]) -> dict[str, NDArray]:
    """Return the names of the columns that enter and leave each subset, compared with the previous one."""
    sets = [frozenset(subset.tolist()) for subset in subsets]
    moves = [(new - old, old - new) for old, new in itertools.pairwise([frozenset(), *sets])]
    return {
        word: np.array([", ".join(str(names[j]) for j in sorted(move[side])) for move in moves], dtype=object)
        for side, word in enumerate(("enters", "leaves"))
    }
