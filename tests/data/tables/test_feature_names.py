"""Names of columns in frames of every library: kept by fit, compared by everything that reads rows later."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Blend,
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
    NaiveBayes,
    Ridge,
    SemiSupervisedNaiveBayes,
    Stump,
)

MODELS = [
    NaiveBayes(),
    SemiSupervisedNaiveBayes(),
    InformationRanking(k=1),
    Discretizer(),
    Discretizer(strategy="quantile"),
    LogisticRegression(0.1),
    GreedySubsetClassifier(1),
    ForwardFittingClassifier(3),
    BestSubsetClassifier(1),
    AdaBoost(3),
    Bagging("stump", 3, random_state=0),
    Blend([("linear", LogisticRegression(0.1)), ("tree", DecisionTree())], cv=3),
    DecisionTree(),
    Stump(),
    GreedySearch(GaussianNB(), 1),
    Ridge(1.0),
    Lasso(0.1),
    KernelRidge(1.0),
    GreedySubsetRegressor(1),
    ForwardFittingRegressor(3),
    BestSubsetRegressor(1),
    GreedySearch(LinearRegression(), 1),
]
LIBRARIES = {
    "pandas": (pd.DataFrame, lambda frame, names: frame[names]),
    "polars": (pl.DataFrame, lambda frame, names: frame.select(names)),
    "arrow": (pa.table, lambda frame, names: frame.select(names)),
}


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    return {"age": rng.normal(size=60) + y, "size": 5 * rng.normal(size=60), "weight": rng.normal(size=60) - 2 * y}, y


def readers(model):
    return [getattr(model, name) for name in ("predict", "predict_proba", "transform") if hasattr(model, name)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: repr(m)[:40])
def test_names_are_kept_and_reordered_columns_refused(model, library, columns):
    make, select = LIBRARIES[library]
    values, y = columns
    names = list(values)
    X = make(values)
    fitted = clone(model).fit(X, y)
    assert fitted.feature_names_in_.tolist() == names
    assert fitted.n_features_in_ == 3
    plain = clone(model).fit(np.column_stack(list(values.values())), y)
    for read, other in zip(readers(fitted), readers(plain), strict=True):
        expected = other(np.column_stack(list(values.values())))
        np.testing.assert_allclose(np.asarray(read(X)), expected, rtol=1e-9, atol=1e-12)
        with pytest.raises(ValueError, match="must be in the same order"):
            read(select(X, names[::-1]))
        with pytest.raises(ValueError, match=r"(?s)unseen at fit time:.*- height.*now missing:.*- age"):
            read(make({"height": values["age"], "size": values["size"], "weight": values["weight"]}))


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_a_model_fitted_without_names(library, columns):
    values, y = columns
    model = NaiveBayes().fit(np.column_stack(list(values.values())), y)
    assert not hasattr(model, "feature_names_in_")
    make = LIBRARIES[library][0]
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        model.predict(make(values))
    with pytest.raises(ValueError, match="X has 1 features, but NaiveBayes is expecting 3 features"):
        model.predict(make({"age": values["age"]}))


def test_names_of_an_earlier_fit_are_forgotten(columns):
    values, y = columns
    model = NaiveBayes().fit(pl.DataFrame(values), y)
    assert not hasattr(model.fit(np.column_stack(list(values.values())), y), "feature_names_in_")


def test_partial_fit_refuses_reordered_columns(columns):
    values, y = columns
    X = pl.DataFrame(values)
    model = NaiveBayes(numeric="quantile")
    model.partial_fit(X.select(pl.all() > 0), y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.partial_fit(X.select(pl.all() > 0).select(list(values)[::-1]), y)
