"""Ridge: closed forms, literal refits, least squares to the last digit, every rule."""

import pickle
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, train_test_split

import nist
import oracles
import vitalfew
from strategies import partitions, regressions
from vitalfew import Moments
from vitalfew.exceptions import ConditioningWarning, RuleError
from vitalfew.families.ridge.ridge_forms import DualForm, PrimalForm

# The twins and closed forms below penalize the columns in their own units.
Ridge = partial(vitalfew.Ridge, standardize=False)

RULES = ["cv", "1se", "holdout", "loo", "bic", "aic"]
KINDS = [np.asarray, sparse.csr_array, sparse.csc_array, np.asfortranarray, pd.DataFrame]


def table(n=40, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 2 * rng.normal(size=n) + 5


def weights_for(n, seed=1):
    return np.random.default_rng(seed).uniform(0.2, 3, n)


def assert_fits(model, X, y, weight=None, rtol=1e-8):
    coef, intercept = oracles.ridge(X, y, model.alpha_, weight, model.fit_intercept)
    size = np.abs(coef).max() + 1e-12
    np.testing.assert_allclose(model.coef_, coef, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, X @ coef + intercept, rtol=1e-7, atol=1e-7)


# One penalty


@given(regressions(), st.sampled_from([1e-2, 1.0, 100.0]), st.booleans())
def test_a_penalty_against_the_formula(problem, alpha, has_intercept):
    model = Ridge(alpha, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight)
    assert_fits(model, problem.X, problem.y, problem.weight)
    assert model.alpha_ == alpha


@given(regressions(), st.booleans())
def test_least_squares_of_least_norm(problem, has_intercept):
    model = Ridge(0, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight)
    assert_fits(model, problem.X, problem.y, problem.weight, 1e-6)


@given(regressions(), st.booleans())
def test_a_path_is_its_points(problem, has_intercept):
    """Solve by eigenvalues for all penalties, or by one factorization each."""
    grid = np.geomspace(1e-3, 1e3, 9)
    path = Ridge("aic", grid=grid, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight).path_
    np.testing.assert_array_equal(path.grid, grid[::-1])
    for p, alpha in enumerate(path.grid):
        one = Ridge(alpha, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight).path_
        for name in ("coef", "intercept", "mean_squared_error", "degrees_of_freedom"):
            a, b = getattr(path, name)[p], getattr(one, name)[0]
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-8 * (1 + np.abs(problem.y).max()), err_msg=name)
        freedom = oracles.ridge_freedom(problem.X, alpha, problem.weight, has_intercept)
        assert path.degrees_of_freedom[p] == pytest.approx(freedom, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("shape", [(60, 7), (7, 60), (10, 10), (2, 1)])
@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_scikit_learn(shape, has_intercept, kind):
    X, y = table(*shape)
    w = weights_for(len(y))
    for alpha in (0.1, 3.0):
        ours = Ridge(alpha, fit_intercept=has_intercept).fit(kind(X), y, w)
        theirs = SklearnRidge(alpha, fit_intercept=has_intercept).fit(X, y, w)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(ours.predict(kind(X)), theirs.predict(X), rtol=1e-8, atol=1e-10)


def test_one_column_by_hand():
    X, y = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 2.0, 6.0])
    centered = X[:, 0] - 7 / 3
    model = Ridge(2).fit(X, y)
    assert model.coef_[0] == pytest.approx(centered @ y / (centered @ centered + 2))
    assert model.intercept_ == pytest.approx(3 - model.coef_[0] * 7 / 3)
    assert model.path_.degrees_of_freedom[0] == pytest.approx((centered @ centered) / (centered @ centered + 2))
    assert model.path_.mean_squared_error[0] == pytest.approx(np.mean((y - model.predict(X)) ** 2))


def test_orthogonal_columns_shrink_by_their_size():
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 4)))[0] * [1, 2, 3, 4]
    y = X @ np.ones(4)
    for alpha in (0.5, 7.0):
        coef = Ridge(alpha, fit_intercept=False).fit(X, y).coef_
        np.testing.assert_allclose(coef, [s / (s + alpha) for s in (1, 4, 9, 16)])


# Invariants


@given(regressions(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns(problem, random):
    rows, columns = list(range(len(problem.y))), list(range(problem.X.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    w = problem.weight
    a = Ridge(0.5).fit(problem.X, problem.y, w)
    b = Ridge(0.5).fit(problem.X[rows][:, columns], problem.y[rows], None if w is None else w[rows])
    np.testing.assert_allclose(b.coef_, a.coef_[columns], rtol=1e-8, atol=1e-9)


@given(regressions(weight=("integer",)), st.booleans())
def test_a_weight_is_a_repetition(problem, has_intercept):
    times = np.repeat(np.arange(len(problem.y)), problem.weight.astype(int) if problem.weight is not None else 1)
    a = Ridge(0.5, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight)
    b = Ridge(0.5, fit_intercept=has_intercept).fit(problem.X[times], problem.y[times])
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-8, atol=1e-9)
    assert a.path_.degrees_of_freedom[0] == pytest.approx(b.path_.degrees_of_freedom[0])


def test_rows_of_weight_zero_are_not_there():
    X, y = table()
    w = weights_for(len(y))
    w[::3] = 0
    keep = w > 0
    a, b = Ridge("loo").fit(X, y, w), Ridge("loo").fit(X[keep], y[keep], w[keep])
    np.testing.assert_array_equal(a.selection_.score, b.selection_.score)


@pytest.mark.parametrize("shape", [(40, 6), (10, 30)])
def test_scaling_laws(shape):
    """c X with c² alpha gives β / c; c y gives c β; c w with c alpha gives β."""
    X, y = table(*shape)
    w = weights_for(len(y))
    base = Ridge(2.0).fit(X, y, w)
    np.testing.assert_allclose(Ridge(2.0 * 9).fit(3 * X, y, w).coef_, base.coef_ / 3)
    np.testing.assert_allclose(Ridge(2.0).fit(X, -3 * y, w).coef_, -3 * base.coef_)
    np.testing.assert_allclose(Ridge(2.0 * 3).fit(X, y, 3 * w).coef_, base.coef_)
    np.testing.assert_allclose(Ridge(2.0).fit(X + 100, y + 7, w).coef_, base.coef_, rtol=1e-9)
    own, scaled = Ridge("loo").fit(X, y), Ridge("loo").fit(3 * X, 2 * y)
    np.testing.assert_allclose(scaled.path_.grid, 9 * own.path_.grid)
    assert scaled.alpha_ == pytest.approx(9 * own.alpha_)


@pytest.mark.parametrize("shape", [(200, 20), (20, 200)])
def test_threads_and_precision(shape):
    X, y = table(*shape)
    one, two = (Ridge("loo", n_jobs=k).fit(X, y) for k in (1, 2))
    np.testing.assert_allclose(one.selection_.score, two.selection_.score, rtol=1e-10)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-8, atol=1e-12)
    narrow = Ridge("loo").fit(X.astype(np.float32), y)
    np.testing.assert_allclose(narrow.selection_.score, one.selection_.score, rtol=1e-4)
    assert narrow.coef_.dtype == np.float64


def test_input_is_left_alone():
    X, y = table()
    kept_X, kept_y = X.copy(), y.copy()
    for alpha in (0, 1.0, *RULES):
        Ridge(alpha).fit(X, y)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(y, kept_y)


# Data that break things


@pytest.mark.parametrize("alpha", [0, 1.0, "loo", "bic"])
def test_constant_and_duplicated_columns(alpha):
    X, y = table()
    X = np.column_stack([X, np.full(len(y), 0.1), X[:, 0], np.zeros(len(y)), np.full(len(y), 1e9)])
    model = Ridge(alpha).fit(X, y)
    np.testing.assert_array_equal(model.coef_[[6, 8, 9]], 0)
    np.testing.assert_array_equal(model.get_support(), model.coef_ != 0)
    assert model.coef_[0] == pytest.approx(model.coef_[7], rel=1e-8)
    assert_fits(model, X, y, rtol=1e-7)


@pytest.mark.parametrize("alpha", [0, 1.0])
@pytest.mark.parametrize("has_intercept", [True, False])
def test_one_row(alpha, has_intercept):
    model = Ridge(alpha, fit_intercept=has_intercept).fit([[2.0, 4.0]], [5.0])
    if has_intercept:
        np.testing.assert_array_equal(model.coef_, 0)
        assert model.intercept_ == 5
    else:
        np.testing.assert_allclose(model.coef_, np.array([10.0, 20.0]) / (20 + alpha))


def test_one_row_cannot_be_left_out():
    with pytest.raises(ValueError, match="n_samples = 1"):
        Ridge("loo").fit([[2.0]], [5.0])


@pytest.mark.parametrize("alpha", [0, 0.1, "loo", "cv"])
def test_many_more_columns_than_rows(alpha):
    X, y = table(15, 400)
    dense, thin = Ridge(alpha).fit(X, y), Ridge(alpha).fit(sparse.csc_array(X), y)
    assert_fits(dense, X, y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-7, atol=1e-10)
    if alpha == 0:
        np.testing.assert_allclose(dense.predict(X), y)


@pytest.mark.parametrize("alpha", [0, 1e-6])
def test_columns_of_any_unit(alpha):
    """Units of 1e-8 to 1e8: the condition is 1e32, and no digit is lost."""
    rng = np.random.default_rng(0)
    unit = 10.0 ** np.arange(-8, 9, 4)
    Z = rng.normal(size=(50, 5))
    y = Z.sum(axis=1) + 0.1 * rng.normal(size=50)
    model = Ridge(alpha).fit(Z * unit, y)
    w = np.ones(50)
    centered = Z - Z.mean(axis=0)
    expected = np.linalg.solve(centered.T @ centered + np.diag(alpha / unit**2), centered.T @ (y - y.mean()))
    np.testing.assert_allclose(model.coef_ * unit, expected, rtol=1e-11)
    from_moments = Ridge(alpha).fit_moments(Moments.from_data(Z * unit, y, w))
    np.testing.assert_allclose(from_moments.coef_ * unit, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("size", [1e6, 1e9, 1e12])
def test_a_huge_column_beside_more_columns_than_rows(size, kind):
    """The products of rows hold the square of the huge column and none of the others' digits."""
    rng = np.random.default_rng(0)
    Z, unit = rng.normal(size=(12, 30)), np.where(np.arange(30) == 4, size, 1.0)
    y = Z @ rng.normal(size=30)
    centered = Z - Z.mean(axis=0)
    expected = np.linalg.solve(centered.T @ centered + np.diag(1 / unit**2), centered.T @ (y - y.mean()))
    model = Ridge(1.0).fit(kind(Z * unit), y)
    np.testing.assert_allclose(model.coef_ * unit, expected, rtol=1e-9)


def test_no_variation_at_all():
    X, y = np.ones((5, 2)), np.arange(5.0)
    for alpha in (0, "loo", "cv", "bic"):
        model = Ridge(alpha).fit(X, y)
        np.testing.assert_array_equal(model.coef_, 0)
        assert model.intercept_ == pytest.approx(2)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_numbers_that_are_none(value, word, kind):
    X, y = table()
    X[3, 2] = value
    name = "2" if kind is pd.DataFrame else "x2"
    if np.isnan(value) and kind is not sparse.csr_array:
        assert Ridge().fit(kind(X), y).coef_names_[3] == f"{name} is missing"
        return
    with pytest.raises(ValueError, match=f"{word}: column '{name}', row 3"):
        Ridge().fit(kind(X), y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number >= 0 or a rule"),
        ({"alpha": np.inf}, "alpha must be"),
        ({"grid": 0}, "grid must be"),
        ({"grid": [1.0, -1.0]}, "grid must be"),
        ({"grid_ratio": 2}, "grid_ratio must be between 0 and 1"),
    ],
)
def test_bad_parameters(options, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        Ridge(**options).fit(X, y)


# Leave-one-out


@given(regressions(min_rows=3, max_rows=12), st.booleans())
def test_loo_is_n_refits(problem, has_intercept):
    grid = [0.03, 1.0, 30.0, 3e4, 3e6]
    model = Ridge("loo", grid=grid, fit_intercept=has_intercept).fit(problem.X, problem.y, problem.weight)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        left_out = oracles.ridge_loo(problem.X, problem.y, alpha, problem.weight, has_intercept)
        expected = np.average((problem.y - left_out) ** 2, weights=problem.weight)
        assert score == pytest.approx(expected, rel=1e-5, abs=1e-8)
    assert model.selection_.note == "exact"


@pytest.mark.parametrize("shape", [(12, 4), (12, 11), (8, 20)])
@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_loo_of_least_squares(shape, has_intercept, is_weighted):
    """The residual and one minus the leverage are both zero for a row that has its own direction."""
    X, y = table(*shape)
    if shape[1] == 4:
        X[:, 3] = 0
        X[5, 3] = 2.0  # only this row has it
        X[:, 2] = X[:, 1]
    w = weights_for(len(y)) if is_weighted else None
    model = Ridge("loo", grid=[0.0, 1.0], fit_intercept=has_intercept).fit(X, y, w)
    left_out = oracles.ridge_loo(X, y, 0.0, w, has_intercept)
    expected = np.average((y - left_out) ** 2, weights=w)
    assert model.selection_.score[1] == pytest.approx(expected, rel=1e-6)
    alone = Ridge("loo", grid=[0.0], fit_intercept=has_intercept).fit(X, y, w)
    assert alone.selection_.score[0] == pytest.approx(expected, rel=1e-6)


def test_loo_equals_ridge_cv():
    X, y = table(80, 12)
    grid = np.geomspace(1e-2, 1e3, 20)
    ours, theirs = Ridge("loo", grid=grid).fit(X, y), RidgeCV(grid, store_cv_results=True).fit(X, y)
    np.testing.assert_allclose(ours.selection_.score[::-1], theirs.cv_results_.mean(axis=0), rtol=1e-9)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_loo_in_blocks(kind, monkeypatch):
    X, y = table(300, 5)
    w = weights_for(300)
    whole = Ridge("loo").fit(X, y, w).selection_.score
    monkeypatch.setattr("vitalfew.families.ridge.ridge_forms.BLOCK_NUMBERS", 7 * 5)
    np.testing.assert_allclose(Ridge("loo").fit(kind(X), y, w).selection_.score, whole, rtol=1e-10)


# Rules


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_every_rule(rule, shape, kind):
    X, y = table(*shape)
    model = Ridge(rule, random_state=0).fit(kind(X), y, weights_for(len(y)))
    selection = model.selection_
    assert (selection.knob, selection.rule, len(selection.grid)) == ("alpha", rule, 100)
    assert (np.diff(selection.grid) < 0).all()
    assert np.isfinite(selection.score).all()
    assert model.alpha_ == selection.value
    again = Ridge(model.alpha_).fit(kind(X), y, weights_for(len(y)))
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rule", ["ebic", "mdl", "best"])
def test_other_rules_are_refused(rule):
    with pytest.raises(RuleError) as caught:
        Ridge(rule).fit(*table())
    for known in RULES:
        assert repr(known) in str(caught.value)
    assert str(caught.value).count("ebic") == (rule == "ebic")


@pytest.mark.parametrize("shape", [(50, 6), (20, 40)])
def test_cv_by_hand(shape):
    X, y = table(*shape)
    w = weights_for(len(y))
    model = Ridge("cv", grid=[0.1, 1, 10, 100, 1000], cv=KFold(4)).fit(X, y, w)
    for alpha, score, error in zip(model.path_.grid, model.selection_.score, model.selection_.standard_error):
        found = []
        for a, b in KFold(4).split(X):
            coef, intercept = oracles.ridge(X[a], y[a], alpha, w[a])
            found.append(np.average((y[b] - X[b] @ coef - intercept) ** 2, weights=w[b]))
        assert score == pytest.approx(np.mean(found), rel=1e-7)
        assert error == pytest.approx(np.std(found, ddof=1) / 2, rel=1e-7)


def test_cv_of_folds_that_overlap_and_with_a_scorer():
    X, y = table()
    splits = [(np.arange(0, 30), np.arange(20, 40)), (np.arange(10, 40), np.arange(0, 15))]
    model = Ridge("cv", grid=[0.1, 1, 10, 100, 1000], cv=splits, scoring="neg_mean_absolute_error").fit(X, y)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        fits = [(oracles.ridge(X[a], y[a], alpha), b) for a, b in splits]
        assert score == pytest.approx(-np.mean([np.abs(y[b] - X[b] @ c - i).mean() for (c, i), b in fits]))
    parted = Ridge("cv", cv=KFold(4), scoring="neg_mean_squared_error").fit(X, y)
    np.testing.assert_allclose(-parted.selection_.score, Ridge("cv", cv=KFold(4)).fit(X, y).selection_.score)


def test_cv_where_second_moments_lose_digits():
    """A grid that reaches next to no penalty on collinear columns: folds are fitted from their rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=40)])
    y = X[:, 0] + 1e6 * (X[:, 3] - X[:, 0]) + rng.normal(size=40)
    grid = [1e-14, 1e-3, 1.0, 10.0, 100.0]
    selection = Ridge("cv", grid=grid, cv=KFold(4)).fit(X, y).selection_
    folds = [(oracles.ridge(X[a], y[a], 1e-14), b) for a, b in KFold(4).split(X)]
    expected = np.mean([np.mean((y[b] - X[b] @ c - i) ** 2) for (c, i), b in folds])
    assert selection.score[-1] == pytest.approx(expected, rel=1e-5)


def test_holdout_by_hand():
    X, y = table()
    model = Ridge("holdout", grid=[0.1, 10], random_state=3).fit(X, y)
    a, b = train_test_split(np.arange(len(y)), test_size=0.25, random_state=3)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        coef, intercept = oracles.ridge(X[a], y[a], alpha)
        assert score == pytest.approx(np.mean((y[b] - X[b] @ coef - intercept) ** 2))


@pytest.mark.parametrize("rule", ["bic", "aic"])
@pytest.mark.parametrize("shape", [(50, 6), (20, 40)])
def test_criteria_by_hand(rule, shape):
    X, y = table(*shape)
    model = Ridge(rule, grid=[1, 10, 100, 1e3, 1e4]).fit(X, y)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        coef, intercept = oracles.ridge(X, y, alpha)
        p = oracles.ridge_freedom(X, alpha) + 2
        error = np.mean((y - X @ coef - intercept) ** 2)
        charge = 2 if rule == "aic" else np.log(len(y))
        charge *= len(y) / (len(y) - p - 1)
        expected = len(y) * (np.log(2 * np.pi * error) + 1) + charge * p
        assert score == (pytest.approx(expected) if p < len(y) - 1 else np.inf)
    assert np.isfinite(model.selection_.score[:3]).all()


def test_the_own_grid():
    X, y = table()
    e = np.linalg.eigvalsh((X - X.mean(axis=0)).T @ (X - X.mean(axis=0)))
    path = Ridge("loo").fit(X, y).path_
    assert path.grid[[0, -1]] == pytest.approx([100 * e[-1], e[0] / 100])
    assert path.degrees_of_freedom[0] < 0.01 * X.shape[1]
    assert path.degrees_of_freedom[-1] > 0.99 * X.shape[1]
    np.testing.assert_allclose(np.diff(np.log(path.grid)), np.diff(np.log(path.grid))[0])
    short = Ridge("loo", grid=10, grid_ratio=1e-3).fit(X, y).path_
    assert short.grid[0] / short.grid[-1] == pytest.approx(1e3)
    collinear = Ridge("loo").fit(np.column_stack([X, X[:, 0]]), y).path_
    assert collinear.grid[-1] > 1e-8 * collinear.grid[0] / 100 * 0.99


# Moments


@given(regressions(min_rows=4, max_features=5), st.booleans(), st.data())
def test_moments_give_what_rows_give(problem, has_intercept, data):
    parts = data.draw(partitions(len(problem.y)))
    w = problem.weight
    moments = [Moments.from_data(problem.X[r], problem.y[r], None if w is None else w[r]) for r in parts]
    for alpha in (0.5, "bic", "aic"):
        options = {"alpha": alpha, "grid": [0.1, 0.5, 1, 10, 100, 1e5], "fit_intercept": has_intercept}
        rows, summary = Ridge(**options).fit(problem.X, problem.y, w), Ridge(**options).fit_moments(moments)
        np.testing.assert_allclose(summary.path_.coef, rows.path_.coef, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(summary.path_.intercept, rows.path_.intercept, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("rule", ["cv", "1se"])
def test_cv_from_the_moments_of_folds(rule):
    X, y = table(60, 8)
    splits = list(KFold(5).split(X))
    rows = Ridge(rule, cv=splits).fit(X, y)
    summary = Ridge(rule).fit_moments([Moments.from_data(X[b], y[b]) for _, b in splits])
    np.testing.assert_allclose(summary.selection_.score, rows.selection_.score, rtol=1e-8)
    assert summary.alpha_ == pytest.approx(rows.alpha_)
    np.testing.assert_allclose(summary.coef_, rows.coef_, rtol=1e-8)


def test_rules_that_need_rows_say_so():
    X, y = table()
    with pytest.raises(RuleError, match="requires the rows") as caught:
        Ridge("holdout").fit_moments(Moments.from_data(X, y))
    assert "'ebic'" not in str(caught.value)


def test_names_come_with_moments():
    X, y = table(d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = Ridge(1.0).fit_moments(Moments.from_data(frame, y))
    assert list(model.get_feature_names_out()) == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict(frame), Ridge(1.0).fit(frame, y).predict(frame))


# Least squares to the last digit: NIST's reference data


def exact(reference):
    """Least squares on the stored numbers in rational arithmetic, with exact powers."""
    X = [[Fraction(v) for v in row] for row in reference.X.tolist()]
    if reference.degree > 1:
        X = [[row[0] ** power for power in range(1, reference.degree + 1)] for row in X]
    A = [[Fraction(1), *row] for row in X] if reference.has_intercept else X
    b = [Fraction(v) for v in reference.y.tolist()]
    G = [[sum(r[i] * r[j] for r in A) for j in range(len(A[0]))] for i in range(len(A[0]))]
    lines = [[*g, sum(r[i] * t for r, t in zip(A, b))] for i, g in enumerate(G)]
    for i in range(len(lines)):
        lines[i] = [v / lines[i][i] for v in lines[i]]
        for k in range(len(lines)):
            if k != i:
                lines[k] = [a - lines[k][i] * c for a, c in zip(lines[k], lines[i])]
    return [line[-1] for line in lines]


def both(model, has_intercept):
    return [*([model.intercept_] if has_intercept else []), *model.coef_]


@pytest.mark.parametrize("reference", nist.ALL, ids=lambda r: r.name)
def test_least_squares_of_reference_data(reference):
    """The certified digits, given raw powers; rounded to doubles, those of Filip alone would hold 7.6."""
    model = Ridge(0, fit_intercept=reference.has_intercept).fit(reference.X, reference.y)
    reached = reference.digits(model.intercept_, model.coef_)
    assert reached >= 13
    for found, best in zip(both(model, reference.has_intercept), exact(reference), strict=True):
        assert abs(Fraction(float(found)) - best) <= abs(best) * Fraction(1, 2**52)
    n, p = len(reference.y), len(reference.certified)
    sd = np.sqrt(model.path_.mean_squared_error[0] * n / (n - p))
    assert sd == pytest.approx(float(reference.residual_sd), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("reference", nist.ALL, ids=lambda r: r.name)
def test_moments_of_reference_data_reach_the_digits_or_say_so(reference):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Ridge(0, fit_intercept=reference.has_intercept).fit_moments(Moments.from_data(reference.X, reference.y))
    reached = reference.digits(model.intercept_, model.coef_)
    told = int(model.path_.trusted_digits[0])
    assert min(told, 8) <= max(reached, 0)
    assert (told < 8) == (reference.name[:5] in ("wampl", "filip") and reference.name != "wampler2")
    assert [w.category for w in caught] == [ConditioningWarning] * int(told < 8)
    for warning in caught:
        assert f"about {told} correct digits" in str(warning.message)
        assert "fit from the rows" in str(warning.message)
        assert warning.filename == __file__


def test_weights_and_penalty_are_refined_too():
    """Filip's data with a tiny penalty and weights of 1 and 2: repetition gives the same, whatever the condition."""
    X, y = nist.FILIP.X, nist.FILIP.y
    w = np.random.default_rng(0).integers(1, 3, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    for alpha in (0, 1e-10):
        a, b = Ridge(alpha).fit(X, y, w), Ridge(alpha).fit(X[rows], y[rows])
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
        gradient = X.T @ (w * (y - a.predict(X))) - alpha * a.coef_
        assert np.abs(gradient).max() <= 1e-9 * np.abs(X).max() * np.abs(w * y).sum()


def test_a_penalty_takes_the_warning_away():
    moments = Moments.from_data(nist.FILIP.X / np.abs(nist.FILIP.X).max(axis=0), nist.FILIP.y)
    with pytest.warns(ConditioningWarning):
        Ridge(0).fit_moments(moments)
    Ridge(0.01).fit_moments(moments)


def test_collinear_moments_are_told():
    X, y = table()
    with pytest.warns(ConditioningWarning, match="about 0 correct digits"):
        model = Ridge(0).fit_moments(Moments.from_data(np.column_stack([X, X[:, 0] + X[:, 1]]), y))
    expected, _ = oracles.ridge(np.column_stack([X, X[:, 0] + X[:, 1]]), y, 0)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-8)


# The path


def test_the_path_draws_and_tells():
    X, y = table()
    model = Ridge("loo", grid=20).fit(pd.DataFrame(X, columns=list("abcdef")), y)
    path = model.path_
    frame = path.to_frame()
    assert list(frame) == ["alpha", "n_features", "l1_norm", "mean_squared_error", "degrees_of_freedom"]
    np.testing.assert_allclose(frame["l1_norm"], np.abs(path.coef).sum(axis=1))
    np.testing.assert_array_equal(frame["n_features"], 6)
    for x in ("alpha", "l1_norm"):
        drawn = path.plot(x).to_dict()["layer"][1]["data"]["values"]
        assert {row["feature"] for row in drawn} == set("abcdef")
        np.testing.assert_allclose([row["coefficient"] for row in drawn if row["feature"] == "b"], path.coef[:, 1])
    with pytest.raises(ValueError, match="l1_norm"):
        path.plot("beta")
    np.testing.assert_array_equal(path.dual_gap, 0)
    assert path.data is None
    assert path.form is None


def test_a_model_is_small_when_stored():
    X, y = table(5000, 4)
    model = Ridge("loo").fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < X.nbytes / 4
    np.testing.assert_array_equal(pickle.loads(stored).predict(X), model.predict(X))


def test_forms_follow_the_shape():
    X, y = table(10, 10)
    assert isinstance(Ridge()._family(None).path(Ridge()._read(X, y, None)).form, PrimalForm)
    X, y = table(10, 11)
    assert isinstance(Ridge()._family(None).path(Ridge()._read(X, y, None)).form, DualForm)


def test_shrinkage_chart():
    X, y = table()
    assert "least squares" in str(Ridge(10.0).fit(X, y).plot_shrinkage(X, y).to_dict())
