"""Base class of linear regressors: input validation, selection by rule, prediction, feature selection and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from vitalfew import rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.matrix import read_matrix
from vitalfew.exceptions import RuleError
from vitalfew.families.folds import summarize_folds
from vitalfew.families.linear.least_squares import least_squares
from vitalfew.families.linear.penalty import check_penalty, fixed_grid
from vitalfew.families.path_estimator import Chosen, PathEstimator, unchanged_on_failure
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.rules.charts.parts import chart_text
from vitalfew.rules.resampling import select_from_folds, with_splits
from vitalfew.summaries.moments import Moments
from vitalfew.support.checks import check_threads
from vitalfew.support.optional import import_altair

CRITERIA = ("bic", "aic", "ebic")


class LinearRegressor(Selector, CheckedScore, RegressorMixin, PathEstimator):
    """Base class of linear regressors with a path over one knob.

    A family defines `_family`, and `_point` for the attributes of the chosen point other than its coefficients.
    """

    def fit_moments(self, moments: Moments | Sequence[Moments]) -> Self:
        """Fit from second moments alone, with the same result as `fit` on the samples, up to rounding.

        Only rules that need no samples are supported: a number, ``"bic"``, ``"aic"`` or ``"ebic"``. With a sequence of
        moments, one per fold, ``"cv"`` and ``"1se"`` are supported too: each fold tests the model fitted to the others.
        """
        with unchanged_on_failure(self):
            return self._fit_moments(moments)

    def _fit_moments(self, moments: Moments | Sequence[Moments]) -> Self:
        self._check_parameters()
        folds = [moments] if isinstance(moments, Moments) else list(moments)
        if not folds:
            raise ValueError("expected at least one Moments, got an empty list.")
        total = sum(folds[1:], start=folds[0])
        family = self._family(total)
        path = family.path(total, self._grid())
        self.n_features_in_ = total.n_features
        if total.names is not None and total._own_names():
            self.feature_names_in_ = np.asarray(total.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        chosen = Chosen.of(path, self._select_from_moments(path, family, total, folds))
        return self._set_fitted({**self._path_attributes(chosen), **self._attributes(chosen, total)})

    def predict(self, X) -> NDArray[np.float64]:
        """Return the prediction of the fitted linear model for each sample."""
        check_is_fitted(self)
        matrix, _ = read_matrix(X, threads=check_threads(self.n_jobs))
        validate_data(self, X, reset=False, skip_check_array=True)
        return np.asarray(matrix @ self.coef_).ravel() + self.intercept_

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Mask of the features with a nonzero coefficient."""
        check_is_fitted(self)
        return self.coef_ != 0

    def plot_shrinkage(self, X, y, sample_weight=None):
        """Plot each coefficient against its least-squares estimate on the same features, as an Altair chart.

        Coefficients on the diagonal are not shrunk; those on the horizontal line at zero belong to excluded features.
        """
        check_is_fitted(self)
        data = self._read(X, y, sample_weight, reset=False)
        at = f"{self._knob} = {getattr(self, self._knob + '_'):.4g}"
        return plot_shrinkage(least_squares(data, self.fit_intercept)[0], self.coef_, data.names, at)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _path_type(self) -> type:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        check_penalty(self, self._path_type())

    def _read(self, X, y, sample_weight, reset: bool = True) -> NumericData:
        data = NumericData.read(X, y, sample_weight, threads=check_threads(self.n_jobs))
        validate_data(self, X, reset=reset, skip_check_array=True)
        return data

    def _grid(self) -> NDArray[np.float64] | None:
        return fixed_grid(self.alpha, self.grid)

    def _index_of(self, path, value) -> int:
        return rules.grid_point(path, value)

    def _prepare(self, family, data) -> rules.Options:
        options = self._options()
        if self._value in ("cv", "1se"):
            options = with_splits(options, data)
            if family.uses_moments(data):
                summarize_folds(data, list(data.folds(options.cv)))
        return options

    def _select_from_moments(self, path, family, total: Moments, folds: list[Moments]) -> rules.Selection:
        if not isinstance(self._value, str) or self._value in CRITERIA:
            return rules.resolve(self._value, path, family, total, self._options(), at=self._index_of)
        if self._value in ("cv", "1se") and self.scoring is None:
            if len(folds) < 2:
                raise RuleError(
                    f"{self._knob}={self._value!r} requires the moments of each fold; pass a list of at least two "
                    "Moments."
                )
            scores = [family.path(total - fold, path.grid).default_scores(fold).value for fold in folds]
            return select_from_folds(self._value, path, np.array(scores))
        criteria = ", ".join(repr(r) for r in CRITERIA if r in rules.supported_rules(path))
        raise RuleError(
            f"{self._knob}={self._value!r} requires the rows; use fit, or one of 'cv', '1se' (on Moments of folds, "
            f"with the default scoring), {criteria} or a number."
        )

    def _attributes(self, chosen: Chosen, _data) -> dict[str, Any]:
        coef, intercept = chosen.path.at(chosen.index)
        return {"coef_": coef, "intercept_": intercept, **self._point(chosen.path, chosen.index)}

    def _point(self, path, index: int) -> dict[str, Any]:
        """Return the fitted attributes of the chosen point other than its coefficients."""
        return {"alpha_": float(path.grid[index]), "dual_gap_": float(path.dual_gap[index])}


def plot_shrinkage(unpenalized: NDArray, coef: NDArray, names, at: str):
    """Plot one point per feature, with least-squares coefficients on the x axis and penalized ones on the y axis."""
    alt = import_altair()
    rows = [
        {"least squares": float(u), "penalized": float(c), "feature": chart_text(names[j])}
        for j, (u, c) in enumerate(zip(unpenalized, coef))
    ]
    low, high = float(min(unpenalized.min(), coef.min())), float(max(unpenalized.max(), coef.max()))
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(size=60)
        .encode(
            x=alt.X("least squares:Q", title="least-squares coefficient"),
            y=alt.Y("penalized:Q", title="penalized coefficient"),
            tooltip=[
                "feature:N",
                alt.Tooltip("least squares:Q", format=".4g"),
                alt.Tooltip("penalized:Q", format=".4g"),
            ],
        )
    )
    ends = [{"least squares": v, "penalized": v} for v in (low, high)]
    diagonal = (
        alt.Chart(alt.Data(values=ends))
        .mark_line(strokeDash=[4, 4], color="gray")
        .encode(x="least squares:Q", y="penalized:Q")
    )
    return alt.layer(diagonal, points).properties(title=f"Shrinkage at {at}", width=320, height=320)
