"""Greedy subset selection: every step tries each candidate with all coefficients refitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import pays_to_summarize, squared_loss_folds
from vitalfew.families.solve import solve
from vitalfew.families.subsets.subset_model import SubsetRegressor, largest_size
from vitalfew.families.subsets.subset_path import SubsetPath
from vitalfew.rules.path import ALONE, Run
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

DIRECTIONS = ("forward", "backward", "both")


@dataclass(frozen=True)
class GreedySettings:
    """Settings of greedy search, for both losses."""

    k: int | str
    max_features: int | None
    direction: str
    fit_intercept: bool
    group: NDArray[np.int32] | None
    threads: int
    verbose: bool | None = False

    def most(self, data: NumericData | Moments, grid: NDArray | None) -> int:
        """Return the number of variables of the largest model, from the grid or from what rows and columns allow."""
        n_variables = data.n_features if self.group is None else int(self.group.max()) + 1
        if self.direction == "backward" and data.n_features > data.n_rows - self.fit_intercept:
            raise ValueError(
                f"direction='backward' requires more rows than columns, got {data.n_rows} rows and {data.n_features} "
                "columns; use direction='forward' or 'both'."
            )
        if grid is not None:
            return int(grid[-1])
        return largest_size(self.k, self.max_features, n_variables, data.n_rows, self.fit_intercept)

    def request(self, most: int, progress: Any) -> _core.SubsetRequest:
        """Return the request for the kernel."""
        return _core.SubsetRequest(
            most=most,
            direction=_core.Direction[self.direction],
            group=self.group,
            intercept=self.fit_intercept,
            threads=self.threads,
            progress=progress,
        )


@dataclass(frozen=True)
class GreedyFamily(GreedySettings):
    """Settings and solver of greedy paths, from rows or, where that is cheaper, from second moments."""

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, *, run: Run = ALONE) -> SubsetPath:
        """Return the path up to the largest requested size, or over the sizes of a grid."""
        most = self.most(data, grid)
        seen = Moments.of(data) if isinstance(data, NumericData) and self._wants_moments(data, most) else data
        with kernel_progress(most, "greedy search", self.verbose) as show:
            request = self.request(most, run.cancel or show)
            found = solve(_core.greedy_path, seen, request, self.fit_intercept, grid is None)
        return SubsetPath.from_kernel(found, data, seen, self.fit_intercept, grid)

    def uses_moments(self, data: NumericData) -> bool:
        """Return True if fold paths are computed from second moments."""
        return self.direction == "backward" or pays_to_summarize(data)

    def fold_paths(self, data: NumericData | Summaries[Moments], splits: Any, path: SubsetPath, options: Any) -> Any:
        """Return the fold paths, by subtraction of fold moments or in parallel."""
        return squared_loss_folds(self, data, splits, path, options)

    def _wants_moments(self, data: NumericData, most: int) -> bool:
        if self.direction == "backward" or data.moments is not None:
            return True
        # With few columns, one pass over the rows for about every third variable costs more than all moments.
        return not sparse.issparse(data.X) and pays_to_summarize(data) and data.n_features <= 4 * most


class GreedySubsetRegressor(SubsetRegressor):
    r"""Least squares on a greedily selected subset of the features.

    A forward step evaluates, for each variable j that is not yet in the model,

    .. math:: J(S \cup j) = \min_{b, \beta} \; \tfrac12 \sum_i w_i \Bigl(y_i - b - \sum_{l \in S \cup j} \beta_l x_{il}
       \Bigr)^2,

    with all coefficients refitted, and adds the best variable. The exact decrease of J costs no more than a
    correlation: it is :math:`\tfrac12 \langle r, x_j \rangle^2 / \|x_j^\perp\|^2`, where :math:`x_j^\perp` is the part
    of x_j that S does not explain, updated by one row of a Cholesky factor per step. (Orthogonal matching pursuit
    instead adds the feature with the largest correlation, which may be another one.)

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. The coded columns of one column of
    the table form one variable and enter together; `feature_groups` refers to the columns of the table. The coding is
    learned from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    k : int or rule, default "cv"
        Number of variables: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (with the subset fixed),
        ``"bic"``, ``"aic"`` or ``"ebic"``.
    direction : {"forward", "backward", "both"}, default "forward"
        ``"forward"`` starts from no variable and adds one at a time. ``"backward"`` starts from all variables and
        removes the least useful one at a time. ``"both"`` is a floating search: after each forward step, variables are
        removed as long as the smaller model improves on the best of its size so far. In all cases the path has a model
        for every k.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that form one variable and enter or leave together, such as those of one categorical variable: a label
        for each column, or lists of columns (by number or name; each unlisted column is its own variable). `k` counts
        variables.
    max_features : int, optional
        Number of variables of the largest model a rule may select; by default 100, or what rows and columns allow.
    fit_intercept : bool, default True
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the search is repeated in each fold.
    n_jobs : int, optional
        Number of threads; all available by default. Results do not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default, for long fits on a terminal.

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,)
        Zero outside the subset. One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : float
    k_ : int
        Selected number of variables.
    subset_ : ndarray of int
        Indices of the selected columns.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : SubsetPath
        Model for every size (``coef``, ``mean_squared_error``, ``subset(k)``; ``plot()``, and ``to_frame()`` with the
        features that enter and leave at each size).
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    Notes
    -----
    Ties are broken by column order. Constant columns, and linear combinations of those in the model, never enter: the
    path ends when no variable can decrease J. Information criteria count the coefficients of the model but not the
    search; ``"ebic"`` adds a penalty for the choice among all subsets of a size.

    References
    ----------
    Honorio, CS 578 Statistical Machine Learning, lecture 7 (after slides by Jaakkola). Pudil, Novovičová &
    Kittler (1994), doi:10.1016/0167-8655(94)90127-9, for the floating search.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import GreedySubsetRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = 3 * X[:, 2] - 2 * X[:, 11] + rng.normal(size=100)
    >>> model = GreedySubsetRegressor(k="bic").fit(X, y)
    >>> model.subset_
    array([ 2, 11])
    >>> model.path_.to_frame()["enters"].tolist()[:3]
    ['', 'x2', 'x11']
    """

    def __init__(
        self,
        k: int | str = "cv",
        *,
        direction: str = "forward",
        feature_groups: Any = None,
        max_features: int | None = None,
        fit_intercept: bool = True,
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
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _path_type(self) -> type:
        return SubsetPath

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("direction", self.direction, DIRECTIONS)

    def _family(self, data: NumericData | Moments) -> GreedyFamily:
        return GreedyFamily(
            self.k,
            self.max_features,
            self.direction,
            bool(self.fit_intercept),
            self._groups(self.feature_groups, data),
            check_threads(self.n_jobs),
            self.verbose,
        )
