"""Suggestions for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def check_names(names: Iterable[str], columns: Sequence[str]) -> None:
    """Check that every name is a column; suggest the closest column otherwise."""
    known = set(columns)
    for name in names:
        if name not in known:
            raise ValueError(f"there is no column {plain(name)!r}; {suggestion(name, columns)}")


def suggestion(name: str, known: Sequence[str], what: str = "the columns are") -> str:
    """Return a hint for an unknown name: the closest of the known names, or the first ones."""
    hint = did_you_mean(name, known)
    if hint:
        return hint
    listed = ", ".join(repr(str(k)) for k in known[:10])
    return f"{what} {listed}" + (f" and {len(known) - 10} more." if len(known) > 10 else ".")


def did_you_mean(name: Any, known: Iterable[Any]) -> str:
    """Return a question with the closest of the known names, or "" if none is close."""
    if not isinstance(name, str):
        return ""
    names = [str(k) for k in known if isinstance(k, str)]
    same = [k for k in names if k.lower() == name.lower()]
    close = same or difflib.get_close_matches(name.lower(), [k.lower() for k in names], n=1)
    found = next((k for k in names if close and k.lower() == close[0].lower()), None)
    return "" if found is None else f"did you mean {found!r}?"


def plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python object it stands for, which messages show without its type."""
    return value.item() if isinstance(value, np.generic) else value


def not_one_of(what: str, value: Any, choices: Iterable[Any]) -> str:
    """Return the message for a value that is not among the choices, with the closest of them."""
    listed = list(choices)
    hint = did_you_mean(value, listed)
    shown = ", ".join(repr(c) for c in listed)
    return f"{what} must be one of {shown}, got {plain(value)!r}" + (f"; {hint}" if hint else ".")
