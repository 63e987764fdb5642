"""Decision trees on rows that are binned already: base learners that need not read a table again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.families.trees.decision_tree import DecisionTree


class BinnedTree(BaseEstimator):
    """A tree with the settings of a `DecisionTree`, for classes 0 .. n_classes - 1. Its rows are bins of one coder."""

    def __init__(self, settings: DecisionTree, coder: BinCoder, n_classes: int):
        self.settings = settings
        self.coder = coder
        self.n_classes = n_classes

    def __sklearn_clone__(self) -> BinnedTree:
        return BinnedTree(self.settings, self.coder, self.n_classes)  # nobody changes what it holds

    @property
    def classes_(self) -> NDArray[np.intp]:
        return np.arange(self.n_classes)

    @property
    def support_(self) -> NDArray[np.bool_]:
        return self.tree_.support

    def fit(self, bins, label, sample_weight=None):
        """Grow and prune."""
        weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        data = BinnedData(bins, np.ascontiguousarray(label, np.int32), self.classes_, weight, self.coder)
        self.tree_ = self.settings.grow(data)[0]
        return self

    def predict_proba(self, bins) -> NDArray[np.float64]:
        """Shares of the classes in the leaf of each row."""
        return self.tree_.predict_proba(bins, 0)

    def predict(self, bins) -> NDArray[np.intp]:
        """The most probable class of each row."""
        return self.predict_proba(bins).argmax(axis=1)
