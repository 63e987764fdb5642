"""
Margins grow when no training row is wrong
==========================================

After a few rounds, boosted trees make no mistake on the training digits, yet their error on new digits keeps falling.
Margins, the votes for the right digit minus those for the best other one, explain why: rounds that change no training
prediction still move rows away from the decision boundary.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, WIDE, example, labeled_lines, styled

from vitalfew import AdaBoost

X, X_test, y, y_test = example("boosting").digits()
model = AdaBoost(100, estimator="tree").fit(X, y, validation=(X_test, y_test))
trained, tested = model.path_.trained, model.path_.validation_error
first = int(np.argmax(trained == 0)) + 1
shown = [1, first, 20, 100]

# %%
# The fraction of training rows with a margin below each value, after some rounds. A single tree gives every row its
# full vote, right or wrong. With more rounds, fewer rows have a small margin, and few have a very large one.

table = pd.DataFrame(
    {
        "rounds": shown,
        "training error": [trained[t - 1] for t in shown],
        "new digits": [tested[t - 1] for t in shown],
        "margin below 0.3": [model.path_.runs[0].margins[t - 1][:130].sum() for t in shown],
    }
)
print(table.to_string(index=False, float_format="%.3f"))
assert trained[first - 1] == 0
assert tested[-1] < tested[first - 1]
assert table["margin below 0.3"].iloc[-1] < table["margin below 0.3"].iloc[1]
chart = model.plot_margins(shown).properties(width=WIDE, height=HIGH)
chart = styled(chart)

# %%
# The smallest margins, compared with the errors. After the dashed line, the training error is zero, but margins and the
# error on new digits still improve.

edges = np.linspace(-1, 1, model.path_.runs[0].margins.shape[1] + 1)[1:]
tenth = [edges[np.searchsorted(np.cumsum(m), 0.1)] for m in model.path_.runs[0].margins]
rounds = np.arange(1, len(trained) + 1)
rows = pd.concat(
    [
        pd.DataFrame({"round": rounds, "value": values, "curve": curve})
        for curve, values in (
            ("training error", trained),
            ("error on new digits", tested),
            ("margin that 10% are below", tenth),
        )
    ]
)
x = alt.X(
    "round:Q",
    title="rounds",
    scale=alt.Scale(type="log", domain=[1, 900], nice=False),
    axis=alt.Axis(values=[1, 2, 5, 10, 20, 50, 100]),
)
y = alt.Y("value:Q", title="share of rows, or margin")
rule = alt.Chart(pd.DataFrame({"round": [first]})).mark_rule(strokeDash=[4, 3], color="gray").encode(x=x)
chart = alt.layer(labeled_lines(rows, x, y, "curve"), rule).properties(
    width=WIDE, height=HIGH, title="Errors, and the margin of the least certain rows"
)
chart = styled(chart)
