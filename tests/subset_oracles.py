"""Slow twins of the searches for subsets: every candidate is refitted by least squares on the rows."""

import itertools

import numpy as np


def fit(X, y, columns, weight=None, has_intercept=True):
    """Coefficients of some columns, the intercept, and half the mean square of the residuals."""
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    w = w / w.sum()
    part = X[:, list(columns)]
    mean, y_mean = (w @ part, w @ y) if has_intercept else (np.zeros(part.shape[1]), 0.0)
    root = np.sqrt(w)
    coef = np.linalg.lstsq((part - mean) * root[:, None], (y - y_mean) * root, rcond=1e-11)[0]
    intercept = y_mean - mean @ coef
    residual = y - part @ coef - intercept
    return coef, intercept, 0.5 * w @ residual**2


def loss(X, y, columns, weight=None, has_intercept=True):
    return fit(X, y, columns, weight, has_intercept)[2]


def variables_of(group, d):
    """The columns of each variable."""
    group = np.arange(d) if group is None else np.asarray(group)
    return [tuple(np.flatnonzero(group == g)) for g in np.unique(group)]


def columns_of(chosen, variables):
    return sorted(j for g in chosen for j in variables[g])


def first_least(values, tie=1e-9):
    """The first of values that are as small as the smallest, but for rounding."""
    values = np.asarray(values)
    return int(np.flatnonzero(values <= values.min() + tie * abs(values.min()) + 1e-15)[0])


def greedy_forward(X, y, k, variables, **options):
    """Subsets of 0, 1, ..., k variables."""
    chosen, path = [], [()]
    while len(chosen) < k:
        left = [g for g in range(len(variables)) if g not in chosen]
        losses = [loss(X, y, columns_of([*chosen, g], variables), **options) for g in left]
        chosen.append(left[first_least(losses)])
        path.append(tuple(sorted(chosen)))
    return path


def greedy_backward(X, y, variables, **options):
    """Subsets from none to all variables."""
    chosen, path = list(range(len(variables))), [tuple(range(len(variables)))]
    while chosen:
        losses = [loss(X, y, columns_of([h for h in chosen if h != g], variables), **options) for g in chosen]
        chosen.remove(chosen[len(losses) - 1 - first_least(losses[::-1])])
        path.append(tuple(chosen))
    return path[::-1]


def best_subsets(X, y, k, **options):
    """For each size up to k the least loss, and all subsets in order of their loss."""
    found = []
    for size in range(k + 1):
        subsets = list(itertools.combinations(range(X.shape[1]), size))
        losses = np.array([loss(X, y, s, **options) for s in subsets])
        order = np.argsort(losses, kind="stable")
        found.append([(losses[i], subsets[i]) for i in order])
    return found


def forward_fitting(X, y, steps, weight=None, has_intercept=True, rate=1.0, is_myopic=False):
    """(feature, change, J) of each step, J half the weighted sum of squares."""
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    if has_intercept:
        X, y = X - w @ X / w.sum(), y - w @ y / w.sum()
    residual, lines = y.astype(float).copy(), []
    for _ in range(steps):
        slope, square = (w * residual) @ X, w @ X**2
        with np.errstate(divide="ignore", invalid="ignore"):
            theta = np.where(square > 1e-20, slope / square, 0.0)
        score = np.abs(slope) if is_myopic else np.abs(theta) * np.sqrt(square)
        j = first_least(-np.where(square > 1e-20, score, 0.0))
        residual = residual - rate * theta[j] * X[:, j]
        lines.append((j, rate * theta[j], 0.5 * w @ residual**2))
    return lines
