"""
Few labels, many documents
==========================

Unlabeled documents show which words occur together, and EM uses this. The gain is large with few labels and vanishes
with many. The first chart is measured here on docstrings of four packages, the second on other corpora by
``benchmarks/few_labels.py``.
"""

import altair as alt
import numpy as np
import pandas as pd
from drawing import HIGH, WIDE, colors_of, labeled_lines, measured, styled

from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes, WordPresence
from vitalfew.datasets import load_docstrings

# %%
# Labels of some documents are drawn at random, equally many for each package. All models are tested on the documents
# whose label is hidden. The supervised models use only the labeled documents.

corpus = load_docstrings(max_per_library=400)
target = corpus.target
presence = WordPresence(min_df=3).fit_transform(corpus.data)
weights = WordPresence(min_df=3, weighting="idf").fit_transform(corpus.data)
rng = np.random.default_rng(0)
classes = np.unique(target)
EM, ALONE, PLAIN = "EM, all documents", "same model, labeled alone", "Naive Bayes, words present"
rows = []
for n_labels in (8, 16, 32, 64, 128, 256, 512):
    for _ in range(5):
        seen = np.concatenate(
            [rng.choice(np.flatnonzero(target == c), n_labels // len(classes), replace=False) for c in classes]
        )
        rest = np.setdiff1d(np.arange(len(target)), seen)
        known = np.full(len(target), None, dtype=object)
        known[seen] = target[seen]
        models = {
            EM: SemiSupervisedNaiveBayes(unlabeled_weight=0.3, guard=False).fit(weights, known),
            ALONE: SemiSupervisedNaiveBayes(unlabeled_weight=0.0, guard=False).fit(weights, known),
        }
        right = {name: np.mean(model.predict(weights[rest]) == target[rest]) for name, model in models.items()}
        plain = NaiveBayes().fit(presence[seen], target[seen])
        right[PLAIN] = np.mean(plain.predict(presence[rest]) == target[rest])
        rows += [{"labels": n_labels, "model": name, "accuracy": value} for name, value in right.items()]
drawn = pd.DataFrame(rows)
mean = drawn.groupby(["model", "labels"], sort=False)["accuracy"].agg(["mean", "sem"]).reset_index()
table = mean.pivot_table(index="labels", columns="model", values="mean")[[EM, ALONE, PLAIN]]
print(table.round(3).to_string())
assert table.loc[8, EM] > table.loc[8, ALONE]
assert table.loc[8, EM] - table.loc[8, ALONE] > table.loc[512, EM] - table.loc[512, ALONE]

x = alt.X(
    "labels:Q",
    title="labeled documents",
    scale=alt.Scale(type="log", domain=[7, 2900], nice=False),
    axis=alt.Axis(values=[8, 16, 32, 64, 128, 256, 512]),
)
y = alt.Y("mean:Q", title="accuracy on the others", scale=alt.Scale(zero=False), axis=alt.Axis(format="%"))
band = mean.assign(low=mean["mean"] - mean["sem"], high=mean["mean"] + mean["sem"])
color = alt.Color("model:N", legend=None, scale=colors_of([EM, ALONE, PLAIN]))
area = (
    alt.Chart(band)
    .mark_area(opacity=0.18)
    .encode(x=x, y=alt.Y("low:Q", title="accuracy on the others"), y2="high:Q", color=color)
)
chart = alt.layer(area, labeled_lines(mean, x, y, "model", point=True)).properties(
    width=WIDE,
    height=HIGH,
    title=alt.Title(
        f"{len(target)} docstrings of {len(classes)} packages", subtitle="mean of five draws, ± standard error"
    ),
)
chart = styled(chart)

# %%
# Corpora of the benchmarks, means of ten draws (two or three for ``vitalfew label`` on newsgroups20): the model that
# ``vitalfew label`` chooses, compared with supervised models that use only the labeled documents.

shown = {
    "vitalfew auto (`vitalfew label`)": "vitalfew label",
    "Naive Bayes": "Naive Bayes",
    "tf-idf + LinearSVC": "tf-idf + linear SVM",
}
rows = []
for table in measured("Few labels"):
    corpus_name = table.columns[0]
    for _, line in table[table[corpus_name].isin(list(shown))].iterrows():
        for column in table.columns[1:]:
            if line[column] != "–":
                accuracy = float(line[column].split()[0])
                rows.append(
                    {
                        "corpus": corpus_name,
                        "model": shown[line[corpus_name]],
                        "labels": int(column.split()[0]),
                        "accuracy": accuracy,
                    }
                )
if rows:
    others = pd.DataFrame(rows)
    few = others[others["labels"] == others["labels"].min()].pivot_table(
        index="corpus", columns="model", values="accuracy"
    )
    print(few.round(3).to_string())
    chart = (
        alt.Chart(others)
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "labels:Q",
                title="labeled documents",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=[20, 50, 200, 1000]),
            ),
            y=alt.Y("accuracy:Q", title="accuracy", axis=alt.Axis(format="%")),
            color=alt.Color("model:N", title=None, scale=colors_of(shown.values())),
        )
        .properties(width=170, height=150)
        .facet(alt.Facet("corpus:N", title=None), columns=3)
        .resolve_axis(x="independent")
        .properties(title="Five corpora")
    )
    chart = styled(chart)
