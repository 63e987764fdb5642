"""The mean over training sets of the leave-one-out error is the true error of training sets that are one row smaller.

Run with `python examples/loo_unbiased.py`. Both worlds are small enough for the true error of a fitted model to be
computed, not estimated: a Gaussian one for ridge regression, and one of five yes/no features for Naive Bayes.
"""

import itertools
import sys

import numpy as np

from vitalfew import NaiveBayes, Ridge, loo_predict

SLOPES = np.array([1.0, -0.5, 0.0, 0.25])
NOISE = 1.0
SHARES = np.array([[0.2, 0.4, 0.5, 0.3, 0.5], [0.7, 0.6, 0.5, 0.4, 0.3]])  # of feature j in class c


def gaussian_rows(n, rng):
    """Rows of a linear model with Gaussian features."""
    X = rng.normal(size=(n, len(SLOPES)))
    return X, X @ SLOPES + NOISE * rng.normal(size=n)


def gaussian_error(model):
    """Expected squared error of a linear function: noise, bias of the intercept, and of each slope."""
    return NOISE**2 + model.intercept_**2 + np.sum((model.coef_ - SLOPES) ** 2)


def binary_rows(n, rng):
    """Rows of yes/no features given the class."""
    y = rng.integers(0, 2, n)
    while len(set(y)) < 2:  # one set in five hundred, which no classifier can learn from
        y = rng.integers(0, 2, n)
    return (rng.random((n, SHARES.shape[1])) < SHARES[y]).astype(int), y


def binary_error(model):
    """Probability of a wrong label, summed over all rows there can be."""
    rows = np.array(list(itertools.product([0, 1], repeat=SHARES.shape[1])))
    likelihood = np.array([np.prod(np.where(rows == 1, p, 1 - p), axis=1) for p in SHARES]).T
    predicted = model.predict(rows)
    return 0.5 * sum(likelihood[predicted != c, c].sum() for c in (0, 1))


def simulate(model, draw, true_error, m, n_sets, seed=0):
    """Means and standard errors of the leave-one-out error of m rows, and of true errors of m - 1 and m rows."""
    rng = np.random.default_rng(seed)
    found = {"leave-one-out, m rows": [], "true error, m - 1 rows": [], "true error, m rows": []}
    for _ in range(n_sets):
        X, y = draw(m, rng)
        found["leave-one-out, m rows"].append(loo_predict(model, X, y).error)
        found["true error, m - 1 rows"].append(true_error(model.fit(X[1:], y[1:])))
        found["true error, m rows"].append(true_error(model.fit(X, y)))
    return {name: (np.mean(v), np.std(v, ddof=1) / np.sqrt(n_sets)) for name, v in found.items()}


def main(n_sets=1000):
    """A table for each world."""
    worlds = {
        "ridge, 8 rows, squared error": (Ridge(1.0, standardize=False, n_jobs=1), gaussian_rows, gaussian_error, 8),
        "Naive Bayes, 10 rows, error rate": (NaiveBayes(n_jobs=1), binary_rows, binary_error, 10),
    }
    tables = {}
    for title, (model, draw, true_error, m) in worlds.items():
        tables[title] = simulate(model, draw, true_error, m, n_sets)
        print(f"\n{title}, mean of {n_sets} training sets")
        for name, (mean, error) in tables[title].items():
            print(f"  {name:<24} {mean:.4f} ± {error:.4f}")
    return tables


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
