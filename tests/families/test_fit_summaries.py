"""Models from summaries alone: they are those of the rows."""

from dataclasses import replace

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
from vitalfew.families.bayes import streamed_folds
from vitalfew.summaries.row_folds import RowFolds


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


def folds_of(n, n_folds=5, seed=0, rows=None):
    """Splits of rows in memory that `summarize` draws; `rows` are those that count."""
    fold = RowFolds(n_folds, seed).of_rows(0, n)
    fold = fold if rows is None else fold[rows]
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


@pytest.mark.parametrize("rule", ["cv", "1se"])
@pytest.mark.parametrize(
    "kind",
    [Ridge, Lasso, GreedySubsetRegressor, BestSubsetRegressor, ForwardFittingRegressor],
    ids=lambda k: k.__name__,
)
def test_cv_without_rows_is_cv_on_the_same_folds(kind, rule):
    X, y = numbers()
    weight = np.arange(300) % 4 + 0.0
    y[::17] = np.nan
    source = X.assign(y=y, w=weight)
    summaries = summarize(source, "y", columns=list(X), weight="w", folds=5, random_state=7)
    rows = np.flatnonzero(np.isfinite(y) & (weight > 0))
    memory = kind(rule, cv=folds_of(300, 5, 7, rows)).fit(X.iloc[rows], y[rows], weight[rows])
    found = kind(rule).fit_moments(summaries)
    np.testing.assert_allclose(found.selection_.score, memory.selection_.score, rtol=1e-9)
    np.testing.assert_allclose(found.selection_.standard_error, memory.selection_.standard_error, rtol=1e-9)
    assert found.selection_.index == memory.selection_.index
    np.testing.assert_allclose(found.coef_, memory.coef_, rtol=1e-9, atol=1e-9)
    assert found.get_feature_names_out().tolist() == memory.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "model", [Lasso(alpha="cv"), GreedySubsetRegressor(k="cv"), BestSubsetRegressor(k="1se")], ids=repr
)
def test_folds_may_be_lists_of_moments(model):
    X, y = numbers()
    folds = [Moments.from_data(X[i::5], y[i::5]) for i in range(5)]
    assert {2, 7} <= set(np.flatnonzero(model.fit_moments(folds).coef_).tolist())
    with pytest.raises(RuleError, match=r"each fold, at least two; pass summarize\(source, target, folds=5\)"):
        model.fit_moments(folds[0])
    with pytest.raises(RuleError, match="requires the rows"):
        type(model)(**{model._knob: "loo"}).fit_moments(folds)
    with pytest.raises(TypeError, match=r"expected Moments, got Counts\(n="):
        model.fit_moments(Counts.from_data(X, np.arange(300) % 2))


def test_ridge_works_with_its_defaults():
    X, y = numbers(60)
    found = Ridge().fit_moments(summarize(X.assign(y=y), "y"))
    assert "generalized cross-validation" in found.selection_.note
    n, centered = 60, ((X - X.mean()) / X.std(ddof=0)).to_numpy()
    for alpha, score in zip(found.path_.grid[::20], found.selection_.score[::20]):
        hat = centered @ np.linalg.solve(centered.T @ centered + alpha * np.eye(12), centered.T) + 1 / n
        residual = y - hat @ y
        assert score == pytest.approx(np.mean(residual**2) / (1 - np.trace(hat) / n) ** 2, rel=1e-8)
    assert found.alpha_ == pytest.approx(Ridge().fit(X, y).alpha_, rel=2)
    np.testing.assert_allclose(found.coef_, Ridge(found.alpha_).fit(X, y).coef_, rtol=1e-8)


def test_equal_leverages_make_it_exact():
    from scipy.linalg import hadamard

    X = hadamard(32)[:, 1:9].astype(float)
    y = X @ np.arange(8) + np.random.default_rng(0).normal(size=32) * 5
    rows, found = Ridge().fit(X, y), Ridge().fit_moments(Moments.from_data(X, y))
    np.testing.assert_allclose(found.selection_.score, rows.selection_.score, rtol=1e-9)
    assert found.alpha_ == pytest.approx(rows.alpha_)


def test_no_error_is_estimated_from_a_perfect_fit():
    X, y = numbers(10, 20)
    found = Ridge().fit_moments(Moments.from_data(X, y))
    assert np.isfinite(found.selection_.score[found.selection_.index])
    with pytest.raises(ValueError, match="at least two rows"):
        Ridge().fit_moments(Moments.from_data(X[:1], y[:1]))
    with pytest.raises(RuleError, match="alpha='loo' with scoring='r2' requires the rows"):
        Ridge(scoring="r2").fit_moments(Moments.from_data(X, y))


# Naive Bayes: counts of folds give the models, a second pass their errors


def words(n=400, seed=0):
    """Categories only, whose codes do not depend on labels."""
    X, y = classes(n, seed)
    X["flag"] = np.random.default_rng(seed).random(n) < 0.5
    return X.drop(columns="size"), y


@pytest.mark.parametrize("rule", ["cv", "1se"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_naive_bayes_by_cv_is_that_on_the_same_folds(rule, is_weighted, tmp_path, monkeypatch):
    monkeypatch.setattr(streamed_folds, "HELD_NUMBERS", 1)  # batches of 256 rows
    X, y = words()
    is_known, weight = np.arange(400) % 11 > 0, np.arange(400) % 3 + 0.0
    rows = np.flatnonzero(is_known & (weight > 0) if is_weighted else is_known)
    own = weight[rows] if is_weighted else None
    source = tmp_path / "t.parquet"
    X.assign(y=np.where(is_known, y, None), w=weight).to_parquet(source)
    summaries = summarize(source, "y", columns=list(X), weight="w" if is_weighted else None, folds=4, random_state=5)
    options = {"order": "information", "features": rule, "prior_strength": rule}
    memory = NaiveBayes(**options, cv=folds_of(400, 4, 5, rows))
    if not is_weighted:
        memory.fit(X.iloc[rows], y[rows], X_unlabeled=X[~is_known])
    else:  # weights of unlabeled rows are not supported in memory
        summaries = replace(summaries, total=summaries.total._replace(unlabeled=np.zeros(0), n_unlabeled=0.0))
        memory.fit(X.iloc[rows], y[rows], own)
    found = NaiveBayes(**options).fit_counts(summaries, source=source)
    for knob in ("features", "prior_strength"):
        a, b = found.selections_[knob], memory.selections_[knob]
        np.testing.assert_array_equal(a.grid, b.grid)
        np.testing.assert_allclose(a.score, b.score, rtol=1e-9)
        np.testing.assert_allclose(a.standard_error, b.standard_error, rtol=1e-9)
        assert a.index == b.index
    np.testing.assert_allclose(found.predict_proba(X), memory.predict_proba(X), rtol=1e-9)
    ranking = InformationRanking(rule, cv=folds_of(400, 4, 5, rows)).fit(X.iloc[rows], y[rows], own)
    counted = InformationRanking(rule).fit_counts(summaries, source=source)
    assert counted.get_feature_names_out().tolist() == ranking.get_feature_names_out().tolist()


def test_cuts_of_all_rows_are_told():
    X, y = classes()
    source = X.assign(y=y)
    model = NaiveBayes(features="cv", order="information").fit_counts(summarize(source, "y", folds=5), source=source)
    assert model.selection_.note == "the cuts of numeric columns are held fixed"
    assert {"word", "size"} <= set(model.get_feature_names_out())


def test_errors_of_folds_need_their_rows():
    X, y = words()
    source = X.assign(y=y)
    summaries = summarize(source, "y", folds=3)
    for model in (NaiveBayes(features="cv", order="information"), NaiveBayes(prior_strength="1se")):
        with pytest.raises(RuleError, match=r"summarize\(source, target, folds=5\) and source="):
            model.fit_counts(summaries)
        with pytest.raises(RuleError, match=r"summarize\(source, target, folds=5\) and source="):
            model.fit_counts(summaries.total, source=source)
        with pytest.raises(RuleError, match="these summaries were merged or built from a list"):
            model.fit_counts(summaries + summaries, source=source)
        with pytest.raises(RuleError, match="other rows than those that were counted, or in another order"):
            model.fit_counts(summaries, source=source[::-1])
        with pytest.raises(ValueError, match="classes that were not counted"):
            model.fit_counts(summaries, source=source.assign(y="q"))
        with pytest.raises(RuleError, match="scoring='neg_log_loss' requires fit on rows in memory"):
            type(model)(**{**model.get_params(), "scoring": "neg_log_loss"}).fit_counts(summaries, source=source)
    with pytest.raises(RuleError, match=r"'1se', with the default scoring, need summarize"):
        InformationRanking("cv").fit_counts(summaries)
    with pytest.raises(TypeError, match=r"expected Counts, got Moments\(n_rows="):
        NaiveBayes().fit_counts(summarize(source.assign(y=np.arange(400)), "y", columns=["noise0"]))
