"""Registry of the rules by name. To add one: write it, enter it in `RULES`, and add a row to its test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vitalfew.exceptions import RuleError
from vitalfew.rules.criteria import choose_criterion, choose_mdl
from vitalfew.rules.path import Family, Path
from vitalfew.rules.resampling import choose_by_folds, choose_by_holdout, choose_by_loo, choose_by_oob, with_splits
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


def curves(path: Path, family: Family | None, data, rules: Iterable[str], options: Options) -> dict[str, Selection]:
    """Return the curve and the choice of several rules on one path, which is not fitted again.

    All rules see the same folds, and "cv" and "1se" share one fit of each fold.
    """
    options = with_splits(options, data) if {"cv", "1se"}.intersection(rules) else options
    found: dict[str, Selection] = {}
    for rule in rules:
        twin = found.get({"cv": "1se", "1se": "cv"}.get(rule, ""))
        if twin is None:
            found[rule] = choose(rule, path, family, data, options)
        else:
            found[rule] = replace(twin, rule=rule, index=twin.index_1se if rule == "1se" else twin.index_best)
    return found


def resolve(
    value, path: Path, family: Family | None, data, options: Options, *, at: Callable[[Path, Any], int]
) -> Selection:
    """Return the point that `value` selects if it is a rule, or the point ``at(path, value)`` if it is a number."""
    return choose(value, path, family, data, options) if isinstance(value, str) else fixed(path, at(path, value))


def grid_point(path: Path, value) -> int:
    """Return the point whose knob has this value."""
    return int(np.flatnonzero(path.grid == float(value))[0])


def last_point(path: Path, _value) -> int:
    """Return the last point, for paths that were computed as far as the number asks."""
    return len(path.grid) - 1


def fixed(path: Path, index: int) -> Selection:
    """Return the selection of a point that the user chose."""
    nothing = np.full(len(path.grid), np.nan)
    return Selection(path.knob, "fixed", path.grid, nothing, nothing, path.n_features, index)
