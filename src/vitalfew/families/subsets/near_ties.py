"""Subsets that do nearly as well as the best one, for both losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.solve import call
from vitalfew.families.subsets.finalists import (
    MOST_FINALISTS,
    NOISE,
    ROUNDING,
    exact_errors,
    is_affordable,
    null_error,
)
from vitalfew.rules.selection import frame_or_columns
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads
from vitalfew.support.deadline import time_left

# Fraction of the time to a deadline after which the best subset so far is used without a proof.
FOR_PROOFS = 0.9


def check_ties(model: Any, measure: str) -> None:
    """Check `near_ties` and `max_ties` of a model."""
    if not model.near_ties >= 0:
        raise ValueError(f"near_ties must be a fraction >= 0 of the {measure}, got {model.near_ties!r}.")
    if not model.max_ties >= 1:
        raise ValueError(f"max_ties must be at least 1, got {model.max_ties!r}.")


class Ties(NamedTuple):
    """Subsets of one size with nearly the best loss, best first; `is_complete` if there are no others."""

    subsets: list[NDArray]
    loss: NDArray[np.float64]
    is_complete: bool

    def first(self, most: int) -> Ties:
        """Return the first ties, incomplete if there are more."""
        return Ties(self.subsets[:most], self.loss[:most], self.is_complete and len(self.loss) <= most)


class ExactRanking(NamedTuple):
    """Ranking of near ties by losses computed from the rows."""

    data: NumericData
    has_intercept: bool
    null: float

    @classmethod
    def where_needed(cls, model: Any, rows: Any, moments: Moments | None, error: float) -> ExactRanking | None:
        """Return the ranking, or None if there are no rows or second moments resolve the differences between ties."""
        if moments is None or not isinstance(rows, NumericData):
            return None
        null = null_error(moments, model.fit_intercept)
        is_blurred = NOISE * null > min(1e-9, 1e-3 * model.near_ties) * error
        return cls(rows, bool(model.fit_intercept), null) if is_blurred else None

    def among(self, ties: Ties, best: float, distance: float) -> Ties:
        """Return the ties whose mean squared error is at most `distance` (a fraction) above the best."""
        if not is_affordable(self.data, ties.subsets):
            return ties
        error = exact_errors(self.data, ties.subsets, self.has_intercept)
        near = np.flatnonzero(error <= best * (1 + distance) * (1 + 1e-12)).tolist()
        # Ties up to rounding are in the order of their columns, as the chosen subset is the first of them.
        rank = sorted(near, key=lambda e: (round(float(error[e]) / max(best, 1e-300), 9), ties.subsets[e].tolist()))
        return Ties([ties.subsets[e] for e in rank], 0.5 * error[rank], ties.is_complete)


def certificate(
    model: Any,
    kernel: Callable[..., _core.NearSubsets],
    data: NumericData | Moments | None,
    path: Any,
    index: int,
    ranking: ExactRanking | None = None,
) -> dict[str, Any]:
    """Return the fitted attributes that say how good the subset is: its gap, and subsets that do nearly as well."""
    gap, columns = float(path.gap[index]), path.subset(index)
    best = float(getattr(path, path.measure)[index])
    found = find_ties(model, kernel, data, columns, best / path.unit, gap == 0, ranking)
    return {
        "gap_": gap,
        "certified_": gap == 0,
        "near_ties_": tie_frame(found, path.measure, path.unit, best, path.names),
        "near_ties_complete_": found.is_complete,
    }


def find_ties(
    model: Any,
    kernel: Callable[..., _core.NearSubsets],
    data: Any,
    columns: NDArray,
    loss: float,
    is_certified: bool,
    ranking: ExactRanking | None,
) -> Ties:
    """Return the near ties that a kernel finds, or the best subset alone if it cannot search.

    With a ranking, the kernel lists more subsets, and those that are exactly near enough remain.
    """
    alone = Ties([columns], np.array([loss]), False)
    if len(columns) == 0 or data is None or model.near_ties == 0:
        return alone._replace(is_complete=len(columns) == 0 or (model.near_ties == 0 and is_certified))
    # One more than wanted shows whether all are listed.
    most = int(model.max_ties) + 1 + (0 if ranking is None else MOST_FINALISTS)
    request = _core.NearRequest(
        k=len(columns),
        loss=loss * (1 + model.near_ties) + (0.0 if ranking is None else ROUNDING * ranking.null),
        most=most,
        seconds=min(float(model.time_budget), FOR_PROOFS * time_left()),
        threads=check_threads(model.n_jobs),
        intercept=bool(model.fit_intercept),
    )
    found = call(kernel, data, request, model.fit_intercept)
    if not len(found.loss):
        return alone._replace(is_complete=found.is_complete)
    ties = Ties(np.split(found.index, found.start[1:-1]), found.loss, found.is_complete)
    if ranking is not None:
        ties = ties._replace(is_complete=found.is_complete and len(ties.loss) < most)
        ties = ranking.among(ties, 2 * loss, model.near_ties)
    return ties.first(int(model.max_ties))


def tie_frame(ties: Ties, measure: str, unit: float, best: float, names: Sequence[str]) -> Any:
    """Return near ties as a data frame: features, loss, and how far it is above the best."""
    subsets, loss = ties.subsets, unit * ties.loss
    above = np.divide(loss, best, out=np.ones_like(loss), where=best > 0)
    return frame_or_columns(
        {
            "features": np.array([", ".join(str(names[j]) for j in subset) for subset in subsets], dtype=object),
            "columns": np.array([tuple(int(j) for j in subset) for subset in subsets] + [None], dtype=object)[:-1],
            measure: loss,
            "above_best": np.maximum(above - 1, 0.0),
        }
    )
