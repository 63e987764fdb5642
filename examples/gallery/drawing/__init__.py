"""Shared code of the gallery scripts: the style of the charts, labeled lines, and files of this repository.

In a separate folder, so that sphinx-gallery does not run it as an example.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import altair as alt
import numpy as np
import pandas as pd
from sklearn.isotonic import isotonic_regression
from threadpoolctl import threadpool_limits

from vitalfew.reporting.render.svg import CHOSEN, GRID, INK, MAIN, MUTED, QUIET

ROOT = Path(__file__).resolve().parents[3]
# Tell apart with every kind of color vision; the first two are those of the library's report.
COLORS = [MAIN, CHOSEN, "#1b8a6b", "#9a4f96", "#b58900", QUIET, "#4fa8d8", "#c2185b", "#6b4c2a", "#222222"]
FONT = "DejaVu Sans, Verdana, sans-serif"
WIDE, HIGH = 520, 300
# The problems are small: on a busy machine, threads that wait for one another take longer than one alone.
threadpool_limits(1)


AXIS = {"labelColor": MUTED, "titleColor": INK, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID}
LABELS = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelSeparation": 6}
LOOK = {
    "background": "white",
    "font": FONT,
    "axis": AXIS | LABELS,
    "axisX": {"grid": False, "domainColor": QUIET, "tickColor": QUIET},
    "header": {"labelColor": INK, "labelFontSize": 12, "labelFontWeight": 600, "titleColor": INK},
    "legend": {"orient": "top", "labelColor": INK, "labelFontSize": 12, "labelLimit": 300, "titleFontWeight": "normal"},
    "line": {"strokeWidth": 2},
    "mark": {"color": MAIN},
    "range": {"category": COLORS, "heatmap": {"scheme": "viridis"}, "ramp": {"scheme": "blues"}},
    "text": {"color": INK, "fontSize": 12, "font": FONT},
    "title": {"color": INK, "fontWeight": 600, "anchor": "start", "fontSize": 14, "offset": 10}
    | {"subtitleColor": MUTED, "subtitleFontSize": 12},
    "view": {"stroke": None},
}


def styled(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """A finished chart in the look of the report: few lines, names in ink, legends above.

    A theme of Altair would do the same, but for all charts of the process, those of other pages included.
    """
    return chart.configure(**LOOK)


def colors_of(names: Sequence[str], colors: Sequence[str] = COLORS) -> alt.Scale:
    """A color for each name, in this order."""
    return alt.Scale(domain=list(names), range=list(colors[: len(names)]))


def labeled_lines(frame: pd.DataFrame, x: alt.X, y: alt.Y, name: str, colors=COLORS, **options) -> alt.LayerChart:
    """A line for each name, in order of appearance, with the name at its right end instead of a legend.

    Options are those of the line.
    """
    names = list(dict.fromkeys(frame[name]))
    color = alt.Color(f"{name}:N", scale=colors_of(names, colors), sort=names, legend=None)
    lines = alt.Chart(frame).mark_line(**options).encode(x=x, y=y, color=color)
    return alt.layer(lines, end_labels(frame, x, y, name).encode(color=color))


def end_labels(frame: pd.DataFrame, x: alt.X, y: alt.Y, name: str) -> alt.Chart:
    """Names at the right ends of lines; those that would meet are moved apart."""
    across, up, scale = x.to_dict()["field"], y.to_dict()["field"], y.to_dict().get("scale", {})
    is_last = "idxmin" if x.to_dict().get("scale", {}).get("reverse") else "idxmax"
    known = frame.dropna(subset=[across, up]).reset_index(drop=True)
    ends = known.loc[known.groupby(name, sort=False)[across].agg(is_last)]
    ends = ends.assign(**{up: _apart(ends[up].to_numpy(float), frame[up].to_numpy(float), scale)})
    return alt.Chart(ends).mark_text(align="left", dx=7, fontWeight=600).encode(x=x, y=y, text=f"{name}:N")


def _apart(ends: np.ndarray, values: np.ndarray, scale: dict) -> np.ndarray:
    """Places of labels as near to the ends as it goes, a line of text apart on an axis of the usual height."""
    forth, back = (np.log, np.exp) if scale.get("type") == "log" else (np.asarray, np.asarray)
    low, high = scale.get("domain") or [np.nanmin(values), np.nanmax(values)]
    if scale.get("zero", True) and "domain" not in scale and scale.get("type") != "log":
        low, high = min(low, 0), max(high, 0)
    ends, least = forth(np.clip(ends, low, high)), 16 / HIGH * float(forth(high) - forth(low))
    order = np.argsort(ends, kind="stable")
    steps = least * np.arange(len(ends))
    placed = np.empty(len(ends))
    placed[order] = isotonic_regression(ends[order] - steps) + steps
    return back(placed)


def example(name: str) -> ModuleType:
    """Another script of the examples, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(section: str) -> list[pd.DataFrame]:
    """Tables of a section of benchmarks/RESULTS.md, as text; none where the file is not there."""
    path = ROOT / "benchmarks" / "RESULTS.md"
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8").split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    split = [[[cell.strip() for cell in line[1:-1].split("|")] for line in t.splitlines()] for t in tables]
    return [pd.DataFrame(rows[2:], columns=rows[0]) for rows in split]
