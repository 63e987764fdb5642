"""Greedy subset selection: every step tries each candidate with all coefficients fitted anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import pays_to_summarise, squared_loss_folds
from vitalfew.families.linear.feature_groups import check_groups
from vitalfew.families.solve import solve
from vitalfew.families.subsets.subset_model import SubsetRegressor, largest_size
from vitalfew.families.subsets.subset_path import SubsetPath
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

DIRECTIONS = ("forward", "backward", "both")


@dataclass(frozen=True)
class GreedySettings:
    """What greedy searches of both losses are told."""

    k: int | str
    max_features: int | None
    direction: str
    fit_intercept: bool
    group: NDArray[np.int32] | None
    threads: int
    verbose: bool | None = False

    def most(self, data: NumericData | Moments, grid: NDArray | None) -> int:
        """Variables of the largest model: of the grid, or as many as rows and columns allow."""
        n_variables = data.n_features if self.group is None else int(self.group.max()) + 1
        if self.direction == "backward" and data.n_features > data.n_rows - self.fit_intercept:
            raise ValueError(
                f"direction='backward' starts from all {data.n_features} columns, which {data.n_rows} rows cannot fit: "
                "use direction='forward' or 'both'."
            )
        if grid is not None:
            return int(grid[-1])
        return largest_size(self.k, self.max_features, n_variables, data.n_rows, self.fit_intercept)

    def request(self, most: int, progress) -> _core.SubsetRequest:
        """For the kernel."""
        return _core.SubsetRequest(
            most=most,
            direction=getattr(_core.Direction, self.direction),
            group=self.group,
            intercept=self.fit_intercept,
            threads=self.threads,
            progress=progress,
        )


@dataclass(frozen=True)
class GreedyFamily(GreedySettings):
    """How greedy paths are fitted: from rows, or from second moments where these are fewer."""

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, heed=None) -> SubsetPath:
        """The path up to the largest size wanted, or over the sizes of a grid."""
        most = self.most(data, grid)
        seen = Moments.of(data) if isinstance(data, NumericData) and self._wants_moments(data, most) else data
        with kernel_progress(most, "greedy search", self.verbose) as show:
            found = solve("greedy", seen, self.request(most, heed or show), self.fit_intercept, grid is None)
        return SubsetPath.from_kernel(found, data, seen, self.fit_intercept, grid)

    def uses_moments(self, data: NumericData) -> bool:
        """Whether paths of folds come from their second moments."""
        return self.direction == "backward" or pays_to_summarise(data)

    def fold_paths(self, data: NumericData, splits, path: SubsetPath, options):
        """From fold moments and subtraction, or side by side."""
        return squared_loss_folds(self, data, splits, path, options)

    def _wants_moments(self, data: NumericData, most: int) -> bool:
        if self.direction == "backward" or "moments" in data.known:
            return True
        # A pass over the rows for about every third variable costs more than all moments of few columns.
        return not sparse.issparse(data.X) and pays_to_summarise(data) and data.n_features <= 4 * most


class GreedySubsetRegressor(SubsetRegressor):
    r"""Least squares on a subset of the features, found greedily.

    Forward, a step evaluates for each variable j that is not in the model yet

    .. math:: J(S \cup j) = \min_{b, \beta} \; \tfrac12 \sum_i w_i \Bigl(y_i - b - \sum_{l \in S \cup j} \beta_l x_{il}
       \Bigr)^2,

    all coefficients fitted anew, and takes the best. The exact drop of J costs no more than a correlation: it is
    :math:`\tfrac12 \langle r, x_j \rangle^2 / \|x_j^\perp\|^2`, with the part of x_j that S does not explain, kept
    up to date by one row of a Cholesky factor a step. (Orthogonal matching pursuit takes the largest correlation
    instead, which may be another feature.)

    Parameters
    ----------
    k : int or rule, default "cv"
        How many variables: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (with the subset held as it is),
        ``"bic"``, ``"aic"`` or ``"ebic"``.
    direction : {"forward", "backward", "both"}, default "forward"
        From nothing, one variable in at a time; from all, the least needed out at a time; or forward, where after each
        variable that enters others leave as long as a smaller model gets better than the best of its size so far
        (floating search). In all cases the path has a model for every k.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that are one variable and enter or leave together, such as those of one categorical variable: a label
        for each column, or lists of columns (by number or name; columns not listed stand alone). `k` counts variables.
    max_features : int, optional
        Variables of the largest model a rule may choose; by default 100, or what rows and columns allow.
    fit_intercept : bool, default True
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the search is repeated in each fold.
    n_jobs : int, optional
        Threads; all by default. Results do not depend on it.
    verbose : bool, optional
        Progress bar: by default on a terminal, for long work.

    Attributes
    ----------
    coef_ : ndarray of shape (`n_features_in_`,)
        Zero outside the subset.
    intercept_ : float
    k_ : int
        The number of variables chosen.
    subset_ : ndarray of int
        Columns of the model.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : SubsetPath
        A model for every size (``coef``, ``mean_squared_error``, ``subset(k)``; ``plot()``, and ``to_frame()`` with the
        feature that each step takes).
    selection_ : Selection
        The curve the rule saw (``plot()``, ``to_frame()``).

    Notes
    -----
    Ties are broken by column order. Columns that are constant, or combinations of those in the model, never enter: a
    path ends where nothing is left that lowers J. Information criteria count the coefficients of the model and not the
    search; ``"ebic"`` adds the choice among all subsets of a size.

    References
    ----------
    Jaakkola, 6.867 Machine Learning (2006), lecture 9. Pudil, Novovičová & Kittler (1994),
    doi:10.1016/0167-8655(94)90127-9, for the floating search.

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
        feature_groups=None,
        max_features: int | None = None,
        fit_intercept: bool = True,
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

    def _family(self, n_features: int, names) -> GreedyFamily:
        return GreedyFamily(
            self.k,
            self.max_features,
            self.direction,
            bool(self.fit_intercept),
            check_groups(self.feature_groups, n_features, names),
            check_threads(self.n_jobs),
            self.verbose,
        )
