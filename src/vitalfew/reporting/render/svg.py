"""Altair charts as inline SVG that follows the theme of the page.

Drawn in advance, a chart needs neither a megabyte of script in the page nor permission to evaluate code: it prints, it
works without JavaScript, and a strict content security policy can be used. Tooltips are stored in ``data-tip``, which
the page's script reads.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vitalfew.support.optional import import_altair

SVG = "{http://www.w3.org/2000/svg}"

# Roles of colors in charts: light, dark. A light color has one role only, so that style sheets can replace it.
INK, MUTED, GRID = "#24292e", "#59626d", "#e4e7eb"
MAIN, CHOSEN, QUIET = "#1f5fbf", "#b4470c", "#97a1ab"
BAND, PAPER = "#e3ecf9", "#fffffe"
COLORS = {
    INK: ("ink", "#e4e8ec"),
    MUTED: ("muted", "#a6b0bb"),
    GRID: ("grid", "#2b323b"),
    MAIN: ("main", "#79aeff"),
    CHOSEN: ("chosen", "#ffa869"),
    QUIET: ("quiet", "#697480"),
    BAND: ("band", "#1c3050"),
    PAPER: ("paper", "#16191e"),
}
FONT = "system-ui, sans-serif"


@dataclass(frozen=True)
class Figure:
    """A chart drawn for wide windows and for phones, with a summary in words."""

    title: str
    summary: str
    wide: str
    narrow: str
    legend: tuple[tuple[str, str], ...] = ()


class Sheet:
    """Named data of one chart: Altair copies and checks inline data once for every layer."""

    def __init__(self) -> None:
        self.datasets: dict[str, list[dict]] = {}

    def chart(self, rows: Sequence[dict]):
        alt = import_altair()
        name = f"rows{len(self.datasets)}"
        self.datasets[name] = list(rows)
        return alt.Chart(alt.NamedData(name=name))


def draw(make: Callable, width: int, summary: str) -> str:
    """Return the chart at this width as an SVG element with a text alternative."""
    try:
        import vl_convert
    except ImportError:
        raise ImportError("charts in HTML reports require vl-convert: pip install 'vitalfew[report]'.") from None

    axis = {"labelColor": MUTED, "titleColor": MUTED, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID}
    sheet = Sheet()
    styled = make(sheet, width).configure(
        background="transparent",
        font=FONT,
        padding=2,
        axis={**axis, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "ticks": False}
        | {"labelPadding": 6, "titlePadding": 8, "domain": False},
        view={"stroke": None},
        title={"color": INK, "fontSize": 12, "fontWeight": 600, "anchor": "start", "offset": 6},
        text={"color": INK, "fontSize": 12, "font": FONT},
    )
    spec = styled.to_dict(validate=False) | {"datasets": sheet.datasets}
    return themed(vl_convert.vegalite_to_svg(json.dumps(spec), vl_version=_version()), summary)


def themed(svg: str, summary: str) -> str:
    """Make the SVG one image to a screen reader, turn labels of marks into tooltips, and strip the rest."""
    ET.register_namespace("", SVG[1:-1])
    root = ET.fromstring(svg)
    for parent in root.iter():
        for child in list(parent):
            if child.tag == f"{SVG}path" and (child.get("display") == "none" or child.get("d") in ("", None)):
                parent.remove(child)
    for node in root.iter():
        tip = node.get("aria-label")
        is_mark = node.get("role") == "graphics-symbol" and "role-" not in (node.get("class") or "")
        for name in [n for n in node.attrib if n.startswith("aria-") or n in ("role", "class", "font-family")]:
            del node.attrib[name]
        if tip and is_mark:
            node.set("data-tip", tip)
    for name, value in {"class": "chart", "role": "img", "aria-label": summary}.items():
        root.set(name, value)
    return re.sub(r"(\d+\.\d{2})\d+", r"\1", ET.tostring(root, encoding="unicode"))


def _version() -> str:
    return ".".join(import_altair().SCHEMA_VERSION.lstrip("v").split(".")[:2])
