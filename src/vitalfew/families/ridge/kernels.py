"""Kernels given by name, as a function or precomputed, and data with row positions in a precomputed kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.support.suggest import did_you_mean, plain

PRECOMPUTED = "precomputed"


@dataclass(frozen=True)
class KernelData(NumericData):
    """Rows of features, or of a precomputed kernel matrix, in which `place` holds the column of each row."""

    place: NDArray[np.intp] = field(default_factory=lambda: np.arange(0))

    @classmethod
    def of(cls, data: NumericData) -> KernelData:
        """Return kernel data for numeric data, whose rows of weight zero are already removed, but not their columns."""
        place = np.arange(data.n_rows) if data.given is None else data.given.kept
        X = data.X.tocsr() if sparse.issparse(data.X) else data.X
        return cls(X, data.target, data.weight, data.names, None, data.given, data.threads, place=place)

    def take(self, rows: NDArray[np.intp]) -> KernelData:
        taken: Any = super().take(rows)
        return replace(taken, place=self.place[rows])

    def of_held_out(self, matrix: Any, y: Any) -> KernelData:
        held: Any = super().of_held_out(matrix.tocsr() if sparse.issparse(matrix) else matrix, y)
        return held  # `place` is not read: predictions take the columns of the training samples


@dataclass(frozen=True)
class Kernel:
    """Kernel and its parameters.

    A `basis` is the rows to compare with, or their column indices if the kernel is precomputed.
    """

    kind: str | Callable
    parameters: Mapping[str, Any]

    @property
    def is_precomputed(self) -> bool:
        return isinstance(self.kind, str) and self.kind == PRECOMPUTED

    def basis(self, data: KernelData, rows: Any = None) -> Any:
        """Return the basis for the given rows of the data, or for all rows."""
        every = data.place if self.is_precomputed else data.X
        return every if rows is None else every[rows]

    def between(self, X: Any, basis: Any) -> NDArray[np.float64]:
        """Return the kernel values between the rows of X and the basis, as a new array."""
        if self.is_precomputed:
            return np.array(X[:, basis].toarray() if hasattr(X, "toarray") else X[:, basis], dtype=np.float64)
        by_name = isinstance(self.kind, str)
        values = pairwise_kernels(X, basis, metric=self.kind, filter_params=by_name, **self.parameters)
        return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)

    def diagonal(self, data: KernelData, step: int = 256) -> NDArray[np.float64]:
        """Return the kernel value of each row with itself."""
        parts = []
        for start in range(0, data.n_rows, step):
            rows = slice(start, start + step)
            parts.append(np.diag(self.between(data.X[rows], self.basis(data, rows))))
        return np.concatenate(parts)


def parameters_of(kind: Any) -> list[str]:
    """Return the parameters of a kernel that can be selected by a rule."""
    if not isinstance(kind, str) or kind == PRECOMPUTED:
        return []
    known = signature(kernel_metrics()[kind]).parameters
    return [name for name in ("gamma", "degree", "coef0") if name in known]


def check_kernel(kind: Any) -> None:
    """Check that a kernel is a name known to scikit-learn, a callable, or "precomputed"."""
    names = sorted(kernel_metrics())
    if not callable(kind) and kind != PRECOMPUTED and kind not in names:
        listed, hint = ", ".join(repr(n) for n in names), did_you_mean(kind, [PRECOMPUTED, *names])
        raise ValueError(
            f"kernel must be a function, 'precomputed' or one of {listed}, got {plain(kind)!r}"
            + (f"; {hint}" if hint else ".")
        )
