"""Leave-one-out predictions by formula, which a family returns from ``_leave_out(X, y, weight)`` instead of refitting.

A formula is valid only if every hyperparameter of the model is a number. If a rule or a feature ranking used all
samples, the choice itself must be repeated without each sample, and only refitting gives the correct result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

EXACT, APPROXIMATE = "exact", "approximate"


class LeftOut(NamedTuple):
    """Predictions of each sample by the model fitted without it.

    Probabilities and decisions are set for classifiers: (rows, classes) and (rows,) or (rows, classes).
    """

    kind: str
    note: str
    value: NDArray[np.float64] | None = None
    probability: NDArray[np.float64] | None = None
    decision: NDArray[np.float64] | None = None
    classes: NDArray | None = None


def is_to_choose(value: Any) -> bool:
    """Return True if a parameter is to be selected, that is, if it is a rule or a list of values."""
    return isinstance(value, str) or np.ndim(value) > 0


def chosen_anew(model: Any, *knobs: str) -> str:
    """Return why a model must be refitted without each sample; empty if all its knobs are numbers."""
    chosen = [f"{name}={getattr(model, name)!r}" for name in knobs if is_to_choose(getattr(model, name))]
    return f"{' and '.join(chosen)} is selected again without each row" if chosen else ""


def penalty_without_a_row(alpha: float | str, n: int) -> float:
    """Rescale the penalty of a mean loss for one sample less, on the scale of the sum of losses."""
    return float(alpha) * (n - 1) / n
