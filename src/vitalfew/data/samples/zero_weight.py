"""Which rows of those given are in use: rows of weight zero are as if they had not been given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class DroppedRows:
    """The rows as they were given, before those of weight zero were left out: splitters count in these."""

    y: NDArray
    kept: NDArray[np.intp]

    def to_kept(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.flatnonzero(np.isin(self.kept, rows))


def split_rows(splitter, y: NDArray, given: DroppedRows | None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test rows of each fold of a scikit-learn splitter, in terms of the rows in use."""
    targets = y if given is None else given.y
    for train, test in splitter.split(np.zeros((len(targets), 1)), targets):
        yield (train, test) if given is None else (given.to_kept(train), given.to_kept(test))
