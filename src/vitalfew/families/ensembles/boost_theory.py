"""Proven bounds for boosting: on the training error, and on the error on new samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def edge_bound(error: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return the bound :math:`\exp(-2 \sum_t (1/2 - \epsilon_t)^2)` on the training error after each round."""
    return np.exp(-2 * np.cumsum((0.5 - error) ** 2))


def stump_dimension(n_bins: NDArray, is_category: NDArray[np.bool_]) -> int:
    """Return a bound on the VC dimension of stumps on these features.

    Stumps on a numeric feature split m samples in at most 2 m ways, those on a category of k values in at most 2^k. All
    stumps together can therefore shatter no more samples than the largest m with 2^m <= the sum of these.
    """
    n_bins = np.asarray(n_bins, dtype=float)
    largest = 1
    for m in range(1, 1024):
        ways = np.where(is_category, 2.0 ** np.minimum(n_bins, m), 2 * np.minimum(n_bins, m))
        if 2.0**m <= ways.sum():
            largest = m
        elif m > n_bins.max(initial=1):
            break
    return largest


def generalization_bound(
    trained: NDArray[np.float64], dimension: float, n_rows: float, confidence: float = 0.95
) -> Any:
    r"""Return a bound on the error on new samples after each round, which holds with probability `confidence`.

    With D the VC dimension of T rounds with learners of dimension d, :math:`D = 2 (d + 1)(T + 1) \log_2(e (T + 1))`,

    .. math:: \text{error} \le \text{training error} + 2 \sqrt{\frac{D (\log(2 n / D) + 1) + \log(9 / \delta)}{n}}

    (Freund & Schapire 1997, theorems 7 and 8). It is far from tight, often above 1, and infinite where D exceeds n.
    """
    rounds = np.arange(1, len(trained) + 1)
    complexity = 2 * (dimension + 1) * (rounds + 1) * np.log2(np.e * (rounds + 1))
    inner = complexity * (np.log(2 * n_rows / complexity) + 1) + np.log(9 / (1 - confidence))
    return np.where(complexity <= n_rows, trained + 2 * np.sqrt(np.maximum(inner, 0) / n_rows), np.inf)
