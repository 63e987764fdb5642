"""Slope chart of features that gain from others: rank alone against rank in context."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from vitalfew.reporting.render.chart_parts import PHONE, figure
from vitalfew.reporting.render.svg import CHOSEN, GRID, INK, MUTED, QUIET, Figure, Sheet
from vitalfew.reporting.render.text import label, number, shorten
from vitalfew.support.optional import import_altair

MOST_SLOPES = 14


def together(part: dict) -> Figure | None:
    """Draw rank alone against rank in context, as slopes between two columns."""
    slopes = [s for s in part["slopes"] if s["rank_in_context"] is not None][:MOST_SLOPES]
    if not slopes:
        return None
    steepest = max(slopes, key=lambda s: s["rank_alone"] / s["rank_in_context"])
    summary = (
        f"{part['answer']} The steepest rise: {label(steepest['name'], 80)}, "
        f"rank {number(steepest['rank_alone'])} alone and {number(steepest['rank_in_context'])} in context."
    )
    legend = [("line chosen", "rank improves by a third or more"), ("line quiet", "others")]
    return figure(
        "Rank alone and in context",
        shorten(summary, 1000),
        lambda sheet, width: _slopes(sheet, slopes, width),
        820,
        legend,
    )


def _slopes(sheet: Sheet, slopes: Sequence[dict], width: int):
    height = max(180, 24 * len(slopes) + 30)
    is_narrow = width < PHONE
    right = 165 if is_narrow else 320
    inner = width - right - 40
    rows = _rows(slopes, height, int((right - 18) // 7), is_narrow)
    return _layers(sheet, rows, height, 14 / inner).properties(width=inner, height=height)


def _rows(slopes: Sequence[dict], height: float, letters: int, is_narrow: bool) -> list[dict[str, Any]]:
    """Return the start, end and labels of each slope."""
    deepest = max(2, *(max(s["rank_alone"], s["rank_in_context"]) for s in slopes))

    def place(rank: float) -> float:
        share = (rank - 1) / (deepest - 1) if deepest <= 30 else math.log(rank) / math.log(deepest)
        return 8 + (height - 16) * share

    rows: list[dict[str, Any]] = []
    for s in slopes:
        name, alone, context = label(s["name"], 80), number(s["rank_alone"]), number(s["rank_in_context"])
        partner = f" with {s['partner']}" if s.get("partner") else ""
        rises = 3 * s["rank_in_context"] <= 2 * s["rank_alone"]
        rows.append(
            {
                "y": place(s["rank_alone"]),
                "y2": place(s["rank_in_context"]),
                "color": CHOSEN if rises else QUIET,
                "width": 2 if rises else 1.25,
                "left": alone,
                "right": label(f"{context}  {name}{'' if is_narrow else partner}", letters),
                "tip": f"{name}{partner and ' ' + label(partner, 80)}\n"
                f"alone: rank {alone}, {number(s['alone'])} bits\n"
                f"in context: rank {context}, {number(s['in_context'])} bits",
            }
        )
    for row, y in zip(rows, _apart([r["y2"] for r in rows], 16, height)):
        row["right_y"] = y
    last = -math.inf
    for row in sorted(rows, key=lambda r: r["y"]):
        # Where ranks are crowded, some labels are omitted.
        if row["y"] < last + 12:
            row["left"] = ""
        else:
            last = row["y"]
    return rows


def _layers(sheet: Sheet, rows: list[dict[str, Any]], height: float, lead: float):
    """Draw slopes with ranks at the left and names at the right, which leader lines of length `lead` connect."""
    alt = import_altair()
    down = partial(alt.Y, scale=alt.Scale(domain=[0, height], range=[0, height], nice=False, zero=False), axis=None)
    across = partial(alt.X, scale=alt.Scale(domain=[0, 1 + lead], nice=False), axis=None)
    base = sheet.chart([{**row, "x": 0, "x2": 1, "x3": 1 + lead} for row in rows])
    base = base.encode(x=across("x:Q"), y=down("y:Q"))
    color = alt.Color("color:N", scale=None)
    lines = base.mark_rule(opacity=0.9, aria=False).encode(
        x2="x2:Q", y2="y2:Q", color=color, strokeWidth=alt.StrokeWidth("width:Q", scale=None)
    )
    starts = base.mark_point(filled=True, size=36, opacity=1, aria=False).encode(color=color)
    ends = starts.encode(x=across("x2:Q"), y=down("y2:Q"))
    ranks = base.mark_text(align="right", dx=-10, color=MUTED, fontSize=11, aria=False).encode(text="left:N")
    names = base.mark_text(align="left", dx=4, color=INK, fontSize=12, aria=False).encode(
        x=across("x3:Q"), y=down("right_y:Q"), text="right:N"
    )
    leads = base.mark_rule(color=QUIET, strokeWidth=0.75, aria=False).encode(
        x=across("x2:Q"), x2="x3:Q", y=down("y2:Q"), y2="right_y:Q"
    )
    ends_of_axis = [{"x": 0, "y": 0, "title": "alone"}, {"x": 1, "y": 0, "title": "in context"}]
    columns = sheet.chart(ends_of_axis).encode(x=across("x:Q"))
    heads = columns.mark_text(dy=-16, color=MUTED, fontSize=12, fontWeight=600, aria=False)
    heads = heads.encode(y=down("y:Q"), text="title:N")
    walls = columns.mark_rule(color=GRID, aria=False)
    hover = base.mark_rule(color=INK, opacity=0, strokeWidth=14).encode(x2="x2:Q", y2="y2:Q", description="tip:N")
    return alt.layer(walls, leads, lines, starts, ends, ranks, names, heads, hover)


def _apart(places: Sequence[float], gap: float, height: float) -> list[float]:
    """Return the nearest positions that are ``gap`` apart, in the same order, inside the chart if they fit."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    last = -math.inf
    for i in order:
        moved[i] = last = max(places[i], last + gap)
    last = max(height, moved[order[-1]] if len(places) * gap > height else 0)
    for i in reversed(order):
        moved[i] = last = min(moved[i], last)
        last -= gap
    return moved
