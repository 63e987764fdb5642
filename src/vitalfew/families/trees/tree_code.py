"""Codes for the labels and for a tree: the lengths whose sum MDL pruning minimizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from vitalfew.families.trees.tree_nodes import Tree
from vitalfew.rules.criteria import log_binomial, log_star


@dataclass(frozen=True)
class TreeCode:
    """Nats of the labels in each node and of each node as a leaf, and nats of the model that no split changes."""

    data: Callable[[Tree], NDArray[np.float64]]
    leaf: Callable[[Tree], NDArray[np.float64]]
    constant: Callable[[Tree], float]


def exception_nats(tree: Tree) -> NDArray[np.float64]:
    """Return the nats that list the exceptions of each node: the samples that are not of its largest class.

    With e exceptions among n samples and K classes: log*(e + 1) for their number, log C(n, e) for which samples they
    are, e log(K - 1) for their classes. A node without exceptions costs nothing.
    """
    exceptions = tree.wrong
    which = np.maximum(log_binomial(tree.total, exceptions), 0.0)  # a fraction of a sample may have a negative value
    return log_star(exceptions + 1) + which + xlogy(exceptions, tree.weight.shape[1] - 1)


def labeled_leaf_nats(tree: Tree) -> NDArray[np.float64]:
    """Return the nats that encode that each node is a leaf, and its class."""
    return tree.leaf_nats + np.log(tree.weight.shape[1])


CODES = {
    "adaptive": TreeCode(lambda tree: tree.data_nats, lambda tree: tree.leaf_nats, lambda tree: tree.share_nats),
    "exceptions": TreeCode(exception_nats, labeled_leaf_nats, lambda _tree: 0.0),
}
