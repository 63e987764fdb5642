"""
Description length: how many words does it take?
================================================

Naive Bayes with more words predicts the labels better, but the words and their probabilities must be described too. The
sum of both has a minimum at some number of words. The texts are docstrings of four packages, and the label is the
package.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, WIDE, labeled_lines, styled

from vitalfew import NaiveBayes, WordPresence
from vitalfew.datasets import load_docstrings

corpus = load_docstrings(max_per_library=300)
words = WordPresence(min_df=3)
presence = words.fit_transform(corpus.data)
model = NaiveBayes(features="mdl").fit(presence, corpus.target)

# %%
# The curve that the rule evaluated: bits of the labels given the words, bits of the model, and their sum. Beyond the
# chosen point, each additional word costs more bits than it saves.

frame = model.selection_.to_frame()
chosen = frame[frame["is_chosen"]].iloc[0]
assert np.allclose(frame["total_bits"], frame["data_bits"] + frame["model_bits"])
assert chosen["total_bits"] == frame["total_bits"].min()
print(model.summary(words.get_feature_names_out()).head(8).round(3).to_string(index=False))
print(
    f"{int(chosen['features'])} of {presence.shape[1]} words: {chosen['data_bits']:.0f} bits of "
    f"{len(corpus.data)} labels and {chosen['model_bits']:.0f} bits of the model; "
    f"without any word {frame['total_bits'].iloc[0]:.0f} bits"
)
chart = model.selection_.plot().properties(width=WIDE, height=HIGH)
chart = styled(chart)

# %%
# The order matters. If words are added by their individual mutual information with the label, many are redundant, and
# the same number of words leaves more bits to describe.

rows = []
for order in ("greedy", "information"):
    path = NaiveBayes(features="mdl", order=order, max_features=40, prior_strength=model.prior_strength_).fit(
        presence, corpus.target
    )
    part = path.selection_.to_frame().query("features <= 40")
    rows.append(pd.DataFrame({"features": part["features"], "bits": part["total_bits"], "order": f"{order} order"}))
    print(
        f"{order}: least at {int(part['features'][part['total_bits'].idxmin()])} words, "
        f"{part['total_bits'].min():.0f} bits"
    )
curves = pd.concat(rows)
least = curves.groupby("order")["bits"].min()
assert least["greedy order"] < least["information order"]
x = alt.X(
    "features:Q",
    title="words in the model",
    scale=alt.Scale(domain=[0, 50], nice=False),
    axis=alt.Axis(values=list(range(0, 41, 10))),
)
y = alt.Y("bits:Q", title="total description length, bits", scale=alt.Scale(zero=False))
chart = labeled_lines(curves, x, y, "order").properties(width=WIDE, height=HIGH, title="Two orders of the same words")
chart = styled(chart)
