"""Helpers for the sentences of the report."""

from __future__ import annotations

from collections.abc import Sequence


def plural(n: int, what: str, many: str | None = None) -> str:
    """Return a number with its noun: 1 feature, 2 features, no features."""
    return f"{'no' if n == 0 else f'{n:,}'} {what if n == 1 else many or what + 's'}"


def listing(items: Sequence[str], most: int = 6) -> str:
    """Join items as "a, b and c"; the rest of a long list is counted."""
    shown = [str(i) for i in items[:most]]
    if len(items) > most:
        return ", ".join(shown) + f" and {len(items) - most:,} more"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1] if shown else ""


def short(name: str, most: int = 60) -> str:
    """Shorten a name to fit into a sentence."""
    return name if len(name) <= most else name[: most - 1] + "…"
