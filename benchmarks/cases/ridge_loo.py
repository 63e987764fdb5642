"""Closed-form leave-one-out of ridge and kernel ridge at 50 penalties, including the fit at the best."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from sklearn.linear_model import RidgeCV
from sklearn.metrics.pairwise import rbf_kernel

from judge import peak_mb, row, time_calls
from linear_judge import OURS, sized
from vitalfew import KernelRidge, Ridge

SEED, GAMMA = 20240617, 0.02
ALPHAS = np.geomspace(1e4, 1e-2, 50)  # from simple to complex


def load(name: str):
    """X and y: `ridge`, a linear target of 500 columns, or `kernel`, a wave over 20 columns."""
    rng = np.random.default_rng(SEED)
    n, d = (sized(5_000), sized(500)) if name == "ridge" else (sized(2_000), 20)
    X = rng.standard_normal((n, d))
    score = X @ rng.standard_normal(d) / np.sqrt(d)
    return X, (score if name == "ridge" else np.sin(2 * score)) + rng.standard_normal(n)


def our_ridge(X, y):
    """Return the leave-one-out error of each penalty, and the coefficients at the best."""
    model = Ridge(alpha="loo", standardize=False, grid=ALPHAS).fit(X, y)
    return model.selection_.score, model.coef_


def our_kernel_ridge(X, y):
    """Return the leave-one-out error of each penalty."""
    return KernelRidge(alpha="loo", kernel="rbf", gamma=GAMMA, grid=ALPHAS).fit(X, y).selection_.score


def ridge_cv(X, y):
    model = RidgeCV(alphas=ALPHAS, store_cv_results=True).fit(X, y)
    return model.cv_results_.mean(axis=0), model.coef_


def ridge_by_hand(X, y):
    """Compute leave-one-out from the eigenvectors of the smaller product matrix."""
    X, y = X - X.mean(axis=0), y - y.mean()
    values, vectors = np.linalg.eigh(X.T @ X)
    Z = X @ vectors
    product, shrink = Z.T @ y, 1 / (values[:, None] + ALPHAS)
    residual = y[:, None] - Z @ (shrink * product[:, None])
    leverage = (Z * Z) @ shrink + 1 / len(y)
    score = ((residual / (1 - leverage)) ** 2).mean(axis=0)
    return score, vectors @ (shrink[:, score.argmin()] * product)


def kernel_ridge_by_hand(X, y):
    """Compute leave-one-out from the eigenvectors of the kernel matrix."""
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=GAMMA))
    shrink = 1 / (values[:, None] + ALPHAS)
    residual = vectors @ (shrink * (vectors.T @ y)[:, None])
    return ((residual / ((vectors * vectors) @ shrink)) ** 2).mean(axis=0)


def compare() -> list[dict]:
    """Compare ridge with RidgeCV and NumPy, and kernel ridge with NumPy and the eigendecomposition alone."""
    return [*_compare_ridge(), *_compare_kernel_ridge()]


def _compare_ridge() -> list[dict]:
    X, y = load("ridge")
    case = f"ridge, {X.shape[0]:,} x {X.shape[1]:,}, {len(ALPHAS)} penalties"
    peers = {"RidgeCV": ridge_cv, "NumPy eigh by hand": ridge_by_hand}
    times = time_calls({OURS: lambda: our_ridge(X, y), **_calls(peers, X, y)}, repeats=7)
    score, coef = our_ridge(X, y)
    rows = []
    for name, peer in peers.items():
        expected = peer(X, y)
        equal = np.allclose(score, expected[0], rtol=1e-8) and np.allclose(coef, expected[1], rtol=1e-6, atol=1e-10)
        memory = peak_mb("ridge_loo", "ridge", "our_ridge"), peak_mb("ridge_loo", "ridge", peer.__name__)
        rows.append(row(case, name, times[OURS], times[name], equal, memory=memory, note=_least(score)))
    return rows


def _compare_kernel_ridge() -> list[dict]:
    X, y = load("kernel")
    case = f"kernel ridge, {X.shape[0]:,} points, RBF, {len(ALPHAS)} penalties"
    K = rbf_kernel(X, gamma=GAMMA)
    bare = {"numpy.linalg.eigh alone": np.linalg.eigh, "scipy.linalg.eigh alone": _scipy_eigh}
    calls = {OURS: lambda: our_kernel_ridge(X, y), "hand": lambda: kernel_ridge_by_hand(X, y)}
    times = time_calls({**calls, **{name: lambda call=call: call(K) for name, call in bare.items()}}, repeats=5)
    score = our_kernel_ridge(X, y)
    equal = np.allclose(score, kernel_ridge_by_hand(X, y), rtol=1e-8)
    memory = tuple(peak_mb("ridge_loo", "kernel", name) for name in ("our_kernel_ridge", "kernel_ridge_by_hand"))
    rows = [row(case, "NumPy eigh by hand", times[OURS], times["hand"], equal, memory=memory, note=_least(score))]
    for name in bare:
        line = row(case, name, times[OURS], times[name], True, note="the eigenvectors alone, no kernel and no errors")
        rows.append({**line, "equal": ""})
    return rows


def _scipy_eigh(K):
    return scipy.linalg.eigh(K, driver="evd")


def _calls(functions: dict, X, y) -> dict:
    return {name: lambda call=call: call(X, y) for name, call in functions.items()}


def _least(score) -> str:
    return f"least error {score.min():.6f} at {ALPHAS[score.argmin()]:.3g}"
