"""Registry of the rules by name. To add one: write it, enter it in `RULES`, and add a row to its test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vitalfew.exceptions import RuleError
from vitalfew.rules.criteria import choose_criterion, choose_mdl
from vitalfew.rules.path import Family, Path
from vitalfew.rules.resampling import choose_by_folds, choose_by_holdout, choose_by_loo, choose_by_oob
from vitalfew.rules.selection import Selection


@dataclass(frozen=True)
class Options:
    """Options of rules that resample, with the same meaning as in scikit-learn."""

    cv: Any = 5
    scoring: Any = None
    random_state: Any = None
    verbose: bool | None = None


@dataclass(frozen=True)
class Rule:
    """A way to pick a point, and the path method that it requires."""

    needs: str
    choose: Callable[..., Selection]  # (rule, path, family, data, options)


RULES: dict[str, Rule] = {
    "cv": Rule("predict", choose_by_folds),
    "1se": Rule("predict", choose_by_folds),
    "holdout": Rule("predict", choose_by_holdout),
    "loo": Rule("loo", choose_by_loo),
    "oob": Rule("oob", choose_by_oob),
    "bic": Rule("log_likelihood", choose_criterion),
    "aic": Rule("log_likelihood", choose_criterion),
    "ebic": Rule("log_likelihood", choose_criterion),
    "mdl": Rule("description_length", choose_mdl),
}


def supported_rules(path: type[Any] | Any) -> list[str]:
    """Return the rules that a path type supports, except those it excludes as meaningless (`without_rules`)."""
    senseless = getattr(path, "without_rules", ())
    return [name for name, rule in RULES.items() if hasattr(path, rule.needs) and name not in senseless]


def check_rule(knob: str, value, path_type: type[Any], numbers: str = "a number") -> None:
    """Check that `value`, if it is a string, names a rule that the path supports."""
    rules = supported_rules(path_type)
    if isinstance(value, str) and value not in rules:
        listed = ", ".join(repr(r) for r in rules)
        raise RuleError(f"{knob}={value!r} is not supported by this model; expected {numbers} or one of {listed}.")


def choose(rule: str, path: Path, family: Family | None, data, options: Options) -> Selection:
    """Select the point of the path that the rule picks."""
    check_rule(path.knob, rule, type(path))
    return RULES[rule].choose(rule, path, family, data, options)


def resolve(
    value, path: Path, family: Family | None, data, options: Options, *, at: Callable[[Path, Any], int] | None = None
) -> Selection:
    """Return the point that `value` selects if it is a rule, or the point that it stands for if it is a number.

    `at` gives the index of the point of a number. By default, the number is a value of the grid.
    """
    if isinstance(value, str):
        return choose(value, path, family, data, options)
    return fixed(path, int(np.flatnonzero(path.grid == float(value))[0]) if at is None else at(path, value))


def last_point(path: Path, _value) -> int:
    """Return the last point, for paths that were computed as far as the number asks."""
    return len(path.grid) - 1


def fixed(path: Path, index: int) -> Selection:
    """Return the selection of a point that the user chose."""
    nothing = np.full(len(path.grid), np.nan)
    return Selection(path.knob, "fixed", path.grid, nothing, nothing, path.n_features, index)
