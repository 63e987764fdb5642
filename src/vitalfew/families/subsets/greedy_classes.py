"""Greedy subset selection for classification: logistic and multinomial loss, with every candidate refitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.exceptions import SeparationWarning
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.linear.classifier import LinearClassifier, present_classes
from vitalfew.families.solve import solve
from vitalfew.families.subsets.greedy import DIRECTIONS, GreedySettings
from vitalfew.families.subsets.subset_class_path import NullModel, SubsetClassPath
from vitalfew.families.subsets.subset_model import at_size, check_size
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

# Mean log loss below which the classes count as perfectly separated.
SEPARATED = 1e-6


@dataclass(frozen=True)
class GreedyClassFamily(GreedySettings):
    """Settings and solver of greedy paths for classification."""

    def path(self, data: NumericData, grid: NDArray | None = None, *, run: Run = ALONE) -> SubsetClassPath:
        """Return the path up to the largest requested size, or over the sizes of a grid."""
        most = self.most(data, grid)
        reduced, present = present_classes(data)
        with kernel_progress(most, "greedy search", self.verbose) as show:
            found = solve_classes(_core.greedy_classes, reduced, self.request(most, run.cancel or show), grid is None)
        return SubsetClassPath.from_kernel(found, data, present, self.fit_intercept, grid)

    def fold_paths(self, data: NumericData, splits: Any, path: SubsetClassPath, _options: Any) -> Any:
        """Return the fold paths, fitted in parallel."""
        return paths_in_threads(self, data, splits, path)


def solve_classes(
    kernel: Callable[..., _core.PathPoints], data: NumericData, request: Any, takes_prefix: bool = False
) -> _core.PathPoints | NullModel:
    """Return the result of a kernel, also for a fold with a single class."""
    if data.classes is not None and len(data.classes) == 1:
        return NullModel()
    return solve(kernel, data, request, takes_prefix=takes_prefix)


class SubsetClassifier(LinearClassifier):
    """Base class of logistic models on a subset of the features, with a path over its size `k`."""

    _knob = "k"

    def _check_parameters(self) -> None:
        check_size(self, SubsetClassPath)

    def _index_of(self, path: Any, value: Any) -> int:
        return at_size(path, value)

    def _point(self, path: SubsetClassPath, index: int) -> dict[str, Any]:
        if path.at(index)[0].any() and path.log_loss[index] < SEPARATED:
            warn_caller(
                f"the classes are perfectly separated by {path.grid[index]} variable(s): without a penalty, "
                "coefficients diverge and their size is meaningless. Use fewer variables, or LogisticRegression.",
                SeparationWarning,
            )
        is_in = np.isin(np.arange(path.data.n_features), path.subset(index))  # type: ignore[union-attr]
        return {"k_": int(path.grid[index]), "subset_": np.flatnonzero(self._used(is_in))}


class GreedySubsetClassifier(SubsetClassifier):
    r"""Logistic (or multinomial) regression on a greedily selected subset of the features.

    A forward step evaluates, for each variable j that is not yet in the model,

    .. math:: J(S \cup j) = \min_{b, \beta} \; \sum_i w_i \log\bigl(1 + e^{-y_i (b + \beta^T x_{i, S \cup j})}\bigr),

    with all coefficients refitted by Newton steps from those of the current model, and adds the best variable. A
    candidate is abandoned as soon as its last steps show that it will not be the best. With more than two classes, the
    loss is multinomial.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. The coded columns of one column of
    the table form one variable and enter together; `feature_groups` refers to the columns of the table. The coding is
    learned from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    k : int or rule, default "cv"
        Number of variables: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (approximate), ``"bic"``,
        ``"aic"`` or ``"ebic"``.
    direction : {"forward", "backward", "both"}, default "forward"
        Search direction, as in :class:`~vitalfew.GreedySubsetRegressor`.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that form one variable and enter or leave together: a label for each column, or lists of columns (by
        number or name; each unlisted column is its own variable). `k` counts variables.
    max_features : int, optional
        Number of variables of the largest model a rule may select; by default 100, or what rows and columns allow.
    fit_intercept : bool, default True
    class_weight : dict or "balanced", optional
        Class weights, as in scikit-learn.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the log loss is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all available by default. Results do not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default, for long fits on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_columns) or (n_classes, n_columns)
        Zero outside the subset. One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    k_ : int
        Selected number of variables.
    subset_ : ndarray of int
        Indices of the selected columns.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : SubsetClassPath
        Model for every size (``coef``, ``log_loss``, ``subset(k)``; ``plot()``, and ``to_frame()`` with the features
        that enter and leave at each size). It ends where the classes are perfectly separated.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    References
    ----------
    Honorio, CS 578 Statistical Machine Learning, lecture 7 (based on slides by Jaakkola).

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
        feature_groups: Any = None,
        max_features: int | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
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

    def _family(self, data: NumericData) -> GreedyClassFamily:
        return GreedyClassFamily(
            self.k,
            self.max_features,
            self.direction,
            bool(self.fit_intercept),
            self._groups(self.feature_groups, data),
            check_threads(self.n_jobs),
            self.verbose,
        )
