"""The knob `alpha` of penalised models: a number or a rule, and the penalties that a path goes through."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from vitalfew import rules


def check_penalty(model, path_type: type) -> None:
    """`alpha`, `grid` and `grid_ratio` of a model."""
    rules.check_rule("alpha", model.alpha, path_type, "a number")
    if not isinstance(model.alpha, str):
        check_not_negative("alpha", model.alpha)
    if np.ndim(model.grid) == 0 and not (isinstance(model.grid, Integral) and int(model.grid) >= 1):
        raise ValueError(f"grid must be a number of penalties or the penalties themselves, got {model.grid!r}.")
    if model.grid_ratio is not None and not 0 < model.grid_ratio < 1:
        raise ValueError(f"grid_ratio must be between 0 and 1, got {model.grid_ratio!r}.")


def check_not_negative(name: str, value) -> None:
    """`value` must be a finite number that is not negative."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a number >= 0 or a rule, got {value!r}.")


def check_grid(grid) -> NDArray[np.float64]:
    """Penalties in falling order."""
    values = np.unique(np.asarray(grid, dtype=np.float64).ravel())[::-1].copy()
    if values.size == 0 or not np.isfinite(values).all() or values[-1] < 0:
        raise ValueError("grid must be a number of penalties, or penalties that are finite and not negative.")
    return values


def default_ratio(data) -> float:
    """Smallest over largest penalty of a grid of our own: where columns outnumber rows, its far end fits them all."""
    return 1e-3 if data.weight_sum > data.n_features else 1e-2


def fixed_grid(alpha, grid) -> NDArray[np.float64] | None:
    """The grid if the user gave the penalty, or penalties; None where the path is to make its own."""
    given = None if np.ndim(grid) == 0 else check_grid(grid)
    if isinstance(alpha, str):
        return given
    if given is None:
        return np.array([float(alpha)])
    return np.unique(np.append(given, float(alpha)))[::-1].copy()


def choose_penalty(alpha, path, family, data, options: rules.Options) -> rules.Selection:
    """The point of the path that the rule picks, or that of the number."""
    if isinstance(alpha, str):
        return rules.choose(alpha, path, family, data, options)
    return rules.fixed(path, int(np.flatnonzero(path.grid == float(alpha))[0]))
