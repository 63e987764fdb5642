"""Every path class implements the protocol between families and rules."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import vitalfew.families
from vitalfew.rules import path as protocol
from vitalfew.rules.registry import RULES
from vitalfew.rules.scoring import LOSSES

OPTIONAL = {
    "predict": protocol.Predicting,
    "log_likelihood": protocol.Probabilistic,
    "loo": protocol.LeavingOneOut,
    "oob": protocol.OutOfBagScored,
    "description_length": protocol.Described,
}


def path_classes():
    for module in pkgutil.walk_packages(vitalfew.families.__path__, "vitalfew.families."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if (
                inspect.isclass(found)
                and found.__module__ == module.name
                and name.endswith("Path")
                and hasattr(found, "at")
            ):
                yield found


def required(function):
    """Names of the parameters without a default."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [p.name.lstrip("_") for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def has_field(found, name):
    return hasattr(found, name) or any(name in vars(base).get("__annotations__", {}) for base in found.__mro__)


def test_rules_ask_for_methods_of_the_protocol():
    assert {rule.needs for rule in RULES.values()} == set(OPTIONAL)


@pytest.mark.parametrize("found", list(path_classes()), ids=lambda found: found.__name__)
def test_a_path_class(found):
    missing = [name for name in ("knob", "grid", "n_features", "at") if not has_field(found, name)]
    assert not missing
    assert len(required(found.at)) == 1
    for name, kind in OPTIONAL.items():
        if hasattr(found, name):
            assert len(required(getattr(found, name))) == len(required(getattr(kind, name))), name
    if hasattr(found, "predict") and isinstance(loss := inspect.getattr_static(found, "loss", None), str):
        assert loss in LOSSES


def family_classes():
    for module in pkgutil.walk_packages(vitalfew.families.__path__, "vitalfew.families."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(found) and found.__module__ == module.name and name.endswith("Family"):
                yield found


@pytest.mark.parametrize("found", list(family_classes()), ids=lambda found: found.__name__)
def test_a_family_class(found):
    parameters = list(inspect.signature(found.path).parameters.values())[1:]
    assert [(p.name, p.kind) for p in parameters] == [
        ("data", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ("grid", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ("run", inspect.Parameter.KEYWORD_ONLY),
    ]
    assert dataclasses.is_dataclass(found)
    for name, kind in {"fold_paths": protocol.SharingFamily, "uses_moments": protocol.MomentsFamily}.items():
        if hasattr(found, name):
            assert required(getattr(found, name)) == required(getattr(kind, name))
