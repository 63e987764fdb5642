"""Growth and pruning of trees, on all samples and on folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.trees.tree_nodes import Meaning, Tree
from vitalfew.families.trees.tree_path import PruningPath
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.progress import kernel_progress

CRITERIA = {"gain_ratio": _core.SplitCriterion.gain_ratio, "gain": _core.SplitCriterion.gain}


@dataclass(frozen=True)
class TreeFamily:
    """Settings for growing trees and for pruning them by the knobs already resolved (`before`)."""

    knob: str
    criterion: str
    min_leaf: float
    max_depth: int | None
    max_leaves: int
    before: tuple[tuple[str, float], ...]
    threads: int
    verbose: bool | None
    code: str = "adaptive"

    def grow(self, data: BinnedData, run: Run = ALONE) -> Tree:
        """Grow the full tree."""
        with kernel_progress(data.n_rows, "growing a tree", self.verbose) as show:
            request = _core.TreeRequest(
                n_classes=len(data.classes),
                min_leaf=self.min_leaf,
                max_leaves=self.max_leaves,
                max_depth=self.max_depth or 0,
                criterion=CRITERIA[self.criterion],
                threads=self.threads,
                progress=run.cancel or show,
            )
            found = data.bins.call(_core.grow_tree, data.label, data.weight, request)
        coder = data.coder
        categories = {j: known.values for j, known in coder.categories.items()}
        return Tree.from_kernel(found, Meaning(coder.names, data.classes, coder.cuts, categories))

    def prune(self, tree: Tree) -> Tree:
        """Prune the tree by the knobs already resolved."""
        for knob, value in self.before:
            tree = PruningPath.of(knob, tree, np.array([value]), None, code=self.code).at(0)
        return tree

    def path(self, data: BinnedData, grid: NDArray | None = None, *, run: Run = ALONE) -> PruningPath:
        """Return the path of a tree grown on these samples."""
        return self.path_of(self.prune(self.grow(data, run)), grid)

    def path_of(self, tree: Tree, grid: NDArray | None = None, wanted: float | None = None) -> PruningPath:
        """Return the path of a tree over a grid, or over the values at which it changes and the wanted one."""
        return PruningPath.of(self.knob, tree, grid, wanted, self.threads, self.code)

    def fold_paths(self, data: BinnedData, splits: Any, path: PruningPath, _options: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the path of each fold, fitted in parallel."""
        return paths_in_threads(self, data, splits, path)
