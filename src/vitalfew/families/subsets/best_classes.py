"""Best subset selection for classes: logistic and multinomial loss, leaps and bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vitalfew import rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.linear.classifier import present_classes
from vitalfew.families.subsets.best_subset import BestSettings, check_ties, find_ties, tie_frame, with_gap
from vitalfew.families.subsets.greedy_classes import SubsetClassifier, solve_classes
from vitalfew.families.subsets.subset_class_path import SubsetClassPath
from vitalfew.families.subsets.subset_model import check_time_budget
from vitalfew.support.progress import kernel_progress


@dataclass(frozen=True, kw_only=True)
class BestClassPath(SubsetClassPath):
    """The best subset found of each size.

    Attributes
    ----------
    gap : ndarray of shape (n_points,)
        How far the log loss may be above the least possible, as a share of it; 0 is a proof that it is not.
    """

    gap: NDArray[np.float64]

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "gap": self.gap}


@dataclass(frozen=True)
class BestClassFamily(BestSettings):
    """How best subsets for classes are searched for."""

    def path(self, data: NumericData, grid: NDArray | None = None, heed=None) -> BestClassPath:
        """The path up to the largest size wanted, or over the sizes of a grid."""
        most = self.most(data, grid)
        reduced, present = present_classes(data)
        with kernel_progress(most, "best subsets", self.verbose) as show:
            found = solve_classes("best_classes", reduced, self.request(most, heed or show))
        path = SubsetClassPath.from_kernel(found, data, present, self.fit_intercept, grid)
        return with_gap(BestClassPath, path, found, path.log_loss)

    def fold_paths(self, data: NumericData, splits, path: BestClassPath, _options):
        """Folds run side by side and share the time: what they find need not be proven."""
        return paths_in_threads(replace(self, seconds=self.seconds / len(splits)), data, splits, path)


class BestSubsetClassifier(SubsetClassifier):
    r"""Logistic regression on the best subset of the features, with a proof or the gap that is left.

    Of all subsets of k columns this is the one with the least log loss; multinomial for more than two classes.

    A greedy search both ways and exchanges of single columns find a subset; leaps and bounds then prove that nothing is
    better, or find what is: no subset of some columns has a smaller loss than all of them together, so columns without
    which the others cannot do as well must be in. This is quick for some tens of columns; with more, or where all of
    them together fit far better than k do, time runs out, and `gap_` says how much better another subset may still be.

    Parameters
    ----------
    k : int or rule, default "bic"
        How many features: a number, or ``"bic"``, ``"aic"``, ``"ebic"``, ``"loo"`` (approximate), ``"cv"``, ``"1se"``
        or ``"holdout"``, which repeat the search in each fold.
    max_features : int, default 12
        Features of the largest model a rule may choose; fewer where rows and columns do not allow so many.
    time_budget : float, default 60
        Seconds for the search; afterwards the best so far stands. As long again for near ties.
    near_ties : float, default 0.01
        Subsets of the same size are listed in `near_ties_` if their log loss is at most this share above the best.
    max_ties : int, default 100
        How many of them are listed, the best first.
    fit_intercept : bool, default True
    class_weight : dict or "balanced", optional
        Weights of classes, as in scikit-learn.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the log loss is minimised unless `scoring` is given.
    n_jobs : int, optional
        Threads; all by default. A result that is certified does not depend on it.
    verbose : bool, optional
        Progress bar: by default on a terminal, for long work.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, `n_features_in_`) or (n_classes, `n_features_in_`)
        Zero outside the subset.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    k_ : int
    subset_ : ndarray of int
        Columns of the model.
    certified_ : bool
        Whether it is proven that no subset of this size has a smaller loss.
    gap_ : float
        How far the log loss may be above the least possible, as a share of it: 0 if certified.
    near_ties_ : data frame, or dict of columns where no library of frames is installed
        Subsets of this size that do nearly as well: features, log loss, and how far it is above the best.
    near_ties_complete_ : bool
        Whether these are proven to be all of them.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : BestClassPath
        The best subset found of every size, with its gap.
    selection_ : Selection
        The curve the rule saw (``plot()``, ``to_frame()``).

    References
    ----------
    Furnival & Wilson (1974), Regressions by leaps and bounds, Technometrics 16(4), 499-511.

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
        class_weight=None,
        cv=5,
        scoring=None,
        random_state=None,
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

    def _family(self, _n_features: int, _names) -> BestClassFamily:
        return BestClassFamily.of(self)

    def _keep(self, path, selection: rules.Selection):
        super()._keep(path, selection)
        self.gap_ = float(path.gap[selection.index])
        self.certified_ = self.gap_ == 0
        loss = float(path.log_loss[selection.index])
        found = find_ties(self, "near_classes", present_classes(path.data)[0], self.subset_, loss)
        self.near_ties_complete_ = found["is_complete"]
        self.near_ties_ = tie_frame(found, "log_loss", 1.0, loss, path.names)
        return self
