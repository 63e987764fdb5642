"""Charts of models: the error of each, and error against the number of features."""

from __future__ import annotations

from typing import Any

from vitalfew.reporting.render.chart_parts import (
    DIAMOND,
    DOT,
    MOST_ROWS,
    ROW_HEIGHT,
    axis_format,
    figure,
    label_room,
    named_rows,
    round_steps,
)
from vitalfew.reporting.render.svg import BAND, CHOSEN, INK, MAIN, MUTED, PAPER, QUIET, Figure, Sheet
from vitalfew.reporting.render.text import label, loss, number, shorten
from vitalfew.support.optional import import_altair


def errors(part: dict) -> Figure | None:
    """Draw the error of every model with its standard error, and the range within one standard error of the best."""
    rows = sorted((r for r in part["rows"] if r["error"] is not None), key=lambda r: r["error"])[:MOST_ROWS]
    if not rows:
        return None
    summary = f"{part['answer']} {part['metric']} of {len(rows)} models, plus or minus one standard error."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = label_room(width, [model_name(r) for r in rows])
        data = [_error_row(i, r, part["metric"], room // font) for i, r in enumerate(rows)]
        inside = [r for r, row in zip(data, rows) if not row["is_baseline"]] or data
        low, high = min(r["low"] for r in inside), max(r["high"] for r in inside)
        # A baseline far off would compress the differences among models: it is drawn at the edge, with its value.
        far = [r for r in data if r["error"] > high + (high - low)] if high > low else []
        if not far:
            low, high = min(r["low"] for r in data), max(r["high"] for r in data)
        margin = 0.06 * (high - low) or abs(high) or 1
        for r in far:
            r |= {"off": f"{loss(r['error'], part['metric'])} \u2192", "edge": high + margin}
            r |= {"error": None, "low": None, "high": None}
        axis = alt.Axis(
            format=axis_format(part["metric"], [r["error"] for r in rows]), tickCount=max(2, (width - room) // 110)
        )
        scale = alt.Scale(domain=[low - margin, high + margin], nice=False)
        x = alt.X("error:Q", title=part["metric"], axis=axis, scale=scale)
        base, names = named_rows(sheet, data, room)
        band = sheet.chart([{"from": data[0]["error"], "to": data[0]["high"]}])
        band = band.mark_rect(color=BAND, aria=False).encode(x=alt.X("from:Q", axis=axis, scale=scale), x2="to:Q")
        color = alt.Color("color:N", scale=None)
        bars = base.mark_rule(strokeWidth=2, aria=False).encode(
            x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q", color=color
        )
        points = base.mark_point(size=80, opacity=1, strokeWidth=2, aria=False).encode(
            x=x, color=color, fill=alt.Fill("fill:N", scale=None), shape=alt.Shape("shape:N", scale=None)
        )
        hover = base.mark_bar(color=INK, opacity=0, height=ROW_HEIGHT).encode(
            x=alt.datum(low - margin), x2=alt.datum(high + margin), description="tip:N"
        )
        off = sheet.chart(far).encode(y=base.encoding.y, x=alt.X("edge:Q", axis=axis, scale=scale), text="off:N")
        off = off.mark_text(align="right", color=MUTED, fontSize=12, aria=False)
        return alt.layer(band, bars, points, off, names, hover).properties(
            width=width - room - 24, height=ROW_HEIGHT * len(data)
        )

    legend = [
        ("diamond chosen", "chosen"),
        ("dot main", "model"),
        ("ring quiet", "baseline"),
        ("box band", "within one standard error of the best"),
    ]
    return figure("Error of each model, with selection inside each fold", shorten(summary, 1000), make, 760, legend)


def model_name(row: dict) -> str:
    """Return model and selector as one name."""
    return row["model"] if row["selector"] in (None, "", "none") else f"{row['model']}, {row['selector']}"


def _error_row(i: int, row: dict, metric: str, letters: int) -> dict[str, Any]:
    se = row["se"] or 0.0
    color = CHOSEN if row["is_chosen"] else QUIET if row["is_baseline"] else MAIN
    return {
        "row": i,
        "label": label(model_name(row), letters),
        "error": row["error"],
        "low": row["error"] - se,
        "high": row["error"] + se,
        "color": color,
        "fill": PAPER if row["is_baseline"] and not row["is_chosen"] else color,
        "shape": DIAMOND if row["is_chosen"] else DOT,
        "tip": f"{label(model_name(row), 100)}\n{metric}: {loss(row['error'], metric)} ± {loss(row['se'], metric)}\n"
        f"{number(row['n_features'])} features",
    }


def frontier(said: dict) -> Figure | None:
    """Draw the error of the best candidate of each size, with the recommended size and the error without features."""
    few, metric = said["few"], said["metric"]
    rows = [r for r in said["frontier"] if r["error"] is not None]
    if len(rows) < 2:
        return None
    listed = ", ".join(f"{number(r['n_features'])} features: {loss(r['error'], metric)}" for r in rows[:12])
    summary = f"Out-of-fold error of the best model of each size. {listed}. Recommended: {number(few['n_features'])}."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        nothing = {"model": "without features", "selector": None, "n_features": 0, "error": said["baseline"]}
        data = [_size_row(i, r, few["n_features"], metric) for i, r in enumerate([nothing, *rows])]
        most = max(r["n"] for r in data)
        scale = alt.Scale(type="symlog", constant=1, nice=False, domain=[-0.15, most * 1.2 or 1])
        steps = alt.Axis(values=round_steps(most * 1.1), format=",d", grid=False, labelOverlap="greedy")
        x = alt.X("n:Q", title="number of features", scale=scale, axis=steps)
        axis = alt.Axis(format=axis_format(metric, [r["error"] for r in data]), tickCount=5)
        y = alt.Y("error:Q", title=metric, axis=axis, scale=alt.Scale(zero=False))
        base = sheet.chart(data).encode(x=x, y=y)
        line = sheet.chart(data[1:]).mark_line(color=MAIN, strokeWidth=1.75, opacity=0.6, aria=False)
        points = base.mark_point(size=80, opacity=1, strokeWidth=2, aria=False).encode(
            color=alt.Color("color:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        )
        hover = base.mark_point(color=INK, filled=True, opacity=0, size=420).encode(description="tip:N")
        return alt.layer(line.encode(x=x, y=y), points, hover).properties(width=width - 70, height=260)

    legend = [
        ("line main", "best model of each size"),
        ("diamond chosen", "recommended"),
        ("ring quiet", "no features"),
    ]
    return figure("Error by number of features", shorten(summary, 1000), make, 760, legend)


def _size_row(i: int, row: dict, chosen: int, metric: str) -> dict[str, Any]:
    whole = {**row, "se": None, "is_chosen": row["n_features"] == chosen, "is_baseline": row["n_features"] == 0}
    tip = f"{number(row['n_features'])} features: {label(model_name(row), 100)}\n{metric}: {loss(row['error'], metric)}"
    return {**_error_row(i, whole, metric, 40), "n": row["n_features"], "tip": tip}
