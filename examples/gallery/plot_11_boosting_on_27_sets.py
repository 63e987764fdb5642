"""
A tree against boosted trees and stumps on 27 data sets
=======================================================

Freund and Schapire's experiment: every point is a data set, and boosting has the lower error above the diagonal. The
errors on 27 data sets were measured by ``benchmarks/freund_schapire.py`` and are read from ``benchmarks/RESULTS.md``.
Four data sets that come with scikit-learn are measured here.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import INK, QUIET, colors_of, measured, styled
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from vitalfew import AdaBoost, DecisionTree

KINDS = ("boosted stumps", "boosted trees")

# %%
# Four data sets measured here, with five folds and thirty rounds.

rows = []
for load in (load_iris, load_wine, load_breast_cancer, load_digits):
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    learners = {"tree": DecisionTree(), "boosted stumps": AdaBoost(30), "boosted trees": AdaBoost(30, estimator="tree")}
    error = {name: 100 * (1 - cross_val_score(model, X, y, cv=folds).mean()) for name, model in learners.items()}
    rows += [
        {
            "data": load.__name__[5:].replace("_", " "),
            "tree": error["tree"],
            "boosted": error[kind],
            "kind": kind,
            "from": "measured here",
        }
        for kind in KINDS
    ]
    print(f"{rows[-1]['data']:14s}", "  ".join(f"{name} {value:4.1f}%" for name, value in error.items()))

# %%
# The 27 data sets of the paper, with ten folds or the given split, and a hundred rounds.

for table in measured("Boosting")[:1]:
    values = table.set_index("data").drop(columns=["rows", "classes", "s"]).map(lambda cell: float(cell.split()[0]))
    assert len(values) == 27
    for name, line in values.iterrows():
        rows += [
            {"data": name.rstrip("*"), "tree": line["tree"], "boosted": line[kind], "kind": kind, "from": "the 27 sets"}
            for kind in KINDS
        ]
points = pd.DataFrame(rows)
for kind, group in points.groupby("kind"):
    better = (group["boosted"] < group["tree"]).sum(), (group["boosted"] > group["tree"]).sum()
    print(f"{kind}: lower error than a tree on {better[0]} of {len(group)} sets, higher on {better[1]}")
assert (points["boosted"] < points["tree"])[points["kind"] == "boosted trees"].mean() > 0.5

top = float(np.ceil(points[["tree", "boosted"]].max().max() / 5) * 5)
diagonal = pd.DataFrame({"boosted": [0, top], "tree": [0, top]})
x = alt.X("boosted:Q", title="error of boosting, %", scale=alt.Scale(domain=[0, top], nice=False))
up = alt.Y("tree:Q", title="error of a tree, %", scale=alt.Scale(domain=[0, top], nice=False))
panels = []
for kind in KINDS:
    of_kind = points[points["kind"] == kind]
    far = []  # sets that differ most, if there is room for their names
    for i in (of_kind["tree"] - of_kind["boosted"]).abs().nlargest(6).index:
        away = of_kind.drop(i)[["boosted", "tree"]] - of_kind.loc[i, ["boosted", "tree"]].astype(float)
        covered = (away["tree"].abs() < 1.2) & away["boosted"].between(0, 1 + 0.75 * len(of_kind.loc[i, "data"]))
        if not covered.any():
            far.append(i)
    dots = (
        alt.Chart(of_kind)
        .mark_point(filled=True, size=60, opacity=0.8)
        .encode(
            x=x,
            y=up,
            color=alt.Color("from:N", title=None, scale=colors_of(["the 27 sets", "measured here"])),
            shape=alt.Shape(
                "from:N",
                title=None,
                scale=alt.Scale(domain=["the 27 sets", "measured here"], range=["circle", "diamond"]),
            ),
            tooltip=["data:N", "boosted:Q", "tree:Q"],
        )
    )
    names = alt.Chart(of_kind.loc[far]).mark_text(align="left", dx=7, dy=-3, fontSize=11, color=INK)
    line = alt.Chart(diagonal).mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1)
    panels.append(
        alt.layer(line.encode(x=x, y=up), dots, names.encode(x=x, y=up, text="data:N")).properties(
            width=280, height=280, title=kind
        )
    )
chart = alt.hconcat(*panels, spacing=25).properties(
    description="Error of a tree against that of boosting on each data set."
)
chart = styled(chart)
