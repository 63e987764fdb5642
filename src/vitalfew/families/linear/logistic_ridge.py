"""Logistic regression with a ridge penalty, by Newton steps solved directly or by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.logistic_path import log_probabilities, one_hot, unit_scale
from vitalfew.support.deadline import check_deadline

MOST_STEPS = 200
# The Hessian is formed explicitly for up to this many coefficients.
MOST_DIRECT = 400
# Pivots of a unit-diagonal matrix above this value are nonzero despite rounding.
LEAST_PIVOT = 1e-9


class RidgeObjective:
    r"""Mean log loss :math:`+ \frac{\alpha}{2} \sum_j f_j \|\beta_j\|^2` of coefficients (outputs, features + 1).

    The last column holds the intercepts, which are not penalized and stay zero if no intercept is fitted. With an
    intercept, columns are implicitly centered: the intercepts are those for centered columns, see `to_plain`.
    """

    def __init__(self, data: NumericData, n_outputs: int, factor: NDArray | None, has_intercept: bool):
        weight = data.weights
        self.X, self.weight = data.columns, weight / weight.sum()
        self.n_outputs, self.has_intercept = n_outputs, has_intercept
        factor = np.ones(data.n_features) if factor is None else factor
        self.is_out = np.isinf(factor)
        self.factor = np.where(self.is_out, 0.0, factor)
        self.mean = np.asarray(self.X.T @ self.weight).ravel() if has_intercept else np.zeros(data.n_features)
        squares = self.X.multiply(self.X) if sparse.issparse(self.X) else np.square(self.X)
        self.spread = np.asarray(squares.T @ self.weight).ravel() - self.mean**2
        self.own = one_hot(data.label, max(n_outputs, 2))

    def start(self) -> NDArray:
        """Return the coefficients of the null model."""
        theta = np.zeros((self.n_outputs, self.X.shape[1] + 1))
        if self.has_intercept:
            share = np.log(np.maximum(self.weight @ self.own, 1e-12))
            theta[:, -1] = share[1] - share[0] if self.n_outputs == 1 else share
        return theta

    def to_plain(self, theta: NDArray) -> NDArray:
        """Return the coefficients of the same function with the intercepts for uncentered columns."""
        return np.column_stack([theta[:, :-1], theta[:, -1] - theta[:, :-1] @ self.mean])

    def predictor(self, theta: NDArray) -> NDArray:
        return np.asarray(self.X @ theta[:, :-1].T) + (theta[:, -1] - theta[:, :-1] @ self.mean)

    def back(self, residual: NDArray) -> NDArray:
        """Return the gradient of the loss, given weighted residuals of shape (rows, outputs)."""
        total = residual.sum(axis=0)
        gradient = np.asarray(self.X.T @ residual).T - np.outer(total, self.mean)
        gradient[:, self.is_out] = 0
        return np.column_stack([gradient, total if self.has_intercept else np.zeros(self.n_outputs)])

    def evaluate(self, theta: NDArray, alpha: float) -> tuple[float, NDArray, NDArray, float]:
        """Return the objective, its gradient, the class probabilities and the mean log loss."""
        log_p = log_probabilities(self.predictor(theta))
        loss = -float(self.weight @ np.sum(self.own * log_p, axis=1))
        probability = np.exp(log_p)
        residual = (probability - self.own) * self.weight[:, None]
        gradient = self.back(residual[:, -self.n_outputs :])
        ridge = alpha * self.factor * theta[:, :-1]
        gradient[:, :-1] += ridge
        return loss + 0.5 * float(np.sum(ridge * theta[:, :-1])), gradient, probability, loss

    def bend(self, move: NDArray, probability: NDArray) -> NDArray:
        """Return the weighted derivative of the residual along a change of the linear predictors."""
        p = probability[:, -self.n_outputs :]
        bent = p * (1 - p) * move if self.n_outputs == 1 else p * (move - np.sum(p * move, axis=1, keepdims=True))
        return bent * self.weight[:, None]

    def curve(self, direction: NDArray, probability: NDArray, alpha: float) -> NDArray:
        """Return the product of the Hessian and a direction."""
        found = self.back(self.bend(self.predictor(direction), probability))
        found[:, :-1] += alpha * self.factor * direction[:, :-1]
        return found

    def diagonal(self, probability: NDArray, alpha: float) -> NDArray:
        """Return the diagonal of the Hessian."""
        p = probability[:, -self.n_outputs :]
        share = p * (1 - p) * self.weight[:, None]
        total = share.sum(axis=0)
        squares = self.X.multiply(self.X) if sparse.issparse(self.X) else self.X**2
        second = np.asarray(squares.T @ share).T
        cross = np.asarray(self.X.T @ share).T
        inner = second - 2 * cross * self.mean + np.outer(total, self.mean**2) + alpha * self.factor
        return np.column_stack([np.maximum(inner, 0), total])

    @cached_property
    def centered(self) -> NDArray[np.float64]:
        """Dense array of the centered columns and the intercept column."""
        X = self.X.toarray() if sparse.issparse(self.X) else np.asarray(self.X, dtype=float)
        X = np.column_stack([X - self.mean, np.full(len(X), float(self.has_intercept))])
        X[:, :-1][:, self.is_out] = 0
        return X

    def matrix(self, probability: NDArray, alpha: float) -> NDArray:
        """Return the Hessian, with coordinates ordered by output."""
        p, X = probability[:, -self.n_outputs :], self.centered
        width = X.shape[1]
        full = np.empty((self.n_outputs * width,) * 2)
        for k in range(self.n_outputs):
            for other in range(k + 1):
                share = p[:, k] * ((k == other) - p[:, other]) * self.weight
                if k == other:  # a symmetric product takes half the work
                    root = X * np.sqrt(share)[:, None]
                    block = root.T @ root
                else:
                    block = X.T @ (X * share[:, None])
                full[k * width : (k + 1) * width, other * width : (other + 1) * width] = block
                full[other * width : (other + 1) * width, k * width : (k + 1) * width] = block
        ridge = np.tile(np.append(alpha * self.factor, 0.0), self.n_outputs)
        full[np.diag_indices_from(full)] += ridge
        return full


def newton_step(objective: RidgeObjective, gradient: NDArray, probability: NDArray, alpha: float) -> NDArray:
    """Return the Newton step, solved exactly for small problems and by conjugate gradients otherwise."""
    if gradient.size <= MOST_DIRECT:
        full = objective.matrix(probability, alpha)
        scale = unit_scale(full)
        step = -solve_symmetric(full / np.outer(scale, scale), gradient.ravel() / scale) / scale
        step = step.reshape(gradient.shape)
        step[:, :-1][:, objective.is_out] = 0
        return step
    return _conjugate_gradients(objective, gradient, probability, alpha)


def solve_symmetric(matrix: NDArray, right: NDArray) -> NDArray:
    """Solve a symmetric linear system, with no component along null directions.

    Elimination is used if the matrix is clearly positive definite, otherwise its eigenvalues, at ten times the cost.
    The null directions change nothing: a shift of all outputs together, or constant columns.
    """
    try:
        is_definite = np.linalg.cholesky(matrix).diagonal().min() ** 2 > LEAST_PIVOT
    except np.linalg.LinAlgError:
        is_definite = False
    if is_definite:
        return np.linalg.solve(matrix, right)
    values, vectors = np.linalg.eigh(matrix)
    inverse = np.where(values > 1e-13 * values.max(), 1 / np.maximum(values, 1e-300), 0.0)
    return vectors @ (inverse * (vectors.T @ right))


def _conjugate_gradients(objective: RidgeObjective, gradient: NDArray, probability: NDArray, alpha: float) -> NDArray:
    """Return the Newton step by diagonally preconditioned conjugate gradients, more accurate for smaller gradients."""
    diagonal = objective.diagonal(probability, alpha)
    inverse = np.where(diagonal > 1e-300, 1 / np.maximum(diagonal, 1e-300), 0.0)
    step, residual = np.zeros_like(gradient), -gradient
    scaled = inverse * residual
    direction, square = scaled.copy(), float(np.sum(residual * scaled))
    enough = min(0.1, np.sqrt(np.sqrt(square))) ** 2 * square
    for _ in range(1000):
        check_deadline()
        bent = objective.curve(direction, probability, alpha)
        along = float(np.sum(direction * bent))
        if along <= 1e-300:
            break
        length = square / along
        step += length * direction
        residual -= length * bent
        scaled = inverse * residual
        new = float(np.sum(residual * scaled))
        if new <= enough:
            break
        direction = scaled + new / square * direction
        square = new
    return step


class Solutions(NamedTuple):
    """Solutions at the penalties of a grid."""

    grid: NDArray[np.float64]
    coef: sparse.csr_array  # (penalties, outputs x features)
    intercept: NDArray[np.float64]  # (penalties, outputs)
    gap: NDArray[np.float64]  # duality gap relative to the null loss
    loss: NDArray[np.float64]


def ridge_path(
    objective: RidgeObjective,
    grid: NDArray,
    tol: float,
    slope: float,
    progress: Callable[[float], None] | None,
) -> Solutions:
    """Return the solution at each penalty, with warm starts, to a relative gap and a largest gradient."""
    theta = objective.start()
    null_loss = objective.evaluate(theta, 0.0)[3]
    coef, intercept, gaps, losses = [], [], [], []
    wanted = Wanted(tol * null_loss, slope)
    past: list[tuple[float, NDArray]] = []
    for point, alpha in enumerate(grid):
        start = _extrapolated(past, float(alpha))
        theta, gap, loss = _minimize(objective, theta, float(alpha), wanted, start)
        past = [*past[-2:], (float(alpha), theta)]
        plain = objective.to_plain(theta)
        coef.append(plain[:, :-1].ravel().copy())
        intercept.append(plain[:, -1].copy())
        gaps.append(gap / null_loss if null_loss > 0 else 0.0)
        losses.append(loss)
        if progress is not None:
            progress(point + 1.0)
    return Solutions(grid, sparse.csr_array(np.array(coef)), np.array(intercept), np.array(gaps), np.array(losses))


class Wanted(NamedTuple):
    """Accuracy to reach: the duality gap, and the largest component of the gradient."""

    gap: float
    slope: float


def slack(tol: float, weight_sum: float) -> float:
    """Return the violation of optimality that is tolerated: 1e-6 for the sum of losses, at the default tolerance."""
    return 1e-2 * max(tol, 1e-6) / weight_sum


def _extrapolated(past: list[tuple[float, NDArray]], alpha: float) -> NDArray | None:
    """Return the parabola through the last three solutions over log alpha at a new penalty, a closer start."""
    if len(past) < 3 or alpha <= 0 or min(a for a, _ in past) <= 0:
        return None
    nodes = np.log([a for a, _ in past])
    at, found = np.log(alpha), np.zeros_like(past[0][1])
    for i, (_, theta) in enumerate(past):
        others = np.delete(nodes, i)
        found += np.prod((at - others) / (nodes[i] - others)) * theta
    return found


def _minimize(
    objective: RidgeObjective, theta: NDArray, alpha: float, wanted: Wanted, start: NDArray | None = None
) -> tuple[NDArray, float, float]:
    """Return the solution at one penalty, its duality gap and its loss, from the better of two starts."""
    state = objective.evaluate(theta, alpha)
    if start is not None:
        other = objective.evaluate(start, alpha)
        if other[0] < state[0]:
            theta, state = start, other
    fell = np.inf
    for _ in range(MOST_STEPS):
        check_deadline()
        if _is_done(state, alpha, objective, fell, wanted):
            theta = _settle(objective, theta)
            state = objective.evaluate(theta, alpha)
            if _is_done(state, alpha, objective, fell, wanted):
                break
        value, gradient, probability, _ = state
        step = newton_step(objective, gradient, probability, alpha)
        slope, length = float(np.sum(gradient * step)), 1.0
        while True:
            found = objective.evaluate(theta + length * step, alpha)
            # Close to the minimum, rounding hides the decrease of the objective but not that of the gradient.
            is_higher = found[0] > value + 1e-12 * abs(value)
            is_steeper = is_higher or np.abs(found[1]).max() > 0.5 * np.abs(gradient).max()
            if found[0] <= value + 1e-4 * length * slope or length < 1e-8 or not is_steeper:
                break
            length /= 2
        if not found[0] < value and is_steeper:
            theta = _settle(objective, theta)
            state = objective.evaluate(theta, alpha)
            fell = 0.0
            break
        fell = max(value - found[0], 0.0)
        theta, state = theta + length * step, found
    return theta, _gap(state[1], alpha, objective, fell), state[3]


def _is_done(state: Any, alpha: float, objective: RidgeObjective, fell: float, wanted: Wanted) -> bool:
    _, gradient, _, loss = state
    is_optimal = _gap(gradient, alpha, objective, fell) <= wanted.gap and np.abs(gradient).max() <= wanted.slope
    return loss < 1e-10 or is_optimal


def _settle(objective: RidgeObjective, theta: NDArray) -> NDArray:
    """Return coefficients with the intercepts at which the residuals have mean zero, as the dual requires."""
    for _ in range(20 if objective.has_intercept else 0):
        probability = np.exp(log_probabilities(objective.predictor(theta)))[:, -objective.n_outputs :]
        residual = (probability - objective.own[:, -objective.n_outputs :]) * objective.weight[:, None]
        slope = residual.sum(axis=0)
        if np.abs(slope).max() <= 1e-15:
            break
        bent = np.diag(objective.weight @ probability) - (probability * objective.weight[:, None]).T @ probability
        theta = theta.copy()
        theta[:, -1] -= np.clip(np.linalg.pinv(bent, rcond=1e-12) @ slope, -1, 1)
    return theta


def _gap(gradient: NDArray, alpha: float, objective: RidgeObjective, fell: float) -> float:
    """Return the duality gap at the residual: Σ g² / (2 α f).

    The dual has no slack for unpenalized columns; an estimate of the decrease of the objective by a step along each of
    them is used instead. Without any penalty, the gap is the decrease of the last step.
    """
    penalty = alpha * objective.factor
    is_held = penalty > 0
    if not is_held.any():
        return fell
    gap = float(np.sum(gradient[:, :-1][:, is_held] ** 2 / (2 * penalty[is_held])))
    is_free = ~is_held & (objective.spread > 0)
    return gap + float(np.sum(gradient[:, :-1][:, is_free] ** 2 / (0.1 * objective.spread[is_free])))
