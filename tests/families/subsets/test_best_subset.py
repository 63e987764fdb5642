"""`BestSubsetRegressor` against all subsets, and its certificates against a bound of another kind."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import subset_oracles as oracles
from strategies import SEEDS, regressions
from vitalfew import BestSubsetRegressor, GreedySubsetRegressor, Moments
from vitalfew.exceptions import SmallerModelWarning


def correlated(n, d, k, rho, seed=0, noise=0.6):
    """Neighbors are alike, k columns count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    true = np.sort(rng.choice(d, k, replace=False))
    signal = X[:, true] @ (rng.choice([-1, 1], k) * rng.uniform(0.2, 1, k))
    return X, signal + noise * signal.std() * rng.normal(size=n), true


@given(regressions(min_rows=12, max_rows=20, max_features=8, is_sound=True), st.booleans())
def test_every_size_is_the_best_of_all_subsets(problem, has_intercept):
    X, y, weight = problem.X, problem.y, problem.weight
    d = X.shape[1]
    model = BestSubsetRegressor(d, fit_intercept=has_intercept, near_ties=0.0).fit(X, y, weight)
    expected = oracles.best_subsets(X, y, d, weight=weight, has_intercept=has_intercept)
    for k in range(d + 1):
        loss, subset = expected[k][0]
        np.testing.assert_allclose(model.path_.mean_squared_error[k], 2 * loss, rtol=1e-6, atol=1e-10)
        if len(expected[k]) > 1 and expected[k][1][0] > loss * (1 + 1e-6) + 1e-10:
            assert tuple(model.path_.subset(k)) == subset
    assert (model.path_.gap == 0).all()
    assert model.certified_


@given(SEEDS, st.sampled_from([0.0, 0.5, 0.9]), st.integers(1, 4), st.sampled_from([0.01, 0.1, 0.5]))
def test_near_ties_are_all_subsets_that_near(seed, rho, k, distance):
    X, y, _ = correlated(40, 8, 3, rho, seed, noise=1.0)
    model = BestSubsetRegressor(k, near_ties=distance).fit(X, y)
    ordered = oracles.best_subsets(X, y, k)[k]
    best = ordered[0][0]
    certain = {subset for loss, subset in ordered if loss <= best * (1 + distance) * (1 - 1e-8)}
    possible = {subset for loss, subset in ordered if loss <= best * (1 + distance) * (1 + 1e-8)}
    listed = set(model.near_ties_["columns"])
    assert certain <= listed <= possible
    assert model.near_ties_complete_
    assert model.near_ties_["above_best"].is_monotonic_increasing
    assert tuple(model.subset_) == model.near_ties_["columns"].iloc[0]


@pytest.mark.parametrize("noise", [1.0, 0.1, 1e-3, 1e-5, 1e-7, 0.0])
@pytest.mark.parametrize("distance", [1e-7, 0.01])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_duplicated_column_ties_exactly(noise, distance, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))[:, [0, 1, 2, 0]]
    weight = rng.uniform(0.5, 2, size=30) if weighted else None
    y = X[:, 0] + X[:, 1] + noise * rng.normal(size=30)
    model = BestSubsetRegressor(2, near_ties=distance).fit(X, y, weight)
    assert model.subset_.tolist() == [0, 1]
    assert list(model.near_ties_["columns"]) == [(0, 1), (1, 3)]
    np.testing.assert_allclose(model.near_ties_["above_best"], 0, atol=1e-12)
    assert model.near_ties_complete_
    assert model.certified_


@pytest.mark.parametrize("noise", [1.0, 0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("seed", [1002, 1010, 1017, 1018, 1019, 1021, 1029])
def test_dependent_columns_explain_nothing_more(seed, noise):
    """A multiple, a copy and a sum of columns: sets that hold them have fewer dimensions than columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 5))
    X = np.column_stack([X, -2 * X[:, 0], X[:, 1], X[:, 2] + X[:, 3]])
    y = X[:, 0] + X[:, 1] + X[:, 2] + noise * rng.normal(size=40)
    model = BestSubsetRegressor(3).fit(X, y)
    C, residual = X - X.mean(axis=0), y - y.mean()
    best = min(
        np.mean((residual - C[:, s] @ np.linalg.lstsq(C[:, s], residual, rcond=1e-10)[0]) ** 2)
        for s in map(list, itertools.combinations(range(8), 3))
    )
    assert np.mean((model.predict(X) - y) ** 2) == pytest.approx(best, rel=1e-6)
    assert model.certified_


@pytest.mark.parametrize("noise", [1e-2, 1e-5])
def test_a_combination_of_columns_ties_exactly(noise):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 6))
    X[:, 5] = X[:, 0] + X[:, 1]
    y = X[:, 0] - 2 * X[:, 1] + X[:, 2] + noise * rng.normal(size=60)
    model = BestSubsetRegressor(3, near_ties=1e-9).fit(X, y)
    assert list(model.near_ties_["columns"]) == [(0, 1, 2), (0, 2, 5), (1, 2, 5)]
    assert model.near_ties_complete_


def test_a_tiny_effect_is_found_under_tinier_noise():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 8))
    y = X[:, 6] + X[:, 7] + 1e-7 * X[:, 5] + 1e-9 * rng.normal(size=50)
    model = BestSubsetRegressor(3).fit(X, y)
    assert model.subset_.tolist() == [5, 6, 7]
    columns = np.column_stack([np.ones(50), X[:, 5:]])
    squares = np.linalg.lstsq(columns, (y - X[:, 6]) - X[:, 7])[1]
    np.testing.assert_allclose(model.path_.mean_squared_error[3], squares[0] / 50, rtol=1e-6)
    np.testing.assert_allclose(model.coef_[5], 1e-7, rtol=0.1)
    assert list(model.near_ties_["columns"]) == [(5, 6, 7)]


def test_near_ties_that_are_cut_off_are_not_complete():
    X = np.random.default_rng(3).normal(size=(30, 2))[:, [0, 1, 0, 1]]
    y = X[:, 0] + X[:, 1] + np.arange(30) % 3
    all_four = BestSubsetRegressor(2, max_ties=4).fit(X, y)
    assert len(all_four.near_ties_) == 4
    assert all_four.near_ties_complete_
    three = BestSubsetRegressor(2, max_ties=3).fit(X, y)
    assert len(three.near_ties_) == 3
    assert not three.near_ties_complete_


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_larger_problems_by_exhaustion(rho):
    X, y, _ = correlated(100, 18, 5, rho, seed=3)
    model = BestSubsetRegressor(5, near_ties=0.0).fit(X, y)
    G, c = np.cov(np.column_stack([X, y]).T)[:-1, :-1], np.cov(np.column_stack([X, y]).T)[:-1, -1]
    explained = {
        s: c[list(s)] @ np.linalg.solve(G[np.ix_(s, s)], c[list(s)]) for s in itertools.combinations(range(18), 5)
    }
    assert tuple(model.subset_) == max(explained, key=explained.get)
    assert model.certified_


def test_certificate_agrees_with_leaps_and_bounds():
    """An independent proof: a subset without some column loses at least what all others together lose."""
    X, y, _ = correlated(200, 30, 4, 0.5, seed=5, noise=0.2)
    model = BestSubsetRegressor(4, near_ties=0.0).fit(X, y)
    assert model.certified_
    best = model.path_.mean_squared_error[-1]
    without = [2 * oracles.loss(X, y, [e for e in range(30) if e != j]) for j in range(30)]
    needed = {j for j in range(30) if without[j] > best}  # no subset of any size can do without them
    assert needed <= set(model.subset_)
    others = [j for j in range(30) if j not in model.subset_]
    for j in model.subset_:
        if j in needed:
            continue
        kept = [e for e in model.subset_ if e != j]
        assert all(2 * oracles.loss(X, y, [*kept, e]) >= best * (1 - 1e-9) for e in others)


def test_time_runs_out_and_says_so():
    X, y, _ = correlated(150, 120, 10, 0.95, seed=1, noise=1.0)
    model = BestSubsetRegressor(10, time_budget=0.3).fit(X, y)
    assert not model.certified_
    assert 0 < model.gap_ < 1
    full = 2 * oracles.loss(X, y, range(120))
    mse = model.path_.mean_squared_error[-1]
    assert mse * (1 - model.gap_) >= full * (1 - 1e-6)  # never promises less than all columns leave
    assert mse <= GreedySubsetRegressor(10).fit(X, y).path_.mean_squared_error[-1] * (1 + 1e-9)
    assert not model.near_ties_complete_


def test_gap_is_honest():
    """The bound is below the best loss if time is short, and equal to it if there is enough time."""
    X, y, _ = correlated(100, 40, 6, 0.9, seed=2, noise=1.0)
    hasty = BestSubsetRegressor(6, time_budget=1e-9).fit(X, y)
    patient = BestSubsetRegressor(6, time_budget=60).fit(X, y)
    assert patient.certified_
    least = patient.path_.mean_squared_error
    assert (hasty.path_.mean_squared_error * (1 - hasty.path_.gap) <= least * (1 + 1e-9)).all()
    assert (hasty.path_.mean_squared_error >= least * (1 - 1e-9)).all()


def test_threads_and_moments_give_the_same():
    X, y, _ = correlated(200, 30, 5, 0.8)
    a = BestSubsetRegressor(5, n_jobs=1).fit(X, y)
    b = BestSubsetRegressor(5, n_jobs=2).fit(X, y)
    c = BestSubsetRegressor(5).fit_moments(Moments.from_data(X, y))
    for other in (b, c):
        np.testing.assert_array_equal(a.subset_, other.subset_)
        np.testing.assert_allclose(a.coef_, other.coef_, rtol=1e-9)
        assert list(a.near_ties_["columns"]) == list(other.near_ties_["columns"])


@pytest.mark.parametrize("rule", ["bic", "aic", "ebic", "loo", "cv", "1se", "holdout"])
def test_rules_choose(rule):
    X, y, true = correlated(200, 15, 3, 0.5, noise=0.3)
    model = BestSubsetRegressor(rule, random_state=0, max_features=6).fit(X, y)
    assert set(true) <= set(model.subset_)
    assert model.k_ == len(model.subset_)
    assert model.certified_


def test_more_columns_than_rows_are_exchanged_without_a_proof():
    X, y, true = correlated(80, 300, 4, 0.3, noise=0.2)
    model = BestSubsetRegressor(4).fit(X, y)
    np.testing.assert_array_equal(model.subset_, true)
    assert not model.certified_
    assert model.gap_ == 1
    forward = GreedySubsetRegressor(4).fit(X, y)
    assert model.path_.mean_squared_error[-1] <= forward.path_.mean_squared_error[-1] * (1 + 1e-12)


def test_copies_constants_and_combinations():
    X, y, _ = correlated(60, 5, 2, 0.5)
    X = np.column_stack([X, X[:, 0], np.ones(60), X[:, 0] + X[:, 1]])
    model = BestSubsetRegressor(3, near_ties=0.0).fit(X, y)
    best = oracles.best_subsets(X, y, 3)[3][0][0]
    np.testing.assert_allclose(model.path_.mean_squared_error[3], 2 * best, rtol=1e-7)
    with pytest.warns(SmallerModelWarning):
        assert BestSubsetRegressor(8).fit(X, y).k_ == 5


def test_nothing_to_find():
    X, y, _ = correlated(30, 4, 2, 0.5)
    with pytest.warns(SmallerModelWarning):
        assert BestSubsetRegressor(2).fit(X, np.zeros(30)).k_ == 0
    model = BestSubsetRegressor(0).fit(X, y)
    assert model.k_ == 0
    assert model.certified_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_budget": 0}, "time_budget must be a positive number of seconds, got 0"),
        ({"near_ties": -0.1}, "near_ties must be a fraction >= 0"),
        ({"max_ties": 0}, "max_ties must be at least 1, got 0"),
        ({"k": 40}, r"k=40 exceeds the 5 feature\(s\)"),
    ],
)
def test_bad_arguments(options, message):
    X, y, _ = correlated(30, 5, 2, 0.5)
    with pytest.raises(ValueError, match=message):
        BestSubsetRegressor(**{"k": 2, **options}).fit(X, y)


@pytest.mark.parametrize("seed", range(12))
def test_subsets_with_dependent_columns_are_no_near_ties(seed):
    """What a dependent column adds is rounding error; such subsets were listed with losses of -1e299."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 5))
    X[:, 4] = -3 * X[:, 0]
    y = X @ rng.normal(size=5) + rng.normal(size=12)
    model = BestSubsetRegressor(4, near_ties=0.5).fit(X, y)
    assert model.certified_
    assert model.near_ties_complete_
    assert sorted(model.near_ties_["columns"]) == [(0, 1, 2, 3), (1, 2, 3, 4)]
    np.testing.assert_allclose(model.near_ties_["mean_squared_error"], np.mean((y - model.predict(X)) ** 2), rtol=1e-9)
