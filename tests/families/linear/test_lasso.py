"""`Lasso` against closed forms, a slow twin, certificates recomputed from the coefficients, and scikit-learn."""

import io
import json
import os
import pickle
import subprocess
import sys
import textwrap
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import ElasticNet
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit, TimeSeriesSplit, train_test_split

import linear_oracles as oracles
import vitalfew
from linear_oracles import Penalty
from planted import two_of_eight as planted
from strategies import ALL_WEIGHTS, numeric_tables, weights
from vitalfew import Moments, aic, bic, ebic
from vitalfew.exceptions import RuleError
from vitalfew.rules.charts.parts import chart_text

# The twins and closed forms below penalize the columns in their own units.
Lasso = partial(vitalfew.Lasso, standardize=False)

RULES = ["cv", "1se", "loo", "bic", "aic", "ebic", "holdout"]
HOSTILE = ["<script>alert(1)</script>", 'it\'s "quoted"', "a.b[0]", "</script><b>", "", "7", "x:Q", "ü\\n"]
KINDS = [np.asarray, sparse.csr_array]


def penalty_of(model, alpha):
    return Penalty(alpha, model.l1_ratio, model.penalty_factors, model.positive)


def assert_certified(model, X, y, weight=None, tol=None):
    """Optimality and the gap, as the coefficients alone show them, at every point of the path."""
    path, has_intercept = model.path_, model.fit_intercept
    null = oracles.lasso_null(y, weight, has_intercept)
    tol = model.tol if tol is None else tol
    reach = np.sqrt(2 * null * (oracles.shares(weight, len(y)) @ (X - X.mean(axis=0)) ** 2))
    for p, alpha in enumerate(path.grid):
        at = X, y, path.coef[p], path.intercept[p], penalty_of(model, alpha), weight
        assert oracles.lasso_gap(*at, has_intercept) <= tol * null + 1e-15 * (y @ y) / len(y)
        assert oracles.lasso_violation(*at, has_intercept) <= np.sqrt(tol) * reach.max() + 1e-12
        assert np.isfinite(path.coef[p]).all()
    assert (path.dual_gap <= model.tol).all()


def same(a, b, tol=1e-8):
    np.testing.assert_allclose(a.alpha_, b.alpha_, rtol=tol)
    np.testing.assert_allclose(a.path_.grid, b.path_.grid, rtol=tol)
    np.testing.assert_allclose(a.path_.coef, b.path_.coef, rtol=tol, atol=tol)
    np.testing.assert_allclose(a.path_.intercept, b.path_.intercept, rtol=tol, atol=tol)


# The problem that is solved


def test_orthonormal_columns_are_soft_thresholded():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(40, 6)))[0] * np.sqrt(40)
    y = Q @ [3, -2, 1, 0.5, 0, 0] + rng.normal(size=40)
    free = Q.T @ y / 40
    for alpha in (0.0, 0.3, 1.0, 2.5):
        for rho in (1.0, 0.4):
            model = Lasso(alpha, l1_ratio=rho, fit_intercept=False).fit(Q, y)
            expected = np.sign(free) * np.maximum(np.abs(free) - alpha * rho, 0) / (1 + alpha * (1 - rho))
            np.testing.assert_allclose(model.coef_, expected, atol=1e-12)
            np.testing.assert_array_equal(model.coef_ == 0, np.abs(free) <= alpha * rho)


def test_the_grid_starts_where_the_first_feature_enters():
    X, y = planted()
    path = Lasso("bic").fit(X, y).path_
    assert path.grid[0] == pytest.approx(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y))
    assert path.n_features[0] == 0
    assert path.n_features[1] == 1
    assert path.grid[-1] == pytest.approx(1e-3 * path.grid[0])
    np.testing.assert_allclose(np.diff(np.log(path.grid)), np.log(1e-3) / 99)
    assert Lasso("bic").fit(X[:7], y[:7]).path_.grid[[-1, 0]] @ [100, -1] == pytest.approx(0, abs=1e-9)
    given = Lasso("bic", grid=[0.1, 1, 0.5, 0.1]).fit(X, y).path_.grid
    assert given.tolist() == [1, 0.5, 0.1]
    assert Lasso(0.2, grid=[0.1, 1]).fit(X, y).path_.grid.tolist() == [1, 0.2, 0.1]


OPTIONS = [
    {},
    {"l1_ratio": 0.5},
    {"fit_intercept": False},
    {"positive": True},
    {"positive": True, "l1_ratio": 0.2, "fit_intercept": False},
]


@given(numeric_tables(), st.sampled_from(OPTIONS), st.sampled_from(KINDS), st.data())
def test_the_minimum_is_that_of_the_twin(table, options, kind, data):
    X, rng = table
    n, d = X.shape
    w = data.draw(weights(n, ALL_WEIGHTS))
    y = X @ (rng.normal(size=d) * (rng.random(d) < 0.5)) + rng.normal(size=n)
    factor = rng.choice([0.0, 0.5, 1.0, np.inf], d, p=[0.1, 0.2, 0.6, 0.1]) if rng.random() < 0.3 else None
    model = Lasso("bic", grid=7, grid_ratio=1e-2, penalty_factors=factor, **options).fit(kind(X), y, w)
    assert_certified(model, X, y, w)
    alpha = model.path_.grid[4]
    penalty = penalty_of(model, alpha)
    coef, intercept = oracles.lasso_solve(X, y, penalty, w, model.fit_intercept, sweeps=500)
    found = oracles.lasso_objective(X, y, model.path_.coef[4], model.path_.intercept[4], penalty, w)
    null = oracles.lasso_null(y, w, model.fit_intercept)
    assert found <= oracles.lasso_objective(X, y, coef, intercept, penalty, w) + 1e-9 * null
    if options.get("positive"):
        assert (model.path_.coef >= 0).all()
    if factor is not None:
        assert not model.path_.coef[:, np.isinf(factor)].any()


@pytest.mark.parametrize("shape", [(60, 8), (12, 25)])
@pytest.mark.parametrize("options", OPTIONS)
def test_the_coefficients_are_those_of_the_twin(options, shape):
    X, y = planted(*shape)
    model = Lasso("bic", grid=[1.0, 0.5], **options).fit(X, y)
    for p, alpha in enumerate(model.path_.grid):
        coef, intercept = oracles.lasso_solve(X, y, penalty_of(model, alpha), None, model.fit_intercept)
        np.testing.assert_allclose(model.path_.coef[p], coef, atol=1e-7)
        np.testing.assert_allclose(model.path_.intercept[p], intercept, atol=1e-7)
        assert model.path_.n_features[p] == (coef != 0).sum()
        error = np.mean((y - X @ coef - intercept) ** 2)
        assert model.path_.mean_squared_error[p] == pytest.approx(error, rel=1e-6)


HARD = {
    "doubled": lambda X: np.column_stack([X, X]),
    "collinear": lambda X: np.column_stack([X, X.sum(axis=1), X[:, 0] - X[:, 1]]),
    "constant": lambda X: np.column_stack([X, np.ones(len(X)), np.full(len(X), 0.1), np.zeros(len(X))]),
    "scaled": lambda X: X * 10.0 ** np.linspace(-8, 8, X.shape[1]),
    "offset": lambda X: X + 1e6,
    "nearly equal": lambda X: np.column_stack([X, X + 1e-9 * np.cos(np.arange(X.size)).reshape(X.shape)]),
    "wide": lambda X: np.random.default_rng(1).normal(size=(len(X), 2000)),
    "one column": lambda X: X[:, :1],
    "one row": lambda X: X[:1],
    "two rows": lambda X: X[:2],
    "rows doubled": lambda X: np.repeat(X[::2], 2, axis=0),
}


@pytest.mark.parametrize("hard", HARD)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(50, 8), (12, 20)])
def test_certificates_of_hard_tables(hard, kind, shape):
    """Rounding of the input costs what it must: an offset of 1e6 costs six digits."""
    X, y = planted(*shape)
    X = HARD[hard](X)
    y = y[: len(X)]
    for options in ({}, {"l1_ratio": 0.7}):
        model = Lasso("bic", grid=20, **options).fit(kind(X), y)
        assert_certified(model, X, y, tol=1e-6)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", ["rows", "moments"])
def test_a_cold_start_on_a_wide_table_reaches_the_tolerance(kind, options):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = planted(rng.integers(4, 30), rng.integers(10, 60), seed)
        model = Lasso(10 ** rng.uniform(-4, 0), **options)
        model = model.fit(X, y) if kind == "rows" else model.fit_moments(Moments.from_data(X, y))
        assert model.dual_gap_ <= model.tol, seed
        assert_certified(model, X, y)


def test_far_columns_and_scaled_columns_choose_as_plain_ones():
    X, y = planted()
    plain = Lasso("cv").fit(X, y)
    far = Lasso("cv").fit(X + 1e6, y - 1e6)
    np.testing.assert_allclose(far.coef_, plain.coef_, atol=1e-7)
    scale = 10.0 ** np.linspace(-8, 8, 8)
    scaled = Lasso("cv", penalty_factors=scale).fit(X * scale, y)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("rule", [0.1, "bic", "loo", "cv"])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_a_constant_target_needs_no_feature(value, rule):
    X, _ = planted()
    model = Lasso(rule).fit(X, np.full(80, value))
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx(value)
    assert_valid(model.selection_.plot())
    assert_valid(model.path_.plot())


@pytest.mark.parametrize("shape", [(60, 5), (8, 20)])
def test_no_penalty_is_least_squares(shape):
    X, y = planted(*shape)
    model = Lasso(alpha=0).fit(X, y)
    Z = np.column_stack([X, np.ones(len(X))])
    np.testing.assert_allclose(model.predict(X), Z @ np.linalg.lstsq(Z, y, rcond=None)[0], atol=1e-8)
    assert model.dual_gap_ <= model.tol


def test_penalty_factors_of_zero_and_infinity():
    X, y = planted()
    factor = np.r_[1, 1, 1, 0, np.inf, 1, 1, 1]
    model = Lasso(1e6, penalty_factors=factor).fit(X, y)
    slope = np.cov(X[:, 3], y)[0, 1] / X[:, 3].var(ddof=1)
    np.testing.assert_allclose(model.coef_, np.eye(8)[3] * slope, atol=1e-9)
    for rule in RULES:
        model = Lasso(rule, penalty_factors=factor, random_state=0).fit(X, y)
        assert (model.path_.coef[:, 3] != 0).all()
        assert not model.path_.coef[:, 4].any()
    without = Lasso(0.1).fit(np.delete(X, 4, axis=1), y)
    model = Lasso(0.1, penalty_factors=np.where(np.isinf(factor), factor, 1)).fit(X, y)
    np.testing.assert_allclose(np.delete(model.coef_, 4), without.coef_, atol=1e-10)


@pytest.mark.parametrize("rule", [0.1, "bic", "cv"])
def test_columns_without_penalty_may_be_collinear(rule):
    X, y = planted(40, 4)
    X = np.column_stack([X, X[:, :2]])
    factor = np.r_[0, 0, 1, 1, 0, 0]
    model = Lasso(rule, penalty_factors=factor, grid=8).fit(X, y)
    assert_certified(model, X, y)
    fewer = Lasso(rule, penalty_factors=factor[:4], grid=8).fit(X[:, :4], y)
    np.testing.assert_allclose(model.predict(X), fewer.predict(X[:, :4]), atol=1e-8)


@pytest.mark.parametrize("factor", [0.0, np.inf])
@pytest.mark.parametrize("rule", [0.1, "bic", "cv"])
def test_all_penalty_factors_alike(factor, rule):
    X, y = planted(30, 3)
    model = Lasso(rule, penalty_factors=np.full(3, factor)).fit(X, y)
    expected = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0] if factor == 0 else np.zeros(3)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-9)


# Laws


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
def test_order_of_rows_and_columns(shape, options):
    X, y = planted(*shape)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    model = Lasso("bic", grid=20, **options).fit(X, y)
    same(Lasso("bic", grid=20, **options).fit(X[rows], y[rows]), model)
    moved = Lasso("bic", grid=20, **options).fit(X[:, columns], y)
    np.testing.assert_allclose(moved.path_.coef, model.path_.coef[:, columns], atol=1e-8)


@pytest.mark.parametrize("c", [-1e4, 1e-6])
@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
def test_the_target_scales_penalty_and_coefficients(shape, c):
    X, y = planted(*shape)
    model, scaled = (Lasso(0.2 * abs(k)).fit(X, k * y) for k in (1, c))
    np.testing.assert_allclose(scaled.coef_, c * model.coef_, rtol=1e-8, atol=1e-10 * abs(c))
    chosen, other = (Lasso("cv", grid=20).fit(X, k * y) for k in (1, c))
    assert other.alpha_ == pytest.approx(abs(c) * chosen.alpha_)


@given(numeric_tables(min_rows=4), st.booleans(), st.sampled_from([0.3, "bic"]))
def test_a_weight_is_a_repetition(table, has_intercept, alpha):
    X, rng = table
    y = X[:, 0] + rng.normal(size=len(X))
    times = rng.integers(0, 4, len(X))
    times[:2] = 1
    X[times == 0] = 1e3
    options = {"fit_intercept": has_intercept, "grid": 10, "grid_ratio": 1e-2}
    weighted = Lasso(alpha, **options).fit(X, y, times)
    again = np.repeat(X, times, axis=0), np.repeat(y, times)
    repeated = Lasso(alpha, **options).fit(*again)
    np.testing.assert_allclose(weighted.path_.grid, repeated.path_.grid, rtol=1e-8)
    np.testing.assert_allclose(
        weighted.path_.mean_squared_error, repeated.path_.mean_squared_error, rtol=1e-6, atol=1e-9
    )
    if alpha == "bic":
        np.testing.assert_allclose(weighted.selection_.score, repeated.selection_.score, rtol=1e-6, atol=1e-6)


def test_a_weight_is_a_repetition_also_for_the_grid():
    """10 rows of weight 3 are 30 rows: the grid must not end elsewhere."""
    X, y = planted(10, 12)
    weighted, repeated = Lasso("bic").fit(X, y, np.full(10, 3.0)), Lasso("bic").fit(np.tile(X, (3, 1)), np.tile(y, 3))
    np.testing.assert_allclose(weighted.path_.grid, repeated.path_.grid)


@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
def test_only_shares_of_weight_matter_to_a_fixed_penalty(shape):
    X, y = planted(*shape)
    w = np.random.default_rng(0).uniform(0.1, 2, len(y))
    same(Lasso(0.1).fit(X, y, 1e-6 * w), Lasso(0.1).fit(X, y, w))


@pytest.mark.parametrize("kind", [*KINDS, sparse.csc_matrix, np.asfortranarray, pd.DataFrame, np.ndarray.tolist])
@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
@pytest.mark.parametrize("has_intercept", [True, False])
def test_every_storage_gives_the_same(kind, shape, has_intercept):
    X, y = planted(*shape)
    X[X < 0.3] = 0
    w = np.random.default_rng(0).uniform(0.1, 2, len(y))
    model = Lasso("bic", grid=20, fit_intercept=has_intercept).fit(X, y, w)
    found = Lasso("bic", grid=20, fit_intercept=has_intercept).fit(kind(X), y, w)
    same(found, model)
    np.testing.assert_allclose(found.predict(kind(X)), model.predict(X), atol=1e-8)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
@pytest.mark.parametrize("rule", [0.1, "bic", "aic", "ebic"])
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GridEndWarning")
def test_moments_are_all_it_needs(rule, shape, options):
    X, y = planted(*shape)
    w = np.random.default_rng(0).uniform(0.1, 2, len(y))
    model = Lasso(rule, grid=20, **options).fit(X, y, w)
    parts = [Moments.from_data(X[i::3], y[i::3], w[i::3]) for i in range(3)]
    for moments in (Moments.from_data(X, y, w), sum(parts), parts):
        found = Lasso(rule, grid=20, **options).fit_moments(moments)
        same(found, model, 1e-6)
        np.testing.assert_allclose(found.predict(X), model.predict(X), atol=1e-6)


def test_rules_of_fold_moments():
    X, y = planted(83)
    splits = list(KFold(4).split(X))
    folds = [Moments.from_data(pd.DataFrame(X[b], columns=list("abcdefgh")), y[b]) for _, b in splits]
    for rule in ("cv", "1se"):
        found, model = Lasso(rule).fit_moments(folds), Lasso(rule, cv=KFold(4)).fit(X, y)
        np.testing.assert_allclose(found.selection_.score, model.selection_.score, rtol=1e-9)
        np.testing.assert_allclose(found.selection_.standard_error, model.selection_.standard_error, rtol=1e-9)
        assert found.alpha_ == pytest.approx(model.alpha_)
        assert found.get_feature_names_out().tolist() == [c for c, on in zip("abcdefgh", model.support_) if on]
    with pytest.raises(RuleError, match="at least two"):
        Lasso("cv").fit_moments(folds[0])
    for rule, scoring in (("loo", None), ("holdout", None), ("cv", "r2")):
        with pytest.raises(RuleError, match="requires the rows"):
            Lasso(rule, scoring=scoring).fit_moments(folds)
    with pytest.raises(ValueError, match="at least one Moments"):
        Lasso(0.1).fit_moments([])


def test_names_of_an_earlier_fit_do_not_stay():
    X, y = planted()
    model = Lasso(0.1).fit(pd.DataFrame(X, columns=list("abcdefgh")), y)
    model.fit_moments(Moments.from_data(X, y))
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(300, 20), (40, 200)])
@pytest.mark.parametrize("rule", ["bic", "cv"])
def test_threads_do_not_change_the_result(kind, shape, rule):
    X, y = planted(*shape)
    one, two = (Lasso(rule, n_jobs=n).fit(kind(X), y) for n in (1, 2))
    np.testing.assert_array_equal(one.path_.coef, two.path_.coef)
    np.testing.assert_array_equal(one.selection_.score, two.selection_.score)
    assert one.intercept_ == two.intercept_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(80, 8), (20, 60)])
def test_float32_is_near_float64(kind, shape):
    X, y = planted(*shape)
    X = X.astype(np.float32)
    same(Lasso("cv").fit(kind(X), y), Lasso("cv").fit(X.astype(float), y), 1e-5)


def test_scikit_learn_finds_the_same():
    """Same objective, tight tolerance on both sides, columns in general position."""
    w = np.random.default_rng(0).uniform(0.1, 2, 80)
    for shape in ((80, 8), (80, 100)):
        X, y = planted(*shape)
        for weight in (None, w):
            for options in OPTIONS:
                peer = ElasticNet(alpha=0.1, tol=1e-12, max_iter=100_000, **{"l1_ratio": 1.0, **options})
                peer.fit(X, y, weight)
                model = Lasso(0.1, **options).fit(X, y, weight)
                np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-6)
                assert model.intercept_ == pytest.approx(peer.intercept_, abs=1e-6)
                assert model.score(X, y, weight) == pytest.approx(peer.score(X, y, weight))


# Rules


def literal_errors(X, y, splits, grid, weight=None, metric=None, **options):
    """Scores (folds, points) by one fit for each fold and penalty."""
    out = np.empty((len(splits), len(grid)))
    for k, (a, b) in enumerate(splits):
        for p, alpha in enumerate(grid):
            model = Lasso(float(alpha), **options).fit(X[a], y[a], None if weight is None else weight[a])
            w = None if weight is None else weight[b]
            if metric is None:
                out[k, p] = np.average((model.predict(X[b]) - y[b]) ** 2, weights=w)
            else:
                out[k, p] = metric(y[b], model.predict(X[b]), sample_weight=w)
    return out


GRID = np.geomspace(3, 0.01, 8)
SPLITTERS = {
    "blocks": KFold(4),
    "unequal": KFold(7),
    "shuffled": KFold(3, shuffle=True, random_state=5),
    "overlapping": ShuffleSplit(4, test_size=0.3, random_state=1),
    "leaving rows out": ShuffleSplit(3, train_size=0.5, test_size=0.2, random_state=1),
    "forward": TimeSeriesSplit(3),
    "named": PredefinedSplit(np.r_[np.full(10, -1), np.arange(43) % 3]),
    "one fold": ShuffleSplit(1, random_state=0),
}


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
@pytest.mark.parametrize("kind", KINDS)
def test_cv_is_the_mean_over_literal_refits(kind, shape, splitter):
    X, y = planted(*shape)
    cv = SPLITTERS[splitter]
    selection = Lasso("cv", grid=GRID, cv=cv).fit(kind(X), y).selection_
    errors = literal_errors(X, y, list(cv.split(X)), GRID)
    np.testing.assert_allclose(selection.score, errors.mean(axis=0), rtol=1e-6)
    if len(errors) > 1:
        spread = errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
        np.testing.assert_allclose(selection.standard_error, spread, rtol=1e-5)
        one = Lasso("1se", grid=GRID, cv=cv).fit(kind(X), y).selection_
        best = errors.mean(axis=0).argmin()
        within = errors.mean(axis=0) <= errors.mean(axis=0)[best] + spread[best]
        assert (selection.index, one.index) == (best, np.flatnonzero(within)[0])
        assert (selection.measure, selection.greater_is_better) == ("squared_error", False)


@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
def test_cv_with_weights(shape):
    X, y = planted(*shape)
    w = np.random.default_rng(0).integers(0, 3, 53).astype(float)
    selection = Lasso("cv", grid=GRID, cv=KFold(4)).fit(X, y, w).selection_
    errors = literal_errors(X, y, list(KFold(4).split(X)), GRID, w)
    np.testing.assert_allclose(selection.score, errors.mean(axis=0), rtol=1e-6)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
def test_cv_of_every_kind_of_penalty(shape, options):
    X, y = planted(*shape)
    options = {**options, "penalty_factors": np.r_[0, np.linspace(0.5, 2, shape[1] - 2), np.inf]}
    selection = Lasso("cv", grid=GRID, cv=KFold(3), **options).fit(X, y).selection_
    errors = literal_errors(X, y, list(KFold(3).split(X)), GRID, **options)
    np.testing.assert_allclose(selection.score, errors.mean(axis=0), rtol=1e-6)


@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
def test_training_rows_drawn_with_replacement(shape):
    """Test rows part the data, but the training rows are not simply the others."""
    X, y = planted(*shape)
    rng = np.random.default_rng(0)
    splits = [(rng.choice(a, len(a)), b) for a, b in KFold(3).split(X)]
    selection = Lasso("cv", grid=GRID, cv=splits).fit(X, y).selection_
    np.testing.assert_allclose(selection.score, literal_errors(X, y, splits, GRID).mean(axis=0), rtol=1e-6)


@pytest.mark.parametrize("shape", [(60, 6), (60, 100)])
def test_a_fold_without_weight_is_left_out(shape):
    X, y = planted(*shape)
    w = np.r_[np.zeros(12), np.ones(48)]
    selection = Lasso("cv", grid=GRID, cv=KFold(5)).fit(X, y, w).selection_
    errors = literal_errors(X, y, list(KFold(5).split(X))[1:], GRID, w)
    np.testing.assert_allclose(selection.score, errors.mean(axis=0), rtol=1e-6)


def test_training_rows_without_weight_are_an_error():
    X, y = planted(60)
    with pytest.raises(ValueError, match="weight"):
        Lasso("cv", cv=KFold(2)).fit(X, y, np.r_[np.zeros(30), np.ones(30)])


@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
@pytest.mark.parametrize(
    ("scoring", "metric", "sign"),
    [
        ("neg_mean_absolute_error", mean_absolute_error, -1),
        (make_scorer(mean_absolute_error, greater_is_better=False), mean_absolute_error, -1),
        (lambda model, X, y: -mean_absolute_error(y, model.predict(X)), mean_absolute_error, -1),
    ],
)
def test_cv_with_a_scorer(scoring, metric, sign, shape):
    X, y = planted(*shape)
    model = Lasso("cv", grid=GRID, scoring=scoring, random_state=0).fit(X, y)
    splits = list(KFold(5, shuffle=True, random_state=0).split(X))
    expected = sign * literal_errors(X, y, splits, GRID, metric=metric).mean(axis=0)
    np.testing.assert_allclose(model.selection_.score, expected, rtol=1e-6)
    assert model.selection_.index == expected.argmax()


@pytest.mark.parametrize("shape", [(53, 6), (53, 40)])
def test_holdout_is_one_literal_refit(shape):
    X, y = planted(*shape)
    split = train_test_split(np.arange(53), test_size=0.25, random_state=3)
    selection = Lasso("holdout", grid=GRID, random_state=3).fit(X, y).selection_
    np.testing.assert_allclose(selection.score, literal_errors(X, y, [split], GRID)[0], rtol=1e-6)
    a, b = split
    loss = np.array([(Lasso(float(g)).fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2 for g in GRID])
    np.testing.assert_allclose(selection.standard_error, loss.std(axis=1, ddof=1) / np.sqrt(len(b)), rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.5}, {"fit_intercept": False}])
def test_leave_one_out_is_exact_while_the_features_in_use_stay(options, weighted):
    """Against n literal refits with the penalty against the sum of losses held: exact where signs stay the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X @ [4, -3, 2] + rng.normal(size=30)
    w = rng.uniform(0.5, 2, 30) if weighted else np.ones(30)
    grid = np.array([0.5, 0.1, 0.01])
    selection = Lasso("loo", grid=grid, **options).fit(X, y, w).selection_
    for p, alpha in enumerate(grid):
        at = np.empty(30)
        for i in range(30):
            rest = np.arange(30) != i
            refit = Lasso(alpha * w.sum() / w[rest].sum(), **options).fit(X[rest], y[rest], w[rest])
            at[i] = refit.predict(X[i : i + 1])[0]
        assert selection.score[p] == pytest.approx(np.average((y - at) ** 2, weights=w), rel=1e-9)


def test_leave_one_out_is_near_literal_refits():
    X, y = planted(40, 6)
    selection = Lasso("loo", grid=GRID).fit(X, y).selection_
    splits = [(np.delete(np.arange(40), i), [i]) for i in range(40)]
    errors = literal_errors(X, y, splits, GRID).mean(axis=0)
    np.testing.assert_allclose(selection.score, errors, rtol=0.15)
    assert errors[selection.index] <= 1.05 * errors.min()
    assert "approximate" in selection.note


@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_with_a_scorer(weighted):
    X, y = planted(40, 6)
    w = np.random.default_rng(0).uniform(0.5, 2, 40) if weighted else None
    plain = Lasso("loo", grid=GRID).fit(X, y, w).selection_
    scored = Lasso("loo", grid=GRID, scoring="neg_mean_squared_error").fit(X, y, w).selection_
    np.testing.assert_allclose(scored.score, -plain.score)
    assert (scored.index, scored.note) == (plain.index, plain.note)


@pytest.mark.parametrize("rule", RULES)
def test_one_row_is_enough_or_the_message_says_that_it_is_not(rule):
    if rule in ("bic", "aic", "ebic"):
        assert Lasso(rule).fit([[1.0, 2.0]], [3.0]).predict([[5.0, 5.0]]) == 3
    else:
        with pytest.raises(ValueError, match=r"row|sample"):
            Lasso(rule).fit([[1.0, 2.0]], [3.0])


@pytest.mark.parametrize("rule", ["loo", "bic", "aic", "ebic"])
def test_a_model_that_fits_every_row_is_not_chosen(rule):
    """29 coefficients for 30 rows leave no residual, and say nothing of other rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 60)), rng.normal(size=30)
    model = Lasso(rule, grid=[1.0, 0.5, 0.25, 1e-7, 0.0]).fit(X, y)
    assert model.path_.n_features[-1] == 29
    assert model.support_.sum() < 15
    assert_valid(model.selection_.plot())


@pytest.mark.parametrize("shape", [(60, 8), (30, 50)])
@pytest.mark.parametrize("weighted", [False, True])
def test_criteria_are_their_formulas(shape, weighted):
    """The variance and the intercept are parameters too."""
    X, y = planted(*shape)
    w = np.random.default_rng(0).integers(1, 4, len(y)) if weighted else np.ones(len(y))
    n, d, grid = w.sum(), shape[1], [2.0, 0.5, 0.2]
    for rule in ("aic", "bic", "ebic"):
        model = Lasso(rule, grid=grid).fit(X, y, w)
        for p, alpha in enumerate(grid):
            coef, intercept = model.path_.coef[p], model.path_.intercept[p]
            variance = np.average((y - X @ coef - intercept) ** 2, weights=w)
            likelihood = -0.5 * w @ (np.log(2 * np.pi * variance) + (y - X @ coef - intercept) ** 2 / variance)
            k = (coef != 0).sum()
            corrected = bool(model.path_.n_features.max() + 2 > n / 2)
            expected = {
                "aic": aic(likelihood, k + 2, n, corrected=corrected),
                "bic": bic(likelihood, k + 2, n, corrected=corrected),
                "ebic": ebic(likelihood, k + 2, n, k, d, corrected=corrected),
            }[rule]
            assert model.selection_.score[p] == pytest.approx(expected, rel=1e-9), alpha
        assert model.selection_.index == model.selection_.score.argmin()


def test_degrees_of_freedom():
    X, y = planted()
    path = Lasso("bic", grid=30).fit(X, y).path_
    np.testing.assert_array_equal(path.degrees_of_freedom, (path.coef != 0).sum(axis=1))
    path = Lasso("bic", grid=30, l1_ratio=0.3).fit(X, y).path_
    for p, alpha in enumerate(path.grid):
        A = (X - X.mean(axis=0))[:, path.coef[p] != 0]
        hat = A @ np.linalg.solve(A.T @ A + len(y) * alpha * 0.7 * np.eye(A.shape[1]), A.T)
        assert path.degrees_of_freedom[p] == pytest.approx(np.trace(hat), abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(40, 5), (20, 50)])
def test_the_model_is_the_chosen_point(rule, kind, shape):
    X, y = planted(*shape)
    model = Lasso(rule, grid=15, random_state=0).fit(kind(X), y)
    selection, path = model.selection_, model.path_
    assert (selection.rule, selection.knob, selection.value) == (rule, "alpha", model.alpha_)
    np.testing.assert_array_equal(model.coef_, path.coef[selection.index])
    assert model.intercept_ == path.intercept[selection.index]
    assert model.dual_gap_ == path.dual_gap[selection.index]
    np.testing.assert_array_equal(selection.n_features, (path.coef != 0).sum(axis=1))
    np.testing.assert_allclose(path.l1_norm, np.abs(path.coef).sum(axis=1))
    fixed = Lasso(model.alpha_).fit(kind(X), y)
    np.testing.assert_allclose(fixed.coef_, model.coef_, atol=1e-8)
    assert fixed.selection_.rule == "fixed"


@pytest.mark.parametrize("rule", [0.1, *RULES])
def test_charts_of_every_rule_are_valid(rule):
    assert_valid(Lasso(rule, grid=10, random_state=0).fit(*planted()).selection_.plot())


def test_rows_are_not_kept():
    X, y = planted(5000, 10)
    model = Lasso("bic").fit(X, y)
    assert len(pickle.dumps(model)) < 60_000
    for path in (model.path_, pickle.loads(pickle.dumps(model)).path_):
        with pytest.raises(ValueError, match="training rows"):
            path.loo()


# Selecting, names and messages


def test_it_selects():
    X, y = planted()
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = Lasso(0.5).fit(frame, y)
    np.testing.assert_array_equal(model.support_, model.coef_ != 0)
    np.testing.assert_array_equal(model.get_support(indices=True), np.flatnonzero(model.coef_))
    np.testing.assert_array_equal(model.transform(frame), X[:, model.support_])
    assert model.get_feature_names_out().tolist() == [c for c, on in zip("abcdefgh", model.support_) if on]
    assert list(model.set_output(transform="pandas").transform(frame)) == list(model.get_feature_names_out())
    assert list(model.path_.names) == list("abcdefgh")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("hgfedcba")])


def test_pickle_and_clone():
    X, y = planted()
    model = Lasso("cv", cv=3, l1_ratio=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.path_.coef, model.path_.coef)
    assert_valid(again.path_.plot())
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "coef_")
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number >= 0 or a rule, got -1"),
        ({"alpha": np.nan}, "alpha must be"),
        ({"alpha": np.inf}, "alpha must be"),
        ({"alpha": None}, "alpha must be"),
        ({"alpha": True}, "alpha must be"),
        ({"alpha": "mdl"}, "'cv', '1se', 'holdout', 'loo', 'bic', 'aic', 'ebic'"),
        ({"l1_ratio": 0}, r"l1_ratio must be in \(0, 1\], got 0; use Ridge"),
        ({"l1_ratio": 1.5}, "l1_ratio must be"),
        ({"tol": 0}, "tol must be positive"),
        ({"grid": 0}, "grid must be"),
        ({"grid": 2.5}, "grid must be"),
        ({"grid": []}, "grid must be"),
        ({"grid": [1, np.nan]}, "grid must be"),
        ({"grid": [1, -1]}, "grid must be"),
        ({"grid_ratio": 2}, "grid_ratio must be between 0 and 1"),
        ({"penalty_factors": [1, 1]}, "one factor per column, got"),
        ({"penalty_factors": [-1] * 8}, "penalty_factors must be"),
        ({"penalty_factors": [np.nan] * 8}, "penalty_factors must be"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_parameters_are_told(options, message):
    X, y = planted()
    model = Lasso(**options)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_wrong_tables_are_told_by_column_row_and_remedy():
    X, y = planted(5, 2)
    for make in (pd.DataFrame, pl.DataFrame):
        X[3, 1] = np.inf
        with pytest.raises(ValueError, match=r"infinity: column 'b', row 3.*replace it"):
            Lasso().fit(make({"a": X[:, 0], "b": X[:, 1]}), y)
        X[3, 1] = 0.0
        frame = make({"a": X[:, 0], "b": X[:, 1]})
        with pytest.raises(ValueError, match="column 'b' contains text such as 'red', but was numeric in training"):
            Lasso(0.1).fit(frame, y).predict(make({"a": X[:, 0], "b": ["red", "blue", "red", "green", "red"]}))
    model = Lasso(0.1).fit(sparse.csr_array(np.eye(5)), y)
    with pytest.raises(ValueError, match=r"NaN: column 'x2', row 0.*impute"):
        model.predict(np.array([[0, 0, np.nan, 0, 0]]))
    with pytest.raises(ValueError, match="5 features"):
        model.predict(np.eye(4))


# Charts


def assert_valid(chart):
    return json.loads(json.dumps(chart.to_dict(), allow_nan=False))


class Scripts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


def tags(chart):
    page, parser = io.StringIO(), Scripts()
    chart.save(page, format="html")
    parser.feed(page.getvalue())
    return parser.tags


def charts(names):
    X, y = planted()
    frame = pd.DataFrame(X, columns=names)
    model = Lasso("cv", grid=10).fit(frame, y)
    return {
        "alpha": model.path_.plot("alpha"),
        "l1_norm": model.path_.plot("l1_norm"),
        "selection": model.selection_.plot(),
        "shrinkage": model.plot_shrinkage(frame, y),
    }


@pytest.mark.parametrize("which", ["alpha", "l1_norm", "selection", "shrinkage"])
def test_charts_can_be_saved(which, tmp_path):
    chart = charts(list("abcdefgh"))[which]
    assert_valid(chart)
    for kind, start in (("html", b"<!DOCTYPE html>"), ("svg", b"<svg"), ("png", b"\x89PNG")):
        chart.save(tmp_path / f"chart.{kind}")
        assert (tmp_path / f"chart.{kind}").read_bytes().startswith(start)


@pytest.mark.parametrize("which", ["alpha", "l1_norm", "selection", "shrinkage"])
def test_charts_survive_hostile_names(which):
    hostile, plain = charts(HOSTILE)[which], charts(list("abcdefgh"))[which]
    assert_valid(hostile)
    svg = io.StringIO()
    hostile.save(svg, format="svg")
    assert "<script" not in svg.getvalue()
    assert tags(hostile) == tags(plain)


def test_lines_are_the_coefficients():
    X, y = planted()
    model = Lasso("cv", grid=10).fit(pd.DataFrame(X, columns=HOSTILE), y)
    for x in ("alpha", "l1_norm"):
        spec = assert_valid(model.path_.plot(x))
        rows = next(d for layer in spec["layer"] if (d := layer["data"]["values"]) and "feature" in d[0])
        found = {(r["feature"], r["alpha"]): r["coefficient"] for r in rows}
        expected = {
            (chart_text(name), alpha): model.path_.coef[p, j]
            for j, name in enumerate(HOSTILE)
            for p, alpha in enumerate(model.path_.grid)
            if model.path_.coef[:, j].any()
        }
        assert found == expected
    with pytest.raises(ValueError, match='"alpha" or "l1_norm"'):
        model.path_.plot("penalty")


def test_shrinkage_is_against_least_squares():
    X, y = planted()
    model = Lasso(0.3).fit(X, y)
    free = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    spec = assert_valid(model.plot_shrinkage(sparse.csr_array(X), y))
    rows = next(d for layer in spec["layer"] if "feature" in (d := layer["data"]["values"])[0])
    np.testing.assert_allclose([r["least squares"] for r in rows], free)
    np.testing.assert_allclose([r["penalized"] for r in rows], model.coef_)


def test_many_lines_are_thinned_and_the_title_says_so():
    X, y = planted(100, 90, noise=5)
    chart = Lasso("bic", grid=15, grid_ratio=1e-4).fit(X, y).path_.plot()
    assert "the 60 with the largest coefficients are shown" in assert_valid(chart)["title"]


def test_the_path_as_a_table():
    X, y = planted()
    path = Lasso("bic", grid=5).fit(X, y).path_
    frame = path.to_frame()
    for name in ("alpha", "n_features", "l1_norm", "mean_squared_error", "dual_gap"):
        np.testing.assert_array_equal(frame[name], path.grid if name == "alpha" else getattr(path, name))


# Ctrl-C


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("rule", ["'bic'", "'cv'"])
def test_ctrl_c_stops_a_long_path(rule):
    script = f"""
    import os, signal, threading, time
    import numpy as np
    from vitalfew import Lasso

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6000))
    y = rng.normal(size=1500)
    pressed = []

    def press():
        time.sleep(1.0)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        while True:
            Lasso({rule}, grid_ratio=1e-4, grid=200, n_jobs=2).fit(X, y)
    except KeyboardInterrupt:
        print("stopped", time.monotonic() - pressed[0])
    print(Lasso(0.1).fit(X[:50, :5], y[:50]).n_features_in_)
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120)
    lines = found.stdout.split()
    assert lines[::2] == ["stopped", "5"], found.stderr
    assert float(lines[1]) < 5  # about a second, on a machine that is not busy
