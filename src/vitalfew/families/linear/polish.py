"""Polishing of one point of a logistic path: Newton steps on its active set until the optimality conditions hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.logistic_path import LogisticPath, log_probabilities, one_hot, unit_scale
from vitalfew.families.linear.logistic_ridge import slack, solve_symmetric
from vitalfew.support.deadline import time_left

MOST_STEPS = 30
MOST_ACTIVE = 1000
# Products of numbers for a Hessian, about half a second.
MOST_WORK = 2**32


class PointProblem:
    """Objective of one penalty on standardized, centered columns, with the L1 and ridge penalty of each column."""

    def __init__(self, path: LogisticPath, index: int, data: NumericData, rho: float):
        self.data, self.has_intercept = data, path.has_intercept
        self.weight = data.weights / data.weight_sum
        self.scale = np.ones(data.n_features) if path.scale is None else path.scale
        self.mean = np.asarray(data.X.T @ self.weight).ravel() if self.has_intercept else np.zeros(data.n_features)
        factor = np.ones(data.n_features) if path.factor is None else path.factor
        self.is_out = np.isinf(factor)
        penalty = float(path.grid[index]) * np.where(self.is_out, 0.0, factor)
        self.l1, self.l2 = rho * penalty, (1 - rho) * penalty
        self.own = one_hot(data.label, len(path.classes))

    def block(self, columns: NDArray) -> NDArray[np.float64]:
        """Return some columns, standardized and centered."""
        found = self.data.X[:, columns]
        dense = found.toarray() if sparse.issparse(found) else np.asarray(found, dtype=float)
        return (dense - self.mean[columns]) / self.scale[columns]

    def residual(self, block: NDArray, coef: NDArray, intercept: NDArray) -> tuple[NDArray, NDArray, float]:
        """Return the weighted residuals, the probabilities of the outputs and the log loss."""
        log_p = log_probabilities(block @ coef.T + intercept)
        loss = -float(self.weight @ np.sum(self.own * log_p, axis=1))
        outputs = np.exp(log_p)[:, -len(coef) :]
        return (self.own[:, -len(coef) :] - outputs) * self.weight[:, None], outputs, loss

    def slopes(self, residual: NDArray) -> NDArray[np.float64]:
        """Return the slopes of the mean log-likelihood by all standardized coefficients (outputs, columns)."""
        slope = np.asarray(self.data.X.T @ residual).T - np.outer(residual.sum(axis=0), self.mean)
        return np.where(self.is_out, 0.0, slope / self.scale)

    def violations(self, coef: NDArray, slope: NDArray) -> NDArray[np.float64]:
        """Return the violation of optimality of each coefficient."""
        held = self.l1 * np.sign(coef) + self.l2 * coef
        return np.where(coef != 0, np.abs(slope - held), np.maximum(np.abs(slope) - self.l1, 0.0))

    def penalty(self, coef: NDArray) -> float:
        return float(np.sum(self.l1 * np.abs(coef) + 0.5 * self.l2 * coef**2))


def polished(path: LogisticPath, index: int, data: NumericData, rho: float, tol: float) -> LogisticPath:
    """Return the path with one point improved; unchanged if that is too large a problem or nothing improves."""
    coef, intercept = path.at(index)
    if not coef.any():
        return path
    problem = PointProblem(path, index, data, rho)
    found = _improve(problem, coef * problem.scale, intercept + coef @ problem.mean, slack(tol, data.weight_sum))
    if found is None:
        return path
    gamma, center, loss = found
    coef = gamma / problem.scale
    intercepts, losses = path.intercept.copy(), path.log_loss.copy()
    intercepts[index], losses[index] = center - coef @ problem.mean, loss
    better = replace(path, coef_sparse=_with_row(path.coef_sparse, index, coef), intercept=intercepts, log_loss=losses)
    if "degrees_of_freedom" in vars(path):  # computed for a rule
        freedom = path.degrees_of_freedom.copy()
        freedom[index] = better.freedom_at(index)
        better.__dict__["degrees_of_freedom"] = freedom
    return better


def _with_row(table: sparse.csr_array, index: int, coef: NDArray) -> sparse.csr_array:
    """Return a table with other values in one row."""
    start, stop = table.indptr[index : index + 2]
    used = np.flatnonzero(coef)
    values = np.concatenate([table.data[:start], coef.ravel()[used], table.data[stop:]])
    indices = np.concatenate([table.indices[:start], used, table.indices[stop:]])
    pointers = table.indptr.copy()
    pointers[index + 1 :] += len(used) - (stop - start)
    return sparse.csr_array((values, indices, pointers), shape=table.shape)


def _improve(problem: PointProblem, coef: NDArray, intercept: NDArray, wanted: float) -> Any:
    """Return better standardized coefficients, intercepts for centered columns, and the log loss; None if none are."""
    best, found = np.inf, None
    for n_steps in range(MOST_STEPS):
        if time_left() <= 0:  # the point of the path stands
            break
        used = np.flatnonzero(coef.any(axis=0))
        residual, _, loss = problem.residual(problem.block(used), coef[:, used], intercept)
        slope = problem.slopes(residual)
        violation = problem.violations(coef, slope)
        of_intercept = float(np.abs(residual.sum(axis=0)).max()) if problem.has_intercept else 0.0
        worst = max(float(violation.max(initial=0.0)), of_intercept)
        if worst < best:
            best, found = worst, (coef, intercept, loss) if n_steps else None
        if worst <= wanted or worst > 100 * best:
            break
        active = (coef != 0) | (violation > 0.1 * wanted)
        step = _step(problem, active, coef, intercept, slope, residual)
        if step is None:
            break
        coef, intercept = step
    return found


def _step(
    problem: PointProblem, active: NDArray, coef: NDArray, intercept: NDArray, slope: NDArray, residual: NDArray
) -> Any:
    """Return a Newton step on the active coefficients; those that would change their sign become zero."""
    columns = np.flatnonzero(active.any(axis=0))
    n_active = int(active.sum())
    if n_active > MOST_ACTIVE or n_active**2 * problem.data.n_rows > MOST_WORK:
        return None
    block = problem.block(columns)
    _, outputs, loss = problem.residual(block, coef[:, columns], intercept)
    sign = np.where(coef != 0, np.sign(coef), np.sign(slope))
    output, feature = np.nonzero(active[:, columns])
    at = output, columns[feature]
    gradient = -slope[at] + (problem.l1 * sign + problem.l2 * coef)[at]
    design, ridge = block[:, feature], problem.l2[columns[feature]]
    if problem.has_intercept:
        n_outputs = len(coef)
        design = np.column_stack([design, np.ones((len(design), n_outputs))])
        output = np.append(output, np.arange(n_outputs))
        gradient, ridge = np.append(gradient, -residual.sum(axis=0)), np.append(ridge, np.zeros(n_outputs))
    move = _newton(design, output, outputs, problem.weight, ridge, gradient)
    value = loss + problem.penalty(coef)
    for length in (1.0, 0.5, 0.25, 0.125):
        new = coef.copy()
        new[at] += length * move[: len(at[0])]
        new[(problem.l1 > 0) & (new * sign < 0) & active] = 0
        shift = intercept + length * move[len(at[0]) :] if problem.has_intercept else intercept
        if problem.residual(block, new[:, columns], shift)[2] + problem.penalty(new) <= value * (1 + 1e-14):
            return new, shift
    return None


def _newton(
    design: Any, output: Any, outputs: Any, weight: NDArray[np.float64] | None, ridge: Any, gradient: Any
) -> NDArray[np.float64]:
    """Return the Newton step of coordinates, each a column for one output."""
    full = np.diag(ridge)
    for k in range(outputs.shape[1]):
        at = np.flatnonzero(output == k)
        for other in range(outputs.shape[1]):
            beside = np.flatnonzero(output == other)
            share = outputs[:, k] * ((k == other) - outputs[:, other]) * weight
            full[np.ix_(at, beside)] += design[:, at].T @ (design[:, beside] * share[:, None])
    scale = unit_scale(full)
    return -solve_symmetric(full / np.outer(scale, scale), gradient / scale) / scale
