"""Common parts of the charts of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vitalfew.reporting.render.svg import INK, Figure, Sheet, draw
from vitalfew.reporting.render.text import is_rate, label
from vitalfew.support.optional import import_altair

ROW_HEIGHT = 22
MOST_ROWS = 20
PHONE = 500  # narrower charts show less

DOT, DIAMOND = "circle", "diamond"


def figure(title: str, summary: str, make: Callable, wide: int, legend=(), narrow: int = 330) -> Figure:
    return Figure(title, summary, draw(make, wide, summary), draw(make, narrow, summary), tuple(legend))


def label_room(width: int, names: Sequence[str]) -> tuple[int, int]:
    """Return the pixels for the names at the left of a chart, and the pixels per letter."""
    letter = 7
    longest = max(len(label(n, 60)) for n in names)
    return min(letter * longest + 16, int(width * (0.48 if width < PHONE else 0.4))), letter


def named_rows(sheet: Sheet, rows: list[dict], room: int):
    """Return a base chart with one row per datum, and its names drawn as text: an axis would merge equal labels."""
    alt = import_altair()
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    base = sheet.chart(rows).encode(y=y)
    names = base.mark_text(align="left", dx=-room, color=INK, fontSize=12, limit=room - 10, aria=False)
    return base, names.encode(x=alt.value(0), text="label:N")


def round_steps(most: float) -> list[int]:
    """Return round numbers for a logarithmic axis that begins at zero."""
    steps = [0, 1, 2, 5]
    while steps[-1] < most:
        steps += [10 * steps[-3], 10 * steps[-2], 10 * steps[-1]]
    return [s for s in steps if s <= most]


def axis_format(unit: str, values: Sequence[float]) -> str:
    """Return a number format: percent for rates, thousands as k, small numbers unchanged."""
    if is_rate(unit):
        return ".3~p"
    return ".3~s" if max(map(abs, values)) >= 10_000 else ",.4~g"
