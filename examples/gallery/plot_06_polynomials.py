"""
A polynomial by subsets, forward-fitting and myopic steps
=========================================================

The features are powers of x. Best subsets and greedy search refit all coefficients in each step. Forward-fitting
changes one coefficient at a time, and its myopic form selects it by the derivative alone. Smaller steps need more steps
to reach the same error. The data and searches are those of ``examples/polynomial.py``.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import MUTED, QUIET, example, labeled_lines, styled

polynomial = example("polynomial")
x, y = polynomial.sample()
powers = polynomial.powers_of(x)
models = polynomial.searches(powers, y)

# %%
# The two forms of forward-fitting, step by step. A power may be selected again, because its coefficient was fitted
# before the others entered.

steps = {name: models[name].path_.to_frame() for name in ("forward-fitting", "myopic")}
for name, frame in steps.items():
    again = frame["feature"].duplicated().sum()
    print(f"{name}: {len(frame)} steps, {again} of them on a power that was there already")
    print(frame.to_string(index=False, float_format="%+.3f"), end="\n\n")

# %%
# The error of each search after k steps. The first step is the same for all. No search can have a lower error than the
# best subset with the same number of features. Here, forward-fitting, which maximizes the gain of each step, is never
# worse than the myopic form.

rows = []
for name, model in models.items():
    frame = model.path_.to_frame()
    error = frame["mean_squared_error"] if "k" in frame else 2 * frame["J"] / len(y)
    step = frame["k"] if "k" in frame else frame["iteration"]
    rows.append(pd.DataFrame({"step": step, "error": error, "search": name}).query("step > 0"))
errors = pd.concat(rows)
wide = errors.pivot_table(index="step", columns="search", values="error")
assert np.allclose(wide.loc[1], wide.loc[1, "greedy"])
for name in ("greedy", "forward-fitting", "myopic"):
    both = wide[["best subset", name]].dropna()
    assert (both["best subset"] <= both[name] + 1e-12).all()
x_axis = alt.X(
    "step:Q",
    title="steps, or features of the subset",
    axis=alt.Axis(tickMinStep=1, format="d"),
    scale=alt.Scale(domain=[1, 12], nice=False),
)
y_axis = alt.Y(
    "error:Q",
    title="mean squared error on the rows",
    scale=alt.Scale(type="log", domain=[0.018, 0.14], nice=False),
    axis=alt.Axis(values=[0.02, 0.03, 0.05, 0.1]),
)
chart = labeled_lines(errors, x_axis, y_axis, "search", point=True).properties(
    width=500, height=300, title="Error against the number of steps"
)
chart = styled(chart)

# %%
# The fits: forward-fitting and myopic steps on their way, and the best subset of four powers, which they approach.

grid = np.linspace(-1, 1, 120)
on_grid = polynomial.powers_of(grid).to_numpy()
rows = []
for name in ("forward-fitting", "myopic"):
    coef = models[name].path_.coef
    for k in (1, 2, 3, 5, 10):
        rows.append(pd.DataFrame({"x": grid, "y": on_grid @ coef[k], "steps": k, "search": name}))
fits = pd.concat(rows)
best = pd.DataFrame({"x": grid, "y": models["best subset"].predict(polynomial.powers_of(grid))})
points = pd.DataFrame({"x": x, "y": y})
up = alt.Y("y:Q", title="y", scale=alt.Scale(domain=[float(y.min()) - 0.1, float(y.max()) + 0.1], nice=False))
panels = []
for name in ("forward-fitting", "myopic"):
    lines = alt.Chart(fits[fits["search"] == name]).mark_line(clip=True)
    panels.append(
        alt.layer(
            alt.Chart(points).mark_circle(color=QUIET, opacity=1).encode(x="x:Q", y=up),
            alt.Chart(best).mark_line(color=MUTED, strokeDash=[5, 4]).encode(x="x:Q", y=up),
            lines.encode(
                x="x:Q",
                y=up,
                color=alt.Color("steps:O", title="steps", scale=alt.Scale(scheme="viridis", reverse=True)),
            ),
        ).properties(width=280, height=260, title=f"{name}; dashed: best subset")
    )
chart = alt.hconcat(*panels, spacing=25).properties(description="Fits after 1 to 10 steps, and the best subset.")
chart = styled(chart)
