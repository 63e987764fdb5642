"""Chart of the scores that a rule compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vitalfew.rules.charts.parts import knob_x
from vitalfew.support.optional import import_altair

if TYPE_CHECKING:
    from vitalfew.rules.selection import Selection

# Parts of the model bits, which a chart shows as one.
DETAILS = ("size_bits", "subset_bits", "parameter_bits")


def selection_chart(selection: Selection) -> Any:
    """Plot the scores, one standard error either way, their parts, and the chosen point."""
    rows = _rows(selection)
    layers = [*_band(selection, rows), _lines(selection, rows), *_marks(selection, rows), *_chosen(selection, rows)]
    value = selection.value
    title = f"{selection.knob.replace('_', ' ')} = {value:{'.3g' if isinstance(value, float) else ''}}"
    if selection.rule != "fixed":
        title += f" chosen by {selection.rule!r}"
    return import_altair().layer(*layers).properties(title=title, width=480, height=280)


def _rows(selection: Selection) -> list[dict]:
    """Return one dict per point, with NaN for infinite values, which a chart cannot show."""
    columns = {name: np.asarray(values).tolist() for name, values in selection.columns().items()}
    return [
        {k: np.nan if v in (np.inf, -np.inf) else v for k, v in zip(columns, line)} for line in zip(*columns.values())
    ]


def _chart(selection: Selection, values: list[dict]) -> Any:
    alt = import_altair()
    return alt.Chart(alt.Data(values=values)).encode(x=knob_x(selection.knob, selection.grid))


def _lines(selection: Selection, rows: list[dict]) -> Any:
    alt = import_altair()
    knob, parts = selection.knob, [name for name in selection.parts if name not in DETAILS]
    curves = {name: name.replace("_", " ") for name in (selection.measure, *parts)}
    values = [
        {knob: r[knob], "curve": title, "value": r[name]}
        for r in rows
        for name, title in curves.items()
        if r[name] == r[name]
    ]
    units = {name.rsplit("_", 1)[-1] for name in curves}
    title = units.pop() if parts and len(units) == 1 else curves[selection.measure]
    legend = alt.Legend() if parts else None
    return (
        _chart(selection, values)
        .mark_line(point=len(rows) <= 60)
        .encode(
            y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
            color=alt.Color("curve:N", sort=list(curves.values()), title=None, legend=legend),
            tooltip=[alt.Tooltip(f"{knob}:Q"), "curve:N", alt.Tooltip("value:Q", format=".4g")],
        )
    )


def _band(selection: Selection, rows: list[dict]) -> list:
    """Return a layer for one standard error either way, if there are standard errors."""
    knob, measure = selection.knob, selection.measure
    values = [
        {knob: r[knob], "low": r[measure] - r["standard_error"], "high": r[measure] + r["standard_error"]}
        for r in rows
        if r["standard_error"] == r["standard_error"]
    ]
    return [_chart(selection, values).mark_area(opacity=0.2).encode(y="low:Q", y2="high:Q")] if values else []


def _marks(selection: Selection, rows: list[dict]) -> list:
    """Mark the best point and the simplest one within one standard error of it, for rules that define both."""
    knob, measure = selection.knob, selection.measure
    if selection.rule not in ("cv", "1se", "oob") or np.isnan(selection.standard_error).all():
        return []
    marks = {"best": selection.index_best, "one standard error": selection.index_1se}
    values = [{knob: rows[i][knob], "value": rows[i][measure], "mark": mark} for mark, i in marks.items()]
    shape = import_altair().Shape("mark:N", title=None)
    drawn = _chart(selection, values).mark_point(size=160, strokeWidth=2)
    return [drawn.encode(y="value:Q", shape=shape, tooltip=["mark:N", f"{knob}:Q"])]


def _chosen(selection: Selection, rows: list[dict]) -> list:
    row = rows[selection.index]
    value = row[selection.measure]
    chart = _chart(selection, [{selection.knob: row[selection.knob], "value": value if value == value else None}])
    return [
        chart.mark_rule(strokeDash=[4, 4], color="gray"),
        chart.mark_point(size=120, color="black", filled=True).encode(y="value:Q"),
    ]
