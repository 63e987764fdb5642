"""Test accuracy with few labels: `python benchmarks/few_labels.py [data ...] [--draws 10] [--labels 20,50,200,1000]`.

Labels are drawn at random from the training part, one a class at the least; the rest of it is unlabeled. Vocabulary
and idf of our models come from the whole training part, labeled or not; those of what a practitioner would do from the
labeled documents, as scikit-learn's pipelines have it. Writes the section Few labels of RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC

from judge import SHARED
from run import circumstances, table, write_section
from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes, WordPresence
from vitalfew.families.bayes.mixture import WeightRows
from vitalfew.labeling.candidates import CANDIDATES, CountedRows, LabeledDocuments, Others
from vitalfew.labeling.choice import choose

DATA = ("newsgroups20", "webkb", "reuters_r8", "sms_spam", "ag_news_test")
HOLDOUT, SEED = 0.3, 0


class Corpus:
    """Training and test documents as word presence, with and without weights."""

    def __init__(self, name: str):
        frame = pd.read_csv(SHARED / "text" / f"{name}.csv.gz", keep_default_na=False)
        if "split" in frame:
            train, test = (frame[frame["split"] == part] for part in ("train", "test"))
        else:
            train, test = train_test_split(frame, test_size=HOLDOUT, random_state=SEED, stratify=frame["target"])
        self.texts, self.test_texts = train["text"].to_numpy(), test["text"].to_numpy()
        self.y, self.test_y = train["target"].to_numpy(str), test["target"].to_numpy(str)
        for weighting in (None, "idf"):
            words = WordPresence(weighting=weighting, min_df=2, dtype=np.float64).fit(self.texts)
            setattr(self, weighting or "presence", (words.transform(self.texts), words.transform(self.test_texts)))

    def draw(self, n: int, seed: int) -> np.ndarray:
        """Draw the rows that keep their label: one of each class, then at random."""
        order = np.random.default_rng(seed).permutation(len(self.y))
        first = [order[np.argmax(self.y[order] == c)] for c in np.unique(self.y)]
        rest = order[~np.isin(order, first)]
        return np.concatenate([first, rest])[: max(n, len(first))]


def supervised(corpus: Corpus, known):
    X, test = corpus.presence
    model = NaiveBayes().fit(X[known], corpus.y[known], X_unlabeled=X[~np.isin(np.arange(len(corpus.y)), known)])
    return model.predict(test), ""


def semi_supervised(events: str, **options):
    def run(corpus: Corpus, known):
        X, test = corpus.idf if events == "weights" else corpus.presence
        y = np.full(len(corpus.y), None, dtype=object)
        y[known] = corpus.y[known]
        model = SemiSupervisedNaiveBayes(events=events, **options).fit(X, y)
        return model.predict(test), model.unlabeled_weight_

    return run


def self_training(model):
    def run(corpus: Corpus, known):
        X, test = corpus.presence
        classes, code = np.unique(corpus.y, return_inverse=True)
        y = np.full(len(code), -1)
        y[known] = code[known]
        return classes[SelfTrainingClassifier(model).fit(X, y).predict(test)], ""

    return run


def practitioner(model):
    def run(corpus: Corpus, known):
        words = TfidfVectorizer()
        X = words.fit_transform(corpus.texts[known])
        return model.fit(X, corpus.y[known]).predict(words.transform(corpus.test_texts)), ""

    return run


def presence_svc(corpus: Corpus, known):
    X, test = corpus.idf
    return LinearSVC().fit(X[known], corpus.y[known]).predict(test), ""


def auto(corpus: Corpus, known):
    """Choose and fit a model as `vitalfew label` does, without the database."""
    classes, code = np.unique(corpus.y, return_inverse=True)
    rest = ~np.isin(np.arange(len(code)), known)

    def documents(part: int, rows) -> LabeledDocuments:
        codes = code[rows] if part == 0 else np.zeros(len(corpus.test_y), dtype=int)
        return LabeledDocuments(
            corpus.presence[part][rows], corpus.idf[part][rows], codes.astype(np.int32), len(classes)
        )

    labeled = documents(0, known)
    counts = np.bincount(corpus.presence[0][rest].indices, minlength=corpus.presence[0].shape[1])
    others = Others(CountedRows(counts, int(rest.sum())), WeightRows(corpus.idf[0][rest]))
    choice = choose([candidate() for candidate in CANDIDATES], labeled, others, 0, False)
    (model,) = choice.candidate.models(labeled, others, [choice.knob])
    return classes[model.predict(documents(1, slice(None)))], (choice.candidate.name, choice.knob)


METHODS = {
    "vitalfew auto (`vitalfew label`)": auto,
    "EM, words with weights": semi_supervised("weights"),
    "EM, words with weights, MDL words": semi_supervised("weights", features="mdl"),
    "EM, weight 1, no guard": semi_supervised("weights", unlabeled_weight=1.0, guard=False),
    "EM, presence": semi_supervised("presence"),
    "EM, presence, weight 1, no guard": semi_supervised("presence", unlabeled_weight=1.0, guard=False),
    "EM, presence, MDL words": semi_supervised("presence", features="mdl"),
    "Naive Bayes": supervised,
    "tf-idf + ComplementNB": practitioner(ComplementNB()),
    "tf-idf + LinearSVC": practitioner(LinearSVC()),
    "presence × idf + LinearSVC": presence_svc,
    "SelfTraining(BernoulliNB)": self_training(BernoulliNB()),
    "SelfTraining(MultinomialNB)": self_training(MultinomialNB()),
}


class Kept:
    """Cache of accuracies, so that a long study can be interrupted and resumed."""

    def __init__(self, path: Path):
        self.path = path
        self.found: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}

    def accuracies(self, corpus, name: str, n: int, method: str, draws: int) -> list[float]:
        key = f"{name} | {n} | {method}"
        found = self.found.setdefault(key, [])
        for seed in range(len(found), draws):
            start = time.perf_counter()
            predicted, told = METHODS[method](corpus(name), corpus(name).draw(n, seed))
            found.append(float((predicted == corpus(name).test_y).mean()))
            print(f"{key}: {found[-1]:.3f} ({time.perf_counter() - start:.1f} s) {told}", flush=True)
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(json.dumps(self.found))
        return found[:draws]


def cell(accuracies: list[float]) -> str:
    if len(accuracies) < 2:
        return "–"
    return f"{np.mean(accuracies):.3f} ± {np.std(accuracies, ddof=1) / np.sqrt(len(accuracies)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="*", default=DATA)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--labels", default="20,50,200,1000")
    parser.add_argument("--only", default="", help="methods whose names contain this; nothing is written")
    parser.add_argument("--kept", type=Path, default=Path(__file__).parent / "results" / "few_labels.json")
    given = parser.parse_args()
    labels = [int(n) for n in given.labels.split(",")]
    methods = [name for name in METHODS if given.only in name]
    warnings.simplefilter("ignore")
    kept, corpus, sections = Kept(given.kept), cache(Corpus), []
    for name in given.data:
        rows = [
            {"method": method} | {str(n): cell(kept.accuracies(corpus, name, n, method, given.draws)) for n in labels}
            for method in methods
        ]
        sections.append(table(rows, {"method": name} | {str(n): f"{n} labels" for n in labels}))
    if not given.only:
        text = f"{circumstances()}\n\nMean test accuracy and its standard error over {given.draws} draws.\n\n"
        write_section("Few labels", text + "\n\n".join(sections))


if __name__ == "__main__":
    main()
