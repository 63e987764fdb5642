"""Detection of model parts that cloning leaves fitted: they may have seen the samples that test the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from sklearn.base import clone

from vitalfew.exceptions import PrefittedWarning
from vitalfew.support.code_parts import globals_of, release_of


def warn_if_prefitted(model: Any, name: str, *, stacklevel: int = 3) -> None:
    """Warn if a clone of `model`, which is what is fitted to each training set, still has fitted parts."""
    try:
        found = fitted_parts(clone(model))
    except Exception:  # a model that cannot be cloned raises its error when it is fitted
        return
    if found:
        warnings.warn(
            f"{name} contains a part that is already fitted and will not be refitted: {', '.join(found)}. If it was "
            "fitted on the test rows or their labels, the estimated error is too optimistic. Pass the part "
            "unfitted, without FrozenEstimator, so that it is fitted on the training rows only. If it was fitted on "
            "other data, ignore PrefittedWarning.",
            PrefittedWarning,
            stacklevel=stacklevel,
        )


def fitted_parts(model: Any) -> list[str]:
    """Return the names of fitted estimators in `model`: in parameters, steps, functions and the variables these use."""
    seen: set[int] = set()
    found = []
    todo: list[tuple[str, Any]] = [("", model)]
    while todo:
        name, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if _is_fitted(value):
            found.append(f"{name or 'the model'} ({type(value).__name__})")
        else:
            todo.extend((f"{name}.{part}".strip("."), inner) for part, inner in _parts(value))
    return sorted(found)


def _is_fitted(value: Any) -> bool:
    """Return True if `value` has fitted attributes: as in scikit-learn, non-parameters with a trailing underscore."""
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "__dict__")):
        return False
    given = value.get_params(deep=False) if hasattr(value, "get_params") else {}
    return any(n.endswith("_") and not n.startswith("_") and n not in given for n in vars(value))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((str(key), part) for key, part in value.items())
    elif isinstance(value, tuple) and value and isinstance(value[0], str):  # a step: (name, estimator, …)
        yield from ((value[0], part) for part in value[1:])
    elif isinstance(value, list | tuple):
        yield from (("", part) for part in value if not isinstance(part, str | bytes | int | float))
    elif isinstance(value, MethodType):
        yield from (("", value.__self__), ("", value.__func__))
    elif isinstance(value, partial):
        yield from (("", part) for part in (value.func, value.args, value.keywords))
    elif isinstance(value, FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or ())
        yield from ((name, cell.cell_contents) for name, cell in cells if cell != type(cell)())
        if release_of(value.__globals__.get("__name__", "")) is None:
            yield from globals_of(value).items()
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield from value.get_params(deep=False).items()
    elif hasattr(value, "__dict__") and release_of(type(value).__module__) is None and not isinstance(value, type):
        yield from vars(value).items()
