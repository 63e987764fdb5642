"""Base classes of linear model paths, dense or sparse: prediction, scoring and plotting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.rows_path import RowsPath
from vitalfew.rules.charts.parts import chart_text, knob_x
from vitalfew.rules.path import Likelihood
from vitalfew.rules.scoring import LOSSES, PointScores, mean_loss
from vitalfew.summaries.moments import Moments
from vitalfew.support.optional import import_altair, make_frame

# More lines than this cannot be distinguished in a chart.
MOST_LINES = 60


class CoefficientPath(RowsPath):
    """Coefficients of a linear model for a numeric target over a decreasing grid of penalties.

    A subclass is a dataclass with these attributes. It implements `used`, which returns the columns in use, and may add
    further attributes.
    """

    grid: NDArray
    intercept: NDArray[np.float64]
    mean_squared_error: NDArray[np.float64]
    names: Sequence[str]
    has_intercept: bool
    n_samples: float

    knob = "alpha"
    knob_title = "penalty alpha"
    loss = "squared_error"

    def used(self) -> tuple[NDArray[np.intp] | None, NDArray[np.float64]]:
        """Return the columns in use at any point (None for all columns) and their coefficients (points, columns)."""
        raise NotImplementedError

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Number of nonzero coefficients at each point."""
        return np.count_nonzero(self.used()[1], axis=1).astype(np.int64)

    @property
    def l1_norm(self) -> NDArray[np.float64]:
        """Sum of absolute coefficients at each point."""
        return np.abs(self.used()[1]).sum(axis=1)

    def predict(self, data: NumericData) -> NDArray[np.float64]:
        """Return predictions at all points, of shape (rows, points), reading only columns in use at any point."""
        index, coef = self.used()
        return np.asarray((data.X if index is None else data.X[:, index]) @ coef.T) + self.intercept

    def default_scores(self, tested: NumericData | Moments) -> PointScores:
        """Return the mean squared error at each point, from test samples or from their moments alone."""
        if not isinstance(tested, Moments):
            return mean_loss(LOSSES[self.loss](self.predict(tested), tested), tested.weight)
        index, coef = self.used()
        mean, second, cross = tested.mean[:-1], tested.scatter[:-1, :-1], tested.scatter[:-1, -1]
        if index is not None:
            mean, second, cross = mean[index], second[np.ix_(index, index)], cross[index]
        bias = tested.mean[-1] - coef @ mean - self.intercept
        square = np.einsum("pd,pd->p", coef @ second, coef)
        value = (tested.scatter[-1, -1] - 2 * coef @ cross + square) / tested.weight_sum + bias**2
        return PointScores(np.maximum(value, 0), np.full(len(value), np.nan))

    def _columns(self) -> dict[str, NDArray]:
        return {
            self.knob: self.grid,
            "n_features": self.n_features,
            "l1_norm": self.l1_norm,
            "mean_squared_error": self.mean_squared_error,
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per point."""
        return make_frame(self._columns())

    def plot(self, x: str | None = None) -> Any:
        """Plot the coefficients against the knob (the default) or the L1 norm (``x="l1_norm"``), with names on hover.

        At most 60 features are drawn, those with the largest coefficients; the title says if some are omitted. Use
        ``.save`` to write HTML, SVG or PNG.
        """
        return plot_coefficients(self, self.names, x)


def gaussian_likelihood(path: Any, freedom: NDArray, n_candidates: int, is_smoother: bool = False) -> Likelihood:
    """Return the Gaussian likelihood at the maximum-likelihood variance; perfect fits are not candidates.

    The criteria are corrected if the degrees of freedom are the trace of a smoother, or if they exceed half the samples
    at some point: there, the estimated variance approaches zero and the plain criteria fall without bound.
    """
    variance, n = path.mean_squared_error, path.n_samples
    is_usable = (variance > 1e-12 * variance.max()) & (freedom < n - 1 - path.has_intercept)
    with np.errstate(divide="ignore"):
        value = -0.5 * n * (np.log(2 * np.pi * variance) + 1)
    is_many = bool(np.max(path.n_features) + path.has_intercept + 1 > n / 2)
    return Likelihood(value, freedom + path.has_intercept + 1, n, n_candidates, is_usable, is_smoother or is_many)


def plot_coefficients(path: Any, names: Sequence[str], x: str | None) -> Any:
    """Plot one line for each coefficient that is nonzero at any point, up to `MOST_LINES`."""
    alt = import_altair()
    x = path.knob if x is None else x
    if x not in (path.knob, "l1_norm"):
        raise ValueError(f'x must be "{path.knob}" or "l1_norm", got {x!r}.')
    index, coef = path.used()
    largest = np.abs(coef).max(axis=0, initial=0.0)
    used = np.flatnonzero(largest)
    at_shown = used[np.argsort(-largest[used], kind="stable")][:MOST_LINES]
    shown = at_shown if index is None else index[at_shown]
    columns = coef[:, at_shown]
    at = path.grid if x == path.knob else path.l1_norm
    rows = [
        {
            "x": float(at[p]),
            "coefficient": float(columns[p, k]),
            "feature": chart_text(names[int(j)]),
            path.knob: float(path.grid[p]),
        }
        for k, j in enumerate(shown)
        for p in range(len(at))
    ]
    if x == path.knob:
        across = knob_x(path.knob, path.grid, field="x", title=path.knob_title)
    else:
        across = alt.X("x:Q", title="L1 norm of the coefficients")
    title = f"Path of {len(used)} features"
    if len(used) > len(shown):
        title += f"; the {len(shown)} with the largest coefficients are shown"
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=across,
        y=alt.Y("coefficient:Q", title="coefficient"),
        color=alt.Color(
            "feature:N",
            legend=None if len(shown) > 20 else alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=2),
            sort=[chart_text(names[int(j)]) for j in shown],
        ),
        tooltip=["feature:N", alt.Tooltip("coefficient:Q", format=".4g"), alt.Tooltip(f"{path.knob}:Q", format=".4g")],
    )
    hover = alt.selection_point(on="pointerover", nearest=True, fields=["feature"], empty=False)
    lines = base.mark_line(interpolate="linear").encode(
        order=f"{path.knob}:Q",
        opacity=alt.condition(hover, alt.value(1.0), alt.value(0.7)),
        strokeWidth=alt.condition(hover, alt.value(3), alt.value(1.5)),
    )
    points = base.mark_point(size=40, opacity=0).add_params(hover)
    zero = (
        alt.Chart(alt.Data(values=[{"y": 0}]))
        .mark_rule(color="gray", strokeDash=[2, 2])
        .encode(y=alt.Y("y:Q", title="coefficient"))
    )
    return alt.layer(zero, lines, points).properties(title=title, width=480, height=320)
