"""Suggestions for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def check_names(names, columns: Sequence[str]) -> None:
    """Check that every name is a column; suggest the closest column otherwise."""
    known = set(columns)
    for name in names:
        if name not in known:
            raise ValueError(f"there is no column {name!r}; {suggestion(name, columns)}")


def suggestion(name: str, known: Sequence[str], what: str = "the columns are") -> str:
    """Return a hint for an unknown name: the closest of the known names, or the first ones."""
    close = difflib.get_close_matches(str(name), [str(k) for k in known], n=1)
    lower = [k for k in known if str(k).lower() == str(name).lower()]
    if lower or close:
        return f"did you mean {(lower or close)[0]!r}?"
    listed = ", ".join(repr(str(k)) for k in known[:10])
    return f"{what} {listed}" + (f" and {len(known) - 10} more." if len(known) > 10 else ".")
