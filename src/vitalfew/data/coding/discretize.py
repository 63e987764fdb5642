"""Discretization of numeric columns into a few ordered codes.

The convention is the same everywhere: the code of ``x`` is the number of cuts below it, ``np.searchsorted(cuts, x,
side="left")``, so bin ``b`` holds ``cuts[b - 1] < x <= cuts[b]``.
"""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, check_X_y

from vitalfew import _core
from vitalfew.data.tables.feature_names import check_features, validate_array
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_discrete, count_weight

STRATEGIES = ("mdl", "quantile", "uniform")
LARGEST_WEIGHT = 1e300
# Up to this many cuts, comparing a column with each cut is faster than a binary search for each value.
MOST_COMPARED = 64


def cut_columns(
    X: NDArray[np.float64],
    y_codes: NDArray[np.int32] | None,
    n_classes: int,
    sample_weight: NDArray[np.float64] | None,
    strategy: str,
    n_bins: int,
    threads: int,
) -> list[NDArray[np.float64]]:
    """Compute the cut points of each column.

    Parameters
    ----------
    X : ndarray of float64, shape (n_samples, n_features)
        Finite values, or NaN for missing ones, which are ignored. Any strides.
    y_codes : ndarray of int32, shape (n_samples,), or None
        Classes 0 to ``n_classes - 1``; used only by ``"mdl"``.
    n_classes : int
        Number of classes.
    sample_weight : ndarray of float64, shape (n_samples,), or None
        Nonnegative; a sample of weight 2 counts as two samples, one of weight 0 as absent.
    strategy : {"mdl", "quantile", "uniform"}
        See :class:`Discretizer`.
    n_bins : int
        Maximum number of bins for ``"quantile"``, number of bins for ``"uniform"``; ignored by ``"mdl"``.
    threads : int
        Number of threads for ``"mdl"``; 0 means all.

    Returns
    -------
    list of n_features ndarrays of float64
        Strictly increasing; empty for a column that is not cut.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [7.0], [8.0]])
    >>> cut_columns(X, np.array([0, 0, 1, 1], dtype=np.int32), 2, None, "mdl", 5, 1)
    [array([4.5])]
    """
    if strategy == "mdl":
        assert y_codes is not None
        found = _core.mdl_cuts(X, y_codes, sample_weight, n_classes, threads)
        flat, start = found.value, found.start
        return np.split(flat, start[1:-1]) if X.shape[1] else []
    cut = _quantile_cuts if strategy == "quantile" else _uniform_cuts
    cuts = []
    for column in X.T:
        is_used = ~np.isnan(column)
        if sample_weight is not None:
            is_used &= sample_weight > 0
        cuts.append(cut(column[is_used], None if sample_weight is None else sample_weight[is_used], n_bins))
    return cuts


def apply_cuts(column: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the codes of values: the number of cuts below each.

    Parameters
    ----------
    column : ndarray of float64, any shape
        Values; NaN means missing.
    cuts : ndarray of float64, shape (n_cuts,)
        Increasing, as returned by :func:`cut_columns`.

    Returns
    -------
    ndarray of float64, same shape as ``column``
        0 to ``n_cuts``, NaN where the value is missing.

    Examples
    --------
    >>> apply_cuts(np.array([-9.0, 4.5, 4.6, np.nan]), np.array([4.5]))
    array([ 0.,  0.,  1., nan])
    """
    if len(cuts) <= MOST_COMPARED:
        below: NDArray = np.zeros(column.shape, dtype=np.uint8)
        for cut in cuts:
            below += column > cut
    else:
        below = np.searchsorted(cuts, column, side="left")
    codes = below.astype(np.float64)
    codes[np.isnan(column)] = np.nan
    return codes


def _quantile_cuts(x, weight, n_bins: int) -> NDArray[np.float64]:
    """Return the inner quantiles, averaged where the CDF is flat, as NumPy's "averaged_inverted_cdf"."""
    if x.size == 0:
        return np.empty(0)
    if weight is None:
        x = np.sort(x)
        rank = np.arange(1, n_bins) * x.size
        below = -(-rank // n_bins) - 1
        is_flat = rank % n_bins == 0
    else:
        order = np.argsort(x, kind="stable")
        x, mass = x[order], np.cumsum(weight[order])
        # Both sides are integers for integer weights, so a weight of 2 equals a repeated sample exactly.
        rank = np.arange(1, n_bins) * mass[-1]
        below = np.searchsorted(mass * n_bins, rank, side="left")
        is_flat = mass[below] * n_bins == rank
    above = np.minimum(below + is_flat, x.size - 1)
    return _without_empty_bins(between(x[below], x[above]), x)


def _uniform_cuts(x, _weight, n_bins: int) -> NDArray[np.float64]:
    """Return equally spaced cuts between the smallest and the largest value."""
    if x.size == 0:
        return np.empty(0)
    low, high = x.min(), x.max()
    # Use halves, because the range of a column may exceed the largest float.
    cuts = np.unique(2 * np.linspace(low / 2, high / 2, n_bins + 1)[1:-1])
    return cuts[(cuts >= low) & (cuts < high)]


def between(low, high) -> NDArray[np.float64]:
    """Return midpoints, or the lower value where the midpoint rounds to the upper one."""
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def _without_empty_bins(cuts, x_sorted) -> NDArray[np.float64]:
    """Keep the first of the cuts that give the same split, and none above the largest value."""
    rows_left = np.searchsorted(x_sorted, cuts, side="right")
    rows_left, first = np.unique(rows_left, return_index=True)
    return cuts[first[rows_left < x_sorted.size]]


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Transformer that discretizes numeric columns into ordered bins, with supervised cuts by default.

    With ``strategy="mdl"``, a set :math:`S` of :math:`N` samples is cut at the value :math:`T` that minimizes the
    class entropy, if the gain pays for the description of the cut,

    .. math::

        \mathrm{Gain}(S, T) > \frac{\log_2(N - 1) + \log_2(3^k - 2)
        - \left[k\,\mathrm{Ent}(S) - k_1\,\mathrm{Ent}(S_1) - k_2\,\mathrm{Ent}(S_2)\right]}{N},

    where :math:`\mathrm{Gain} = \mathrm{Ent}(S) - \sum_i \frac{N_i}{N} \mathrm{Ent}(S_i)` and
    :math:`k, k_1, k_2` are the numbers of classes present; both parts are then cut recursively. A column that is not
    informative about the class by itself gets one bin.

    Parameters
    ----------
    strategy : {"mdl", "quantile", "uniform"}, default="mdl"
        "mdl" cuts where the classes change and needs ``y``. "quantile" makes bins of equal weight, fewer than
        ``n_bins`` if values are tied. "uniform" makes bins of equal width.
    n_bins : int, default=5
        Number of bins, at least 2. Ignored by "mdl".
    n_jobs : int or None, default=None
        Number of threads over columns for "mdl"; None means 1 unless in a joblib context, -1 means all.

    Attributes
    ----------
    cuts_ : list of n_features ndarrays of float64
        Increasing cuts of each column; bin ``b`` holds ``cuts[b - 1] < x <= cuts[b]``.
    n_bins_ : ndarray of int64, shape (n_features,)
        Number of bins of each column, one more than its cuts.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the columns, if they are strings.

    Notes
    -----
    With "mdl", a cut is the midpoint of the two neighboring values that it separates; of equally good cuts the lowest
    is chosen. A missing value (NaN) does not affect the cuts and stays NaN; values outside the training range go to
    the outer bins. Weights represent numbers of samples; weights that sum to less than the number of samples are shares
    and are scaled to sum to it.

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. *Proceedings of the 13th International Joint Conference on Artificial
    Intelligence*, 1022-1027.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew.data.coding.discretize import Discretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> discretizer = Discretizer().fit(X, y)
    >>> discretizer.n_bins_
    array([3, 3, 3, 3])
    >>> discretizer.interval_labels(2)
    ['<= 2.45', '2.45 – 4.75', '> 4.75']
    >>> discretizer.transform(X)[:2]
    array([[0., 2., 0., 0.],
           [0., 1., 0., 0.]])
    """

    def __init__(self, strategy="mdl", *, n_bins=5, n_jobs=None) -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "mdl"
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like or data frame, shape (n_samples, n_features)
            Numbers; NaN means missing.
        y : array-like, shape (n_samples,), or None
            Classes, used by "mdl"; the other strategies ignore them.
        sample_weight : array-like, shape (n_samples,), or None
            Nonnegative weights, 1 if None; "uniform" only checks which are 0.

        Returns
        -------
        Discretizer
            The fitted discretizer.
        """
        self._check_parameters()
        check_given(X)
        y_codes, n_classes = None, 0
        if self.strategy == "mdl":
            with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn first tests a sum, which may overflow
                y = _check_labels(y)
                given, (X, y) = X, check_X_y(X, y, dtype=np.float64, ensure_all_finite=False, estimator=self)
            check_features(self, given)
            check_discrete(y)
            classes, position = np.unique(y, return_inverse=True)
            y_codes, n_classes = position.astype(np.int32), len(classes)
        else:
            X = validate_array(self, X, dtype=np.float64, ensure_all_finite=False)
        self._refuse_infinite(X)
        weight = count_weight(_check_weight(sample_weight, X))
        threads = effective_n_jobs(self.n_jobs)
        self.cuts_ = cut_columns(X, y_codes, n_classes, weight, self.strategy, self.n_bins, threads)
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cuts_], dtype=np.int64)
        return self

    def transform(self, X) -> Any:
        """Return the bin codes.

        Parameters
        ----------
        X : array-like or data frame, shape (n_samples, n_features)
            Numbers; NaN means missing.

        Returns
        -------
        ndarray of float64, shape (n_samples, n_features)
            0 to ``n_bins_[j] - 1`` in column ``j``, NaN where the value is missing.
        """
        check_is_fitted(self)
        check_given(X)
        X = validate_array(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
        self._refuse_infinite(X)
        codes = np.empty_like(X)
        for j, cuts in enumerate(self.cuts_):
            codes[:, j] = apply_cuts(X[:, j], cuts)
        return codes

    def interval_labels(self, j):
        """Return text labels for the bins of a column.

        Parameters
        ----------
        j : int
            Position of the column.

        Returns
        -------
        list of str
            One label for each bin; ``"a – b"`` is ``a < x <= b``.
        """
        check_is_fitted(self)
        return interval_names(self.cuts_[j])

    def _check_parameters(self):
        check_choice("strategy", self.strategy, STRATEGIES)
        if not isinstance(self.n_bins, Integral) or self.n_bins < 2:
            raise ValueError(f"n_bins must be an integer >= 2, got {self.n_bins!r}.")

    def _refuse_infinite(self, X):
        columns = np.flatnonzero(np.isinf(X).any(axis=0))
        if columns.size:
            names = getattr(self, "feature_names_in_", None)
            column = columns[0] if names is None else repr(str(names[columns[0]]))
            raise ValueError(
                f"X has an infinite value in column {column}; expected finite values or NaN. "
                "Replace it by a large finite number, or by NaN if it means missing."
            )


def interval_names(cuts) -> list[str]:
    """Return a text label for each interval between the cuts of a column."""
    shown = _format_apart(cuts)
    if not shown:
        return ["any value"]
    inner = [f"{low} – {high}" for low, high in pairwise(shown)]
    return [f"<= {shown[0]}", *inner, f"> {shown[-1]}"]


def _check_labels(y):
    """Reject missing labels with a clear message; scikit-learn does the rest of the validation."""
    if y is None:
        return y
    check_given(y, "y")
    values = np.asarray(y)
    if values.dtype.kind == "f":
        is_missing = np.isnan(values)
    elif values.dtype.kind == "O":
        is_missing = np.array([_is_missing(label) for label in values.ravel()], dtype=bool)
    else:
        return y
    if is_missing.any():
        raise ValueError(
            f"y has a missing label in row {np.flatnonzero(is_missing)[0]}; expected a class for each row. "
            "Drop the rows without a label."
        )
    return y


def _is_missing(label) -> bool:
    # NaN differs from itself; pandas.NA compared with itself is not even a boolean.
    is_itself = label == label
    return label is None or not isinstance(is_itself, bool | np.bool_) or not is_itself


def _check_weight(sample_weight, X) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    name = "sample_weight"
    check_given(sample_weight, name)
    weight = check_array(sample_weight, dtype=np.float64, ensure_2d=False, order="C", copy=True, input_name=name)
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, got {weight.ndim} dimensions.")
    check_consistent_length(X, weight)
    if weight.min() < 0:
        raise ValueError(f"sample_weight must be >= 0, got {weight.min()}; use 0 to exclude a row.")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one weight must be positive.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not total < LARGEST_WEIGHT:
        raise ValueError(f"sample_weight must sum to less than {LARGEST_WEIGHT}, got {total}; rescale the weights.")
    return weight


def _format_apart(cuts) -> list[str]:
    """Format the cuts with the fewest digits, at least six, that keep them distinct."""
    texts: list[str] = []
    for digits in range(6, 18):
        texts = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(texts)) == len(texts):
            break
    return texts
