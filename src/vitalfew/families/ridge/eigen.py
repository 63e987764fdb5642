"""Eigenvalues serve every penalty at once: ridge regression in its primal and dual form, with exact leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from vitalfew.support.deadline import check_deadline

EPS = float(np.finfo(float).eps)
# Digits of the coefficients that a route must leave.
DIGITS = 8
# Of a cubed dimension: what eigenvalues take on a fast machine. Once begun, LAPACK cannot be stopped.
LEAST_SECONDS = 5e-11
# Matrices of so many rows may be copied.
SMALL = 1000
Turn = Callable[[NDArray], Iterable[tuple[slice, NDArray]]]
# Numbers in a block of rows: small beside X, and large enough for threads to pay.
BLOCK_NUMBERS = 2**20


def digits_left(condition) -> NDArray[np.int64]:
    """Decimal digits that rounding leaves in the solution of equations of this condition."""
    with np.errstate(divide="ignore"):
        left = np.floor(-np.log10(np.maximum(np.asarray(condition, dtype=float), 1.0) * EPS))
    return np.maximum(left, 0).astype(np.int64)


def shrinkage_grid(eigenvalues: NDArray, n_points: int, ratio: float | None) -> NDArray[np.float64]:
    """Falling penalties from 100 times the largest eigenvalue, where every direction is shrunk to less than 1 %, to a
    hundredth of the smallest, where none is shrunk by more than 1 %, or to 1e-8 of the largest if that is more."""
    largest = float(np.max(eigenvalues, initial=0.0))
    if largest <= 0:
        return np.geomspace(1.0, ratio or 1e-3, n_points)
    present = eigenvalues[eigenvalues > len(eigenvalues) * EPS * largest]
    bottom = max(float(present.min()) / 100, 1e-8 * largest)
    return np.geomspace(100 * largest, bottom if ratio is None else ratio * 100 * largest, n_points)


class Spectrum:
    """A symmetric matrix by its eigenvalues and eigenvectors, which may overwrite it. O(n³)."""

    def __init__(self, matrix: NDArray[np.float64]):
        check_deadline(needs=LEAST_SECONDS * len(matrix) ** 3)
        if len(matrix) <= SMALL:
            # The threads of NumPy's library still spin after a product and are in the way of those of SciPy's.
            self.values, self.vectors = np.linalg.eigh(matrix)
            return
        columns = matrix if matrix.flags.f_contiguous else matrix.T
        self.values, self.vectors = linalg.eigh(columns, driver="evd", overwrite_a=True, check_finite=False)

    def inverse(self, grid: NDArray) -> NDArray[np.float64]:
        """1 / (e + alpha) for each eigenvalue and penalty, 0 where that is zero to rounding."""
        shifted = self.values[:, None] + grid
        is_zero = np.abs(shifted) <= len(self.values) * EPS * np.max(np.abs(self.values), initial=0.0)
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=~is_zero)

    def degrees_of_freedom(self, grid: NDArray) -> NDArray[np.float64]:
        """Trace of the hat matrix: the sum of e / (e + alpha)."""
        return self.values @ self.inverse(grid)

    def condition(self, grid: NDArray) -> NDArray[np.float64]:
        """Condition of the matrix with the penalty on its diagonal."""
        size = np.abs(self.values[:, None] + grid)
        largest, least = size.max(axis=0, initial=0.0), size.min(axis=0, initial=np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(largest > 0, largest / least, 1.0)


class GramSpectrum(Spectrum):
    """min Σ w (y - xᵀβ)² + alpha ‖β‖² from G = Σ w x xᵀ and g = Σ w x y: β = V (e + alpha)⁻¹ Vᵀ g."""

    def __init__(self, gram: NDArray, cross: NDArray, square: float):
        super().__init__(gram)
        self.values = np.maximum(self.values, 0)
        self.cross, self.square = cross @ self.vectors, square

    def coef(self, grid: NDArray) -> NDArray[np.float64]:
        """(points, columns)."""
        return (self.vectors @ (self.inverse(grid) * self.cross[:, None])).T

    def squared_error(self, grid: NDArray) -> NDArray[np.float64]:
        """Weighted sum of squared residuals."""
        inverse = self.inverse(grid)
        explained = self.cross**2 @ (inverse * (2 - self.values[:, None] * inverse))
        return np.maximum(self.square - explained, 0)

    def left_out(self, turn: Turn, y: NDArray, weight: NDArray | None, grid: NDArray, base) -> NDArray[np.float64]:
        """Residual of each row by the fit without it, r / (1 - h): (rows, points). `turn(V)` yields blocks of the rows
        times V, `base` is the leverage of an intercept. O(n d (d + points)), and no copy of the rows."""
        inverse = self.inverse(grid)
        largest = inverse.max(axis=1)
        scaled = self.vectors * np.sqrt(largest)
        shape, mix = _low_rank(inverse / np.where(largest > 0, largest, 1.0)[:, None])
        slope = shape * (self.cross * np.sqrt(largest))[:, None]
        result = np.empty((len(y), len(grid)))
        base = np.broadcast_to(base, len(y))
        for rows, rotated in turn(scaled):
            residual = np.matmul(rotated @ slope, mix, out=result[rows])
            np.subtract(y[rows, None], residual, out=residual)
            leverage = (np.square(rotated, out=rotated) @ shape) @ mix
            if weight is not None:
                leverage *= weight[rows, None]
            leverage += base[rows, None]
            np.subtract(1, leverage, out=leverage)
            residual /= np.maximum(leverage, EPS, out=leverage)
        return result


def _low_rank(matrix: NDArray) -> tuple[NDArray, NDArray]:
    """Two factors of a matrix. Shrinkage is so smooth in the penalty that a few columns make up all, to rounding."""
    left, size, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int(np.sum(size > EPS * size.max(initial=0.0)))
    return (left[:, :rank] * size[:rank], right[:rank]) if 2 * rank < len(right) else (matrix, np.eye(matrix.shape[1]))


class KernelSpectrum(Spectrum):
    """The dual form: a = (K + alpha)⁻¹ y, and the residual without a row is a_i / ((K + alpha)⁻¹)_ii.

    `fixed` is a unit vector in the null space of K, the column of an intercept: it is kept apart, for no penalty acts
    on it and its share of the inverse is no share of the residual.
    """

    def __init__(self, kernel: NDArray, y: NDArray, fixed: NDArray | None = None):
        if fixed is not None:
            beyond = 2 * float(np.linalg.norm(kernel)) or 1.0
            kernel += np.outer(beyond * fixed, fixed)
        super().__init__(kernel)
        if fixed is not None:
            self.values, self.vectors = self.values[:-1], self.vectors[:, :-1]
        self.cross = y @ self.vectors

    def dual(self, grid: NDArray) -> NDArray[np.float64]:
        """(rows, points)."""
        return self.vectors @ (self.inverse(grid) * self.cross[:, None])

    def squared_error(self, grid: NDArray) -> NDArray[np.float64]:
        """Sum of squared residuals."""
        return self.cross**2 @ (1 - self.values[:, None] * self.inverse(grid)) ** 2

    def left_out(self, grid: NDArray) -> NDArray[np.float64]:
        """Residual of each row by the fit without it: (rows, points). O(n² points), and no copy of the vectors."""
        inverse = self.inverse(grid)
        result = np.matmul(self.vectors, inverse * self.cross[:, None])
        step = max(1, BLOCK_NUMBERS // max(len(self.values), 1))
        for start in range(0, len(result), step):
            rows = slice(start, start + step)
            diagonal = np.square(self.vectors[rows]) @ inverse
            np.divide(result[rows], diagonal, out=result[rows], where=diagonal != 0)
        return result
