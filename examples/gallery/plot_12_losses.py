"""
Exponential, logistic, hinge and zero-one loss
==============================================

Boosting and logistic regression minimize smooth losses that lie above the zero-one loss. They differ for rows with a
large negative margin: there the exponential loss, and with it the weight of the row, grows exponentially.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import COLORS, HIGH, WIDE, colors_of, styled
from sklearn.datasets import load_breast_cancer

from vitalfew import AdaBoost

LOSSES = {
    "exponential": lambda m: np.exp(-m),
    "logistic, base 2": lambda m: np.logaddexp(0, -m) / np.log(2),
    "hinge": lambda m: np.maximum(1 - m, 0),
    "0/1": lambda m: (m <= 0).astype(float),
}

# %%
# Losses against the margin y f(x). With logarithms to base 2, the logistic loss is 1 at zero, like the exponential
# loss, so both bound the error rate.

margin = np.linspace(-2, 2, 401)
curves = pd.concat([pd.DataFrame({"margin": margin, "loss": f(margin), "name": name}) for name, f in LOSSES.items()])
for name, loss in LOSSES.items():
    assert np.all(loss(margin) >= LOSSES["0/1"](margin) - 1e-12), name
x = alt.X("margin:Q", title="margin y f(x)", scale=alt.Scale(domain=[-2, 2], nice=False))
y = alt.Y("loss:Q", title="loss", scale=alt.Scale(domain=[0, 5], nice=False))
places = pd.DataFrame(
    {"name": list(LOSSES), "margin": [-1.4, 0.75, -1.95, -1.95], "loss": [4.4, 0.75, 2.6, 1.15]}  # beside each curve
)
color = alt.Color("name:N", legend=None, scale=colors_of(LOSSES))
chart = alt.layer(
    alt.Chart(curves).mark_line(clip=True).encode(x=x, y=y, color=color),
    alt.Chart(places).mark_text(align="left", fontWeight=600).encode(x=x, y=y, text="name:N", color=color),
).properties(width=WIDE, height=HIGH, title="Losses against the margin")
chart = styled(chart)

# %%
# Stumps boosted with both losses, on real rows with a fifth of the labels flipped. The mean exponential loss of the
# ensemble is the product of all Z, and bounds its training error. Margins of the logistic loss are about twice as
# large, because f is the log odds there, and half the log odds with the exponential loss.

X, label = load_breast_cancer(return_X_y=True)
label = np.where(np.random.default_rng(0).random(len(label)) < 0.2, 1 - label, label)
sign = np.where(label == 1, 1.0, -1.0)
shown = []
for name in ("exponential", "logistic"):
    model = AdaBoost(60, loss=name).fit(X, label)
    run = model.path_.runs[0]
    f = sign * (model.votes_of(X) @ run.alpha)
    weight = np.exp(-f) if name == "exponential" else 1 / (1 + np.exp(f))
    weight /= weight.sum()
    if name == "exponential":
        assert np.isclose(np.exp(-f).mean(), np.prod(run.z))
    else:
        assert np.isclose(np.logaddexp(0, -f).mean(), run.z[-1])
    loss = LOSSES["exponential" if name == "exponential" else "logistic, base 2"](f).mean()
    assert np.mean(f <= 0) <= loss
    print(
        f"{name}: {np.mean(f <= 0):.1%} of the rows are wrong, mean loss {loss:.3f}; "
        f"the heaviest row weighs {weight.max() * len(f):.1f} times the mean"
    )
    shown.append(pd.DataFrame({"margin": f, "weight": weight * len(f), "loss": name}))
shown = pd.concat(shown)
points = alt.Chart(shown).mark_point(size=22, filled=True, opacity=0.6)
chart = points.encode(
    x=alt.X("margin:Q", title="margin y f(x)"),
    y=alt.Y("weight:Q", title="weight of a row, mean = 1"),
    color=alt.Color("loss:N", title=None, scale=alt.Scale(domain=["exponential", "logistic"], range=COLORS)),
    shape=alt.Shape(
        "loss:N", title=None, scale=alt.Scale(domain=["exponential", "logistic"], range=["circle", "square"])
    ),
).properties(width=WIDE, height=HIGH, title="Weights of the rows for the next stump")
chart = styled(chart)
