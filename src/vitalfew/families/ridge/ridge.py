"""Ridge regression, with all penalties solved from one decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import names_of
from vitalfew.exceptions import ConditioningWarning
from vitalfew.families.folds import paths_from_moments
from vitalfew.families.left_out import APPROXIMATE, EXACT, LeftOut, chosen_anew
from vitalfew.families.linear.least_squares import LeastSquares, is_affordable
from vitalfew.families.linear.regressor import LinearRegressor
from vitalfew.families.linear.standardize import HELD_SCALES, column_scale
from vitalfew.families.ridge.eigen import DIGITS, shrinkage_grid
from vitalfew.families.ridge.ridge_forms import DualForm, PrimalForm, Solutions
from vitalfew.families.ridge.ridge_path import RidgePath
from vitalfew.rules.path import ALONE, Run
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import check_threads
from vitalfew.support.threads import limit_threads

# Up to this many penalties, one Cholesky factorization each costs less than one eigendecomposition for all.
FEW = 4
FEW_NUMBERS = 2**16
# The same for few penalties of more columns than rows, with a row for the penalty of each column.
DUAL_NUMBERS = 2**18


@dataclass(frozen=True)
class RidgeFamily:
    """Settings and solver of ridge paths, from second moments or, if columns outnumber rows, from products of rows."""

    fit_intercept: bool
    standardize: bool
    n_points: int
    ratio: float | None
    threads: int

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, *, run: Run = ALONE) -> RidgePath:  # noqa: ARG002
        """Return the path over all penalties of the grid, or over a default grid."""
        with limit_threads(self.threads):
            form = self._form(data)
            if grid is None:
                grid = shrinkage_grid(form.spectrum.values, self.n_points, self.ratio)
            found, intercept = self._solve(data, form, grid)
        return RidgePath(
            grid,
            found.coef,
            intercept,
            found.squared_error / data.weight_sum,
            found.degrees_of_freedom,
            found.digits,
            names_of(data),
            self.fit_intercept,
            data.weight_sum,
            data,
            form,
            form.scale,
        )

    def uses_moments(self, data: NumericData) -> bool:
        """Return True if paths for this data are computed from its second moments."""
        return data.n_features <= data.n_rows

    def fold_paths(self, data: NumericData | Summaries[Moments], splits: Any, path: RidgePath, options: Any) -> Any:
        """Return the fold paths, by subtraction of moments unless columns outnumber rows or digits would be lost."""
        is_primal = isinstance(path.form, PrimalForm) and (len(path.grid) <= FEW or path.form.is_safe(path.grid).all())
        has_moments = is_primal or isinstance(data, Summaries)
        found = paths_from_moments(self, data, splits, path, options) if has_moments else None
        if found is not None:
            return found
        assert isinstance(data, NumericData)
        return self._from_rows(data, splits, path)

    def _from_rows(self, data: NumericData, splits: Any, path: RidgePath) -> Any:
        for train, test in splits:
            fitted, tested = data.split(train, test)
            yield self.path(fitted, path.grid), tested

    def _form(self, data: NumericData | Moments) -> PrimalForm | DualForm:
        is_dual = isinstance(data, NumericData) and data.n_features > data.n_rows
        summary = data if is_dual or isinstance(data, Moments) else Moments.of(data)
        scale = column_scale(summary) if self.standardize else None
        if isinstance(summary, Moments):
            return PrimalForm(summary, self.fit_intercept, scale)
        return DualForm(summary, self.fit_intercept, scale)

    def _solve(self, data: Any, form: Any, grid: NDArray) -> tuple[Solutions, NDArray[np.float64]]:
        """Compute the solutions and intercepts at all penalties.

        Many penalties are solved from one eigendecomposition. Few penalties, and those where it would lose digits, are
        solved one by one. Where any product of columns would lose digits, the solution is computed from the rows.
        """
        if len(grid) > FEW:
            found, again = form.many(grid), np.flatnonzero(~form.is_safe(grid))
        else:
            found, again = Solutions.join([form.one(float(alpha)) for alpha in grid]), np.arange(0)
        for p in again:
            found.put(p, form.one(float(grid[p])))
        intercept = form.y_mean - found.coef @ form.mean
        if form.scale is not None:
            found = found._replace(coef=found.coef / form.scale)
        if isinstance(data, Moments):
            return found._replace(digits=found.digits_of_each), intercept
        for p in self._to_refine(data, form, grid, found):
            exact = LeastSquares(data, self.fit_intercept, float(grid[p]), form.scale)
            coef, intercept[p] = exact.solution
            found.put(p, Solutions(coef, exact.squared_error, exact.degrees_of_freedom, 15, 15))
        return found, intercept

    def _to_refine(self, data: NumericData, form: Any, grid: NDArray, found: Solutions) -> NDArray[np.intp]:
        """Return the points to recompute from the rows.

        For small data these are least squares and the points where any coefficient has lost digits; otherwise, the
        points where the coefficients as a whole have lost digits. The dual form recomputes least squares, and few
        penalties of at most a few hundred columns: products of rows lose small columns beside huge ones.
        """
        if not is_affordable(data):
            return np.arange(0)
        is_small = data.n_rows * data.n_features <= FEW_NUMBERS
        lost = (found.digits_of_each if is_small else found.digits) < DIGITS
        if isinstance(form, DualForm):
            few = DUAL_NUMBERS if len(grid) <= FEW else FEW_NUMBERS
            is_square = (data.n_rows + data.n_features) * data.n_features <= few
            return np.flatnonzero(np.where(grid == 0, lost | is_small, lost & is_square))
        return np.flatnonzero(lost | ((grid == 0) & is_small))


class Ridge(LinearRegressor):
    r"""Ridge regression, with all penalties solved from one decomposition and exact leave-one-out.

    .. math:: \min_{b, \beta} \; \sum_i w_i (y_i - b - x_i^T \beta)^2 + \alpha \sum_j \gamma_j^2, \qquad
       \gamma_j = s_j \beta_j

    The penalty acts on the coefficients :math:`\gamma` of standardized columns: :math:`s_j` is the weighted standard
    deviation of column j, so that units do not matter. A penalty :math:`\alpha` thus counts as :math:`\alpha s_j^2` for
    :math:`\beta_j^2`. ``standardize=False`` sets all :math:`s_j` to 1, which is scikit-learn's objective; there,
    :math:`\alpha` is the :math:`\lambda` of texts that penalize the sum of squares,
    including those that halve both terms. On the scale of the mean loss, as in :class:`~vitalfew.Lasso`, the penalty is
    :math:`\alpha / \sum_i w_i`. Weights that sum to less than n are first scaled to sum to n.

    The eigenvalues of the centered second moments (or of the products of rows, if columns outnumber rows) give the
    coefficients, degrees of freedom and leverages at all penalties, so that leave-one-out,

    .. math:: y_i - \hat y_{-i} = \frac{y_i - \hat y_i}{1 - h_{ii}}, \qquad
       h_{ii} = \frac{w_i}{\sum_k w_k} + w_i (x_i - \bar x)^T (S + \alpha\, \mathrm{diag}\, s^2)^{-1} (x_i - \bar x),

    costs little more than one fit. It is exact for the given scales :math:`s_j`, which are those of all samples.
    k-fold cross-validation takes one pass over the samples: the second moments of a training set are those of all
    samples minus those of the fold. Penalties so small that the moments lose digits (condition number beyond about
    1e8), and least squares (``alpha=0``, the solution of least norm if it is not unique) are computed from the samples
    instead, by orthogonal factorization and refinement with residuals in double-double arithmetic.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. The penalty is the same for all of
    them. The coding is learned from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    alpha : float or rule, default "loo"
        Penalty: a number, or ``"loo"`` (exact for fixed scales of the columns), ``"cv"``, ``"1se"``, ``"holdout"``,
        ``"bic"`` or ``"aic"``. The last two count the trace of the hat matrix as the number of coefficients, and are
        corrected where it approaches the number of samples, see :func:`~vitalfew.bic`. Leverages of single samples
        need the samples, so `fit_moments` replaces them by their mean: ``"loo"`` is then generalized cross-validation,
        :math:`\frac{\mathrm{MSE}}{(1 - \bar h)^2}` with :math:`\bar h = \frac1n \sum_i h_{ii}`, and
        ``selection_.note`` says so.
    fit_intercept : bool, default True
    standardize : bool, default True
        Whether to divide each column by its weighted standard deviation :math:`s_j` for the fit (constant columns by
        1), in each training set of a rule as well. Coefficients are reported in the original units. If False, the
        penalty acts on the columns in their own units.
    grid : int or array-like, default 100
        Penalties of the path: their number, or the penalties themselves. A number of penalties is spaced evenly on a
        logarithmic scale. They range from 100 times the largest eigenvalue of the centered second moments, where every
        direction is shrunk to less than 1%, to a hundredth of the smallest nonzero one, where none is shrunk by more
        than 1%, or to 1e-8 of the largest if that is more.
    grid_ratio : float, optional
        Ratio of the smallest to the largest penalty of the grid, which replaces the smallest penalty above.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the squared error is minimized unless `scoring` is given.
    n_jobs : int, optional
        Number of threads; all available by default. Results do not depend on it, except for rounding.
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
        Always 0, since the solution has a closed form.
    support_ : ndarray of bool, shape (`n_features_in_`,)
        Features with a nonzero coefficient: all except constant ones.
    path_ : RidgePath
        Coefficients at all penalties (``coef``, ``intercept``, ``grid``, ``degrees_of_freedom``, ``trusted_digits``;
        ``plot()``, ``to_frame()``).
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    Warns
    -----
    ConditioningWarning
        If fewer than 8 digits of the coefficients can be trusted: columns are collinear, the penalty is close to zero,
        and there are no samples to recompute the solution from (`fit_moments`).
    GridEndWarning
        If the rule picks the smallest of the default penalties, and its score still improves there.

    References
    ----------
    Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634. Allen (1974), doi:10.1080/00401706.1974.10489157.
    Golub, Heath & Wahba (1979), doi:10.1080/00401706.1979.10489751. Guestrin, 10-701 Machine Learning,
    February 8, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 40))
    >>> y = X @ rng.normal(size=40) + 5 * rng.normal(size=60)
    >>> model = Ridge(alpha="loo").fit(X, y)
    >>> model.selection_.note
    'exact; the scales of the columns are held fixed'
    >>> bool(0 < model.path_.degrees_of_freedom[model.selection_.index] < 40)
    True
    """

    def __init__(
        self,
        alpha: float | str = "loo",
        *,
        fit_intercept: bool = True,
        standardize: bool = True,
        grid: Any = 100,
        grid_ratio: float | None = None,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.grid = grid
        self.grid_ratio = grid_ratio
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _path_type(self) -> type:
        return RidgePath

    def _family(self, _data: Any) -> RidgeFamily:
        return RidgeFamily(
            bool(self.fit_intercept),
            bool(self.standardize),
            int(self.grid) if np.ndim(self.grid) == 0 else 0,
            self.grid_ratio,
            check_threads(self.n_jobs),
        )

    def _point(self, path: RidgePath, index: int) -> dict[str, Any]:
        attributes = super()._point(path, index)
        digits = int(path.trusted_digits[index])
        if digits < DIGITS:
            has_rows = isinstance(path.data, NumericData)
            remedy = "drop some of the columns" if has_rows else "fit from the rows (fit), center or scale the columns"
            warn_caller(
                f"columns are collinear or nearly so: the coefficients have about {digits} correct digits at "
                f"alpha={attributes['alpha_']:g}; {remedy}, or increase alpha.",
                ConditioningWarning,
            )
        return attributes

    def _leave_out(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LeftOut | str:
        """Divide the residuals by one minus the leverage."""
        if why := chosen_anew(self, "alpha"):
            return why
        self._check_parameters()
        data = self._read(X, y, sample_weight)
        path = self._family(data).path(data, np.array([float(self.alpha)]))
        kind, note = EXACT, "residuals divided by one minus leverage"
        if self.standardize:
            kind, note = APPROXIMATE, f"{note}; {HELD_SCALES}"
        return self._left_out(kind, note, path.loo().prediction[:, 0])
