"""Choice by paired differences: keep the preferred option unless another is clearly better on held-out samples.

All options predict the same held-out samples, so the standard error of a difference is that of the paired losses,
which is smaller than those of the two errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray


def held_out(
    label: NDArray[np.int32], n_folds: int, random_state: int | np.random.RandomState | None
) -> list[NDArray[np.intp]]:
    """Return the test rows of each fold, with classes spread evenly; the only row of a class is never held out.

    With n_folds = 0 each row is a separate fold.
    """
    count = np.bincount(label)
    rows = np.random.default_rng(random_state).permutation(np.flatnonzero(count[label] > 1))
    if n_folds == 0:
        return [rows[i : i + 1] for i in range(len(rows))]
    by_class = rows[np.argsort(label[rows], kind="stable")]
    parts = [by_class[f::n_folds] for f in range(n_folds)]
    # Each class must keep a row to train on.
    return [
        np.array(part, dtype=np.intp)
        for part in parts
        if len(part) and (np.bincount(label[part], minlength=len(count)) < count)[label[part]].all()
    ]


def losses_by_fold(
    losses: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]],
    n_rows: int,
    folds: Sequence[NDArray[np.intp]],
) -> NDArray[np.float64]:
    """Concatenate ``losses(train, test)``, of shape (..., test rows), over all folds."""
    return np.concatenate([losses(np.setdiff1d(np.arange(n_rows), test), test) for test in folds], axis=-1)


def prefer(loss: NDArray[np.float64], preferred: int) -> int:
    """Return the preferred option unless the best one beats it by more than one standard error of the difference."""
    best = int(np.argmin(loss.mean(axis=1)))
    return preferred if within_noise(loss, best)[preferred] else best


def within_noise(loss: NDArray[np.float64], best: int) -> NDArray[np.bool_]:
    """Return a mask of the options whose error exceeds that of `best` by at most one standard error."""
    excess = loss - loss[best]
    # A difference in a single row equals its standard error; the tolerance keeps rounding from deciding such cases.
    return excess.mean(axis=1) <= standard_error(excess) * (1 + 1e-9)


def standard_error(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of the mean over the last axis."""
    n = values.shape[-1]
    return values.std(axis=-1, ddof=min(1, n - 1)) / np.sqrt(n)
