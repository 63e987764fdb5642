"""Registry of the rules by name. To add one: write it, enter it in `RULES`, and add a row to its test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vitalfew.exceptions import RuleError
from vitalfew.rules.criteria import bits_of, choose_criterion, choose_mdl
from vitalfew.rules.path import Described, Family, Path
from vitalfew.rules.resampling import choose_by_folds, choose_by_holdout, choose_by_loo, choose_by_oob, with_splits
from vitalfew.rules.selection import Selection
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.suggest import did_you_mean, plain


@dataclass(frozen=True)
class Options:
    """Options of rules that resample, with the same meaning as in scikit-learn."""

    cv: Any = 5
    scoring: Any = None
    random_state: Any = None
    verbose: bool | None = None
    # Summaries of the folds that `cv` lists, if they are computed already.
    summaries: Summaries[Moments] | None = None


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


def check_rule(knob: str, value: Any, path_type: type[Any], numbers: str = "a number") -> None:
    """Check that `value`, if it is a string, names a rule that the path supports, in upper or lower case."""
    if isinstance(value, str):
        check_rule_name(knob, value, supported_rules(path_type), numbers)


def check_rule_name(knob: str, value: str, known: Sequence[str], numbers: str, model: str = "this model") -> None:
    """Check that `value` is one of the known rules."""
    if rule_name(value) not in known:
        listed, hint = ", ".join(repr(r) for r in known), did_you_mean(value, known)
        raise RuleError(
            f"{knob}={plain(value)!r} is not supported by {model}; expected {numbers} or one of {listed}"
            + (f"; {hint}" if hint else ".")
        )


def rule_name(value: Any) -> Any:
    """Return a rule as the registry spells it, in lower case; anything but a string is returned unchanged."""
    return str(value).lower() if isinstance(value, str) else value


def choose(rule: str, path: Path, family: Family | None, data: Any, options: Options) -> Selection:
    """Select the point of the path that the rule picks."""
    check_rule(path.knob, rule, type(path))
    rule = rule_name(rule)
    return RULES[rule].choose(rule, path, family, data, options)


def curves(
    path: Path, family: Family | None, data: Any, rules: Iterable[str], options: Options
) -> dict[str, Selection]:
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
    value: Any, path: Path, family: Family | None, data: Any, options: Options, *, at: Callable[[Path, Any], int]
) -> Selection:
    """Return the point that `value` selects if it is a rule, or the point ``at(path, value)`` if it is a number."""
    return choose(value, path, family, data, options) if isinstance(value, str) else fixed(path, at(path, value))


def grid_point(path: Path, value: Any) -> int:
    """Return the point whose knob has this value."""
    return int(np.flatnonzero(path.grid == float(value))[0])


def last_point(path: Path, _value: Any) -> int:
    """Return the last point, for paths that end at the requested number."""
    return len(path.grid) - 1


def with_bits(selection: Selection, path: Described) -> Selection:
    """Return the selection of a fixed point with the description length of every point, which chose nothing."""
    parts = bits_of(path)
    return replace(selection, score=parts["data_bits"] + parts["model_bits"], measure="total_bits", parts=parts)


def fixed(path: Path, index: int) -> Selection:
    """Return the selection of a point that the user chose."""
    nothing = np.full(len(path.grid), np.nan)
    return Selection(path.knob, "fixed", path.grid, nothing, nothing, path.n_features, index)
