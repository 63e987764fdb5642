"""Samples of weight zero, which are dropped as if they had not been given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew.support.checks import check_weight


@dataclass(frozen=True)
class DroppedRows:
    """Original samples, including those of weight zero, which splitters index."""

    y: NDArray
    kept: NDArray[np.intp]

    def to_kept(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the positions of `rows` among the kept ones, in order and as often as given."""
        position = np.full(len(self.y), -1)
        position[self.kept] = np.arange(len(self.kept))
        found = position[rows]
        return found[found >= 0]


class KeptRows(NamedTuple):
    """Targets and weights of the samples that count; `rows` and `given` are None if none was dropped."""

    rows: NDArray[np.intp] | None
    target: NDArray
    classes: NDArray | None
    weight: NDArray[np.float64] | None
    given: DroppedRows | None


def drop_zero_weight(target: NDArray, classes: NDArray | None, sample_weight) -> KeptRows:
    """Check the weights and drop the samples of weight zero.

    In classification `target` holds codes of `classes`; classes without a remaining sample are dropped as well.
    """
    weight = check_weight(sample_weight, len(target))
    if weight is None or weight.all():
        return KeptRows(None, target, classes, weight, None)
    rows = np.flatnonzero(weight)
    given = DroppedRows(target if classes is None else classes[target], rows)
    target, weight = target[rows], check_weight(weight[rows], len(rows))
    if classes is not None:
        present, code = np.unique(target, return_inverse=True)
        classes, target = classes[present], code.astype(target.dtype)
    return KeptRows(rows, target, classes, weight, given)


def split_rows(splitter, y: NDArray, given: DroppedRows | None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the training and test rows of each fold of a scikit-learn splitter, as indices of the kept rows."""
    targets = y if given is None else given.y
    for train, test in splitter.split(np.zeros((len(targets), 1)), targets):
        yield (train, test) if given is None else (given.to_kept(train), given.to_kept(test))
