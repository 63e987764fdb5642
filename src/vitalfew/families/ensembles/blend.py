"""`Blend`: weighted averages of models, with weights chosen on out-of-fold predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from vitalfew.data.tables.feature_names import check_features
from vitalfew.families.ensembles.blend_members import (
    Members,
    MemberSamples,
    check_members,
    fit_members,
    named_members,
    out_of_fold,
    prediction_of,
    read_rows,
)
from vitalfew.families.ensembles.blend_weights import blend_loss, blend_weights
from vitalfew.families.path_estimator import unchanged_on_failure
from vitalfew.rules import Options
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.rules.resampling import splits_of
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import is_count
from vitalfew.support.deadline import check_deadline


class Blend(MetaEstimatorMixin, BaseEstimator):
    r"""Weighted average of different models, with weights chosen by greedy ensemble selection.

    The blend of models :math:`f_1, \dots, f_m` averages their predictions, or their class probabilities,

    .. math:: f(x) = \sum_{k=1}^{m} w_k f_k(x), \qquad w_k \ge 0, \quad \sum_k w_k = 1,

    and predicts, in classification, the class with the largest average. The weights minimize the loss of the average on
    out-of-fold predictions: each model predicts each row after a fit to the other folds. The search starts with the
    best model and adds, step by step, the model whose addition lowers the loss most; a model that is added more often
    has a larger weight. Models of positive weight are then fitted to all rows.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and models: all classifiers with `predict_proba`, or all regressors. Pipelines are allowed. A model
        receives `X` and the labels as they are given.
    weights : array-like of shape (n_estimators,), optional
        Fixed weights, scaled to sum 1. By default the weights are chosen on out-of-fold predictions.
    cv : int, splitter or iterable, default 5
        Folds of the out-of-fold predictions. An integer shuffles, stratified by class, with a fixed seed. Rows that are
        in no test fold do not affect the weights.
    n_steps : int, default 50
        Number of steps of the search.
    random_state : int, optional
        Seed of the folds; 0 by default. It is not passed on to the models.
    n_jobs : int, optional
        Number of fits in parallel, as in scikit-learn.
    verbose : bool, optional
        Show a progress bar; by default on a terminal, for long computations.

    Attributes
    ----------
    names_ : list of str
        Names of all models.
    weights_ : ndarray of shape (n_estimators,)
    estimators_ : list of estimators
        Fitted models in the order of `names_`; None for a model of weight zero.
    member_losses_ : ndarray of shape (n_estimators,)
        Out-of-fold loss of each model: log loss, or mean squared error. Only if the weights were chosen.
    blend_loss_ : float
        Loss of the average on the same predictions, never above the smallest of `member_losses_`. It is optimistic,
        because the weights were chosen to minimize it: estimate the error of a blend with
        :func:`~vitalfew.compare` or :func:`~vitalfew.sealed_split`. Only if the weights were chosen.
    classes_ : ndarray of shape (n_classes,)
        Only in classification.
    n_features_in_ : int
        Only if `X` has columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if the columns of `X` have names.

    Warns
    -----
    PrefittedWarning
        If a part of a model is already fitted, so that its out-of-fold predictions may have seen the rows.

    Notes
    -----
    The log loss takes the probability of the true class to be at least 1e-15.

    `sample_weight` is passed to each model, or to the last step of a pipeline, and weighs the losses. A model that does
    not accept weights is rejected if there are any. Rows of weight zero are dropped.

    Parameters of the models are named as in scikit-learn's ``VotingClassifier``: ``Blend([("ridge", Ridge())])`` has
    the parameter ``ridge__alpha``.

    References
    ----------
    Caruana, Niculescu-Mizil, Crew & Ksikes (2004), Ensemble selection from libraries of models, ICML,
    doi:10.1145/1015330.1015432.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from vitalfew import Blend, Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = Blend([("ridge", Ridge("loo")), ("neighbors", KNeighborsRegressor(20))]).fit(X, y)
    >>> dict(zip(model.names_, model.weights_.round(2).tolist()))
    {'ridge': 0.73, 'neighbors': 0.27}
    >>> model.member_losses_.round().tolist(), round(model.blend_loss_)
    ([2990.0, 3200.0], 2956)
    """

    def __init__(
        self,
        estimators: Sequence[tuple[str, Any]],
        *,
        weights: ArrayLike | None = None,
        cv: Any = 5,
        n_steps: int = 50,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ):
        self.estimators = estimators
        self.weights = weights
        self.cv = cv
        self.n_steps = n_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the weights, unless they are given, and fit the models of positive weight to all rows."""
        members = check_members(self.estimators)
        fixed = self._fixed_weights(len(members))
        if y is None:
            raise ValueError("Blend requires y to be passed, but the target y is None.")
        if fixed is None:
            for name, model in members:
                warn_if_prefitted(model, f"estimator {name!r}")
        with unchanged_on_failure(self):
            for name in [n for n in vars(self) if n.endswith("_")]:
                delattr(self, name)
            data = MemberSamples.read(
                self._rows(X, reset=True), y, sample_weight, is_classification=is_classifier(self)
            )
            if data.given is not None and get_tags(self).input_tags.pairwise:
                raise ValueError(
                    "a row of a precomputed kernel matrix has weight zero; drop this row and its column instead."
                )
            self.weights_ = self._choose(members, data) if fixed is None else fixed
            used = [member for member, weight in zip(members, self.weights_) if weight > 0]
            fitted = iter(fit_members(used, data, self.n_jobs, self.verbose))
            self.estimators_ = [next(fitted) if weight > 0 else None for weight in self.weights_]
            self.names_ = [name for name, _ in members]
            if data.classes is not None:
                self.classes_ = data.classes
        return self

    def predict(self, X: Any) -> NDArray:
        """Return the averaged predictions, or the class with the largest averaged probability."""
        average = self._average(X)
        return self.classes_[average.argmax(axis=1)] if is_classifier(self) else average

    @available_if(lambda self: is_classifier(self))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the averaged class probabilities."""
        return self._average(X)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of a blend of classifiers, or the coefficient of determination R² of regressors."""
        check_given(y, "y")
        check_given(sample_weight, "sample_weight")
        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters and, if `deep`, the models by name and their parameters."""
        found = super().get_params(deep=False)
        for name, model in named_members(self.estimators) if deep else []:
            found |= {name: model, **{f"{name}__{key}": value for key, value in model.get_params().items()}}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, models by name, and parameters of models."""
        self.estimators = params.pop("estimators", self.estimators)
        replaced = {name: params.pop(name) for name, _ in named_members(self.estimators) if name in params}
        if replaced:
            self.estimators = [(name, replaced.get(name, model)) for name, model in self.estimators]
        return super().set_params(**params)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = [get_tags(model) for _, model in named_members(self.estimators)]
        if not inner:
            return tags
        first = inner[0]
        tags.estimator_type = first.estimator_type
        tags.classifier_tags, tags.regressor_tags = first.classifier_tags, first.regressor_tags
        tags.target_tags.required = True
        tags.non_deterministic = any(each.non_deterministic for each in inner)
        for name in ("one_d_array", "two_d_array", "sparse", "allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(each.input_tags, name) for each in inner))
        for name in ("positive_only", "pairwise"):
            setattr(tags.input_tags, name, any(getattr(each.input_tags, name) for each in inner))
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def _fixed_weights(self, n_members: int) -> NDArray[np.float64] | None:
        """Check `weights` and `n_steps`, and return the weights scaled to sum 1."""
        if not (is_count(self.n_steps) and self.n_steps >= 1):
            raise ValueError(f"n_steps must be an integer number of steps >= 1, got {self.n_steps!r}.")
        if self.weights is None:
            return None
        given = np.asarray(self.weights, dtype=np.float64)
        is_valid = given.shape == (n_members,) and np.isfinite(given).all() and (given >= 0).all() and given.any()
        if not is_valid:
            raise ValueError(
                f"weights must hold one nonnegative number per estimator ({n_members}), not all zero, got "
                f"{self.weights!r}."
            )
        given = given / given.max()
        return given / given.sum()

    def _choose(self, members: Members, data: MemberSamples) -> NDArray[np.float64]:
        """Return weights chosen on out-of-fold predictions, and keep the losses."""
        options = Options(self.cv, None, self.random_state, self.verbose)
        predictions, rows = out_of_fold(members, data, splits_of(data, options), self.n_jobs, self.verbose)
        check_deadline()
        target, is_classification = data.target[rows], data.classes is not None
        weight = None if data.weight is None else data.weight[rows]
        found = blend_weights(
            predictions, target, is_classification=is_classification, sample_weight=weight, n_steps=self.n_steps
        )
        *alone, together = (
            blend_loss(one, predictions, target, is_classification=is_classification, sample_weight=weight)
            for one in (*np.eye(len(members)), found)
        )
        self.member_losses_, self.blend_loss_ = np.array(alone), together
        return found

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """Return the input in the form that members receive, with the columns of a table checked."""
        X = read_rows(X)
        if len(getattr(X, "shape", ())) == 2:
            check_features(self, X, reset=reset)
        return X

    def _average(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X, classes = self._rows(X, reset=False), getattr(self, "classes_", None)
        pairs = zip(self.weights_, self.estimators_)
        return sum(weight * prediction_of(model, X, classes) for weight, model in pairs if model is not None)
