"""Uniform kernel calls for second moments, dense or sparse rows, and numeric or class targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy import sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.matrix import kernel_columns
from vitalfew.summaries.moments import Moments
from vitalfew.support.deadline import accept_prefix


class Timed(Protocol):
    """Kernel result that a deadline may cut short."""

    @property
    def in_time(self) -> bool: ...


Found = TypeVar("Found")
TimedFound = TypeVar("TimedFound", bound=Timed)


def solve(
    kernel: Callable[..., TimedFound],
    data: NumericData | Moments,
    request: Any,
    has_intercept: bool = True,
    takes_prefix: bool = False,
) -> TimedFound:
    """Return the result of a kernel of `_core`, called with the data.

    If a deadline cuts the path short, the points found so far are returned with a warning if `takes_prefix` is True;
    otherwise TimeBudgetError is raised.
    """
    found = call(kernel, data, request, has_intercept)
    if not found.in_time:
        accept_prefix(takes_prefix, "points of the path")
    return found


def call(kernel: Callable[..., Found], data: NumericData | Moments, request: Any, has_intercept: bool = True) -> Found:
    """Call the overload of a kernel for second moments, dense columns or sparse columns."""
    if isinstance(data, Moments):
        return kernel(*data.second(has_intercept), request)
    columns = kernel_columns(data.columns) if sparse.issparse(data.X) else (data.columns,)
    target = (data.target,) if data.classes is None else (data.label.astype(np.int32), len(data.classes))
    return kernel(*columns, *target, data.weight, request)
