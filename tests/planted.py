"""Planted truths: tables of which the tests know what matters."""

import numpy as np


def four_questions(n=1200, seed=0):
    """x2 tells much, x3 copies it, x4 nearly; x5 tells a little; x0 and x1 only together; the rest is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(n) < 0.05)).astype(int)
    X[:, 2] = y + rng.normal(size=n)
    X[:, 3] = X[:, 2]
    X[:, 4] = X[:, 2] + 0.05 * rng.normal(size=n)
    X[:, 5] = y + 1.5 * rng.normal(size=n)
    return X, y


def split_classes(n=300, seed=0, n_classes=3):
    """Classes by the signs of features 1 and 3, with 15 % of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = (X[:, 1] > 0).astype(int) + (X[:, 3] > 0.5) * (n_classes - 2)
    return X, np.where(rng.random(n) < 0.15, rng.integers(0, n_classes, n), y)


def discrete_classes(n=200, d=20, seed=0, k=2):
    """The first three features follow the label, with noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(0, k, (n, d))
    for j, noise in enumerate((0.1, 0.2, 0.3)):
        X[:, j] = np.where(rng.random(n) < noise, rng.integers(0, k, n), y)
    return X, y


def shifted_counts(n=300, d=20, seed=0):
    """Features 4 and 9 grow with the label."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.integers(0, 3, (n, d))
    X[:, 4] += y
    X[:, 9] += 2 * y
    return X, y


def two_of_ten(n=150, d=10, seed=0):
    """Features 1 and 5 of correlated neighbors count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] = 0.5 * X[:, :-1] + 0.9 * X[:, 1:]
    return X, 2 * X[:, 1] - 1.5 * X[:, 5] + rng.normal(size=n) + 3


def nonlinear_numbers(n=120, d=7, seed=0):
    """Features 1, 2 and 4 count, one of them by its absolute value."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] = 0.4 * X[:, :-1] + 0.9 * X[:, 1:]
    return X, 2 * X[:, 1] - X[:, 4] + 0.5 * np.abs(X[:, 2]) + 0.3 * rng.normal(size=n)


def scaled_classes(n=80, d=5, n_classes=2, seed=0):
    """The first two features count, in different units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 3.0], d)
    score = (X / X.std(axis=0))[:, :2] @ np.array([[1.0, -1.0, 0.0], [-0.5, 0.5, 1.0]])[:, :n_classes]
    return X, np.argmax(score + rng.gumbel(size=(n, n_classes)), axis=1)


def three_of_twelve(n=120, d=12, seed=0, noise=1.0):
    """Three features count, and neighbors are alike."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] = 0.6 * X[:, :-1] + 0.8 * X[:, 1:]
    return X, 2 * X[:, 1] - 1.5 * X[:, 5] + X[:, 8] + noise * rng.normal(size=n) + 3


def named_classes(n=200, d=6, n_classes=2, seed=0, strength=1.0):
    """Features 1 and 4 of correlated neighbors count; classes have names."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] = 0.5 * X[:, :-1] + 0.9 * X[:, 1:]
    score = strength * X[:, [1, 4]] @ np.array([[1.0, -1.0, 0.0], [-0.5, 0.5, 1.0]])[:, :n_classes]
    X += 5 * (np.arange(d) == 3)
    label = np.argmax(score + rng.gumbel(size=(n, n_classes)), axis=1)
    return X, np.array(["no", "yes", "perhaps"])[label]


def quantile_classes(n=120, d=6, n_classes=2, seed=0, noise=1.0):
    """The first two features count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    score = 2 * X[:, 0] - X[:, 1] + noise * rng.logistic(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def two_of_eight(n=80, d=8, seed=0, noise=1.0):
    """The first two features count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    return X, 2 * X[:, 0] - X[:, 1] + noise * rng.normal(size=n) + 3
