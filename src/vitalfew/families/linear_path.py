"""The path of a linear model for a numeric target: coefficients at every penalty, and what rules ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from vitalfew.data.numeric import NumericData
from vitalfew.rules.path import LeaveOneOut, Likelihood
from vitalfew.rules.scoring import LOSSES, Scores, mean_loss
from vitalfew.rules.selection import chart_text, import_altair, knob_scale, make_frame
from vitalfew.summaries.moments import Moments

# More lines than this cannot be told apart in a chart.
MOST_LINES = 60


@dataclass(frozen=True)
class LinearPath:
    """Coefficients of a linear model over a falling grid of penalties.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Penalties alpha, from the largest (simple) to the smallest (complex).
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_features)
        Coefficients; zeros are exact. ``coef`` is the same as a dense array.
    intercept : ndarray of shape (n_points,)
    dual_gap : ndarray of shape (n_points,)
        How far the objective can be above its minimum, as a share of the objective of the null model: a certificate,
        computed from the solution itself.
    mean_squared_error : ndarray of shape (n_points,)
        On the training rows.
    names : sequence of str
    """

    grid: NDArray[np.float64]
    coef_sparse: sparse.csr_array
    intercept: NDArray[np.float64]
    dual_gap: NDArray[np.float64]
    mean_squared_error: NDArray[np.float64]
    names: Sequence[str]
    l2: NDArray[np.float64]  # ridge penalty on the scale of the mean loss, for degrees of freedom
    factor: NDArray[np.float64] | None
    has_intercept: bool
    n_samples: float
    data: NumericData | Moments | None = None

    knob = "alpha"
    loss = "squared_error"

    def __getstate__(self):
        # Rows are not part of a model: a path read back answers what it can without them.
        return {**self.__dict__, "data": None}

    def without_data(self) -> LinearPath:
        """The same path, which no longer holds the training rows."""
        kept = replace(self, data=None)
        for name in ("degrees_of_freedom", "coef"):
            if name in self.__dict__:
                kept.__dict__[name] = self.__dict__[name]
        return kept

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Coefficients that are not zero, at each point."""
        return np.diff(self.coef_sparse.indptr).astype(np.int64)

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """Coefficients as a dense array of shape (n_points, n_features)."""
        return self.coef_sparse.toarray()

    def at(self, index: int) -> tuple[NDArray[np.float64], float]:
        """Coefficients and intercept of one point."""
        return self.coef_sparse[[index]].toarray()[0], float(self.intercept[index])

    def predict(self, data: NumericData) -> NDArray[np.float64]:
        """Predictions at all points: (rows, points). Only columns in use somewhere are read."""
        used = np.unique(self.coef_sparse.indices)
        product = data.X[:, used] @ self.coef_sparse[:, used].toarray().T
        return np.asarray(product) + self.intercept

    def default_scores(self, tested: NumericData | Moments) -> Scores:
        """Squared error on rows, or from their moments alone."""
        if not isinstance(tested, Moments):
            return mean_loss(LOSSES[self.loss](self.predict(tested), tested), tested.weight)
        used = np.unique(self.coef_sparse.indices)
        coef = self.coef_sparse[:, used].toarray()
        scatter = tested.scatter / tested.weight_sum
        bias = tested.mean[-1] - coef @ tested.mean[:-1][used] - self.intercept
        square = np.einsum("pd,pd->p", coef @ scatter[np.ix_(used, used)], coef)
        value = scatter[-1, -1] - 2 * coef @ scatter[used, -1] + square + bias**2
        return Scores(np.maximum(value, 0), np.full(len(value), np.nan))

    @cached_property
    def degrees_of_freedom(self) -> NDArray[np.float64]:
        r"""Effective number of coefficients, without intercept: :math:`\mathrm{tr}\,G (G + \lambda_2 F)^{-1}` on the
        columns in use, which is their number for the lasso (Zou, Hastie & Tibshirani, 2007)."""
        return np.array([self._freedom(p) for p in range(len(self.grid))])

    def _freedom(self, point: int) -> float:
        active, second = self._second(point)
        if len(active) == 0:
            return 0.0
        if self.l2[point] == 0:
            return float(min(len(active), max(self._n_rows() - self.has_intercept, 0)))
        ridge = self.l2[point] * (np.ones(len(active)) if self.factor is None else self.factor[active])
        return float(np.trace(np.linalg.solve(second + np.diag(ridge), second)))

    def _n_rows(self) -> int:
        return self.data.n_rows if self.data is not None else int(self.n_samples)

    def _second(self, point: int) -> tuple[NDArray, NDArray]:
        """The columns in use and their second moments."""
        active = self.coef_sparse.indices[self.coef_sparse.indptr[point] : self.coef_sparse.indptr[point + 1]]
        if self.l2[point] == 0 or len(active) == 0:
            return active, np.empty((0, 0))
        if isinstance(self.data, Moments):
            full = self.data.scatter[np.ix_(active, active)] / self.data.weight_sum
            return active, full if self.has_intercept else full + np.outer(
                self.data.mean[active], self.data.mean[active]
            )
        columns, weight = self._centred(active)
        return active, columns.T @ (columns * weight[:, None])

    def _centred(self, active: NDArray) -> tuple[NDArray, NDArray]:
        """The columns in use, centred if there is an intercept, and weights that sum to one."""
        data = self._rows()
        columns = data.X[:, active]
        columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns, dtype=float)
        weight = np.ones(len(columns)) if data.weight is None else data.weight
        weight = weight / weight.sum()
        return columns - weight @ columns if self.has_intercept else columns, weight

    def _rows(self) -> NumericData:
        if not isinstance(self.data, NumericData):
            raise ValueError("this needs the training rows, which are not stored with a model; fit it again.")
        return self.data

    def log_likelihood(self) -> Likelihood:
        """Gaussian, the variance at its maximum. A fit that leaves no residual is not a candidate."""
        variance = self.mean_squared_error
        freedom = self.degrees_of_freedom
        is_usable = (variance > 1e-12 * variance.max()) & (freedom < self.n_samples - 1 - self.has_intercept)
        with np.errstate(divide="ignore"):
            value = -0.5 * self.n_samples * (np.log(2 * np.pi * variance) + 1)
        if is_usable.any():
            value = np.where(is_usable, value, -np.inf)
        return Likelihood(value, freedom + self.has_intercept + 1, self.n_samples, self.coef_sparse.shape[1])

    def loo(self) -> LeaveOneOut:
        """Residuals over one minus leverage on the columns in use, which is what leaving a row out does to a ridge
        regression on these columns: exact but for columns that would enter, leave or turn."""
        data = self._rows()
        fitted = self.predict(data)
        left_out = np.empty_like(fitted)
        for p in range(len(self.grid)):
            leverage = self._leverage(p)
            residual = data.y - fitted[:, p]
            # A row that the fit follows wherever it goes cannot be left out: there is no prediction without it.
            left_out[:, p] = data.y - residual / np.where(1 - leverage > 1e-8, 1 - leverage, np.nan)
        return LeaveOneOut(left_out, False, "the features in use are held as they are")

    def _leverage(self, point: int) -> NDArray[np.float64]:
        active = self.coef_sparse.indices[self.coef_sparse.indptr[point] : self.coef_sparse.indptr[point + 1]]
        columns, weight = self._centred(active)
        base = weight if self.has_intercept else np.zeros(len(columns))
        if len(active) == 0:
            return base
        factor = np.ones(len(active)) if self.factor is None else self.factor[active]
        scaled = columns * np.sqrt(weight)[:, None]
        gram = scaled.T @ scaled + np.diag(self.l2[point] * factor)
        lower, is_sound = _cholesky(gram)
        if not is_sound:  # more columns than the rows can carry: every row is fitted by itself
            vectors, sizes, _ = linalg.svd(scaled, full_matrices=False)
            keep = sizes > 1e-10 * sizes.max()
            return base + np.sum(vectors[:, keep] ** 2, axis=1)
        half = linalg.solve_triangular(lower, scaled.T, lower=True, check_finite=False)
        return base + np.sum(half**2, axis=0)

    def to_frame(self):
        """Penalty, features in use, L1 norm, training error and certificate of each point, as a data frame."""
        return make_frame(
            {
                self.knob: self.grid,
                "n_features": self.n_features,
                "l1_norm": self.l1_norm,
                "mean_squared_error": self.mean_squared_error,
                "dual_gap": self.dual_gap,
            }
        )

    @property
    def l1_norm(self) -> NDArray[np.float64]:
        """Sum of absolute coefficients at each point."""
        return np.asarray(abs(self.coef_sparse).sum(axis=1)).ravel()

    def plot(self, x: str = "alpha"):
        """Coefficients against the penalty (``x="alpha"``) or the L1 norm (``x="l1_norm"``), names on hover.

        At most 60 features are drawn, those with the largest coefficients; the title says so. ``.save`` writes HTML,
        SVG or PNG.
        """
        return plot_coefficients(self, self.coef_sparse, self.names, x)


def _cholesky(gram: NDArray) -> tuple[NDArray, bool]:
    try:
        lower = linalg.cholesky(gram, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return gram, False
    pivots = np.diag(lower) ** 2
    return lower, bool((pivots > 1e-12 * np.diag(gram)).all())


def plot_coefficients(path, coef: sparse.csr_array, names: Sequence[str], x: str):
    """One line for each feature that is ever in use."""
    alt = import_altair()
    if x not in ("alpha", "l1_norm"):
        raise ValueError(f'x must be "alpha" or "l1_norm", got {x!r}.')
    largest = abs(coef).max(axis=0).toarray().ravel()
    used = np.flatnonzero(largest)
    shown = used[np.argsort(-largest[used], kind="stable")][:MOST_LINES]
    columns = coef[:, shown].toarray()
    at = path.grid if x == "alpha" else path.l1_norm
    rows = [
        {
            "x": float(at[p]),
            "coefficient": float(columns[p, k]),
            "feature": chart_text(names[int(j)]),
            "alpha": float(path.grid[p]),
        }
        for k, j in enumerate(shown)
        for p in range(len(at))
    ]
    scale = knob_scale(path.grid) if x == "alpha" else alt.Scale()
    title = f"{len(used)} features enter"
    if len(used) > len(shown):
        title += f"; the {len(shown)} with the largest coefficients are drawn"
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", scale=scale, title="penalty alpha" if x == "alpha" else "L1 norm of the coefficients"),
        y=alt.Y("coefficient:Q"),
        color=alt.Color(
            "feature:N",
            legend=None if len(shown) > 20 else alt.Legend(),
            sort=[chart_text(names[int(j)]) for j in shown],
        ),
        tooltip=["feature:N", alt.Tooltip("coefficient:Q", format=".4g"), alt.Tooltip("alpha:Q", format=".4g")],
    )
    hover = alt.selection_point(on="pointerover", nearest=True, fields=["feature"], empty=False)
    lines = base.mark_line(interpolate="linear").encode(
        order="alpha:Q",
        opacity=alt.condition(hover, alt.value(1.0), alt.value(0.7)),
        strokeWidth=alt.condition(hover, alt.value(3), alt.value(1.5)),
    )
    points = base.mark_point(size=40, opacity=0).add_params(hover)
    zero = alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(color="gray", strokeDash=[2, 2]).encode(y="y:Q")
    return alt.layer(zero, lines, points).properties(title=title, width=480, height=320)
