"""Models of every data set beside the repository, and the tables that their exports are asked about."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from engines import answers, difference
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_svmlight_file
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from vitalfew import (
    AdaBoost,
    DecisionTree,
    GreedySubsetRegressor,
    InformationRanking,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    Stump,
    WordPresence,
    to_python,
)

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
WIDE = 290  # columns of a table from which on models choose among them
EVERYWHERE = ("duckdb", "sqlite", "postgres", "python")
FEATURES = {"dexter": 20_000, "fbis_wc": 2000, "a9a": 123, "w8a": 300}


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((SHARED / folder).glob("*")) if path.is_file()]


def title(path: Path) -> str:
    return path.name.split(".")[0]


def load(path: Path, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table and its target; long tables are sampled at random."""
    if path.suffix == ".npz":
        held = np.load(path)
        frame, y = pd.DataFrame(held["X"].astype(float), columns=held["feature_names"].tolist()), held["y"]
    elif ".svmlight" in path.name:
        matrix, y = load_svmlight_file(str(path), n_features=FEATURES[title(path)], zero_based=False)
        kept = _drawn(len(y), n_rows)
        frame = pd.DataFrame(matrix[kept].toarray(), columns=[f"f{j}" for j in range(matrix.shape[1])])
        return frame, y[kept].astype(int)
    else:
        frame = pd.read_csv(path, keep_default_na=path.parent.name != "text")
        frame = frame[frame["target"] != ""].reset_index(drop=True)
        y = frame.pop("target").to_numpy()
    kept = _drawn(len(y), n_rows)
    frame, y = frame.iloc[kept].reset_index(drop=True), y[kept]
    y = y.astype(float) if is_numeric(path, y) else y.astype(str).astype(object)
    taken: set[str] = set()  # databases do not tell upper from lower case
    frame.columns = [c if not (c.lower() in taken or taken.add(c.lower())) else f"{c} again" for c in frame.columns]
    return frame, y


def is_numeric(path: Path, y: np.ndarray) -> bool:
    return path.parent.name == "wide" and y.dtype.kind == "f"


def _drawn(n: int, most: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(n)[:most])


def fitted_models(path: Path, n_rows: int) -> Iterator[tuple[str, BaseEstimator, object, pd.DataFrame, tuple]]:
    """Name, model, rows as `predict` takes them, the table for the engines, and which engines take it.

    Models learn from two thirds of the rows, so that others have values that are new to them.
    """
    X, y = load(path, n_rows)
    train = np.random.default_rng(1).permutation(len(X))[: len(X) * 2 // 3]
    if path.parent.name == "text":
        yield from _of_texts(X["text"], y, train)
        return
    if X.shape[1] > WIDE:
        yield from _of_columns(X.to_numpy(), y, train, is_numeric(path, y))
        return
    prepared = _prepared(X.iloc[train])
    if is_numeric(path, y):
        models = {
            type(m).__name__: make_pipeline(prepared, m) for m in (Lasso("bic"), GreedySubsetRegressor(5), Ridge(1.0))
        }
    else:
        models = {type(m).__name__: m for m in (NaiveBayes(), Stump(), AdaBoost(20), DecisionTree())}
        models["LogisticRegression"] = make_pipeline(prepared, LogisticRegression(0.01))
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X.iloc[train], y[train])
        yield name, model, X, X, EVERYWHERE


def _prepared(X: pd.DataFrame) -> ColumnTransformer:
    numbers = [c for c in X.select_dtypes("number").columns if X[c].notna().any()]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
            ("names", OneHotEncoder(handle_unknown="ignore"), X.select_dtypes(exclude="number").columns.tolist()),
        ]
    )


def _of_columns(X, y: np.ndarray, train: np.ndarray, is_numeric: bool):
    """Models that choose among very many columns: the table has those that they read."""
    if is_numeric:
        models: tuple = (Lasso("bic"), GreedySubsetRegressor(5))
    else:
        logistic = make_pipeline(InformationRanking(50), StandardScaler(with_mean=False), LogisticRegression(0.01))
        models = (NaiveBayes(features="mdl"), Stump(), AdaBoost(20), DecisionTree(), logistic)
    for model in models:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X[train], y[train])
        used = sorted({int(j) for j in re.findall(r"row\['x(\d+)'\]", to_python(model))} | {0})
        columns = X[:, used].toarray() if sparse.issparse(X) else X[:, used]
        name = type(model[-1] if isinstance(model, Pipeline) else model).__name__
        yield name, model, X, pd.DataFrame(columns, columns=[f"x{j}" for j in used]), EVERYWHERE


def _of_texts(texts: pd.Series, y: np.ndarray, train: np.ndarray):
    """Models on the text itself, and on a table with a column for each word that the model reads."""
    body = texts.to_frame("text")
    matrix = WordPresence(min_df=2).fit(texts.iloc[train]).transform(texts).astype(float)
    for model in (NaiveBayes(features="mdl"), Stump(), AdaBoost(20), DecisionTree(), LogisticRegression(0.01)):
        on_text = make_pipeline(ColumnTransformer([("words", WordPresence(min_df=2), "text")]), model)
        yield type(model).__name__, on_text.fit(body.iloc[train], y[train]), body, body, ("duckdb", "python")
    for name, *rest in _of_columns(matrix, y, train, is_numeric=False):
        yield f"{name}, 0/1", *rest


def measured(path: Path, engines: tuple, n_rows: int) -> Iterator[dict]:
    """For each model the largest difference in each engine, and how many predictions `predict` would not make."""
    for name, model, rows, table, able in fitted_models(path, n_rows):
        line: dict = {"data": title(path), "model": name, "rows": len(table), "columns": table.shape[1], "wrong": 0}
        for engine in engines:
            if engine in able:
                line[engine], n_wrong = difference(model, rows, answers(engine, model, table))
                line["wrong"] += n_wrong
        yield line
