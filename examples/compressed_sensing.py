"""Recover a sparse signal from fewer measurements than it has entries, and see where that stops being possible.

A signal with k non-zero entries of d is seen through m random measurements, y = X signal. For which shares k/m and m/d
do the lasso, greedy search and exchanges of columns find it? For the lasso, in the limit of large d there is a sharp
line between always and never (Donoho & Tanner, 2005; here in the form of Stojnic, 2009): a signal with d delta = m
measurements and rho = k/m is found where the statistical dimension of the descent cone of the L1 norm is below m.

Run: python examples/compressed_sensing.py [output folder]. Writes phase-transition.html and .svg.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from vitalfew import BestSubsetRegressor, GreedySubsetRegressor, Lasso

D, TRIALS, SEED = 120, 8, 0
SHARES = np.linspace(0.05, 0.95, 10)
FOUND = 1e-3  # relative error below which a signal counts as recovered


def measure(rng, m: int, k: int):
    """Return the measurement matrix, the measurements and the signal."""
    X = rng.standard_normal((m, D)) / np.sqrt(m)
    signal = np.zeros(D)
    signal[rng.choice(D, k, replace=False)] = rng.standard_normal(k)
    return X, X @ signal, signal


def lasso(X, y):
    """Return the end of the path, where the penalty is nearly zero: the solution of least L1 norm."""
    return Lasso("bic", grid=30, grid_ratio=1e-7, fit_intercept=False, standardize=False).fit(X, y).path_.at(29)[0]


def greedy(X, y):
    """Add columns one by one, refitting all coefficients, until the residual is zero."""
    return _end(GreedySubsetRegressor("bic", max_features=len(y) - 1, fit_intercept=False).fit(X, y))


def exchanges(X, y):
    """Find subsets by exchanges; with fewer rows than columns there is no proof of optimality."""
    options = {"max_features": len(y) // 2 + 1, "fit_intercept": False, "near_ties": 0.0}
    return _end(BestSubsetRegressor("bic", **options).fit(X, y))


def _end(model):
    return model.path_.at(len(model.path_.grid) - 1)[0]


METHODS = {"lasso": lasso, "greedy": greedy, "best subset by exchanges": exchanges}


def recovery(method, rng) -> list[dict]:
    """Return the fraction of trials in which the signal is recovered, over a grid of m/d and k/m."""
    rows = []
    for delta in SHARES:
        m = max(2, round(delta * D))
        for rho in SHARES:
            k = max(1, round(rho * m))
            hits = 0
            for _ in range(TRIALS):
                X, y, signal = measure(rng, m, k)
                hits += np.linalg.norm(method(X, y) - signal) <= FOUND * np.linalg.norm(signal)
            rows.append({"delta": float(delta), "rho": float(rho), "recovered": hits / TRIALS})
    return rows


def theory(delta: float) -> float:
    """Return the largest rho = k/m at which the statistical dimension of the descent cone stays below m."""

    def dimension(sparsity):  # of one entry in d, minimized over the scale of the subdifferential
        def value(tau):
            tail = 2 * ((1 + tau**2) * norm.sf(tau) - tau * norm.pdf(tau))
            return sparsity * (1 + tau**2) + (1 - sparsity) * tail

        return minimize_scalar(value, bounds=(0, 10), method="bounded").fun

    return brentq(lambda rho: dimension(rho * delta) - delta, 1e-6, 1 - 1e-9)


def chart(rows: list[dict], name: str):
    """Plot the recovered fractions as a heat map, with the theoretical line."""
    x = alt.X("delta:Q", title="m/d, measurements per entry", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("rho:Q", title="k/m, non-zeros per measurement", scale=alt.Scale(domain=[0, 1]))
    map_ = (
        alt.Chart(alt.Data(values=rows))
        .mark_square(size=620)
        .encode(
            x=x,
            y=y,
            color=alt.Color("recovered:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1])),
            tooltip=["delta:Q", "rho:Q", "recovered:Q"],
        )
    )
    line = [{"delta": float(d), "rho": theory(float(d))} for d in np.linspace(0.03, 0.98, 60)]
    curve = alt.Chart(alt.Data(values=line)).mark_line(color="crimson", strokeWidth=3).encode(x="delta:Q", y="rho:Q")
    return alt.layer(map_, curve).properties(
        title=f"{name}: signals found, and the line of theory for the lasso", width=340, height=340
    )


def main(folder: Path) -> None:
    rng = np.random.default_rng(SEED)
    X, y, signal = measure(rng, 60, 12)
    found = lasso(X, y)
    print(f"{np.count_nonzero(signal)} of {D} entries from {len(y)} measurements:", end=" ")
    print(f"relative error {np.linalg.norm(found - signal) / np.linalg.norm(signal):.1e}")
    charts, agreement = [], []
    for name, method in METHODS.items():
        rows = recovery(method, rng)
        charts.append(chart(rows, name))
        agreement.append(np.mean([(r["recovered"] > 0.5) == (r["rho"] < theory(r["delta"])) for r in rows]))
        print(f"{name}: {agreement[-1]:.0%} of the {len(rows)} cells fall on the side of the line that theory says")
    folder.mkdir(parents=True, exist_ok=True)
    both = alt.hconcat(*charts)
    both.save(str(folder / "phase-transition.html"), inline=True)
    both.save(str(folder / "phase-transition.svg"))
    print(f"wrote phase-transition.html and .svg to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output"))
