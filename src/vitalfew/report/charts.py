"""Charts of the report, from its facts alone. Each takes the width it may use, in pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vitalfew.report.svg import BAND, CHOSEN, GRID, INK, MAIN, MUTED, PAPER, QUIET, Figure, Sheet, draw
from vitalfew.report.text import is_rate, label, loss, number, percent, shorten
from vitalfew.rules.selection import import_altair

ROW_HEIGHT = 22
MOST_ROWS = 20
MOST_SLOPES = 14

DOT, DIAMOND = "circle", "diamond"


def figure(title: str, summary: str, make: Callable, wide: int, legend=(), narrow: int = 330) -> Figure:
    return Figure(title, summary, draw(make, wide, summary), draw(make, narrow, summary), tuple(legend))


def how_many(part: dict) -> Figure | None:
    """Criteria against the number of features, one panel for each on a common axis."""
    criteria = [c for c in part["criteria"] if any(v is not None for v in c["value"])]
    if not criteria or not part["k"]:
        return None
    choices = ", ".join(f"{c['label']} {number(c['chosen'])}" for c in criteria)
    summary = f"{part['answer']} Number of features chosen by each criterion: {choices}. The numbers are in the table that follows."
    legend = [("diamond chosen", "chosen by the criterion"), ("bar chosen", "nearly as good")]
    if part.get("range"):
        legend.append(("box band", "range on which the criteria agree" if part["agree"] else "range of the choices"))
    title = "Each criterion against the number of features"
    return figure(title, shorten(summary, 1000), lambda sheet, width: _criteria(sheet, part, criteria, width), 900, legend)


def _criteria(sheet: Sheet, part: dict, criteria: Sequence[dict], width: int):
    alt = import_altair()
    ks = part["k"]
    top = max(ks)
    kind = {"type": "symlog", "constant": 4} if top > 60 else {}
    scale = alt.Scale(domain=[min(ks) - 0.5, top + 0.5], nice=False, **kind)
    panels = []
    for i, criterion in enumerate(criteria):
        last = i == len(criteria) - 1
        axis = alt.Axis(labels=last, grid=False, tickMinStep=1, format="d", tickCount=max(1, min(top, width // 45)))
        title = "number of features" if last else None
        across = partial(alt.X, scale=scale, axis=axis, title=title)
        panels.append(_panel(sheet, part, criterion, across, width - 70))
    return alt.vconcat(*panels, spacing=10).resolve_scale(x="shared")


def _panel(sheet: Sheet, part: dict, criterion: dict, across: Callable, width: int):
    alt = import_altair()
    unit = criterion["unit"]
    se = criterion.get("se") or [None] * len(part["k"])
    rows = [
        {
            "k": k,
            "value": v,
            "low": v - (s or 0),
            "high": v + (s or 0),
            "from": k - 0.5,
            "to": k + 0.5,
            "tip": _criterion_tip(criterion, k, v, s, added),
        }
        for k, v, s, added in zip(part["k"], criterion["value"], se, part["feature"])
        if v is not None
    ]
    low, high = min(r["low"] for r in rows), max(r["high"] for r in rows)
    margin = 0.08 * (high - low) or abs(high) or 1
    up = partial(
        alt.Y,
        title=None,
        scale=alt.Scale(domain=[low - margin, high + margin], nice=False),
        axis=alt.Axis(tickCount=3, format=".3~p" if is_rate(unit) else ".3~s", grid=True, minExtent=52),
    )
    base = sheet.chart(rows).encode(x=across("k:Q"), y=up("value:Q"))
    layers = []
    if part.get("range"):
        ends = {"from": part["range"][0] - 0.5, "to": part["range"][1] + 0.5}
        band = sheet.chart([ends]).mark_rect(color=BAND, aria=False)
        layers.append(band.encode(x=across("from:Q"), x2="to:Q"))
    if any(s is not None for s in se):
        layers.append(base.mark_area(color=MAIN, opacity=0.18, aria=False).encode(y=up("low:Q"), y2="high:Q"))
    layers.append(base.mark_line(color=MAIN, strokeWidth=1.75, aria=False))
    if len(rows) <= 40:
        layers.append(base.mark_point(color=MAIN, filled=True, size=22, opacity=1, aria=False))
    chosen = [r for r in rows if r["k"] == criterion["chosen"]]
    if chosen:
        point = {**chosen[0], "from": criterion.get("low"), "to": criterion.get("high")}
        marked = sheet.chart([point]).encode(x=across("k:Q"), y=up("value:Q"))
        if point["from"] is not None and point["to"] is not None:
            rule = marked.mark_rule(color=CHOSEN, strokeWidth=3, strokeCap="round", opacity=0.65, aria=False)
            layers.append(rule.encode(x=across("from:Q"), x2="to:Q"))
        layers.append(marked.mark_point(shape=DIAMOND, color=CHOSEN, fill=CHOSEN, size=110, opacity=1, aria=False))
    hover = sheet.chart(rows).mark_rect(color=INK, opacity=0)
    layers.append(hover.encode(x=across("from:Q"), x2="to:Q", description="tip:N"))
    best = criterion["chosen"]
    title = f"{criterion['label']} ({unit}): {number(best)}" if unit != criterion["label"] else f"{unit}: {number(best)}"
    return alt.layer(*layers).properties(width=width, height=88, title=label(title, width // 7))


def _criterion_tip(criterion: dict, k: int, value: float, se: float | None, added: str | None) -> str:
    unit = criterion["unit"]
    shown = loss(value, unit) + ("" if is_rate(unit) else f" {unit}")
    spread = "" if se is None else f" ± {loss(se, unit)}"
    step = "" if added is None else f"\nadded: {label(added, 60)}"
    return f"{k} features\n{criterion['label']}: {shown}{spread}{step}"


def stability(part: dict) -> Figure | None:
    """How often each feature was chosen on resampled rows."""
    facts = part.get("stability")
    if not facts or not facts["names"]:
        return None
    pairs = sorted(zip(facts["names"], facts["frequency"]), key=lambda p: -p[1])[:MOST_ROWS]
    steady = sum(f >= facts["threshold"] for f in facts["frequency"])
    summary = f"{steady} features were chosen in at least {percent(facts['threshold'])} of {facts['n_resamples']} resamples."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = _label_room(width, [name for name, _ in pairs])
        rows = [
            {
                "row": i,
                "label": label(name, room // font),
                "share": share,
                "colour": MAIN if share >= facts["threshold"] else QUIET,
                "tip": f"{label(name, 80)}\nchosen in {percent(share)} of {facts['n_resamples']} resamples",
            }
            for i, (name, share) in enumerate(pairs)
        ]
        axis = alt.Axis(format=".0%", tickCount=5)
        x = alt.X("share:Q", title="share of resamples", scale=alt.Scale(domain=[0, 1]), axis=axis)
        base, names = _rows(sheet, rows, room)
        bars = base.mark_bar(height=12, cornerRadiusEnd=2, aria=False).encode(
            x=x, color=alt.Color("colour:N", scale=None)
        )
        hover = base.mark_bar(color=INK, opacity=0, height=ROW_HEIGHT).encode(x=alt.datum(1), description="tip:N")
        line = sheet.chart([{"at": facts["threshold"]}])
        rule = line.mark_rule(color=CHOSEN, strokeDash=[4, 3], strokeWidth=1.5, aria=False).encode(x="at:Q")
        return alt.layer(bars, rule, names, hover).properties(width=width - room - 24, height=ROW_HEIGHT * len(rows))

    legend = [
        ("box main", "at or above the threshold"),
        ("box quiet", "below"),
        ("dash chosen", f"threshold {percent(facts['threshold'])}"),
    ]
    return figure("How often each feature is chosen again", summary, make, 640, legend)


def redundant(part: dict) -> Figure | None:
    """What a redundant feature says alone, and what is left of it once the one to keep is known."""
    members = [(g, m) for g in part["groups"] for m in g["members"] if m["information"] is not None]
    if not members:
        return None
    shown = sorted(members, key=lambda p: -p[1]["information"])[:14]
    summary = f"{part['answer']} Bars show bits alone against bits left once the feature to keep is known."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = _label_room(width, [m["name"] for _, m in shown])
        rows = [
            {
                "row": i,
                "label": label(m["name"], room // font),
                "alone": m["information"],
                "left": m["given_keep"] or 0.0,
                "zero": 0,
                "end": max(x["information"] for _, x in shown),
                "tip": f"{label(m['name'], 80)}: {m['relation']} of {label(g['keep'], 80)}\n"
                f"alone: {number(m['information'])} bits\nleft: {number(m['given_keep'])} bits",
            }
            for i, (g, m) in enumerate(shown)
        ]
        base, names = _rows(sheet, rows, room)
        x = alt.X("alone:Q", title="bits about the target", axis=alt.Axis(tickCount=5))
        line = base.mark_rule(color=QUIET, strokeWidth=2, aria=False).encode(x=x, x2="left:Q")
        alone = base.mark_point(color=MAIN, fill=PAPER, strokeWidth=2, size=70, opacity=1, aria=False).encode(x=x)
        left = base.mark_point(color=CHOSEN, fill=CHOSEN, shape=DIAMOND, size=70, opacity=1, aria=False)
        hover = base.mark_bar(color=INK, opacity=0, height=ROW_HEIGHT).encode(x="end:Q", x2="zero:Q", description="tip:N")
        return alt.layer(line, alone, left.encode(x="left:Q"), names, hover).properties(
            width=width - room - 24, height=ROW_HEIGHT * len(rows)
        )

    legend = [("ring main", "alone"), ("diamond chosen", "left once the feature to keep is known")]
    return figure("What a redundant feature adds", shorten(summary, 1000), make, 640, legend)


def together(part: dict) -> Figure | None:
    """Rank alone against rank in context, as slopes between two columns."""
    slopes = [s for s in part["slopes"] if s["rank_in_context"] is not None][:MOST_SLOPES]
    if not slopes:
        return None
    steepest = max(slopes, key=lambda s: s["rank_alone"] / s["rank_in_context"])
    summary = (
        f"{part['answer']} The steepest rise: {label(steepest['name'], 80)}, rank {number(steepest['rank_alone'])} alone "
        f"and {number(steepest['rank_in_context'])} in context."
    )
    legend = [("line chosen", "rises in context"), ("line quiet", "keeps or loses its rank")]
    return figure("Rank alone, rank in context", shorten(summary, 1000), lambda sheet, width: _slopes(sheet, slopes, width), 820, legend)


def _slopes(sheet: Sheet, slopes: Sequence[dict], width: int):
    alt = import_altair()
    height = max(180, 24 * len(slopes) + 30)
    deepest = max(max(s["rank_alone"], s["rank_in_context"]) for s in slopes)
    depth = math.log(max(deepest, 2))

    def place(rank: float) -> float:
        return 8 + (height - 16) * math.log(rank) / depth

    right = 0.5 * width if width < 500 else 300
    inner = width - right - 56
    letters = int((right - 40) // 6.6)
    rows = []
    for s in slopes:
        partner = f" with {s['partner']}" if s.get("partner") else ""
        rises = s["rank_in_context"] < s["rank_alone"]
        rows.append(
            {
                "y": place(s["rank_alone"]),
                "y2": place(s["rank_in_context"]),
                "colour": CHOSEN if rises else QUIET,
                "width": 2 if rises else 1.25,
                "left": number(s["rank_alone"]),
                "right": label(f"{number(s['rank_in_context'])}  {s['name']}{partner}", letters),
                "tip": f"{label(s['name'], 80)}{label(partner, 80) and ' ' + label(partner, 80) if partner else ''}\n"
                f"alone: rank {number(s['rank_alone'])}, {number(s['alone'])} bits\n"
                f"in context: rank {number(s['rank_in_context'])}, {number(s['in_context'])} bits",
                "x": 0,
                "x2": 1,
            }
        )
    for key, column, gap in (("left_y", "y", 14), ("right_y", "y2", 16)):
        for row, y in zip(rows, _apart([r[column] for r in rows], gap, height)):
            row[key] = y
    down = partial(alt.Y, scale=alt.Scale(domain=[0, height], range=[0, height], nice=False, zero=False), axis=None)
    across = partial(alt.X, scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    base = sheet.chart(rows).encode(x=across("x:Q"), y=down("y:Q"))
    colour = alt.Color("colour:N", scale=None)
    lines = base.mark_rule(opacity=0.9, aria=False).encode(
        x2="x2:Q", y2="y2:Q", color=colour, strokeWidth=alt.StrokeWidth("width:Q", scale=None)
    )
    starts = base.mark_point(filled=True, size=36, opacity=1, aria=False).encode(color=colour)
    ends = starts.encode(x=across("x2:Q"), y=down("y2:Q"))
    ranks = base.mark_text(align="right", dx=-10, color=MUTED, fontSize=11, aria=False).encode(
        y=down("left_y:Q"), text="left:N"
    )
    names = base.mark_text(align="left", dx=10, color=INK, fontSize=12, aria=False).encode(
        x=across("x2:Q"), y=down("right_y:Q"), text="right:N"
    )
    ends_of_axis = [{"x": 0, "y": 0, "title": "alone"}, {"x": 1, "y": 0, "title": "in context"}]
    columns = sheet.chart(ends_of_axis).encode(x=across("x:Q"))
    heads = columns.mark_text(dy=-16, color=MUTED, fontSize=12, fontWeight=600, aria=False)
    heads = heads.encode(y=down("y:Q"), text="title:N")
    walls = columns.mark_rule(color=GRID, aria=False)
    hover = base.mark_rule(color=INK, opacity=0, strokeWidth=14).encode(x2="x2:Q", y2="y2:Q", description="tip:N")
    return alt.layer(walls, lines, starts, ends, ranks, names, heads, hover).properties(width=inner, height=height)


def _apart(places: Sequence[float], gap: float, height: float) -> list[float]:
    """The nearest places that are ``gap`` apart, in the same order, inside the chart where they fit."""
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


def errors(part: dict) -> Figure | None:
    """The error of every model with its standard error, and how far one standard error above the best reaches."""
    rows = sorted((r for r in part["rows"] if r["error"] is not None), key=lambda r: r["error"])[:MOST_ROWS]
    if not rows:
        return None
    summary = f"{part['answer']} {part['metric']} of {len(rows)} models with one standard error either way."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = _label_room(width, [model_name(r) for r in rows])
        data = [_error_row(i, r, part["metric"], room // font) for i, r in enumerate(rows)]
        low, high = min(r["low"] for r in data), max(r["high"] for r in data)
        margin = 0.04 * (high - low) or abs(high) or 1
        axis = alt.Axis(format=".3~p" if is_rate(part["metric"]) else ".3~s", tickCount=max(2, (width - room) // 80))
        scale = alt.Scale(domain=[low - margin, high + margin], nice=False)
        x = alt.X("error:Q", title=part["metric"], axis=axis, scale=scale)
        base, names = _rows(sheet, data, room)
        band = sheet.chart([{"from": data[0]["error"], "to": data[0]["high"]}])
        band = band.mark_rect(color=BAND, aria=False).encode(x=alt.X("from:Q", axis=axis, scale=scale), x2="to:Q")
        colour = alt.Color("colour:N", scale=None)
        bars = base.mark_rule(strokeWidth=2, aria=False).encode(
            x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q", color=colour
        )
        points = base.mark_point(size=80, opacity=1, strokeWidth=2, aria=False).encode(
            x=x, color=colour, fill=alt.Fill("fill:N", scale=None), shape=alt.Shape("shape:N", scale=None)
        )
        hover = base.mark_bar(color=INK, opacity=0, height=ROW_HEIGHT).encode(
            x=alt.datum(low - margin), x2=alt.datum(high + margin), description="tip:N"
        )
        return alt.layer(band, bars, points, names, hover).properties(
            width=width - room - 24, height=ROW_HEIGHT * len(data)
        )

    legend = [
        ("diamond chosen", "chosen"),
        ("dot main", "model"),
        ("ring quiet", "baseline"),
        ("box band", "within one standard error of the best"),
    ]
    return figure("Error of each model, selection inside every fold", shorten(summary, 1000), make, 640, legend)


def model_name(row: dict) -> str:
    """Model and selector in one name."""
    return row["model"] if row["selector"] in (None, "", "none") else f"{row['model']}, {row['selector']}"


def _error_row(i: int, row: dict, metric: str, letters: int) -> dict[str, Any]:
    se = row["se"] or 0.0
    colour = CHOSEN if row["is_chosen"] else QUIET if row["is_baseline"] else MAIN
    return {
        "row": i,
        "label": label(model_name(row), letters),
        "error": row["error"],
        "low": row["error"] - se,
        "high": row["error"] + se,
        "colour": colour,
        "fill": PAPER if row["is_baseline"] and not row["is_chosen"] else colour,
        "shape": DIAMOND if row["is_chosen"] else DOT,
        "tip": f"{label(model_name(row), 100)}\n{metric}: {loss(row['error'], metric)} ± {loss(row['se'], metric)}\n"
        f"{number(row['n_features'])} features",
    }


def frontier(part: dict) -> Figure | None:
    """Error against the number of features, and the models that no other beats on both."""
    rows = [r for r in part["rows"] if r["error"] is not None and r["n_features"] is not None]
    if len(rows) < 2:
        return None
    best = ", ".join(f"{label(f['name'], 60)}: {number(f['n_features'])} features" for f in part["frontier"][:8])
    summary = f"Models that no other beats both in error and in number of features: {best or 'none'}."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        data = [{**_error_row(i, r, part["metric"], 40), "n": r["n_features"]} for i, r in enumerate(rows)]
        most = max(r["n"] for r in data)
        scale = alt.Scale(type="symlog", constant=1, nice=False, domain=[0, most * 1.15 or 1])
        ticks = [t for t in _round_steps(most) if t <= most * 1.1]
        x = alt.X("n:Q", title="number of features", scale=scale, axis=alt.Axis(values=ticks, format=",d", grid=False))
        axis = alt.Axis(format=".3~p" if is_rate(part["metric"]) else ".3~s", tickCount=5)
        y = alt.Y("error:Q", title=part["metric"], axis=axis, scale=alt.Scale(zero=False))
        base = sheet.chart(data).encode(x=x, y=y)
        path = [{"n": f["n_features"], "error": f["error"]} for f in part["frontier"]]
        line = sheet.chart(sorted(path, key=lambda p: p["n"]))
        line = line.mark_line(color=MAIN, interpolate="step-after", strokeWidth=1.75, opacity=0.6, aria=False)
        points = base.mark_point(size=80, opacity=1, strokeWidth=2, aria=False).encode(
            color=alt.Color("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        )
        hover = base.mark_point(color=INK, filled=True, opacity=0, size=420).encode(description="tip:N")
        return alt.layer(line.encode(x=x, y=y), points, hover).properties(width=width - 70, height=280)

    legend = [("line main", "no model is both smaller and better")]
    return figure("Error against the number of features", shorten(summary, 1000), make, 640, legend)


def _round_steps(most: float) -> list[int]:
    steps = [0, 1, 2, 5]
    while steps[-1] < most:
        steps += [10 * steps[-3], 10 * steps[-2], 10 * steps[-1]]
    return steps if most <= 100 else [s for s in steps if s == 0 or str(s)[0] == "1"]


def _label_room(width: int, names: Sequence[str]) -> tuple[int, int]:
    """Pixels for the names at the left of a chart, and pixels of a letter."""
    letter = 7
    longest = max(len(label(n, 60)) for n in names)
    return min(letter * longest + 16, int(width * 0.4)), letter


def _rows(sheet: Sheet, rows: list[dict], room: int):
    """A base chart with one row for each datum, and its names, drawn as text: an axis would merge equal labels."""
    alt = import_altair()
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    base = sheet.chart(rows).encode(y=y)
    names = base.mark_text(align="right", dx=-10, color=INK, fontSize=12, limit=room, aria=False)
    return base, names.encode(x=alt.value(0), text="label:N")


def all_figures(facts: dict) -> dict[str, Figure]:
    """Every chart that the facts allow, by name."""
    made = {}
    for name, part, make in (
        ("how_many", "how_many", how_many),
        ("stability", "how_many", stability),
        ("redundant", "redundant", redundant),
        ("together", "together", together),
        ("errors", "which_model", errors),
        ("frontier", "which_model", frontier),
    ):
        section = facts.get(part)
        drawn = None if not section or section.get("skipped") else make(section)
        if drawn is not None:
            made[name] = drawn
    return made

