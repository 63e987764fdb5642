"""Labelled binned data: what stumps, boosting and trees are fitted on, and how it is split into folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.bins import BinCoder, Bins
from vitalfew.data.labelled import LabelledRows
from vitalfew.data.rows import Given, split_rows


@dataclass(frozen=True)
class BinnedData:
    """Binned rows, their labels and weights. Bins are the same in all folds: labels had no say in them."""

    bins: Bins
    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    coder: BinCoder
    given: Given | None = None

    @classmethod
    def read(cls, X, y, sample_weight, coder: BinCoder, *, is_fitted: bool = False) -> BinnedData:
        """Reads, checks and bins. Rows of weight zero are left out: they are as if they had not been given."""
        rows = LabelledRows.read(X, y, sample_weight)
        bins = coder.transform(rows.X) if is_fitted else coder.fit(rows.X)
        return cls(bins, rows.label, rows.classes, rows.weight, coder, rows.given)

    @property
    def y(self) -> NDArray:
        return self.classes[self.label]

    @property
    def n_rows(self) -> int:
        return self.bins.n_rows

    @property
    def n_features(self) -> int:
        return len(self.bins.offsets) - 1

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each row, 1 where none were given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[BinnedData, BinnedData]:
        """Training and test part."""
        return self.take(train), self.take(test)

    def take(self, rows: NDArray[np.intp]) -> BinnedData:
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, bins=self.bins.take(rows), label=self.label[rows], weight=weight, given=None)
