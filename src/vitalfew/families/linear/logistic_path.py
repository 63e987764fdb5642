"""Paths of logistic models: coefficients at every point, with the quantities that selection rules need."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_softmax, softmax

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.coefficient_path import RowsPath, plot_coefficients
from vitalfew.families.linear.sparse_path import MOST_WORK
from vitalfew.families.linear.standardize import held_scales, ridge_factor
from vitalfew.rules.path import LeaveOneOut, Likelihood
from vitalfew.rules.point_criteria import at_point
from vitalfew.support.optional import make_frame

# Hessians of up to this size are formed for degrees of freedom and leave-one-out.
MOST_COORDINATES = 5000


@dataclass(frozen=True, kw_only=True)
class SparseClassPath(RowsPath):
    """Path of sparse coefficients of a logistic or multinomial model."""

    grid: NDArray
    coef_sparse: sparse.csr_array
    intercept: NDArray[np.float64]
    log_loss: NDArray[np.float64]
    names: Sequence[str]
    classes: NDArray
    has_intercept: bool
    n_samples: float
    data: NumericData | None = None

    knob: ClassVar[str]
    knob_title: ClassVar[str]
    loss = "log_loss"
    kept = ("degrees_of_freedom", "coef")

    def _has_ridge(self) -> NDArray[np.bool_]:
        """Return a mask of the points whose penalty has a ridge part."""
        return np.zeros(len(self.grid), dtype=bool)

    def ridge(self, _point: int, feature: NDArray) -> NDArray[np.float64]:
        """Return the ridge penalty of the coefficients of these features, on the scale of the mean loss."""
        return np.zeros(len(feature))

    @property
    def n_outputs(self) -> int:
        return self.intercept.shape[1]

    @property
    def _width(self) -> int:
        return self.coef_sparse.shape[1] // self.n_outputs

    @cached_property
    def n_features(self) -> NDArray[np.int64]:
        """Number of features with a nonzero coefficient at each point."""
        if self.n_outputs == 1:
            return np.diff(self.coef_sparse.indptr).astype(np.int64)
        start, index = self.coef_sparse.indptr, self.coef_sparse.indices % self._width
        return np.array([len(np.unique(index[a:b])) for a, b in itertools.pairwise(start)], dtype=np.int64)

    def used(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the indices of the coefficients that are nonzero at any point, and their values (points, indices)."""
        index = np.unique(self.coef_sparse.indices)
        return index, self.coef_sparse[:, index].toarray()

    @cached_property
    def coef(self) -> NDArray[np.float64]:
        """Coefficients as a dense array."""
        dense = self.coef_sparse.toarray()
        return dense if self.n_outputs == 1 else dense.reshape(len(self.grid), self.n_outputs, self._width)

    def at(self, index: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the coefficients (n_outputs, n_features) and intercepts of one point."""
        return self.coef_sparse[[index]].toarray().reshape(self.n_outputs, self._width), self.intercept[index].copy()

    def decision(self, data: NumericData) -> NDArray[np.float64]:
        """Return linear predictors (rows, points, outputs) at all points, reading only columns in use at any point."""
        outputs = [slice(k * self._width, (k + 1) * self._width) for k in range(self.n_outputs)]
        parts = [self.coef_sparse[:, part].tocsc() for part in outputs]
        used = np.unique(np.concatenate([np.flatnonzero(np.diff(part.indptr)) for part in parts]))
        columns = data.X[:, used]
        stacked = np.stack([np.asarray(columns @ part[:, used].toarray().T) for part in parts], axis=2)
        return stacked + self.intercept

    def predict(self, data: NumericData) -> NDArray[np.float64]:
        """Return class probabilities at all points, of shape (rows, points, classes)."""
        return probabilities(self.decision(data))

    def log_likelihood(self) -> Likelihood:
        """Return the likelihood of the labels given the features, with the effective number of parameters."""
        return self._likelihood(self.degrees_of_freedom)

    def _likelihood(self, freedom: NDArray[np.float64]) -> Likelihood:
        n_parameters = freedom + self.has_intercept * (len(self.classes) - 1)
        return Likelihood(-self.n_samples * self.log_loss, n_parameters, self.n_samples, self._width)

    def log_likelihood_at(self, index: int) -> Likelihood | None:
        """Return the likelihood of one point; None if its degrees of freedom take long to compute."""
        if "degrees_of_freedom" in vars(self):
            return at_point(self.log_likelihood(), index)
        freedom = np.diff(self.coef_sparse.indptr).astype(float)
        if freedom[index] and self._has_ridge()[index]:
            width = freedom[index] + self.n_outputs
            if width > MOST_COORDINATES or width**2 * (self._rows().n_rows + width) > MOST_WORK:
                return None
            freedom[index] = self._freedom(index)
        return at_point(self._likelihood(freedom), index)

    @cached_property
    def degrees_of_freedom(self) -> NDArray[np.float64]:
        r"""Effective number of coefficients at each point.

        This is the number of nonzero coefficients; with a ridge part it is :math:`\mathrm{tr}\,H (H + \lambda_2
        F)^{-1}`, where H is the Hessian of the mean loss with respect to them.
        """
        return np.array([self.freedom_at(p) for p in range(len(self.grid))])

    def freedom_at(self, point: int) -> float:
        """Return the effective number of coefficients at one point."""
        n_nonzero = float(self.coef_sparse.indptr[point + 1] - self.coef_sparse.indptr[point])
        return self._freedom(point) if n_nonzero and self._has_ridge()[point] else n_nonzero

    def _freedom(self, point: int) -> float:
        design = Design(self, point, self._rows())
        curvature = design.curvature(self._at_point(point))
        full = curvature + np.diag(design.penalty)
        scale = unit_scale(full)
        values, vectors = np.linalg.eigh(full / np.outer(scale, scale))
        # Shifting all softmax outputs together changes nothing, so that direction does not count as a parameter.
        inverse = np.where(values > 1e-10 * values.max(), 1 / np.maximum(values, 1e-300), 0.0)
        turned = vectors.T @ (curvature / np.outer(scale, scale)) @ vectors
        return float(np.diag(turned) @ inverse) - self.has_intercept * (len(self.classes) - 1)

    def _at_point(self, point: int) -> NDArray[np.float64]:
        single = replace(
            self, grid=self.grid[[point]], coef_sparse=self.coef_sparse[[point]], intercept=self.intercept[[point]]
        )
        return single.predict(self._rows())[:, 0]

    def loo(self) -> LeaveOneOut:
        """Approximate leave-one-out by one Newton step from the full fit on the nonzero coefficients."""
        data = self._rows()
        decision = self.decision(data)
        left_out = np.empty((data.n_rows, len(self.grid), len(self.classes)))
        for p in range(len(self.grid)):
            design = Design(self, p, data)
            left_out[:, p] = probabilities(design.without_each(decision[:, p]))
        return LeaveOneOut(left_out, False, "one Newton step; the active set is held fixed")

    def _columns(self) -> dict[str, NDArray]:
        return {
            self.knob: self.grid,
            "n_features": self.n_features,
            "l1_norm": self.l1_norm,
            "log_loss": self.log_loss,
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per point."""
        return make_frame(self._columns())

    @property
    def l1_norm(self) -> NDArray[np.float64]:
        """Sum of absolute coefficients at each point."""
        return np.asarray(abs(self.coef_sparse).sum(axis=1)).ravel()

    def plot(self, x: str | None = None) -> Any:
        """Plot the coefficients against the knob (the default) or the L1 norm (``x="l1_norm"``), with names on hover.

        At most 60 lines are drawn, those with the largest coefficients; the title says if some are omitted. Use
        ``.save`` to write HTML, SVG or PNG.
        """
        return plot_coefficients(self, OutputNames(self.names, self.classes, self.n_outputs), x)


@dataclass(frozen=True, kw_only=True)
class LogisticPath(SparseClassPath):
    """Path of logistic regression solutions over a decreasing grid of penalties.

    Attributes
    ----------
    grid : ndarray of shape (n_points,)
        Penalties alpha, from the largest (simple) to the smallest (complex).
    coef_sparse : scipy.sparse.csr_array of shape (n_points, n_outputs * n_features)
        Coefficients of the single output (two classes) or of all outputs in turn (more classes); zeros are exact.
        ``coef`` is the same as a dense array of shape (n_points, n_features) or (n_points, n_classes, n_features).
    intercept : ndarray of shape (n_points, n_outputs)
    dual_gap : ndarray of shape (n_points,)
        Upper bound on how far the objective is above its minimum, as a fraction of the objective of the null model.
    log_loss : ndarray of shape (n_points,)
        Mean log loss on the training samples.
    scale : ndarray of shape (n_features,) or None
        Standard deviation of each column, if columns were standardized. ``coef * scale`` are the coefficients of the
        standardized columns.
    """

    dual_gap: NDArray[np.float64]
    l2: NDArray[np.float64]
    factor: NDArray[np.float64] | None
    scale: NDArray[np.float64] | None = None

    knob = "alpha"
    knob_title = "penalty alpha"

    def _has_ridge(self) -> NDArray[np.bool_]:
        return self.l2 > 0

    def ridge(self, point: int, feature: NDArray) -> NDArray[np.float64]:
        return self.l2[point] * ridge_factor(self.factor, self.scale, feature)

    def loo(self) -> LeaveOneOut:
        return held_scales(super().loo(), self.scale)

    def _columns(self) -> dict[str, NDArray]:
        return {**super()._columns(), "dual_gap": self.dual_gap}


class OutputNames(Sequence):
    """Names of coefficients: the feature name, with the class if there are several outputs."""

    def __init__(self, names: Sequence[str], classes: NDArray, n_outputs: int):
        self.names, self.classes, self.n_outputs = names, classes, n_outputs

    def __len__(self) -> int:
        return self.n_outputs * len(self.names)

    def __getitem__(self, j: Any) -> Any:
        name = self.names[j % len(self.names)]
        return name if self.n_outputs == 1 else f"{name} ({self.classes[j // len(self.names)]})"


class Design:
    """Columns, Hessian and leave-one-out step for the nonzero coefficients of one point, flattened to a vector.

    Coordinates are sorted by output. With an intercept, one unpenalized coordinate per output is appended.
    """

    def __init__(self, path: SparseClassPath, point: int, data: NumericData):
        start, stop = path.coef_sparse.indptr[point : point + 2]
        index = path.coef_sparse.indices[start:stop]
        self.output, feature = np.divmod(index, path._width)
        if len(index) + path.n_outputs > MOST_COORDINATES:
            raise ValueError(
                "degrees of freedom and leave-one-out need the Hessian of the nonzero coefficients, which is formed "
                f"for at most {MOST_COORDINATES} of them, got {len(index)}. Use 'cv' or 'holdout', or a larger "
                "penalty."
            )
        columns = data.X[:, feature]
        self.columns = columns.toarray() if sparse.issparse(columns) else np.asarray(columns, dtype=float)
        self.penalty = path.ridge(point, feature)
        if path.has_intercept:
            self.columns = np.column_stack([self.columns, np.ones((data.n_rows, path.n_outputs))])
            self.output = np.append(self.output, np.arange(path.n_outputs))
            self.penalty = np.append(self.penalty, np.zeros(path.n_outputs))
        self.n_outputs = path.n_outputs
        weight = data.weights
        self.weight = weight / weight.sum()
        self.target = data.label

    def curvature(self, probability: NDArray) -> NDArray[np.float64]:
        """Return the Hessian of the mean loss."""
        p = probability[:, -1:] if self.n_outputs == 1 else probability
        size = len(self.output)
        full = np.empty((size, size))
        for k in range(self.n_outputs):
            for other in range(self.n_outputs):
                at, beside = np.flatnonzero(self.output == k), np.flatnonzero(self.output == other)
                share = p[:, k] * ((k == other) - p[:, other]) * self.weight
                full[np.ix_(at, beside)] = self.columns[:, at].T @ (self.columns[:, beside] * share[:, None])
        return full

    def without_each(self, decision: NDArray) -> NDArray[np.float64]:
        """Return the leave-one-out linear predictors of each row, of shape (rows, outputs)."""
        n, m = len(decision), self.n_outputs
        probability = probabilities(decision[:, None])[:, 0]
        if len(self.output) == 0:
            return decision
        hessian = self.curvature(probability) + np.diag(self.penalty)
        scale = unit_scale(hessian)
        # Shifting all softmax outputs together changes no prediction; a tiny ridge term fixes that direction.
        inverse = np.linalg.inv(hessian / np.outer(scale, scale) + 1e-10 * np.eye(len(scale))) / np.outer(scale, scale)
        spread = np.empty((n, m, m))
        for k in range(m):
            at = self.output == k
            half = self.columns[:, at] @ inverse[at]
            for other in range(m):
                beside = self.output == other
                spread[:, k, other] = np.einsum("ij,ij->i", half[:, beside], self.columns[:, beside])
        spread *= self.weight[:, None, None]
        p = probability[:, -1:] if m == 1 else probability
        own = (self.target[:, None] == (1 if m == 1 else np.arange(m))).astype(float)
        bend = np.einsum("ik,kl->ikl", p, np.eye(m)) - p[:, :, None] * p[:, None, :]
        system = np.eye(m) - np.einsum("ikl,ilm->ikm", bend, spread)
        step = np.linalg.solve(system + 1e-12 * np.eye(m), (p - own)[:, :, None])[:, :, 0]
        return decision + np.einsum("ikl,il->ik", spread, step)


def unit_scale(matrix: NDArray) -> NDArray[np.float64]:
    """Return the square roots of the diagonal (1 where it is zero), by which coordinates become unit-free."""
    diagonal = np.diag(matrix)
    return np.sqrt(np.where(diagonal > 0, diagonal, 1.0))


def one_hot(label: NDArray, n_classes: int) -> NDArray[np.float64]:
    """Return the one-hot encoding of the labels."""
    own = np.zeros((len(label), n_classes))
    own[np.arange(len(label)), label] = 1.0
    return own


def probabilities(decision: NDArray) -> NDArray[np.float64]:
    """Return class probabilities for linear predictors of shape (..., outputs)."""
    if decision.shape[-1] == 1:
        return expit(np.concatenate([-decision, decision], axis=-1))
    return softmax(decision, axis=-1)


def log_probabilities(decision: NDArray) -> NDArray[np.float64]:
    """Return log class probabilities, accurate even where the probabilities underflow."""
    if decision.shape[-1] == 1:
        decision = np.concatenate([np.zeros_like(decision), decision], axis=-1)
    return log_softmax(decision, axis=-1)
