"""Kernel ridge regression with the penalty and kernel parameters selected by rules."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.samples.numeric_data import NumericData, check_products
from vitalfew.data.tables.feature_names import check_features
from vitalfew.families.left_out import APPROXIMATE, EXACT, LeftOut, chosen_anew, is_to_choose
from vitalfew.families.linear.coded_table import CodedTable
from vitalfew.families.linear.penalty import check_penalty, fixed_grid
from vitalfew.families.path_estimator import Chosen, PathEstimator
from vitalfew.families.ridge.kernel_forms import NystroemForm
from vitalfew.families.ridge.kernel_path import KernelFamily, KernelPath
from vitalfew.families.ridge.kernels import Kernel, KernelData, check_kernel, parameters_of
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.support.checks import check_threads
from vitalfew.support.progress import progress
from vitalfew.support.threads import limit_threads

# Beyond `MOST_ROWS` rows, the kernel matrix is approximated with `N_LANDMARKS` landmarks.
MOST_ROWS = 10_000
N_LANDMARKS = 1_000
CHOSEN = ("gamma", "degree", "coef0")
DEFAULTS = {"gamma": None, "degree": 3, "coef0": 1}
DEGREES = (1, 2, 3, 4, 5)
COEF0 = (10.0, 3.0, 1.0, 0.3, 0.1, 0.0)


class KernelRidge(CodedTable, Selector, CheckedScore, RegressorMixin, PathEstimator):
    r"""Kernel ridge regression with penalty and kernel parameters selected by rules, and exact leave-one-out.

    .. math:: \hat y(x) = \sum_i a_i k(x_i, x), \qquad a = (K + \alpha I)^{-1} y

    which minimizes :math:`\sum_i (y_i - f(x_i))^2 + \alpha \|f\|^2` over the functions f of the kernel's Hilbert space.
    This is scikit-learn's scaling. Texts that write the dual as :math:`a' = (I + K / \lambda)^{-1} y` and predict
    :math:`\frac1\lambda \sum_i a'_i k(x_i, x)` have :math:`\lambda = \alpha` and :math:`a' = \alpha a`: their dual is
    the residual. There is no intercept: center y if its mean is far from zero. With weights,
    :math:`a = W^{1/2} (W^{1/2} K W^{1/2} + \alpha I)^{-1} W^{1/2} y`. Weights that sum to less than n are
    first scaled to sum to n.

    One eigendecomposition of K gives the solution and the exact leave-one-out residuals,

    .. math:: y_i - \hat y_{-i}(x_i) = \frac{a_i}{\left( (K + \alpha I)^{-1} \right)_{ii}},

    at all penalties. With `n_components` landmarks, the kernel matrix is replaced by
    :math:`K_{nm} K_{mm}^{-1} K_{mn}` (Nyström), which takes :math:`O(n m^2)` time and little memory; leave-one-out is
    then exact for the model with these landmarks.

    Tables may hold categories and missing values. A category has an indicator column for each of its values, and a
    missing number is replaced by the mean of its column, beside an indicator column. The kernel compares coded samples.
    The coding is learned from all training samples, without the target; `coef_names_` names the coded columns. A
    precomputed kernel must be complete.

    Parameters
    ----------
    alpha : float or rule, default "loo"
        Penalty: a number, or ``"loo"`` (exact), ``"cv"``, ``"1se"``, ``"holdout"``, ``"bic"`` or ``"aic"``. The last
        two count the trace of the hat matrix as the number of coefficients, and are corrected where it approaches the
        number of samples, see :func:`~vitalfew.bic`.
    kernel : str or callable, default "rbf"
        Kernel name from scikit-learn's ``pairwise_kernels``, a function of two samples, or ``"precomputed"``. In the
        last case X is the kernel matrix; in `predict`, it is the kernel matrix between new and training samples.
    gamma : float, rule or list, optional
        Parameter of ``"rbf"``, ``"laplacian"``, ``"poly"``, ``"sigmoid"`` and ``"chi2"``; scikit-learn's default if
        None. A rule chooses among nine values, from 0.01 to 100 times the inverse of the sum of the feature variances.
        From a list, the rule of `alpha` chooses (``"loo"`` if `alpha` is a number). Each value is scored at its best
        penalty by the same rule. If several of `gamma`, `degree` and `coef0` are to be selected, they are selected one
        at a time in this order, with the later ones at their defaults; `alpha` comes last. Each that is selected counts
        as a parameter of the model.
    degree : int, rule or list, default 3
        Parameter of the kernel ``"poly"``; a rule chooses among 1 to 5.
    coef0 : float, rule or list, default 1
        Parameter of the kernels ``"poly"`` and ``"sigmoid"``; a rule chooses among 10, 3, 1, 0.3, 0.1 and 0.
    kernel_params : dict, optional
        Keyword arguments of a callable kernel.
    grid : int or array-like, default 100
        Penalties of the path: their number, or the penalties themselves. A number of penalties is spaced evenly on a
        logarithmic scale from 100 times the largest eigenvalue of K to a hundredth of the smallest nonzero one, or to
        1e-8 of the largest if that is more.
    grid_ratio : float, optional
        Ratio of the smallest to the largest penalty of the grid, which replaces the smallest penalty above.
    n_components : int, optional
        Number m of landmarks. By default, all samples are used up to 10,000, and 1,000 landmarks beyond.
    cv, scoring, random_state
        As in scikit-learn, for rules that resample; the squared error is minimized unless `scoring` is given.
        `random_state` also draws the landmarks, uniformly from the samples.
    n_jobs : int, optional
        Number of threads; all available by default. Results do not depend on it, except for rounding.
    verbose : bool, optional
        Whether to show a progress bar; by default, for long fits on a terminal.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_basis,)
        Coefficients a of the training samples or of the landmarks.
    X_fit_ : array of shape (n_basis, n_columns)
        Samples that the coefficients belong to, coded if the table was; for a precomputed kernel, their indices.
    coef_names_ : ndarray of str
        Names of the features, or of the coded columns, that `X_fit_` has.
    alpha_, gamma_, degree_, coef0_ : float
        Selected or given values.
    nystroem_error_ : float
        :math:`\mathrm{tr}(K - K_{nm} K_{mm}^{-1} K_{mn}) / \mathrm{tr} K`, the fraction of the trace of the kernel
        matrix that the landmarks do not capture; 0 if all samples are used.
    note_ : str
        Note on the approximation of the kernel matrix; empty if it was not approximated.
    support_ : ndarray of bool, shape (`n_features_in_`,)
        All True: a kernel uses every feature.
    path_ : KernelPath
        Dual coefficients at all penalties (``grid``, ``degrees_of_freedom``; ``plot()``, ``to_frame()``).
    selection_ : Selection
        Score curve from which `alpha` was selected (``plot()``, ``to_frame()``).
    selections_ : dict of Selection
        One entry for each of `gamma`, `degree` and `coef0` that was selected, in this order, and one for `alpha`.

    References
    ----------
    Saunders, Gammerman & Vovk (1998), Ridge regression learning algorithm in dual variables, ICML. Golub, Heath & Wahba
    (1979), doi:10.1080/00401706.1979.10489751. Drineas & Mahoney (2005), https://jmlr.org/papers/v6/drineas05a.html.
    Honorio, CS 578 Statistical Machine Learning, lecture 7.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(200, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> model = KernelRidge(alpha="loo", gamma="loo").fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> list(model.selections_)
    ['gamma', 'alpha']
    """

    def __init__(
        self,
        alpha: float | str = "loo",
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: Any = 3,
        coef0: Any = 1,
        kernel_params: Any = None,
        grid: Any = 100,
        grid_ratio: float | None = None,
        n_components: int | None = None,
        cv: Any = 5,
        scoring: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.grid = grid
        self.grid_ratio = grid_ratio
        self.n_components = n_components
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction for each sample."""
        matrix = self._read_rows(X)
        with limit_threads(check_threads(self.n_jobs)):
            return self.path_.kernel.between(matrix, self.X_fit_) @ self.dual_coef_

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Mask of the features in use, which is all of them."""
        check_is_fitted(self)
        return np.ones(self.n_features_in_, dtype=bool)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.kernel == "precomputed":
            tags.input_tags.pairwise = True
            tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "dual_coef_")

    def _check_parameters(self) -> None:
        check_penalty(self, KernelPath)
        check_kernel(self.kernel)
        known = parameters_of(self.kernel)
        for name in CHOSEN:
            value = getattr(self, name)
            rules.check_rule(name, value, KernelPath, "a number, a list of numbers")
            if is_to_choose(value) and name not in known:
                raise ValueError(
                    f"{name}={value!r} has no effect: the kernel {self.kernel!r} has no parameter {name}; remove it "
                    "or change the kernel."
                )
            if not isinstance(value, str) and np.size(value) == 0:
                raise ValueError(f"{name} must not be an empty list; pass the values to choose from.")
        n = self.n_components
        if n is not None and not (isinstance(n, Integral) and int(n) >= 1):
            raise ValueError(f"n_components must be None or an integer number of landmarks >= 1, got {n!r}.")

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> KernelData:
        if self.kernel == "precomputed":
            data = self._read_kernel(X, y, sample_weight)
        else:
            data = self._read_coded(X, y, sample_weight)
        check_products(data)
        return KernelData.of(data)

    def _read_kernel(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> NumericData:
        data = NumericData.read(X, y, sample_weight, threads=check_threads(self.n_jobs))
        n_given = len(data.target if data.given is None else data.given.y)
        if data.n_features != n_given:
            raise ValueError(f"a precomputed kernel must be square, got {n_given} rows and {data.n_features} columns.")
        check_features(self, X)
        self._coder = None
        return data

    def _family(self, data: KernelData) -> KernelFamily:
        if callable(self.kernel):
            parameters = dict(self.kernel_params or {})
        else:
            given = {name: getattr(self, name) for name in CHOSEN}
            parameters = {name: DEFAULTS[name] if is_to_choose(value) else value for name, value in given.items()}
        n_components = N_LANDMARKS if self.n_components is None and data.n_rows > MOST_ROWS else self.n_components
        return KernelFamily(
            Kernel(self.kernel, parameters),
            None if n_components is None else int(n_components),
            int(check_random_state(self.random_state).randint(2**31 - 1)),
            int(self.grid) if np.ndim(self.grid) == 0 else 0,
            self.grid_ratio,
            check_threads(self.n_jobs),
            sum(is_to_choose(getattr(self, name)) for name in CHOSEN),
        )

    def _choose(self, data: KernelData) -> Chosen:
        """Select the kernel parameters one after the other, then the penalty."""
        family, chosen = self._family(data), Chosen()
        for name in CHOSEN:
            if is_to_choose(getattr(self, name)):
                family, selection = self._choose_parameter(name, family, data)
                chosen.add(None, selection)
        path = family.path(data, fixed_grid(self.alpha, self.grid))
        chosen.add(path, rules.resolve(self.alpha, path, family, data, self._options(), at=rules.grid_point))
        return chosen

    def _choose_parameter(self, name: str, family: KernelFamily, data: Any) -> tuple[KernelFamily, rules.Selection]:
        """Score each value of a kernel parameter at its best penalty, and return the family with the selected value."""
        given = getattr(self, name)
        named = [value for value in (given, self.alpha, "loo") if isinstance(value, str)]
        rule = rules.rule_name(named[0])
        values = candidates(name, data) if isinstance(given, str) else in_order(name, given)
        penalties = fixed_grid(self.alpha, self.grid)
        quiet = replace(self._options(), verbose=False)
        found: list[rules.Selection] = []
        with progress(len(values), f"{name} by {rule!r}", self.verbose) as bar:
            for value in values:
                tried = family.with_parameter(name, value.item())
                found.append(rules.choose(rule, tried.path(data, penalties), tried, data, quiet))
                bar.update()
        curve = replace(
            found[0],
            knob=name,
            grid=values,
            score=np.array([f.score[f.index_best] for f in found]),
            standard_error=np.array([f.standard_error[f.index_best] for f in found]),
            n_features=np.full(len(values), data.n_features),
            index=0,
        )
        chosen = replace(curve, index=curve.index_1se if rule == "1se" else curve.index_best)
        return family.with_parameter(name, chosen.value), chosen

    def _attributes(self, chosen: Chosen, data: KernelData) -> dict[str, Any]:
        path: KernelPath = chosen.path
        error, note = float(path.form.error), ""
        if isinstance(path.form, NystroemForm):
            note = (
                f"The kernel matrix of {data.n_rows:,} rows is approximated from {path.dual_coef.shape[1]:,} "
                f"landmarks, with relative trace error {error:.2g}; set n_components to change their number."
            )
        return {
            "nystroem_error_": error,
            "note_": note,
            "dual_coef_": path.at(chosen.index),
            "X_fit_": path.basis,
            "alpha_": float(path.grid[chosen.index]),
            "selections_": chosen.selections,
            **{f"{name}_": path.kernel.parameters.get(name) for name in CHOSEN},
        }

    def _leave_out(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LeftOut | str:
        """Divide the dual coefficients by the diagonal of the inverse."""
        if why := chosen_anew(self, "alpha", *CHOSEN):
            return why
        self._check_parameters()
        data = self._read(X, y, sample_weight)
        found = self._family(data).path(data, np.array([float(self.alpha)])).loo()
        has_landmarks = self.n_components is not None or data.n_rows > MOST_ROWS
        kind = APPROXIMATE if has_landmarks and found.note else EXACT
        note = found.note or "dual coefficients divided by the diagonal of the inverse"
        return self._left_out(kind, note, found.prediction[:, 0])


def in_order(name: str, values: Any) -> NDArray:
    """Return values from simple to complex; for `coef0`, larger is simpler, as it favors terms of low degree."""
    rising = np.unique(np.asarray(values))
    return rising[::-1] if name == "coef0" else rising


def candidates(name: str, data: KernelData) -> NDArray:
    """Return the values of a parameter that a rule chooses from, from simple to complex."""
    if name == "degree":
        return np.array(DEGREES)
    if name == "coef0":
        return np.array(COEF0)
    X, share = data.X, np.full(data.n_rows, 1.0) if data.weight is None else data.weight
    share = share / share.sum()
    square = share @ (X.multiply(X) if sparse.issparse(X) else np.square(X))
    spread = float(np.sum(square - np.square(share @ X)))
    return np.geomspace(0.01, 100, 9) / (spread if spread > 0 else data.n_features)
