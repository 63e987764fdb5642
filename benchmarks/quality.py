"""Test error, features and time of Naive Bayes under several rules: `python benchmarks/quality.py [data ...]`.

Standard split where there is one, otherwise a fixed stratified 30 % is held out. Vocabulary, cuts, selection and prior
come from the training part only. Writes the section Quality of RESULTS.md.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from judge import SHARED
from run import circumstances, table, write_section
from vitalfew import InformationRanking, NaiveBayes, WordPresence

TEXTS = {
    "sms_spam": "sms_spam",
    "newsgroups20": "newsgroups20",
    "newsgroups20, comp.*": "newsgroups20",
    "rt_polarity": "rt_polarity",
    "reuters_r8": "reuters_r8",
}
TABLES = ("agaricus-lepiota", "house-votes-84", "splice")
HOLDOUT, SEED = 0.3, 0


def load_text(name: str):
    """Return the words of the training and test part, and the labels."""
    frame = pd.read_csv(SHARED / "text" / f"{TEXTS[name]}.csv.gz", keep_default_na=False)
    if name.endswith("comp.*"):
        frame["target"] = np.where(frame["target"].str.startswith("comp."), "comp", "rest")
    if "split" in frame:
        train, test = (frame[frame["split"] == part] for part in ("train", "test"))
    else:
        train, test = train_test_split(frame, test_size=HOLDOUT, random_state=SEED, stratify=frame["target"])
    words = WordPresence(min_df=2, dtype=np.float64)
    X = words.fit_transform(train["text"].tolist())
    return X, words.transform(test["text"].tolist()), train["target"].to_numpy(str), test["target"].to_numpy(str)


def load_table(name: str):
    """Return the categories, with missing cells as a separate value for scikit-learn, and the labels."""
    frame = pd.read_csv(next((SHARED / "uci").glob(f"{name}.csv*")))
    y = frame.pop("target").to_numpy(str)
    return train_test_split(frame, y, test_size=HOLDOUT, random_state=SEED, stratify=y)


class Categories(OrdinalEncoder):
    """Encoder for CategoricalNB: missing and unseen values have code 0."""

    def __init__(self):
        super().__init__(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)

    def transform(self, X):
        return super().transform(X) + 1


def models(name: str) -> dict:
    """Return the compared models, by name."""
    quiet = {"verbose": False}
    peers = (
        {"BernoulliNB": BernoulliNB(), "MultinomialNB": MultinomialNB()}
        if name in TEXTS
        else {"CategoricalNB": make_pipeline(Categories(), CategoricalNB())}
    )
    return {
        "most frequent class": DummyClassifier(),
        **peers,
        "all features": NaiveBayes(**quiet),
        "all features, prior by loo": NaiveBayes(prior_strength="loo", **quiet),
        "fdr, then Naive Bayes": make_pipeline(InformationRanking("fdr", **quiet), NaiveBayes(**quiet)),
        "information, k by mdl": NaiveBayes(order="information", features="mdl", **quiet),
        "information, k by cv": NaiveBayes(order="information", features="cv", random_state=SEED, **quiet),
        "mdl": NaiveBayes(features="mdl", **quiet),
        "mdl, backward": NaiveBayes(features="mdl", backward=True, **quiet),
    }


def n_features(model, d: int) -> int:
    """Return the number of features that a fitted model uses."""
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, DummyClassifier):
        return 0
    return int(last.support_.sum()) if hasattr(last, "support_") else d


def run_data(name: str) -> list[dict]:
    """Return one row per model."""
    X, X_test, y, y_test = load_text(name) if name in TEXTS else load_table(name)
    rows = []
    for title, model in models(name).items():
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        wrong = model.predict(X_test) != y_test
        error = float(100 * wrong.mean())
        rows.append(
            {
                "data": name,
                "rows": f"{X.shape[0]:,} + {X_test.shape[0]:,}",
                "model": title,
                "features": n_features(model, X.shape[1]),
                "test error, %": f"{error:.2f} ± {100 * wrong.std() / np.sqrt(len(wrong)):.2f}",
                "fit, s": seconds,
            }
        )
    return rows


def main(names: list[str]) -> str:
    """Run the named data sets, or all, and write the section."""
    if not SHARED.is_dir():
        sys.exit(f"The data sets are needed in {'/'.join(SHARED.parts[-2:])} beside the repository; nothing was run.")
    rows = [row for name in names or [*TEXTS, *TABLES] for row in run_data(name)]
    intro = (
        "Test error with its standard error. Rows are training + test rows; words occur in at least two training "
        "documents. Fit is the time of one run, including the choice of features and of the prior."
    )
    body = f"{intro}\n\n{circumstances()}\n\n{table(rows, {key: key for key in rows[0]})}"
    write_section("Quality", body)
    return body


if __name__ == "__main__":
    print(main(sys.argv[1:]))
