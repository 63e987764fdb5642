"""Best subset selection for classification: logistic and multinomial loss, by leaps and bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.linear.classifier import present_classes
from vitalfew.families.subsets.best_subset import BestSettings, with_gap
from vitalfew.families.subsets.greedy_classes import SubsetClassifier, solve_classes
from vitalfew.families.subsets.near_ties import certificate, check_ties
from vitalfew.families.subsets.subset_class_path import SubsetClassPath
from vitalfew.families.subsets.subset_model import check_time_budget
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.progress import kernel_progress


@dataclass(frozen=True, kw_only=True)
class BestClassPath(SubsetClassPath):
    """Path of the best subset found for each size.

    Attributes
    ----------
    gap : ndarray of shape (n_points,)
        Upper bound on how far the log loss is above the least possible, as a fraction of it; 0 proves optimality.
    """

    gap: NDArray[np.float64]

    measure, unit = "log_loss", 1.0

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "gap": self.gap}


@dataclass(frozen=True)
class BestClassFamily(BestSettings):
    """Settings and solver of best subset paths for classification."""

    def path(self, data: NumericData, grid: NDArray | None = None, *, run: Run = ALONE) -> BestClassPath:
        """Return the path up to the largest requested size, or over the sizes of a grid."""
        most = self.most(data, grid)
        reduced, present = present_classes(data)
        with kernel_progress(most, "best subsets", self.verbose) as show:
            found = solve_classes(_core.best_classes, reduced, self.request(most, run.cancel or show))
        path = SubsetClassPath.from_kernel(found, data, present, self.fit_intercept, grid)
        return with_gap(BestClassPath, path, found.gap, found.null_loss, path.log_loss)

    def fold_paths(self, data: NumericData, splits: Any, path: BestClassPath, _options: Any) -> Any:
        """Return the fold paths, fitted in parallel; the folds share the time budget and need no proof."""
        return paths_in_threads(replace(self, seconds=self.seconds / len(splits)), data, splits, path)


class BestSubsetClassifier(SubsetClassifier):
    r"""Logistic regression on the best subset of the features, with a proof of optimality or a bound on the gap.

    Of all subsets of k features, this is the one with the least log loss (multinomial for more than two classes).

    A bidirectional greedy search and exchanges of single features find a subset. Leaps and bounds then prove that no
    subset is better, or find a better one: no subset of a set of features has a smaller loss than the whole set, so a
    feature is required if the others cannot do as well without it. This is fast for a few tens of features. With more,
    or if all features together fit far better than k do, time runs out, and `gap_` bounds how much better another
    subset may be.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. Coded columns enter singly: `k`
    and `near_ties_` count coded columns, `subset_` the columns of the table that they come from. The coding is learned
    from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    k : int or rule, default "bic"
        Number of features: a number, or ``"bic"``, ``"aic"``, ``"ebic"``, ``"loo"`` (approximate), ``"cv"``, ``"1se"``
        or ``"holdout"``. The last three repeat the search in each fold.
    max_features : int, default 12
        Number of features of the largest model a rule may select; fewer if the shape of X does not allow that many.
    time_budget : float, default 60
        Time limit of the search in seconds, after which the best subset so far is used. The search for near ties may
        take as long again.
    near_ties : float, default 0.01
        Subsets of the same size are listed in `near_ties_` if their log loss exceeds the best by at most this fraction.
    max_ties : int, default 100
        Maximum number of near ties to list, best first.
    fit_intercept : bool, default True
    class_weight : dict or "balanced", optional
        Class weights, as in scikit-learn.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the log loss is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all available by default. Certified results do not depend on it.
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
    subset_ : ndarray of int
        Indices of the selected features.
    certified_ : bool
        True if it is proven that no subset of this size has a smaller loss.
    gap_ : float
        Upper bound on how far the log loss is above the least possible, as a fraction of it; 0 if certified.
    near_ties_ : data frame, or dict of columns if no data frame library is installed
        Subsets of this size that do nearly as well: features, log loss, and how far it is above the best.
    near_ties_complete_ : bool
        True if the list of near ties is proven to be complete.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : BestClassPath
        Best subset found for each size, with its gap.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    References
    ----------
    Furnival & Wilson (1974), Regressions by leaps and bounds, Technometrics 16(4), 499-511.
    Honorio, CS 578 Statistical Machine Learning, lecture 7.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import BestSubsetClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 12))
    >>> y = np.where(2 * X[:, 3] - 2 * X[:, 8] + rng.logistic(size=300) > 0, "yes", "no")
    >>> model = BestSubsetClassifier(k="bic", max_features=4).fit(X, y)
    >>> model.subset_, model.certified_
    (array([3, 8]), True)
    """

    def __init__(
        self,
        k: int | str = "bic",
        *,
        max_features: int | None = None,
        time_budget: float = 60.0,
        near_ties: float = 0.01,
        max_ties: int = 100,
        fit_intercept: bool = True,
        class_weight: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.k = k
        self.max_features = max_features
        self.time_budget = time_budget
        self.near_ties = near_ties
        self.max_ties = max_ties
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_time_budget(self.time_budget)
        check_ties(self, "log loss")

    def _family(self, _data: Any) -> BestClassFamily:
        return BestClassFamily.of(self)

    def _point(self, path: Any, index: int) -> dict[str, Any]:
        data = present_classes(path.data)[0]
        return {**super()._point(path, index), **certificate(self, _core.near_classes, data, path, index)}
