"""`Blend`: members, weights from out-of-fold predictions, and averages."""

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, TimeSeriesSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from vitalfew import Blend, DecisionTree, KernelRidge, Lasso, LogisticRegression, NaiveBayes, Ridge, WordPresence
from vitalfew.exceptions import PrefittedWarning


def classifiers():
    return [
        ("bayes", GaussianNB()),
        ("linear", make_pipeline(StandardScaler(), SkLogistic())),
        ("neighbors", make_pipeline(StandardScaler(), KNeighborsClassifier(15))),
        ("forest", RandomForestClassifier(20, random_state=0)),
    ]


def regressors():
    return [
        ("linear", LinearRegression()),
        ("neighbors", make_pipeline(StandardScaler(), KNeighborsRegressor(10))),
        ("forest", RandomForestRegressor(20, random_state=0)),
    ]


def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


CLASSES = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": digits,
    "iris": lambda: load_iris(return_X_y=True),
}
NUMBERS = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman": lambda: make_friedman1(400, noise=1.0, random_state=0),
}


def unseen_losses(model, X, y):
    """Loss of each row in a fold that neither the fit nor the choice of the weights has seen."""
    is_classification = y.dtype.kind == "i"
    folds = (StratifiedKFold if is_classification else KFold)(4, shuffle=True, random_state=1)
    if not is_classification:
        return (y - cross_val_predict(model, X, y, cv=folds)) ** 2
    found = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return -np.log(np.maximum(found[np.arange(len(y)), y], 1e-15))


def test_a_blend_is_better_than_the_member_that_looked_best():
    """One step is the choice of the best member by cross-validation, which few rows mislead."""
    X, y = load_wine(return_X_y=True)
    chosen = unseen_losses(Blend(classifiers(), n_steps=1), X, y)
    assert unseen_losses(Blend(classifiers()), X, y).mean() < 0.9 * chosen.mean()


@cache
def compared(data):
    """Losses of rows by a blend and by the member that is best in hindsight."""
    X, y = (CLASSES | NUMBERS)[data]()
    members = classifiers() if data in CLASSES else regressors()
    alone = [unseen_losses(model, X, y) for _, model in members]
    return unseen_losses(Blend(members), X, y), min(alone, key=np.mean)


@pytest.mark.parametrize("data", [*CLASSES, *NUMBERS])
def test_a_blend_is_not_worse_than_its_best_member(data):
    """On samples that took no part in the choice, up to 3 percent."""
    together, best = compared(data)
    assert together.mean() <= 1.03 * best.mean()


@pytest.mark.parametrize("data", ["iris", "friedman"])
def test_a_blend_is_better_where_members_err_differently(data):
    together, best = compared(data)
    assert together.mean() < 0.95 * best.mean()


def test_losses_and_weights_come_from_out_of_fold_predictions():
    X, y = load_wine(return_X_y=True)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    members = classifiers()[:3]
    model = Blend(members, cv=4, random_state=3).fit(X, y)
    held_out = np.stack([cross_val_predict(m, X, y, cv=folds, method="predict_proba") for _, m in members])
    expected = [log_loss(y, np.maximum(p, 1e-15)) for p in held_out]
    np.testing.assert_allclose(model.member_losses_, expected)
    together = log_loss(y, np.tensordot(model.weights_, held_out, axes=1))
    assert model.blend_loss_ == pytest.approx(together)
    assert model.blend_loss_ <= model.member_losses_.min()
    assert model.names_ == ["bayes", "linear", "neighbors"]


def test_squared_errors_come_from_out_of_fold_predictions():
    X, y = load_diabetes(return_X_y=True)
    weight = 1.0 + np.arange(len(y)) % 3
    members = [("ridge", Ridge(1.0)), ("tree", RandomForestRegressor(5, random_state=0))]
    model = Blend(members, cv=3).fit(X, y, sample_weight=weight)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    for (_, member), loss in zip(members, model.member_losses_):
        held_out = np.empty(len(y))
        for train, test in folds:
            held_out[test] = clone(member).fit(X[train], y[train], sample_weight=weight[train]).predict(X[test])
        assert loss == pytest.approx(mean_squared_error(y, held_out, sample_weight=weight))


def test_predictions_are_averages_of_members_fitted_to_all_rows():
    X, y = load_iris(return_X_y=True)
    members = classifiers()[:2]
    model = Blend(members, weights=[1, 3]).fit(X, y)
    np.testing.assert_array_equal(model.weights_, [0.25, 0.75])
    theirs = VotingClassifier(members, voting="soft", weights=[1, 3]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))
    assert model.score(X, y) == theirs.score(X, y)
    assert not hasattr(model, "member_losses_")


def test_members_of_weight_zero_are_not_fitted():
    class Broken(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            raise AssertionError

        def predict(self, X):
            raise AssertionError

    X, y = load_diabetes(return_X_y=True)
    model = Blend([("broken", Broken()), ("ridge", Ridge(1.0))], weights=[0, 2]).fit(X, y)
    assert model.estimators_[0] is None
    np.testing.assert_allclose(model.predict(X), Ridge(1.0).fit(X, y).predict(X))


def test_a_poor_member_has_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.01 * rng.normal(size=300)
    model = Blend([("neighbors", KNeighborsRegressor(100)), ("linear", LinearRegression())]).fit(X, y)
    assert model.weights_.tolist() == [0, 1]
    assert model.estimators_[0] is None
    assert model.blend_loss_ == model.member_losses_[1]


def test_labels_of_any_kind_reach_the_members():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    member = SkLogistic(class_weight={"setosa": 5, "versicolor": 1, "virginica": 1}, max_iter=1000)
    model = Blend([("linear", member), ("bayes", GaussianNB())]).fit(X, names)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(model.predict(X)) == set(names)
    assert model.score(X, names) > 0.9


def test_a_class_that_a_fold_does_not_hold():
    """One row has a class of its own: the fold without it gives the class probability zero."""
    X = np.r_[np.random.default_rng(0).normal(size=(40, 2)), [[9.0, 9.0]]]
    y = np.r_[np.arange(40) % 2, 2]
    model = Blend([("bayes", NaiveBayes()), ("neighbors", KNeighborsClassifier(1))], cv=4).fit(X, y)
    assert model.predict_proba(X).shape == (41, 3)
    assert np.isfinite(model.member_losses_).all()


def test_frames_reach_the_members_as_they_are():
    class Reader(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            assert isinstance(X, pl.DataFrame)
            self.mean_ = y.mean()
            return self

        def predict(self, X):
            return X["a"].to_numpy() + self.mean_

    frame = pl.DataFrame({"a": np.arange(30.0), "b": ["x", "y", "z"] * 10})
    model = Blend([("reader", Reader())], cv=3).fit(frame, np.arange(30.0))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    assert len(model.predict(frame)) == 30
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename({"a": "c"}))


def test_categories_and_gaps_reach_members_that_read_them():
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "blue", None], 120)
    frame = pd.DataFrame({"color": color, "size": np.where(rng.random(120) < 0.2, np.nan, rng.normal(size=120))})
    y = np.where(color == "red", "yes", "no")
    model = Blend([("bayes", NaiveBayes()), ("tree", DecisionTree())]).fit(frame, y)
    assert model.score(frame, y) == 1
    assert Blend([("bayes", NaiveBayes())]).__sklearn_tags__().input_tags.allow_nan
    assert not Blend([("bayes", NaiveBayes()), ("linear", SkLogistic())]).__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize("container", [list, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)])
def test_texts_reach_pipelines(container):
    texts = container(["win a prize", "meet at ten", "free prize", "see you at ten"] * 10)
    y = ["spam", "ham"] * 20
    members = [
        ("words", make_pipeline(WordPresence(), NaiveBayes())),
        ("counts", make_pipeline(CountVectorizer(), MultinomialNB())),
    ]
    model = Blend(members).fit(texts, y)
    assert model.predict(texts).tolist() == y
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_matrices(form):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    members = [("bayes", MultinomialNB()), ("linear", SkLogistic(max_iter=1000))]
    dense = Blend(members, cv=3).fit(X, y)
    model = Blend(members, cv=3).fit(sparse.coo_array(X).asformat(form), y)
    np.testing.assert_allclose(model.weights_, dense.weights_)
    np.testing.assert_allclose(model.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), atol=1e-3)


def test_weights_of_rows_reach_members_and_pipelines():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.where(y == 1, 1.0, 3.0)
    members = [("bayes", GaussianNB()), ("linear", make_pipeline(StandardScaler(), SkLogistic()))]
    model = Blend(members, weights=[1, 1]).fit(X, y, sample_weight=weight)
    alone = make_pipeline(StandardScaler(), SkLogistic()).fit(X, y, logisticregression__sample_weight=weight)
    np.testing.assert_allclose(model.estimators_[1].predict_proba(X), alone.predict_proba(X))
    bayes = GaussianNB().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.estimators_[0].predict_proba(X), bayes.predict_proba(X))


@pytest.mark.parametrize("member", [KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())])
def test_members_that_take_no_weights_are_refused_if_there_are_any(member):
    X, y = load_iris(return_X_y=True)
    model = Blend([("near", member)], cv=3)
    with pytest.raises(ValueError, match="estimator 'near': KNeighborsClassifier does not support sample_weight"):
        model.fit(X, y, sample_weight=np.arange(len(y)) + 1.0)
    assert model.fit(X, y, sample_weight=np.ones(len(y))).score(X, y) > 0.9


def test_rows_of_weight_zero_are_as_if_not_given():
    X, y = load_breast_cancer(return_X_y=True)
    weight = (np.arange(len(y)) % 4 > 0).astype(float)
    kept = weight > 0
    folds = list(StratifiedKFold(3).split(X[kept], y[kept]))
    at = np.flatnonzero(kept)
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    fewer = Blend(members, cv=folds).fit(X[kept], y[kept])
    model = Blend(members, cv=[(at[train], at[test]) for train, test in folds]).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.weights_, fewer.weights_)
    np.testing.assert_allclose(model.predict_proba(X), fewer.predict_proba(X))


def test_kernel_matrices():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:90], y[:90]
    linear = Blend([("kernel", KernelRidge(1.0, kernel="linear"))], cv=3).fit(X, y)
    model = Blend([("kernel", KernelRidge(1.0, kernel="precomputed"))], cv=3).fit(X @ X.T, y)
    np.testing.assert_allclose(model.member_losses_, linear.member_losses_)
    np.testing.assert_allclose(model.predict(X @ X.T), linear.predict(X))
    with pytest.raises(ValueError, match="drop this row and its column"):
        model.fit(X @ X.T, y, sample_weight=np.arange(90.0))


def test_folds_that_leave_rows_out():
    X, y = load_diabetes(return_X_y=True)
    model = Blend(regressors()[:2], cv=TimeSeriesSplit(3)).fit(X, y)
    assert model.weights_.sum() == pytest.approx(1)


def test_only_classifiers_with_probabilities():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"'machine' has no predict_proba.*CalibratedClassifierCV"):
        Blend([("bayes", GaussianNB()), ("machine", SVC())]).fit(X, y)
    model = Blend([("bayes", GaussianNB()), ("machine", CalibratedClassifierCV(SVC(), ensemble=False))]).fit(X, y)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([], "with at least one pair, got \\[\\]"),
        ("ridge", "must be a list of pairs"),
        ([Ridge()], "must be a list of pairs"),
        ([("a", Ridge)], "must be a list of pairs"),
        ([("a", Ridge()), ("a", Lasso(0.1))], "distinct strings.*got 'a'"),
        ([("a__b", Ridge())], "without '__'.*got 'a__b'"),
        ([("cv", Ridge())], "other than parameters of Blend, got 'cv'"),
        ([(1, Ridge())], "distinct strings.*got 1"),
        ([("a", Ridge()), ("b", GaussianNB())], "all classifiers or all regressors, but 'b'"),
    ],
)
def test_estimators_that_are_refused(estimators, message):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        Blend(estimators).fit(X, y)


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, np.nan], [[1, 1]]])
def test_weights_that_are_refused(weights):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=r"weights must hold one nonnegative number per estimator \(2\)"):
        Blend([("ridge", Ridge(1.0)), ("lasso", Lasso(0.1))], weights=weights).fit(X, y)


def test_other_refusals():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="n_steps must be an integer number of steps >= 1, got 0"):
        Blend([("ridge", Ridge(1.0))], n_steps=0).fit(X, y)
    with pytest.raises(NotFittedError):
        Blend([("ridge", Ridge(1.0))]).predict(X)

    class Lost(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(ValueError, match="estimator 'lost' predicts NaN"):
        Blend([("lost", Lost())]).fit(X, y)


def test_a_failed_fit_changes_nothing():
    X, y = load_diabetes(return_X_y=True)
    model = Blend([("ridge", Ridge(1.0)), ("lasso", Lasso(0.1))]).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 0, np.inf, X)[:, :3], y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_an_interrupt_ends_the_fit(monkeypatch):
    class Interrupted(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise KeyboardInterrupt

    X, y = load_diabetes(return_X_y=True)
    model = Blend([("ridge", Ridge(1.0)), ("stopped", Interrupted(1.0))])
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "estimators_")


def test_fitted_parts_are_reported():
    X, y = load_diabetes(return_X_y=True)
    model = Blend([("frozen", FrozenEstimator(Ridge(1.0).fit(X, y))), ("lasso", Lasso(0.1))])
    with pytest.warns(PrefittedWarning, match="estimator 'frozen'"):
        model.fit(X, y)
    model.set_params(weights=[1, 1]).fit(X, y)  # no rows are held out, so there is nothing to report


def test_parameters_of_members_can_be_searched():
    X, y = load_diabetes(return_X_y=True)
    model = Blend([("ridge", Ridge(1.0)), ("lasso", Lasso(0.1))], cv=3)
    assert model.get_params()["ridge__alpha"] == 1.0
    assert set(model.get_params(deep=False)) == {
        *("estimators", "weights", "cv", "n_steps", "random_state", "n_jobs", "verbose"),
    }
    search = GridSearchCV(model, {"ridge__alpha": [0.01, 1e6], "weights": [[1, 0]]}, cv=3).fit(X, y)
    assert search.best_params_["ridge__alpha"] == 0.01
    model.set_params(lasso=LinearRegression(), ridge__alpha=2.0)
    assert isinstance(model.estimators[1][1], LinearRegression)
    assert model.estimators[0][1].alpha == 2.0
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(forest__depth=3)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_parallel_fits_are_the_same(backend):
    import joblib

    X, y = load_iris(return_X_y=True)
    alone = Blend(classifiers()[:3], cv=3).fit(X, y)
    with joblib.parallel_config(backend):
        model = Blend(classifiers()[:3], cv=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_a_blend_of_blends():
    X, y = load_iris(return_X_y=True)
    inner = Blend([("bayes", GaussianNB()), ("tree", DecisionTree())], cv=3)
    model = Blend([("inner", inner), ("linear", LogisticRegression(0.01))], cv=3).fit(X, y)
    assert model.score(X, y) > 0.9
