"""`Moments`: sufficient statistics for least squares, computed in one pass and mergeable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData, too_large
from vitalfew.data.tables.frames import NumberedNames
from vitalfew.support.checks import check_threads
from vitalfew.support.deprecated_names import renamed_parameter
from vitalfew.support.threads import limit_threads

# Columns whose mean square exceeds their variance by this factor lose digits when centered after the product.
FAR_FROM_ZERO = 100.0
MOST_BYTES = 2**35
# Above this number of columns, BLAS is faster than the kernel for few columns.
MOST_COLUMNS = 1000
# Number of rows used to estimate the location of each column.
SAMPLE_ROWS = 100


@dataclass(frozen=True, eq=False)
class Moments:
    r"""Weighted means and centered second moments of the columns of X and of y.

    .. math:: \bar x = \frac{\sum_i w_i x_i}{\sum_i w_i}, \qquad S = \sum_i w_i (z_i - \bar z)(z_i - \bar z)^T,
       \quad z_i = (x_i, y_i)

    They are sufficient for :class:`~vitalfew.Ridge` and :class:`~vitalfew.Lasso`, whatever the number of samples:
    ``fit_moments`` gives the same result as ``fit``. ``a + b`` summarizes the samples of both, ``total - part`` the
    remaining samples (a training set is the total minus a fold). Sums are centered in each part, and parts are merged
    by the formula of Chan, Golub and LeVeque, so that columns far from zero lose no precision.

    Parameters
    ----------
    n_rows : int
    weight_sum : float
    mean : ndarray of shape (n_features + 1,)
        Means of the columns, followed by the mean of y.
    scatter : ndarray of shape (n_features + 1, n_features + 1)
        The matrix S.
    names : sequence of str, optional
        Names of the columns.

    References
    ----------
    Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import Moments
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    >>> total = Moments.from_data(X, y)
    >>> merged = Moments.from_data(X[:40], y[:40]) + Moments.from_data(X[40:], y[40:])
    >>> bool(np.allclose(total.scatter, merged.scatter)), total.n_rows == merged.n_rows
    (True, True)
    """

    n_rows: int
    weight_sum: float
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    names: Sequence[str] | None = None

    @classmethod
    def from_data(cls, X, y, sample_weight=None, *, n_jobs: int | None = None) -> Moments:
        """Compute moments in one pass over an array, frame or sparse matrix.

        O(n d²), or O(Σ entries of a row²) if sparse.
        """
        return cls.of(NumericData.read_part(X, y, sample_weight, threads=check_threads(n_jobs)))

    @classmethod
    def from_batches(cls, batches: Iterable[tuple], *, n_jobs: int | None = None) -> Moments:
        """Merge ``(X, y)`` or ``(X, y, sample_weight)`` batches; only one batch is in memory at a time."""
        total: Moments | None = None
        for batch in batches:
            part = cls.from_data(*batch, n_jobs=n_jobs)
            total = part if total is None else total + part
        if total is None:
            raise ValueError("got no batches; Moments require at least one row.")
        return total

    @classmethod
    def of(cls, data: NumericData) -> Moments:
        """Return the moments of checked data, computed now unless the data has them."""
        if data.moments is not None:
            return data.moments
        size = data.n_features + 1
        if 8 * size * size > MOST_BYTES:
            raise ValueError(
                f"Moments of {data.n_features:,} columns would take {8e-9 * size * size:.0f} GB; "
                "fit from the rows instead, or select columns first."
            )
        with limit_threads(data.threads):
            find = _of_sparse if sparse.issparse(data.X) else _of_dense
            mean, scatter = find(data.X, data.target, data.weight, data.threads)
        _check_range(mean, scatter, data.names)
        return cls(data.n_rows, data.weight_sum, mean, scatter, data.names)

    @property
    def n_features(self) -> int:
        return len(self.mean) - 1

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_fits(other)
        total = self.weight_sum + other.weight_sum
        shift = other.mean - self.mean
        between = np.outer(shift, shift) * (self.weight_sum * other.weight_sum / total)
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            weight_sum=total,
            mean=self.mean + shift * (other.weight_sum / total),
            scatter=self.scatter + other.scatter + between,
            names=self.names if self._own_names() else other.names,
        )

    def __sub__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        self._check_fits(other)
        left = self.weight_sum - other.weight_sum
        if self.n_rows <= other.n_rows or left <= 0:
            raise ValueError(
                f"cannot subtract {other.n_rows} rows (weight {other.weight_sum:g}) from {self.n_rows} "
                f"(weight {self.weight_sum:g}); at least one row must remain."
            )
        shift = (self.mean - other.mean) * (self.weight_sum / left)  # mean of the rest minus mean of the part
        between = np.outer(shift, shift) * (left * other.weight_sum / self.weight_sum)
        scatter = self.scatter - other.scatter - between
        # For a column that is constant in the rest, only rounding errors remain.
        is_constant = np.diag(scatter) < 8 * np.finfo(float).eps * np.diag(self.scatter)
        scatter[is_constant] = scatter[:, is_constant] = 0
        return replace(
            self,
            n_rows=self.n_rows - other.n_rows,
            weight_sum=left,
            mean=other.mean + shift,
            scatter=scatter,
        )

    def __radd__(self, other):
        # So that sum() works.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _check_fits(self, other: Moments) -> None:
        if other.n_features != self.n_features:
            raise ValueError(f"cannot merge Moments of {self.n_features} and {other.n_features} columns.")
        if self._own_names() and other._own_names() and list(self.names or ()) != list(other.names or ()):
            differ = [f"{a!r}/{b!r}" for a, b in zip(self.names or (), other.names or ()) if a != b]
            raise ValueError(f"cannot merge Moments of different columns: {', '.join(differ[:5])}.")

    def _own_names(self) -> bool:
        return self.names is not None and not isinstance(self.names, NumberedNames)

    def __repr__(self) -> str:
        return f"Moments(n_rows={self.n_rows}, n_features={self.n_features}, weight_sum={self.weight_sum:g})"

    @renamed_parameter("is_centred", "is_centered")
    def second(self, is_centered: bool = True) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return the second moments of the columns, of the columns with y, and of y, divided by the sum of weights."""
        full = self.scatter / self.weight_sum
        if not is_centered:
            full += np.outer(self.mean, self.mean)
        return np.ascontiguousarray(full[:-1, :-1]), np.ascontiguousarray(full[:-1, -1]), float(full[-1, -1])


def _check_range(mean: NDArray, scatter: NDArray, names: Sequence[str]) -> None:
    """Raise if sums of squares overflow, because a model fitted on them would look valid."""
    is_lost = ~(np.isfinite(mean) & np.isfinite(scatter.diagonal()))
    if is_lost.any():
        j = int(np.argmax(is_lost))
        what = f"column {names[j]!r}" if j < len(names) else "y"
        raise too_large(what)


def _of_dense(X, y, weight, threads: int = 0):
    n, d = X.shape
    is_plain = weight is None and X.dtype == np.float64
    if is_plain and d > MOST_COLUMNS:
        return _of_product(X, y)
    sample = slice(None, None, max(1, n // SAMPLE_ROWS))
    columns, total = [*X.T, y], float(n if weight is None else weight.sum())
    seen = np.column_stack([X[sample], y[sample]]).astype(np.float64)
    # Shift a constant column by its value, so that exact zeros remain.
    with np.errstate(over="ignore", invalid="ignore"):  # columns that are too large are rejected by name
        shift = np.where((seen == seen[0]).all(axis=0), seen[0], seen.mean(axis=0))
    return centered_sums(columns, weight, total, shift, threads)


def centered_sums(
    columns: Sequence[NDArray], weight: NDArray | None, total: float, shift: NDArray[np.float64], threads: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the means and centered second moments of columns.

    The columns are multiplied after subtracting `shift`. If a shift is too far from the mean for an accurate result, it
    is moved to the mean and the columns are read again. The result is not finite if a column is not, or if sums of
    squares overflow.
    """
    weight = None if weight is None else np.ascontiguousarray(weight)
    for is_last in (False, False, True):
        products = _core.column_products(columns, shift, weight, threads)
        with np.errstate(over="ignore", invalid="ignore"):
            off = products.first / total
            scatter = products.second - np.outer(products.first, off)
            squares = np.einsum("ii->i", scatter)  # a view; rounding must not leave a negative sum of squares
            np.maximum(squares, 0, out=squares)
            # The rounding of the mean itself cannot be corrected.
            is_near = off**2 <= np.maximum(squares / total, (4e-16 * shift) ** 2)
        if is_last or is_near.all() or not np.isfinite(off).all():
            break
        shift = np.where(is_near, shift, shift + off)
    return shift + off, scatter


def _of_product(X, y):
    """Compute means and centered second moments by a BLAS product, without weights.

    Centering after the product avoids a copy of X, and loses no digits for columns near zero. The other columns are
    centered first and their products are computed again.
    """
    n, d = X.shape
    mean, y_mean = X.T @ np.ones(n) / n, float(y.mean())
    rest = y - y_mean
    cross = X.T @ rest - mean * rest.sum()
    full = np.empty((d + 1, d + 1))
    full[:-1, :-1] = X.T @ X
    variance = np.einsum("ii->i", full)[:-1] / n - mean**2
    far = np.flatnonzero(mean**2 > FAR_FROM_ZERO * np.maximum(variance, 0))
    full[:-1, -1] = full[-1, :-1] = cross
    full[-1, -1] = np.sum(rest**2)
    full[:-1, :-1] -= n * np.outer(mean, mean)
    if len(far):
        mean[far] += (X[:, far] - mean[far]).mean(axis=0)
        centered = X[:, far] - mean[far]
        full[far, :-1] = centered.T @ X - n * np.outer(centered.mean(axis=0), mean)
        full[:-1, far] = full[far, :-1].T
        full[far, -1] = full[-1, far] = centered.T @ rest
        full[np.ix_(far, far)] = centered.T @ centered
    return np.append(mean, y_mean), full


def _of_sparse(X, y, weight, threads: int = 0):
    """Compute means and centered second moments of a sparse matrix.

    Columns with mostly stored values are centered first, as dense columns. The others are centered after the product,
    which is safe because their mean square is at most about their variance.
    """
    n, d = X.shape
    w = np.ones(n) if weight is None else weight
    total = w.sum()
    X = X.astype(np.float64)
    is_stored = X.copy()
    is_stored.data = np.ones_like(X.data)
    is_full = np.asarray(is_stored.T @ w).ravel() > 0.3 * total
    full_columns, sparse_columns = np.flatnonzero(is_full), np.flatnonzero(~is_full)
    dense = np.column_stack([X[:, full_columns].toarray(), y])
    mean_dense, scatter_dense = _of_dense(dense[:, :-1], dense[:, -1], weight, threads)
    rest = X[:, sparse_columns]
    mean_rest = np.asarray(rest.T @ w).ravel() / total
    weighted = rest.multiply(w[:, None]).tocsc() if weight is not None else rest
    gram = np.asarray((rest.T @ weighted).toarray(order="C")) - total * np.outer(mean_rest, mean_rest)
    across = np.asarray(weighted.T @ (dense - mean_dense))
    at_dense, at_rest = np.append(full_columns, d), sparse_columns
    mean, full = np.empty(d + 1), np.empty((d + 1, d + 1))
    mean[at_dense], mean[at_rest] = mean_dense, mean_rest
    full[np.ix_(at_dense, at_dense)] = scatter_dense
    full[np.ix_(at_rest, at_rest)] = gram
    full[np.ix_(at_rest, at_dense)] = across
    full[np.ix_(at_dense, at_rest)] = across.T
    return mean, full
