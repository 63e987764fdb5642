"""`loo_predict` against a loop of refits: exact, near, and honest where rules choose."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from strategies import ALL_WEIGHTS, kary_problems, regressions
from vitalfew import KernelRidge, Lasso, LogisticRegression, NaiveBayes, Ridge, Stump, WordPresence, loo_predict


def refits(model, X, y, weight=None, method="predict"):
    """One row after the other, by hand."""
    found = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        options = {} if weight is None else {"sample_weight": weight[rest]}
        fitted = clone(model).fit(X[rest], y[rest], **options)
        found.append(getattr(fitted, method)(X[[i]])[0])
    return np.array(found)


RAW = Ridge(1.0, standardize=False)
LINEAR = [RAW, clone(RAW).set_params(fit_intercept=False), PeerRidge(1.0), PeerRidge(2.0, fit_intercept=False)]


@settings(max_examples=25)
@given(
    regressions(min_rows=3), st.sampled_from([*LINEAR, KernelRidge(1.0, gamma=0.01), KernelRidge(0.5, kernel="linear")])
)
def test_ridge_is_exact(problem, model):
    found = loo_predict(model, problem.X, problem.y, sample_weight=problem.weight)
    assert found.kind == "exact"
    expected = refits(model, problem.X, problem.y, problem.weight)
    scale = np.abs(problem.y).max() + 1
    np.testing.assert_allclose(found.prediction, expected, atol=1e-6 * scale)
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    assert found.error == pytest.approx(np.average((expected - problem.y) ** 2, weights=weight), rel=1e-4, abs=1e-9)


@settings(max_examples=25)
@given(regressions(min_rows=6, max_rows=15, max_features=3, weight=(None,), is_sound=True), st.booleans())
def test_least_squares_is_exact(problem, has_intercept):
    model = LinearRegression(fit_intercept=has_intercept)
    found = loo_predict(model, problem.X, problem.y)
    assert found.kind == "exact"
    scale = np.abs(problem.y).max() + 1
    np.testing.assert_allclose(found.prediction, refits(model, problem.X, problem.y), atol=1e-6 * scale)


def test_least_squares_with_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 12)), rng.normal(size=8)
    for model in (LinearRegression(), Ridge(0.0, standardize=False)):
        found = loo_predict(model, X, y)
        np.testing.assert_allclose(found.prediction, refits(LinearRegression(), X, y), atol=1e-8)


@pytest.mark.parametrize(
    "model", [LinearRegression(positive=True), PeerRidge(1.0, positive=True), PeerRidge(np.array([1.0]))], ids=repr
)
def test_peers_without_a_formula_are_refitted(model):
    X, y = load_diabetes(return_X_y=True)
    found = loo_predict(model, X[:15], y[:15])
    assert found.kind == "refit"
    np.testing.assert_allclose(found.prediction, refits(model, X[:15], y[:15]).ravel(), rtol=1e-6)


@settings(max_examples=40)
@given(
    kary_problems(max_rows=15, max_features=4, min_classes=2, weight=ALL_WEIGHTS),
    st.sampled_from(
        [{}, {"prior_mean": "uniform"}, {"prior_strength": 1.5, "prior_mean": 0.3}, {"prior_strength": 0.0}]
    ),
)
def test_naive_bayes_is_exact(problem, options):
    X = problem.X
    if options.get("prior_mean") == 0.3:
        X = np.where(np.isnan(X), X, X % 2)
    if len(np.unique(problem.y)) < 2 or len(problem.y) < 3:
        return
    model = NaiveBayes(**options)
    found = loo_predict(model, X, problem.y, method="predict_proba", sample_weight=problem.weight)
    assert found.kind in ("exact", "refit")
    if "prior_mean" not in options:
        assert found.kind == "exact"
    classes = np.unique(problem.y)
    for i in range(len(problem.y)):
        rest = np.arange(len(problem.y)) != i
        weight = None if problem.weight is None else problem.weight[rest]
        fitted = NaiveBayes(**options).fit(X[rest], problem.y[rest], weight)
        expected = np.zeros(len(classes))
        expected[np.searchsorted(classes, fitted.classes_)] = fitted.predict_proba(X[[i]])[0]
        np.testing.assert_allclose(found.prediction[i], expected, atol=1e-8)


def test_naive_bayes_of_words_and_of_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    words = sparse.csr_array((rng.random((40, 9)) < 0.2 + 0.3 * y[:, None]).astype(float))
    found = loo_predict(NaiveBayes(), words, y, method="predict_proba")
    assert found.kind == "exact"
    np.testing.assert_allclose(found.prediction, refits(NaiveBayes(), words, y, method="predict_proba"), atol=1e-10)
    numbers = rng.normal(size=(40, 3)) + y[:, None]
    supervised = loo_predict(NaiveBayes(), numbers, y)
    assert supervised.kind == "refit"
    assert supervised.note == "cuts of numeric columns are computed again without each row"
    cut = loo_predict(NaiveBayes(numeric="quantile"), numbers, y)
    assert (cut.kind, cut.note) == ("approximate", "the cuts of numeric columns are held fixed")
    np.testing.assert_array_equal(supervised.prediction, refits(NaiveBayes(), numbers, y))


def test_lasso_is_near():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    model = Lasso(alpha=0.3)
    found = loo_predict(model, X, y)
    assert found.kind == "approximate"
    expected = refits(model, X, y)
    assert np.sqrt(np.mean((found.prediction - expected) ** 2)) < 0.05 * np.std(expected - y)
    assert found.error == pytest.approx(np.mean((expected - y) ** 2), rel=0.02)


@pytest.mark.parametrize("data", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_logistic_is_near(data, penalty):
    X, y = data(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::5, :8], y[::5]
    model = LogisticRegression(alpha=0.02, penalty=penalty, tol=1e-8)
    expected = refits(model, X, y, method="predict_proba")
    found = loo_predict(model, X, y, method="predict_proba")
    assert found.kind == "approximate"
    fitted = clone(model).fit(X, y).predict_proba(X)
    assert np.abs(found.prediction - expected).mean() < 0.2 * np.abs(fitted - expected).mean()
    assert found.error == pytest.approx(-np.log(expected[np.arange(len(y)), y]).mean(), rel=0.05)
    decision = loo_predict(model, X, y, method="decision_function").prediction
    assert decision.ndim == (1 if len(np.unique(y)) == 2 else 2)
    labels = loo_predict(model, X, y).prediction
    np.testing.assert_array_equal(labels, (decision > 0) if decision.ndim == 1 else decision.argmax(axis=1))
    np.testing.assert_array_equal(labels, found.prediction.argmax(axis=1))


def test_near_is_exact_while_the_features_in_use_stay():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [3.0, -2.0, 1.0] + 0.1 * rng.normal(size=60)
    model = Lasso(0.1, standardize=False, tol=1e-12)
    np.testing.assert_allclose(loo_predict(model, X, y).prediction, refits(model, X, y), atol=1e-6)


# Honest where something chooses


@pytest.mark.parametrize(
    ("model", "note"),
    [
        (Ridge(alpha="loo", grid=5), "alpha='loo' is selected again"),
        (Lasso(alpha="bic", grid=5), "alpha='bic' is selected again"),
        (KernelRidge(alpha=1.0, gamma="loo"), "gamma='loo' is selected again"),
        (
            KernelRidge(alpha="loo", gamma=[0.1, 1.0], grid=5),
            r"alpha='loo' and gamma=\[0.1, 1.0\] is selected again",
        ),
    ],
)
def test_rules_choose_anew(model, note):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:20, :3], y[:20]
    found = loo_predict(model, X, y)
    assert found.kind == "refit"
    assert found.note.startswith(note.replace("\\", ""))
    np.testing.assert_allclose(found.prediction, refits(model, X, y), rtol=1e-6)


@pytest.mark.parametrize("features", ["mdl", 3])
def test_selected_features_are_not_held_fixed(features):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (40, 200)), np.arange(40) % 2
    model = NaiveBayes(features=features, order="information")
    found = loo_predict(model, X, y)
    assert (found.kind, found.note) == ("refit", "features are selected again without each row")
    np.testing.assert_array_equal(found.prediction, refits(model, X, y))
    if features == 3:  # held fixed, features of pure noise look good
        fitted = clone(model).fit(X, y)
        spoiled = np.mean(fitted.classes_[fitted.loo_predict_proba(X, y).argmax(axis=1)] != y)
        assert spoiled < 0.3 < found.error


def test_landmarks_are_named():
    X, y = load_diabetes(return_X_y=True)
    found = loo_predict(KernelRidge(1.0, n_components=20, random_state=0), X, y)
    assert (found.kind, found.note) == ("approximate", "the landmarks are held fixed")
    assert loo_predict(KernelRidge(1.0, n_components=10**6), X[:50], y[:50]).kind == "exact"


def test_a_kernel_that_is_given():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:40], y[:40] - y[:40].mean()
    given_ = loo_predict(KernelRidge(1.0, kernel="precomputed"), X @ X.T, y)
    np.testing.assert_allclose(given_.prediction, loo_predict(KernelRidge(1.0, kernel="linear"), X, y).prediction)
    with_rule = loo_predict(KernelRidge("loo", kernel="precomputed", grid=4), X[:12] @ X[:12].T, y[:12])
    np.testing.assert_allclose(
        with_rule.prediction, loo_predict(KernelRidge("loo", kernel="linear", grid=4), X[:12], y[:12]).prediction
    )


# Refits


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_refits_are_those_of_cross_val_predict(method):
    X, y = load_iris(return_X_y=True)
    X, y = X[::7], y[::7]
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    found = loo_predict(model, X, y, method=method)
    assert found.kind == "refit"
    np.testing.assert_allclose(found.prediction, cross_val_predict(model, X, y, cv=LeaveOneOut(), method=method))
    code = y if method == "predict" else found.prediction.argmax(axis=1)
    if method == "predict_proba":
        np.testing.assert_allclose(found.per_row_loss, -np.log(found.prediction[np.arange(len(y)), y]))
    elif method == "predict":
        np.testing.assert_array_equal(found.per_row_loss, found.prediction != code)
    assert found.standard_error == pytest.approx(found.per_row_loss.std(ddof=1) / np.sqrt(len(y)))


def test_several_at_a_time():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0)
    with joblib.parallel_config("threading"):
        one, two = (loo_predict(forest, X[::10], y[::10], n_jobs=n, method="predict_proba") for n in (1, 2))
    np.testing.assert_array_equal(one.prediction, two.prediction)


def test_progress_is_shown(capsys):
    class Slow(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            __import__("time").sleep(0.02)
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    loo_predict(Slow(), X[::5], y[::5], progress=True)
    assert "leave-one-out" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pandas", "polars", "csr", "texts"])
def test_rows_of_any_kind(kind):
    data = load_iris()
    X, y = data.data[::5], data.target_names[data.target[::5]]
    model = NaiveBayes(numeric="quantile")
    if kind == "texts":
        X = ["cat purrs" if label == "setosa" else f"dog {label}" for label in y]
        model = make_pipeline(WordPresence(), NaiveBayes())
    elif kind == "csr":
        X = sparse.csr_matrix(X.mean(axis=0) < X)
    else:
        X = pd.DataFrame(X, columns=list("abcd"))
        X = pl.from_pandas(X) if kind == "polars" else X
    found = loo_predict(model, X, y)
    assert found.error < 0.4
    assert set(found.prediction) <= set(data.target_names)


@pytest.mark.parametrize("model", [RAW, LinearRegression(), KernelRidge(1.0, kernel="linear")], ids=repr)
def test_rows_of_weight_zero_are_predicted_and_do_not_count(model):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:20, :4], y[:20]
    weight = np.ones(20)
    weight[[3, 7]] = 0
    found = loo_predict(model, X, y, sample_weight=weight)
    assert found.kind == "exact"
    np.testing.assert_allclose(found.prediction, refits(model, X, y, weight), rtol=1e-6)
    kept = weight > 0
    assert found.error == pytest.approx(loo_predict(model, X[kept], y[kept]).error)


def test_a_class_of_one_row():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100:5], y[:100:5].copy()
    y[0] = 9
    found = loo_predict(GaussianNB(), X, y, method="predict_proba")
    assert found.prediction.shape == (20, 3)
    assert found.prediction[0, 2] == 0
    assert np.isfinite(found.error)
    np.testing.assert_array_equal(
        loo_predict(KNeighborsClassifier(1), [[0.0], [1.0]], ["a", "b"]).prediction, ["b", "a"]
    )
    with pytest.raises(ValueError, match="a class has only one row, so it has no decision value"):
        loo_predict(LinearDiscriminantAnalysis(), X, y, method="decision_function")
    assert loo_predict(NaiveBayes(), X > 3, y, method="predict_proba").prediction[0, 2] == 0


def test_two_rows():
    assert loo_predict(Ridge(1.0), [[0.0], [1.0]], [1.0, 3.0]).prediction == pytest.approx([3.0, 1.0])


def test_the_model_stays_as_it_is():
    X, y = load_diabetes(return_X_y=True)
    model = Ridge(1.0)
    loo_predict(model, X, y)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    ("model", "X", "y", "options", "message"),
    [
        (Ridge(1.0), [[0.0]], [1.0], {}, "at least two rows"),
        (Ridge(1.0), [[0.0], [1.0]], [1.0, np.nan], {}, "NaN"),
        (Ridge(1.0), [[0.0], [1.0]], [1.0, 2.0], {"method": "predict_proba"}, "Ridge has no method"),
        (Stump(), [[0], [1]], [0, 1], {"method": "decision_function"}, "Stump has no method"),
        (NaiveBayes(), [[0], [1]], [1, 1], {}, "y has only one class"),
        (Ridge(1.0), [[0.0], [1.0]], [1.0, 2.0], {"method": "guess"}, "method must be one of"),
        (Ridge(-1.0), [[0.0], [1.0]], [1.0, 2.0], {}, "alpha must be a number >= 0"),
        (Ridge(1.0), [[0.0], [1.0]], [1.0, 2.0], {"sample_weight": [-1, 1]}, "must not be negative"),
        (
            KNeighborsClassifier(1),
            [[0], [1], [2]],
            [0, 1, 1],
            {"sample_weight": [1, 2, 1]},
            "does not support sample_weight",
        ),
        (SVC(), [[0], [1], [2]], [0, 1], {}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input(model, X, y, options, message):
    with pytest.raises(ValueError, match=message):
        loo_predict(model, X, y, **options)
