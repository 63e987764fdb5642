"""User code under strict type checking: `make lint` runs mypy --strict on it. It is not executed."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import vitalfew
from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Blend,
    Counts,
    DecisionTree,
    Discretizer,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySearch,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    InformationRanking,
    KernelRidge,
    Lasso,
    LogisticRegression,
    Moments,
    NaiveBayes,
    Report,
    Ridge,
    SealedTest,
    SemiSupervisedNaiveBayes,
    Stump,
    WordPresence,
    aic,
    bias_variance,
    bic,
    compare,
    conditional_entropy,
    conditional_mutual_information,
    description_length,
    ebic,
    entropy,
    interaction_information,
    label_documents,
    load,
    loo_predict,
    mutual_information,
    report,
    save,
    sealed_split,
    summarize,
    to_python,
    to_sql,
)


def regress(X: NDArray[np.float64], y: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [
        Lasso("1se", n_jobs=2).fit(X, y).predict(X),
        Ridge("loo").fit(X, y).predict(X),
        KernelRidge("loo").fit(X, y).predict(X),
        BestSubsetRegressor(3).fit(X, y).predict(X),
        GreedySubsetRegressor("bic").fit(X, y).predict(X),
        ForwardFittingRegressor(5).fit(X, y).predict(X),
        Lasso(0.1).fit_moments(Moments.from_data(X, y)).predict(X),
        loo_predict(Ridge(1.0), X, y).prediction,
    ]


def classify(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    return [
        LogisticRegression("cv").fit(X, y).predict_proba(X),
        BestSubsetClassifier(2).fit(X, y).predict_proba(X),
        GreedySubsetClassifier(2).fit(X, y).predict_proba(X),
        ForwardFittingClassifier(2).fit(X, y).predict_proba(X),
        NaiveBayes(features="mdl").fit(X, y).predict_proba(X),
        SemiSupervisedNaiveBayes().fit(X, y).predict_proba(X),
        Stump().fit(X, y).predict_proba(X),
        AdaBoost(10).fit(X, y).predict_proba(X),
        DecisionTree().fit(X, y).predict_proba(X),
        Blend([("stump", Stump()), ("tree", DecisionTree())]).fit(X, y).predict_proba(X),
        Bagging(rounds=3).fit(X, y).predict_proba(X),
        GreedySearch(LogisticRegression(0.1), 2).fit(X, y).predict_proba(X),
    ]


def prepare(X: NDArray[np.float64], y: NDArray[np.int64], texts: list[str]) -> None:
    InformationRanking(5).fit(X, y).transform(X)
    Discretizer().fit(X, y).transform(X)
    WordPresence().fit(texts).transform(texts)
    WordPresence().fit_transform(texts)


def measure(X: NDArray[np.int64], y: NDArray[np.int64]) -> None:
    counts = Counts.from_data(X, y) + Counts.from_data(X, y)
    Counts.from_json(counts.to_json())
    entropy(y)
    conditional_entropy(X, y)
    mutual_information(X, y)
    conditional_mutual_information(X, y, X[:, 0])
    interaction_information(X, y, X[:, 0])
    aic(-1.0, 2)
    bic(-1.0, 2, 10)
    ebic(-1.0, 2, 10, 2, 5)
    description_length(-1.0, [5, 5], 10)
    bias_variance(Stump(), X, y, n_sets=3)


def judge(X: NDArray[np.float64], y: NDArray[np.float64], folder: Path) -> str:
    train, target, sealed = sealed_split(X, y, random_state=0)
    compare({"lasso": Lasso(), "ridge": Ridge()}, train, target)
    model = Ridge(1.0).fit(train, target)
    save(model, folder / "model.json")
    load(folder / "model.json")
    sealed.save(folder / "sealed")
    error: float = SealedTest.load(folder / "sealed").score(model).error
    page: Report = report(train, target)
    page.model_of(len(page.features)).predict(X)
    page.why(page.features[0])
    summarize(folder / "table.parquet", "y")
    label_documents(folder / "news.duckdb", "news", "body", "topic")
    return f"{vitalfew.__version__} {error} {page} {to_sql(model)} {to_python(model)}"
