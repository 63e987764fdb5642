"""Path of kernel ridge regression: dual coefficients at every penalty, with the quantities selection rules need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.linear.coefficient_path import gaussian_likelihood
from vitalfew.families.ridge.eigen import log_evidence, shrinkage_grid
from vitalfew.families.ridge.kernel_forms import ExactForm, NystroemForm
from vitalfew.families.ridge.kernels import Kernel, KernelData
from vitalfew.families.rows_path import RowsPath
from vitalfew.rules.charts.parts import knob_x
from vitalfew.rules.path import ALONE, LeaveOneOut, Likelihood, Run
from vitalfew.support.optional import import_altair, make_frame
from vitalfew.support.threads import limit_threads


@dataclass(frozen=True)
class KernelPath(RowsPath):
    """Path of kernel ridge regression over a decreasing grid of penalties.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Penalties alpha, from the largest (simple) to the smallest (complex).
    dual_coef : ndarray of shape (n_points, n_basis)
    basis : array
        Samples that the coefficients belong to: the training samples or the landmarks; for a precomputed kernel, their
        indices.
    mean_squared_error : ndarray of shape (n_points,)
        Mean squared error on the training samples.
    degrees_of_freedom : ndarray of shape (n_points,)
        Trace of the hat matrix.
    n_chosen : int
        Number of kernel parameters that were chosen from the data; each counts as a parameter of the model.
    """

    grid: NDArray[np.float64]
    dual_coef: NDArray[np.float64]
    basis: Any
    mean_squared_error: NDArray[np.float64]
    degrees_of_freedom: NDArray[np.float64]
    kernel: Kernel
    n_columns: int
    n_samples: float
    n_chosen: int = 0
    data: KernelData | None = None
    form: Any = None

    knob = "alpha"
    loss = "squared_error"
    has_intercept = False
    # The extended criterion penalizes the choice of a subset, and none is chosen here.
    without_rules = ("ebic",)

    transient = ("data", "form")

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Number of features at each point, which is always all of them."""
        return np.full(len(self.grid), self.n_columns, dtype=np.int64)

    def at(self, index: int) -> NDArray[np.float64]:
        """Return the dual coefficients of one point."""
        return self.dual_coef[index].copy()

    def predict(self, data: KernelData) -> NDArray[np.float64]:
        """Return predictions at all points, of shape (rows, points)."""
        with limit_threads(data.threads):
            return self.kernel.between(data.X, self.basis) @ self.dual_coef.T

    def log_likelihood(self) -> Likelihood:
        """Return the Gaussian likelihood at the maximum-likelihood variance; perfect fits are not candidates."""
        found = gaussian_likelihood(self, self.degrees_of_freedom, self.n_columns, is_smoother=True)
        return found._replace(n_parameters=found.n_parameters + self.n_chosen)

    def log_evidence_at(self, index: int) -> float:
        """Return the log of the integral of likelihood times prior, see `log_evidence`."""
        return log_evidence(self.form, self.dual_coef.shape[1], float(self.grid[index]), self.n_samples, False)

    def loo(self) -> LeaveOneOut:
        """Compute exact leave-one-out, from the diagonal of the inverse or from leverages given the landmarks."""
        data = self.data
        assert data is not None
        if data.n_rows < 2:
            raise ValueError("leave-one-out requires at least two rows, got n_samples = 1.")
        with limit_threads(data.threads):
            residual = self.form.left_out(self.grid)
        note = "the landmarks are held fixed" if isinstance(self.form, NystroemForm) else ""
        return LeaveOneOut(np.subtract(data.target[:, None], residual, out=residual), True, note)

    def to_frame(self) -> Any:
        """Return a data frame with the penalty, training error and degrees of freedom of each point."""
        return make_frame(
            {
                self.knob: self.grid,
                "mean_squared_error": self.mean_squared_error,
                "degrees_of_freedom": self.degrees_of_freedom,
            }
        )

    def plot(self) -> Any:
        """Plot the degrees of freedom against the penalty as an Altair chart."""
        alt = import_altair()
        rows = [{"alpha": float(a), "freedom": float(f)} for a, f in zip(self.grid, self.degrees_of_freedom)]
        return (
            alt.Chart(alt.Data(values=rows))
            .mark_line(point=True)
            .encode(
                x=knob_x("alpha", self.grid, title="penalty alpha"),
                y=alt.Y("freedom:Q", title="degrees of freedom"),
                tooltip=[alt.Tooltip("alpha:Q", format=".4g"), alt.Tooltip("freedom:Q", format=".4g")],
            )
            .properties(width=480, height=280)
        )


@dataclass(frozen=True)
class KernelFamily:
    """Settings and solver of kernel ridge paths, with `n_components` landmarks, or all rows if it is None.

    `n_chosen` kernel parameters are chosen from the data.
    """

    kernel: Kernel
    n_components: int | None
    seed: int
    n_points: int
    ratio: float | None
    threads: int
    n_chosen: int = 0

    def path(self, data: KernelData, grid: NDArray | None = None, *, run: Run = ALONE) -> KernelPath:  # noqa: ARG002
        """Return the path over all penalties of the grid, or over a default grid."""
        with limit_threads(self.threads):
            form = self._form(data)
            if grid is None:
                grid = shrinkage_grid(form.spectrum.values, self.n_points, self.ratio)
            found = form.one(float(grid[0])) if len(grid) == 1 else form.many(grid)
        return KernelPath(
            grid,
            found.coef,
            form.basis,
            found.squared_error / data.weight_sum,
            found.degrees_of_freedom,
            self.kernel,
            data.n_features,
            data.weight_sum,
            self.n_chosen,
            data,
            form,
        )

    def with_parameter(self, name: str, value: Any) -> KernelFamily:
        """Return a copy with another value of one kernel parameter."""
        return replace(self, kernel=replace(self.kernel, parameters={**self.kernel.parameters, name: value}))

    def _form(self, data: KernelData) -> ExactForm | NystroemForm:
        if self.n_components is None or self.n_components >= data.n_rows:
            return ExactForm(self.kernel, data)
        return NystroemForm(self.kernel, data, self.n_components, self.seed)
