"""Analysis of functions, classes and modules: the names they refer to, and the release they come from."""

from __future__ import annotations

import dis
import importlib
import importlib.util
import sys
import sysconfig
from functools import cache
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
# Folders of the standard library; installed packages are in site-packages.
STANDARD = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# Class attributes that Python generates, or that do not affect behavior.
MADE_BY_PYTHON = {
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__static_attributes__",
    "__weakref__",
    "_abc_impl",
}


@cache
def release_of(module: str) -> str | None:
    """Return the name and version of the distribution of a module, or None for the user's own code.

    An editable install counts as the user's own code, because it changes while its version stays the same. Only
    vitalfew is always identified by its version.
    """
    top = module.partition(".")[0]
    if _is_standard(top):
        return "python"
    if top == "vitalfew":
        return f"vitalfew {metadata.version('vitalfew')}"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not {"site-packages", "dist-packages"} & set(Path(file).parts):
        return None
    return _distribution(top)


@cache
def _is_standard(top: str) -> bool:
    """Return True if a module belongs to Python, and is not a user's file that shadows it."""
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None and top not in sys.modules:
        spec = importlib.util.find_spec(top)
        file = spec.origin if spec is not None and spec.has_location else None
    return file is None or any(Path(file).is_relative_to(folder) for folder in STANDARD)


@cache
def _distribution(package: str) -> str | None:
    """Return the name and version of a package's distribution; common packages skip the search."""
    common = {"sklearn": "scikit-learn", "numpy": "numpy", "scipy": "scipy", "pandas": "pandas", "polars": "polars"}
    names = [common[package]] if package in common else sorted(set(_packages().get(package, ())))
    return ", ".join(f"{name} {metadata.version(name)}" for name in names) or None


_packages = cache(metadata.packages_distributions)


def find_by_name(module: str | None, qualname: str | None) -> Any:
    """Return the object that a module holds under a name, or None if there is none."""
    found = sys.modules.get(module or "")
    for part in (qualname or "").split("."):
        found = getattr(found, part, None)
    return found


def is_installed(value: Any) -> bool:
    """Return True if an installed distribution holds a function or class under its own name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or release_of(module) is None:
        return False
    # Static types come from compiled modules, and some are not attributes of their module.
    return find_by_name(module, name) is value or (isinstance(value, type) and not value.__flags__ & HEAP_TYPE)


def extension_bytes(module: str | None) -> bytes:
    """Return the content of the compiled file of an extension module, or empty bytes for any other module."""
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return Path(file).read_bytes() if file and file.endswith(tuple(EXTENSION_SUFFIXES)) else b""


def code_fields(code: CodeType) -> tuple:
    """Return all fields that determine what code does, which excludes its file and line numbers."""
    return (
        code.co_code,
        code.co_consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_exceptiontable,
    )


def globals_of(function: FunctionType) -> dict[str, Any]:
    """Return the globals that a function and its nested functions use, by name, or ``module.name`` for modules.

    For the user's own modules, only the attributes in use are returned. A module that is used in another way, or that
    the function imports, is returned itself.
    """
    found: dict[str, Any] = {}
    _look_up(function.__code__, function.__globals__, found)
    return dict(sorted(found.items()))


def _look_up(code: CodeType, scope: dict[str, Any], found: dict[str, Any]) -> None:
    steps = [s for s in dis.get_instructions(code) if s.opname not in ("CACHE", "EXTENDED_ARG", "PRECALL")]
    for at, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level, parts = (steps[at - 2].argval, steps[at - 1].argval) if at > 1 else (0, None)
            _keep_import(step.argval, level, list(parts or ()), scope, found)
        elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS") and step.argval in scope:
            name, value = step.argval, scope[step.argval]
            while is_own_module(value) and at + 1 < len(steps) and steps[at + 1].opname in ATTRIBUTES:
                at += 1
                name, value = f"{name}.{steps[at].argval}", getattr(value, steps[at].argval, None)
            found[name] = value
    for part in code.co_consts:
        if isinstance(part, CodeType):
            _look_up(part, scope, found)


def _keep_import(name: str, level: Any, parts: list[str], scope: dict[str, Any], found: dict[str, Any]) -> None:
    """Record a module that a function imports when called; import the user's own modules, as the call would."""
    if isinstance(level, int) and level > 0:
        name = resolve_name("." * level + name, scope.get("__package__") or "")
    if _is_standard(name.partition(".")[0]):
        return
    for module in [name, *(f"{name}.{part}" for part in parts)]:
        try:
            found[f"import {module}"] = importlib.import_module(module)
        except ImportError:  # a part that is not a module is an attribute of the previous one
            if module == name:
                found[f"import {module}"] = None


def is_own_module(value: Any) -> bool:
    """Return True if `value` is a module that does not belong to an installed distribution."""
    return isinstance(value, ModuleType) and release_of(value.__name__) is None
