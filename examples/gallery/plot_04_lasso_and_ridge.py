"""
Paths of the lasso and of ridge regression
==========================================

Both penalties shrink coefficients, but only the lasso sets some of them to zero, so that the penalty controls the
number of features. The first charts show the paths for ten features of 442 diabetes patients. The others plot each
coefficient against its least-squares estimate.
"""

import warnings

import altair as alt
import numpy as np
import pandas as pd
from drawing import end_labels, styled
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from vitalfew import Lasso, Ridge

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X = pd.DataFrame(StandardScaler().fit_transform(X), columns=X.columns)
lasso = Lasso("1se", random_state=0).fit(X, y)
ridge = Ridge("1se", random_state=0, grid=np.geomspace(1e5, 1e-1, 100)).fit(X, y)

# %%
# The penalty decreases from left to right. The lasso adds one feature after the other; ridge regression uses all of
# them from the start and lets their coefficients grow.

for name, model in {"lasso": lasso, "ridge": ridge}.items():
    zeros = np.count_nonzero(model.path_.coef == 0, axis=1)
    print(f"{name}: between {zeros.min()} and {zeros.max()} of {X.shape[1]} coefficients are zero along the path")
assert np.count_nonzero(ridge.path_.coef == 0) == 0


def drawn(model, title):
    """The library's chart of a path, with names at the ends of the lines instead of a legend."""
    path = model.path_
    lines = path.plot()
    for layer in lines.layer[1:]:
        layer.encoding.color.legend = None
    least = path.grid[-1]
    ends = pd.DataFrame({"x": least, "coefficient": path.coef[-1], "feature": X.columns})
    scale = alt.Scale(type="log", reverse=True, nice=False)
    names = end_labels(
        ends, alt.X("x:Q", scale=scale), alt.Y("coefficient:Q", scale=alt.Scale(domain=[-40, 40])), "feature"
    )
    return alt.layer(lines, names).properties(width=255, height=320, title=title)


with warnings.catch_warnings():  # one feature is under the pointer, in both charts
    warnings.filterwarnings("ignore", message="Automatically deduplicated")
    chart = alt.hconcat(drawn(lasso, "Lasso"), drawn(ridge, "Ridge"), spacing=20)
chart = chart.resolve_scale(y="shared")
chart = chart.properties(
    description="Coefficients of ten features along the paths of the lasso and of ridge regression."
)
chart = styled(chart)

# %%
# Shrinkage, as in the lecture: a hundred rows and ten features, four of which matter. Coefficients on the diagonal are
# not shrunk, and those on the horizontal line belong to excluded features. A larger penalty excludes more features and
# also shrinks the others more. Ridge regression multiplies each coefficient by a factor, and none becomes zero.

rng = np.random.default_rng(1)
truth = np.array([3.0, -2.0, 1.5, -1.0, 0, 0, 0, 0, 0, 0])
design = rng.normal(size=(100, 10))
answer = design @ truth + rng.normal(size=100)
lines = []
for name, make, penalties in (("lasso", Lasso, (0.1, 0.4, 0.9)), ("ridge", Ridge, (30.0, 100.0, 300.0))):
    panels = []
    for alpha in penalties:
        model = make(alpha).fit(design, answer)
        print(
            f"{name}, alpha {alpha:g}: {model.support_.sum()} coefficients, sum of "
            f"sizes {np.abs(model.coef_).sum():.2f}"
        )
        panel = model.plot_shrinkage(design, answer)
        panels.append(panel.properties(width=175, height=175, title=f"{name}, alpha {alpha:g}"))
        assert name == "lasso" or model.support_.all()
    lines.append(alt.hconcat(*panels, spacing=10))
chart = alt.vconcat(*lines).properties(
    description="Coefficients of the lasso and of ridge regression against those of least squares, "
    "at three penalties each."
)
chart = styled(chart)
