"""Base class and checks of subset models: the number of features `k` and the extent of their paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import rules
from vitalfew.exceptions import SmallerModelWarning
from vitalfew.families.linear.regressor import LinearRegressor
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import is_count

# Number of variables of the largest model a rule may select if `max_features` is None.
MOST_VARIABLES = 100


def check_size(model: Any, path_type: type) -> None:
    """Check `k` and `max_features` of a model."""
    rules.check_rule("k", model.k, path_type, "a number of features")
    if not isinstance(model.k, str) and not is_count(model.k):
        raise ValueError(f"k must be an integer number of features or a rule, got {model.k!r}.")
    if model.max_features is not None and not is_count(model.max_features):
        raise ValueError(f"max_features must be None or an integer number of features, got {model.max_features!r}.")


def check_time_budget(seconds: Any) -> None:
    """Check that a time budget is a positive number of seconds."""
    if not seconds > 0:
        raise ValueError(f"time_budget must be a positive number of seconds, got {seconds!r}.")


def check_enough(k: Any, n_variables: int) -> None:
    """Check that `k` does not exceed the number of variables."""
    if int(k) > n_variables:
        raise ValueError(
            f"k={k} exceeds the {n_variables} feature(s) or groups to choose from; pass a number up to "
            f"{n_variables}, or a rule such as 'bic'."
        )


def largest_size(k: Any, max_features: Any, n_variables: int, n_rows: int, has_intercept: bool) -> int:
    """Return the number of variables of the largest model of a path."""
    if not isinstance(k, str):
        check_enough(k, n_variables)
        return int(k)
    most = MOST_VARIABLES if max_features is None else int(max_features)
    return max(min(most, n_variables, n_rows - 1 - has_intercept), 0)


def at_size(path: Any, k: Any) -> int:
    """Return the point with `k` variables, or the last one with a warning if the path does not reach it."""
    reached = int(path.grid[-1])
    if reached < int(k):
        warn_caller(
            f"k={k} variables were requested, but only {reached} could be selected: the remaining variables are "
            "constant or linearly dependent on the selected ones, or the fit is already perfect. The model uses "
            f"{reached}.",
            SmallerModelWarning,
        )
    return min(int(k), reached)


class SubsetRegressor(LinearRegressor):
    """Base class of linear regressors on a subset of the features, with a path over its size `k`."""

    _knob = "k"

    def _check_parameters(self) -> None:
        check_size(self, self._path_type())

    def _grid(self) -> NDArray | None:
        return None

    def _index_of(self, path: Any, value: Any) -> int:
        return at_size(path, value)

    def _point(self, path: Any, index: int) -> dict[str, Any]:
        return {"k_": int(path.grid[index]), "subset_": np.flatnonzero(self._used(path.at(index)[0] != 0))}
