"""Argument checks shared by all estimators; they return the types that the kernels take."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from vitalfew.support.arrow import check_given
from vitalfew.support.suggest import not_one_of


def is_missing(value: Any) -> bool:
    """Return True for None, NaN and the missing values of pandas, without importing pandas."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


MOST_EXACT = 2**53  # integers up to here are exact in float64


def inexact(name: str, example: int) -> ValueError:
    """Return the error for a column of integers that are equal as floats."""
    return ValueError(
        f"column {name!r} contains integers beyond 2**53, such as {example}, which float64 cannot represent exactly; "
        "convert it to strings (astype(str)) if they are identifiers, to float if they are quantities, or drop it."
    )


LEAVE_OUT = {
    "value": "Drop such rows.",
    "label": "Drop such rows, or pass them as X_unlabeled to SemiSupervisedNaiveBayes.",
}


def check_known(y: NDArray, what: str = "value") -> None:
    """Check that every sample of a target has a finite value, or a label."""
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(_no_value(int(np.flatnonzero(np.isnan(y).reshape(len(y), -1).any(axis=1))[0]), what))
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn first tests a sum, which may overflow
        assert_all_finite(y, input_name="y")


def check_discrete(y: NDArray) -> None:
    """Check that labels are discrete; reject floats that are not integers or do not fit in an int64."""
    with np.errstate(invalid="ignore"):
        check_classification_targets(y)


def _no_value(row: int, what: str) -> str:
    return f"Input y contains NaN: row {row} has no {what}. {LEAVE_OUT[what]}"


def check_is_values(y: Any) -> None:
    """Check that a target is given by its values, not by its name."""
    if isinstance(y, str):
        raise ValueError(
            f"y must contain the target values, got the string {y!r}; to use a column of a data frame, pass "
            f"X.drop(columns={y!r}) and X[{y!r}]."
        )


def encode_labels(y: Any) -> tuple[NDArray, NDArray[np.int32]]:
    """Return the classes in increasing order and the class code of each sample."""
    check_given(y, "y")
    y = np.array(column_or_1d(y, warn=True))  # another thread may write to the caller's labels
    if y.dtype.kind in "OUST":
        return _encode_objects(y)
    check_known(y, "label")
    if y.dtype.kind == "f":
        check_discrete(y)
    if y.size and y.dtype.kind in "iuf":
        low, high = y.min(), y.max()
        if int(high) - int(low) < 4 * y.size + 1000:
            return _encode_small_range(y, low)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def check_classes(classes: Any) -> None:
    """Check that there are at least two classes."""
    if len(classes) < 2:
        raise ValueError(f"y has only one class, {classes.tolist()}; a classifier requires at least two.")


def _encode_small_range(y: NDArray, low: int) -> tuple[NDArray, NDArray[np.int32]]:
    wide = y if y.dtype.kind == "u" else y.astype(np.float64 if y.dtype.kind == "f" else np.int64)
    shifted = (wide - wide.dtype.type(low)).astype(np.int64)
    present = np.flatnonzero(np.bincount(shifted))
    lookup = np.zeros(present[-1] + 1, dtype=np.int32)
    lookup[present] = np.arange(len(present))
    return (present.astype(wide.dtype) + wide.dtype.type(low)).astype(y.dtype), lookup[shifted]


def _encode_objects(y: NDArray) -> tuple[NDArray, NDArray[np.int32]]:
    values = y.tolist()
    is_text = set(map(type, values)) == {str}
    missing = None if is_text else next((i for i, v in enumerate(values) if is_missing(v)), None)
    if missing is not None:
        raise ValueError(_no_value(missing, "label"))
    try:
        distinct = sorted(set(values))
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise TypeError(
            f"y contains labels of different types ({kinds}); convert them all to strings or all to numbers."
        ) from None
    if any(isinstance(v, float) and not (v.is_integer() and abs(v) < 2**63) for v in distinct):
        check_discrete(y)
    code = {v: i for i, v in enumerate(distinct)}
    codes = np.fromiter(map(code.__getitem__, values), dtype=np.int32, count=len(values))
    return np.array(distinct, dtype=y.dtype if y.dtype.kind != "O" else None), codes


# Sums of weights that differ by no more than this share are equal.
ROUNDING = 1e-9


def check_weight(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64] | None:
    """Return a float64 copy of the weights, or None if every sample counts once."""
    if sample_weight is None:
        return None
    check_given(sample_weight, "sample_weight")
    weight = np.array(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, got shape {weight.shape}.")
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight must have {n_rows} entries, one per row, got {len(weight)}.")
    assert_all_finite(weight, input_name="sample_weight")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(f"sample_weight must not be negative, got {weight[row]:g} at row {row}.")
    if not np.isfinite(weight.sum()):
        raise ValueError("the sum of sample_weight overflows float64; divide the weights by their maximum.")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one weight must be positive.")
    return None if (weight == 1).all() else weight


def count_weight(weight: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return weights as counts of samples.

    A weight of 2 stands for two samples. Weights that sum to less than the number of samples (of positive weight) are
    shares, such as a distribution that sums to 1, and are scaled to sum to this number: data never count as fewer
    samples than there are. None means that each sample has weight 1.
    """
    if weight is None:
        return None
    n, total = np.count_nonzero(weight), float(weight.sum())
    is_share = total < n * (1 - ROUNDING)
    if (weight == (weight[0] if is_share else 1.0)).all():
        return None
    return weight * (n / total) if is_share else weight


def check_threads(n_jobs: int | None) -> int:
    """Return the number of threads for the kernels; 0 means all that are allowed."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a nonzero integer, got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Check that `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(not_one_of(name, value, choices))


def weigh_classes(
    class_weight: Any, y: NDArray, label: NDArray[np.int32], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sample weights multiplied by the class weights, a dict or "balanced"."""
    if not isinstance(class_weight, str):
        return weight * compute_sample_weight(class_weight, y)
    check_choice("class_weight", class_weight, ("balanced",))
    of_class = np.bincount(label, weights=weight)
    return weight * (weight.sum() / (len(of_class) * of_class))[label]


__all__ = [
    "check_choice",
    "check_classes",
    "check_consistent_length",
    "check_discrete",
    "check_is_values",
    "check_known",
    "check_threads",
    "check_weight",
    "count_weight",
    "encode_labels",
    "is_missing",
    "weigh_classes",
]


def is_count(value: Any) -> bool:
    """Return True if `value` is a nonnegative integer."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
