"""
Soft and hard thresholds
========================

For orthogonal columns, a penalty acts on each least-squares coefficient separately. The lasso moves it toward zero by
the penalty (soft threshold), ridge regression multiplies it by a factor, and the best subset keeps or drops it (hard
threshold). The lines are these formulas, and the points are the coefficients of the library's models.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, COLORS, QUIET, WIDE, labeled_lines, styled

from vitalfew import BestSubsetRegressor, Lasso, Ridge

rng = np.random.default_rng(0)
n, d, alpha = 200, 21, 1.0
columns = np.linalg.qr(rng.normal(size=(n, d)))[0] * np.sqrt(n)  # X'X = n I
beta = np.linspace(-3, 3, d)
y = columns @ beta + rng.normal(size=n)
least_squares = columns.T @ y / n

# %%
# On the scale of the mean loss, the lasso's penalty is the threshold itself. Ridge regression, whose penalty is on the
# scale of the sum, divides by :math:`1 + \alpha / n`. The best subset has as many features as there are coefficients
# above the threshold.

n_kept = int((np.abs(least_squares) > alpha).sum())
models = {
    "lasso: soft threshold": Lasso(alpha, fit_intercept=False, standardize=False, tol=1e-12),
    "best subset: hard threshold": BestSubsetRegressor(n_kept, fit_intercept=False),
    "ridge: scaled": Ridge(n * alpha, fit_intercept=False, standardize=False),
}
formulas = {
    "lasso: soft threshold": lambda b: np.sign(b) * np.maximum(np.abs(b) - alpha, 0),
    "best subset: hard threshold": lambda b: np.where(np.abs(b) > alpha, b, 0.0),
    "ridge: scaled": lambda b: b / (1 + alpha),
}
grid = np.sort(
    np.concatenate([np.linspace(-3.3, 3.3, 201), [-alpha, np.nextafter(-alpha, -2), alpha, np.nextafter(alpha, 2)]])
)
lines, points = [], []
for name, model in models.items():
    coef = model.fit(columns, y).coef_
    difference = np.abs(coef - formulas[name](least_squares)).max()
    print(f"{name}: {np.count_nonzero(coef)} of {d} kept, largest difference from the formula {difference:.0e}")
    assert difference < 1e-8
    lines.append(pd.DataFrame({"least squares": grid, "coefficient": formulas[name](grid), "model": name}))
    points.append(pd.DataFrame({"least squares": least_squares, "coefficient": coef, "model": name}))
lines, points = pd.concat(lines), pd.concat(points)

panels = []
for name, color in zip(models, COLORS):
    x = alt.X("least squares:Q", title="least-squares coefficient", scale=alt.Scale(domain=[-3.5, 3.5]))
    up = alt.Y("coefficient:Q", title="coefficient", scale=alt.Scale(domain=[-3.5, 3.5]))
    diagonal = alt.Chart(pd.DataFrame({"least squares": [-3.3, 3.3], "coefficient": [-3.3, 3.3]}))
    panels.append(
        alt.layer(
            diagonal.mark_line(color=QUIET, strokeDash=[4, 3], strokeWidth=1).encode(x=x, y=up),
            alt.Chart(lines[lines["model"] == name]).mark_line(color=color).encode(x=x, y=up),
            alt.Chart(points[points["model"] == name]).mark_point(color=color, size=30).encode(x=x, y=up),
        ).properties(width=190, height=190, title=name)
    )
chart = alt.hconcat(*panels, spacing=15).properties(
    description="Coefficients of the lasso, the best subset and ridge regression against those of least squares."
)
chart = styled(chart)

# %%
# Why zero? The objective :math:`\tfrac12 (y - \theta)^2 + \lambda |\theta|` of one coefficient has a kink at zero. If
# \|y\| is at most :math:`\lambda`, it increases on both sides of the kink, so its minimum is there.

theta = np.linspace(-1.5, 2.5, 401)
rows, least = [], []
for value in (0.5, 1.0, 2.0):
    objective = (value - theta) ** 2 / 2 + alpha * np.abs(theta)
    found = np.sign(value) * max(abs(value) - alpha, 0)
    assert abs(theta[objective.argmin()] - found) < 0.011
    one = Lasso(alpha, fit_intercept=False, standardize=False, tol=1e-12).fit(np.ones((1, 1)), [value])
    assert np.isclose(one.coef_[0], found)
    rows.append(pd.DataFrame({"theta": theta, "objective": objective, "y": f"y = {value:g}"}))
    least.append({"theta": found, "objective": (value - found) ** 2 / 2 + alpha * abs(found)})
    print(f"y = {value:g}, penalty {alpha:g}: the lasso gives {one.coef_[0]:g}")
x = alt.X("theta:Q", title="θ", scale=alt.Scale(domain=[-1.5, 3], nice=False))
up = alt.Y("objective:Q", title="½ (y − θ)² + λ |θ|", scale=alt.Scale(domain=[0, 5]))
dots = alt.Chart(pd.DataFrame(least)).mark_point(color=CHOSEN, filled=True, size=90, opacity=1).encode(x=x, y=up)
colors = [COLORS[0], COLORS[2], COLORS[3]]
chart = alt.layer(labeled_lines(pd.concat(rows), x, up, "y", colors, clip=True), dots).properties(
    width=WIDE, height=300, title=alt.Title("The kink at zero", subtitle="λ = 1; points: minima")
)
chart = styled(chart)
