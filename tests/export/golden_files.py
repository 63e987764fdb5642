"""Golden files: a model, its source in SQL and Python, rows, and the predictions for them.

``python tests/export/golden_files.py`` writes those of this version into ``golden/<version>/``. Files of a version that
was released stay unchanged: they represent the files that users have.
"""

import gzip
import json
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

import vitalfew as vf
from vitalfew.encoding.encoding import make_encoded
from vitalfew.evaluation.table_model import TableModel
from vitalfew.export.model_file import dump

GOLDEN = Path(__file__).with_name("golden")
METHODS = ("predict", "predict_proba", "decision_function", "transform")
N_FIT, N_KEPT = 90, 12
NO_FORMULA = {
    *("kernel_ridge", "information_ranking", "adaboost_trees", "bagging", "blend", "blend_regressor"),
    *("discretizer", "word_presence"),
}


@cache
def numbers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_FIT, 5)).round(3), columns=["a", "b", 'c "q"', "d", "e"])
    return X, (2 * X["a"] - X["d"] + 0.3 * rng.normal(size=N_FIT)).round(3)


def two_classes():
    X, y = numbers()
    return X, np.where(y > 0, "yes", "it's no")


def three_classes():
    X, y = numbers()
    return X, np.digitize(y, [-1, 1])


@cache
def mixed():
    """Numbers and categories with gaps."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, N_FIT).round(1),
            "color": rng.choice(["red", "green", "it's blue"], N_FIT),
            "count": rng.integers(0, 4, N_FIT),
        }
    )
    y = np.where((X["age"] > 42) + (X["color"] == "red") + rng.random(N_FIT) > 1.2, "yes", "no")
    X.loc[::7, "age"] = np.nan
    X.loc[3::11, "color"] = None
    return X, y


def few_labels():
    X, y = mixed()
    return X, np.array([label if i < 40 else None for i, label in enumerate(y)], dtype=object)


def documents():
    words = ["the cat sat", "the dog", "a cat and a dog", "sat the owl ω", "", "dogs and cats"]
    return words * 3, np.arange(18) % 2


def table_model():
    """A model as a report returns it, with calibrated probabilities."""
    inner = make_encoded(vf.LogisticRegression(0.02), {"age": "numeric", "color": "category"})
    return TableModel(inner, exponent=0.6)


MODELS = {
    "lasso": (vf.Lasso("bic"), numbers),
    "ridge": (vf.Ridge("loo"), numbers),
    "kernel_ridge": (vf.KernelRidge(0.1, gamma=0.2), numbers),
    "best_subset_regressor": (vf.BestSubsetRegressor(2), numbers),
    "greedy_subset_regressor": (vf.GreedySubsetRegressor("bic"), numbers),
    "forward_fitting_regressor": (vf.ForwardFittingRegressor(5), numbers),
    "logistic_two": (vf.LogisticRegression(0.02), two_classes),
    "logistic_three": (vf.LogisticRegression(0.02), three_classes),
    "best_subset_classifier": (vf.BestSubsetClassifier(2), two_classes),
    "greedy_subset_classifier": (vf.GreedySubsetClassifier(2), three_classes),
    "forward_fitting_classifier": (vf.ForwardFittingClassifier(4), two_classes),
    "greedy_search": (vf.GreedySearch(vf.LogisticRegression(0.02), 2, cv=3), two_classes),
    "naive_bayes": (vf.NaiveBayes(features=2), mixed),
    "semi_supervised": (vf.SemiSupervisedNaiveBayes(unlabeled_weight=0.5), few_labels),
    "information_ranking": (vf.InformationRanking(2), mixed),
    "stump": (vf.Stump(), mixed),
    "adaboost": (vf.AdaBoost(5), mixed),
    "adaboost_samme": (vf.AdaBoost(4, multiclass="samme"), three_classes),
    "adaboost_trees": (vf.AdaBoost(3, estimator="tree"), mixed),
    "decision_tree": (vf.DecisionTree(), mixed),
    "bagging": (vf.Bagging(rounds=3, random_state=0), mixed),
    "blend": (vf.Blend([("bayes", vf.NaiveBayes()), ("tree", vf.DecisionTree())], cv=3), mixed),
    "blend_regressor": (vf.Blend([("ridge", vf.Ridge(1.0)), ("lasso", vf.Lasso(0.1))], weights=[1, 3]), numbers),
    "table_model": (table_model(), mixed),
    "discretizer": (vf.Discretizer(), three_classes),
    "word_presence": (vf.WordPresence(weighting="idf", ngram_range=(1, 2)), documents),
}


def answers(model, rows):
    """Return the output of each method for the rows, in JSON form."""
    found = {name: getattr(model, name)(rows) for name in METHODS if hasattr(model, name)}
    return {k: (v.toarray() if hasattr(v, "toarray") else np.asarray(v)).tolist() for k, v in found.items()}


def sources(model):
    """The model as SQL and Python."""
    sql = {engine: vf.to_sql(model, table="data", dialect=engine) for engine in ("duckdb", "sqlite")}
    return {"sql": sql, "python": vf.to_python(model)}


def kept(rows):
    """Rows as JSON holds them; the other way is `rows_of`."""
    if isinstance(rows, list):
        return rows
    return rows.astype(object).where(rows.notna(), None).to_dict("list")


def rows_of(held):
    return held if isinstance(held, list) else pd.DataFrame(held)


def make(name):
    model, data = MODELS[name]
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    rows = X[:N_KEPT]
    found = {"model": dump(model), "rows": kept(rows), "answers": answers(model, rows)}
    return found if name in NO_FORMULA else found | sources(model)


def write(folder):
    """All files of this version."""
    folder.mkdir(parents=True)
    for name in MODELS:
        put(folder / f"{name}.json.gz", make(name))
    X, y = mixed()
    counts = vf.Counts.from_data(X[["color", "count"]].fillna("none").astype(str), y)
    put(folder / "counts.gz", {"counts": counts.to_json(), "table": counts.table.tolist()})
    X, y, sealed = vf.sealed_split(*two_classes(), test_size=0.3, random_state=0)
    sealed.save(folder / "sealed.zip")
    model = vf.BestSubsetClassifier(1).fit(X, y)
    score = sealed.score(model)
    put(folder / "sealed_score.gz", {"model": dump(model), "error": score.error, "confusion": score.confusion})


def put(path, held):
    path.write_bytes(gzip.compress(json.dumps(held, ensure_ascii=False).encode(), mtime=0))


if __name__ == "__main__":
    target = GOLDEN / vf.__version__
    if target.exists():
        sys.exit(f"{target} is there: files of a version are made once.")
    write(target)
