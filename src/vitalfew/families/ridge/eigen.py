"""Eigendecompositions that solve primal and dual ridge regression at all penalties, with exact leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import gammaln

from vitalfew.support.deadline import check_deadline

EPS = float(np.finfo(float).eps)
# Decimal digits of the coefficients that a method must preserve.
DIGITS = 8
# Seconds per cubed dimension of an eigendecomposition on a fast machine. LAPACK cannot be interrupted once started.
LEAST_SECONDS = 5e-11
# Matrices of up to this many rows may be copied.
SMALL = 1000
# Up to this size, an eigendecomposition costs so little that it need not be asked for.
FREE = 300
Turn = Callable[[NDArray], Iterable[tuple[slice, NDArray]]]
# Numbers in a block of rows: small compared with X, and large enough for threads to pay off.
BLOCK_NUMBERS = 2**20


def digits_left(condition: Any) -> NDArray[np.int64]:
    """Return the decimal digits that rounding leaves in the solution of equations with this condition number."""
    with np.errstate(divide="ignore"):
        left = np.floor(-np.log10(np.maximum(np.asarray(condition, dtype=float), 1.0) * EPS))
    return np.maximum(left, 0).astype(np.int64)


def shrinkage_grid(eigenvalues: NDArray, n_points: int, ratio: float | None) -> NDArray[np.float64]:
    """Return decreasing penalties that range from strong to negligible shrinkage.

    The largest is 100 times the largest eigenvalue, where every direction is shrunk to less than 1%. The smallest is a
    hundredth of the smallest nonzero eigenvalue, where no direction is shrunk by more than 1%, or 1e-8 of the largest
    eigenvalue if that is more; `ratio`, the ratio of smallest to largest penalty, overrides it.
    """
    largest = float(np.max(eigenvalues, initial=0.0))
    if largest <= 0:
        return np.geomspace(1.0, ratio or 1e-3, n_points)
    present = eigenvalues[eigenvalues > len(eigenvalues) * EPS * largest]
    bottom = max(float(present.min()) / 100, 1e-8 * largest)
    return np.geomspace(100 * largest, bottom if ratio is None else ratio * 100 * largest, n_points)


def log_evidence(form: Any, size: int, alpha: float, n: float, has_intercept: bool) -> float:
    r"""Return the log evidence of a Gaussian model, :math:`\log \int L(\theta) P(\theta) \, d\theta`, in closed form.

    The prior of the coefficients is :math:`N(0, \sigma^2 / \alpha)`; that of the intercept and of
    :math:`\log \sigma^2` is flat, so that the evidence is defined up to a factor that all models with an intercept
    share. With :math:`\nu = n - 1` (n without an intercept), S = RSS + alpha x squared norm, and eigenvalues e,

    .. math:: \log \Gamma(\nu / 2) - \frac{\nu}{2} \log(\pi S) - \frac12 \sum_i \log(1 + e_i / \alpha)
       - \frac12 \log n

    where the last term belongs to the intercept. NaN without a penalty, and where the eigenvalues of a matrix of more
    than `FREE` rows are not known. See Liang et al. (2008), doi:10.1198/016214507000001337.
    """
    if not alpha > 0 or not ("spectrum" in vars(form) or size <= FREE):
        return float("nan")
    freedom, found = n - has_intercept, form.spectrum
    error = max(found.penalized_error(alpha), np.finfo(float).tiny)
    with np.errstate(divide="ignore"):
        relative = np.log(np.maximum(found.values, 0)) - np.log(alpha)  # the quotient may overflow
    spread = np.logaddexp(0.0, relative).sum() + has_intercept * np.log(n)
    return float(gammaln(freedom / 2) - freedom / 2 * np.log(np.pi * error) - spread / 2)


class Spectrum:
    """Eigendecomposition of a symmetric matrix, which may be overwritten. O(n³)."""

    def __init__(self, matrix: NDArray[np.float64]):
        check_deadline(needs=LEAST_SECONDS * len(matrix) ** 3)
        if len(matrix) <= SMALL:
            # The threads of NumPy's BLAS still spin after a product and would slow down those of SciPy's.
            self.values, self.vectors = np.linalg.eigh(matrix)
            return
        columns = matrix if matrix.flags.f_contiguous else matrix.T
        self.values, self.vectors = linalg.eigh(columns, driver="evd", overwrite_a=True, check_finite=False)

    def inverse(self, grid: NDArray) -> NDArray[np.float64]:
        """Return 1 / (e + alpha) for each eigenvalue and penalty, or 0 where e + alpha is zero up to rounding."""
        shifted = self.values[:, None] + grid
        is_zero = np.abs(shifted) <= len(self.values) * EPS * np.max(np.abs(self.values), initial=0.0)
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=~is_zero)

    def degrees_of_freedom(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the trace of the hat matrix: the sum of e / (e + alpha)."""
        return self.values @ self.inverse(grid)

    def condition(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the condition number of the matrix with the penalty added to its diagonal."""
        size = np.abs(self.values[:, None] + grid)
        largest, least = size.max(axis=0, initial=0.0), size.min(axis=0, initial=np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(largest > 0, largest / least, 1.0)


class GramSpectrum(Spectrum):
    """Primal form: β = V (e + alpha)⁻¹ Vᵀ g minimizes Σ w (y - xᵀβ)² + alpha ‖β‖², with G = Σ w x xᵀ, g = Σ w x y."""

    def __init__(self, gram: NDArray, cross: NDArray, square: float):
        super().__init__(gram)
        self.values = np.maximum(self.values, 0)
        self.cross, self.square = cross @ self.vectors, square

    def coef(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the coefficients, of shape (points, columns)."""
        return (self.vectors @ (self.inverse(grid) * self.cross[:, None])).T

    def squared_error(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the weighted sum of squared residuals at each penalty."""
        inverse = self.inverse(grid)
        explained = self.cross**2 @ (inverse * (2 - self.values[:, None] * inverse))
        return np.maximum(self.square - explained, 0)

    def penalized_error(self, alpha: float) -> float:
        """Return the weighted sum of squared residuals plus alpha times the squared norm of the solution."""
        return float(self.square - self.cross**2 @ self.inverse(np.array([alpha]))[:, 0])

    def left_out(self, turn: Turn, y: NDArray, weight: NDArray | None, grid: NDArray, base: Any) -> NDArray[np.float64]:
        """Return the leave-one-out residuals r / (1 - h), of shape (rows, points).

        `turn(V)` yields blocks of the rows times V, and `base` is the leverage of an intercept. This takes
        O(n d (d + points)) and does not copy the rows.
        """
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
    """Return two factors of a matrix.

    Shrinkage is so smooth in the penalty that a few columns span all the others up to rounding.
    """
    left, size, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int(np.sum(size > EPS * size.max(initial=0.0)))
    return (left[:, :rank] * size[:rank], right[:rank]) if 2 * rank < len(right) else (matrix, np.eye(matrix.shape[1]))


class KernelSpectrum(Spectrum):
    """Dual form: a = (K + alpha)⁻¹ y, with leave-one-out residuals a_i / ((K + alpha)⁻¹)_ii.

    `fixed` is a unit vector in the null space of K, the column of an intercept. It is removed from the decomposition,
    since it is not penalized and its part of the inverse does not contribute to the residual.
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
        """Return the dual coefficients, of shape (rows, points)."""
        return self.vectors @ (self.inverse(grid) * self.cross[:, None])

    def squared_error(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the sum of squared residuals at each penalty."""
        return self.cross**2 @ (1 - self.values[:, None] * self.inverse(grid)) ** 2

    def penalized_error(self, alpha: float) -> float:
        """Return the sum of squared residuals plus alpha times the squared norm of the solution."""
        return float(self.cross**2 @ (alpha * self.inverse(np.array([alpha]))[:, 0]))

    def left_out(self, grid: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out residuals (rows, points) in O(n² points), without a copy of the eigenvectors."""
        inverse = self.inverse(grid)
        result = np.matmul(self.vectors, inverse * self.cross[:, None])
        step = max(1, BLOCK_NUMBERS // max(len(self.values), 1))
        for start in range(0, len(result), step):
            rows = slice(start, start + step)
            diagonal = np.square(self.vectors[rows]) @ inverse
            np.divide(result[rows], diagonal, out=result[rows], where=diagonal != 0)
        return result
