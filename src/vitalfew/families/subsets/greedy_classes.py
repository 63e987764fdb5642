"""Greedy subset selection for classes: logistic and multinomial loss, every candidate refitted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vitalfew import rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.exceptions import SeparationWarning
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.linear.classifier import LinearClassifier, present_classes
from vitalfew.families.linear.feature_groups import check_groups
from vitalfew.families.solve import solve
from vitalfew.families.subsets.greedy import DIRECTIONS, GreedySettings
from vitalfew.families.subsets.subset_class_path import SubsetClassPath
from vitalfew.families.subsets.subset_model import check_size, choose_size
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

# Mean log loss below which the labels are fitted perfectly.
SEPARATED = 1e-6


@dataclass(frozen=True)
class GreedyClassFamily(GreedySettings):
    """How greedy paths of classifiers are fitted."""

    def path(self, data: NumericData, grid: NDArray | None = None, heed=None) -> SubsetClassPath:
        """The path up to the largest size wanted, or over the sizes of a grid."""
        most = self.most(data, grid)
        reduced, present = present_classes(data)
        with kernel_progress(most, "greedy search", self.verbose) as show:
            found = solve_classes("greedy_classes", reduced, self.request(most, heed or show), grid is None)
        return SubsetClassPath.from_kernel(found, data, present, self.fit_intercept, grid)

    def fold_paths(self, data: NumericData, splits, path: SubsetClassPath, _options):
        """Folds run side by side."""
        return paths_in_threads(self, data, splits, path)


def nothing_to_learn() -> dict[str, Any]:
    """What a kernel would find in a fold with one class."""
    return {
        "grid": np.zeros(1),
        "start": np.zeros(2, dtype=np.int64),
        "index": np.empty(0, dtype=np.int32),
        "value": np.empty(0),
        "intercept": np.empty(0),
        "loss": np.zeros(1),
        "gap": np.zeros(1),
        "null_loss": 0.0,
    }


def solve_classes(kernel: str, data: NumericData, request, takes_prefix: bool = False) -> dict[str, Any]:
    """What a kernel finds; a fold may have one class only."""
    if data.classes is not None and len(data.classes) == 1:
        return nothing_to_learn()
    return solve(kernel, data, request, takes_prefix=takes_prefix)


class SubsetClassifier(LinearClassifier):
    """A logistic model on a subset of the features, with a path over its size `k`."""

    def fit(self, X, y, sample_weight=None) -> Self:
        """Search for a model of every size, then let the rule choose."""
        self._check_parameters()
        data = self._read(X, y, sample_weight)
        family = self._family(data.n_features, data.names)
        path = family.path(data)
        options = rules.Options(self.cv, self.scoring, self.random_state, self.verbose)
        return self._keep(path, choose_size(self.k, path, family, data, options))

    def _check_parameters(self) -> None:
        check_size(self, SubsetClassPath)

    def _family(self, n_features: int, names):
        raise NotImplementedError

    def _keep(self, path: SubsetClassPath, selection: rules.Selection):
        """Sets what `fit` leaves behind, all at once: a failed fit changes nothing."""
        coef, intercept = path.at(selection.index)
        if coef.any() and path.log_loss[selection.index] < SEPARATED:
            warnings.warn(
                f"the classes are separated perfectly by {selection.value} variable(s): without a penalty coefficients "
                "have no bound, and their size means nothing. Use fewer variables, or LogisticRegression.",
                SeparationWarning,
                stacklevel=3,
            )
        self.classes_ = path.classes
        self.k_ = int(path.grid[selection.index])
        self.subset_ = path.subset(selection.index)
        self.path_, self.selection_ = path.without_data(), selection
        self.coef_, self.intercept_ = coef, intercept
        return self


class GreedySubsetClassifier(SubsetClassifier):
    r"""Logistic regression on a subset of the features, found greedily; multinomial for more than two classes.

    Forward, a step evaluates for each variable j that is not in the model yet

    .. math:: J(S \cup j) = \min_{b, \beta} \; \sum_i w_i \log\bigl(1 + e^{-y_i (b + \beta^T x_{i, S \cup j})}\bigr),

    all coefficients fitted anew by Newton steps from those of the model, and takes the best. A candidate is given up as
    soon as its last steps show that it will not be the best.

    Parameters
    ----------
    k : int or rule, default "cv"
        How many variables: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (approximate), ``"bic"``,
        ``"aic"`` or ``"ebic"``.
    direction : {"forward", "backward", "both"}, default "forward"
        As for :class:`~vitalfew.GreedySubsetRegressor`.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that are one variable and enter or leave together: a label for each column, or lists of columns (by
        number or name; columns not listed stand alone). `k` counts variables.
    max_features : int, optional
        Variables of the largest model a rule may choose; by default 100, or what rows and columns allow.
    fit_intercept : bool, default True
    class_weight : dict or "balanced", optional
        Weights of classes, as in scikit-learn.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the log loss is minimised unless `scoring` is given.
    n_jobs : int, optional
        Threads; all by default. Results do not depend on it.
    verbose : bool, optional
        Progress bar: by default on a terminal, for long work.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, `n_features_in_`) or (n_classes, `n_features_in_`)
        Zero outside the subset.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    k_ : int
        The number of variables chosen.
    subset_ : ndarray of int
        Columns of the model.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : SubsetClassPath
        A model for every size (``coef``, ``log_loss``, ``subset(k)``; ``plot()``, and ``to_frame()`` with the feature
        that each step takes). It ends where the classes are separated perfectly.
    selection_ : Selection
        The curve the rule saw (``plot()``, ``to_frame()``).

    References
    ----------
    Jaakkola, 6.867 Machine Learning (2006), lectures 7 to 9.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import GreedySubsetClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 20))
    >>> y = np.where(2 * X[:, 3] - 2 * X[:, 8] + rng.logistic(size=300) > 0, "yes", "no")
    >>> GreedySubsetClassifier(k="bic").fit(X, y).subset_
    array([3, 8])
    """

    def __init__(
        self,
        k: int | str = "cv",
        *,
        direction: str = "forward",
        feature_groups=None,
        max_features: int | None = None,
        fit_intercept: bool = True,
        class_weight=None,
        cv=5,
        scoring=None,
        random_state=None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.k = k
        self.direction = direction
        self.feature_groups = feature_groups
        self.max_features = max_features
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("direction", self.direction, DIRECTIONS)

    def _family(self, n_features: int, names) -> GreedyClassFamily:
        return GreedyClassFamily(
            self.k,
            self.max_features,
            self.direction,
            bool(self.fit_intercept),
            check_groups(self.feature_groups, n_features, names),
            check_threads(self.n_jobs),
            self.verbose,
        )
