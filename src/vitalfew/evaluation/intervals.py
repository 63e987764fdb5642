"""Confidence intervals for the error on unseen samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEVEL = 0.95
N_DRAWS = 1000


def wilson(error: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    r"""Compute the Wilson interval of a proportion from n draws.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}{1 + z^2 / n}

    It is valid for small samples and for errors near 0 as well (Wilson, 1927, doi:10.1080/01621459.1927.10502953).
    """
    z = float(stats.norm.ppf(0.5 + level / 2))
    middle = error + z * z / (2 * n)
    reach = z * np.sqrt(error * (1 - error) / n + z * z / (4 * n * n))
    low, high = (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n)
    return float(max(low, 0.0)), float(min(high, 1.0))


def of_mean(loss: NDArray[np.float64], weight: NDArray[np.float64] | None, level: float = LEVEL) -> tuple[float, float]:
    """Compute Student's interval for the mean of nonnegative losses."""
    w = np.ones(len(loss)) if weight is None else weight
    n = effective_rows(w)
    if n <= 1:
        return np.nan, np.nan
    mean = float(np.average(loss, weights=w))
    variance = float(np.average((loss - mean) ** 2, weights=w)) * n / (n - 1)
    reach = float(stats.t.ppf(0.5 + level / 2, n - 1)) * np.sqrt(variance / n)
    return max(mean - reach, 0.0), mean + reach


def effective_rows(weight: NDArray[np.float64]) -> float:
    """Return the effective sample size of weighted samples (Kish)."""
    return float(weight.sum() ** 2 / (weight**2).sum())


def bootstrap(
    error: Callable[[NDArray[np.intp]], float],
    n: int,
    groups: NDArray[np.intp] | None = None,
    level: float = LEVEL,
    n_draws: int = N_DRAWS,
) -> tuple[float, float]:
    """Compute percentiles of the error over bootstrap samples of rows, or of whole groups of rows.

    Draws on which the error is undefined because a class is missing are dropped; NaN if these are more than half.
    """
    rng = np.random.default_rng(0)
    members = [np.array([i]) for i in range(n)] if groups is None else _members(groups)
    if len(members) < 2:
        return np.nan, np.nan
    found = []
    for _ in range(n_draws):
        drawn = rng.integers(0, len(members), len(members))
        rows = drawn if groups is None else np.concatenate([members[g] for g in drawn])
        with suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(error(rows))
    sound = np.array([e for e in found if np.isfinite(e)])
    if len(sound) < n_draws / 2:
        return np.nan, np.nan
    low, high = np.quantile(sound, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def _members(groups: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
