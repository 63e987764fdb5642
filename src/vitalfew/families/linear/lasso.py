"""Lasso and elastic net: whole regularization paths with a duality-gap certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import names_of
from vitalfew.families.folds import pays_to_summarize, squared_loss_folds
from vitalfew.families.left_out import APPROXIMATE, LeftOut, chosen_anew, penalty_without_a_row
from vitalfew.families.linear.feature_groups import group_factors
from vitalfew.families.linear.penalty import check_certified, default_ratio
from vitalfew.families.linear.regressor import LinearRegressor
from vitalfew.families.linear.sparse_path import LinearPath
from vitalfew.families.linear.standardize import column_scale, scaled, unscaled
from vitalfew.families.solve import solve
from vitalfew.rules.path import ALONE, Run
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads
from vitalfew.support.progress import kernel_progress


@dataclass(frozen=True)
class LassoFamily:
    """Settings and solver of lasso paths, from rows or, where that is cheaper, from second moments."""

    l1_ratio: float
    fit_intercept: bool
    standardize: bool
    positive: bool
    factor: NDArray[np.float64] | None  # per column or per group
    group: NDArray[np.int32] | None
    n_points: int
    ratio: float | None
    tol: float
    threads: int
    verbose: bool | None = False

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, *, run: Run = ALONE) -> LinearPath:
        """Return the path over all penalties of the grid, or over a default grid."""
        summary = Moments.of(data) if isinstance(data, NumericData) and pays_to_summarize(data) else data
        scale = column_scale(summary) if self.standardize else None
        found = self._solve(scaled(summary, scale), grid, run)
        shape = (len(found.grid), data.n_features)
        coef = unscaled(sparse.csr_array((found.value, found.index, found.start), shape=shape), scale)
        intercept = found.intercept
        if isinstance(summary, Moments) and self.fit_intercept:
            intercept = summary.mean[-1] - coef @ summary.mean[:-1]
        return LinearPath(
            grid=found.grid,
            coef_sparse=coef,
            intercept=intercept,
            dual_gap=found.gap,
            mean_squared_error=2 * found.loss,
            names=names_of(data),
            l2=found.grid * (1 - self.l1_ratio),
            factor=self.factor if self.group is None or self.factor is None else self.factor[self.group],
            group=self.group,
            scale=scale,
            has_intercept=self.fit_intercept,
            n_samples=data.weight_sum,
            data=data,
        )

    def uses_moments(self, data: NumericData) -> bool:
        """Return True if paths for this data are computed from its second moments."""
        return pays_to_summarize(data)

    def fold_paths(self, data: NumericData | Summaries[Moments], splits: Any, path: LinearPath, options: Any) -> Any:
        """Return the fold paths, by subtraction of fold moments if the path uses moments, otherwise in parallel."""
        return squared_loss_folds(self, data, splits, path, options)

    def _solve(self, data: NumericData | Moments, grid: Any, run: Run) -> _core.PathPoints:
        n_points = self.n_points if grid is None else len(grid)
        with kernel_progress(n_points, "lasso path", self.verbose) as show:
            request = _core.PathRequest(
                grid=grid,
                n_points=n_points,
                ratio=self.ratio or default_ratio(data),
                l1_ratio=self.l1_ratio,
                factor=self.factor,
                group=self.group,
                positive=self.positive,
                intercept=self.fit_intercept,
                tol=self.tol,
                threads=self.threads,
                progress=run.cancel or show,
            )
            return solve(_core.lasso_path, data, request, self.fit_intercept, grid is None)


class Lasso(LinearRegressor):
    r"""Lasso and elastic net, with the whole regularization path.

    .. math:: \min_{b, \beta} \; \frac{1}{2 \sum_i w_i} \sum_i w_i (y_i - b - x_i^T \beta)^2
       + \alpha \sum_j f_j \left( \rho |\gamma_j| + \tfrac{1}{2} (1 - \rho) \gamma_j^2 \right), \qquad
       \gamma_j = s_j \beta_j

    The penalty acts on the coefficients :math:`\gamma` of standardized columns: :math:`s_j` is the weighted standard
    deviation of column j, so that units do not decide which features are selected. A penalty :math:`\alpha` thus counts
    as :math:`\alpha s_j` for :math:`|\beta_j|` and as :math:`\alpha s_j^2` for :math:`\beta_j^2`.
    ``standardize=False`` sets all :math:`s_j` to 1, which is scikit-learn's objective. Texts that penalize the sum of
    squares, :math:`\frac12 \sum_i (y_i - x_i^T \beta)^2 + \lambda \|\beta\|_1`, have :math:`\lambda = n \alpha`.

    The solver maintains a small active set, solves its problem exactly by Newton steps with an updated Cholesky
    factor, and certifies the result on all columns by the duality gap. Columns whose cached correlation cannot have
    reached the penalty are screened out. If samples sufficiently outnumber features, it works on second moments alone,
    and k-fold cross-validation takes one pass over the data.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. The coded columns of one column of
    the table form a group and enter together (singly with ``positive=True``); `penalty_factors` and `feature_groups`
    refer to the columns of the table. The coding is learned from all training samples, without the target;
    `coef_names_` names the coded columns.

    Parameters
    ----------
    alpha : float or rule, default "cv"
        Penalty: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (approximate: the active set and the
        scales of the columns are held fixed), ``"bic"``, ``"aic"`` or ``"ebic"``.
    l1_ratio : float in (0, 1], default 1.0
        :math:`\rho`: 1 is the lasso; smaller values add a ridge penalty (elastic net).
    fit_intercept : bool, default True
    standardize : bool, default True
        Whether to divide each column by its weighted standard deviation :math:`s_j` for the fit (constant columns by
        1), in each training set of a rule as well. Coefficients are reported in the original units. If False, the
        penalty acts on the columns in their own units.
    positive : bool, default False
        If True, constrain coefficients to be nonnegative.
    penalty_factors : array-like of shape (n_features,), optional
        :math:`f_j`; 0 leaves a feature unpenalized, infinity excludes it. 1 for all features by default.
    feature_groups : array-like of shape (n_features,) or list of lists, optional
        Columns that enter and leave together, such as those of one categorical variable: a label for each column, or
        lists of columns (by number or name; each unlisted column forms its own group). The penalty is then
        :math:`\alpha \sum_g f_g \sqrt{p_g} \, \|\gamma_g\|_2` (group lasso).
    grid : int or array-like, default 100
        Penalties of the path: their number, spaced evenly on a logarithmic scale down from the smallest penalty that
        selects no feature; or the penalties themselves.
    grid_ratio : float, optional
        Ratio of the smallest to the largest penalty of the grid; by default 1e-3, or 1e-2 if features outnumber
        samples.
    tol : float, default 1e-6
        Largest duality gap, as a fraction of the objective of the null model. Most solutions are far more accurate.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the squared error is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all available by default. Results do not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default, for long fits on a terminal.

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,)
        One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : float
    alpha_ : float
        Selected penalty.
    dual_gap_ : float
        Duality gap that certifies the solution; see `tol`.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : LinearPath
        Coefficients at all penalties (``coef``, ``intercept``, ``grid``, ``dual_gap``, ``scale``; ``plot()``,
        ``to_frame()``). ``scale`` holds the :math:`s_j`; None if columns are not standardized.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``); for ``"loo"``, its ``note`` says that the scores are
        approximate.

    Warns
    -----
    ConvergenceWarning
        If the duality gap exceeds `tol` at some point of the path.
    GridEndWarning
        If the rule picks the smallest of the default penalties, and its score still improves there.

    References
    ----------
    Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x. Zou & Hastie (2005),
    doi:10.1111/j.1467-9868.2005.00503.x. Yuan & Lin (2006), doi:10.1111/j.1467-9868.2005.00532.x.
    Tibshirani et al. (2012), doi:10.1111/j.1467-9868.2011.01004.x. Honorio, CS 578 Statistical Machine Learning,
    lecture 7. 427, lecture 11, on the soft threshold and compressed sensing.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import Lasso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = 3 * X[:, 2] - 2 * X[:, 11] + rng.normal(size=100)
    >>> model = Lasso(alpha="1se").fit(X, y)
    >>> model.get_support(indices=True)
    array([ 2, 11])
    >>> model.dual_gap_ < 1e-6
    True
    """

    def __init__(
        self,
        alpha: float | str = "cv",
        *,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        standardize: bool = True,
        positive: bool = False,
        penalty_factors: Any = None,
        feature_groups: Any = None,
        grid: Any = 100,
        grid_ratio: float | None = None,
        tol: float = 1e-6,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.positive = positive
        self.penalty_factors = penalty_factors
        self.feature_groups = feature_groups
        self.grid = grid
        self.grid_ratio = grid_ratio
        self.tol = tol
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _path_type(self) -> type:
        return LinearPath

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 0 < self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio must be in (0, 1], got {self.l1_ratio!r}; use Ridge for l1_ratio=0.")
        if not self.tol > 0:
            raise ValueError(f"tol must be positive, got {self.tol!r}.")

    def _family(self, data: NumericData | Moments) -> LassoFamily:
        factor = self._of_coded(check_factors(self.penalty_factors, self._n_given(data)))
        group = self._groups(self.feature_groups, data, coded=not self.positive)
        if group is not None:
            factor = group_factors(factor, group)
            if self.positive:
                raise ValueError("positive=True is not supported with feature_groups; set one of them to its default.")
        return LassoFamily(
            float(self.l1_ratio),
            bool(self.fit_intercept),
            bool(self.standardize),
            bool(self.positive),
            factor,
            group,
            int(self.grid) if np.ndim(self.grid) == 0 else 0,
            self.grid_ratio,
            float(self.tol),
            check_threads(self.n_jobs),
            self.verbose,
        )

    def _point(self, path: LinearPath, index: int) -> dict[str, Any]:
        check_certified(path, self.tol)
        return super()._point(path, index)

    def _leave_out(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LeftOut | str:
        """Apply the ridge formula to the active set."""
        if why := chosen_anew(self, "alpha"):
            return why
        self._check_parameters()
        data = self._read(X, y, sample_weight)
        penalty = np.array([penalty_without_a_row(self.alpha, data.n_rows)])
        found = self._family(data).path(data, penalty).loo()
        return LeftOut(APPROXIMATE, found.note, found.prediction[:, 0])


def check_factors(factors: Any, n_features: int) -> NDArray[np.float64] | None:
    """Check that `factors` holds one penalty factor per column and return them; None means that all are 1."""
    if factors is None:
        return None
    values = np.asarray(factors, dtype=np.float64)
    if values.shape != (n_features,):
        raise ValueError(f"penalty_factors must have shape ({n_features},), one factor per column, got {values.shape}.")
    if np.isnan(values).any() or (values < 0).any():
        raise ValueError("penalty_factors must be numbers >= 0 (0: no penalty, infinity: exclude the feature).")
    return np.ascontiguousarray(values)
