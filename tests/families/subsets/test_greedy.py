"""`GreedySubsetRegressor` against the naive loop that refits every candidate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import subset_oracles as oracles
from planted import three_of_twelve as planted
from strategies import regressions
from vitalfew import GreedySubsetRegressor, Moments, bic
from vitalfew.exceptions import RuleError, SmallerModelWarning

DIRECTIONS = ["forward", "backward", "both"]
RULES = ["cv", "1se", "loo", "bic", "aic", "ebic", "holdout"]
KINDS = [np.asfortranarray, np.ascontiguousarray, sparse.csc_array]


def variables_at(path, point, variables):
    """The variables of a point of the path."""
    columns = set(path.subset(point).tolist())
    return tuple(g for g, members in enumerate(variables) if columns & set(members))


def assert_fitted(path, X, y, weight=None):
    """Every model is the least-squares fit of its columns."""
    for p in range(len(path.grid)):
        columns = path.subset(p)
        coef, intercept, loss = oracles.fit(X, y, columns, weight, path.has_intercept)
        np.testing.assert_allclose(path.coef[p, columns], coef, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(path.intercept[p], intercept, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(path.mean_squared_error[p], 2 * loss, rtol=1e-7, atol=1e-12)


@given(regressions(is_sound=True, min_rows=12, max_rows=20, max_features=6), st.booleans(), st.sampled_from(KINDS))
def test_forward_is_the_naive_loop(problem, has_intercept, kind):
    X, y, weight = problem.X, problem.y, problem.weight
    k = min(X.shape[1], 4)
    model = GreedySubsetRegressor(k, fit_intercept=has_intercept).fit(kind(X), y, weight)
    variables = oracles.variables_of(None, X.shape[1])
    expected = oracles.greedy_forward(X, y, k, variables, weight=weight, has_intercept=has_intercept)
    assert [variables_at(model.path_, p, variables) for p in range(k + 1)] == expected
    assert_fitted(model.path_, X, y, weight)


@given(regressions(is_sound=True, min_rows=14, max_rows=20, max_features=7), st.booleans())
def test_groups_enter_together(problem, has_intercept):
    X, y, weight = problem.X, problem.y, problem.weight
    group = np.arange(X.shape[1]) // 2
    variables = oracles.variables_of(group, X.shape[1])
    model = GreedySubsetRegressor(len(variables), feature_groups=group, fit_intercept=has_intercept).fit(X, y, weight)
    expected = oracles.greedy_forward(X, y, len(variables), variables, weight=weight, has_intercept=has_intercept)
    assert [variables_at(model.path_, p, variables) for p in range(len(variables) + 1)] == expected
    assert_fitted(model.path_, X, y, weight)


@given(regressions(is_sound=True, min_rows=14, max_rows=20, max_features=6), st.booleans(), st.booleans())
def test_backward_is_the_naive_loop(problem, has_intercept, has_groups):
    X, y, weight = problem.X, problem.y, problem.weight
    group = np.arange(X.shape[1]) // 2 if has_groups else None
    variables = oracles.variables_of(group, X.shape[1])
    options = {"feature_groups": group, "fit_intercept": has_intercept}
    model = GreedySubsetRegressor(len(variables), direction="backward", **options).fit(X, y, weight)
    expected = oracles.greedy_backward(X, y, variables, weight=weight, has_intercept=has_intercept)
    assert [variables_at(model.path_, p, variables) for p in range(len(variables) + 1)] == expected
    assert_fitted(model.path_, X, y, weight)


@given(regressions(is_sound=True, min_rows=14, max_rows=20, max_features=7))
def test_steps_back_never_make_a_size_worse(problem):
    X, y, weight = problem.X, problem.y, problem.weight
    d = X.shape[1]
    forward = GreedySubsetRegressor(d).fit(X, y, weight).path_
    both = GreedySubsetRegressor(d, direction="both").fit(X, y, weight).path_
    best = oracles.best_subsets(X, y, d, weight=weight)
    for k in range(d + 1):
        assert len(both.subset(k)) == k
        assert both.mean_squared_error[k] >= 2 * best[k][0][0] * (1 - 1e-7) - 1e-12
    assert_fitted(both, X, y, weight)
    assert both.mean_squared_error[1:].sum() <= forward.mean_squared_error[1:].sum() * (1 + 1e-6) + 1e-12


def test_steps_back_find_a_pair_that_forward_misses():
    # x2 is nearly x0 + x1, so it comes first; with both others in, it is not needed.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=200)
    y = X[:, 0] + X[:, 1] + 0.01 * rng.normal(size=200)
    assert set(GreedySubsetRegressor(2).fit(X, y).subset_) != {0, 1}
    assert set(GreedySubsetRegressor(3, direction="both").fit(X, y).path_.subset(2)) == {0, 1}


@given(
    regressions(is_sound=True, min_rows=14, max_rows=20, max_features=6),
    st.sampled_from(DIRECTIONS),
)
def test_moments_are_enough(problem, direction):
    X, y, weight = problem.X, problem.y, problem.weight
    model = GreedySubsetRegressor(X.shape[1], direction=direction)
    rows = model.fit(X, y, weight).path_
    moments = model.fit_moments(Moments.from_data(X, y, weight)).path_
    np.testing.assert_allclose(moments.mean_squared_error, rows.mean_squared_error, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(moments.coef, rows.coef, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("rule", RULES)
def test_rules_choose(rule, direction):
    X, y = planted()
    model = GreedySubsetRegressor(rule, direction=direction, random_state=0).fit(X, y)
    assert {1, 5, 8} <= set(model.subset_)
    assert model.k_ == len(model.subset_) == model.path_.grid[model.selection_.index]
    np.testing.assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_)


def test_bic_is_the_formula():
    X, y = planted()
    model = GreedySubsetRegressor("bic").fit(X, y)
    n, mse = len(y), model.path_.mean_squared_error
    log_likelihood = -0.5 * n * (np.log(2 * np.pi * mse) + 1)
    expected = [bic(value, k + 2, n) for k, value in enumerate(log_likelihood)]
    np.testing.assert_allclose(model.selection_.score, expected)


@pytest.mark.parametrize("rule", ["cv", "1se"])
def test_folds_by_subtraction_are_folds_by_rows(rule):
    X, y = planted(200, 10)
    folds = [Moments.from_data(X[i::5], y[i::5]) for i in range(5)]
    splits = [(np.setdiff1d(np.arange(200), np.arange(i, 200, 5)), np.arange(i, 200, 5)) for i in range(5)]
    a, b = GreedySubsetRegressor(rule, cv=splits).fit(X, y), GreedySubsetRegressor(rule).fit_moments(folds)
    np.testing.assert_allclose(a.selection_.score, b.selection_.score, rtol=1e-8)
    alone = GreedySubsetRegressor(rule, cv=splits, scoring="neg_mean_squared_error").fit(X, y)
    np.testing.assert_allclose(-alone.selection_.score, a.selection_.score, rtol=1e-8)


def test_wide_data_and_threads():
    X, y = planted(60, 300)
    models = [GreedySubsetRegressor("cv", n_jobs=n, max_features=10).fit(X, y) for n in (1, 2)]
    np.testing.assert_array_equal(models[0].path_.coef, models[1].path_.coef)
    np.testing.assert_array_equal(models[0].selection_.score, models[1].selection_.score)


def test_single_precision_is_near_double():
    X, y = planted()
    a, b = (GreedySubsetRegressor(4).fit(X.astype(t), y) for t in (np.float64, np.float32))
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-5)


def test_weights_are_repetition():
    X, y = planted(40, 9)
    weight = np.random.default_rng(0).integers(0, 4, 40)
    a = GreedySubsetRegressor("bic").fit(X, y, sample_weight=weight)
    b = GreedySubsetRegressor("bic").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(a.path_.coef, b.path_.coef, atol=1e-9)
    assert a.k_ == b.k_


# What breaks things


def test_copies_and_constants_never_enter_and_the_first_of_equals_wins():
    X, y = planted(50, 9)
    X = X[:, :4]
    X = np.column_stack([np.ones(50), X[:, 1], X, X[:, 1], -3 * X[:, 1], X[:, 0] + X[:, 1]])
    with pytest.warns(SmallerModelWarning, match="k=9 variables were requested, but only 4"):
        model = GreedySubsetRegressor(9).fit(X, y)
    assert model.k_ == 4
    assert 1 in model.subset_
    assert not {0, 3, 6, 7} & set(model.subset_)
    backward = GreedySubsetRegressor("bic", direction="backward").fit(X, y)
    assert len(backward.path_.grid) == 5


@pytest.mark.parametrize("direction", ["forward", "both"])
def test_more_variables_than_rows_can_tell(direction):
    X, y = planted(6, 20)
    with pytest.warns(SmallerModelWarning):
        model = GreedySubsetRegressor(20, direction=direction).fit(X, y)
    assert model.k_ == 5
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)


def test_backward_says_when_rows_are_too_few():
    X, y = planted(6, 20)
    with pytest.raises(ValueError, match="requires more rows than columns, got 6 rows and 20 columns; use direction"):
        GreedySubsetRegressor(2, direction="backward").fit(X, y)


def test_a_constant_target_needs_nothing():
    X = planted(20, 9)[0][:, :3]
    with pytest.warns(SmallerModelWarning):
        model = GreedySubsetRegressor(2).fit(X, np.zeros(20))
    assert model.k_ == 0
    assert not model.coef_.any()
    assert GreedySubsetRegressor("cv").fit(X, np.full(20, 7.0)).intercept_ == pytest.approx(7.0)


def test_no_variables_at_all():
    X, y = planted()
    model = GreedySubsetRegressor(0).fit(X, y)
    assert model.k_ == 0
    assert model.intercept_ == pytest.approx(y.mean())


@pytest.mark.parametrize("power", [-8, 8])
def test_units_do_not_matter(power):
    X, y = planted()
    scale = 10.0 ** (power * np.linspace(0, 1, X.shape[1]))
    a, b = GreedySubsetRegressor(6).fit(X, y), GreedySubsetRegressor(6).fit(X * scale, y)
    np.testing.assert_allclose(a.path_.coef, b.path_.coef * scale, rtol=1e-6, atol=1e-8)


def test_columns_that_are_almost_combinations():
    """The rows keep digits that second moments have lost."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 5))
    X[:, 3] = X[:, 0] - X[:, 1] + 1e-6 * rng.normal(size=100)
    y = 1e6 * (X[:, 3] - X[:, 0] + X[:, 1]) + 0.01 * rng.normal(size=100)
    model = GreedySubsetRegressor(3).fit(np.asfortranarray(X), y)
    _, _, loss = oracles.fit(X, y, model.subset_)
    assert model.path_.mean_squared_error[-1] == pytest.approx(2 * loss, rel=1e-4)


def test_far_from_zero():
    X, y = planted()
    a, b = GreedySubsetRegressor(4).fit(X, y), GreedySubsetRegressor(4).fit(X + 1e6, y + 1e8)
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": -1}, "k must be an integer number of features or a rule, got -1"),
        ({"k": 2.5}, "k must be an integer number"),
        ({"k": "mdl"}, "k='mdl' is not supported by this model; expected a number of features or one of"),
        ({"k": 13}, r"k=13 exceeds the 12 feature\(s\)"),
        ({"direction": "sideways"}, "direction must be one of 'forward', 'backward', 'both', got 'sideways'"),
        ({"max_features": 0.5}, "max_features must be None or an integer number"),
        ({"feature_groups": [["nobody"]]}, "feature_groups contains column 'nobody', which is not in X"),
    ],
)
def test_bad_arguments(options, message):
    X, y = planted()
    with pytest.raises((ValueError, RuleError), match=message):
        GreedySubsetRegressor(**{"k": 2, **options}).fit(X, y)


# What people see


def test_names_in_the_table_and_the_chart():
    X, y = planted()
    frame = pd.DataFrame(X, columns=[f"<b>{j}</b>" for j in range(12)])
    model = GreedySubsetRegressor(3).fit(frame, y)
    table = model.path_.to_frame()
    assert table["k"].tolist() == [0, 1, 2, 3]
    assert set(table["enters"]) == {"", "<b>1</b>", "<b>5</b>", "<b>8</b>"}
    assert list(model.get_feature_names_out()) == ["<b>1</b>", "<b>5</b>", "<b>8</b>"]
    assert "variables k" in model.path_.plot().to_json()
    assert '"k = 3"' in model.selection_.plot().to_json()
    assert "Shrinkage at k = 3" in model.plot_shrinkage(frame, y).to_json()
