"""Checks and selection of the penalty `alpha`, a number or a rule, and of the grid of penalties of a path."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from vitalfew import rules
from vitalfew.exceptions import GridEndWarning
from vitalfew.support.caller import warn_caller

# A difference of an information criterion that counts as evidence (Kass & Raftery, 1995, doi:10.2307/2291091).
EVIDENCE = 2.0
# With fewer samples or penalties, a slope at the end of the curve says little.
LEAST_SAMPLES, LEAST_POINTS = 50, 20


def check_penalty(model: Any, path_type: type) -> None:
    """Check `alpha`, `grid` and `grid_ratio` of a model."""
    rules.check_rule("alpha", model.alpha, path_type, "a number")
    if not isinstance(model.alpha, str):
        check_not_negative("alpha", model.alpha)
    if np.ndim(model.grid) == 0 and not (isinstance(model.grid, Integral) and int(model.grid) >= 1):
        raise ValueError(f"grid must be a number of penalties or an array of penalties, got {model.grid!r}.")
    if model.grid_ratio is not None and not 0 < model.grid_ratio < 1:
        raise ValueError(f"grid_ratio must be between 0 and 1, got {model.grid_ratio!r}.")


def check_not_negative(name: str, value: Any) -> None:
    """Check that `value` is a finite, nonnegative number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a number >= 0 or a rule, got {value!r}.")


def check_grid(grid: Any) -> NDArray[np.float64]:
    """Check the penalties and return them in decreasing order, without duplicates."""
    values = np.unique(np.asarray(grid, dtype=np.float64).ravel())[::-1].copy()
    if values.size == 0 or not np.isfinite(values).all() or values[-1] < 0:
        raise ValueError("grid must be a number of penalties, or an array of finite penalties >= 0.")
    return values


def default_ratio(data: Any) -> float:
    """Return the default ratio of smallest to largest penalty.

    It is larger if columns outnumber rows, since the smallest penalties would then fit all rows perfectly.
    """
    return 1e-3 if data.weight_sum > data.n_features else 1e-2


def fixed_grid(alpha: Any, grid: Any) -> NDArray[np.float64] | None:
    """Return the grid set by the user through `alpha` or `grid`, or None if the path computes its own."""
    given = None if np.ndim(grid) == 0 else check_grid(grid)
    if isinstance(alpha, str):
        return given
    if given is None:
        return np.array([float(alpha)])
    return np.unique(np.append(given, float(alpha)))[::-1].copy()


def check_certified(path: Any, tol: float) -> None:
    """Warn if the duality gap of some point of the path exceeds the tolerance."""
    missed = np.flatnonzero(path.dual_gap > tol)
    if len(missed):
        worst = int(missed[np.argmax(path.dual_gap[missed])])
        warn_caller(
            f"the duality gap exceeds tol={tol:g} at {len(missed)} of {len(path.grid)} penalties; it is "
            f"{path.dual_gap[worst]:.2g} at alpha={path.grid[worst]:.3g}. The solver cannot reduce it further: "
            "increase tol or the smallest penalty (grid, grid_ratio), or drop columns that are nearly collinear.",
            ConvergenceWarning,
        )


def check_end(path: Any, selection: rules.Selection, grid: Any) -> None:
    """Warn if a rule picks the last of `grid` penalties and its score still improves there by more than its error.

    A path that fits the training samples perfectly ends for that reason, and a grid of given penalties by intention.
    """
    n = len(selection.grid)
    is_default = selection.rule != "fixed" and np.ndim(grid) == 0 and n == int(grid)
    is_clear = n >= LEAST_POINTS and path.n_samples >= LEAST_SAMPLES and not _fits_perfectly(path)
    if not is_default or not is_clear or selection.index < n - 1:
        return
    change = selection.score[-1] - selection.score[-1 - n // 10]
    gain = change if selection.greater_is_better else -change
    error = EVIDENCE if selection.rule in ("bic", "aic", "ebic") else selection.standard_error[-1]
    if gain > error:  # False if the error is unknown
        warn_caller(
            f"{selection.rule!r} picked alpha={selection.value:.3g}, the smallest penalty of the grid, where the score "
            f"still improves: a smaller penalty may be better. Use a smaller grid_ratio (the ratio of the penalties is "
            f"{selection.grid[-1] / selection.grid[0]:.1g}), or an unpenalized model (alpha=0).",
            GridEndWarning,
        )


def _fits_perfectly(path: Any) -> bool:
    """Return True if the last point has a coefficient for each sample, or separates the classes."""
    loss = getattr(path, "log_loss", None)
    if loss is not None and loss[-1] < 1e-2 * loss[0]:
        return True
    return bool(path.n_features[-1] + path.has_intercept >= path.n_samples)
