"""Uniform kernel calls for second moments, dense or sparse rows, and numeric or class targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.matrix import kernel_columns
from vitalfew.summaries.moments import Moments
from vitalfew.support.deadline import accept_prefix


def solve(
    kernel: str, data: NumericData | Moments, request, has_intercept: bool = True, takes_prefix: bool = False
) -> dict[str, Any]:
    """Return the result of ``_core.<kernel>_moments``, ``_dense`` or ``_sparse``, depending on the data.

    If a deadline cuts the path short, the points found so far are returned with a warning if `takes_prefix` is True;
    otherwise TimeBudgetError is raised.
    """
    found = _call(kernel, data, request, has_intercept)
    if not found.get("in_time", True):
        accept_prefix(takes_prefix, "points of the path")
    return found


def _call(kernel: str, data: NumericData | Moments, request, has_intercept: bool) -> dict[str, Any]:
    if isinstance(data, Moments):
        return getattr(_core, f"{kernel}_moments")(*data.second(has_intercept), request)
    is_sparse = sparse.issparse(data.X)
    columns = kernel_columns(data.columns) if is_sparse else (data.columns,)
    target = (data.target,) if data.classes is None else (data.label.astype(np.int32), len(data.classes))
    return getattr(_core, f"{kernel}_{'sparse' if is_sparse else 'dense'}")(*columns, *target, data.weight, request)
