"""`BestSubsetClassifier` against all subsets."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from test_greedy_classes import log_loss

from planted import named_classes as planted
from vitalfew import BestSubsetClassifier, GreedySubsetClassifier
from vitalfew.exceptions import SeparationWarning, SmallerModelWarning


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("has_intercept", [True, False])
def test_every_size_is_the_best_of_all_subsets(n_classes, has_intercept):
    X, y = planted(150, 6, n_classes, seed=4)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = BestSubsetClassifier(6, fit_intercept=has_intercept).fit(X, y, weight)
    for k in range(7):
        subsets = list(itertools.combinations(range(6), k))
        losses = [log_loss(X, y, s, weight, has_intercept) for s in subsets]
        assert tuple(model.path_.subset(k)) == subsets[int(np.argmin(losses))]
        assert model.path_.log_loss[k] == pytest.approx(min(losses), rel=1e-6)
    assert (model.path_.gap == 0).all()
    assert model.certified_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("k", "distance"), [(1, 0.3), (2, 0.05), (3, 0.2), (6, 0.1)])
def test_near_ties_are_all_subsets_that_near(n_classes, k, distance):
    X, y = planted(150, 6, n_classes, seed=5)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = BestSubsetClassifier(k, near_ties=distance).fit(X, y, weight)
    losses = {s: log_loss(X, y, s, weight, True) for s in itertools.combinations(range(6), k)}
    reach = min(losses.values()) * (1 + distance)
    listed = dict(zip(model.near_ties_["columns"], model.near_ties_["log_loss"]))
    assert {s for s, loss in losses.items() if loss <= reach * (1 - 1e-6)} <= set(listed)
    assert set(listed) <= {s for s, loss in losses.items() if loss <= reach * (1 + 1e-6)}
    assert all(losses[s] == pytest.approx(loss, rel=1e-5) for s, loss in listed.items())
    assert model.near_ties_complete_
    assert tuple(model.subset_) == model.near_ties_["columns"].iloc[0]
    assert model.near_ties_["above_best"].is_monotonic_increasing
    few = BestSubsetClassifier(k, near_ties=distance, max_ties=1).fit(X, y, weight)
    assert list(few.near_ties_["columns"]) == [tuple(model.subset_)]
    assert few.near_ties_complete_ == (len(listed) == 1)


def test_near_ties_are_asked_for_with_a_share():
    with pytest.raises(ValueError, match="near_ties must be a fraction >= 0 of the log loss"):
        BestSubsetClassifier(1, near_ties=-1).fit([[1.0], [2.0], [0.0]], [0, 1, 1])


def test_it_finds_what_greedy_search_misses():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 6))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=600)
    y = 3 * (X[:, 0] + X[:, 1]) + rng.logistic(size=600) > 0
    assert set(BestSubsetClassifier(2).fit(X, y).subset_) == {0, 1}
    assert set(GreedySubsetClassifier(2).fit(X, y).subset_) != {0, 1}


def test_time_runs_out_and_says_so():
    data = load_breast_cancer()
    model = BestSubsetClassifier(4, time_budget=0.1).fit(data.data, data.target)
    assert not model.certified_
    assert 0 < model.gap_ <= 1
    greedy = GreedySubsetClassifier(4).fit(data.data, data.target)
    assert model.path_.log_loss[4] <= greedy.path_.log_loss[4] * (1 + 1e-9)


@pytest.mark.parametrize("rule", ["bic", "aic", "ebic", "loo", "cv", "1se", "holdout"])
def test_rules_choose(rule):
    X, y = planted(300)
    model = BestSubsetClassifier(rule, random_state=0, max_features=4).fit(X, y)
    assert 1 in model.subset_
    assert model.k_ == len(model.subset_)
    assert model.certified_


def test_threads_do_not_matter():
    X, y = planted(200, 10)
    a, b = (BestSubsetClassifier(4, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(a.path_.coef, b.path_.coef)


def test_separated_classes():
    X, _ = planted(60)
    with pytest.warns(SeparationWarning), pytest.warns(SmallerModelWarning):
        model = BestSubsetClassifier(3).fit(X, X[:, 2] > 0)
    assert model.k_ == 1


def test_bad_time_budget():
    X, y = planted()
    with pytest.raises(ValueError, match="time_budget must be a positive number of seconds, got 0"):
        BestSubsetClassifier(2, time_budget=0).fit(X, y)
