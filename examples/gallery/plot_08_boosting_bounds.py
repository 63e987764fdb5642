"""
The error of boosting and its bounds
====================================

The training error of AdaBoost is at most the product of the normalizing constants Z, which is at most :math:`\\exp(-2
\\sum_t (1/2 - \\epsilon_t)^2)`. If every stump is slightly better than guessing, the bound decreases exponentially. The
bound on the error on new rows, in contrast, increases with the number of rounds.
"""

import altair as alt
import numpy as np
from drawing import HIGH, WIDE, labeled_lines, styled
from sklearn.datasets import load_breast_cancer, make_hastie_10_2
from sklearn.model_selection import train_test_split

from vitalfew import AdaBoost

# %%
# Stumps on breast cancer. The training error is at most the product of Z, which is at most the exponential; this order
# is proven. The validation error is not bounded by them.

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
model = AdaBoost(rounds=150).fit(X, y, validation=(X_test, y_test))
frame = model.path_.to_frame()
assert (frame["training_error"] <= frame["product_of_Z"] + 1e-12).all()
assert (frame["product_of_Z"] <= frame["edge_bound"] + 1e-12).all()
assert np.allclose(frame["Z"], 2 * np.sqrt(frame["error"] * (1 - frame["error"])))
zero = int(frame["round"][frame["training_error"] == 0].min())
late = frame["validation_error"].iloc[-1]
print(
    f"no training row is wrong after {zero} rounds; {frame['validation_error'][zero - 1]:.1%} of "
    f"new rows are wrong then, {late:.1%} after {len(frame)}"
)
chart = model.plot_error().properties(width=WIDE, height=HIGH, title="Training error, its bounds, and validation error")
chart = styled(chart)

# %%
# The bound on the error on new rows by the VC dimension is the training error plus a term that grows with
# :math:`\sqrt{T d / m}`. It needs many rows to be informative: here 200,000 rows with ten normally distributed
# features, whose squared norm determines the class. The bound is valid, but far above the error on new rows, and it
# increases while that error decreases.

X, y = make_hastie_10_2(240_000, random_state=0)
model = AdaBoost(rounds=200).fit(X[:200_000], y[:200_000], validation=(X[200_000:], y[200_000:]))
frame = model.path_.to_frame()
assert (frame["validation_error"] < frame["generalization_bound"]).all()
least = int(frame["generalization_bound"].idxmin())
print(
    f"the bound is least after {frame['round'][least]} round ({frame['generalization_bound'][least]:.2f}), "
    f"the error on new rows falls to {frame['validation_error'].iloc[-1]:.3f}"
)
shown = frame.melt(
    "round", ["generalization_bound", "product_of_Z", "validation_error", "training_error"], "curve", "share"
)
shown["curve"] = shown["curve"].map(
    {
        "generalization_bound": "bound on new rows",
        "product_of_Z": "bound: product of Z",
        "validation_error": "new rows",
        "training_error": "training rows",
    }
)
x = alt.X(
    "round:Q",
    title="rounds",
    scale=alt.Scale(domain=[0, 265], nice=False),
    axis=alt.Axis(values=list(range(0, 201, 50))),
)
y = alt.Y("share:Q", title="share of rows")
chart = labeled_lines(shown, x, y, "curve").properties(
    width=WIDE, height=HIGH, title="The bound on the error on new rows, and the error itself"
)
chart = styled(chart)
