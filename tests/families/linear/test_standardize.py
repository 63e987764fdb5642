"""Standardization inside fits, against fits to columns divided by hand, and what must not depend on units."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict, cross_val_score

from vitalfew import GreedySearch, Lasso, LogisticRegression, Moments, Ridge, loo_predict, summarize
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.families.linear.standardize import column_scale
from vitalfew.summaries.fold_summaries import Summaries


def table(n=60, d=12, seed=0, kind="dense"):
    """Columns of very different units, one of them constant, with a numeric target and three classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 5, d)
    X = X * (rng.random((n, d)) < 0.3) if kind == "sparse" else X + 3 * X.std(axis=0)
    X[:, 4] = 0.1
    y = X[:, 0] / X[:, 0].std() - X[:, 2] / X[:, 2].std() + 0.5 * rng.normal(size=n)
    return X, y, np.digitize(y, np.quantile(y, [0.3, 0.7]))


def deviation(X, weight=None):
    """Return the weighted standard deviation of columns, 1 for constant ones."""
    weight = np.ones(len(X)) if weight is None else weight
    center = np.average(X, axis=0, weights=weight)
    found = np.sqrt(np.average((X - center) ** 2, axis=0, weights=weight))
    return np.where(np.ptp(X, axis=0) > 0, found, 1.0)


factors = [0.0, *np.linspace(0.5, 2, 11).tolist()]
REGRESSORS = [
    Lasso("bic"),
    Lasso("loo", l1_ratio=0.5, fit_intercept=False, penalty_factors=factors),
    Lasso(0.02, positive=True, grid=[0.5, 0.1, 0.02]),
    Lasso("aic", feature_groups=np.arange(12) // 3),
    Ridge("loo"),
    Ridge("bic", fit_intercept=False),
    Ridge(2.0),
    Ridge(0.0),
]
CLASSIFIERS = [
    LogisticRegression("bic", grid=10),
    LogisticRegression("loo", grid=5, penalty="elasticnet"),
    LogisticRegression("aic", grid=5, penalty="l2"),
    LogisticRegression(0.05, penalty_factors=[0.1, *factors[1:]], class_weight="balanced"),
]


@pytest.mark.parametrize("model", REGRESSORS + CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n", [60, 10])
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SeparationWarning")
def test_the_fit_is_that_of_columns_divided_by_their_deviation(model, kind, is_weighted, n):
    X, y, label = table(n, kind=kind)
    weight = np.random.default_rng(1).integers(1, 4, n) + 0.5 if is_weighted else None
    target = label if model in CLASSIFIERS else y
    if getattr(model, "class_weight", None) == "balanced":  # the deviation has the weights of the classes
        weight = (len(y) / np.bincount(label))[label]
        model = clone(model).set_params(class_weight=None)
    scale = deviation(X, weight)
    form = sparse.csr_array if kind == "sparse" else np.asarray
    found = model.fit(form(X), target, weight)
    plain = clone(model).set_params(standardize=False).fit(form(X / scale), target, weight)
    np.testing.assert_allclose(found.path_.grid, plain.path_.grid, rtol=1e-9)
    np.testing.assert_allclose(found.path_.scale, scale, rtol=1e-12)
    size = np.abs(plain.coef_).max()
    np.testing.assert_allclose(found.coef_ * scale, plain.coef_, atol=1e-6 * size)
    np.testing.assert_allclose(found.predict(form(X)), plain.predict(form(X / scale)), atol=1e-6)
    if n == 60:
        for name in ("log_likelihood_", "bic_", "aic_", "n_parameters_", "log_evidence_"):
            np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-5, err_msg=name)
        np.testing.assert_allclose(found.selection_.score, plain.selection_.score, rtol=1e-4)
    if model in CLASSIFIERS:
        assert found.kkt_violation_ < 2 * plain.kkt_violation_ + 1e-9


def test_class_weights_count_for_the_deviation():
    X, _, label = table()
    weight = (len(label) / (3 * np.bincount(label)))[label]
    balanced = LogisticRegression(0.05, class_weight="balanced").fit(X, label)
    np.testing.assert_allclose(balanced.path_.scale, deviation(X, weight), rtol=1e-12)


@pytest.mark.parametrize("model", [Lasso("cv"), Lasso("1se"), Ridge("cv"), Ridge("holdout"), LogisticRegression("cv")])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("n", [60, 16])
def test_each_training_set_has_its_own_deviations(model, kind, n):
    X, y, label = table(n, kind=kind)
    target = label if isinstance(model, LogisticRegression) else y
    rows = np.arange(n)
    folds = StratifiedKFold(4) if isinstance(model, LogisticRegression) else KFold(4)
    splits = list(folds.split(X, target)) if model.alpha != "holdout" else [(rows[n // 4 :], rows[: n // 4])]
    found = clone(model).set_params(cv=splits, grid=8).fit(X, target)
    at = len(found.path_.grid) // 2
    fixed = clone(model).set_params(alpha=found.path_.grid[at], grid=found.path_.grid[: at + 1])
    scores = []
    for train, test in splits:
        scale = deviation(X[train])
        plain = clone(fixed).set_params(standardize=False).fit(X[train] / scale, target[train])
        if isinstance(model, LogisticRegression):
            probability = plain.predict_proba(X[test] / scale)
            scores.append(-np.log(probability[np.arange(len(test)), label[test]]).mean())
        else:
            scores.append(np.mean((plain.predict(X[test] / scale) - y[test]) ** 2))
    assert found.selection_.score[at] == pytest.approx(np.mean(scores), rel=1e-4)


@pytest.mark.parametrize("model", [Lasso("cv"), Lasso("bic", feature_groups=np.arange(12) // 3), Ridge("1se")])
def test_moments_give_the_fit_of_the_rows(model):
    X, y, _ = table(80)
    splits = list(KFold(4).split(X))
    moments = Summaries.from_folds(Moments.from_data(X[test], y[test]) for _, test in splits)
    rows, summed = clone(model).set_params(cv=splits).fit(X, y), clone(model).fit_moments(moments)
    assert summed.alpha_ == pytest.approx(rows.alpha_)
    np.testing.assert_allclose(summed.coef_, rows.coef_, rtol=1e-6)


def test_summaries_of_a_frame_give_the_fit_of_the_rows():
    pd = pytest.importorskip("pandas")
    X, y, _ = table(80)
    found = Ridge(3.0).fit_moments(summarize(pd.DataFrame(X).add_prefix("x").assign(y=y), "y"))
    np.testing.assert_allclose(found.coef_, Ridge(3.0).fit(X, y).coef_, rtol=1e-8)


@pytest.mark.parametrize("model", [Lasso("cv"), Ridge("loo"), LogisticRegression("1se"), Ridge("cv")], ids=repr)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_units_change_nothing(model, kind):
    X, y, label = table(kind="sparse")
    target = label if isinstance(model, LogisticRegression) else y
    unit = np.exp2(np.random.default_rng(0).integers(-20, 20, X.shape[1]))
    a, b = clone(model).fit(kind(X), target), clone(model).fit(kind(X * unit), target)
    assert b.alpha_ == pytest.approx(a.alpha_)
    np.testing.assert_allclose(b.coef_ * unit, a.coef_, rtol=1e-6, atol=1e-9 * np.abs(a.coef_).max())


@pytest.mark.parametrize("model", REGRESSORS + CLASSIFIERS, ids=repr)
def test_the_sum_of_weights_changes_nothing(model):
    X, y, label = table()
    target, weight = (label if model in CLASSIFIERS else y), np.random.default_rng(0).integers(1, 4, 60) / 4
    a, b = clone(model).fit(X, target, weight), clone(model).fit(X, target, weight / 1000)
    np.testing.assert_allclose(b.coef_, a.coef_, rtol=1e-4, atol=1e-6 * np.abs(a.coef_ * a.path_.scale).max())


@pytest.mark.parametrize("model", [Lasso("cv"), Ridge("loo"), LogisticRegression("cv", grid=10)], ids=repr)
@pytest.mark.parametrize("n", [300, 40])
def test_threads_and_storage_order_change_no_bit(model, n):
    X, y, label = table(n, 60)
    target = label if isinstance(model, LogisticRegression) else y
    ways = [(np.ascontiguousarray(X), 1), (np.ascontiguousarray(X), 2)]
    found = [clone(model).set_params(n_jobs=n_jobs).fit(Z, target).path_.scale for Z, n_jobs in ways]
    np.testing.assert_array_equal(found[0], found[1])
    if n == 40:
        scales = [column_scale(NumericData.read(Z, y, None)) for Z in (X, np.asfortranarray(X))]
        np.testing.assert_array_equal(*scales)


@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GridEndWarning")  # columns in units of 1e-5 and 1e3
def test_leave_one_out_says_what_it_holds_fixed():
    X, y, label = table()
    assert Ridge("loo").fit(X, y).selection_.note == "exact; the scales of the columns are held fixed"
    assert Ridge("loo", standardize=False).fit(X, y).selection_.note == "exact"
    note = "approximate; the active set is held fixed, as are the scales of the columns"
    assert Lasso("loo").fit(X, y).selection_.note == note
    assert LogisticRegression("loo", grid=5).fit(X, label).selection_.note.endswith("as are the scales of the columns")
    found = loo_predict(Ridge(1.0), X, y)
    assert found.kind == "approximate"
    refitted = [Ridge(1.0).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(len(y))]
    assert np.sqrt(np.mean((found.prediction - refitted) ** 2)) < 0.02 * np.std(refitted - y)


def test_leave_one_out_is_exact_for_fixed_scales():
    X, y, _ = table()
    Z = X / deviation(X)
    expected = [
        Ridge(1.0, standardize=False).fit(np.delete(Z, i, 0), np.delete(y, i)).predict(Z[[i]])[0] for i in range(len(y))
    ]
    np.testing.assert_allclose(loo_predict(Ridge(1.0), X, y).prediction, expected, rtol=1e-7)


def test_a_greedy_search_over_ridge_equals_refitting():
    class Refitted(Ridge):
        """A Ridge that the evaluator does not know."""

    X, y, _ = table()
    a, b = (GreedySearch(cls(3.0), k=3, cv=4).fit(X, y) for cls in (Ridge, Refitted))
    assert a.path_.subsets == b.path_.subsets
    np.testing.assert_allclose(a.path_.scores, b.path_.scores, rtol=1e-8)


# Scales

big = st.sampled_from([1e-200, 1e-30, 1.0, 1e30, 1e150])


@given(st.integers(2, 40), big, st.integers(0, 10**6), st.booleans(), st.booleans())
def test_scales_are_weighted_deviations(n, unit, seed, is_sparse, is_weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.5)
    X[:, 5] = rng.normal()
    weight = rng.integers(1, 5, n).astype(float) if is_weighted else None
    form = sparse.csr_array if is_sparse else np.asarray
    data = NumericData.read(form(X * unit), np.zeros(n), weight)
    expected = np.where(np.ptp(X, axis=0) > 0, deviation(X, weight) * unit, 1.0)
    np.testing.assert_allclose(column_scale(data), expected, rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 / 3, -7e-9])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_constant_column_has_scale_one(value, form):
    n = 100_003
    X = np.full((n, 2), value)
    X[:, 1] = np.arange(n)
    weight = np.random.default_rng(0).random(n) + 0.5
    for w in (None, weight):
        data = NumericData.read(form(X), np.arange(n) % 7, w)
        assert column_scale(data)[0] == 1
        assert column_scale(Moments.of(data))[0] == 1


def test_a_column_far_from_zero_keeps_its_digits():
    X = np.random.default_rng(0).normal([1e8, 0], size=(5000, 2))
    for form in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(column_scale(NumericData.read(form(X), X[:, 1], None)), X.std(axis=0), rtol=1e-7)


def test_a_column_that_varies_in_one_fold_only_does_no_harm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    X[:, 3] = 0.3
    X[7, 3] = 1e3
    for model in (Lasso("cv"), Ridge("cv"), LogisticRegression("cv")):
        target = y > 0 if isinstance(model, LogisticRegression) else y
        score = model.fit(X, target).selection_.score
        assert np.nanmin(score) < 0.2
        assert np.isfinite(score).all()
        assert score.max() < 2


def test_a_wide_matrix_is_copied_once():
    X = np.random.default_rng(0).normal(size=(200, 20_000))
    y = X[:, 0] + 0.1 * X[:, 1]
    data = NumericData.read(X, y, None)
    model = Lasso(1.0, n_jobs=1)
    model._family(data).path(data, np.array([1.0]))
    assert "columns" not in vars(data)  # the unscaled matrix was not copied by columns


# What it is for


def test_selection_of_a_classifier_improves():
    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = {s: cross_val_score(LogisticRegression("1se", standardize=s), X, y, cv=folds).mean() for s in (0, 1)}
    assert share[1] > 0.955
    assert share[1] > share[0] + 0.02


def test_selection_of_a_regressor_does_not_depend_on_its_units():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    found = Lasso("1se").fit(X, y)
    assert found.get_support(indices=True).tolist() == Lasso("1se").fit(X * 1000, y).get_support(indices=True).tolist()
    errors = {s: np.mean((cross_val_predict(Ridge("loo", standardize=s), X, y) - y) ** 2) for s in (False, True)}
    assert errors[True] < errors[False] + 20
