"""Kernel ridge regression with the full kernel matrix, or with some of its columns (Nyström)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.ridge.eigen import BLOCK_NUMBERS, GramSpectrum, KernelSpectrum, Spectrum
from vitalfew.families.ridge.kernels import Kernel, KernelData
from vitalfew.families.ridge.ridge_forms import solve_positive
from vitalfew.support.deadline import check_deadline

# Eigenvalues of the landmark kernel below this fraction of the largest are rounding error.
LEAST_SHARE = 1e-12


class Duals(NamedTuple):
    """Dual coefficients (points, basis), weighted sums of squared residuals, and traces of the hat matrix."""

    coef: NDArray[np.float64]
    squared_error: NDArray[np.float64]
    degrees_of_freedom: NDArray[np.float64]


class ExactForm:
    """Exact solver on the weighted n x n kernel matrix, with one eigendecomposition for many penalties.

    The kernel matrix is scaled by the square roots of the weights.
    """

    error = 0.0

    def __init__(self, kernel: Kernel, data: KernelData):
        self.kernel, self.data = kernel, data
        self.basis = kernel.basis(data)
        self.root = None if data.weight is None else np.sqrt(data.weight)
        self.y = data.target if self.root is None else self.root * data.target

    def matrix(self) -> NDArray[np.float64]:
        """Return the weighted kernel matrix as a new array."""
        values = self.kernel.between(self.data.X, self.basis)
        if self.root is not None:
            values *= self.root[:, None]
            values *= self.root
        return values

    @cached_property
    def spectrum(self) -> KernelSpectrum:
        return KernelSpectrum(self.matrix(), self.y)

    def many(self, grid: NDArray) -> Duals:
        """Compute the solutions at many penalties from the eigenvalues."""
        e = self.spectrum
        return Duals(self._unscaled(e.dual(grid)).T, e.squared_error(grid), e.degrees_of_freedom(grid))

    def one(self, alpha: float) -> Duals:
        """Compute the solution at one penalty, by Cholesky factorization if the matrix is positive definite."""
        values = self.matrix()
        np.einsum("ii->i", values)[:] += alpha
        found = solve_positive(values, self.y)
        if found is None:
            return self.many(np.array([alpha]))
        dual, diagonal, _ = found
        freedom = np.array([len(dual) - alpha * diagonal.sum()])
        residual = alpha * dual  # a huge penalty has no square
        return Duals(self._unscaled(dual[:, None]).T, np.array([residual @ residual]), freedom)

    def left_out(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out residuals, of shape (rows, points)."""
        residual = self.spectrum.left_out(grid)
        return residual if self.root is None else np.divide(residual, self.root[:, None], out=residual)

    def _unscaled(self, dual: NDArray) -> NDArray[np.float64]:
        return dual if self.root is None else dual * self.root[:, None]


class NystroemForm:
    """Nyström solver: ridge regression on the features K_mm^-½ k(landmarks, x).

    It takes O(n m²) time and holds only one block of the n x m kernel values in memory.
    """

    def __init__(self, kernel: Kernel, data: KernelData, n_components: int, seed: int):
        self.kernel, self.data = kernel, data
        chosen = np.random.default_rng(seed).choice(data.n_rows, n_components, replace=False)
        rows = np.sort(chosen)
        self.basis = kernel.basis(data, rows)
        found = Spectrum(kernel.between(data.X[rows], self.basis))
        keep = found.values > LEAST_SHARE * found.values.max(initial=0.0)
        self.features = found.vectors[:, keep] / np.sqrt(found.values[keep])
        self._accumulate()

    def _accumulate(self) -> None:
        size = self.features.shape[1]
        gram, cross, self.trace = np.zeros((size, size)), np.zeros(size), 0.0
        y, weight = self.data.target, self.data.weight
        for rows, block in self._turn(np.eye(size)):
            self.trace += float(np.einsum("ij,ij->", block, block))
            weighted = block if weight is None else block * weight[rows, None]
            gram += block.T @ weighted
            cross += y[rows] @ weighted
        square = float(y @ y if weight is None else weight @ y**2)
        self.spectrum = GramSpectrum(gram, cross, square)

    def _turn(self, vectors: NDArray) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        turned = self.features @ vectors
        step = max(64, BLOCK_NUMBERS // max(len(turned), 1))
        for start in range(0, self.data.n_rows, step):
            check_deadline()
            rows = slice(start, min(start + step, self.data.n_rows))
            yield rows, self.kernel.between(self.data.X[rows], self.basis) @ turned

    @cached_property
    def error(self) -> float:
        """Fraction of the trace of the kernel matrix that the landmarks do not capture."""
        total = float(self.kernel.diagonal(self.data).sum())
        return max(1 - self.trace / total, 0.0) if total > 0 else 0.0

    def many(self, grid: NDArray) -> Duals:
        """Compute the solutions at many penalties from the eigenvalues."""
        e = self.spectrum
        return Duals(e.coef(grid) @ self.features.T, e.squared_error(grid), e.degrees_of_freedom(grid))

    def one(self, alpha: float) -> Duals:
        """Compute the solution at one penalty, also from the eigenvalues, since these are few."""
        return self.many(np.array([alpha]))

    def left_out(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out residuals, of shape (rows, points)."""
        return self.spectrum.left_out(self._turn, self.data.target, self.data.weight, grid, 0.0)
