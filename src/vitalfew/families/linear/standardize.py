"""Standardization inside a fit: columns divided by their standard deviation, coefficients in the original units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.matrix import Matrix
from vitalfew.rules.path import LeaveOneOut
from vitalfew.summaries.moments import Moments

EPS = float(np.finfo(float).eps)
# Numbers in a block of rows, few enough for the cache.
BLOCK_NUMBERS = 2**18
# Squares of deviations outside this range have overflowed or lost digits.
SAFE_SQUARES = (1e-250, 1e250)
HELD_SCALES = "the scales of the columns are held fixed"


def column_scale(data: NumericData | Moments) -> NDArray[np.float64]:
    """Return the weighted standard deviation of each column, 1 for constant columns.

    The bits depend neither on the number of threads nor on the storage order of a matrix.
    """
    if isinstance(data, Moments):
        variance, mean = np.diag(data.scatter)[:-1] / data.weight_sum, data.mean[:-1]
        return _deviation(variance, mean)
    find = _sparse_variance if sparse.issparse(data.X) else _dense_variance
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        variance, mean = find(data.X, data.weight)
        odd = np.flatnonzero(~((variance > SAFE_SQUARES[0]) & (variance < SAFE_SQUARES[1])))
        scale = _deviation(variance, mean)
        return _with_extremes(data, scale, odd, find) if len(odd) else scale


@overload
def scaled(data: Moments, scale: NDArray | None) -> Moments: ...
@overload
def scaled(data: NumericData, scale: NDArray | None) -> NumericData: ...
@overload
def scaled(data: NumericData | Moments, scale: NDArray | None) -> NumericData | Moments: ...
def scaled(data: NumericData | Moments, scale: NDArray | None) -> NumericData | Moments:
    """Return the samples, or their moments, with columns divided by `scale`; unchanged if it is None."""
    if scale is None:
        return data
    if isinstance(data, Moments):
        unit = np.append(scale, 1.0)
        scatter = data.scatter / unit
        scatter /= unit[:, None]
        return replace(data, mean=data.mean / unit, scatter=scatter)
    return replace(data, X=divided(data.X, scale), moments=None)


def unscaled(coef: sparse.csr_array, scale: NDArray | None) -> sparse.csr_array:
    """Return coefficients (points, outputs x columns) of columns divided by `scale` for the original columns."""
    if scale is None:
        return coef
    values = coef.data / scale[coef.indices % len(scale)]
    return sparse.csr_array((values, coef.indices, coef.indptr), shape=coef.shape)


def ridge_factor(factor: NDArray | None, scale: NDArray | None, columns: NDArray) -> NDArray[np.float64]:
    """Return the penalty factors of the squared coefficients of some columns, in the original units."""
    found = np.ones(len(columns)) if factor is None else factor[columns]
    return found if scale is None else found * scale[columns] ** 2


def held_scales(found: LeaveOneOut, scale: NDArray | None) -> LeaveOneOut:
    """Return leave-one-out predictions with a note that the scales of the columns are those of all samples."""
    if scale is None:
        return found
    return found._replace(note=f"{found.note}, as are the scales of the columns" if found.note else HELD_SCALES)


def divided(X: Matrix, scale: NDArray, out: NDArray | None = None) -> Matrix:
    """Return a matrix with columns divided by `scale`, in column-major order and of the same type of numbers."""
    if sparse.issparse(X):
        values = np.repeat(scale, np.diff(X.indptr)).astype(X.dtype, copy=False)
        return _like(X, np.divide(X.data, values, out=values))
    found = np.empty(X.shape, X.dtype, order="F") if out is None else out
    step = max(64, BLOCK_NUMBERS // max(X.shape[1], 1))
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        np.divide(X[rows], scale, out=found[rows], casting="same_kind")
    return found


def _deviation(variance: NDArray, mean: NDArray) -> NDArray[np.float64]:
    """Return the square root of the variance, 1 where it is no more than the rounding error of the mean."""
    return np.sqrt(np.where(variance > (64 * EPS * mean) ** 2, variance, 1.0))


def _dense_variance(X: NDArray, weight: NDArray | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the variances and means of columns: two passes over each block of rows, blocks merged by Chan et al."""
    n, d = X.shape
    first = X[0].astype(np.float64)  # a constant column keeps exact zeros
    total, mean, square = 0.0, np.zeros(d), np.zeros(d)
    step = max(64, BLOCK_NUMBERS // max(d, 1))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        part = np.subtract(X[rows], first, dtype=np.float64, order="C")
        w = None if weight is None else weight[rows, None]
        size = float(len(part)) if w is None else float(w.sum())
        own = (part if w is None else part * w).sum(axis=0) / size
        part -= own
        if w is not None:
            part *= np.sqrt(w)
        shift = own - mean
        square += np.einsum("ij,ij->j", part, part) + shift**2 * (total * size / (total + size))
        total += size
        mean += shift * (size / total)
    return square / total, first + mean


def _sparse_variance(X: sparse.csc_array, weight: NDArray | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the variances and means of columns, from the stored values and the weight of the others."""
    stored = np.diff(X.indptr)
    w = np.ones(X.shape[0]) if weight is None else weight
    total = w.sum()
    mean = (X.T @ w) / total
    at = stored.astype(np.float64) if weight is None else _like(X, np.ones(X.nnz)).T @ w
    away = np.repeat(mean, stored)
    np.subtract(X.data, away, out=away)
    rest = np.where(stored < len(w), np.maximum(total - at, 0.0), 0.0)  # exactly zero in full columns
    off = (_like(X, away).T @ w - rest * mean) / total  # the rounding error of the mean
    square = (_like(X, np.square(away, out=away)).T @ w + rest * mean**2) / total
    return np.maximum(square - off**2, 0.0), mean + off


def _with_extremes(data: NumericData, scale: NDArray, odd: NDArray, find: Any) -> NDArray[np.float64]:
    """Return the scales with those of columns recomputed whose squares overflow or vanish."""
    X = data.X[:, odd]
    largest = abs(X).max(axis=0)
    largest = np.asarray(largest.toarray() if sparse.issparse(largest) else largest, dtype=np.float64).ravel()
    is_odd = ((largest < SAFE_SQUARES[0] ** 0.5) | (largest > SAFE_SQUARES[1] ** 0.5)) & (largest > 0)
    if is_odd.any():
        at, unit = odd[is_odd], np.exp2(np.floor(np.log2(largest[is_odd])))
        values = divided(X[:, np.flatnonzero(is_odd)], unit)
        variance, mean = find(values, data.weight)
        scale[at] = np.where(variance > (64 * EPS * mean) ** 2, np.sqrt(variance) * unit, 1.0)
    return scale


def _like(X: sparse.csc_array, values: NDArray) -> sparse.csc_array:
    """Return a matrix with other values at the same places."""
    return sparse.csc_array((values, X.indices, X.indptr), shape=X.shape)
