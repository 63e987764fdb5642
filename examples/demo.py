"""Which words tell numpy, pandas, scipy and scikit-learn apart? Learned from a few labelled docstrings.

Run by `make demo`. The text is that of the packages installed on this machine; the labels of all but a few
docstrings are hidden, the words are chosen by minimum description length, and the error is measured on the rest.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from vitalfew import NaiveBayes, WordPresence
from vitalfew.datasets import load_docstrings

LABELS = 400
OUTPUT = Path("demo-output")


def main() -> None:
    corpus = load_docstrings()
    start = time.perf_counter()
    words = WordPresence(min_df=2)
    X = words.fit_transform(corpus.data)
    read = time.perf_counter()
    labelled, rest = train_test_split(np.arange(X.shape[0]), train_size=LABELS, stratify=corpus.target, random_state=0)
    y = corpus.target[labelled]
    models = {
        "all words": NaiveBayes(),
        "words chosen by MDL": NaiveBayes(features="mdl"),
        "100 most informative words": NaiveBayes(features=100, order="information"),
    }
    print(
        f"{X.shape[0]:,} docstrings, {X.shape[1]:,} words, read in {read - start:.2f} s; {LABELS} of them have a label.\n"
    )
    print(f"{'Naive Bayes with':<28}{'words':>8}{'LOO error':>12}{'error on the rest':>20}{'fit':>10}")
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(X[labelled], y, X_unlabeled=X[rest])
        fitted = time.perf_counter()
        loo = np.mean(model.classes_[model.loo_predict_proba(X[labelled], y).argmax(axis=1)] != y)
        error = 1 - model.score(X[rest], corpus.target[rest])
        margin = 1.96 * np.sqrt(error * (1 - error) / len(rest))
        print(f"{name:<28}{model.support_.sum():>8,}{loo:>11.1%}{error:>13.1%} ± {margin:.1%}{fitted - start:>9.3f} s")
    show_words(models["words chosen by MDL"], words.get_feature_names_out())
    save_chart(models["words chosen by MDL"].selection_)


def show_words(model: NaiveBayes, names) -> None:
    length = model.description_length_
    print(
        f"\nThe words chosen by MDL describe the labels in {length.data:.0f} bits and take {length.model:.0f} bits themselves;"
    )
    print(f"without words the labels take {model.selection_.score[0]:.0f} bits.\n")
    print(f"{'word':<20}{'tells (bits)':>14}   speaks for (log2 odds)")
    frame = model.summary(names)
    for word, bits, speaks_for, weight in zip(*(frame[c] for c in ("feature", "information", "speaks_for", "weight"))):
        print(f"{word:<20}{bits:>14.3f}   {speaks_for} ({weight:+.1f})")


def save_chart(selection) -> None:
    OUTPUT.mkdir(exist_ok=True)
    chart = selection.plot()
    for suffix in ("html", "svg"):
        chart.save(OUTPUT / f"selection-curve.{suffix}")
    print(f"\nThe selection curve is in {OUTPUT}/selection-curve.html (and .svg).")


if __name__ == "__main__":
    main()
