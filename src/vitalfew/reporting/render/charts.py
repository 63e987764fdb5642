"""Charts of the report, made from its facts alone. Each is drawn for a given width in pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from vitalfew.reporting.render.chart_parts import (
    DIAMOND,
    MOST_ROWS,
    ROW_HEIGHT,
    axis_format,
    figure,
    label_room,
    named_rows,
    round_steps,
)
from vitalfew.reporting.render.model_charts import errors, frontier
from vitalfew.reporting.render.slope_chart import together
from vitalfew.reporting.render.svg import BAND, CHOSEN, INK, MAIN, PAPER, QUIET, Figure, Sheet
from vitalfew.reporting.render.text import is_rate, label, loss, number, percent, plural, shorten
from vitalfew.support.optional import import_altair


def how_many(part: dict) -> Figure | None:
    """Draw the criteria against the number of features, one panel for each on a common axis."""
    criteria = [c for c in part["criteria"] if any(v is not None for v in c["value"])]
    if not criteria or not part["k"]:
        return None
    choices = ", ".join(f"{c['label']} {number(c['chosen'])}" for c in criteria)
    summary = f"{part['answer']} Number of features chosen by each criterion: {choices}."
    legend = [("diamond chosen", "chosen by the criterion"), ("bar chosen", "nearly as good")]
    if part.get("range"):
        legend.append(("box band", "range on which the criteria agree" if part["agree"] else "range of the choices"))
    title = "Criteria by number of features"
    return figure(
        title, shorten(summary, 1000), lambda sheet, width: _criteria(sheet, part, criteria, width), 900, legend
    )


def _criteria(sheet: Sheet, part: dict, criteria: Sequence[dict], width: int):
    alt = import_altair()
    ks = part["k"]
    top = max(ks)
    kind = {"type": "symlog", "constant": 4} if top > 60 else {}
    scale = alt.Scale(domain=[min(ks) - 0.5, top + 0.5], nice=False, **kind)
    panels = []
    for i, criterion in enumerate(criteria):
        last = i == len(criteria) - 1
        axis = alt.Axis(labels=last, grid=False, format="d", tickMinStep=1, tickCount=max(1, min(top, width // 45)))
        if kind:
            axis = alt.Axis(labels=last, grid=False, format="d", values=round_steps(top), labelOverlap="greedy")
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
        axis=alt.Axis(tickCount=3, format=axis_format(unit, [low, high]), grid=True, minExtent=52),
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
    name = criterion["label"] if is_rate(unit) or unit == criterion["label"] else f"{criterion['label']} ({unit})"
    title = label(f"{name[:1].upper()}{name[1:]}: {plural(best, 'feature')}", width // 7)
    return alt.layer(*layers).properties(width=width, height=88, title=title)


def _criterion_tip(criterion: dict, k: int, value: float, se: float | None, added: str | None) -> str:
    unit = criterion["unit"]
    shown = loss(value, unit) + ("" if is_rate(unit) else f" {unit}")
    spread = "" if se is None else f" ± {loss(se, unit)}"
    step = "" if added is None else f"\nadded: {label(added, 60)}"
    return f"{k} features\n{criterion['label']}: {shown}{spread}{step}"


def stability(part: dict) -> Figure | None:
    """Draw the selection frequency of each feature over resamples."""
    facts = part.get("stability")
    if not facts or not facts["names"]:
        return None
    pairs = sorted(zip(facts["names"], facts["frequency"]), key=lambda p: -p[1])[:MOST_ROWS]
    steady = sum(f >= facts["threshold"] for f in facts["frequency"])
    summary = (
        f"{steady} features selected in at least {percent(facts['threshold'])} of {facts['n_resamples']} resamples."
    )

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = label_room(width, [name for name, _ in pairs])
        rows = [
            {
                "row": i,
                "label": label(name, room // font),
                "share": share,
                "color": MAIN if share >= facts["threshold"] else QUIET,
                "tip": f"{label(name, 80)}\nselected in {percent(share)} of {facts['n_resamples']} resamples",
            }
            for i, (name, share) in enumerate(pairs)
        ]
        axis = alt.Axis(format=".0%", tickCount=5)
        x = alt.X("share:Q", title="fraction of resamples", scale=alt.Scale(domain=[0, 1]), axis=axis)
        base, names = named_rows(sheet, rows, room)
        bars = base.mark_bar(height=12, cornerRadiusEnd=2, aria=False).encode(
            x=x, color=alt.Color("color:N", scale=None)
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
    return figure("How often each feature is selected", summary, make, 760, legend)


def redundant(part: dict) -> Figure | None:
    """Draw the information of redundant features alone, and given the feature to keep."""
    members = [(g, m) for g in part["groups"] for m in g["members"] if m["information"] is not None]
    if not members:
        return None
    shown = sorted(members, key=lambda p: -p[1]["information"])[:14]
    summary = f"{part['answer']} The chart shows bits alone and bits left given the feature to keep."

    def make(sheet: Sheet, width: int):
        alt = import_altair()
        room, font = label_room(width, [m["name"] for _, m in shown])
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
        base, names = named_rows(sheet, rows, room)
        x = alt.X("alone:Q", title="bits about the target", axis=alt.Axis(tickCount=5))
        line = base.mark_rule(color=QUIET, strokeWidth=2, aria=False).encode(x=x, x2="left:Q")
        alone = base.mark_point(color=MAIN, fill=PAPER, strokeWidth=2, size=70, opacity=1, aria=False).encode(x=x)
        left = base.mark_point(color=CHOSEN, fill=CHOSEN, shape=DIAMOND, size=70, opacity=1, aria=False)
        hover = base.mark_bar(color=INK, opacity=0, height=ROW_HEIGHT).encode(
            x="end:Q", x2="zero:Q", description="tip:N"
        )
        return alt.layer(line, alone, left.encode(x="left:Q"), names, hover).properties(
            width=width - room - 24, height=ROW_HEIGHT * len(rows)
        )

    legend = [("ring main", "alone"), ("diamond chosen", "left given the feature to keep")]
    return figure("Information that a redundant feature adds", shorten(summary, 1000), make, 760, legend)


def all_figures(facts: dict) -> dict[str, Figure]:
    """Return every chart that the facts allow, by name."""
    made = {}
    for name, part, make in (
        ("how_many", "how_many", how_many),
        ("stability", "how_many", stability),
        ("redundant", "redundant", redundant),
        ("together", "together", together),
        ("errors", "which_model", errors),
        ("frontier", "recommended", frontier),
    ):
        section = facts.get(part)
        drawn = None if not section or section.get("skipped") else make(section)
        if drawn is not None:
            made[name] = drawn
    return made
