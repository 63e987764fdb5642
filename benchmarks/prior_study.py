"""Study of the default prior strength of Naive Bayes: accuracy and log loss over strengths and data sets.

`python benchmarks/prior_study.py` writes PRIOR.md beside this file. A strength is judged by its regret: the accuracy
it loses against the best strength of the grid, for each corpus and number of labels, and for each table.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from vitalfew import NaiveBayes, WordPresence

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
CORPORA, TABLES = SHARED / "data" / "text", SHARED / "data" / "uci"
GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
N_LABELS = (50, 200, 1000, None)  # None: all of the training part
LOO_LABELS = (200, None)  # the rule is slow with many classes: only where the tables show it
DRAWS, FOLDS, MAX_ROWS = 5, 4, 9000
TOLERANCE = 0.05  # points of regret that count as equal
PEERS = ("BernoulliNB", "MultinomialNB")


def load_text(name: str, whole_vocabulary: bool = False):
    """Return the words of training, unlabeled and test documents, and the labels of the first and last.

    The vocabulary is that of the training part (labels not used) and of documents that never had a label, or else of
    all documents.
    """
    frame = pd.read_csv(CORPORA / f"{name}.csv.gz", keep_default_na=False)
    if "split" in frame:
        train, unlabeled, test = (frame[frame["split"] == part] for part in ("train", "unlabeled", "test"))
    else:
        train, test = train_test_split(frame, test_size=0.3, random_state=0, stratify=frame["target"])
        unlabeled = frame.iloc[:0]
    words = WordPresence(min_df=2, dtype=np.float64, n_jobs=1)
    known = [*train["text"], *unlabeled["text"]]
    X = words.fit(known + test["text"].tolist() if whole_vocabulary else known).transform(known)
    y = np.unique(pd.concat([train["target"], test["target"]]).astype(str), return_inverse=True)[1]
    n = len(train)
    return X[:n], X[n:], words.transform(test["text"].tolist()), y[:n], y[n:]


def draw_labels(y, n_labels: int | None, seed: int, stratify: bool = True):
    """Draw the rows that keep their label: stratified with at least one per class, or at random."""
    rng = np.random.default_rng(seed)
    if n_labels is None:
        return np.arange(len(y))
    if not stratify:
        return rng.choice(len(y), n_labels, replace=False)
    members = [rng.permutation(np.flatnonzero(y == c)) for c in range(y.max() + 1)]
    return np.sort(np.concatenate([m[: max(1, round(n_labels * len(m) / len(y)))] for m in members]))


def judge(model, X, y) -> dict:
    """Return the accuracy and the mean log loss in nats; a class unknown to the model has probability e^-20."""
    log_proba, at = model.predict_log_proba(X), np.searchsorted(model.classes_, y)
    at = np.minimum(at, len(model.classes_) - 1)
    own = np.where(model.classes_[at] == y, log_proba[np.arange(len(y)), at], -20.0)
    accuracy = np.mean(model.classes_[log_proba.argmax(axis=1)] == y)
    return {"accuracy": 100 * accuracy, "log_loss": -np.maximum(own, -690.0).mean()}


def run_text(name: str, n_labels: int | None, seed: int, with_unlabeled: bool) -> list[dict]:
    """Run all models on one draw of labels of one corpus."""
    X, extra, X_test, y, y_test = load_text(name)
    rows = draw_labels(y, n_labels, seed)
    hidden = sparse.vstack([X[np.setdiff1d(np.arange(len(y)), rows)], extra]).tocsr()
    pool = {"X_unlabeled": hidden} if with_unlabeled else {}
    strengths = (*GRID, "auto")
    if n_labels in LOO_LABELS and (with_unlabeled or n_labels is None):
        strengths += ("loo",)
    fits = [(s, NaiveBayes(prior_strength=s, n_jobs=1, verbose=False), pool) for s in strengths]
    fits += [("BernoulliNB", BernoulliNB(), {}), ("MultinomialNB", MultinomialNB(), {})]
    setting = {"data": name, "labels": n_labels or "all", "unlabeled": with_unlabeled, "draw": seed}
    return [
        {**setting, "model": str(model_name), **judge(model.fit(X[rows], y[rows], **options), X_test, y_test)}
        for model_name, model, options in fits
    ]


def text_settings():
    """Yield every corpus, number of labels and draw; with all labels there is a single draw."""
    for path in sorted(CORPORA.glob("*.csv.gz")):
        frame = pd.read_csv(path, keep_default_na=False)
        part = frame["split"] if "split" in frame else pd.Series(["train"] * round(0.7 * len(frame)))
        for n_labels in N_LABELS:
            if n_labels is None:
                jobs = [(0, False)] + [(0, True)] * bool((part == "unlabeled").any())
            else:
                jobs = [(seed, pool) for seed in range(DRAWS) for pool in (False, True)]
            for seed, pool in jobs:
                yield path.name.removesuffix(".csv.gz"), n_labels, seed, pool


def run_table(path: Path) -> list[dict]:
    """Run all strengths on the folds of one table of at most MAX_ROWS rows."""
    warnings.filterwarnings("ignore", message="The least populated class")
    frame = pd.read_csv(path)
    frame = frame.sample(min(len(frame), MAX_ROWS), random_state=0)
    y = frame.pop("target").astype(str).to_numpy()
    found = []
    for fold, (train, test) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(frame, y)):
        for strength in (*GRID, "auto"):
            model = NaiveBayes(prior_strength=strength, n_jobs=1, verbose=False).fit(frame.iloc[train], y[train])
            row = judge(model, frame.iloc[test], y[test])
            found.append({"data": path.name.split(".")[0], "draw": fold, "model": str(strength), **row})
    return found


def check_claim(draws: int = 3) -> pd.DataFrame:
    """Run newsgroups with few labels drawn at random, not by class, and the vocabulary of all documents."""
    X, _, X_test, y, y_test = load_text("newsgroups20", whole_vocabulary=True)
    found = []
    for n_labels in (200, 1000):
        for seed in range(draws):
            rows = draw_labels(y, n_labels, seed, stratify=False)
            hidden = X[np.setdiff1d(np.arange(len(y)), rows)]
            models = {f"pooled, {s}": (NaiveBayes(prior_strength=s), {"X_unlabeled": hidden}) for s in ("auto", 0.2)}
            models |= {"BernoulliNB": (BernoulliNB(), {}), "MultinomialNB": (MultinomialNB(), {})}
            for name, (model, pool) in models.items():
                accuracy = model.fit(X[rows], y[rows], **pool).score(X_test, y_test)
                found.append({"labels": n_labels, "model": name, "accuracy": 100 * accuracy})
    return pd.DataFrame(found).groupby(["labels", "model"])["accuracy"].mean().unstack()


def study() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of all text settings and of all tables."""
    if not CORPORA.is_dir():
        sys.exit(
            f"The data sets are needed in {'/'.join(SHARED.parts[-1:])}/data beside the repository; nothing was run."
        )
    tables = sorted(p for p in TABLES.glob("*.csv*"))
    jobs = sorted(text_settings(), key=lambda s: (s[0] != "newsgroups20", s[1] not in LOO_LABELS))
    with Parallel(n_jobs=2) as parallel:
        text = parallel(delayed(run_text)(*job) for job in jobs)
        table = parallel(delayed(run_table)(path) for path in tables)
    return tuple(pd.DataFrame([row for rows in found for row in rows]) for found in (text, table))


def regret(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return mean and worst regret, mean rank, and mean excess log loss of each strength."""
    mean = frame.groupby([*keys, "model"])[["accuracy", "log_loss"]].mean().unstack("model")
    constants = [str(s) for s in GRID]
    accuracy, log_loss = (mean[score][[*constants, "auto"]] for score in ("accuracy", "log_loss"))
    lost = accuracy.rsub(accuracy[constants].max(axis=1), axis=0)
    return pd.DataFrame(
        {
            "regret": lost.mean(),
            "worst": lost.max(),
            "rank": accuracy.rank(axis=1, ascending=False).mean(),
            "log loss": log_loss.sub(log_loss[constants].min(axis=1), axis=0).mean(),
        }
    )


def recommend(text: pd.DataFrame, table: pd.DataFrame) -> str:
    """Return the constant with the lowest log loss among those within TOLERANCE of the smallest mean regret."""
    both = ((text["regret"] + table["regret"]) / 2).drop("auto")
    near = both[both <= both.min() + TOLERANCE].index
    return (text["log loss"].rank() + table["log loss"].rank())[near].idxmin()


def markdown(frame: pd.DataFrame, digits: int) -> str:
    """Format a frame as a Markdown table, with its index as the first columns."""
    frame = frame.reset_index()
    lines = [list(frame.columns), ["---"] * len(frame.columns), *frame.itertuples(index=False)]
    cells = [[f"{c:.{digits}f}" if isinstance(c, float) else str(c) for c in line] for line in lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def write(text: pd.DataFrame, table: pd.DataFrame, claim: pd.DataFrame, path: Path) -> str:
    """Write PRIOR.md, and return the recommended strength."""
    by_text, by_table = regret(text, ["data", "labels", "unlabeled"]), regret(table, ["data"])
    chosen = recommend(by_text, by_table)
    both = by_text.add_suffix(", text").join(by_table.add_suffix(", tables"))
    both.insert(0, "mean regret", (by_text["regret"] + by_table["regret"]) / 2)
    shown = {"auto": '"auto"', chosen: f"n' = {chosen}", "100": "n' = 100", "loo": '"loo"'} | {p: p for p in PEERS}
    few = text[(text["labels"] == 200) & text["unlabeled"]]
    every = text[(text["labels"] == "all") & ~text["unlabeled"]]
    parts = []
    for title, rows in (("200 labels, the other training documents unlabeled", few), ("All labels", every)):
        cells = rows.groupby(["data", "model"])[["accuracy", "log_loss"]].mean().unstack("model")
        accuracy, log_loss = (cells[c][list(shown)].rename(columns=shown) for c in ("accuracy", "log_loss"))
        both_cells = accuracy.map("{:.1f}".format) + " (" + log_loss.map("{:.2f}".format) + ")"
        parts.append(f"### {title}\n\n{markdown(both_cells.rename_axis('corpus'), 1)}")
    method = HEAD.format(
        n_corpora=text["data"].nunique(),
        n_tables=table["data"].nunique(),
        chosen=chosen,
        auto=both.loc["auto", "mean regret"],
        constant=both.loc[chosen, "mean regret"],
    )
    body = [method, markdown(both.rename_axis("n'"), 2), CORPUS_HEAD, *parts, CLAIM, markdown(claim, 1)]
    path.write_text("\n\n".join(body) + "\n")
    return chosen


HEAD = """# The default strength of the prior

The study uses {n_corpora} text corpora with 50, 200, 1,000 and all labels of the training part (stratified by class;
5 draws). They are tested on the standard test part or a fixed 30%, once with the other training documents as
`X_unlabeled` and once without. The words are those of `WordPresence(min_df=2)` fitted to the training part, without the
test documents. It also uses {n_tables} UCI tables with 4 folds and at most 9,000 rows. All models have
`prior_mean="pooled"` and all features. Regret is the accuracy, in percentage points, lost relative to the best n' for
that table, or for that corpus and number of labels. Log loss is in nats above the smallest.

Text and tables disagree: a text has thousands of dependent words, whose evidence a strong prior tempers; a table has
few columns, which a strong prior blurs. Among the constants whose regret, averaged over both, is within 0.05 points of
the smallest, {chosen} has the lowest log loss. **The default, `"auto"`, is not a constant**: it is one row for every
hundred features, between 0.2 and 100. Averaged over text and tables, its regret is {auto:.2f} points, and that of the
constant {constant:.2f}.
The rule behind `"auto"` was found after seeing these test sets, so its regret is optimistic. `prior_strength="loo"`
minimizes the error rate. With all labels it is more accurate than `"auto"` on 10 of 11 corpora and has the lower log
loss on 8; with 200 labels it is no more accurate and has the lower log loss on only 3."""

CORPUS_HEAD = """## By corpus

Accuracy in % on the test part, with the log loss in nats in parentheses."""

CLAIM = """## Newsgroups with labels drawn at random

Accuracy in % for 20 classes, the standard split, a vocabulary of all documents (72,236 words), and labels drawn without
regard to class. `BernoulliNB` suffers most from classes of unequal size, because every word it has not seen favors the
smallest class."""

if __name__ == "__main__":
    print(write(*study(), check_claim(), Path(__file__).with_name("PRIOR.md")))
