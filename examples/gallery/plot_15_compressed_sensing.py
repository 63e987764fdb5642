"""
Compressed sensing: where recovery stops
========================================

A signal with few nonzero entries can be recovered from fewer measurements than it has entries. There is a sharp
transition: on one side the lasso recovers nearly every signal, on the other nearly none. The trials are those of
``examples/compressed_sensing.py``, with shorter signals.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import WIDE, colors_of, example, styled

sensing = example("compressed_sensing")
sensing.D, sensing.TRIALS, sensing.SHARES = 60, 5, np.linspace(0.1, 0.9, 9)

# %%
# The fraction of signals of 60 entries that are recovered exactly, by measurements per entry and nonzeros per
# measurement. The line is the theoretical limit of the lasso for long signals. Greedy search and exchanges of columns,
# which minimize the number of nonzeros, go beyond it. Exchanges use at most half as many columns as there are
# measurements, and recover nothing above that.

rng = np.random.default_rng(0)
line = pd.DataFrame({"delta": np.linspace(0.05, 0.95, 40)})
line["rho"] = [sensing.theory(float(delta)) for delta in line["delta"]]
panels, found = [], {}
for name, method in sensing.METHODS.items():
    cells = pd.DataFrame(sensing.recovery(method, rng))
    found[name] = cells["recovered"].mean()
    agree = np.mean((cells["recovered"] > 0.5) == (cells["rho"] < [sensing.theory(d) for d in cells["delta"]]))
    print(f"{name}: {found[name]:.0%} of the signals found; {agree:.0%} of the cells on the side that the line says")
    if name == "lasso":
        assert agree > 0.8
    axes = {
        "scale": alt.Scale(domain=[0.05, 0.95], nice=False),
        "axis": alt.Axis(values=[0.2, 0.4, 0.6, 0.8], grid=False),
    }
    across, up = {**axes, "title": "measurements, m/d"}, {**axes, "title": "non-zeros, k/m"}
    boxes = cells.assign(
        left=cells["delta"] - 0.05, right=cells["delta"] + 0.05, low=cells["rho"] - 0.05, high=cells["rho"] + 0.05
    )
    color = alt.Color(
        "recovered:Q",
        title="share of signals found",
        scale=alt.Scale(scheme="viridis", domain=[0, 1]),
        legend=alt.Legend(format="%", gradientLength=180),
    )
    squares = (
        alt.Chart(boxes)
        .mark_rect()
        .encode(x=alt.X("left:Q", **across), x2="right:Q", y=alt.Y("low:Q", **up), y2="high:Q", color=color)
    )
    curve = (
        alt.Chart(line)
        .mark_line(color="white", strokeWidth=3, clip=True)
        .encode(x=alt.X("delta:Q", **across), y=alt.Y("rho:Q", **up))
    )
    panels.append(alt.layer(squares, curve).properties(width=180, height=180, title=name))
chart = alt.hconcat(*panels, spacing=15).properties(description="Share of signals that each method finds.")
chart = styled(chart)

# %%
# A section through the same transition: the probability of recovering a signal with k nonzeros, against the number of
# measurements. It rises from zero to one within a few measurements; more nonzeros need more measurements.

TRIALS = 20
rows = []
for k in (3, 6, 12):
    for m in range(k + 2, 59, 4):
        hits = dict.fromkeys(("lasso", "greedy"), 0)
        for _ in range(TRIALS):
            X, y, signal = sensing.measure(rng, m, k)
            for name in hits:
                error = np.linalg.norm(sensing.METHODS[name](X, y) - signal)
                hits[name] += error <= sensing.FOUND * np.linalg.norm(signal)
        rows += [{"m": m, "k": f"{k} non-zeros", "method": name, "found": n / TRIALS} for name, n in hits.items()]
shares = pd.DataFrame(rows)
half = shares[shares["found"] >= 0.5].groupby(["method", "k"], sort=False)["m"].min().unstack()
print("measurements from which half of the signals are found")
print(half[["3 non-zeros", "6 non-zeros", "12 non-zeros"]].to_string())
assert (half.loc["lasso", ["3 non-zeros", "6 non-zeros", "12 non-zeros"]].diff().dropna() > 0).all()
chart = (
    alt.Chart(shares)
    .mark_line(point=True)
    .encode(
        x=alt.X("m:Q", title="measurements m, of 60 entries", scale=alt.Scale(domain=[0, 60])),
        y=alt.Y("found:Q", title="share of signals found", axis=alt.Axis(format="%")),
        color=alt.Color("k:N", sort=None, title=None, scale=colors_of(["3 non-zeros", "6 non-zeros", "12 non-zeros"])),
        strokeDash=alt.StrokeDash("method:N", title=None, sort=["lasso", "greedy"]),
    )
    .properties(width=WIDE, height=280, title="Recovery against the number of measurements")
)
chart = styled(chart)
