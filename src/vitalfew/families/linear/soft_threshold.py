"""Soft threshold: the lasso with a single feature, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def soft_threshold(values: ArrayLike, threshold: ArrayLike) -> NDArray[np.float64]:
    r"""Shrink values toward zero by a threshold, and set those below it to zero.

    This is the minimizer of the lasso with one feature, :math:`x = 1`:

    .. math:: \hat\theta(\lambda) = \operatorname{argmin}_\theta \tfrac12 (y - \theta)^2 + \lambda |\theta|
       = \operatorname{sign}(y) \, (|y| - \lambda)_+ .

    Parameters
    ----------
    values : array-like
        The :math:`y` above: least-squares coefficients of orthonormal features.
    threshold : float or array-like
        :math:`\lambda \ge 0`, broadcast against `values`.

    Returns
    -------
    ndarray of float

    References
    ----------
    Donoho & Johnstone (1994), doi:10.1093/biomet/81.3.425. 427, lecture 11: l1 regularization, lasso and compressed
    sensing.

    Examples
    --------
    >>> from vitalfew import soft_threshold
    >>> soft_threshold([-3.0, 0.5, 2.0], 1.0)
    array([-2.,  0.,  1.])
    """
    y, limit = np.asarray(values, dtype=float), np.asarray(threshold, dtype=float)
    if not (limit >= 0).all():
        raise ValueError(f"threshold must be nonnegative, got {threshold!r}.")
    return np.sign(y) * np.maximum(np.abs(y) - limit, 0.0) + 0.0  # -0.0 becomes 0.0
