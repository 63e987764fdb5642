"""Smoothers: left-out residuals are those of refits."""

import numpy as np
import pytest
from scipy import sparse

from vitalfew.answers import smoothers as module
from vitalfew.answers.columns import as_scores, is_binary, prepared
from vitalfew.answers.smoothers import centered_products, smoothers


def table(n=24, p=4, seed=0):
    random = np.random.default_rng(seed)
    return np.hstack([random.standard_normal((n, p)), random.random((n, 1)) < 0.4]), random.standard_normal((n, 3))


def refit(kernel, penalty, y, block):
    """Predict a block by kernel ridge regression with a free intercept on the other rows."""
    others = np.setdiff1d(np.arange(len(y)), block)
    equations = np.ones((len(others) + 1, len(others) + 1))
    equations[-1, -1] = 0
    equations[:-1, :-1] = kernel[np.ix_(others, others)] + penalty * np.eye(len(others))
    solution = np.linalg.solve(equations, np.append(y[others], 0))
    return kernel[np.ix_(block, others)] @ solution[:-1] + solution[-1]


def kernels(X):
    """Compute the kernels from features written out one by one."""
    scores = as_scores(X)
    centered = X - X.mean(axis=0), scores - scores.mean(axis=0)
    i, j = np.triu_indices(X.shape[1], 1)
    squares = centered[1][:, ~is_binary(X)] ** 2
    pairs = centered[1][:, i] * centered[1][:, j]
    distance = np.sum((scores[:, None] - scores) ** 2, axis=2)
    scale = np.mean(np.sum(centered[1] ** 2, axis=1))
    gaussians = [np.exp(-width * distance / scale) for width in module.BANDWIDTHS]
    return [centered[0] @ centered[0].T, squares @ squares.T, pairs @ pairs.T, *gaussians]


@pytest.mark.parametrize("size", [1, 3])
def test_left_out_residuals_are_those_of_refits(size):
    X, Y = table()
    X, Y = prepared(X), Y - Y.mean(axis=0)
    found = list(smoothers(X, size))
    assert len(found) == 5
    for kernel, group in zip(kernels(X), found):
        middle = kernel - kernel.mean(axis=0)
        scale = np.trace(middle - middle.mean(axis=1, keepdims=True)) / len(X)
        for penalty, smoother in zip(module.PENALTIES[group[0].family], group):
            expected = Y.copy()
            for block in np.arange(len(X)).reshape(-1, size):
                for k in range(Y.shape[1]):
                    expected[block, k] -= refit(kernel, penalty * scale, Y[:, k], block)
            np.testing.assert_allclose(smoother.left_out_residuals(Y), expected, atol=1e-6)


def test_landmarks_are_exact_where_they_span_the_columns():
    X, Y = table(n=400)
    X, Y = prepared(X), Y - Y.mean(axis=0)
    (linear, _), *_ = smoothers(X, 1)
    penalty = module.PENALTIES[linear.family][0] * np.trace(centered_products(X, np.arange(400))) / 400
    columns = np.column_stack([np.ones(400), X])
    hat = columns @ np.linalg.solve(columns.T @ columns + penalty * np.diag([0, 1, 1, 1, 1, 1]), columns.T)
    expected = (Y - hat @ Y) / (1 - np.diag(hat))[:, None]
    np.testing.assert_allclose(linear.left_out_residuals(Y), expected, atol=1e-7)


def test_sparse_products_are_those_of_dense_columns():
    X = sparse.random_array((30, 12), density=0.3, rng=np.random.default_rng(0), format="csr")
    dense, rows = X.toarray() - X.toarray().mean(axis=0), np.arange(0, 30, 2)
    np.testing.assert_allclose(centered_products(X, rows), dense @ dense[rows].T, atol=1e-12)
    squares, norms = module._square_products(X, rows)
    np.testing.assert_allclose(squares, dense**2 @ (dense[rows] ** 2).T, atol=1e-12)
    np.testing.assert_allclose(norms, np.sum(dense**2, axis=1), atol=1e-12)
