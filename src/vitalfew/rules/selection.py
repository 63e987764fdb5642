"""`Selection`: the scores a rule compared and the point it chose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.rules.charts.selection_chart import selection_chart
from vitalfew.support.optional import make_frame


@dataclass(frozen=True)
class Selection:
    """Choice of one complexity parameter, with the curve it was chosen from.

    Attributes
    ----------
    knob : str
        Name of the parameter, for instance ``"features"``.
    rule : str
        Rule that made the choice, or ``"fixed"``.
    grid : ndarray
        Values of the knob, from simple to complex.
    score : ndarray
        Scores that the rule compared, in units of `measure`.
    standard_error : ndarray
        Standard error of each score; NaN where there is none.
    n_features : ndarray
        Number of features used at each point.
    index : int
        Index of the chosen point.
    measure : str
    greater_is_better : bool
    parts : dict of ndarray
        Further curves, such as the data bits and model bits of a description length.
    note : str
        Remark on the scores, for instance whether they are exact.
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
        """Chosen value of the knob."""
        return self.grid[self.index].item()

    @property
    def index_best(self) -> int:
        """Index of the point with the best score."""
        return int(np.nanargmin(self._loss))

    @property
    def index_1se(self) -> int:
        """Index of the simplest point within one standard error of the best."""
        error = self.standard_error[self.index_best]
        limit = self._loss[self.index_best] + (error if error == error else 0.0)
        return int(np.flatnonzero(self._loss <= limit)[0])

    @property
    def _loss(self) -> NDArray[np.float64]:
        return -self.score if self.greater_is_better else self.score

    def to_frame(self) -> Any:
        """Return the curve as a data frame (pandas, polars or Arrow, whichever is installed)."""
        return make_frame(self.columns())

    def columns(self) -> dict[str, NDArray]:
        """Return the columns of the curve by name."""
        return {
            self.knob: self.grid,
            self.measure: self.score,
            "standard_error": self.standard_error,
            "n_features": self.n_features,
            **self.parts,
            "is_chosen": np.arange(len(self.grid)) == self.index,
        }

    def plot(self) -> Any:
        """Plot the curve as an Altair chart: scores, one standard error either way, parts, and the chosen point.

        For "cv", "1se" and "oob" with standard errors, the best point and the simplest one within one standard error of
        it are both marked. Save the chart with ``.save("curve.html")``; ``.svg`` and ``.png`` work as well.
        """
        return selection_chart(self)


def frame_or_columns(columns: dict[str, NDArray]) -> Any:
    """Return a data frame, or the columns by name if no data frame library is installed.

    A fit that stores a table thus does not require such a library.
    """
    try:
        return make_frame(columns)
    except ImportError:
        return columns
