"""
Error against complexity, and how it is estimated
=================================================

The training error decreases with every additional power of x; the true error does not. A held-out set, k-fold
cross-validation and leave-one-out follow the true error. Averaged over data sets, the leave-one-out error equals the
true error of training sets with one row less.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import COLORS, INK, QUIET, WIDE, colors_of, labeled_lines, styled
from numpy.polynomial.legendre import legvander
from sklearn.model_selection import KFold

from vitalfew import Ridge, loo_predict

N, SETS, DEGREES = 50, 40, range(1, 11)
TRUE, TRAIN, ASIDE, FOLD, LOO, LESS = (
    "true error",
    "training rows",
    "a fifth set aside",
    "10-fold",
    "leave-one-out",
    "true, a row less",
)
GRID = np.cos(np.pi * (np.arange(200) + 0.5) / 200)  # x is the cosine of a uniform angle: this is its mean
NOISE, PENALTY = 0.3, 1e-9  # so small a penalty is least squares


def signal(x):
    return np.sin(4 * x)


def true_error(model, degree):
    """Expected squared error on a new row, noise included."""
    return np.mean((model.predict(legvander(GRID, degree)[:, 1:]) - signal(GRID)) ** 2) + NOISE**2


# %%
# Forty data sets of fifty rows. Polynomials of each degree are fitted by least squares. Leave-one-out by
# :func:`vitalfew.loo_predict` needs no further fit, and the folds are those of the rule ``"cv"``.

rng = np.random.default_rng(0)
rows = []
for number in range(SETS):
    x = np.cos(np.pi * rng.random(N))
    y = signal(x) + NOISE * rng.normal(size=N)
    for degree in DEGREES:
        X = legvander(x, degree)[:, 1:]
        model = Ridge(PENALTY, standardize=False).fit(X, y)
        most = Ridge(PENALTY, standardize=False).fit(X[: 4 * N // 5], y[: 4 * N // 5])
        folds = Ridge("cv", standardize=False, grid=[PENALTY], cv=KFold(10)).fit(X, y)
        errors = {
            TRAIN: np.mean((y - model.predict(X)) ** 2),
            ASIDE: np.mean((y[4 * N // 5 :] - most.predict(X[4 * N // 5 :])) ** 2),
            FOLD: folds.selection_.score[0],
            LOO: loo_predict(model, X, y).error,
            TRUE: true_error(model, degree),
            LESS: true_error(Ridge(PENALTY, standardize=False).fit(X[1:], y[1:]), degree),
        }
        rows += [{"set": number, "degree": degree, "curve": curve, "error": value} for curve, value in errors.items()]
errors = pd.DataFrame(rows)

# %%
# Means over the data sets, and the individual data sets for the training error and the true error. On average, all
# three estimates follow the true error and are slightly above it, because their models are fitted to fewer rows.

mean = errors.groupby(["curve", "degree"], sort=False)["error"].mean().unstack(0)
assert (mean[TRAIN].diff().dropna() < 0).all()
assert (mean[TRAIN] < mean[TRUE]).all()
best = int(mean[TRUE].idxmin())
pairs = errors.pivot_table(index="set", columns=["curve", "degree"], values="error")
gap = pairs[LOO] - pairs[LESS]
spread = gap.std() / np.sqrt(SETS)
assert (gap.mean().abs() < 4 * spread).all()
print(mean[[TRAIN, TRUE, LESS, LOO, FOLD, ASIDE]].round(3).to_string())
print(
    f"least true error at degree {best}; largest gap of leave-one-out from the true error of a row less: "
    f"{(gap.mean().abs() / spread).max():.1f} standard errors"
)

shown = (
    mean.drop(columns=LESS)[[TRAIN, TRUE, LOO, FOLD, ASIDE]]
    .reset_index()
    .melt("degree", var_name="curve", value_name="error")
)
x = alt.X(
    "degree:Q",
    title="degree of the polynomial",
    scale=alt.Scale(domain=[1, 13], nice=False),
    axis=alt.Axis(values=list(DEGREES), format="d"),
)
up = alt.Y(
    "error:Q",
    title="mean squared error",
    scale=alt.Scale(type="log", domain=[0.05, 1], nice=False),
    axis=alt.Axis(values=[0.05, 0.1, 0.2, 0.5, 1]),
)
colors = [COLORS[0], INK, COLORS[1], COLORS[2], COLORS[3]]
single = errors[errors["curve"].isin([TRAIN, TRUE])]
single = single.assign(line=single["curve"] + single["set"].astype(str))
thin = (
    alt.Chart(single)
    .mark_line(strokeWidth=0.5, opacity=0.25, clip=True)
    .encode(
        x=x,
        y=up,
        detail="line:N",
        color=alt.Color("curve:N", legend=None, scale=colors_of([TRAIN, TRUE, LOO, FOLD, ASIDE], colors)),
    )
)
rule = alt.Chart(pd.DataFrame({"degree": [best]})).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=x)
chart = alt.layer(rule, thin, labeled_lines(shown, x, up, "curve", colors, clip=True)).properties(
    width=WIDE, height=340, title=f"Error against complexity: least at degree {best}"
)
chart = styled(chart)
