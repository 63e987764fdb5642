"""Aliases of renamed parameters and attributes, kept for one release."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def warn_renamed(old: str, new: str, *, stacklevel: int = 3) -> None:
    """Warn that a name has changed."""
    warnings.warn(
        f"{old!r} was renamed to {new!r} and will be removed in the next release; use {new!r}.",
        FutureWarning,
        stacklevel=stacklevel,
    )


def renamed_parameter(old: str, new: str) -> Callable[[Function], Function]:
    """Accept the keyword `old` of a function as an alias of `new`."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def accept(*args: Any, **given: Any) -> Any:
            if old in given:
                if new in given:
                    raise TypeError(f"{function.__name__} got both {new!r} and its old name {old!r}; use {new!r}.")
                warn_renamed(old, new)
                given[new] = given.pop(old)
            return function(*args, **given)

        return accept  # type: ignore[return-value]

    return decorate


def renamed_attribute(old: str, new: str) -> property:
    """Return a read-only property `old` that is an alias of the attribute `new`."""

    def get(self: Any) -> Any:
        warn_renamed(old, new)
        return getattr(self, new)

    return property(get, doc=f"Deprecated alias of `{new}`.")
