"""Scaling of the lasso path with rows, columns and active features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cases.lasso_path import N_PENALTIES, correlated, ours
from judge import time_calls
from linear_judge import OURS, penalties, sized


def compare() -> list[dict]:
    """Return no rows: this case has no peer."""
    return []


def tables() -> dict[str, list[dict]]:
    """Return our times as rows, columns or active features double."""
    start = {"rows": sized(1_000), "columns": sized(5_000), "active wanted": sized(50, 5)}
    lines = []
    for grown in start:
        for doublings in range(4):
            size = {**start, grown: start[grown] << doublings}
            lines.append({"doubled": grown, **size, **_timed(*size.values())})
    return {"Our time for 100 penalties, each size doubled in turn": lines}


def _timed(n: int, d: int, wanted: int) -> dict:
    """Time a path that ends where the wanted number of features is active."""
    X, y = correlated(n, d)
    alphas = penalties(X, y, 100, N_PENALTIES)
    enough = np.flatnonzero(_n_active(ours(X, y, alphas)) >= wanted)
    alphas = penalties(X, y, alphas[0] / alphas[enough[0] if len(enough) else -1], N_PENALTIES)
    seconds = time_calls({OURS: lambda: ours(X, y, alphas)}, repeats=3)[OURS].best
    active = _n_active(ours(X, y, alphas))
    return {"active at the end": int(active[-1]), "active on average": float(active.mean()), "s": seconds}


def _n_active(coef):
    return np.diff(sparse.csr_matrix(coef).indptr)
