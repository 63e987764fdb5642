"""
Pruning a tree by chance and by description length
==================================================

A full tree explains every training row, including noise. The chi-square test keeps a split if it is unlikely to arise
by chance; description length keeps a split if it saves more bits of labels than its own description takes. Both give a
smaller tree with a lower error on new rows.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, HIGH, WIDE, labeled_lines, styled
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from vitalfew import DecisionTree

# %%
# Tumors, with every eighth training label flipped. A larger p-value limit keeps more splits. The usual limits of 5% or
# 1% keep nearly all of them, because each split was the best of many on the same rows. The limit must therefore be
# chosen, here by cross-validation.

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
y = y.where(np.random.default_rng(0).random(len(y)) > 0.125, 1 - y)
y, y_test = (labels.map({0: "malignant", 1: "benign"}) for labels in (y, y_test))
whole = DecisionTree(mdl_weight=None).fit(X, y)
by_chance = DecisionTree(max_p_chance="cv", mdl_weight=None, cv=10, random_state=0).fit(X, y)
by_length = DecisionTree(mdl_weight=1.0).fit(X, y)
usual = DecisionTree(max_p_chance=0.01, mdl_weight=None).fit(X, y)
print(
    f"cross-validation takes max_p_chance = {by_chance.selection_.value:.1g}; "
    f"at 0.01 there are {usual.tree_.n_leaves} of {whole.tree_.n_leaves} leaves"
)
allowed = by_chance.path_.to_frame().query("max_p_chance > 1e-12")
x = alt.X(
    "max_p_chance:Q",
    title="largest probability of chance",
    scale=alt.Scale(type="log", nice=False),
    axis=alt.Axis(format="~g", values=[1e-12, 1e-9, 1e-6, 1e-3, 1]),
)
marked = pd.DataFrame({"max_p_chance": [by_chance.selection_.value, 0.01], "text": ["cross-validation", "1%"]})
rules = alt.Chart(marked).encode(x=x)
chart = alt.layer(
    alt.Chart(allowed)
    .mark_line(interpolate="step-after", point=True)
    .encode(x=x, y=alt.Y("n_leaves:Q", title="leaves")),
    rules.mark_rule(color=CHOSEN, strokeDash=[4, 3]),
    rules.mark_text(align="right", dx=-5, color=CHOSEN).encode(y=alt.value(8), text="text:N"),
).properties(width=WIDE, height=260, title="Leaves that the chi-square test keeps")
chart = styled(chart)

# %%
# Size and error along both paths. The training error falls with every leaf; the error on new rows does not. The marks
# show the choices: the p-value limit chosen by cross-validation, and the minimum description length.

rows = []
for knob, path in {"max_p_chance": by_chance.path_, "mdl_weight": by_length.path_}.items():
    sizes = dict(zip(path.n_leaves.tolist(), path.grid.tolist()))
    for leaves, value in sizes.items():
        model = DecisionTree(**{"mdl_weight": None, knob: value}).fit(X, y)
        assert model.tree_.n_leaves == leaves
        name = "chi-square" if knob == "max_p_chance" else "description length"
        rows += [
            {"leaves": leaves, "by": name, "rows": kind, "error": 1 - model.score(*data)}
            for kind, data in (("training rows", (X, y)), ("new rows", (X_test, y_test)))
        ]
curves = pd.DataFrame(rows)
marks = []
for name, model in {"whole tree": whole, "chi-square": by_chance, "description length": by_length}.items():
    error = 1 - model.score(X_test, y_test)
    marks.append({"by": name, "leaves": model.tree_.n_leaves, "error": error, "rows": "new rows"})
    print(
        f"{name:18s} {model.tree_.n_leaves:3d} leaves, "
        f"error {1 - model.score(X, y):.3f} on training rows, {error:.3f} on new ones"
    )
assert marks[1]["error"] < marks[0]["error"]
assert marks[2]["error"] < marks[0]["error"]
x = alt.X(
    "leaves:Q",
    title="leaves",
    scale=alt.Scale(type="log", domain=[1, 4 * whole.tree_.n_leaves], nice=False),
    axis=alt.Axis(values=[1, 2, 5, 10, 20, 50]),
)
up = alt.Y("error:Q", title="error", axis=alt.Axis(format="%"))
panels = []
for name in ("chi-square", "description length"):
    lines = labeled_lines(curves[curves["by"] == name], x, up, "rows", interpolate="linear", point={"size": 18})
    chosen = alt.Chart(pd.DataFrame([m for m in marks if m["by"] == name])).mark_point(
        size=160, color="black", strokeWidth=2
    )
    panels.append(alt.layer(lines, chosen.encode(x=x, y=up)).properties(width=262, height=260, title=f"by {name}"))
chart = (
    alt.hconcat(*panels, spacing=25)
    .resolve_scale(y="shared")
    .properties(description="Training and test error against the number of leaves, by both ways to prune.")
)
chart = styled(chart)

# %%
# The bits behind the second path: labels and tree. The sum has its minimum where another split costs more than it
# saves.

frame = by_length.path_.to_frame()
frame["sum"] = frame["data_bits"] + frame["model_bits"]
assert frame["n_leaves"][frame["sum"].idxmin()] == by_length.tree_.n_leaves
bits = frame.melt("n_leaves", ["sum", "data_bits", "model_bits"], "part", "bits")
bits["part"] = bits["part"].map({"sum": "sum", "data_bits": "labels", "model_bits": "tree"})
x = alt.X("n_leaves:Q", title="leaves", scale=alt.Scale(domain=[0, 1.15 * whole.tree_.n_leaves], nice=False))
chart = labeled_lines(bits, x, alt.Y("bits:Q", title="bits"), "part", point={"size": 18}).properties(
    width=WIDE, height=HIGH, title="Description length of trees"
)
chart = styled(chart)

# %%
# The tree that remains after pruning by description length:

print(by_length.export_text())
chart = by_length.plot()
chart = styled(chart)
