"""Base class of classifiers that model log P(x, y) and use some of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags

from vitalfew.data.tables.frames import tag_tables
from vitalfew.families.bayes.evidence import normalize
from vitalfew.families.selector import CheckedScore, Selector


class JointClassifier(Selector, CheckedScore, ClassifierMixin, BaseEstimator):
    """Classifier based on `predict_joint_log_proba` and `support_`, the features in use."""

    classes_: NDArray
    support_: NDArray[np.bool_]

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(x, y) for each sample and class."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y | x) for each sample and class."""
        return normalize(self.predict_joint_log_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(y | x) for each sample and class."""
        joint = self.predict_joint_log_proba(X)
        return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        r"""Return the discriminant function of each sample.

        For two classes it is the log-odds :math:`f(x) = \log P(x, y_1) - \log P(x, y_0)`, whose sign is the
        prediction and whose logistic function is P(y₁ | x): eq. 5 of lecture 12. For more classes it is log P(x, y) of
        each class, up to a constant.

        Parameters
        ----------
        X : array, sparse matrix or data frame

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, otherwise (n_samples, n_classes)

        References
        ----------
        Jaakkola, 6.867 Machine Learning (2006), lecture 12.
        """
        joint = self.predict_joint_log_proba(X)
        return joint[:, 1] - joint[:, 0] if len(self.classes_) == 2 else joint

    def predict(self, X: Any) -> NDArray:
        """Return the most probable class of each sample."""
        best = self.predict_joint_log_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Tags:
        return tag_tables(super().__sklearn_tags__())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")
