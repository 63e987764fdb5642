"""Shared parts of the charts of paths and rules: the axis of a knob, and names that are safe in a page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.support.optional import import_altair


def knob_x(knob: str, grid: NDArray, *, field: str | None = None, title: str | None = None) -> Any:
    """Return the axis of a knob, scaled so that its grid is evenly spread, with simple models on the left."""
    alt = import_altair()
    is_count = np.issubdtype(np.asarray(grid).dtype, np.integer)
    grid = np.asarray(grid, dtype=float)
    finite = grid[np.isfinite(grid)]
    above = finite[finite > 0]
    falls = bool(len(grid) > 1 and grid[0] > grid[-1])
    scale, axis = alt.Scale(reverse=falls), alt.Axis(tickMinStep=1) if is_count else alt.Axis()
    if len(above) and finite.min() >= 0 and above.max() > (200 if is_count and finite.min() == 0 else 50) * above.min():
        if finite.min() > 0:
            scale = alt.Scale(type="log", reverse=falls, nice=False)
            ticks = _log_ticks(above.min(), above.max())
        else:
            # The axis is linear below `low`, so that 0 is shown, about half a decade away. Much smaller values are
            # drawn next to 0.
            low = max(above.min(), 1e-12 * above.max())
            scale = alt.Scale(type="symlog", constant=low / 3, reverse=falls, nice=False)
            ticks = [0.0, *_log_ticks(low, above.max())]
        axis = alt.Axis(values=ticks, format=",~g")
    return alt.X(f"{field or knob}:Q", scale=scale, axis=axis, title=title or knob.replace("_", " "))


def _log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers in a range: 1, 2 and 5 times powers of ten if these are few, else powers of ten only."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    leading = (1, 2, 5) if high <= 2000 * low else (1,)
    step = -(-len(powers) // 9)
    ticks = [float(f"{digit}e{power}") for power in powers if power % step == 0 for digit in leading]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def chart_text(name: str) -> str:
    """Return a name that is safe in a chart: pages embed charts in a script element, which no name may close."""
    return str(name).replace("</", "<\u2060/").replace("<!--", "<\u2060!--")
