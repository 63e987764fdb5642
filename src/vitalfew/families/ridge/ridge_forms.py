"""Primal and dual forms of ridge regression, on second moments of columns or on products of rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vitalfew.data.samples.numeric_data import NumericData, check_products
from vitalfew.families.linear.least_squares import is_constant
from vitalfew.families.linear.standardize import divided, scaled
from vitalfew.families.ridge.eigen import BLOCK_NUMBERS, DIGITS, EPS, GramSpectrum, KernelSpectrum, digits_left
from vitalfew.summaries.moments import Moments
from vitalfew.support.deadline import check_deadline


class Solutions(NamedTuple):
    """Solutions at several points, or at one point without the first axis.

    Each point has its coefficients (points, columns), weighted sum of squared residuals, trace of the hat matrix, and
    the trusted digits of the coefficients as a whole and of the least accurate one.
    """

    coef: Any
    squared_error: Any
    degrees_of_freedom: Any
    digits: Any
    digits_of_each: Any

    @classmethod
    def join(cls, parts: list[Solutions]) -> Solutions:
        return cls(*(np.stack(each) for each in zip(*parts)))

    def put(self, point: int, solution: Solutions) -> None:
        """Replace the solution at one point."""
        for values, value in zip(self, solution):
            values[point] = value


class PrimalForm:
    """Primal form on second moments: eigenvalues of the Gram matrix for many penalties, a Cholesky factor for one.

    With `scale`, all quantities are those of columns divided by it.
    """

    def __init__(self, moments: Moments, has_intercept: bool, scale: NDArray | None = None):
        self.scale, moments = scale, scaled(moments, scale)
        self.mean, self.y_mean = moments.mean[:-1], float(moments.mean[-1])
        self.weight_sum, self.has_intercept = moments.weight_sum, has_intercept
        second = moments.scatter.copy()
        if has_intercept:
            # The scatter of a constant column is only rounding error.
            constant = np.diag(second) <= moments.weight_sum * (64 * EPS * moments.mean) ** 2
            second[constant] = 0
            second[:, constant] = 0
        else:
            second += np.outer(moments.weight_sum * moments.mean, moments.mean)
            self.mean, self.y_mean = np.zeros_like(self.mean), 0.0
        self.gram, self.cross, self.square = second[:-1, :-1], second[:-1, -1].copy(), float(second[-1, -1])

    @cached_property
    def spectrum(self) -> GramSpectrum:
        return GramSpectrum(np.array(self.gram, order="F"), self.cross, self.square)

    def is_safe(self, grid: NDArray) -> NDArray[np.bool_]:
        """Return a mask of the penalties at which eigenvalues preserve enough digits."""
        return digits_left(self.spectrum.condition(grid)) >= DIGITS

    def many(self, grid: NDArray) -> Solutions:
        """Compute the solutions at many penalties from the eigenvalues."""
        e = self.spectrum
        digits = digits_left(e.condition(grid))
        return Solutions(e.coef(grid), e.squared_error(grid), e.degrees_of_freedom(grid), digits, digits.copy())

    def one(self, alpha: float) -> Solutions:
        """Compute the solution at one penalty by Cholesky factorization.

        The matrix is scaled to a unit diagonal, so that columns may have any unit.
        """
        used = np.flatnonzero(np.diag(self.gram) > 0)
        matrix, cross = self.gram[np.ix_(used, used)], self.cross[used]
        size = np.sqrt(np.diag(matrix) + alpha)
        scaled = matrix / np.outer(size, size)
        np.einsum("ii->i", scaled)[:] = 1
        found = solve_positive(scaled, cross / size)
        coef = np.zeros(len(self.cross))
        if found is None:
            coef[used], freedom = _least_norm(scaled, cross / size, size) if alpha == 0 else self._shrunk(used, alpha)
            whole, each = np.inf, np.inf
        else:
            solution, diagonal, whole = found
            coef[used] = solution / size
            freedom = len(used) - alpha * float(np.sum(diagonal / size**2))
            each = max(whole, _condition_of_each(solution, diagonal, np.sqrt(self.square)))
        error = self.square - 2 * coef @ self.cross + coef @ self.gram @ coef
        return Solutions(coef, max(float(error), 0.0), freedom, digits_left(whole), digits_left(each))

    def _shrunk(self, used: Any, alpha: float) -> Any:
        at = np.array([alpha])
        e = self.spectrum
        return e.coef(at)[0, used], float(e.degrees_of_freedom(at)[0])

    def left_out(self, data: NumericData, grid: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out residuals, of shape (rows, points)."""
        weight = data.weight
        base = 0.0 if not self.has_intercept else (1.0 if weight is None else weight) / self.weight_sum
        turn = partial(rows_times, data.X, self.mean, self.scale)
        return self.spectrum.left_out(turn, data.target - self.y_mean, weight, grid, base)


class DualForm:
    """Dual form on the n x n matrix of products of rows, for more columns than rows.

    With `scale`, all quantities are those of columns divided by it.
    """

    def __init__(self, data: NumericData, has_intercept: bool, scale: NDArray | None = None):
        check_products(data)
        self.scale, weight = scale, data.weights
        self.weight_sum, self.has_intercept = float(weight.sum()), has_intercept
        self.root = np.sqrt(weight)
        self.X, self.is_sparse = data.X, sparse.issparse(data.X)
        self.mean = np.asarray((weight / self.weight_sum) @ data.X if has_intercept else np.zeros(data.n_features))
        self.y_mean = float(weight @ data.target / self.weight_sum) if has_intercept else 0.0
        self.y = self.root * (data.target - self.y_mean)
        self.fixed = self.root / np.sqrt(self.weight_sum) if has_intercept else None
        if not self.is_sparse:
            self.X = np.subtract(data.X, self.mean, dtype=np.float64)
            self.X *= self.root[:, None]
            if has_intercept:
                self.X[:, is_constant(data.X, has_intercept)] = 0
        if scale is not None:
            self.X, self.mean = divided(self.X, scale, out=None if self.is_sparse else self.X), self.mean / scale

    def kernel(self) -> NDArray[np.float64]:
        """Return the weighted products of centered rows."""
        if not self.is_sparse:
            return self.X @ self.X.T
        rows = self.X.tocsr().astype(np.float64)
        product = (rows @ rows.T).toarray()
        at_mean = rows @ self.mean
        product -= at_mean[:, None]
        product -= at_mean
        product += self.mean @ self.mean
        product *= self.root[:, None]
        product *= self.root
        return product

    @cached_property
    def spectrum(self) -> KernelSpectrum:
        found = KernelSpectrum(self.kernel(), self.y, self.fixed)
        found.values = np.maximum(found.values, 0)
        return found

    def is_safe(self, grid: NDArray) -> NDArray[np.bool_]:
        """Return a mask of the penalties at which eigenvalues preserve enough digits.

        Solving from the rows improves only on least squares, so all positive penalties count as safe.
        """
        return (grid > 0) | (digits_left(self.spectrum.condition(grid)) >= DIGITS)

    def many(self, grid: NDArray) -> Solutions:
        """Compute the solutions at many penalties from the eigenvalues."""
        e = self.spectrum
        dual = e.dual(grid)
        digits = digits_left(e.condition(grid))
        return Solutions(self._coef(dual), e.squared_error(grid), e.degrees_of_freedom(grid), digits, digits.copy())

    def one(self, alpha: float) -> Solutions:
        """Compute the solution at one penalty by Cholesky factorization."""
        kernel = self.kernel()
        np.einsum("ii->i", kernel)[:] += alpha
        found = solve_positive(kernel, self.y)
        if found is None:
            return Solutions(*(each[0] for each in self.many(np.array([alpha]))))
        dual, diagonal, condition = found
        freedom = len(dual) - alpha * float(diagonal.sum())
        digits = digits_left(condition)
        residual = alpha * dual  # a huge penalty has no square
        return Solutions(self._coef(dual[:, None])[0], float(residual @ residual), freedom, digits, digits)

    def _coef(self, dual: NDArray) -> NDArray[np.float64]:
        if not self.is_sparse:
            return dual.T @ self.X
        weighted = dual * self.root[:, None]
        return np.asarray((self.X.T @ weighted).T) - np.outer(weighted.sum(axis=0), self.mean)

    def left_out(self, _data: NumericData, grid: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out residuals, of shape (rows, points)."""
        return self.spectrum.left_out(grid) / self.root[:, None]


def rows_times(
    X: Any, mean: NDArray, scale: NDArray | None, vectors: NDArray
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield centered, scaled rows times vectors in blocks of rows; each block overwrites the previous one."""
    n, d = X.shape
    if scale is not None:
        mean, vectors = mean * scale, vectors / scale[:, None]
    step = max(64, BLOCK_NUMBERS // max(d, 1))
    if sparse.issparse(X):
        X, shift = X.tocsr(), mean @ vectors
    else:
        centered, product = np.empty((min(step, n), d)), np.empty((min(step, n), vectors.shape[1]))
    for start in range(0, n, step):
        check_deadline()
        rows = slice(start, min(start + step, n))
        if sparse.issparse(X):
            yield rows, np.asarray(X[rows] @ vectors) - shift
        else:
            size = rows.stop - rows.start
            np.subtract(X[rows], mean, out=centered[:size])
            yield rows, np.matmul(centered[:size], vectors, out=product[:size])


def solve_positive(matrix: NDArray, rhs: NDArray) -> tuple[NDArray, NDArray, float] | None:
    """Solve a positive definite system in O(n³), or return None if the matrix is not positive definite.

    Returns the solution, the diagonal of the inverse and the condition number.
    """
    check_deadline()
    norm = float(np.abs(matrix).sum(axis=0).max(initial=0.0))
    lower, info = linalg.lapack.dpotrf(matrix.T, lower=1)
    if info or not len(rhs):
        return None if info else (rhs, rhs, 1.0)
    reciprocal, _ = linalg.lapack.dpocon(lower, norm, uplo="L")
    if reciprocal < len(rhs) * EPS:
        return None
    solution = linalg.cho_solve((lower, True), rhs, check_finite=False)
    inverse, _ = linalg.lapack.dtrtri(lower, lower=1, overwrite_c=1)
    return solution, np.einsum("ij,ij->j", inverse, inverse), 1 / reciprocal


def _condition_of_each(solution: NDArray, diagonal: NDArray, y_norm: float) -> float:
    """Return the largest amplification of rounding error in any coefficient that is not negligible.

    Next to a large coefficient, a small one has fewer accurate digits than the condition number suggests.
    """
    matters = np.abs(solution) > 1e-6 * np.abs(solution).max(initial=0.0)
    error = np.sqrt(diagonal * diagonal.max(initial=0.0)) * (y_norm + np.linalg.norm(solution))
    return float(np.max(error[matters] / np.abs(solution[matters]), initial=1.0))


def _least_norm(scaled: NDArray, cross: NDArray, size: NDArray) -> tuple[NDArray, float]:
    """Return the least-norm least-squares solution for columns with collinear second moments, and their rank."""
    values, vectors = linalg.eigh(scaled, driver="evd", check_finite=False)
    keep = values > 16 * len(values) * EPS * values.max(initial=0.0)
    kept = vectors[:, keep]
    coef = kept @ ((cross @ kept) / values[keep]) / size
    row_space = linalg.qr(kept * size[:, None], mode="economic", check_finite=False)[0]
    return row_space @ (row_space.T @ coef), float(keep.sum())
