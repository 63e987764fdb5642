"""`Selection`: the curve a rule saw and the point it chose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Selection:
    """One complexity knob, resolved.

    Attributes
    ----------
    knob : str
        The parameter, for instance ``"features"``.
    rule : str
        The rule that chose, or ``"fixed"``.
    grid : ndarray
        Values of the knob, from simple to complex.
    score : ndarray
        What the rule compared, in units of `measure`.
    standard_error : ndarray
        Standard error of each score; NaN where there is none.
    n_features : ndarray
        Features used at each point.
    index : int
        The chosen point.
    measure : str
    greater_is_better : bool
    parts : dict of ndarray
        Further curves, such as the data bits and model bits of a description length.
    note : str
        What should be known about the scores, for instance whether they are exact.
    """

    knob: str
    rule: str
    grid: NDArray
    score: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    n_features: NDArray
    index: int
    measure: str = "error"
    greater_is_better: bool = False
    parts: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    note: str = ""

    @property
    def value(self) -> Any:
        """The chosen value of the knob."""
        return self.grid[self.index].item()

    @property
    def index_best(self) -> int:
        """The point with the best score."""
        return int(np.nanargmin(self._loss))

    @property
    def index_1se(self) -> int:
        """The simplest point within one standard error of the best."""
        error = self.standard_error[self.index_best]
        limit = self._loss[self.index_best] + (error if error == error else 0.0)
        return int(np.flatnonzero(self._loss <= limit)[0])

    @property
    def _loss(self) -> NDArray[np.float64]:
        return -self.score if self.greater_is_better else self.score

    def to_frame(self):
        """The curve as a data frame (pandas, polars or Arrow, whichever is installed)."""
        return make_frame(self._columns())

    def _columns(self) -> dict[str, NDArray]:
        return {
            self.knob: self.grid,
            self.measure: self.score,
            "standard_error": self.standard_error,
            "n_features": self.n_features,
            **self.parts,
            "is_chosen": np.arange(len(self.grid)) == self.index,
        }

    def plot(self):
        """The curve as an Altair chart: scores, one standard error either way, parts, and the chosen point.

        Where scores have standard errors both the best point and the simplest within one standard error of it are
        marked. ``.save("curve.html")``, ``.svg`` and ``.png`` write it to a file.
        """
        alt = import_altair()
        columns = {name: np.asarray(values).tolist() for name, values in self._columns().items()}
        # A chart has no place for infinity.
        rows = [
            {k: np.nan if v in (np.inf, -np.inf) else v for k, v in zip(columns, line)}
            for line in zip(*columns.values())
        ]
        x = knob_x(self.knob, self.grid)
        curves = {name: name.replace("_", " ") for name in (self.measure, *self.parts)}
        long = [
            {self.knob: r[self.knob], "curve": title, "value": r[name]}
            for r in rows
            for name, title in curves.items()
            if r[name] == r[name]
        ]
        units = {name.rsplit("_", 1)[-1] for name in curves}
        tooltip = [alt.Tooltip(f"{self.knob}:Q"), "curve:N", alt.Tooltip("value:Q", format=".4g")]
        lines = (
            alt.Chart(alt.Data(values=long))
            .mark_line(point=len(rows) <= 60)
            .encode(
                x=x,
                y=alt.Y(
                    "value:Q",
                    title=units.pop() if self.parts and len(units) == 1 else curves[self.measure],
                    scale=alt.Scale(zero=False),
                ),
                color=alt.Color(
                    "curve:N",
                    sort=list(curves.values()),
                    title=None,
                    legend=alt.Legend() if self.parts else None,
                ),
                tooltip=tooltip,
            )
        )
        layers = [lines]
        banded = [
            {
                self.knob: r[self.knob],
                "low": r[self.measure] - r["standard_error"],
                "high": r[self.measure] + r["standard_error"],
            }
            for r in rows
            if r["standard_error"] == r["standard_error"]
        ]
        if banded:
            layers.insert(
                0,
                alt.Chart(alt.Data(values=banded)).mark_area(opacity=0.2).encode(x=x, y="low:Q", y2="high:Q"),
            )
        if banded and self.rule in ("cv", "1se", "oob"):
            marks = {"best": self.index_best, "one standard error": self.index_1se}
            points = [
                {self.knob: rows[i][self.knob], "value": rows[i][self.measure], "mark": m} for m, i in marks.items()
            ]
            layers.append(
                alt.Chart(alt.Data(values=points))
                .mark_point(size=160, strokeWidth=2)
                .encode(x=x, y="value:Q", shape=alt.Shape("mark:N", title=None), tooltip=["mark:N", f"{self.knob}:Q"])
            )
        value = rows[self.index][self.measure]
        chosen = [{self.knob: rows[self.index][self.knob], "value": value if value == value else None}]
        layers.append(alt.Chart(alt.Data(values=chosen)).mark_rule(strokeDash=[4, 4], color="gray").encode(x=x))
        layers.append(
            alt.Chart(alt.Data(values=chosen)).mark_point(size=120, color="black", filled=True).encode(x=x, y="value:Q")
        )
        title = f"{self.knob.replace('_', ' ')} = {self.value:{'.3g' if isinstance(self.value, float) else ''}}"
        if self.rule != "fixed":
            title += f" chosen by {self.rule!r}"
        return alt.layer(*layers).properties(title=title, width=480, height=280)


def knob_x(knob: str, grid: NDArray, *, field: str | None = None, title: str | None = None):
    """The axis of a knob, on which a grid of this kind is evenly spread, simple models at the left."""
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
            # Below `low` the axis is linear, so that 0 has a place, about half a decade away; what is smaller by far is
            # drawn beside it.
            low = max(above.min(), 1e-12 * above.max())
            scale = alt.Scale(type="symlog", constant=low / 3, reverse=falls, nice=False)
            ticks = [0.0, *_log_ticks(low, above.max())]
        axis = alt.Axis(values=ticks, format=",~g")
    return alt.X(f"{field or knob}:Q", scale=scale, axis=axis, title=title or knob.replace("_", " "))


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between two: 1, 2 and 5 of each power of ten if these are few, else powers of ten alone."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    leading = (1, 2, 5) if high <= 2000 * low else (1,)
    step = -(-len(powers) // 9)
    ticks = [float(f"{digit}e{power}") for power in powers if power % step == 0 for digit in leading]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def chart_text(name) -> str:
    """A name as charts may show it: pages hold charts inside a script element, which no name may end."""
    return str(name).replace("</", "<\u2060/").replace("<!--", "<\u2060!--")


def make_frame(columns: dict[str, NDArray]):
    """A frame of the first library that is installed."""
    import narwhals.stable.v2 as nw

    for backend in ("pandas", "polars", "pyarrow"):
        try:
            return nw.from_dict({k: np.asarray(v) for k, v in columns.items()}, backend=backend).to_native()
        except ImportError:
            continue
    raise ImportError("a data frame needs pandas, polars or pyarrow; install one of them.")


def frame_or_columns(columns: dict[str, NDArray]):
    """A frame, or the columns by name where no library is installed: a fit that keeps one does not need it."""
    try:
        return make_frame(columns)
    except ImportError:
        return columns


def import_altair():
    """Altair, or an error that says how to get it."""
    try:
        import altair
    except ImportError:
        raise ImportError("charts need Altair: pip install 'vitalfew[report]'.") from None
    return altair
