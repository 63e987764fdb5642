"""Tables with categories and missing values in models on numbers: as if coded by hand."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.model_selection import cross_val_score

from vitalfew import (
    BestSubsetClassifier,
    BestSubsetRegressor,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySearch,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    KernelRidge,
    Lasso,
    LogisticRegression,
    Moments,
    Ridge,
    load,
    loo_predict,
    save,
)
from vitalfew.data.coding import number_coder
from vitalfew.encoding.describe import chosen_features

NAMES = ["age", "color", "noise", "town"]
MODELS = [
    Lasso("1se"),
    Lasso(0.05, positive=True),
    Lasso(0.05, l1_ratio=0.5),
    Ridge(),
    KernelRidge(),
    KernelRidge(gamma="loo"),
    BestSubsetRegressor(max_features=3),
    GreedySubsetRegressor("bic"),
    GreedySubsetRegressor("bic", direction="backward"),
    GreedySubsetRegressor("cv", direction="both"),
    ForwardFittingRegressor("bic", max_steps=50),
    GreedySearch(Ridge(1.0), 2, cv=3),
    LogisticRegression("1se"),
    LogisticRegression(0.01, penalty="l2"),
    BestSubsetClassifier(max_features=3),
    GreedySubsetClassifier("bic"),
    ForwardFittingClassifier("bic", max_steps=50),
]


def table(n=150, seed=0):
    """Age and color matter; ages are missing where the target is large."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=n),
            "color": rng.choice(["red", "green", "blue"], n).astype(object),
            "noise": rng.normal(size=n),
            "town": rng.choice(["Ulm", "Bonn"], n).astype(object),
        }
    )
    absent = rng.random(n) < 0.2
    y = X["age"].to_numpy() + 2.0 * (X["color"] == "red") - (X["color"] == "blue") + 3 * absent
    y = y + 0.3 * rng.normal(size=n)
    X.loc[absent, "age"] = np.nan
    X.loc[::17, "color"] = None
    X.loc[::13, "noise"] = np.nan
    return X, y


def target(model, y):
    return np.where(y > 1, "high", "low") if is_classifier(model) else y


def by_hand(X):
    """The coded matrix, and the group of each column."""
    dummies = [
        pd.DataFrame({f"{name} is missing": X[name].isna()}).join(pd.get_dummies(X[name], prefix=name, prefix_sep="="))
        for name in ("color", "town")
    ]
    age = pd.DataFrame({"age": X["age"].fillna(X["age"].mean()), "age is missing": X["age"].isna()})
    noise = pd.DataFrame({"noise": X["noise"].fillna(X["noise"].mean()), "noise is missing": X["noise"].isna()})
    coded = pd.concat([age, dummies[0], noise, dummies[1].drop(columns="town is missing")], axis=1).astype(float)
    return coded, [c.split("=")[0].split(" ")[0] for c in coded.columns]


@pytest.mark.parametrize("rule", [0.05, "1se", "bic", "loo"])
def test_lasso_is_that_of_the_matrix_and_groups_coded_by_hand(rule):
    X, y = table()
    coded, groups = by_hand(X)
    model, expected = Lasso(rule).fit(X, y), Lasso(rule, feature_groups=groups).fit(coded, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
    assert model.alpha_ == pytest.approx(expected.alpha_)
    assert model.coef_names_.tolist() == coded.columns.tolist() == list(model.path_.names)
    np.testing.assert_allclose(model.predict(X), expected.predict(coded))
    used = {groups[j] for j in np.flatnonzero(expected.coef_)}
    assert model.get_feature_names_out().tolist() == sorted(used)


@pytest.mark.parametrize("n", [60, 150])
def test_a_category_has_one_parameter_less_than_values(n):
    X, y = table(n)
    coded, groups = by_hand(X)
    model = Lasso(0.001).fit(X, y)
    assert model.support_.all()
    assert model.n_parameters_ == np.linalg.matrix_rank(np.column_stack([np.ones(n), coded])) + 1
    from_moments = Lasso("bic", feature_groups=groups).fit_moments(Moments.from_data(coded, y))
    assert from_moments.bic_ == pytest.approx(Lasso("bic").fit(X, y).bic_)


def test_ridge_and_logistic_regression_are_scikit_learn_s():
    X, y = table()
    coded = by_hand(X)[0]
    found, expected = Ridge(2.0, standardize=False).fit(X, y), PeerRidge(2.0).fit(coded, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    label = y > 1
    ours = LogisticRegression(0.1, penalty="l2", standardize=False, tol=1e-10).fit(X, label)
    peer = PeerLogistic(C=1 / (len(y) * 0.1), tol=1e-12, max_iter=10_000).fit(coded, label)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)


def test_groups_and_factors_belong_to_columns_of_the_table():
    X, y = table()
    coded, groups = by_hand(X)
    joint = ["color" if g == "town" else g for g in groups]
    for together in (["a", "b", "c", "b"], [["color", "town"]]):
        model = Lasso(0.05, feature_groups=together, tol=1e-13).fit(X, y)
        expected = Lasso(0.05, feature_groups=joint, tol=1e-13).fit(coded, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-8)
    model = Lasso(0.01, penalty_factors=[1, np.inf, 0, 1]).fit(X, y)
    assert model.support_.tolist()[:3] == [True, False, True]
    model = LogisticRegression(0.01, penalty_factors=[1, np.inf, 0, 1]).fit(X, y > 1)
    assert model.support_.tolist()[:3] == [True, False, True]
    with pytest.raises(ValueError, match=r"penalty_factors must have shape \(4,\)"):
        Lasso(0.01, penalty_factors=np.ones(len(groups))).fit(X, y)


@pytest.mark.parametrize("model", [GreedySubsetRegressor(2), GreedySubsetClassifier(2)], ids=repr)
def test_greedy_subsets_count_columns_of_the_table(model):
    X, y = table()
    model = clone(model).fit(X, target(model, y))
    assert model.subset_.tolist() == [0, 1]
    assert model.k_ == model.support_.sum() == 2
    assert model.path_.to_frame()["enters"][1].startswith("age, age is missing")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_selectors_of_columns_of_the_table(model):
    X, y = table()
    model = clone(model).fit(X, target(model, y))
    assert model.n_features_in_ == 4
    assert model.support_.tolist()[:2] == [True, True]
    assert model.get_feature_names_out().tolist() == [n for n, s in zip(NAMES, model.support_) if s]
    assert model.set_output(transform="pandas").transform(X).columns.tolist() == model.get_feature_names_out().tolist()
    if hasattr(model, "subset_"):
        assert model.subset_.tolist() == np.flatnonzero(model.support_).tolist()
    if hasattr(model, "coef_"):
        assert np.shape(model.coef_)[-1] == len(model.coef_names_)
        named = {line["feature"] for line in chosen_features(model)}
        used = model.coef_names_[(np.atleast_2d(model.coef_) != 0).any(axis=0)]
        assert named == set(used.tolist())


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_every_container_gives_the_same_model(model):
    X, y = table()
    y = target(model, y)
    expected = clone(model).fit(X, y)
    new = X[:20].copy()
    new.loc[3, "color"], new.loc[4, "town"], new.loc[5, "noise"] = "violet", None, np.nan
    plain = new.astype(object).where(new.notna(), None)
    objects = X.astype(object).where(X.notna(), None)
    for make in (
        lambda frame: frame.astype({"color": "category", "town": "category"}),
        lambda frame: pl.DataFrame(
            frame.to_dict("list"), schema_overrides={"age": float, "noise": float}, strict=False
        ),
        lambda frame: pa.table(frame.assign(age=frame["age"].astype(float), noise=frame["noise"].astype(float))),
        lambda frame: frame.to_numpy(dtype=object),
    ):
        found = clone(model).fit(make(objects), y)
        np.testing.assert_array_equal(found.support_, expected.support_)
        ours, theirs = found.predict(make(plain)), expected.predict(new)
        np.testing.assert_array_equal(ours, theirs) if is_classifier(model) else np.testing.assert_allclose(
            ours, theirs
        )


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_sparse_coding_gives_the_same_model(model, monkeypatch):
    X, y = table()
    y = target(model, y)
    expected = clone(model).fit(X, y)
    monkeypatch.setattr(number_coder, "MOST_CELLS", 0)
    monkeypatch.setattr(number_coder, "SPARSE_SHARE", 1)
    found = clone(model).fit(X, y)
    np.testing.assert_array_equal(found.support_, expected.support_)
    if not is_classifier(model):
        np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=1e-3)
    else:
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_reordered_columns_are_refused(model):
    X, y = table()
    model = clone(model).fit(X, target(model, y))
    for frame in (X, pl.from_pandas(X)):
        with pytest.raises(ValueError, match="same order"):
            model.predict(frame[NAMES[::-1]])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_cross_validation_of_tables(model):
    X, y = table()
    X.loc[7, "town"] = "Kyoto"  # in a single row, as is the only missing value of a column
    X["noise"] = X["noise"].fillna(0.0)
    X.loc[9, "noise"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = cross_val_score(clone(model), X, target(model, y), cv=3, error_score="raise")
    assert scores.min() > 0.5
    numbers = X[["noise"]].assign(age=X["age"].fillna(3.0))
    if not isinstance(model, GreedySearch):
        assert np.isfinite(cross_val_score(clone(model), numbers, target(model, y), cv=3)).all()


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_saved_models_code_new_tables(model, tmp_path):
    X, y = table()
    model = clone(model).fit(X, target(model, y))
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    new = X[:20].copy()
    new.loc[3, "color"], new.loc[4, "town"], new.loc[5, "noise"] = "violet", None, np.nan
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.support_, model.support_)
    if hasattr(model, "coef_names_"):
        np.testing.assert_array_equal(loaded.coef_names_, model.coef_names_)


def test_a_fit_on_numbers_forgets_the_table_before():
    X, y = table()
    for model, label in ((Lasso(0.1), y), (LogisticRegression(0.1), y > 1), (KernelRidge(1.0), y)):
        model.fit(X, label)
        numbers = X[["noise"]].fillna(0.0)
        assert model.fit(numbers, label).coef_names_.tolist() == ["noise"]
        assert model.fit(sparse.csr_array(numbers), label).coef_names_.tolist() == ["x0"]
    model = Lasso(0.1).fit(X, y)
    moments = Moments.from_data(numbers, y)
    assert model.fit_moments(moments).coef_names_.tolist() == ["noise"]


def test_missing_values_that_training_did_not_have():
    X, y = table()
    numbers = X[["age", "noise"]].fillna(0.5)
    new = numbers.copy()
    new.loc[3, "age"] = np.nan
    filled = numbers.copy()
    filled.loc[3, "age"] = numbers["age"].mean()
    moments = Lasso(0.01).fit_moments(Moments.from_data(numbers, y))
    for model in (Lasso(0.01).fit(numbers, y), moments, Ridge().fit(numbers, y), KernelRidge().fit(numbers, y)):
        np.testing.assert_allclose(model.predict(new), model.predict(filled), rtol=1e-12)


def test_leave_one_out_of_a_table():
    X, y = table(60)
    found, expected = (loo_predict(Ridge(1.0, standardize=False), Z, y) for Z in (X, by_hand(X)[0]))
    np.testing.assert_allclose(found.prediction, expected.prediction, rtol=1e-9)
    assert "exact" in repr(expected)
    assert "approximate: residuals divided by one minus leverage; the coding of the table is held fixed" in repr(found)
    refitted = [Ridge(1.0, standardize=False).fit(X.drop(i), np.delete(y, i)).predict(X.loc[[i]])[0] for i in range(60)]
    np.testing.assert_allclose(found.prediction, refitted, atol=0.05)
    assert "held fixed" in repr(loo_predict(KernelRidge(1.0), X, y))


def test_weights_count_rows_of_tables():
    X, y = table(80)
    weight = np.random.default_rng(1).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weight)
    found = Ridge(1.0).fit(X, y, sample_weight=weight)
    expected = Ridge(1.0).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9)
    assert found.coef_names_.tolist() == expected.coef_names_.tolist()


def test_shrinkage_of_a_table():
    pytest.importorskip("altair")
    X, y = table()
    chart = Lasso(0.05).fit(X, y).plot_shrinkage(X, y).to_dict()
    assert "color=red" in str(chart)


def test_text_in_a_column_of_numbers_is_refused():
    X, y = table()
    model = Lasso(0.1).fit(X, y)
    with pytest.raises(ValueError, match="column 'age' contains text such as 'old', but was numeric in training"):
        model.predict(X.assign(age="old"))
