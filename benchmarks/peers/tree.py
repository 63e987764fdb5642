"""Peers that grow one tree: `make(threads)` returns an estimator. Packages that are not installed are skipped."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True)
class TreePeer:
    """Estimator, the package it needs, and whether it accepts categories."""

    make: Callable[[int], Any]
    package: str = "scikit-learn"
    module: str = "sklearn"
    takes_categories: bool = False

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        return "" if self.package == "scikit-learn" else f", version {version(self.package)}"


def lightgbm_tree(threads: int):
    """Return one tree, grown best-first on 255 bins."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=1, num_leaves=2000, learning_rate=1.0, min_child_samples=5, n_jobs=threads, verbose=-1
    )


def snapml_tree(threads: int):
    """Return a full tree on 256 bins."""
    from snapml import DecisionTreeClassifier as Tree

    return Tree(n_jobs=threads, use_histograms=True, hist_nbins=256, random_state=0)


PEERS = {
    "scikit-learn, entropy, whole tree": TreePeer(
        lambda _threads: DecisionTreeClassifier(criterion="entropy", random_state=0)
    ),
    "scikit-learn, entropy, ccp_alpha=1e-4": TreePeer(
        lambda _threads: DecisionTreeClassifier(criterion="entropy", ccp_alpha=1e-4, random_state=0)
    ),
    "LightGBM, one tree of 2,000 leaves": TreePeer(lightgbm_tree, "lightgbm", "lightgbm", takes_categories=True),
    "snapml, histograms, whole tree": TreePeer(snapml_tree, "snapml", "snapml"),
}
