"""Labeled binned data for stumps, boosting and trees, and its split into folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.bins import BinCoder, Bins, DenseBins, to_dense
from vitalfew.data.samples.labeled import LabeledRows, LabeledSample, encode_held_out, read_rows
from vitalfew.data.samples.zero_weight import DroppedRows


@dataclass(frozen=True)
class BinnedData(LabeledSample):
    """Binned samples with labels and weights; all folds share the bins, whose cuts do not depend on labels."""

    bins: Bins
    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    coder: BinCoder
    given: DroppedRows | None = None
    validation: BinnedData | None = None

    @classmethod
    def read(
        cls, X, y, sample_weight, coder: BinCoder, *, is_fitted: bool = False, presence: bool = False
    ) -> BinnedData:
        """Read, check and bin data; samples of weight zero are dropped, as if they had not been given."""
        rows = LabeledRows.read(X, y, sample_weight)
        bins = coder.transform(rows.X) if is_fitted else coder.fit(rows.X, rows.label, presence=presence)
        return cls(bins, rows.label, rows.classes, rows.weight, coder, rows.given)

    @property
    def n_features(self) -> int:
        return len(self.bins.offsets) - 1

    def take(self, rows: NDArray[np.intp]) -> BinnedData:
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, bins=self.bins.take(rows), label=self.label[rows], weight=weight, given=None)

    def like(self, X, y) -> BinnedData:
        bins = self.coder.transform(read_rows(X))
        bins = to_dense(bins) if isinstance(self.bins, DenseBins) else bins
        label = encode_held_out(y, bins.n_rows, self.classes)
        return replace(self, bins=bins, label=label, weight=None, given=None)
