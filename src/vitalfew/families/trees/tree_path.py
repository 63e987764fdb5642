"""Paths of pruned trees from the root to the full tree: by depth, significance, leaves or description length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.families.rows_path import RowsPath
from vitalfew.families.trees.tree_code import CODES, TreeCode
from vitalfew.families.trees.tree_nodes import Tree
from vitalfew.rules.charts.parts import knob_x
from vitalfew.rules.path import DescriptionLength, LeaveOneOut, Likelihood
from vitalfew.rules.scoring import PointScores
from vitalfew.support.optional import import_altair, make_frame
from vitalfew.support.progress import progress

# Maximum number of points of a path without a given grid.
MOST_POINTS = 100
# Number of samples whose leave-one-out fits are submitted at once; each holds the indices of all others.
LEFT_OUT_TOGETHER = 64


def depth_needed(tree: Tree, _code: TreeCode) -> NDArray[np.float64]:
    """Return the smallest `max_depth` that keeps each split."""
    return tree.level.astype(np.float64) + 1


def chance_needed(tree: Tree, _code: TreeCode) -> NDArray[np.float64]:
    """Return the smallest `max_p_chance` that keeps each split: the minimum over its own test and those below it."""
    return tree.from_below(tree.p_chance)


def leaves_needed(tree: Tree, _code: TreeCode) -> NDArray[np.float64]:
    """Return the number of leaves of the best-first tree right after each node is split."""
    order = np.argsort(np.where(tree.is_split, tree.first_child, tree.n_nodes), kind="stable")
    leaves = np.empty(tree.n_nodes)
    leaves[order] = 1 + np.cumsum(np.maximum(tree.n_children[order] - 1, 0))
    return leaves


def weight_that_removes(tree: Tree, code: TreeCode) -> NDArray[np.float64]:
    """Return the smallest weight of the model bits at which each split is removed, by weakest-link pruning."""
    links = (tree.parent, tree.first_child, tree.n_children)
    return _core.weakest_links(*links, code.data(tree), code.leaf(tree), tree.split_nats)


@dataclass(frozen=True)
class Knob:
    """Pruning parameter: the critical value of each split, and whether trees grow or shrink with the parameter."""

    critical: Callable[[Tree, TreeCode], NDArray[np.float64]]
    grows: bool
    always: tuple[float, ...]  # points on every path
    is_whole: bool = False

    def opened(self, tree: Tree, critical: NDArray, grid: NDArray) -> NDArray[np.int32]:
        """Return the first point of the grid at which each node is split, or the number of points if it never is."""
        if self.grows:
            found = np.searchsorted(grid, critical, side="left")
        else:
            found = np.searchsorted(-grid, -critical, side="right")
        return np.where(tree.is_split, found, len(grid)).astype(np.int32)

    def grid(self, tree: Tree, critical: NDArray, wanted: float | None) -> NDArray[np.float64]:
        """Return the values at which the tree changes, and `wanted`, from simple to complex."""
        values = critical[tree.is_split]
        values = np.unique(np.concatenate([values[values > 0], self.always[:1]]))
        values = values if self.grows else values[::-1]
        values = values[_spread(leaves_at(tree, self.opened(tree, critical, values), len(values)))]
        values = np.unique(np.concatenate([values, self.always, [] if wanted is None else [wanted]]))
        return values if self.grows else values[::-1]


# A fold has fewer samples and larger p-values, so the path extends to probabilities that this tree does not need.
KNOBS = {
    "max_depth": Knob(depth_needed, True, (0.0,), is_whole=True),
    "max_p_chance": Knob(chance_needed, True, (0.0, *(10.0 ** np.arange(-15, 1)).tolist())),
    "leaves": Knob(leaves_needed, True, (1.0,), is_whole=True),
    "mdl_weight": Knob(weight_that_removes, False, (0.0,)),
}


def _spread(leaves: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return at most MOST_POINTS points, evenly spread in the log of the number of leaves, both ends included."""
    if len(leaves) <= MOST_POINTS:
        return np.arange(len(leaves))
    wanted = np.geomspace(leaves[0], leaves[-1], MOST_POINTS)
    return np.unique(np.concatenate([[0], np.searchsorted(leaves, wanted, side="left").clip(max=len(leaves) - 1)]))


def leaves_at(tree: Tree, opened: NDArray[np.int32], n_points: int) -> NDArray[np.int64]:
    """Return the number of leaves of the tree at each point."""
    return np.rint(_along(1, tree.n_children - 1, opened, n_points)).astype(np.int64)


def _along(at_root: float, change: NDArray, opened: NDArray[np.int32], n_points: int) -> NDArray:
    """Accumulate a quantity over the points, from its value at the root and its change at each split."""
    return at_root + np.cumsum(np.bincount(opened, weights=change, minlength=n_points + 1)[:n_points])


@dataclass(frozen=True)
class PruningPath(RowsPath):
    """Pruned trees of increasing size, all parts of one tree.

    Attributes
    ----------
    knob : str
    grid : ndarray of shape (n_points,)
        Values of the knob, from simple to complex.
    tree : Tree
        The tree that is pruned.
    opened : ndarray of int32, shape (n_nodes,)
        First point at which each node of the tree is split; the number of points for a leaf.
    n_leaves, n_features : ndarray of int, shape (n_points,)
    training_error : ndarray of shape (n_points,)
    """

    knob: str
    grid: NDArray
    tree: Tree
    opened: NDArray[np.int32]
    threads: int = 0
    code: str = "adaptive"
    data: BinnedData | None = field(default=None, repr=False, compare=False)
    family: Any = field(default=None, repr=False, compare=False)  # grows the trees that leave a sample out

    transient = ("data", "family")

    @classmethod
    def of(
        cls,
        knob: str,
        tree: Tree,
        grid: NDArray | None,
        wanted: float | None,
        threads: int = 0,
        code: str = "adaptive",
    ) -> PruningPath:
        """Return the path over `grid` or, if it is None, over the values at which the tree changes and `wanted`."""
        critical = KNOBS[knob].critical(tree, CODES[code])
        if grid is None:
            grid = KNOBS[knob].grid(tree, critical, wanted)
            if KNOBS[knob].is_whole:
                grid = grid.astype(np.int64)
        return cls(knob, grid, tree, KNOBS[knob].opened(tree, critical, grid), threads, code)

    @cached_property
    def n_leaves(self) -> NDArray[np.int64]:
        return leaves_at(self.tree, self.opened, len(self.grid))

    @cached_property
    def n_features(self) -> NDArray[np.int64]:
        """Number of features used at each point."""
        first = np.full(self.tree.n_features, len(self.grid))
        is_split = self.tree.is_split
        np.minimum.at(first, self.tree.feature[is_split], self.opened[is_split])
        return np.cumsum(np.bincount(first, minlength=len(self.grid) + 1)[:-1])

    @cached_property
    def training_error(self) -> NDArray[np.float64]:
        return self._sum(self.tree.wrong) / self.tree.total[0]

    def at(self, index: int) -> Tree:
        """Return the tree at one point."""
        return self.tree.pruned(self.opened <= index)

    def predict(self, data: BinnedData) -> NDArray[np.float64]:
        """Return class probabilities at all points: (samples, points, classes)."""
        tree = self.tree.arrays(self.opened)
        points = range(len(self.grid))
        return np.stack([data.bins.call(_core.tree_probabilities, tree, p, self.threads) for p in points], axis=1)

    def default_scores(self, tested: BinnedData) -> PointScores:
        """Compute the misclassification rate at all points in one pass."""
        rest = (len(self.grid), tested.label, tested.weight, self.threads)
        wrong = tested.bins.call(_core.tree_path_errors, self.tree.arrays(self.opened), *rest)
        w = tested.weights
        n, total = len(w), w.sum()
        mean = wrong.weight / total
        # Σ w² (loss - mean)², for a loss that is 0 or 1.
        spread = np.sqrt(np.maximum(wrong.square * (1 - 2 * mean) + mean**2 * (w @ w), 0)) / total
        return PointScores(mean, spread * np.sqrt(n / max(n - 1, 1)))

    def loo(self) -> LeaveOneOut:
        """Return leave-one-out predictions at all points, from a tree grown without each sample.

        One sample may change any split, so there is no formula: a path is computed for each sample.
        """
        if self.data is None or self.family is None:
            raise ValueError("this requires the training rows, which are not stored with the model; fit it again.")
        data, family = self.data, self.family
        rows = np.arange(data.n_rows)
        prediction = np.empty((data.n_rows, len(self.grid), len(data.classes)))
        with progress(data.n_rows, f"{self.knob} by 'loo'", family.verbose) as bar:
            for some in np.array_split(rows, -(-data.n_rows // LEFT_OUT_TOGETHER)):
                splits = [(np.delete(rows, i), rows[i : i + 1]) for i in some]
                for i, (path, tested) in zip(some, family.fold_paths(data, splits, self, None)):
                    prediction[i] = path.predict(tested)[0]
                    bar.update()
        note = f"{data.n_rows} trees, each grown without one sample; bins are computed from all rows"
        return LeaveOneOut(prediction, True, note)

    def log_likelihood(self) -> Likelihood:
        """Return the log-likelihood of the training labels at each point.

        Each split counts as a parameter, and so does every free class share of a leaf.
        """
        n_classes = self.tree.weight.shape[1]
        n_splits = _along(0, self.tree.is_split.astype(float), self.opened, len(self.grid))
        parameters = self.n_leaves * (n_classes - 1) + n_splits
        return Likelihood(
            self._sum(self.tree.log_likelihood), parameters, float(self.tree.total[0]), self.tree.n_features
        )

    def description_length(self) -> DescriptionLength:
        """Return the nats that encode the labels and the tree, at each point."""
        tree, code = self.tree, CODES[self.code]
        model = self._sum(code.leaf(tree), tree.split_nats) + code.constant(tree)
        return DescriptionLength(self._sum(code.data(tree)), model)

    def _sum(self, of_leaf: NDArray[np.float64], of_split: NDArray[np.float64] | float = 0.0) -> NDArray[np.float64]:
        """Sum one quantity over the leaves and another over the splits of the tree at each point."""
        change = of_split + self.tree.of_children(of_leaf) - of_leaf
        return _along(of_leaf[0], np.where(self.tree.is_split, change, 0.0), self.opened, len(self.grid))

    def _columns(self) -> dict[str, NDArray]:
        length = self.description_length()
        return {
            self.knob: self.grid,
            "n_leaves": self.n_leaves,
            "n_features": self.n_features,
            "training_error": self.training_error,
            "data_bits": length.data / np.log(2),
            "model_bits": length.model / np.log(2),
        }

    def to_frame(self) -> Any:
        """Return a data frame with a row for each point."""
        return make_frame(self._columns())

    def plot(self) -> Any:
        """Plot leaves, features and training error against the knob as an Altair chart."""
        alt = import_altair()
        columns = {name: np.asarray(values).tolist() for name, values in self._columns().items()}
        rows = [dict(zip(columns, line)) for line in zip(*columns.values())]
        x = knob_x(self.knob, self.grid)
        base = alt.Chart(alt.Data(values=rows), width=480, height=130)
        tooltip = [alt.Tooltip(f"{name}:Q", format=".4g") for name in columns]
        curves = {"n_leaves": "leaves", "n_features": "features", "training_error": "training error"}
        return alt.vconcat(
            *(
                base.mark_line(interpolate="step-after", point=len(rows) <= 60).encode(
                    x=x, y=alt.Y(f"{name}:Q", title=title), tooltip=tooltip
                )
                for name, title in curves.items()
            )
        )
