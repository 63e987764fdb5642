"""
Bagging lowers the variance, not the bias
=========================================

The error of a tree has two parts: the error of the majority vote of trees from many training sets (bias), and what a
single tree adds because it follows its own training rows (net variance). Bagging lets many trees from one training set
vote, which reduces the variance and leaves the bias unchanged. A stump is nearly all bias; where its main prediction is
wrong, variance even helps.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, WIDE, colors_of, labeled_lines, styled
from sklearn.datasets import make_circles

from vitalfew import AdaBoost, Bagging, DecisionTree, Stump, bias_variance

X, y = make_circles(4000, noise=0.2, factor=0.5, random_state=0)
options = {"n_sets": 20, "sets": "disjoint", "random_state": 0, "verbose": False}
tree = DecisionTree(mdl_weight=None)

# %%
# Two rings with noise, and twenty disjoint training sets, the same for all learners. The error is exactly the sum of
# bias and net variance.

learners = {
    "stump": Stump(),
    "whole tree": tree,
    "bagged trees": Bagging(tree, rounds=31),
    "boosted stumps": AdaBoost(100),
    "pruned tree": DecisionTree(),
}
parts = {name: bias_variance(model, X, y, **options) for name, model in learners.items()}
rows = []
for name, part in parts.items():
    assert np.isclose(part.error, part.bias + part.net_variance)
    rows += [
        {"learner": name, "part": "bias", "share": part.bias, "order": 0},
        {"learner": name, "part": "net variance", "share": part.net_variance, "order": 1},
    ]
    print(f"{name:14s} error {part.error:.3f} = bias {part.bias:.3f} {part.net_variance:+.3f} net variance")
whole, bagged = parts["whole tree"], parts["bagged trees"]
assert bagged.net_variance < 0.7 * whole.net_variance
assert abs(bagged.bias - whole.bias) < 3 * whole.standard_error["bias"]
rows = pd.DataFrame(rows)
totals = pd.DataFrame(
    [
        {"learner": name, "share": max(part.bias, part.error), "text": f"{part.error:.1%}"}
        for name, part in parts.items()
    ]
)
x = alt.X("learner:N", sort=list(learners), title=None, axis=alt.Axis(labelAngle=0))
bars = (
    alt.Chart(rows)
    .mark_bar(size=54)
    .encode(
        x=x,
        y=alt.Y("share:Q", title="share of test rows", axis=alt.Axis(format="%")),
        color=alt.Color("part:N", title=None, scale=colors_of(["bias", "net variance"])),
        order="order:Q",
    )
)
texts = alt.Chart(totals).mark_text(dy=-8).encode(x=x, y="share:Q", text="text:N")
chart = alt.layer(bars, texts).properties(width=WIDE, height=HIGH, title="Where the error comes from")
chart = styled(chart)

# %%
# More trees leave less variance, with diminishing returns. The bias stays the same, up to chance.

rows = []
for rounds in (1, 3, 7, 15, 31):
    part = bagged if rounds == 31 else bias_variance(Bagging(tree, rounds=rounds), X, y, **options)
    rows += [
        {"trees": rounds, "part": name, "share": value}
        for name, value in (("error", part.error), ("bias", part.bias), ("net variance", part.net_variance))
    ]
curves = pd.DataFrame(rows)
net = curves[curves["part"] == "net variance"].set_index("trees")["share"]
print(f"net variance: {net[1]:.3f} with one tree, {net[31]:.3f} with 31")
assert net[31] < 0.7 * net[1]
x = alt.X(
    "trees:Q",
    title="trees in the bag",
    scale=alt.Scale(type="log", domain=[1, 80], nice=False),
    axis=alt.Axis(values=[1, 3, 7, 15, 31]),
)
up = alt.Y("share:Q", title="share of test rows", axis=alt.Axis(format="%"))
chart = labeled_lines(curves, x, up, "part", point=True).properties(
    width=WIDE, height=HIGH, title="Votes of more and more trees"
)
chart = styled(chart)
