"""
A Beta prior pulls an estimate
==============================

A word that occurs in all of four documents need not occur in every future one. A Beta prior adds n' virtual documents,
a fraction p of which contain the word, so that the estimate is a weighted mean of the observed fraction and p. The
second chart shows this for words of real documents, with the library's Naive Bayes model.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, MUTED, QUIET, WIDE, colors_of, labeled_lines, styled

from vitalfew import NaiveBayes, WordPresence
from vitalfew.datasets import load_docstrings

# %%
# Three of four flips were heads. The likelihood has its maximum at 0.75. Multiplied by the prior
# :math:`\theta^{n'p} (1 - \theta)^{n'(1-p)}` with p = 0.3, it has its maximum at :math:`(3 + n'p) / (4 + n')`, which
# is closer to p for a stronger prior.

heads, flips, mean = 3, 4, 0.3
theta = np.linspace(0.001, 0.999, 999)
rows, modes = [], []
for strength in (0, 4, 16, 64):
    log = (heads + strength * mean) * np.log(theta) + (flips - heads + strength * (1 - mean)) * np.log1p(-theta)
    height = np.exp(log - log.max())
    estimate = (heads + strength * mean) / (flips + strength)
    assert abs(theta[height.argmax()] - estimate) < 0.001
    name = "likelihood alone" if strength == 0 else f"n' = {strength}"
    rows.append(pd.DataFrame({"theta": theta, "height": height, "prior": name}))
    modes.append({"theta": estimate, "prior": name, "height": 1.0, "text": f"{estimate:.2f}"})
    print(f"n' = {strength:2d}: estimate {estimate:.3f}")
curves, modes = pd.concat(rows), pd.DataFrame(modes)
x = alt.X("theta:Q", title="θ, probability of heads")
y = alt.Y("height:Q", title="likelihood × prior, highest = 1", scale=alt.Scale(domain=[0, 1.1]))
scale = colors_of(modes["prior"])
color = alt.Color("prior:N", scale=scale, sort=list(modes["prior"]))
chart = alt.layer(
    alt.Chart(pd.DataFrame({"theta": [mean]})).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x="theta:Q"),
    alt.Chart(pd.DataFrame({"theta": [mean], "height": [0.9]}))
    .mark_text(align="right", dx=-5, color=MUTED)
    .encode(x=x, y=y, text=alt.value("p = 0.3")),
    alt.Chart(curves).mark_line().encode(x=x, y=y, color=color),
    alt.Chart(modes).mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=color),
    alt.Chart(modes).mark_text(dy=-12).encode(x=x, y=y, text="text:N", color=color),
).properties(width=WIDE, height=HIGH, title="The prior pulls the estimate toward p")
chart = styled(chart)

# %%
# Words of docstrings; forty docstrings of NumPy and forty of SciPy are the training set. Each line is the model's
# estimate of the fraction of NumPy's documents that contain a word, from the observed fraction on the left to the
# fraction in all documents.

corpus = load_docstrings(["numpy", "scipy"], max_per_library=300)
rng = np.random.default_rng(0)
few = np.concatenate([rng.choice(np.flatnonzero(corpus.target == c), 40, replace=False) for c in ("numpy", "scipy")])
texts, target = [corpus.data[i] for i in few], corpus.target[few]
words = WordPresence(min_df=4)
presence = words.fit_transform(texts)
present = np.asarray((presence > 0).todense()) if hasattr(presence, "todense") else np.asarray(presence) > 0
names = np.asarray(words.get_feature_names_out())
share = present[target == "numpy"].mean(axis=0)
gap = share - present.mean(axis=0)
order = np.argsort(gap)
chosen = [order[-1], order[-8], order[len(order) // 2], order[7], order[0]]

rows = []
for strength in np.geomspace(0.1, 1000, 41):
    model = NaiveBayes(prior_strength=float(strength)).fit(presence, target)
    theta = np.exp(model.feature_log_prob_[1::2, 0])  # lines of the table: absent, present
    pull = strength / (40 + strength)
    assert np.allclose(theta, (1 - pull) * share + pull * present.mean(axis=0))
    rows += [{"strength": strength, "word": f"“{names[j]}”", "estimate": theta[j]} for j in chosen]
x = alt.X(
    "strength:Q",
    title="strength of the prior n', documents",
    scale=alt.Scale(type="log", domain=[0.1, 4000], nice=False),
    axis=alt.Axis(values=[0.1, 1, 10, 100, 1000], format="~g"),
)
y = alt.Y("estimate:Q", title="estimated share of NumPy's documents")
rule = alt.Chart(pd.DataFrame({"strength": [40]}))
chart = alt.layer(
    rule.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=x),
    rule.mark_text(align="left", dx=5, color=MUTED).encode(
        x=x, y=alt.value(8), text=alt.value("as strong as the data: halfway")
    ),
    labeled_lines(pd.DataFrame(rows), x, y, "word"),
).properties(width=WIDE, height=HIGH, title="Five words, from observed to overall frequency")
chart = styled(chart)
