"""AdaBoost by resampling: draws by weight, and the formulas of boosting on the weighted rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import boost_oracles as oracle
from vitalfew import AdaBoost
from vitalfew.families.ensembles.boost_learners import LearnerBooster

PIPELINE = make_pipeline(StandardScaler(), SelectKBest(k=2), KNeighborsClassifier(3))
LEARNERS = [KNeighborsClassifier(3), PIPELINE, "stump", "tree"]


class Recorder(KNeighborsClassifier):
    """A learner that keeps the rows that it was fitted to."""

    def fit(self, X, y):
        self.rows_ = X[:, 0].astype(int)
        return super().fit(X, y)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rounds_follow_the_formulas(learner):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200, :6], y[:200]
    model = AdaBoost(6, estimator=learner, resample=True, random_state=0).fit(X, y)
    run, sign = model.path_.runs[0], np.where(y, 1.0, -1.0)
    votes = model.votes_of(X).T
    weights = oracle.adaboost_weights(sign, votes, run.alpha, np.ones(len(y)))
    errors = [w[h != sign].sum() for w, h in zip(weights, votes)]
    np.testing.assert_allclose(run.error, errors, atol=1e-12)
    some = run.error > 0
    np.testing.assert_allclose(run.alpha[some], 0.5 * np.log((1 - run.error[some]) / run.error[some]))
    np.testing.assert_allclose(run.z, [w @ np.exp(-a * sign * h) for w, a, h in zip(weights, run.alpha, votes)])
    assert (run.trained <= np.cumprod(run.z) + 1e-12).all()
    assert model.score(X, y) > 0.85


def test_rows_are_drawn_by_weight():
    """The chi-square distance of the counts of many draws from their expectation is that of chance."""
    rng = np.random.default_rng(0)
    weight = rng.uniform(0, 3, 40)
    X = np.column_stack([np.arange(40), rng.normal(size=40)])
    booster = LearnerBooster(Recorder(1), X, np.arange(40) % 2, weight, 2, is_resampled=True, seed=1)
    counts = np.zeros(40)
    for t in range(200):
        booster.rng = np.random.default_rng(t)
        counts += np.bincount(booster._fit().rows_, minlength=40)
    expected = 200 * 40 * weight / weight.sum()
    assert ((counts - expected) ** 2 / expected).sum() < 75  # 39 degrees of freedom: p < 0.0005


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("votes", ["sign", "confidence"])
def test_several_classes(learner, votes):
    X, y = load_iris(return_X_y=True)
    model = AdaBoost(5, estimator=learner, resample=True, votes=votes, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_the_same_seed_draws_the_same_rows_and_more_rounds_go_on():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:150, :4], y[:150]
    learner = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, splitter="random"))
    settings = {"estimator": learner, "resample": True, "random_state": 3}
    once = AdaBoost(6, **settings).fit(X, y)
    again = AdaBoost(6, **settings).fit(X, y)
    on = AdaBoost(3, warm_start=True, **settings).fit(X, y).set_params(rounds=6).fit(X, y)
    for other in (again, on):
        np.testing.assert_array_equal(once.path_.runs[0].alpha, other.path_.runs[0].alpha)
        np.testing.assert_array_equal(once.predict_proba(X), other.predict_proba(X))
    different = AdaBoost(6, **settings | {"random_state": 4}).fit(X, y)
    assert not np.array_equal(once.path_.runs[0].alpha, different.path_.runs[0].alpha)


def test_frames_rules_and_weights():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = np.where(frame["a"] * frame["b"] > 0, "yes", "no")
    model = AdaBoost("cv", estimator=PIPELINE, resample=True, max_rounds=4, cv=3, random_state=0)
    model.fit(frame, y, sample_weight=rng.integers(0, 3, 120))
    assert 1 <= model.rounds_ <= 4
    assert list(model.feature_names_in_) == ["a", "b", "c"]


def test_learners_without_weights_name_the_remedy():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="Pipeline does not; set resample=True"):
        AdaBoost(3, estimator=make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)
    with pytest.raises(ValueError, match="resample must be True or False, got 'yes'"):
        AdaBoost(3, resample="yes").fit(X, y)
