"""The best decision stump: one feature, one threshold, two predictions."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from vitalfew import _core
from vitalfew.data.coding.bins import MOST_BINS, BinCoder, Bins
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.data.samples.labeled import read_rows
from vitalfew.data.tables.feature_names import check_features
from vitalfew.data.tables.frames import tag_tables
from vitalfew.families.fitted_criteria import FittedCriteria
from vitalfew.families.selector import CheckedScore
from vitalfew.families.trees.stump_cuts import add_cuts
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.rules.path import Likelihood
from vitalfew.rules.point_criteria import PointCriteria, describe, two_part_code
from vitalfew.support.checks import check_classes, check_threads


class Stump(TransformerMixin, CheckedScore, ClassifierMixin, FittedCriteria, BaseEstimator):
    r"""Decision stump with the smallest weighted error, and -1/1 features made by the best stumps.

    .. math:: h(x) = \mathrm{sign}(s (x_k - \theta_0))

    The search covers all features k, thresholds :math:`\theta_0` and signs s; ties go to the first column and lowest
    threshold. A threshold of minus infinity gives the same prediction for every sample. A categorical feature has a set
    of values instead of a threshold. Missing values go to the better side. With more than two classes, each side votes
    for one class.

    Parameters
    ----------
    n_stumps : int, default 1
        Number of stumps, the best first. The first one predicts; `transform` returns all of them,
        :math:`\phi(x) = (h(x; \theta_1), \dots, h(x; \theta_m))`.
    per_feature : int, default 1
        Maximum number of stumps on one numeric feature: its thresholds with the smallest error. The best thresholds of
        a feature are often neighbors; ``AdaBoost(m).votes_of(X)`` is a map of stumps that complement each other.
    max_bins : int, default 65535
        A column with no more distinct values is searched exactly; one with more, at that many quantiles.
    categorical_features : array-like, optional
        Categorical columns by index, name or mask, in addition to text columns.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_ : int
        Index of the column k.
    threshold_ : float
        :math:`\theta_0`; NaN for a categorical feature.
    sign_ : int
        Sign s: 1 if samples above the threshold are predicted as the second class; 0 for more than two classes.
    error_ : float
        Weighted training error.
    errors_ : ndarray of shape (n_stumps,)
        Weighted training error of each stump.
    rule_ : str
        The stump in words.

    References
    ----------
    Jaakkola, 6.867 Machine Learning (2006), lecture 12, equations 21 and 22.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import Stump
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = Stump().fit(X, y)
    >>> model.rule_
    'worst radius > 16.795: 0, else 1'
    >>> round(model.error_, 3)
    0.077
    >>> Stump(n_stumps=2).fit(X, y).transform(X)[:2]
    array([[-1., -1.],
           [-1., -1.]])
    """

    def __init__(
        self,
        n_stumps: int = 1,
        *,
        per_feature: int = 1,
        max_bins: int = MOST_BINS,
        categorical_features: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_stumps = n_stumps
        self.per_feature = per_feature
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the best stumps."""
        if y is None:
            raise ValueError("Stump requires y to be passed, but the target y is None.")
        for name in ("n_stumps", "per_feature"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise ValueError(f"{name} must be a positive integer, got {value!r}.")
        coder = BinCoder(self.max_bins, self.categorical_features, check_threads(self.n_jobs))
        data = BinnedData.read(X, y, sample_weight, coder)
        n_classes = len(data.classes)
        check_classes(data.classes)
        request = _core.BoostRequest(
            rounds=int(self.n_stumps) if self.per_feature == 1 else data.n_features,
            n_classes=n_classes,
            votes=_core.Votes.sign if n_classes == 2 else _core.Votes.classes,
            threads=coder.threads,
        )
        found = data.bins.call(_core.best_stumps, np.ascontiguousarray(data.label), data.weight, request)
        check_features(self, X)
        stumps, errors = StumpSet.from_kernel(found.stumps), found.error
        if self.per_feature > 1:
            rest = (int(self.per_feature), data.bins, data.label, data.weights, n_classes)
            stumps, errors = add_cuts(stumps, errors, *rest)
            most = np.arange(min(len(stumps), int(self.n_stumps)))
            stumps, errors = stumps.take(most), errors[most]
        return self._keep(data, stumps, errors)

    def _keep(self, data: BinnedData, stumps: StumpSet, errors: NDArray[np.float64]) -> Self:
        self.classes_, self.stumps_, self.coder_ = data.classes, stumps, data.coder
        self.feature_, self.threshold_ = int(stumps.feature[0]), stumps.threshold(0, data.coder)
        self.sign_ = int(stumps.right[0]) if len(data.classes) == 2 else 0
        self.error_, self.errors_ = float(errors[0]), errors
        right = stumps.is_right(0, data.bins)
        weights = np.array([np.bincount(data.label, data.weights * s, len(data.classes)) for s in (~right, right)])
        self._criteria = _criteria_of(weights, data.n_features)
        weights[weights.sum(axis=1) == 0] = weights.sum(axis=0)
        self.shares_ = weights / weights.sum(axis=1, keepdims=True)
        answer = [str(self.classes_[self._vote(v)]) for v in (stumps.right[0], stumps.left[0])]
        always = stumps.constant_vote(0, data.coder)
        if always is None:
            self.rule_ = f"{stumps.condition(0, data.coder)}: {answer[0]}, else {answer[1]}"
        else:
            self.rule_ = f"always {self.classes_[self._vote(always)]}"
        return self

    def _vote(self, vote: float) -> int:
        """Return the index of the class that a side votes for."""
        return int(vote > 0) if len(self.classes_) == 2 else int(vote)

    def _bins(self, X: Any) -> Bins:
        check_is_fitted(self)
        rows = read_rows(X)
        check_features(self, X, reset=False)
        return self.coder_.transform(rows)

    def predict(self, X: Any) -> NDArray:
        """Return the class that the best stump predicts for each sample."""
        bins = self._bins(X)
        right = self.stumps_.is_right(0, bins)
        left, other = self._vote(self.stumps_.left[0]), self._vote(self.stumps_.right[0])
        return self.classes_[np.where(right, other, left)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class shares among training samples on the same side of the best stump."""
        bins = self._bins(X)
        return self.shares_[self.stumps_.is_right(0, bins).astype(np.intp)]

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return -1 or 1 for each sample and stump; with more than two classes, 1 is the right side."""
        bins = self._bins(X)
        is_two = len(self.classes_) == 2
        columns = [
            self.stumps_.votes(t, bins) if is_two else np.where(self.stumps_.is_right(t, bins), 1.0, -1.0)
            for t in range(len(self.stumps_))
        ]
        return np.column_stack(columns)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:  # noqa: ARG002
        """Return, for each stump, the condition under which a sample is on the right side."""
        check_is_fitted(self)
        return np.array([self.stumps_.condition(t, self.coder_) for t in range(len(self.stumps_))], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = tag_tables(super().__sklearn_tags__())
        tags.classifier_tags.poor_score = True
        return tags

    def _rules_text(self) -> str:
        return self.rule_


def _criteria_of(weights: NDArray[np.float64], n_features: int) -> PointCriteria:
    """Return the likelihood of the labels given the sides of a stump, from the weights of the classes on each side.

    As in a tree, the split is a parameter, and so is every free class share of a side with samples.
    """
    used = weights[weights.sum(axis=1) > 0]
    log_likelihood = xlogy(used, used / used.sum(axis=1, keepdims=True)).sum()
    n_parameters = len(used) * (weights.shape[1] - 1) + len(used) - 1
    found = Likelihood(log_likelihood, n_parameters, weights.sum(), n_features)
    return describe(found, two_part_code(found, len(used) - 1))
