"""Extraction from Arrow batches for summaries: column kinds, numbers, weights, and rows with a target."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


def kind_of(field: pa.Field) -> str:
    """Return ``"words"``, ``"numbers"`` or ``"booleans"``; raise for columns that cannot be summarized."""
    types = import_module("pyarrow").types
    kind = field.type
    if types.is_dictionary(kind) or types.is_null(kind) or _is_text(types, kind):
        return "words"
    if types.is_boolean(kind):
        return "booleans"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_temporal(kind):
        raise TypeError(
            f"column {field.name!r} contains {kind}; convert dates to numbers or parts (year, weekday) first, or "
            "leave it out."
        )
    raise TypeError(
        f"column {field.name!r} contains {kind}, but a feature must have one value per row; expand it, or leave it out."
    )


def _is_text(types: Any, kind: pa.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def numbers_of(column: pa.Array, name: str) -> NDArray:
    """Return the numbers of a column, without a copy if none is missing; missing numbers become NaN."""
    pa = import_module("pyarrow")
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)):
        if not pa.types.is_decimal(column.type):
            raise TypeError(f"column {name!r} must be numeric, got {column.type}.")
        column = column.cast(pa.float64())
    if column.null_count:
        column = column.cast(pa.float64()).fill_null(float("nan"))
    return column.to_numpy(zero_copy_only=False)


def labeled_rows(batch: pa.RecordBatch, target: str) -> pa.RecordBatch:
    """Return the rows that have a target."""
    compute = import_module("pyarrow.compute")
    column = batch.column(target)
    absent = compute.is_null(column, nan_is_null=True)
    return batch.filter(compute.invert(absent)) if compute.any(absent).as_py() else batch


def counting_rows(batch: pa.RecordBatch, weight: str | None) -> pa.RecordBatch:
    """Return the rows of nonzero weight; the others are treated as absent."""
    if weight is None:
        return batch
    compute = import_module("pyarrow.compute")
    is_zero = compute.equal(batch.column(weight), 0).fill_null(False)  # a missing weight is rejected later
    return batch.filter(compute.invert(is_zero)) if compute.any(is_zero).as_py() else batch


def weights_of(column: pa.Array, name: str) -> NDArray[np.float64]:
    """Return the sample weights after checking that they are finite and nonnegative."""
    weight = numbers_of(column, name).astype(np.float64)
    if not np.isfinite(weight).all() or (weight < 0).any():
        wrong = weight[np.argmax(~np.isfinite(weight) | (weight < 0))]
        raise ValueError(f"the weights in column {name!r} must be numbers >= 0, got {wrong:g}.")
    return weight
