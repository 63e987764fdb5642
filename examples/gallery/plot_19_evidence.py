"""
BIC and the evidence: how good is the approximation?
====================================================

The probability of a function class given the data needs the evidence, the integral of likelihood times prior over all
parameters. BIC replaces it by the maximum of the likelihood and a penalty. For Naive Bayes with a Beta prior, and for
ridge regression with a Gaussian prior, the integral has a closed form, so the two can be compared.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, WIDE, labeled_lines, styled

from vitalfew import KernelRidge, NaiveBayes, compare


def coins(n, seed=0, d=12, informative=4):
    """Binary features, of which the first few depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    lift = np.where(np.arange(d) < informative, 0.35, 0.0)
    return (rng.random((n, d)) < 0.3 + lift * y[:, None]).astype(int), y


def fitted(k, n):
    """Naive Bayes with the k most informative features, and a uniform prior of each probability (n' = 0)."""
    return NaiveBayes(features=k, order="information", prior_strength=0).fit(*coins(n))


# %%
# Naive Bayes with 0 to 12 of twelve features, of which four depend on the class. The maximum of the likelihood always
# grows. BIC and the evidence charge for each feature, and agree on the number.

models = [fitted(k, 400) for k in range(13)]
rows = [
    {"features": k, "nats": value, "curve": curve}
    for k, model in enumerate(models)
    for curve, value in (
        ("log-likelihood", model.log_likelihood_),
        ("log evidence", model.log_evidence_),
        ("−BIC / 2", -model.bic_ / 2),
    )
]
curves = pd.DataFrame(rows)
best = curves.loc[curves.groupby("curve")["nats"].idxmax()].set_index("curve")["features"]
print(best.to_string())
assert best["log evidence"] == best["−BIC / 2"] == 4
x = alt.X("features:Q", title="features in the model", scale=alt.Scale(domain=[0, 15], nice=False))
x.axis = alt.Axis(values=list(range(0, 13, 2)))
y = alt.Y("nats:Q", title="nats", scale=alt.Scale(zero=False))
chart = labeled_lines(curves, x, y, "curve").properties(width=WIDE, height=HIGH, title="Naive Bayes of 400 samples")
chart = styled(chart)

# %%
# The error of BIC stays bounded while the evidence itself grows in proportion to the samples: what is omitted is the
# density of the prior at the estimate, which does not depend on n.

rows = []
for n in (50, 100, 200, 400, 800, 1600, 3200, 6400):
    model = fitted(4, n)
    rows.append({"samples": n, "error": model.log_evidence_ + model.bic_ / 2, "log evidence": model.log_evidence_})
errors = pd.DataFrame(rows)
print(errors.round(2).to_string(index=False))
assert errors["error"].abs().max() < 10
assert errors["error"].abs().iloc[-1] < 1e-3 * errors["log evidence"].abs().iloc[-1]
x = alt.X("samples:Q", scale=alt.Scale(type="log"), axis=alt.Axis(values=errors["samples"].tolist()))
y = alt.Y("error:Q", title="log evidence + BIC / 2, nats", scale=alt.Scale(domainMin=0))
chart = alt.Chart(errors).mark_line(point=True).encode(x=x, y=y)
chart = styled(chart.properties(width=WIDE, height=HIGH, title="What BIC omits does not grow with the samples"))

# %%
# Linear, quadratic or RBF? The truth is quadratic. The criterion is corrected, because an RBF can come close to
# interpolation, and the penalty of the plain one ends there. Both columns of posterior probabilities choose the
# quadratic class.

rng = np.random.default_rng(0)
points = rng.uniform(-2, 2, (80, 2))
target = 1 + points[:, 0] - 0.7 * points[:, 1] ** 2 + 0.3 * rng.normal(size=80)
classes = {
    "linear": KernelRidge("bic", kernel="poly", degree=1, n_jobs=1),
    "quadratic": KernelRidge("bic", kernel="poly", degree=2, n_jobs=1),
    "RBF": KernelRidge("bic", gamma="bic", n_jobs=1),
}
table = compare(classes, points, target, criterion="bic")
print(table)
frame = table.to_frame()
assert table.best == "quadratic"
assert frame["name"][frame["evidence_posterior"].argmax()] == "quadratic"
frame["−BIC / 2"], frame["log evidence"] = -frame["bic"] / 2, frame["log_evidence"]
long = frame.melt(["name"], ["−BIC / 2", "log evidence"], "measure", "nats")
chart = (
    alt.Chart(long)
    .mark_bar()
    .encode(
        x=alt.X("nats:Q"),
        y=alt.Y("name:N", sort=list(classes), title=None),
        yOffset="measure:N",
        color=alt.Color("measure:N", title=None),
    )
    .properties(width=WIDE, height=160, title="Three function classes on quadratic data")
)
chart = styled(chart)
