"""Kernel ridge regressions whose left-out errors are a fixed matrix applied to the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.answers.columns import LINEAR, PAIRS, SMOOTH, SQUARES, as_scores, is_binary
from vitalfew.support.deadline import check_deadline

# Up to this many rows, kernels are exact. Beyond, they are approximated from LANDMARKS rows.
EXACT_ROWS = 300
LANDMARKS = 256
# Bandwidths of the Gaussian kernel, as multiples of 1 / (total variance).
BANDWIDTHS = (0.3, 1.0)
# Penalties as multiples of the mean diagonal of the centered kernel: the ratio of noise to signal that they assume.
PENALTIES = {LINEAR: (3.0, 30.0), SQUARES: (10.0,), PAIRS: (10.0,), SMOOTH: (3.0,)}


@dataclass(frozen=True)
class Smoother:
    r"""Ridge regression on eigenvectors U of a centered kernel, with an intercept that is not penalized.

    Predictions are Hy with :math:`H = 11^\top / n + U \mathrm{diag}(shrink) U^\top`. Without the rows of block g, they
    leave the residuals :math:`(I - H_{gg})^{-1} (y - Hy)_g` on it. A block is one row, or the rows of one group.
    """

    name: str
    family: str
    vectors: NDArray[np.float64]
    shrink: NDArray[np.float64]
    size: int = 1

    @cached_property
    def inverse(self) -> NDArray[Any]:
        """Inverses of the diagonal blocks of I - H, of shape (blocks, size, size)."""
        n = len(self.vectors)
        blocks = self.vectors.reshape(n // self.size, self.size, -1)
        hat = (blocks * self.shrink) @ blocks.transpose(0, 2, 1) + 1 / n
        return np.linalg.inv(np.eye(self.size) - hat)

    def left_out_residuals(self, Y: NDArray, projected: NDArray | None = None) -> NDArray[np.float64]:
        """Return the residuals of rows predicted without their block, for each centered target. O(n m) per target.

        `projected` is UᵀY, which the penalties of a kernel share.
        """
        if projected is None:
            projected = self.vectors.T @ Y
        residual = Y - self.vectors @ (self.shrink[:, None] * projected)
        if self.size == 1:
            residual *= self.inverse[:, 0]
            return residual
        return (self.inverse @ residual.reshape(len(self.inverse), self.size, -1)).reshape(Y.shape)


def smoothers(X: Any, size: int) -> Iterator[list[Smoother]]:
    """Yield the smoothers of each kernel. O(n m (p + m)) with m landmarks, which are all rows if there are few."""
    n = X.shape[0]
    landmarks = np.arange(n) if n <= EXACT_ROWS else np.linspace(0, n - 1, LANDMARKS).astype(int)
    for name, family, kernel in _kernels(X, landmarks):
        check_deadline()
        values, vectors = _eigen(kernel, landmarks)
        scale = values.sum() / n
        yield [
            Smoother(f"{name}, penalty {penalty:g}", family, vectors, values / (values + penalty * scale), size)
            for penalty in PENALTIES[family]
            if len(values)
        ]


def _kernels(X: Any, landmarks: NDArray) -> Iterator[tuple[str, str, NDArray]]:
    """Yield name, family and (rows, landmarks) of the kernels: linear, squares, pairs of columns, and Gaussian."""
    yield "linear ridge", LINEAR, centered_products(X, landmarks)
    scores = X if sparse.issparse(X) else as_scores(X)
    if not sparse.issparse(X) and not (binary := is_binary(X)).all():
        yield "ridge on squares", SQUARES, _square_products(scores[:, ~binary], landmarks)[0]
    products = centered_products(scores, landmarks)
    squares, norms = _square_products(scores, landmarks)
    if X.shape[1] > 1:
        yield "ridge on pairs", PAIRS, (products**2 - squares) / 2
    distance = np.maximum(norms[:, None] + norms[landmarks] - 2 * products, 0) / (norms.mean() or 1.0)
    for bandwidth in BANDWIDTHS:
        yield f"Gaussian kernel, bandwidth {bandwidth:g}", SMOOTH, np.exp(-bandwidth * distance)


def centered_products(X: Any, landmarks: NDArray) -> NDArray[np.float64]:
    """Return the products of centered rows with those of landmarks; a sparse matrix stays sparse."""
    return _shifted_products(X, landmarks, -_mean(X))


def _square_products(X: Any, landmarks: NDArray) -> tuple[NDArray, NDArray]:
    """Return the products of squared centered rows, and the squared norms of the centered rows."""
    mean = _mean(X)
    if not sparse.issparse(X):
        squares = (X - mean) ** 2
        return squares @ squares[landmarks].T, squares.sum(axis=1)
    # (x - m)² is x² - 2 m x, which is sparse, plus m².
    squares = (X.multiply(X) - 2 * X @ sparse.diags_array(mean)).tocsr()
    return _shifted_products(squares, landmarks, mean**2), np.asarray(squares.sum(axis=1)).ravel() + np.sum(mean**2)


def _mean(X: Any) -> NDArray[np.float64]:
    return np.asarray(X.mean(axis=0)).ravel()


def _shifted_products(X: Any, landmarks: NDArray, shift: NDArray) -> NDArray[np.float64]:
    products = X @ X[landmarks].T
    products = products.toarray() if sparse.issparse(products) else products
    along = np.asarray(X @ shift).ravel()
    return products + along[:, None] + along[landmarks] + shift @ shift


def _eigen(kernel: NDArray, landmarks: NDArray) -> tuple[NDArray, NDArray]:
    """Return positive eigenvalues and eigenvectors of the centered kernel, or of its Nyström approximation."""
    size = float(np.max(np.abs(kernel[landmarks].diagonal())))
    if len(kernel) == len(landmarks):
        kernel = kernel - kernel.mean(axis=0)
        values, vectors = np.linalg.eigh(kernel - kernel.mean(axis=1, keepdims=True))
        kept = _positive(values, size)
        return values[kept], np.ascontiguousarray(vectors[:, kept])
    values, rotation = np.linalg.eigh(kernel[landmarks])
    kept = _positive(values, size)
    features = kernel @ (rotation[:, kept] / np.sqrt(values[kept]))
    features -= features.mean(axis=0)
    values, rotation = np.linalg.eigh(features.T @ features)
    kept = _positive(values, size)
    return values[kept], features @ (rotation[:, kept] / np.sqrt(values[kept]))


def _positive(values: NDArray, size: float) -> NDArray[np.bool_]:
    return values > 1e-9 * max(float(values.max(initial=0.0)), size, np.finfo(float).tiny)
