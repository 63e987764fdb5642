"""Logistic regression with L1, L2 and elastic-net penalties: whole paths with a duality-gap certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from vitalfew import _core, rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.exceptions import SeparationWarning
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.left_out import APPROXIMATE, LeftOut, chosen_anew, penalty_without_a_row
from vitalfew.families.linear.classifier import NEVER, LinearClassifier, embed_classes, present_classes
from vitalfew.families.linear.lasso import check_factors
from vitalfew.families.linear.logistic_path import MOST_COORDINATES, Design, LogisticPath, one_hot, probabilities
from vitalfew.families.linear.logistic_ridge import RidgeObjective, Solutions, ridge_path, slack
from vitalfew.families.linear.penalty import check_certified, check_penalty, default_ratio, fixed_grid
from vitalfew.families.linear.polish import polished
from vitalfew.families.linear.regressor import CRITERIA
from vitalfew.families.linear.standardize import column_scale, scaled, unscaled
from vitalfew.families.path_estimator import Chosen
from vitalfew.families.solve import solve
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.caller import warn_caller
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.progress import kernel_progress

PENALTIES = ("l1", "l2", "elasticnet")


@dataclass(frozen=True)
class LogisticFamily:
    """Settings and solver of logistic regression paths."""

    l1_ratio: float
    fit_intercept: bool
    standardize: bool
    factor: NDArray[np.float64] | None
    n_points: int
    ratio: float | None
    tol: float
    threads: int
    verbose: bool | None = False
    is_of_fold: bool = False

    def path(self, data: NumericData, grid: NDArray | None = None, *, run: Run = ALONE) -> LogisticPath:
        """Return the path over all penalties of the grid, or over a default grid."""
        assert data.classes is not None
        reduced, present = present_classes(data)
        scale = column_scale(data) if self.standardize else None
        reduced = scaled(reduced, scale)
        if grid is None and self.l1_ratio == 0:
            grid = self._ridge_grid(reduced)
        found = self._solve(reduced, len(present), grid, run)
        coef, intercept = embed_classes(found.coef, found.intercept, present, len(data.classes), data.n_features)
        return LogisticPath(
            grid=found.grid,
            coef_sparse=unscaled(coef, scale),
            intercept=intercept,
            dual_gap=found.gap,
            log_loss=found.loss,
            names=data.names,
            classes=data.classes,
            l2=found.grid * (1 - self.l1_ratio),
            factor=self.factor,
            scale=scale,
            has_intercept=self.fit_intercept,
            n_samples=data.weight_sum,
            data=data,
        )

    def fold_paths(self, data: NumericData, splits: Any, path: LogisticPath, _options: Any) -> Any:
        """Return the fold paths, fitted in parallel, to the tolerance of the gap alone."""
        return paths_in_threads(replace(self, is_of_fold=True), data, splits, path)

    def _solve(self, data: NumericData, n_classes: int, grid: Any, run: Run) -> Solutions:
        n_outputs = 1 if n_classes <= 2 else n_classes
        shape = (len(grid) if grid is not None else self.n_points, n_outputs * data.n_features)
        if n_classes == 1:  # nothing to learn
            zeros = np.zeros(shape[0])
            start = np.geomspace(1.0, 1e-3, shape[0]) if grid is None else grid
            empty = sparse.csr_array((shape[0], data.n_features))
            return Solutions(start, empty, np.full((shape[0], 1), NEVER), zeros, zeros)
        with kernel_progress(shape[0], "logistic path", self.verbose) as show:
            if self.l1_ratio == 0:
                objective = RidgeObjective(data, n_outputs, self.factor, self.fit_intercept)
                slope = np.inf if self.is_of_fold else slack(self.tol, data.weight_sum)
                return ridge_path(objective, grid, self.tol, slope, run.cancel or show)
            found = self._run(data, n_classes, grid, run.cancel or show)
        shape = (len(found.grid), shape[1])
        coef = sparse.csr_array((found.value, found.index, found.start), shape=shape)
        return Solutions(found.grid, coef, found.intercept.reshape(shape[0], n_outputs), found.gap, found.loss)

    def _run(self, data: NumericData, n_classes: int, grid: Any, progress: Any) -> _core.PathPoints:
        request = _core.PathRequest(
            grid=grid,
            n_points=self.n_points if grid is None else len(grid),
            ratio=self.ratio or default_ratio(data),
            l1_ratio=self.l1_ratio,
            factor=self.factor,
            intercept=self.fit_intercept,
            tol=self.tol,
            threads=self.threads,
            progress=progress,
        )
        if n_classes > 2:
            return solve(_core.multinomial_path, data, request, takes_prefix=grid is None)
        numeric = replace(data, target=data.label.astype(np.float64), classes=None)
        return solve(_core.logistic_path, numeric, request, takes_prefix=grid is None)

    def _ridge_grid(self, data: NumericData) -> NDArray[np.float64]:
        """Return penalties decreasing from 100 times the largest slope at zero, where coefficients nearly vanish."""
        n_classes = len(np.unique(data.label))
        objective = RidgeObjective(data, 1 if n_classes <= 2 else n_classes, self.factor, self.fit_intercept)
        theta = objective.start()
        steepest = np.abs(objective.evaluate(theta, 0.0)[1][:, :-1]).max(initial=0.0)
        top = 100 * (steepest if steepest > 0 else 1.0)
        return np.geomspace(top, top * (self.ratio or 1e-6), self.n_points)


class LogisticRegression(LinearClassifier):
    r"""Logistic regression for two or more classes, with the whole regularization path.

    .. math:: \min_{b, \beta} \; \frac{1}{\sum_i w_i} \sum_i -w_i \log P(y_i \mid x_i)
       + \alpha \sum_j f_j \left( \rho |\gamma_j| + \tfrac{1}{2} (1 - \rho) \gamma_j^2 \right), \qquad
       P(y = k \mid x) \propto \exp(b_k + \beta_k^T x), \quad \gamma_j = s_j \beta_j

    with one set of coefficients for two classes, and one set per class for more. :math:`\rho` is 1 for ``"l1"``, 0 for
    ``"l2"`` and `l1_ratio` for ``"elasticnet"``. The penalty acts on the coefficients :math:`\gamma` of standardized
    columns: :math:`s_j` is the weighted standard deviation of column j (weights of classes included), so that units do
    not decide which features are selected. A penalty :math:`\alpha` thus counts as :math:`\alpha s_j` for
    :math:`|\beta_j|` and as :math:`\alpha s_j^2` for :math:`\beta_j^2`. ``standardize=False`` sets all :math:`s_j` to
    1; it is the objective of scikit-learn and of texts. Texts that penalize the sum of losses,
    :math:`\sum_i \log P(y_i \mid x_i) - \lambda \|\beta\|_1`, have :math:`\lambda = n \alpha` (for the squared norm
    :math:`\lambda \|\beta\|^2`: :math:`\lambda = n \alpha / 2`); scikit-learn's ``C`` is :math:`1 / (n \alpha)`.

    `kkt_violation_` measures the violation of the optimality conditions. Where :math:`\gamma_j \ne 0`, the slope of the
    mean log-likelihood by :math:`\gamma_j` is :math:`\alpha f_j (\rho\, \mathrm{sign} \gamma_j + (1 - \rho) \gamma_j)`;
    where :math:`\gamma_j = 0`, the slope is at most :math:`\alpha f_j \rho` in absolute value.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. Coded columns enter singly;
    `penalty_factors` refers to the columns of the table. The coding is learned from all training samples, without the
    target; `coef_names_` names the coded columns.

    Parameters
    ----------
    alpha : float or rule, default "cv"
        Penalty: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"loo"`` (approximate: one Newton step, with the
        active set and the scales of the columns held fixed), ``"bic"``, ``"aic"`` or ``"ebic"``.
    penalty : {"l1", "l2", "elasticnet"}, default "l1"
    l1_ratio : float in (0, 1), default 0.5
        :math:`\rho` for ``penalty="elasticnet"``.
    fit_intercept : bool, default True
    standardize : bool, default True
        Whether to divide each column by its weighted standard deviation :math:`s_j` for the fit (constant columns by
        1), in each training set of a rule as well. Coefficients are reported in the original units. If False, the
        penalty acts on the columns in their own units.
    class_weight : dict or "balanced", optional
        As in scikit-learn.
    penalty_factors : array-like of shape (n_features,), optional
        :math:`f_j`; 0 leaves a feature unpenalized, infinity excludes it. 1 for all features by default.
    grid : int or array-like, default 50
        Penalties of the path: their number, spaced evenly on a logarithmic scale; or the penalties themselves.
    grid_ratio : float, optional
        Ratio of the smallest to the largest penalty of the grid; by default 1e-3, or 1e-2 if features outnumber
        samples, or 1e-6 for L2.
    tol : float, default 1e-4
        Largest duality gap, as a fraction of the objective of the null model, at each point of the path. The chosen
        point, and all points with L2, are refined until the largest violation of the optimality conditions of the sum
        of losses is at most ``tol / 100`` (1e-8 for smaller `tol`), unless more than 1000 coefficients are nonzero.
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
        One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    alpha_ : float
        Selected penalty.
    dual_gap_ : float
        Duality gap that certifies the solution; see `tol`.
    kkt_violation_ : float
        Largest violation of the optimality conditions above, in units of the slope of the mean log-likelihood.
    support_ : ndarray of bool, shape (`n_features_in_`,)
        Features with a nonzero coefficient for at least one class.
    path_ : LogisticPath
        Coefficients at all penalties (``coef``, ``intercept``, ``grid``, ``dual_gap``, ``scale``; ``plot()``,
        ``to_frame()``). ``scale`` holds the :math:`s_j`; None if columns are not standardized.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    Warns
    -----
    ConvergenceWarning
        If the duality gap exceeds `tol` at some point of the path.
    GridEndWarning
        If the rule picks the smallest of the default penalties, and its score still improves there.
    SeparationWarning
        If the classes are perfectly separated at the selected penalty.

    References
    ----------
    Jaakkola, 6.867 Machine Learning (2006), lecture 12. Friedman, Hastie & Tibshirani (2010),
    doi:10.18637/jss.v033.i01. Rad & Maleki (2020), doi:10.1111/rssb.12374, for the approximate leave-one-out.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 20))
    >>> y = np.where(2 * X[:, 3] - 2 * X[:, 8] + rng.logistic(size=300) > 0, "yes", "no")
    >>> model = LogisticRegression(alpha="1se").fit(X, y)
    >>> model.get_support(indices=True)
    array([3, 8])
    >>> model.kkt_violation_ < 1e-8
    True
    """

    def __init__(
        self,
        alpha: float | str = "cv",
        *,
        penalty: str = "l1",
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        standardize: bool = True,
        class_weight: Any = None,
        penalty_factors: Any = None,
        grid: Any = 50,
        grid_ratio: float | None = None,
        tol: float = 1e-4,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.alpha = alpha
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.class_weight = class_weight
        self.penalty_factors = penalty_factors
        self.grid = grid
        self.grid_ratio = grid_ratio
        self.tol = tol
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _family(self, data: NumericData) -> LogisticFamily:
        return LogisticFamily(
            self._rho(),
            bool(self.fit_intercept),
            bool(self.standardize),
            self._of_coded(check_factors(self.penalty_factors, self._n_given(data))),
            int(self.grid) if np.ndim(self.grid) == 0 else 0,
            self.grid_ratio,
            float(self.tol),
            check_threads(self.n_jobs),
            self.verbose,
        )

    def _grid(self) -> NDArray[np.float64] | None:
        return fixed_grid(self.alpha, self.grid)

    def _index_of(self, path: Any, value: Any) -> int:
        return rules.grid_point(path, value)

    def _rho(self) -> float:
        return {"l1": 1.0, "l2": 0.0, "elasticnet": float(self.l1_ratio)}[self.penalty]

    def _check_parameters(self) -> None:
        check_choice("penalty", self.penalty, PENALTIES)
        check_penalty(self, LogisticPath)
        if self.penalty == "elasticnet" and not 0 < self.l1_ratio < 1:
            raise ValueError(
                f"l1_ratio must be between 0 and 1, got {self.l1_ratio!r}; use penalty='l1' or 'l2' instead."
            )
        if not self.tol > 0:
            raise ValueError(f"tol must be positive, got {self.tol!r}.")

    def _choose(self, data: Any) -> Chosen:
        """Fit the path, resolve the knob, and refine the chosen point; with L2, all points are accurate already."""
        chosen = super()._choose(data)
        selection = chosen.selection
        if self.penalty == "l2":
            return chosen
        path = polished(chosen.path, selection.index, data, self._rho(), self.tol)
        if path is not chosen.path and selection.rule in CRITERIA:  # the criterion of the refined point
            selection = replace(rules.choose(selection.rule, path, None, data, self._options()), index=selection.index)
        return Chosen.of(path, replace(selection, n_features=path.n_features))

    def _point(self, path: LogisticPath, index: int) -> dict[str, Any]:
        check_certified(path, self.tol)
        data: Any = path.data
        coef, intercept = path.at(index)
        alpha = float(path.grid[index])
        share = np.bincount(data.label, weights=data.weight) / data.weight_sum
        if coef.any() and path.log_loss[index] < 1e-3 * float(-np.sum(share * np.log(share))):
            warn_caller(
                f"the classes are perfectly separated at alpha={alpha:.3g}: probabilities are 0 or 1, and only the "
                "penalty keeps the coefficients finite. Do not interpret their size; use a larger penalty.",
                SeparationWarning,
            )
        violation = kkt_violation(coef, intercept, data, alpha, self._family(data), path.scale)
        return {"alpha_": alpha, "dual_gap_": float(path.dual_gap[index]), "kkt_violation_": violation}

    def _leave_out(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LeftOut | str:
        """Take one Newton step on the active coefficients."""
        if why := chosen_anew(self, "alpha"):
            return why
        self.set_params(alpha=penalty_without_a_row(self.alpha, len(y)), grid=1).fit(X, y, sample_weight)
        if np.count_nonzero(self.coef_) + len(self.coef_) > MOST_COORDINATES:
            return f"more than {MOST_COORDINATES} coefficients are nonzero"
        data, path, point = self._read(X, y, sample_weight), self.path_, self.selection_.index
        decision = Design(path, point, data).without_each(path.decision(data)[:, point])
        note = "one Newton step; the active set is held fixed"
        outer = decision[:, 0] if decision.shape[1] == 1 else decision
        return LeftOut(APPROXIMATE, note, None, probabilities(decision), outer, path.classes)


def kkt_violation(
    coef: Any, intercept: Any, data: NumericData, alpha: float, family: LogisticFamily, scale: NDArray | None = None
) -> float:
    """Return the largest violation of optimality, computed from the coefficients without any solver state."""
    X = data.columns if scale is None else data.X  # in storage order, since no copy by columns was made
    used = np.flatnonzero(coef.any(axis=0))
    of_class = probabilities(np.asarray(X[:, used] @ coef[:, used].T) + intercept)
    own = one_hot(data.label, of_class.shape[1])
    residual = ((own - of_class) * (data.weights / data.weight_sum)[:, None])[:, -len(coef) :]
    slope = np.asarray(X.T @ residual).T
    if scale is not None:
        slope, coef = slope / scale, coef * scale
    factor = np.ones(data.n_features) if family.factor is None else family.factor
    is_out = np.isinf(factor)
    penalty = alpha * np.where(is_out, 0.0, factor)
    rho = family.l1_ratio
    held = rho * penalty * np.sign(coef) + (1 - rho) * penalty * coef
    at_zero = np.where(is_out, 0.0, np.maximum(np.abs(slope) - rho * penalty, 0.0))
    violation = np.where(coef != 0, np.abs(slope - held), at_zero)
    of_intercept = np.abs(residual.sum(axis=0)).max() if family.fit_intercept else 0.0
    return float(max(violation.max(initial=0.0), of_intercept))
