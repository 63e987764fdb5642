"""Samples of weight zero, which are dropped as if they had not been given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class DroppedRows:
    """Samples before those of weight zero were dropped, because splitters index the original samples."""

    y: NDArray
    kept: NDArray[np.intp]

    def to_kept(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the positions of `rows` among the kept ones, in order and as often as given."""
        position = np.full(len(self.y), -1)
        position[self.kept] = np.arange(len(self.kept))
        found = position[rows]
        return found[found >= 0]


def split_rows(splitter, y: NDArray, given: DroppedRows | None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the training and test rows of each fold of a scikit-learn splitter, as indices of the kept rows."""
    targets = y if given is None else given.y
    for train, test in splitter.split(np.zeros((len(targets), 1)), targets):
        yield (train, test) if given is None else (given.to_kept(train), given.to_kept(test))
