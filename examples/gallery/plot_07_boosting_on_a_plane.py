"""
AdaBoost on a plane, round by round
===================================

Each round adds a stump, a cut along one axis, fitted to rows that are weighted by the errors of the earlier rounds. The
size of a point is its weight in the next round, and the background shows the prediction of the ensemble.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, MAIN, colors_of, styled

from vitalfew import AdaBoost

rng = np.random.default_rng(4)
X = rng.uniform(0, 1, (60, 2))
y = np.where(np.abs(X[:, 0] - 0.45) + np.abs(X[:, 1] - 0.55) < 0.46, 1, -1)
X = pd.DataFrame(X, columns=["x1", "x2"])
ROUNDS = (1, 2, 3, 5, 10, 30)
model = AdaBoost(rounds=max(ROUNDS)).fit(X, y)
frame = model.path_.to_frame()
print(frame.head(5)[["round", "stump", "error", "alpha", "training_error"]].to_string(index=False, float_format="%.3f"))

# %%
# Stumps cut the plane into rectangles on which all points get the same votes; these rectangles are drawn instead of a
# grid of points. A stump may also predict the same class everywhere, if that class has most of the weight (“always”).
# The weight of a row is proportional to :math:`\exp(-y f(x))`.

alpha = frame["alpha"].to_numpy()
votes = model.votes_of(X)  # (rows, rounds), -1 or 1
found = frame["stump"].str.extract(r"^(?P<name>\w+) > (?P<cut>[\d.]+)").dropna()
cuts = {name: np.unique([0.0, 1.0, *found.loc[found["name"] == name, "cut"].astype(float)]) for name in X.columns}
sides = [np.column_stack([edge[:-1], edge[1:]]) for edge in cuts.values()]
boxes = pd.DataFrame([(a, b, c, d) for a, b in sides[0] for c, d in sides[1]], columns=["left", "right", "low", "high"])
middle = pd.DataFrame({"x1": (boxes["left"] + boxes["right"]) / 2, "x2": (boxes["low"] + boxes["high"]) / 2})
said = model.votes_of(middle)

panels = []
for rounds in ROUNDS:
    score = votes[:, :rounds] @ alpha[:rounds]
    weight = np.exp(-y * score)
    weight /= weight.sum()
    assert np.isclose(weight @ (votes[:, rounds - 1] != y), 0.5)  # the last stump is no better than guessing any more
    error = np.mean(np.where(score > 0, 1, -1) != y)
    assert np.isclose(error, frame["training_error"][rounds - 1])
    region = boxes.assign(f=np.where(said[:, :rounds] @ alpha[:rounds] > 0, "inside", "outside"))
    points = X.assign(label=np.where(y > 0, "inside", "outside"), weight=weight)
    scale = colors_of(["inside", "outside"], [CHOSEN, MAIN])
    color = alt.Color("label:N", scale=scale, legend=None)
    x = alt.X("x1:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=[0, 0.5, 1]), title="x1")
    up = alt.Y("x2:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=[0, 0.5, 1], grid=False), title="x2")
    size = alt.Size("weight:Q", legend=None, scale=alt.Scale(domain=[0, 0.12], range=[4, 500], clamp=True))
    shape = alt.Shape("label:N", legend=None, scale=alt.Scale(domain=["inside", "outside"], range=["circle", "square"]))
    panels.append(
        alt.layer(
            alt.Chart(region)
            .mark_rect(opacity=0.16, strokeWidth=0)
            .encode(
                x=alt.X("left:Q", title="x1"),
                x2="right:Q",
                y=alt.Y("low:Q", title="x2"),
                y2="high:Q",
                color=alt.Color("f:N", scale=scale, legend=None),
            ),
            alt.Chart(points)
            .mark_point(filled=True, opacity=0.85)
            .encode(x=x, y=up, color=color, size=size, shape=shape),
        ).properties(width=175, height=175, title=f"{rounds} round{'s' if rounds > 1 else ''}: {error:.0%} wrong")
    )
chart = alt.vconcat(alt.hconcat(*panels[:3]), alt.hconcat(*panels[3:])).properties(
    title=alt.Title(
        "Points as large as their weight", subtitle="circles, orange: inside the diamond; squares, blue: outside"
    )
)
chart = styled(chart)
