"""Decision trees on binned samples: base learners that do not read the table again for each fit."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from vitalfew.data.coding.bins import BinCoder, Bins
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.families.trees.decision_tree import DecisionTree


class BinnedTree(BaseEstimator):
    """Decision tree with the settings of a `DecisionTree`, for classes 0 .. n_classes - 1 and the bins of one coder."""

    def __init__(self, settings: DecisionTree, coder: BinCoder, n_classes: int):
        self.settings = settings
        self.coder = coder
        self.n_classes = n_classes

    def __sklearn_clone__(self) -> BinnedTree:
        return BinnedTree(self.settings, self.coder, self.n_classes)  # shared: the parameters are never modified

    @property
    def classes_(self) -> NDArray[np.intp]:
        return np.arange(self.n_classes)

    @property
    def support_(self) -> NDArray[np.bool_]:
        return self.tree_.support

    def fit(self, bins: Bins, label: NDArray[np.int32], sample_weight: ArrayLike | None = None) -> Self:
        """Grow and prune the tree."""
        weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        data = BinnedData(bins, np.ascontiguousarray(label, np.int32), self.classes_, weight, self.coder)
        self.tree_ = self.settings.grow(data)
        return self

    def predict_proba(self, bins: Bins) -> NDArray[np.float64]:
        """Return the class shares in the leaf of each sample."""
        return self.tree_.predict_proba(bins, 0)

    def predict(self, bins: Bins) -> NDArray[np.intp]:
        """Return the most probable class of each sample."""
        return self.predict_proba(bins).argmax(axis=1)
