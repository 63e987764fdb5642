"""Models from summaries alone: they are those of the rows."""

import numpy as np
import pandas as pd
import pytest

from vitalfew import (
    BestSubsetRegressor,
    Counts,
    ForwardFittingRegressor,
    GreedySubsetRegressor,
    InformationRanking,
    Lasso,
    Moments,
    NaiveBayes,
    Ridge,
    summarize,
)
from vitalfew.exceptions import RuleError


def classes(n=500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n)
    table = pd.DataFrame({f"noise{j}": rng.integers(0, 4, n) for j in range(6)})
    table["word"] = np.where(rng.random(n) < 0.7, y, rng.choice(["a", "b", "z"], n))
    table["size"] = rng.normal(size=n) + (y == "b")
    table.loc[::9, "word"] = None
    return table, y


def numbers(n=300, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"x{j}" for j in range(d)])
    return X, 3 * X["x2"] - 2 * X["x7"] + 0.5 * X["x9"] + rng.normal(size=n)


@pytest.mark.parametrize("k", [0, 2, "fdr", "gain", "bic", "aic", "ebic"])
def test_ranking_from_counts(k):
    X, y = classes()
    rows = InformationRanking(k=k).fit(X, y)
    counted = InformationRanking(k=k).fit_counts(summarize(X.assign(y=y), "y"))
    np.testing.assert_allclose(counted.scores_, rows.scores_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(counted.gains_, rows.gains_, rtol=1e-10)
    np.testing.assert_array_equal(counted.support_, rows.support_)
    assert counted.get_feature_names_out().tolist() == rows.get_feature_names_out().tolist()


def test_the_gain_is_the_first_step_of_the_search():
    X, y = classes()
    gains = InformationRanking(k="gain").fit(X, y)
    data, model = NaiveBayes(features="mdl").fit(X, y).path_.description_length()
    assert gains.gains_.max() == pytest.approx((data + model)[0] / np.log(2) - (data + model)[1] / np.log(2))
    assert set(gains.get_feature_names_out()) == {"word", "size"}


@pytest.mark.parametrize("features", [None, 0, 3, "bic", "aic", "ebic"])
def test_naive_bayes_from_counts(features):
    X, y = classes()
    rows = NaiveBayes(features=features, order="information").fit(X, y)
    counted = NaiveBayes(features=features, order="information").fit_counts(summarize(X.assign(y=y), "y"))
    np.testing.assert_array_equal(counted.support_, rows.support_)
    np.testing.assert_allclose(counted.predict_proba(X), rows.predict_proba(X), rtol=1e-10)
    assert counted.feature_names_in_.tolist() == list(X.columns)


def test_words_from_counts():
    from scipy import sparse

    rng = np.random.default_rng(0)
    X, y = sparse.random_array((100, 20), density=0.2, random_state=rng, format="csr"), rng.integers(0, 2, 100)
    counted = NaiveBayes().fit_counts(Counts.from_data(X, y))
    np.testing.assert_allclose(counted.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_rules_that_need_rows_say_so():
    X, y = classes(60)
    counts = Counts.from_data(X, y)
    for k in ("mdl", "cv", "1se", "loo", "holdout"):
        with pytest.raises(RuleError, match="requires the rows"):
            InformationRanking(k=k).fit_counts(counts)
        with pytest.raises(RuleError, match="needs all rows"):
            NaiveBayes(features=k, order="information").fit_counts(counts)
    with pytest.raises(RuleError, match="order='information'"):
        NaiveBayes(features=2).fit_counts(counts)
    with pytest.raises(RuleError, match="requires fit on rows in memory"):
        NaiveBayes(prior_strength="loo").fit_counts(counts)
    with pytest.raises(ValueError, match="features=99"):
        NaiveBayes(features=99, order="information").fit_counts(counts)


@pytest.mark.parametrize(
    "model",
    [
        Ridge(alpha=2.0),
        Ridge(alpha="bic"),
        Lasso(alpha="bic"),
        GreedySubsetRegressor(k="bic"),
        GreedySubsetRegressor(k=3, direction="backward"),
        BestSubsetRegressor(k="ebic"),
        BestSubsetRegressor(k=2),
        ForwardFittingRegressor(steps=5),
        ForwardFittingRegressor(steps="bic", max_steps=50),
    ],
    ids=repr,
)
def test_linear_models_from_moments_of_a_source(model):
    from sklearn.base import clone

    X, y = numbers()
    moments = summarize(X.assign(y=y), "y")
    found, rows = clone(model).fit_moments(moments), model.fit(X, y)
    np.testing.assert_allclose(found.coef_, rows.coef_, rtol=1e-6, atol=1e-8)
    assert found.intercept_ == pytest.approx(rows.intercept_, abs=1e-8)
    np.testing.assert_allclose(found.predict(X), rows.predict(X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "model", [Lasso(alpha="cv"), GreedySubsetRegressor(k="cv"), BestSubsetRegressor(k="1se")], ids=repr
)
def test_folds_are_lists_of_moments(model):
    X, y = numbers()
    folds = [Moments.from_data(X[i::5], y[i::5]) for i in range(5)]
    assert {2, 7} <= set(np.flatnonzero(model.fit_moments(folds).coef_).tolist())
    with pytest.raises(RuleError, match="each fold"):
        model.fit_moments(folds[0])
    with pytest.raises(RuleError, match="requires the rows"):
        type(model)(**{model._knob: "loo"}).fit_moments(folds)
