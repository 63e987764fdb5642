"""Which words distinguish numpy, pandas, scipy and scikit-learn? An answer from a few labeled docstrings.

Run by `make demo`, which then runs `vitalfew report` on the same table. The texts are docstrings of the packages on
this machine. All but a few labels are hidden, words are selected by minimum description length, and the error is
measured on the docstrings whose labels were hidden.
"""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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
    seconds = time.perf_counter() - start
    rows = np.arange(X.shape[0])
    labeled, rest = train_test_split(rows, train_size=LABELS, stratify=corpus.target, random_state=0)
    print(f"{len(rows):,} docstrings with {X.shape[1]:,} words, read in {seconds:.2f} s.")
    print(f"{LABELS} have a label; the error is measured on the other {len(rest):,}.\n")
    models = {
        "all words": NaiveBayes(),
        "words chosen by MDL": NaiveBayes(features="mdl"),
        "MDL order, as many as LOO says": NaiveBayes(features="loo"),
    }
    print(f"{'Naive Bayes with':<32}{'words':>7}{'LOO error*':>12}{'error on the rest':>20}{'fit':>10}")
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(X[labeled], corpus.target[labeled], X_unlabeled=X[rest])
        seconds = time.perf_counter() - start
        print(f"{name:<32}{model.support_.sum():>7,}{errors(model, X, corpus.target, labeled, rest)}{seconds:>8.2f} s")
    print("* leave-one-out on the labeled rows, given the words; choosing them on the same rows flatters it.")
    show_words(models["words chosen by MDL"], words.get_feature_names_out())
    save_chart(models["words chosen by MDL"].selection_)
    save_table(corpus)


def save_table(corpus) -> None:
    """The docstrings as a table, for `vitalfew report`."""
    table = pa.table({"docstring": list(corpus.data), "package": [str(t) for t in corpus.target]})
    pq.write_table(table, OUTPUT / "docstrings.parquet")


def errors(model, X, target, labeled, rest) -> str:
    guess = model.classes_[model.loo_predict_proba(X[labeled], target[labeled]).argmax(axis=1)]
    loo = np.mean(guess != target[labeled])
    error = 1 - model.score(X[rest], target[rest])
    margin = 1.96 * np.sqrt(error * (1 - error) / len(rest))
    return f"{loo:>11.1%}{error:>13.1%} ± {margin:.1%}"


def show_words(model, names) -> None:
    length = model.description_length_
    without = model.selection_.score[0]
    print(
        f"\nWithout words the labels take {without:.0f} bits. With the words chosen by MDL they take {length.data:.0f}"
    )
    print(f"and the words themselves {length.model:.0f}: {length.total:.0f} in all.\n")
    print(f"{'word':<16}{'bits alone':>13}   evidence for (log2 odds)")
    frame = model.summary(names)
    columns = (frame[c] for c in ("feature", "information", "speaks_for", "weight"))
    for word, bits, speaks_for, weight in zip(*columns, strict=True):
        print(f"{word:<16}{bits:>8.3f} bits   {speaks_for} ({weight:+.1f})")


def save_chart(selection) -> None:
    OUTPUT.mkdir(exist_ok=True)
    chart = selection.plot()
    chart.save(OUTPUT / "selection-curve.html", inline=True)  # no network needed to look at it
    for suffix in ("svg", "png"):
        chart.save(OUTPUT / f"selection-curve.{suffix}")
    print(f"\nThe selection curve is in {OUTPUT}/selection-curve.html (also .svg and .png).")


if __name__ == "__main__":
    main()
