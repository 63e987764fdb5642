"""Forward-fitting regression: each step fits one coefficient and leaves all others unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core, rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import names_of
from vitalfew.families.folds import pays_to_summarize, squared_loss_folds
from vitalfew.families.linear.regressor import LinearRegressor
from vitalfew.families.solve import solve
from vitalfew.families.subsets.fitting_path import FittingPath
from vitalfew.rules.path import ALONE, Run
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads, is_count
from vitalfew.support.progress import kernel_progress


@dataclass(frozen=True)
class FittingSettings:
    """Settings of forward-fitting, for both losses."""

    most: int
    myopic: bool
    learning_rate: float
    fit_intercept: bool
    threads: int
    verbose: bool | None = False

    @classmethod
    def of(cls, model: Any) -> Any:
        """Return the settings of an estimator."""
        most = int(model.max_steps if isinstance(model.steps, str) else model.steps)
        rate, has_intercept = float(model.learning_rate), bool(model.fit_intercept)
        return cls(most, bool(model.myopic), rate, has_intercept, check_threads(model.n_jobs), model.verbose)

    def request(self, steps: int, progress: Any) -> _core.FittingRequest:
        """Return the request for the kernel."""
        return _core.FittingRequest(
            steps=steps,
            myopic=self.myopic,
            rate=self.learning_rate,
            intercept=self.fit_intercept,
            threads=self.threads,
            progress=progress,
        )


@dataclass(frozen=True)
class FittingFamily(FittingSettings):
    """Settings and solver of forward-fitting paths for a numeric target."""

    def path(self, data: NumericData | Moments, grid: NDArray | None = None, *, run: Run = ALONE) -> FittingPath:
        """Return the path over all steps, or over those of a grid."""
        most = self.most if grid is None else int(grid[-1])
        seen = data
        if isinstance(data, NumericData) and not sparse.issparse(data.X) and pays_to_summarize(data):
            # Selecting a column again costs nothing, so the rows are read once per distinct column.
            seen = Moments.of(data) if data.moments is not None or data.n_features <= most else data
        with kernel_progress(most, "forward-fitting", self.verbose) as show:
            request = self.request(most, run.cancel or show)
            found = solve(_core.forward_fitting, seen, request, self.fit_intercept, grid is None)
        names = names_of(data)
        return FittingPath.from_kernel(found, data, seen, self.fit_intercept, grid, names)

    def uses_moments(self, data: NumericData) -> bool:
        """Return True if fold paths are computed from second moments."""
        return pays_to_summarize(data)

    def fold_paths(self, data: NumericData | Summaries[Moments], splits: Any, path: FittingPath, options: Any) -> Any:
        """Return the fold paths, by subtraction of fold moments or in parallel."""
        return squared_loss_folds(self, data, splits, path, options)


def check_steps(model: Any, path_type: type) -> None:
    """Check `steps`, `max_steps` and `learning_rate` of a model."""
    rules.check_rule("steps", model.steps, path_type, "a number of steps")
    if not isinstance(model.steps, str) and not is_count(model.steps):
        raise ValueError(f"steps must be an integer number of steps or a rule, got {model.steps!r}.")
    if not (is_count(model.max_steps) and model.max_steps > 0):
        raise ValueError(f"max_steps must be an integer number of steps, got {model.max_steps!r}.")
    if not 0 < model.learning_rate <= 1:
        raise ValueError(f"learning_rate must be in (0, 1], got {model.learning_rate!r}.")


class ForwardFittingRegressor(LinearRegressor):
    r"""Forward-fitting of a linear model, one coefficient at a time; a feature may be selected more than once.

    Each step leaves all other coefficients unchanged. Given the residuals r of the current model, it selects the
    feature j for which

    .. math:: \min_{\theta} \; \tfrac12 \sum_i w_i (r_i - \theta x_{ij})^2, \qquad
       \hat\theta = \frac{\sum_i w_i r_i x_{ij}}{\sum_i w_i x_{ij}^2},

    is least, and adds :math:`\eta \hat\theta` to its coefficient. The myopic form instead selects the feature with the
    largest :math:`|\partial J / \partial \theta_j|_{\theta_j = 0} = |\sum_i w_i r_i x_{ij}|`; the two agree if all
    columns have the same norm. With an intercept, features and target are centered first, so that the intercept is
    refitted in every step. To treat the constant (degree 0) as a feature like any other, as in the lecture, use
    ``fit_intercept=False`` with a column of ones: ``np.vander(x, 5, increasing=True)`` has one.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. A step selects a single coded
    column. The coding is learned from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    steps : int or rule, default "cv"
        Number of steps: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"bic"``, ``"aic"`` or ``"ebic"``. The last
        three count the selected features.
    myopic : bool, default False
        If True, select features by the derivative alone.
    learning_rate : float in (0, 1], default 1.0
        :math:`\eta`: the fraction of each step that is taken. Small values give the stagewise form, whose path is close
        to that of the lasso.
    max_steps : int, default 1000
        Maximum number of steps that a rule may select.
    fit_intercept : bool, default True
    cv, scoring, random_state
        As in scikit-learn, for rules that resample.
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
    steps_ : int
        Selected number of steps.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : FittingPath
        All steps; ``to_frame()`` has the columns iteration, feature, change and J.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    References
    ----------
    Honorio, CS 578 Statistical Machine Learning, lecture 7. Mallat & Zhang (1993), doi:10.1109/78.258082. Efron,
    Hastie, Johnstone & Tibshirani (2004), doi:10.1214/009053604000000067, for the stagewise form.

    Examples
    --------
    The table of the lecture: the degrees 0 to 4 of x are five features, the constant one of them.

    >>> import numpy as np
    >>> from vitalfew import ForwardFittingRegressor
    >>> x = np.linspace(-0.7, 1, 20)
    >>> powers = np.vander(x, 5, increasing=True)  # 1, x, x^2, x^3, x^4
    >>> model = ForwardFittingRegressor(steps=6, fit_intercept=False).fit(powers, np.exp(-x))
    >>> model.path_.to_frame().round(3)
       iteration feature  change      J
    0          1      x0   0.980  2.427
    1          2      x1  -0.859  0.299
    2          3      x2   0.348  0.100
    3          4      x1  -0.149  0.037
    4          5      x0   0.050  0.011
    5          6      x1  -0.026  0.009
    """

    _knob = "steps"

    def __init__(
        self,
        steps: int | str = "cv",
        *,
        myopic: bool = False,
        learning_rate: float = 1.0,
        max_steps: int = 1000,
        fit_intercept: bool = True,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.steps = steps
        self.myopic = myopic
        self.learning_rate = learning_rate
        self.max_steps = max_steps
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _path_type(self) -> type:
        return FittingPath

    def _check_parameters(self) -> None:
        check_steps(self, FittingPath)

    def _grid(self) -> NDArray | None:
        return None

    def _index_of(self, path: Any, value: Any) -> int:
        return rules.last_point(path, value)

    def _family(self, _data: Any) -> FittingFamily:
        return FittingFamily.of(self)

    def _point(self, path: Any, index: int) -> dict[str, Any]:
        return {"steps_": int(path.grid[index])}
