"""Classification tree stored as arrays: its nodes, its predictions, and the value of its splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy
from scipy.stats import chi2

from vitalfew import _core
from vitalfew.data.coding.bins import Bins
from vitalfew.rules.criteria import log_binomial
from vitalfew.support.optional import make_frame


@dataclass(frozen=True)
class Meaning:
    """Names of features and classes, and cuts and categories of each feature, that the codes of a tree refer to."""

    names: Sequence[str]
    classes: NDArray
    cuts: Sequence[NDArray[np.float64]]
    categories: dict[int, tuple]


@dataclass(frozen=True)
class Tree:
    """Classification tree stored as arrays.

    Children are adjacent and come after their parent, in the order of best-first growth.

    Attributes
    ----------
    feature : ndarray of int32, shape (n_nodes,)
        Feature that splits a node, -1 at a leaf.
    cut : ndarray of int32
        First bin that goes to the second child, for a numeric split.
    parent, first_child, n_children, level : ndarray of int32
    branch : ndarray of int32
        Branch that leads here from the parent: 0 or 1 for a cut, or the code of a category.
    choices : ndarray of int32
        Number of cuts of the feature to choose from.
    weight : ndarray of shape (n_nodes, n_classes)
        Weights of the training samples by class.
    gain : ndarray of float
        Decrease in entropy due to the split, in bits, times the weight of the node.
    meaning : Meaning
    """

    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    level: NDArray[np.int32]
    branch: NDArray[np.int32]
    choices: NDArray[np.int32]
    weight: NDArray[np.float64]
    gain: NDArray[np.float64]
    meaning: Meaning

    @classmethod
    def from_kernel(cls, found: _core.GrownTree, meaning: Meaning) -> Tree:
        return cls(
            feature=found.feature,
            cut=found.cut,
            parent=found.parent,
            first_child=found.first_child,
            n_children=found.n_children,
            level=found.depth,
            branch=found.branch,
            choices=found.choices,
            weight=found.weight,
            gain=found.gain,
            meaning=meaning,
        )

    def __getstate__(self) -> dict[str, Any]:
        own = {f.name for f in fields(self)}
        return {name: value for name, value in self.__dict__.items() if name in own}

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int((self.feature < 0).sum())

    @property
    def depth(self) -> int:
        """Number of splits on the longest path from the root to a leaf."""
        return int(self.level.max())

    @property
    def n_features(self) -> int:
        return len(self.meaning.names)

    @property
    def is_split(self) -> NDArray[np.bool_]:
        return self.feature >= 0

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """Weight of each node."""
        return self.weight.sum(axis=1)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Class shares in each node."""
        return np.ascontiguousarray(self.weight / self.total[:, None])

    @cached_property
    def share(self) -> NDArray[np.float64]:
        """Share of its parent's weight that each node has."""
        share = np.ones(self.n_nodes)
        share[1:] = self.total[1:] / self.of_children(self.total)[self.parent[1:]]
        return share

    def of_children(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a quantity over the children of each node."""
        return np.bincount(self.parent[1:], weights=value[1:], minlength=self.n_nodes).astype(np.float64)

    def from_below(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the minimum of a quantity over each node and its descendants."""
        least = value.copy()
        for level in range(self.depth, 0, -1):
            at = np.flatnonzero(self.level == level)
            np.minimum.at(least, self.parent[at], least[at])
        return least

    @cached_property
    def p_chance(self) -> NDArray[np.float64]:
        """Probability that chance alone makes the classes differ as much between the branches; 1 at a leaf.

        This is Pearson's chi-square test of the table of branches and classes, with weights as counts.
        """
        # Σ (observed - expected)² / expected = Σ observed² / expected - n, a sum over children and classes.
        expected = self.value[self.parent[1:]] * self.total[1:, None]
        excess = np.zeros(self.n_nodes)
        difference = (self.weight[1:] - expected) ** 2
        excess[1:] = np.divide(difference, expected, out=np.zeros_like(difference), where=expected > 0).sum(axis=1)
        n_classes = (self.weight > 0).sum(axis=1)
        freedom = np.maximum((self.n_children - 1) * (n_classes - 1), 1)
        return np.where(self.is_split, chi2.sf(self.of_children(excess), freedom), 1.0)

    @cached_property
    def log_likelihood(self) -> NDArray[np.float64]:
        """Log-likelihood of the samples of each node under its class shares, in nats."""
        return xlogy(self.weight, self.value).sum(axis=1)

    @cached_property
    def wrong(self) -> NDArray[np.float64]:
        """Weight of the samples of each node that are not of its largest class."""
        return self.total - self.weight.max(axis=1)

    @cached_property
    def data_nats(self) -> NDArray[np.float64]:
        """Nats that encode the classes of the samples of each node, one sample after the other.

        The next sample is of class c with probability (samples of c so far + share of c in all samples) /
        (samples so far + 1).
        """
        prior = self.value[0]
        seen = prior > 0
        own = gammaln(self.weight[:, seen] + prior[seen]) - gammaln(prior[seen])
        return gammaln(self.total + 1) - own.sum(axis=1)

    @cached_property
    def _branches_of_parent(self) -> NDArray[np.float64]:
        return np.where(self.parent < 0, 2.0, self.n_children[self.parent])

    @cached_property
    def leaf_nats(self) -> NDArray[np.float64]:
        """Nats that encode that each node is a leaf.

        On average one of b branches is split again; otherwise trees would never end, or never begin.
        """
        return -np.log1p(-1 / self._branches_of_parent)

    @cached_property
    def split_nats(self) -> NDArray[np.float64]:
        """Nats that encode the split of each node: that there is one, its feature, and its cut."""
        length = np.log(self._branches_of_parent) + np.log(self.n_features) + np.log(np.maximum(self.choices, 1))
        return np.where(self.is_split, length, 0.0)

    @property
    def share_nats(self) -> float:
        """Nats that encode the class counts of all samples."""
        n_classes = self.weight.shape[1]
        return float(log_binomial(self.total[0] + n_classes - 1, n_classes - 1))

    @cached_property
    def importances(self) -> NDArray[np.float64]:
        """Total gain of each feature's splits, as a share of the overall gain."""
        gains = np.bincount(self.feature[self.is_split], self.gain[self.is_split], minlength=self.n_features)
        return gains / max(gains.sum(), np.finfo(float).tiny)

    @property
    def support(self) -> NDArray[np.bool_]:
        """Mask of the features that split some node."""
        return np.bincount(self.feature[self.is_split], minlength=self.n_features) > 0

    def pruned(self, keeps: NDArray[np.bool_]) -> Tree:
        """Return the tree with only these splits; the splits above one that is kept must be kept as well."""
        keeps = keeps & self.is_split
        stays = np.concatenate([[True], keeps[self.parent[1:]]])
        number = np.cumsum(stays, dtype=np.int32) - 1
        taken = {f.name: getattr(self, f.name)[stays] for f in fields(self) if f.name != "meaning"}
        is_leaf = ~keeps[stays]
        taken["parent"] = np.where(taken["parent"] < 0, -1, number[taken["parent"]]).astype(np.int32)
        taken["first_child"] = np.where(is_leaf, 0, number[taken["first_child"]]).astype(np.int32)
        for name, nothing in (("feature", -1), ("cut", -1), ("n_children", 0), ("choices", 0), ("gain", 0)):
            taken[name][is_leaf] = nothing
        return replace(self, **taken)

    def arrays(self, opened: NDArray[np.int32] | None = None) -> _core.TreeArrays:
        """Return the arrays used in prediction; `opened` is the first point of a path at which each node is split."""
        if opened is None:
            opened = np.where(self.is_split, 0, 1).astype(np.int32)
        links = (self.feature, self.cut, self.parent, self.first_child, self.n_children, self.branch)
        return _core.TreeArrays(*links, opened, self.share, self.value)

    def predict_proba(self, bins: Bins, threads: int = 0) -> NDArray[np.float64]:
        """Return class probabilities of binned samples."""
        return bins.call(_core.tree_probabilities, self.arrays(), 0, threads)

    def condition(self, node: int) -> str:
        """Return the condition that leads from the parent to this node; empty at the root."""
        if node == 0:
            return ""
        parent = self.parent[node]
        j = int(self.feature[parent])
        name = self.meaning.names[j]
        if j in self.meaning.categories:
            value = self.meaning.categories[j][self.branch[node]]
            return f"{name} is missing" if value is None else f"{name} = {value}"
        return f"{name} {'>' if self.branch[node] else '<='} {self.threshold(parent):.6g}"

    def threshold(self, node: int) -> float:
        """Return the cut of a node split on a numeric feature; samples above it go to the second child."""
        return float(self.meaning.cuts[self.feature[node]][self.cut[node] - 1])

    def to_frame(self) -> Any:
        """Return a data frame with a row for each node: its condition, its split, and its class weights."""
        names = [self.meaning.names[j] if j >= 0 else "" for j in self.feature]
        is_cut = [j >= 0 and j not in self.meaning.categories for j in self.feature.tolist()]
        columns: dict[str, Any] = {
            "node": np.arange(self.n_nodes),
            "parent": self.parent,
            "depth": self.level,
            "condition": [self.condition(v) for v in range(self.n_nodes)],
            "feature": names,
            "threshold": [self.threshold(v) if is_cut[v] else np.nan for v in range(self.n_nodes)],
            "gain": self.gain,
            "p_chance": self.p_chance,
            "class": self.meaning.classes[self.weight.argmax(axis=1)],
            "weight": self.total,
        }
        for c, label in enumerate(self.meaning.classes.tolist()):
            columns[f"weight of {label}"] = self.weight[:, c]
        return make_frame(columns)
