"""Logistic regression with a ridge penalty: Newton steps whose systems are solved by conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.numeric import NumericData
from vitalfew.families.logistic_path import log_probabilities

MOST_STEPS = 200


class RidgeObjective:
    r"""Mean log loss :math:`+ \frac{\alpha}{2} \sum_j f_j \|\beta_j\|^2` of coefficients (outputs, features + 1).

    The last column holds the intercepts, which are not penalised, and stay zero without one.
    """

    def __init__(self, data: NumericData, n_outputs: int, factor: NDArray | None, has_intercept: bool):
        weight = np.ones(data.n_rows) if data.weight is None else data.weight
        self.X, self.weight = data.columns, weight / weight.sum()
        self.n_outputs, self.has_intercept = n_outputs, has_intercept
        self.factor = np.ones(data.n_features) if factor is None else factor
        self.is_out = np.isinf(self.factor)
        self.factor = np.where(self.is_out, 0.0, self.factor)
        self.own = np.zeros((data.n_rows, max(n_outputs, 2)))
        self.own[np.arange(data.n_rows), data.label] = 1.0

    def predictor(self, theta: NDArray) -> NDArray:
        return np.asarray(self.X @ theta[:, :-1].T) + theta[:, -1]

    def back(self, residual: NDArray) -> NDArray:
        """Gradient of the loss from residuals (rows, outputs), weighted."""
        gradient = np.asarray(self.X.T @ residual).T
        gradient[:, self.is_out] = 0
        last = residual.sum(axis=0) if self.has_intercept else np.zeros(self.n_outputs)
        return np.column_stack([gradient, last])

    def evaluate(self, theta: NDArray, alpha: float) -> tuple[float, NDArray, NDArray, float]:
        """Objective, gradient, class probabilities and mean log loss."""
        log_p = log_probabilities(self.predictor(theta))
        loss = -float(self.weight @ np.sum(self.own * log_p, axis=1))
        probability = np.exp(log_p)
        residual = (probability - self.own) * self.weight[:, None]
        gradient = self.back(residual[:, -self.n_outputs :])
        ridge = alpha * self.factor * theta[:, :-1]
        gradient[:, :-1] += ridge
        return loss + 0.5 * float(np.sum(ridge * theta[:, :-1])), gradient, probability, loss

    def curve(self, direction: NDArray, probability: NDArray, alpha: float) -> NDArray:
        """Second derivative along a direction."""
        p = probability[:, -self.n_outputs :]
        move = self.predictor(direction)
        bent = p * (1 - p) * move if self.n_outputs == 1 else p * (move - np.sum(p * move, axis=1, keepdims=True))
        found = self.back(bent * self.weight[:, None])
        found[:, :-1] += alpha * self.factor * direction[:, :-1]
        return found


def newton_step(objective: RidgeObjective, gradient: NDArray, probability: NDArray, alpha: float) -> NDArray:
    """Truncated conjugate gradients, more exact the smaller the gradient."""
    step, residual = np.zeros_like(gradient), -gradient
    direction, square = residual.copy(), float(np.sum(gradient**2))
    enough = min(0.1, np.sqrt(np.sqrt(square))) ** 2 * square
    for _ in range(min(10 * gradient.size, 1000)):
        bent = objective.curve(direction, probability, alpha)
        along = float(np.sum(direction * bent))
        if along <= 1e-300:
            break
        length = square / along
        step += length * direction
        residual -= length * bent
        new = float(np.sum(residual**2))
        if new <= enough:
            break
        direction = residual + new / square * direction
        square = new
    return step


def ridge_path(
    data: NumericData,
    grid: NDArray,
    n_outputs: int,
    factor: NDArray | None,
    has_intercept: bool,
    tol: float,
    heed: Callable[[float], None] | None,
) -> dict[str, Any]:
    """Coefficients, intercepts, relative duality gap and loss at each penalty, each started from the one before."""
    objective = RidgeObjective(data, n_outputs, factor, has_intercept)
    share = objective.weight @ objective.own
    theta = np.zeros((n_outputs, data.n_features + 1))
    if has_intercept:
        log_share = np.log(np.maximum(share, 1e-12))
        theta[:, -1] = log_share[1] - log_share[0] if n_outputs == 1 else log_share
    null_loss = objective.evaluate(theta, 0.0)[3]
    found: dict[str, list] = {"coef": [], "intercept": [], "gap": [], "loss": []}
    for point, alpha in enumerate(grid):
        theta, gap, loss = _minimise(objective, theta, float(alpha), tol * null_loss)
        found["coef"].append(theta[:, :-1].ravel().copy())
        found["intercept"].append(theta[:, -1].copy())
        found["gap"].append(gap / null_loss if null_loss > 0 else 0.0)
        found["loss"].append(loss)
        if heed is not None:
            heed(point + 1.0)
    return {name: np.array(values) for name, values in found.items()}


def _minimise(objective: RidgeObjective, theta: NDArray, alpha: float, wanted: float) -> tuple[NDArray, float, float]:
    value, gradient, probability, loss = objective.evaluate(theta, alpha)
    for _ in range(MOST_STEPS):
        if _gap(gradient, alpha, objective) <= wanted or loss < 1e-10:
            break
        step = newton_step(objective, gradient, probability, alpha)
        slope, length = float(np.sum(gradient * step)), 1.0
        while True:
            found = objective.evaluate(theta + length * step, alpha)
            if found[0] <= value + 1e-4 * length * slope or length < 1e-8:
                break
            length /= 2
        if not found[0] < value:
            break
        theta = theta + length * step
        value, gradient, probability, loss = found
    return theta, _gap(gradient, alpha, objective), loss


def _gap(gradient: NDArray, alpha: float, objective: RidgeObjective) -> float:
    """The dual at the residual: Σ g² / (2 α f). Where there is no penalty, the size of the gradient stands in."""
    penalty = alpha * objective.factor
    is_held = penalty > 0
    inner = gradient[:, :-1]
    gap = float(np.sum(inner[:, is_held] ** 2 / (2 * penalty[is_held])))
    rest = inner[:, ~is_held]
    return gap + float(np.abs(rest).max(initial=0.0)) + float(np.abs(gradient[:, -1]).max(initial=0.0))
