"""`ForwardFittingRegressor` against the formulas, line by line."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import subset_oracles as oracles
from planted import two_of_ten as planted
from strategies import regressions
from vitalfew import ForwardFittingRegressor, GreedySubsetRegressor, Lasso, Moments
from vitalfew.exceptions import RuleError
from vitalfew.families.subsets.fitting_path import Steps

KINDS = [np.asfortranarray, np.ascontiguousarray, sparse.csc_array]


@given(
    regressions(min_rows=3, max_rows=20, max_features=6),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1.0, 0.5, 0.1]),
    st.sampled_from(KINDS),
)
def test_steps_are_the_formulas(problem, is_myopic, has_intercept, rate, kind):
    X, y, weight = problem.X, problem.y, problem.weight
    options = {"myopic": is_myopic, "learning_rate": rate, "fit_intercept": has_intercept}
    path = ForwardFittingRegressor(8, **options).fit(kind(X), y, weight).path_
    table = path.to_frame()
    scale = 0.5 * (np.ones(len(y)) if weight is None else weight) @ y**2
    residual_square = None
    lines = oracles.forward_fitting(X, y, 8, weight, has_intercept, rate, is_myopic)
    for (j, change, J), line in zip(lines, table.itertuples(index=False)):
        # Where two features are equally good but for rounding, either may come, and all that follows differs.
        if str(path.names[j]) != line.feature:
            assert pytest.approx(line.J, rel=1e-6, abs=1e-9 * scale) == J
            return
        assert line.change == pytest.approx(change, rel=1e-6, abs=1e-9 * (1 + abs(change)))
        assert pytest.approx(J, rel=1e-6, abs=1e-9 * scale) == line.J
        residual_square = J
    # It ends early only where nothing is left to gain.
    if len(table) < 8 and residual_square is not None:
        assert lines[-1][2] == pytest.approx(residual_square, rel=1e-6, abs=1e-9 * scale)


def test_the_table_of_the_lecture():
    """One-dimensional polynomial: iteration, degree, coefficient, J; the constant is a feature."""
    x = np.linspace(-1, 1, 10)
    y = 1 - 0.6 * x - 0.4 * x**2 + 0.1 * np.sin(20 * x)
    powers = pd.DataFrame({f"degree {p}": x**p for p in range(5)})
    for is_myopic in (False, True):
        model = ForwardFittingRegressor(10, myopic=is_myopic, fit_intercept=False).fit(powers, y)
        table = model.path_.to_frame()
        assert table.columns.tolist() == ["iteration", "feature", "change", "J"]
        assert table["feature"][0] == "degree 0"
        assert table["iteration"].tolist() == list(range(1, 11))
        assert (np.diff(table["J"]) < 0).all()
        assert table["feature"].nunique() < 10  # features come again
        np.testing.assert_allclose(table["J"].iloc[-1], 0.5 * np.sum((y - model.predict(powers)) ** 2))


def test_myopic_differs_by_the_norm_of_columns():
    X, y = planted()
    scaled = X * np.array([1, 0.01, *[1] * 8])
    assert ForwardFittingRegressor(1).fit(scaled, y).support_[1]
    assert not ForwardFittingRegressor(1, myopic=True).fit(scaled, y).support_[1]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    a, b = (ForwardFittingRegressor(20, myopic=m).fit(standard, y) for m in (False, True))
    np.testing.assert_allclose(a.path_.coef, b.path_.coef, atol=1e-9)


def test_many_small_steps_come_close_to_the_lasso():
    X, y = planted()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    path = ForwardFittingRegressor(3000, learning_rate=0.01).fit(X, y).path_
    lasso = Lasso("bic", grid_ratio=1e-4).fit(X, y).path_
    for target in (0.5, 1.5, 2.5, 3.2):
        step, point = np.argmin(np.abs(path.l1_norm - target)), np.argmin(np.abs(lasso.l1_norm - target))
        assert path.mean_squared_error[step] == pytest.approx(lasso.mean_squared_error[point], rel=0.05)


def test_many_steps_end_at_least_squares():
    X, y = planted()
    model = ForwardFittingRegressor(5000).fit(X, y)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), y, rcond=None)[0]
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), expected, atol=1e-8)


@pytest.mark.parametrize("rule", ["cv", "1se", "bic", "aic", "ebic", "holdout"])
def test_rules_choose(rule):
    X, y = planted()
    model = ForwardFittingRegressor(rule, max_steps=60, learning_rate=0.5, random_state=0).fit(X, y)
    assert model.support_[[1, 5]].all()
    assert model.steps_ == model.path_.grid[model.selection_.index]
    np.testing.assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_)
    assert "steps" in model.selection_.plot().to_json()


@given(regressions(min_rows=4, max_rows=20, max_features=6, is_sound=True), st.booleans())
def test_moments_are_enough(problem, is_myopic):
    X, y, weight = problem.X, problem.y, problem.weight
    model = ForwardFittingRegressor(6, myopic=is_myopic)
    rows = model.fit(X, y, weight).path_
    moments = model.fit_moments(Moments.from_data(X, y, weight)).path_
    np.testing.assert_allclose(moments.mean_squared_error, rows.mean_squared_error, rtol=1e-6, atol=1e-8)


def test_folds_by_subtraction_are_folds_by_rows():
    X, y = planted(200, 10)
    splits = [(np.setdiff1d(np.arange(200), np.arange(i, 200, 5)), np.arange(i, 200, 5)) for i in range(5)]
    a = ForwardFittingRegressor("cv", cv=splits, max_steps=30).fit(X, y)
    b = ForwardFittingRegressor("cv", cv=splits, max_steps=30, scoring="neg_mean_squared_error").fit(X, y)
    np.testing.assert_allclose(a.selection_.score, -b.selection_.score, rtol=1e-8)


def test_steps_end_where_nothing_is_left():
    X = planted(20, 9)[0][:, :3]
    model = ForwardFittingRegressor(50).fit(X[:, :1], X[:, 0] * 3 + 1)
    assert model.steps_ == 1
    assert ForwardFittingRegressor(5).fit(X, np.full(20, 2.0)).steps_ == 0
    assert ForwardFittingRegressor(5).fit(np.ones((20, 2)), X[:, 0]).steps_ == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": -1}, "steps must be an integer number of steps or a rule, got -1"),
        ({"steps": "loo"}, "steps='loo' is not supported by this model"),
        ({"learning_rate": 0}, r"learning_rate must be in \(0, 1\], got 0"),
        ({"learning_rate": 1.5}, r"learning_rate must be in \(0, 1\]"),
        ({"max_steps": 0}, "max_steps must be an integer number of steps, got 0"),
    ],
)
def test_bad_arguments(options, message):
    X, y = planted()
    with pytest.raises((ValueError, RuleError), match=message):
        ForwardFittingRegressor(**{"steps": 2, **options}).fit(X, y)


@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SmallerModelWarning")
@pytest.mark.parametrize("make", [ForwardFittingRegressor, GreedySubsetRegressor])
@pytest.mark.parametrize("value", [3.0, 0.1, -7.0, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_column_has_no_coefficient(make, value, kind):
    """A sparse column that stores every row has a variance of zero, although its weights sum to 1 only roughly."""
    rng = np.random.default_rng(0)
    for n in range(6, 60):
        X = np.full((n, 1), value)
        assert make(1).fit(kind(X), rng.normal(size=n)).coef_.tolist() == [0]


@pytest.mark.parametrize("has_intercept", [True, False])
def test_many_steps_take_no_table_of_coefficients(monkeypatch, has_intercept):
    """After a deadline, a table of a million steps would take longer than the steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) + 3
    y = X @ [1.0, -2, 0, 3, 0] + rng.normal(size=40)
    whole = Steps.coefficients

    def narrow(steps, sizes):
        assert len(sizes) == 1, "the coefficients of all steps"
        return whole(steps, sizes)

    with monkeypatch.context() as patch:
        patch.setattr(Steps, "coefficients", narrow)
        model = ForwardFittingRegressor(300, learning_rate=0.1, fit_intercept=has_intercept).fit(X, y)
        n_features = model.path_.n_features
    coef = model.path_.coef
    np.testing.assert_array_equal(n_features, np.count_nonzero(coef, axis=1))
    np.testing.assert_array_equal(model.coef_, coef[-1])
    expected = y.mean() - coef @ X.mean(axis=0) if has_intercept else np.zeros(len(coef))
    np.testing.assert_allclose(model.path_.intercept, expected, atol=1e-12)


def test_coefficients_that_return_to_zero_are_not_counted():
    steps = Steps(np.array([2, 0, 2, 0, 2], dtype=np.int32), np.array([1.0, 2, -1, 1, 5]))
    sizes = np.array([0, 1, 2, 3, 4, 5, 9])
    np.testing.assert_array_equal(steps.n_nonzero(sizes), np.count_nonzero(steps.coefficients(sizes), axis=1))
    for size in sizes:
        np.testing.assert_array_equal(steps.coefficients(np.array([size])), steps.coefficients(np.array([size, 0]))[:1])
    nothing = Steps(np.empty(0, dtype=np.int32), np.empty(0))
    assert nothing.n_nonzero(np.array([0, 3])).tolist() == [0, 0]
    assert nothing.coefficients(np.array([3])).shape == (1, 0)
