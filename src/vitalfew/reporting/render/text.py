"""Formatting of numbers, and of untrusted names as text that any page can hold."""

from __future__ import annotations

import math
import re
from typing import Any

# Control characters are shown as control pictures (␀, ␛ …); direction marks cannot reverse or hide text.
_PICTURES = {c: 0x2400 + c for c in range(0x20) if c not in (0x09, 0x0A)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys((*range(128, 160), *range(8234, 8239), *range(8294, 8298), 65534, 65535), 65533)
BLANK = "(blank)"
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(value: Any) -> Any:
    """Return the facts with every string valid in UTF-8, HTML and SVG, and every number finite or None."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value
        return _SURROGATE.sub("\ufffd", value.replace("\r\n", "\n").translate(_PICTURES))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean(k): clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [clean(v) for v in value]
    return value


def shorten(text: Any, length: int = 120) -> str:
    """Return the beginning and end of a long text, with its length; a short text unchanged."""
    text = str(text)
    if len(text) <= length + 20:
        return text
    tail = length // 4
    return f"{text[: length - tail]} … {text[-tail:]} ({len(text):,} characters)"


def label(text: Any, length: int) -> str:
    """Return text as a single line of at most `length` characters, for the axis of a chart."""
    text = " ".join(str(text).split()) or BLANK
    return text if len(text) <= length else text[: length - 1] + "…"


def number(value: float | None, digits: int = 3) -> str:
    """Format a number with three significant digits and thousands separators, without trailing zeros.

    >>> number(0.014159), number(1234567.8), number(12.0), number(0.8), number(3.2e-7), number(None)
    ('0.0142', '1,234,568', '12', '0.8', '3.2e-07', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    size = abs(value)
    if value == int(value) and size < 1e15:
        text = f"{int(value):,}"
    elif size >= 1e15 or size < 1e-4:
        text = re.sub(r"\.?0*e", "e", f"{value:.{digits - 1}e}")
    elif size >= 10 ** (digits - 1):
        text = f"{value:,.0f}"
    else:
        text = f"{value:.{digits - 1 - math.floor(math.log10(size))}f}".rstrip("0").rstrip(".")
    return text.replace("-", "\u2212") if value < 0 else text


def percent(value: float | None) -> str:
    """Format a share as a percentage.

    >>> percent(0.1413), percent(1.0), percent(0.0004), percent(1e308)
    ('14.1%', '100%', '0.04%', '–%')
    """
    if value is None:
        return "–"
    return f"{number(100 * value, 3 if abs(value) >= 0.01 else 2)}%"


def is_rate(unit: str | None) -> bool:
    """Return True if a measure is a share of rows."""
    return bool(unit) and "rate" in str(unit)


def loss(value: float | None, unit: str | None) -> str:
    """Format an error by its measure: a rate as a percentage, anything else as a number."""
    return percent(value) if is_rate(unit) else number(value)


def rise(value: float | None, unit: str | None) -> str:
    """Format a change of an error: of a rate in percentage points, of anything else as a signed number.

    >>> rise(0.0123, "error rate"), rise(-2.5, "root mean squared error"), rise(None, "error rate")
    ('+1.2 points', '−2.5', '–')
    """
    if value is None:
        return "–"
    text = f"{100 * value:+.1f} points" if is_rate(unit) else f"{'+' * (value >= 0)}{number(value, 2)}"
    return text.replace("-", "\u2212")


def p_value(value: float | None) -> str:
    """Format a p-value; very small ones as a bound."""
    if value is None:
        return "–"
    return "< 0.0001" if value < 1e-4 else number(value, 2)


def plural(count: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"
