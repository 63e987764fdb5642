"""
Handwritten digits: which pixels, and what error
================================================

Images of 8 x 8 pixels; half are used for training and half for testing. Mutual information ranks the pixels one by one.
The greedy search of Naive Bayes by description length evaluates each pixel given those already selected. Boosted stumps
use a pixel as often as needed.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import CHOSEN, HIGH, INK, WIDE, example, labeled_lines, styled

from vitalfew import AdaBoost, NaiveBayes, mutual_information

X, X_test, y, y_test = example("boosting").digits()
X, X_test = (pd.DataFrame(rows, columns=[f"pixel {j}" for j in range(64)]) for rows in (X, X_test))
ink, ink_test = (X > 7).astype(int), (X_test > 7).astype(int)

# %%
# The information of each binary pixel about the digit, and the order in which the greedy search selects pixels.
# Neighbors of an informative pixel are redundant and are selected late, or not at all.

bayes = NaiveBayes(features="mdl").fit(ink, y)
order = bayes.path_.to_frame().query("change == 'enters'")["feature"].str.split().str[1].astype(int).to_numpy()
order = [j for j in order if bayes.support_[j]]
stumps = AdaBoost(40).fit(X, y)
used = np.zeros(64)
for run in stumps.path_.runs:
    np.add.at(used, run.learners.feature, run.alpha)
info = mutual_information(ink.to_numpy(), y)
print(
    f"description length takes {bayes.support_.sum()} of 64 pixels: error {1 - bayes.score(ink_test, y_test):.3f}, "
    f"with all of them {1 - NaiveBayes().fit(ink, y).score(ink_test, y_test):.3f}"
)
print(
    f"boosted stumps, 40 rounds for each digit, use {stumps.support_.sum()} pixels: "
    f"error {1 - stumps.score(X_test, y_test):.3f}"
)


def picture(values, words, title):
    """Pixels as squares, with words on some."""
    table = pd.DataFrame(
        {"row": np.repeat(range(8), 8), "column": np.tile(range(8), 8), "value": values, "word": words}
    )
    base = alt.Chart(table).encode(x=alt.X("column:O", axis=None), y=alt.Y("row:O", axis=None))
    color = alt.Color("value:Q", legend=None, scale=alt.Scale(scheme="blues", domain=[0, float(np.max(values)) * 1.8]))
    squares = base.mark_rect(stroke="white").encode(color=color)
    return alt.layer(squares, base.mark_text(color=INK, fontSize=11).encode(text="word:N")).properties(
        width=195, height=195, title=title
    )


place = {j: str(k + 1) for k, j in enumerate(order)}
panels = [
    picture(info, [f"{v:.2f}"[1:] if v > 0.35 else "" for v in info], "information, bits"),
    picture([j in place for j in range(64)], [place.get(j, "") for j in range(64)], "order by description length"),
    picture(used, ["" for _ in range(64)], "votes of boosted stumps"),
]
chart = (
    alt.hconcat(*panels, spacing=25)
    .resolve_scale(color="independent")
    .properties(description="Pixels by mutual information, by the greedy search, and by votes of boosted stumps.")
)
chart = styled(chart)

# %%
# Error of Naive Bayes against the number of pixels, with both orders, and error of boosting against the number of
# rounds.

rows = []
for name in ("greedy", "information"):
    for k in (1, 2, 3, 5, 8, 12, 16, 24, 32, 48, 64):
        model = NaiveBayes(features=k, order=name).fit(ink, y)
        rows.append({"pixels": k, "error": 1 - model.score(ink_test, y_test), "order": f"order: {name}"})
errors = pd.DataFrame(rows)
few = errors[errors["pixels"] == 8].set_index("order")["error"]
print(f"with eight pixels: {few['order: greedy']:.3f} in greedy order, {few['order: information']:.3f} by information")
assert few["order: greedy"] < few["order: information"]
x = alt.X(
    "pixels:Q",
    title="pixels in use",
    scale=alt.Scale(type="log", domain=[1, 190], nice=False),
    axis=alt.Axis(values=[1, 2, 4, 8, 16, 32, 64]),
)
up = alt.Y("error:Q", title="error on new digits", axis=alt.Axis(format="%"))
chosen = alt.Chart(pd.DataFrame({"pixels": [int(bayes.support_.sum())]}))
chart = alt.layer(
    chosen.mark_rule(color=CHOSEN, strokeDash=[4, 3]).encode(x=x),
    chosen.mark_text(align="left", dx=5, color=CHOSEN).encode(
        x=x, y=alt.value(8), text=alt.value("description length")
    ),
    labeled_lines(errors, x, up, "order", point=True),
).properties(width=WIDE, height=HIGH, title="Naive Bayes: error against the number of pixels")
chart = styled(chart)

# %%
# Boosted trees, the experiment of the lecture: the error on new digits keeps falling long after the training error is
# zero.

model = AdaBoost(100, estimator="tree").fit(X, y, validation=(X_test, y_test))
zero = int(np.argmax(model.path_.trained == 0)) + 1
print(
    f"training error zero after {zero} rounds; new digits: "
    f"{model.path_.validation_error[zero - 1]:.3f} then, {model.path_.validation_error[-1]:.3f} at the end"
)
assert model.path_.validation_error[-1] < model.path_.validation_error[zero - 1]
chart = model.plot_error().properties(width=WIDE, height=HIGH, title="Boosted trees on ten digits")
chart = styled(chart)
