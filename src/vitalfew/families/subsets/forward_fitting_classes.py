"""Forward-fitting classification: each step fits one coefficient under the logistic or multinomial loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.linear.classifier import LinearClassifier, embed_classes, present_classes
from vitalfew.families.linear.logistic_path import OutputNames, SparseClassPath
from vitalfew.families.solve import solve
from vitalfew.families.subsets.fitting_path import Steps
from vitalfew.families.subsets.forward_fitting import FittingSettings, check_steps
from vitalfew.rules.path import ALONE, Run
from vitalfew.support.optional import make_frame
from vitalfew.support.progress import kernel_progress


@dataclass(frozen=True, kw_only=True)
class FittingClassPath(SparseClassPath):
    """Path of forward-fitting models for classification, one after each step.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Numbers of steps, from 0.
    steps : Steps
        Coefficient changed by each step, as an index into those of all outputs (``column``), and its change
        (``change``).
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_outputs * n_features)
    intercept : ndarray of shape (n_points, n_outputs)
    log_loss : ndarray of shape (n_points,)
        Mean log loss on the training samples.
    """

    steps: Steps

    knob = "steps"
    knob_title = "steps"
    without_rules = ("loo",)  # its formula assumes optimal coefficients, and these are not

    def to_frame(self) -> Any:
        """Return a data frame with one row per step: iteration, feature (and class), change, and J (sum of losses)."""
        taken = len(self.steps.column)
        names = OutputNames(self.names, self.classes, self.n_outputs)
        return make_frame(
            {
                "iteration": np.arange(1, taken + 1),
                "feature": np.array([str(names[j]) for j in self.steps.column.tolist()], dtype=object),
                "change": self.steps.change,
                "J": self.n_samples * self.log_loss[1 : taken + 1],
            }
        )


class NoSteps:
    """Result that a kernel would give for a fold with a single class."""

    column = np.empty(0, dtype=np.int32)
    change = np.empty(0)
    loss = np.empty(0)
    intercept = np.zeros(1)
    null_loss = 0.0


@dataclass(frozen=True)
class FittingClassFamily(FittingSettings):
    """Settings and solver of forward-fitting paths for classification."""

    def path(self, data: NumericData, grid: NDArray | None = None, *, run: Run = ALONE) -> FittingClassPath:
        """Return the path over all steps, or over those of a grid."""
        assert data.classes is not None
        most = self.most if grid is None else int(grid[-1])
        reduced, present = present_classes(data)
        n_outputs = 1 if len(present) <= 2 else len(present)
        with kernel_progress(most, "forward-fitting", self.verbose) as show:
            found = self._solve(reduced, len(present), self.request(most, run.cancel or show), grid is None)
        steps = Steps(found.column, found.change)
        points = np.arange(len(steps.column) + 1) if grid is None else np.asarray(grid)
        at = np.minimum(points, len(steps.column))
        coef = _placed(steps, points, n_outputs * data.n_features)
        intercept = found.intercept.reshape(-1, n_outputs)[at]
        coef, intercept = embed_classes(coef, intercept, present, len(data.classes), data.n_features)
        return FittingClassPath(
            grid=points,
            steps=steps,
            coef_sparse=coef,
            intercept=intercept,
            log_loss=np.append(found.null_loss, found.loss)[at],
            names=data.names,
            classes=data.classes,
            has_intercept=self.fit_intercept,
            n_samples=data.weight_sum,
            data=data,
        )

    def fold_paths(self, data: NumericData, splits: Any, path: FittingClassPath, _options: Any) -> Any:
        """Return the fold paths, fitted in parallel."""
        return paths_in_threads(self, data, splits, path)

    def _solve(self, data: NumericData, n_classes: int, request: Any, takes_prefix: bool) -> _core.ClassSteps | NoSteps:
        if n_classes == 1:
            return NoSteps()
        return solve(_core.forward_fitting_classes, data, request, takes_prefix=takes_prefix)


def _placed(steps: Steps, points: NDArray, width: int) -> sparse.csr_array:
    """Return the coefficients after each number of steps, as a sparse array of full width."""
    narrow = sparse.csr_array(steps.coefficients(points))
    return sparse.csr_array((narrow.data, steps.columns[narrow.indices], narrow.indptr), shape=(len(points), width))


class ForwardFittingClassifier(LinearClassifier):
    r"""Forward-fitting of a logistic model, one coefficient at a time; a feature may be selected more than once.

    Each step leaves all other coefficients unchanged. Given the linear predictors f of the current model, it selects
    the feature j for which

    .. math:: \min_{\theta} \; \sum_i w_i \log\bigl(1 + e^{-y_i (f_i + \theta x_{ij})}\bigr)

    is least, and adds :math:`\eta \hat\theta` to its coefficient. The myopic form instead selects the feature with the
    largest derivative at :math:`\theta = 0`. With more than two classes, a step selects a feature and a class. The
    intercepts are refitted after each step.

    Not every candidate is fitted: the third derivative of the loss along a feature is at most :math:`\max_i |x_{ij}|`
    times the second, which bounds the possible gain. The result is the same as if all candidates were fitted.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. A step selects a single coded
    column. The coding is learned from all training samples, without the target; `coef_names_` names the coded columns.

    Parameters
    ----------
    steps : int or rule, default "cv"
        Number of steps: a number, or ``"cv"``, ``"1se"``, ``"holdout"``, ``"bic"``, ``"aic"`` or ``"ebic"``. The last
        three count the nonzero coefficients.
    myopic : bool, default False
        If True, select features by the derivative alone.
    learning_rate : float in (0, 1], default 1.0
        :math:`\eta`: the fraction of each step that is taken.
    max_steps : int, default 200
        Maximum number of steps that a rule may select.
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
        One entry per feature, or per coded column.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `coef_` refers to.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    steps_ : int
        Selected number of steps.
    support_ : ndarray of bool, shape (`n_features_in_`,)
    path_ : FittingClassPath
        All steps; ``to_frame()`` has the columns iteration, feature, change and J.
    selection_ : Selection
        Score curve used by the rule (``plot()``, ``to_frame()``).

    References
    ----------
    Honorio, CS 578 Statistical Machine Learning, lecture 7. Bach (2010), doi:10.1214/09-EJS521, for the bound.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import ForwardFittingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 20))
    >>> y = np.where(2 * X[:, 3] - 2 * X[:, 8] + rng.logistic(size=300) > 0, "yes", "no")
    >>> model = ForwardFittingClassifier(steps=2).fit(X, y)
    >>> model.get_support(indices=True)
    array([3, 8])
    """

    _knob = "steps"

    def __init__(
        self,
        steps: int | str = "cv",
        *,
        myopic: bool = False,
        learning_rate: float = 1.0,
        max_steps: int = 200,
        fit_intercept: bool = True,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_steps(self, FittingClassPath)

    def _family(self, _data: Any) -> FittingClassFamily:
        return FittingClassFamily.of(self)

    def _point(self, path: FittingClassPath, index: int) -> dict[str, Any]:
        return {"steps_": int(path.grid[index])}
