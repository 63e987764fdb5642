"""All cuts of a numeric feature as stumps, the best first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.bins import Bins
from vitalfew.families.trees.stump_set import StumpSet


class Cuts(NamedTuple):
    """Stumps on one feature: cut, weighted error, votes of both sides, and the side of missing values."""

    cut: NDArray[np.int32]
    error: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    missing_right: NDArray[np.uint8]


def cuts_of(j: int, bins: Bins, label: NDArray[np.int32], weight: NDArray[np.float64], n_classes: int) -> Cuts:
    """Return a stump for each cut between two bins of feature j, with the votes of the smallest weighted error.

    With two classes the sides vote -1 and 1, or 1 and -1; with more, each side votes for its heaviest class. Missing
    values go to the side that predicts more of them correctly.
    """
    n_slots = int(bins.offsets[j + 1] - bins.offsets[j])
    slot = bins.column(j).astype(np.intp) * n_classes + label
    weight_by = np.bincount(slot, weights=weight, minlength=n_slots * n_classes).reshape(n_slots, n_classes)
    known, missing = weight_by[:-1], weight_by[-1]
    left = np.cumsum(known, axis=0)[:-1]
    right = known.sum(axis=0) - left
    each = np.arange(len(left))
    if n_classes == 2:
        class_right = (right[:, 1] + left[:, 0] >= right[:, 0] + left[:, 1]).astype(np.intp)
        class_left = 1 - class_right
        to_right = missing[class_right] >= missing[class_left]
    else:  # missing values may change the heaviest class of the side that they are on
        on_left = (left + missing).max(axis=1) + right.max(axis=1)
        to_right = left.max(axis=1) + (right + missing).max(axis=1) >= on_left
        class_left = (left + np.where(to_right[:, None], 0.0, missing)).argmax(axis=1)
        class_right = (right + np.where(to_right[:, None], missing, 0.0)).argmax(axis=1)
    of_missing = missing[np.where(to_right, class_right, class_left)]
    error = 1 - (left[each, class_left] + right[each, class_right] + of_missing) / weight_by.sum()
    left_vote, right_vote = (
        np.where(c > 0, 1.0, -1.0) if n_classes == 2 else c.astype(np.float64) for c in (class_left, class_right)
    )
    return Cuts((each + 1).astype(np.int32), error, left_vote, right_vote, to_right.astype(np.uint8))


def add_cuts(
    best: StumpSet,
    error: NDArray[np.float64],
    per_feature: int,
    bins: Bins,
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
) -> tuple[StumpSet, NDArray[np.float64]]:
    """Add further cuts of the numeric features to the best stump of each; sort by error, then column and threshold."""
    parts, errors = [best], [error]
    for t, j in enumerate(best.feature.tolist()):
        if bins.is_category[j]:
            continue
        found = cuts_of(j, bins, label, weight, n_classes)
        order = np.argsort(found.error.round(12), kind="stable")
        order = order[found.cut[order] != best.cut[t]][: per_feature - 1]
        some = Cuts(*(values[order] for values in found))
        feature, nothing = np.full(len(order), j, np.int32), np.empty(0, np.uint8)
        start = np.zeros(len(order) + 1, np.int64)
        parts.append(StumpSet(feature, some.cut, some.missing_right, nothing, start, some.left, some.right))
        errors.append(some.error)
    joined, error = sum(parts[1:], start=parts[0]), np.concatenate(errors)
    order = np.lexsort((joined.cut, joined.feature, error.round(12)))
    return joined.take(order), error[order]
