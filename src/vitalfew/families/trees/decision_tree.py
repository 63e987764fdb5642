"""`DecisionTree`: a classification tree as in C4.5, pruned by significance, size or description length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.bins import BinCoder, to_dense
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.frames import tag_tables
from vitalfew.families.path_estimator import Chosen, PathEstimator
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.families.trees.tree_code import CODES
from vitalfew.families.trees.tree_family import CRITERIA, TreeFamily
from vitalfew.families.trees.tree_nodes import Tree
from vitalfew.families.trees.tree_path import KNOBS, PruningPath
from vitalfew.families.trees.tree_plot import draw
from vitalfew.families.trees.tree_text import indented, leaf_rules
from vitalfew.support.checks import check_choice, check_classes, check_threads, is_count, weigh_classes


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


# Numbers that each knob accepts besides a rule.
NUMBERS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "max_depth": ("an integer >= 0", is_count),
    "max_p_chance": ("a probability between 0 and 1", lambda value: _is_number(value) and 0 <= value <= 1),
    "leaves": ("an integer >= 1", lambda value: is_count(value) and value > 0),
    "mdl_weight": ("a weight >= 0", lambda value: _is_number(value) and 0 <= value < np.inf),
}


class DecisionTree(Selector, CheckedScore, ClassifierMixin, PathEstimator):
    r"""Classification tree as in C4.5, pruned by a rule, with native categories and fractional missing values.

    A node of weight n is split on the feature with the highest gain ratio G / S among those whose gain is at least the
    average,

    .. math::

       G = \frac{\sum_b n_b}{n} \Bigl(H(\text{known}) - \sum_b \frac{n_b}{\sum_b n_b} H(b)\Bigr), \qquad
       S = -\sum_b \frac{n_b}{n} \log_2 \frac{n_b}{n} - \frac{n_0}{n} \log_2 \frac{n_0}{n},

    where :math:`n_b` is the weight of the samples in branch b, :math:`n_0` that of samples whose value is missing and H
    the class entropy in bits. Numeric features are split in two at a cut; categorical features have a branch for each
    value. A sample whose value is missing goes down all branches, with weights in proportion to :math:`n_b`, in
    training and in prediction. The full tree is grown once, the node with the largest n G first, and then pruned.

    Parameters
    ----------
    max_p_chance : float or rule, optional
        Keep a split if the p-value of its chi-square test is at most this, or if that holds for a split below it. The
        p-value is the probability that chance alone makes the classes differ as much between the branches.
    leaves : int or rule, optional
        Keep the splits that best-first growth makes up to this number of leaves.
    mdl_weight : float or rule, default 0.5
        Minimize data bits + `mdl_weight` x model bits over all prunings; a larger number gives a smaller tree. Data
        bits encode the classes of the samples in each leaf, model bits the splits and cuts (see `code`). ``"mdl"``,
        which equals 1, is the minimum description length. The default is not: it counts half of the model bits, which
        are an overestimate because many trees are equivalent, and has the smaller error on most data.
    criterion : {"gain_ratio", "gain"}, default "gain_ratio"
        Criterion by which splits are chosen.
    min_leaf : float, default 2
        At least two branches of a split must have this weight.
    max_depth : int or rule, optional
        Maximum number of splits on a path from the root to a leaf. A number limits growth, a rule prunes the full tree.
    code : {"adaptive", "exceptions"}, default "adaptive"
        Code of the labels for `mdl_weight` and the rule ``"mdl"``. ``"adaptive"`` encodes every label, by the classes
        of the earlier samples in its leaf. ``"exceptions"`` lists the training errors, so that a tree without errors
        has no data bits: with e errors among the n samples of a leaf and K classes, log*(e + 1) + log C(n, e) +
        e log(K - 1); the class of each leaf is part of the model.
    max_bins : int, default 255
        Number of bins of a numeric column: one for each value, or about equally many samples in each. Up to 65,535. If
        the first or last bin separates the classes, such as a rare class in the tail of a column, its values have a bin
        each.
    categorical_features : list of int or str, or mask, optional
        Numeric columns to treat as categorical. Strings and categorical columns of data frames always are.
    class_weight : dict or "balanced", optional
        Weights of classes, as in scikit-learn.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the error is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    tree_ : Tree
        The pruned tree (``n_leaves``, ``depth``, ``to_frame()``).
    support_ : ndarray of bool, shape (`n_features_in_`,)
        Mask of the features that the tree uses.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Total gain of each feature's splits, weighted by samples, as a share of the overall gain.
    path_ : PruningPath
        Pruned trees from the root to the full tree, for the last knob that a rule chose (``at(index)``, ``to_frame()``,
        ``plot()``).
    selection_ : Selection
        Scores that the last rule compared, and its choice (``plot()``, ``to_frame()``).
    selections_ : dict of Selection
        Selection of each knob.

    Notes
    -----
    The knobs `max_depth`, `max_p_chance`, `leaves` and `mdl_weight` each take a number, None, or one of ``"cv"``,
    ``"1se"``, ``"holdout"``, ``"loo"``, ``"bic"``, ``"aic"``, ``"ebic"`` and ``"mdl"``. They prune one after the other,
    in this order. No formula gives the leave-one-out error of a tree: ``"loo"`` grows a tree without each sample, n
    trees in all. Class probabilities are the class shares in a leaf. A category that was not seen at a node counts as
    missing there.

    Weights are counts of samples in all of these; weights that sum to less than the number of samples are shares and
    are scaled to sum to it.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning. Quinlan & Rivest (1989), doi:10.1016/0890-5401(89)90010-2.
    Mehta, Rissanen & Agrawal (1995), MDL-based decision tree pruning, KDD-95. Breiman, Friedman, Olshen & Stone
    (1984), Classification and Regression Trees. Guestrin, 10-701 Machine Learning, February 8, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew import DecisionTree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DecisionTree().fit(X, y)
    >>> print(model.export_text())
    petal length (cm) <= 2.45: 0 (100.0% of 50)
    petal length (cm) > 2.45
    |   petal width (cm) <= 1.75
    |   |   petal length (cm) <= 4.95: 1 (97.9% of 48)
    |   |   petal length (cm) > 4.95: 2 (66.7% of 6)
    |   petal width (cm) > 1.75: 2 (97.8% of 46)
    """

    def __init__(
        self,
        *,
        max_p_chance: float | str | None = None,
        leaves: int | str | None = None,
        mdl_weight: float | str | None = 0.5,
        criterion: str = "gain_ratio",
        min_leaf: float = 2,
        max_depth: int | str | None = None,
        code: str = "adaptive",
        max_bins: int = 255,
        categorical_features: Any = None,
        class_weight: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.max_p_chance = max_p_chance
        self.leaves = leaves
        self.mdl_weight = mdl_weight
        self.criterion = criterion
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.code = code
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def grow(self, data: BinnedData) -> Tree:
        """Grow and prune a tree on binned samples."""
        chosen = self._choose(data)
        return chosen.path.at(chosen.index)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares in the leaf of each sample, or their mean over leaves if values are missing."""
        check_is_fitted(self)
        if len(getattr(X, "shape", ())) == 2:  # the coder checks whether other input is a table
            check_features(self, X, reset=False)
        return self.tree_.predict_proba(to_dense(self.coder_.transform(X)), check_threads(self.n_jobs))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log-probabilities; minus infinity for a class that does not occur in the leaf."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray:
        """Return the most probable class of each sample."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def export_text(self, max_depth: int | None = None) -> str:
        """Return the tree as text: a line for each branch, with the class, its share and the weight at a leaf."""
        check_is_fitted(self)
        return indented(self.tree_, max_depth)

    def _rules_text(self) -> str:
        return self.export_text()

    def rules(self) -> list[str]:
        """Return a rule in words for each leaf, the heaviest first."""
        check_is_fitted(self)
        return leaf_rules(self.tree_)

    def plot(self, max_depth: int | None = None) -> Any:
        """Plot the tree (its upper levels if it is large) as an Altair chart; ``.save`` writes it to a file."""
        check_is_fitted(self)
        return draw(self.tree_, max_depth)

    @property
    def support_(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.tree_.support

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self.tree_.importances

    def __sklearn_tags__(self) -> Tags:
        return tag_tables(super().__sklearn_tags__())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def _check_parameters(self) -> None:
        for knob, (numbers, is_right) in NUMBERS.items():
            value = getattr(self, knob)
            rules.check_rule(knob, value, PruningPath, f"{numbers}, None")
            if value is not None and not isinstance(value, str) and not is_right(value):
                raise ValueError(f"{knob} must be {numbers}, None or a rule, got {value!r}.")
        check_choice("criterion", self.criterion, CRITERIA)
        if not (_is_number(self.min_leaf) and 0 < self.min_leaf < np.inf):
            raise ValueError(f"min_leaf must be a positive weight, got {self.min_leaf!r}.")
        check_choice("code", self.code, CODES)

    def _family(self, _data: Any) -> TreeFamily:
        depth = None if isinstance(self.max_depth, str) else self.max_depth  # a number limits growth, a rule prunes
        # Best-first growth may stop early if the number of leaves is the first knob to prune.
        is_first = self.max_p_chance is None and not isinstance(self.max_depth, str)
        is_enough = is_first and self.leaves is not None and not isinstance(self.leaves, str)
        most = 1 if depth == 0 else int(self.leaves) if is_enough else 0  # type: ignore[arg-type]
        threads = check_threads(self.n_jobs)
        return TreeFamily(
            "leaves", self.criterion, float(self.min_leaf), depth, most, (), threads, self.verbose, self.code
        )

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> BinnedData:
        coder = BinCoder(self.max_bins, self.categorical_features, check_threads(self.n_jobs))
        data = BinnedData.read(X, y, sample_weight, coder, presence=True)
        check_classes(data.classes)
        check_features(self, X)
        data = replace(data, bins=to_dense(data.bins))
        if self.class_weight is None:
            return data
        return replace(data, weight=weigh_classes(self.class_weight, data.y, data.label, data.weights))

    def _choose(self, data: BinnedData) -> Chosen:
        """Grow the full tree, then prune it by each knob that is set."""
        options, family, chosen = self._options(), self._family(data), Chosen()
        tree = family.grow(data)
        for knob in KNOBS:
            value = getattr(self, knob)
            if value is None or (knob == "max_depth" and not isinstance(value, str)):
                continue
            family = replace(family, knob=knob)
            wanted = None if isinstance(value, str) else float(value)
            if knob == "mdl_weight" and rules.rule_name(value) == "mdl":
                wanted = 1.0  # the tree with the minimum description length of all prunings
            path = replace(family.path_of(tree, wanted=wanted), data=data, family=family)
            selection = rules.resolve(value, path, family, data, options, at=rules.grid_point)
            chosen.add(path, selection)
            tree = path.at(selection.index)
            family = replace(family, before=(*family.before, (knob, selection.value)))
        if not chosen.paths:
            path = family.path_of(tree)
            chosen.add(path, rules.fixed(path, len(path.grid) - 1))
        return chosen

    def _path_attributes(self, chosen: Chosen) -> dict[str, Any]:
        """Return the path and the selection of the last knob that a rule chose, if any."""
        knobs = [knob for knob, selection in chosen.selections.items() if selection.rule != "fixed"]
        last = knobs[-1] if knobs else list(chosen.selections)[-1]
        return super()._path_attributes(Chosen.of(chosen.paths[last], chosen.selections[last]))

    def _attributes(self, chosen: Chosen, data: BinnedData) -> dict[str, Any]:
        tree = chosen.path.at(chosen.index)
        return {"classes_": data.classes, "coder_": data.coder, "tree_": tree, "selections_": chosen.selections}
