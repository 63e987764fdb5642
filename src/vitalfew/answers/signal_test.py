"""Permutation test of whether columns say anything about a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special, stats

from vitalfew.answers.columns import LINEAR, PAIRS, SMOOTH, SQUARES, column_families, normal_scores, prepared
from vitalfew.answers.exchangeable import Exchangeable, exchangeable_rows
from vitalfew.answers.smoothers import smoothers
from vitalfew.support.deadline import check_deadline

# Weight of each kind of relation. Linear ones are the most frequent, and smooth ones overlap with the others.
WEIGHTS = {LINEAR: 0.4, SQUARES: 0.25, PAIRS: 0.25, SMOOTH: 0.1}
# Exponent of the p-values in their mean. With 1, a single small one decides; with less, several that agree count more.
EXPONENT = 0.5
# Kernels use at most this many rows, a random part of those of the columns.
KERNEL_ROWS = 2000
# Permutations are computed in blocks of this many. After each block, the test may stop.
BLOCK = 100
# Chance that the test stops early although all permutations would have rejected.
STOP = 1e-4
# Relative difference of statistics that are equal up to rounding.
TIE = 1e-9
TINY = float(np.finfo(float).tiny)
# Multiplications that all permutations may take before fewer of them are drawn, but not less than LEAST.
WORK = 2e10
LEAST = 199


@dataclass(frozen=True)
class SignalTest:
    """Result of :func:`signal_test`.

    Attributes
    ----------
    p_value : float
        Share of the permutations, the observed order included, with a combined statistic at least as large. If the
        test stopped early, it is above the level.
    statistics : dict of str to float
        Share of the variance of the target that each candidate explains: left-out for smoothers (negative if worse
        than the mean), in the sample for the best columns.
    strongest : str
        Candidate that is most unusual among its own permutations.
    n_permutations : int
        Number of permutations drawn.
    """

    p_value: float
    statistics: dict[str, float]
    strongest: str
    n_permutations: int


def signal_test(
    X: Any,
    y: Any,
    *,
    is_classification: bool,
    groups: Any = None,
    n_permutations: int = 999,
    level: float = 0.03,
    seed: int = 0,
) -> SignalTest:
    r"""Test whether X says anything about y, with the best of a fixed set of fast candidates.

    A candidate is a ridge regression on the columns, on their squares, on their pairs or in a Gaussian kernel, judged
    by its left-out squared error (for classes the Brier score, for numbers the error of their normal scores), or the
    largest share of the target explained by one column, square or pair and by five of them. Statistic t of candidate s
    among the permutations has p-value :math:`p_s`, from a gamma distribution with their first three moments. The
    combined statistic is :math:`\sum_s w_s p_s^{-1/2}`, where each kind of relation has a fixed weight. It is computed
    in the same way for the observed order and for each permutation, so that the p-value of the whole test is exact if
    rows are exchangeable under the null hypothesis: the type I error is at most `level`, whatever the candidates are.

    With groups, whole groups are permuted, see :func:`~vitalfew.answers.exchangeable.exchangeable_rows`.

    The test stops early if the p-value is clearly above the level (Besag & Clifford, 1991). This can only remove
    rejections. It takes at most 20,000 rows, and 2,000 for kernels. Fewer permutations are drawn, but at least
    199, where they would take too long. With B permutations, C classes, n rows, p columns and m = min(n, 256)
    landmarks, the cost is O(n m (m + p) + B C n (m + p)), and O(B C n p²) for as many columns as allow all pairs.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Standardized numbers and one-hot categories without missing values, or words.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    is_classification : bool
        Whether y holds classes.
    groups : array-like of shape (n_samples,), optional
        Labels of groups of rows that may depend on each other.
    n_permutations : int, default=999
        Largest number of permutations.
    level : float, default=0.03
        Level at which the p-value will be judged.
    seed : int, default=0
        Seed of the permutations.

    Returns
    -------
    SignalTest

    References
    ----------
    Westfall & Young (1993), Resampling-Based Multiple Testing. Besag & Clifford (1991), doi:10.1093/biomet/78.2.301.
    Vovk & Wang (2020), Combining p-values via averaging, doi:10.1093/biomet/asaa027.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew.answers.signal_test import signal_test
    >>> random = np.random.default_rng(0)
    >>> X = random.standard_normal((100, 4))
    >>> signal_test(X, X[:, 0] * X[:, 1] > 0, is_classification=True).p_value
    0.001
    >>> signal_test(X, random.standard_normal(100), is_classification=False).p_value > 0.1
    True
    """
    random = np.random.default_rng(seed)
    rows = exchangeable_rows(X, np.asarray(y), groups, is_classification, random)
    Y = _targets(rows.y, is_classification)
    candidates = None if Y is None else Candidates(prepared(rows.X), rows.size)
    if Y is None or candidates is None or not candidates.names:
        return SignalTest(1.0, {}, "", 0)
    n_permutations = min(n_permutations, max(LEAST, int(WORK / (candidates.work * Y.shape[1]))))
    found = np.empty((0, len(candidates.names)))
    while len(found) <= n_permutations:
        check_deadline()
        count = min(BLOCK, n_permutations + 1 - len(found))
        orders = _orders(rows, count, random, observed_first=not len(found))
        found = np.vstack([found, candidates.scores(Y[orders])])
        combined = combined_statistics(found, candidates.weights)
        exceeding = int(np.sum(combined[1:] >= combined[0] - TIE * max(1.0, abs(combined[0]))))
        if stats.binom.sf(exceeding - 1, len(found) - 1, level) < STOP:
            break
    strongest = int(np.argmin(log_p_values(found)[0]))
    return SignalTest(
        p_value=(exceeding + 1) / len(found),
        statistics=dict(zip(candidates.names, found[0].tolist())),
        strongest=candidates.names[strongest],
        n_permutations=len(found) - 1,
    )


class Candidates:
    """Statistics of a fixed matrix, computed for many targets at once.

    Attributes
    ----------
    names : list of str
    weights : ndarray of shape (candidates,)
        Weight of the family, divided by the number of its candidates.
    work : float
        Multiplications per target.
    """

    def __init__(self, X: Any, size: int):
        self.n_kernel_rows = min(X.shape[0], KERNEL_ROWS // size * size)
        self.columns = list(column_families(X))
        kernel_rows = X[: self.n_kernel_rows]
        self.kernels = [each for each in smoothers(kernel_rows, size) if each] if X.shape[1] else []
        self.names = [each.name for kernel in self.kernels for each in kernel]
        families = [each.family for kernel in self.kernels for each in kernel]
        for family, columns in self.columns:
            for count in _counts(columns):
                self.names.append(f"best {count} of {family}")
                families.append(family)
        self.weights = np.array([WEIGHTS[family] / families.count(family) for family in families])
        self.work = sum(k[0].vectors.size * (1.0 + len(k)) for k in self.kernels)
        self.work += sum(
            float(columns.nnz if sparse.issparse(columns) else columns.size) for _, columns in self.columns
        )

    def scores(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the statistics (permutations, candidates) of the targets (rows, permutations, classes)."""
        result = []
        part = Y[: self.n_kernel_rows] - Y[: self.n_kernel_rows].mean(axis=0)
        flat, total = part.reshape(len(part), -1), np.sum(part**2, axis=(0, 2))
        for kernel in self.kernels:
            check_deadline()
            projected = kernel[0].vectors.T @ flat
            for smoother in kernel:
                residual = smoother.left_out_residuals(flat, projected)
                error = np.einsum("ij,ij->j", residual, residual).reshape(Y.shape[1:]).sum(axis=1)
                # The mean of the other rows leaves n / (n - size) times the residuals of the mean.
                baseline = np.maximum(total, TINY) / (1 - smoother.size / len(part)) ** 2
                result.append(1 - error / baseline)
        flat, total = Y.reshape(len(Y), -1), np.sum((Y - Y.mean(axis=0)) ** 2, axis=(0, 2))
        for _, columns in self.columns:
            check_deadline()
            # A sparse matrix must stand on the left.
            products = (columns.T @ flat).T if sparse.issparse(columns) else flat.T @ columns
            explained = np.square(products).reshape(*Y.shape[1:], -1).sum(axis=1) / total[:, None]
            result += [np.partition(explained, -count, axis=1)[:, -count:].mean(axis=1) for count in _counts(columns)]
        return np.array(result).T


def _counts(columns: Any) -> tuple[int, ...]:
    return (1, 5) if columns.shape[1] > 5 else (1,)


def _targets(y: NDArray, is_classification: bool) -> NDArray[np.float64] | None:
    """Return centered indicators of the classes, or normal scores of numbers; None if y is constant."""
    values, codes = np.unique(y, return_inverse=True)
    if len(values) < 2:
        return None
    if not is_classification:
        Y = normal_scores(y)[:, None]
    else:
        # The second of two indicators mirrors the first.
        Y = np.eye(len(values))[codes][:, : None if len(values) > 2 else 1]
    return Y - Y.mean(axis=0)


def _orders(rows: Exchangeable, count: int, random: np.random.Generator, observed_first: bool) -> NDArray[np.int64]:
    """Return row numbers (rows, orders), where blocks of rows are permuted."""
    n_blocks = len(rows.y) // rows.size
    blocks = random.permuted(np.tile(np.arange(n_blocks), (count, 1)), axis=1)
    if observed_first:
        blocks[0] = np.arange(n_blocks)
    return (blocks[:, :, None] * rows.size + np.arange(rows.size)).reshape(count, -1).T


def log_p_values(found: NDArray) -> NDArray[np.float64]:
    """Return log p-values of statistics (permutations, candidates) by gamma distributions with their moments."""
    spread = found.std(axis=0)
    scaled = (found - found.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    skew = np.maximum(np.mean(scaled**3, axis=0), 0.01)
    # A gamma variable with shape k = 4 / skew² has this skewness, mean k and variance k.
    shape = 4 / skew**2
    p = special.gammaincc(shape, np.maximum(shape + scaled * np.sqrt(shape), 0))
    tail = -(scaled * np.sqrt(shape)) + (shape - 1) * np.log1p(np.maximum(scaled / np.sqrt(shape), -1 + 1e-12))
    return np.where(p > 1e-290, np.log(np.maximum(p, 1e-290)), np.minimum(tail, -660.0))


def combined_statistics(found: NDArray, weights: NDArray) -> NDArray[np.float64]:
    """Return the logarithm of the weighted sum of p^(-1/2) for each permutation."""
    return special.logsumexp(-EXPONENT * log_p_values(found), b=weights, axis=1)
