"""Base class of linear regressors: input validation, selection by rule, prediction, feature selection and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from vitalfew import rules
from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import names_of
from vitalfew.exceptions import RuleError
from vitalfew.families.linear.coded_table import CodedTable
from vitalfew.families.linear.least_squares import least_squares
from vitalfew.families.linear.penalty import check_end, check_penalty, fixed_grid
from vitalfew.families.path_estimator import Chosen, PathEstimator, unchanged_on_failure
from vitalfew.families.selector import CheckedScore, Selector
from vitalfew.rules.charts.parts import chart_text
from vitalfew.rules.resampling import with_splits
from vitalfew.summaries.fold_summaries import Summaries, summarize_folds
from vitalfew.summaries.moments import Moments
from vitalfew.support.optional import import_altair

CRITERIA = ("bic", "aic", "ebic")


class LinearRegressor(CodedTable, Selector, CheckedScore, RegressorMixin, PathEstimator):
    """Base class of linear regressors with a path over one knob.

    A family defines `_family`, and `_point` for the attributes of the chosen point other than its coefficients.
    """

    def fit_moments(self, moments: Moments | Summaries[Moments] | Sequence[Moments]) -> Self:
        """Fit from second moments alone, with the same result as `fit` on the samples, up to rounding.

        The knob may be a number, ``"bic"``, ``"aic"`` or ``"ebic"``. With :class:`~vitalfew.Summaries`, such as
        ``summarize(source, target, folds=5)`` returns, or a list of moments, one per fold, it may also be ``"cv"`` or
        ``"1se"``: each fold tests the model fitted to the others, and its moments give the squared error exactly. Of
        ``"loo"``, ``Ridge`` computes an approximation. Everything else needs the samples.

        Parameters
        ----------
        moments : Moments, Summaries of Moments, or list of Moments

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            return self._fit_moments(Summaries.of(moments))

    def _fit_moments(self, summaries: Summaries[Moments]) -> Self:
        self._check_parameters()
        total = summaries.total
        if not isinstance(total, Moments):
            raise TypeError(f"expected Moments, got {total!r}; pass summarize(..., kind='moments').")
        self._check_without_rows(len(summaries))
        self._coder = NumberCoder.of_means(names_of(total), total.mean[:-1])
        family = self._family(total)
        path = family.path(total, self._grid())
        self.n_features_in_ = total.n_features
        if total.names is not None and total._own_names():
            self.feature_names_in_ = np.asarray(total.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        chosen = Chosen.of(
            path, rules.resolve(self._value, path, family, summaries, self._options(), at=self._index_of)
        )
        return self._keep(chosen, total)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction of the fitted linear model for each sample."""
        return np.asarray(self._read_rows(X) @ self.coef_).ravel() + self.intercept_

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Mask of the features with a nonzero coefficient."""
        check_is_fitted(self)
        return self._used(self.coef_ != 0)

    def plot_shrinkage(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Plot each coefficient against its least-squares estimate on the same features, as an Altair chart.

        Coefficients on the diagonal are not shrunk; those on the horizontal line at zero belong to excluded features.
        """
        check_is_fitted(self)
        data = self._read(X, y, sample_weight, reset=False)
        at = f"{self._knob} = {getattr(self, self._knob + '_'):.4g}"
        return plot_shrinkage(least_squares(data, self.fit_intercept)[0], self.coef_, data.names, at)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def _path_type(self) -> type:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        check_penalty(self, self._path_type())

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None, reset: bool = True) -> NumericData:
        return self._read_coded(X, y, sample_weight, reset=reset)

    def _grid(self) -> NDArray[np.float64] | None:
        return fixed_grid(self.alpha, self.grid)

    def _index_of(self, path: Any, value: Any) -> int:
        return rules.grid_point(path, value)

    def _prepare(self, family: Any, data: Any) -> tuple[NumericData, rules.Options]:
        options = self._options()
        if self._value not in ("cv", "1se"):
            return data, options
        options = with_splits(options, data)
        found = summarize_folds(data, list(data.folds(options.cv))) if family.uses_moments(data) else None
        return data if found is None else replace(data, moments=found.total), replace(options, summaries=found)

    def _check_without_rows(self, n_folds: int) -> None:
        """Raise, with the alternatives, if the rule needs rows or if it needs folds and there are none."""
        known = rules.supported_rules(self._path_type())
        alone = [r for r in CRITERIA if r in known] + ["loo"] * hasattr(self._path_type(), "gcv")
        scored = self.scoring is not None and self._value not in CRITERIA
        if not isinstance(self._value, str) or (self._value in alone and not scored):
            return
        listed = f"{', '.join(map(repr, alone))} or a number"
        if self._value not in ("cv", "1se") or scored:
            raise RuleError(
                f"{self._knob}={self._value!r}{f' with scoring={self.scoring!r}' * scored} requires the rows; use fit, "
                f"or one of 'cv', '1se' (on Summaries of folds, with the default scoring), {listed}."
            )
        if n_folds < 2:
            raise RuleError(
                f"{self._knob}={self._value!r} requires the moments of each fold, at least two; pass "
                f"summarize(source, target, folds=5), a list of Moments, or set {self._knob} to {listed}."
            )

    def _attributes(self, chosen: Chosen, _data: Any) -> dict[str, Any]:
        coef, intercept = chosen.path.at(chosen.index)
        if chosen.selection.knob == "alpha":
            check_end(chosen.path, chosen.selection, self.grid)
        return {"coef_": coef, "intercept_": intercept, **self._point(chosen.path, chosen.index)}

    def _point(self, path: Any, index: int) -> dict[str, Any]:
        """Return the fitted attributes of the chosen point other than its coefficients."""
        return {"alpha_": float(path.grid[index]), "dual_gap_": float(path.dual_gap[index])}


def plot_shrinkage(unpenalized: NDArray, coef: NDArray, names: Sequence[str], at: str) -> Any:
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
