"""Peers that select subsets: `call(X, y, k)` returns the columns of a model of k features.

Columns are centered and scaled, there is no intercept. Packages that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, orthogonal_mp


@dataclass(frozen=True)
class Peer:
    """Call of a peer, and the package it needs."""

    call: Callable
    package: str = "scikit-learn"
    module: str = "sklearn"

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def label(name: str, peer: Peer) -> str:
    """Return the peer's name, with its version unless the circumstances state it."""
    return name if peer.package in ("scikit-learn", "numpy") else f"{name}, version {version(peer.package)}"


def omp(X, y, k):
    """Select by correlation, not by the decrease of the loss, so the features may differ."""
    return np.flatnonzero(orthogonal_mp(X, y, n_nonzero_coefs=k))


def forward_by_hand(X, y, k):
    """Compute the Gram matrix once, then the exact decrease for every column with one Cholesky row per step."""
    gram, cross = X.T @ X, X.T @ y
    square, chosen = np.diag(gram).copy(), []
    is_free, rows = np.ones(len(cross), bool), np.empty((k, len(cross)))
    for s in range(k):
        j = int(np.where(is_free, cross**2 / np.maximum(square, 1e-12), -1).argmax())
        chosen.append(j)
        is_free[j] = False
        rows[s] = (gram[j] - rows[:s, j] @ rows[:s]) / np.sqrt(square[j])
        cross = cross - rows[s] * (cross[j] / np.sqrt(square[j]))
        square = square - rows[s] ** 2
    return chosen


def sequential(X, y, k):
    """Fit every candidate and score it on the training rows, as ours does."""
    rows = np.arange(len(y))
    search = SequentialFeatureSelector(
        LinearRegression(), n_features_to_select=k, cv=[(rows, rows)], scoring="neg_mean_squared_error"
    )
    return np.flatnonzero(search.fit(X, y).get_support())


def mlxtend_sequential(X, y, k):
    """Run the same search in mlxtend."""
    from mlxtend.feature_selection import SequentialFeatureSelector as Search

    search = Search(LinearRegression(), k_features=k, cv=0, scoring="neg_mean_squared_error")
    return list(search.fit(X, y).k_feature_idx_)


def mlxtend_exhaustive(X, y, k):
    """Try all subsets of one size."""
    from mlxtend.feature_selection import ExhaustiveFeatureSelector as Search

    search = Search(
        LinearRegression(), min_features=k, max_features=k, cv=0, scoring="neg_mean_squared_error", print_progress=False
    )
    return list(search.fit(X, y).best_idx_)


def all_subsets_by_hand(X, y, k):
    """Try all subsets of one size, by batches of small Gram systems."""
    gram, cross = X.T @ X, X.T @ y
    best, found = -1.0, None
    subsets = itertools.combinations(range(len(cross)), k)
    while (batch := np.array(list(itertools.islice(subsets, 100_000)))).size:
        parts = cross[batch]
        gain = (np.linalg.solve(gram[batch[:, :, None], batch[:, None, :]], parts[..., None])[..., 0] * parts).sum(1)
        if gain.max() > best:
            best, found = gain.max(), batch[gain.argmax()]
    return found


def abess_path(X, y, k):
    """Run splicing for every size up to k, with warm starts."""
    from abess.linear import LinearRegression as Abess

    model = Abess(path_type="seq", support_size=range(1, k + 1), fit_intercept=False, covariance_update=True, thread=1)
    return np.flatnonzero(model.fit(X, y).coef_)


def abess_size(X, y, k):
    """Run splicing for one size."""
    from abess.linear import LinearRegression as Abess

    model = Abess(path_type="seq", support_size=[k], fit_intercept=False, covariance_update=True, thread=1)
    return np.flatnonzero(model.fit(X, y).coef_)


def sparse_gams(X, y, k):
    """Run coordinate descent and swaps; return the largest support of at most k features on its path."""
    import fastsparsegams

    model = fastsparsegams.fit(
        X, y, loss="SquaredError", penalty="L0", algorithm="CDPSI", max_support_size=k, num_lambda=100, intercept=False
    )
    coef = model.coeffs[0].toarray() if hasattr(model.coeffs[0], "toarray") else np.asarray(model.coeffs[0])
    size = (coef != 0).sum(axis=0)
    return np.flatnonzero(coef[:, int(np.argmax(np.where(size <= k, size, -1)))])


def okridge(X, y, k, seconds=100.0):
    """Run branch and bound with a ridge of 1e-3; its final gap refers to another objective, without the square of y."""
    from okridge.tree import BNBTree

    _, coef, gap, _, _ = BNBTree(X=X, y=y, lambda2=1e-3).solve(k=k, gap_tol=1e-4, verbose=False, time_limit=seconds)
    return np.flatnonzero(coef), float(gap)


PEERS = {
    "orthogonal_mp": Peer(omp),
    "NumPy forward by hand": Peer(forward_by_hand, "numpy"),
    "SequentialFeatureSelector": Peer(sequential),
    "mlxtend SequentialFeatureSelector": Peer(mlxtend_sequential, "mlxtend", "mlxtend"),
    "mlxtend ExhaustiveFeatureSelector": Peer(mlxtend_exhaustive, "mlxtend", "mlxtend"),
    "NumPy all subsets by hand": Peer(all_subsets_by_hand, "numpy"),
    "abess, sizes up to k": Peer(abess_path, "abess", "abess"),
    "abess, size k": Peer(abess_size, "abess", "abess"),
    "fastsparsegams": Peer(sparse_gams, "fastsparsegams", "fastsparsegams"),
    "okridge": Peer(okridge, "okridge", "okridge"),
}
