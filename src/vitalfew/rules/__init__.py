"""Rules that pick one point of a path. `registry.RULES` lists them; `path.Path` is the protocol they build on."""

from vitalfew.rules.criteria import Bits, aic, bic, description_length, ebic
from vitalfew.rules.registry import (
    Options,
    check_rule,
    check_rule_name,
    choose,
    curves,
    fixed,
    grid_point,
    last_point,
    resolve,
    rule_name,
    supported_rules,
    with_bits,
)
from vitalfew.rules.selection import Selection

__all__ = [
    "Bits",
    "Options",
    "Selection",
    "aic",
    "bic",
    "check_rule",
    "check_rule_name",
    "choose",
    "curves",
    "description_length",
    "ebic",
    "fixed",
    "grid_point",
    "last_point",
    "resolve",
    "rule_name",
    "supported_rules",
    "with_bits",
]
