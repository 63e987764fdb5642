"""Least squares to full precision: orthogonal factorization, refined with residuals in double-double arithmetic."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.double_double import Pair, add, multiply, sum_rows, times, transposed_times, two_sum
from vitalfew.families.linear.polynomial_columns import lost_digits

EPS = float(np.finfo(float).eps)
MOST_STEPS = 12
ENOUGH = 2.0**-60
MOST_NUMBERS = 2**27
# A row with one minus leverage below this threshold is the only one that determines some direction of the fit.
LEVERAGE_LEFT = 1e-12


class LeastSquares:
    r"""Minimizer of :math:`\sum_i w_i (y_i - b - x_i^T \beta)^2 + \alpha \|\beta\|^2`, of least norm if not unique.

    With `units`, the norm is that of the coefficients of columns divided by these units: of :math:`\beta_j u_j`.
    Columns are centered, scaled by powers of two and factorized (Householder QR with pivoting). The solution for the
    original rows is then refined by Björck's method, with residuals in double-double arithmetic. The only digits lost
    are thus those already lost by rounding X and y, unless the condition number of the centered, scaled columns exceeds
    about 1e15. Columns that are powers of another column are treated as if they had not been rounded. O(n d²).

    References
    ----------
    Björck (1967), doi:10.1007/BF01939321.
    """

    def __init__(self, data: NumericData, has_intercept: bool, alpha: float = 0.0, units: NDArray | None = None):
        X = data.X.toarray() if sparse.issparse(data.X) else data.X
        self.n, self.d = X.shape
        self.alpha, self.has_intercept = alpha, has_intercept
        weight = data.weights
        self.weight_sum = float(weight.sum())
        self.root = np.sqrt(weight)
        mean = (weight / self.weight_sum) @ X if has_intercept else np.zeros(self.d)
        self.varying = np.flatnonzero(~is_constant(X, has_intercept))
        self.X = np.array(X[:, self.varying], dtype=np.float64, order="F")
        self.lost = lost_digits(self.X)
        self.units = np.ones(len(self.varying)) if units is None else units[self.varying]
        self._scale(mean[self.varying], data.target, weight)
        self._factorize()

    def _scale(self, mean: Any, y: Any, weight: NDArray[np.float64] | None) -> None:
        centered = self.X - mean
        centered *= self.root[:, None]
        norm = np.sqrt(np.einsum("ij,ij->j", centered, centered) + self.alpha * self.units**2)
        self.scale = np.exp2(-np.round(np.log2(np.where(norm > 0, norm, 1.0))))  # squares may underflow
        self.X *= self.scale
        self.lost = {j: lost * self.scale[j] for j, lost in self.lost.items()}
        self.mean = mean * self.scale
        self.y_mean = float(weight @ y / self.weight_sum) if self.has_intercept else 0.0
        self.y_scale = float(np.exp2(-np.round(np.log2(np.abs(y).max() or 1.0))))
        self.y = two_sum(y * self.y_scale, -self.y_mean * self.y_scale)
        self.ridge = np.sqrt(self.alpha) * self.scale * self.units

    def _factorize(self) -> None:
        centered = self.X - self.mean
        if self.has_intercept:
            centered -= (self.root**2 / self.weight_sum) @ centered  # remove the rounding error of the mean
        noise = EPS * (1 + np.maximum(self.X.max(axis=0), -self.X.min(axis=0)) * np.sqrt(self.weight_sum))
        centered *= self.root[:, None]
        if self.alpha:
            centered = np.vstack([centered, np.diag(self.ridge)])
        if not len(self.varying):
            self.rank, self.basic, self.order = 0, np.arange(0), np.arange(0)
            self.Q, self.R = np.zeros((len(centered), 0)), np.zeros((0, 0))
            return
        Q, R, order = linalg.qr(centered, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
        # A column within rounding error of a linear combination of others counts as that combination.
        kept = np.abs(np.diag(R)) > 16 * np.sqrt(max(centered.shape)) * noise[order[: len(R)]]
        self.rank = int(np.argmin(kept)) if not kept.all() else len(kept)
        self.basic, self.order = order[: self.rank], order
        self.Q, self.R = Q[:, : self.rank], R[: self.rank]

    @cached_property
    def _refined(self) -> tuple[Pair, Pair, Pair]:
        """Scaled intercept, scaled coefficients of the basic columns, and residuals including those of the penalty."""
        target = multiply(self.root, self.y)
        if self.alpha:
            target = Pair(*(np.append(part, np.zeros(len(self.ridge))) for part in target))
        theta = Pair.of(np.zeros(self.rank + 1))
        residual = Pair.of(np.zeros(len(target.high)))
        last = np.inf
        for _ in range(MOST_STEPS):
            f = add(add(target, -residual), -self._times(theta))
            g = -self._transposed_times(residual)
            step, change = self._correct(f.high, g.high)
            size = float(np.max(np.abs(step), initial=0.0))
            if not size < last:
                break
            theta, residual, last = add(theta, Pair.of(step)), add(residual, Pair.of(change)), 0.5 * size
            # The intercept of centered data may be zero, so its step is compared with y, which is scaled to about one.
            if (np.abs(step) <= ENOUGH * np.append(1.0, np.abs(theta.high[1:]))).all():
                break
        return theta.part(slice(0, 1)), theta.part(slice(1, None)), residual

    def _correct(self, f: NDArray, g: NDArray) -> tuple[NDArray, NDArray]:
        """Solve r + A θ = f, Aᵀ r = g with the QR factors; the intercept column is orthogonal to the others."""
        one = self._one()
        total = float(one @ one)
        from_g = self._divide(g[1:], trans="T")
        at_one = (one @ f - g[0]) / total if total else 0.0
        at_rest = self.Q.T @ f - from_g
        step = self._divide(at_rest)
        return np.append(at_one, step), f - one * at_one - self.Q @ at_rest

    def _divide(self, target: NDArray, trans: str = "N") -> NDArray[np.float64]:
        """Return R⁻¹ (or its transpose) times `target` on the basic columns; SciPy 1.12 rejects an empty triangle."""
        if not self.rank:
            return np.zeros(target.shape)
        return linalg.solve_triangular(self.R[:, : self.rank], target, trans=trans, check_finite=False)

    def _one(self) -> NDArray[np.float64]:
        one = np.zeros(len(self.Q))
        if self.has_intercept:
            one[: self.n] = self.root
        return one

    def _times(self, theta: Pair) -> Pair:
        slopes = theta.part(slice(1, None))
        at_mean = sum_rows(multiply(self.mean[self.basic], slopes)) if self.rank else Pair(*np.zeros((2,)))
        shift = add(theta.part(0), -at_mean)
        fitted = add(times(self.X[:, self.basic], slopes), shift)
        for at, lost in self._lost_basic:
            fitted = add(fitted, Pair.of(lost * slopes.high[at]))
        top = multiply(self.root, fitted)
        if not self.alpha:
            return top
        bottom = multiply(self.ridge[self.basic], slopes)
        return Pair(*(np.append(a, _spread(b, self.basic, len(self.ridge))) for a, b in zip(top, bottom)))

    def _transposed_times(self, residual: Pair) -> Pair:
        weighted = multiply(self.root, residual.part(slice(0, self.n)))
        total = sum_rows(weighted)
        products = transposed_times(self.X[:, self.basic], weighted)
        for at, lost in self._lost_basic:
            products.low[at] += lost @ weighted.high
        rest = add(products, -multiply(self.mean[self.basic], total))
        if self.alpha:
            bottom = residual.part(slice(self.n, None)).part(self.basic)
            rest = add(rest, multiply(self.ridge[self.basic], bottom))
        first = total if self.has_intercept else Pair.of(0.0)
        return Pair(*(np.append(a, b) for a, b in zip(first, rest)))

    @cached_property
    def _lost_basic(self) -> list[tuple[int, NDArray[np.float64]]]:
        return [(at, self.lost[int(j)]) for at, j in enumerate(self.basic) if int(j) in self.lost]

    @cached_property
    def solution(self) -> tuple[NDArray[np.float64], float]:
        """Coefficients and intercept."""
        shift, slopes, _ = self._refined
        coef = np.zeros(len(self.varying))
        coef[self.basic] = slopes.high
        full = np.zeros(self.d)
        if self.rank < len(self.varying):
            full[self.varying] = self._least_norm(coef * self.scale) / self.y_scale
            scaled = Pair.of(full[self.varying] / self.scale * self.y_scale)
            at_mean = sum_rows(multiply(self.mean, scaled))
        else:
            full[self.varying] = coef * self.scale / self.y_scale
            at_mean = sum_rows(multiply(self.mean[self.basic], slopes)) if self.rank else Pair.of(0.0)
        if not self.has_intercept:
            return full, 0.0
        intercept = add(add(shift.part(0), -at_mean), Pair.of(self.y_mean * self.y_scale))
        return full, float(intercept.high) / self.y_scale

    def _least_norm(self, coef: NDArray) -> NDArray:
        """Project coefficients (last axis) onto the row space, which gives the least norm with the same fit."""
        return ((coef * self.units) @ self._row_space) @ self._row_space.T / self.units

    @cached_property
    def _row_space(self) -> NDArray[np.float64]:
        rows = np.empty((self.rank, len(self.varying)))
        rows[:, self.order] = self.R
        rows /= self.scale * self.units
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return linalg.qr(rows.T, mode="economic", check_finite=False)[0]

    @property
    def squared_error(self) -> float:
        """Weighted sum of squared residuals."""
        residual = self._refined[2].high[: self.n] / self.y_scale
        return float(residual @ residual)

    @property
    def degrees_of_freedom(self) -> float:
        r"""Trace of the hat matrix without the intercept."""
        top = self.Q[: self.n]
        return float(np.einsum("ij,ij->", top, top)) if self.alpha else float(self.rank)

    def left_out(self) -> NDArray[np.float64]:
        """Return the leave-one-out residual of each row.

        It is exact even for a row that alone determines a direction of the fit: removing such a row takes from the
        least-norm solution its component along the corresponding row of the pseudoinverse.
        """
        top = self.Q[: self.n]
        left = 1 - np.einsum("ij,ij->i", top, top)
        if self.has_intercept:
            left -= self.root**2 / self.weight_sum
        residual = self._refined[2].high[: self.n] / (self.y_scale * self.root)
        alone = np.flatnonzero(left < LEVERAGE_LEFT) if not self.alpha else np.arange(0)
        result = residual / np.maximum(left, EPS)
        if len(alone):
            inverse = np.zeros((len(alone), len(self.varying)))
            inverse[:, self.basic] = self._divide(top[alone].T).T
            inverse = self._least_norm(inverse * self.scale)
            coef = self.solution[0][self.varying]
            result[alone] = inverse @ coef / (np.einsum("ij,ij->i", inverse, inverse) * self.root[alone])
        return result


def is_constant(X: NDArray, has_intercept: bool) -> NDArray[np.bool_]:
    """Return a mask of the columns whose coefficient is zero: constant if there is an intercept, else all zeros."""
    high, low = X.max(axis=0), X.min(axis=0)
    if not has_intercept:
        return (high == 0) & (low == 0)
    return high - low <= 4 * EPS * np.maximum(np.abs(high), np.abs(low))


def is_affordable(data: NumericData) -> bool:
    """Return True if the data is small enough to make a few dense copies."""
    return data.n_rows * data.n_features <= MOST_NUMBERS


def _spread(values: NDArray, index: NDArray, size: int) -> NDArray:
    full = np.zeros(size)
    full[index] = values
    return full


def least_squares(data: NumericData, has_intercept: bool) -> tuple[NDArray[np.float64], float]:
    """Return the least-squares coefficients of least norm and the intercept."""
    return LeastSquares(data, has_intercept).solution
