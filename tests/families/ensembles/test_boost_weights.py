"""Weights of boosting: finite in every combination of settings, however far apart they are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_expit, softmax
from sklearn.tree import DecisionTreeClassifier

from strategies import SEEDS, weights
from vitalfew import AdaBoost, DecisionTree, NaiveBayes, Stump
from vitalfew.families.ensembles.boost_learners import LearnerBooster
from vitalfew.families.ensembles.boost_run import SUREST, half_log_odds

pytestmark = pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GuessingWarning")
LEARNERS = (
    "stump",
    "tree",
    Stump(n_jobs=1),
    NaiveBayes(),
    DecisionTree(max_depth=6, mdl_weight=None, n_jobs=1),
    DecisionTree(min_leaf=1, mdl_weight=None, n_jobs=1),
    DecisionTreeClassifier(max_depth=2),
)


@st.composite
def mixed_tables(draw):
    """Frames with numbers, categories and missing values, labels of 2 to 4 classes, and weights."""
    n, n_classes = draw(st.integers(4, 30)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(SEEDS))
    label = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    numbers = rng.normal(size=(n, 2)).round(int(rng.integers(0, 3))) + label[:, None] * rng.choice([0.0, 0.5, 5.0])
    codes = np.where(rng.random((n, 2)) < 0.5, label[:, None] % 3, rng.integers(0, 3, (n, 2))).astype(float)
    X = np.hstack([numbers, codes])
    X[rng.random(X.shape) < rng.choice([0.0, 0.3])] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    for name in "cd":
        frame[name] = frame[name].map({0.0: "u", 1.0: "v", 2.0: "w"})
    return frame, label, draw(weights(n))


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@settings(max_examples=4)
@given(mixed_tables(), st.booleans())
def test_every_combination_stays_finite(learner, table, is_samme):
    X, label, weight = table
    if isinstance(learner, DecisionTreeClassifier):
        X = X[["a", "b"]]
    for votes, loss in product(["sign", "confidence"], ["exponential", "logistic"]):
        form = "samme" if is_samme else "ova"
        model = AdaBoost(5, estimator=learner, votes=votes, loss=loss, multiclass=form, random_state=0, n_jobs=1)
        model.fit(X, label, weight)
        for run in model.path_.runs:
            for curve in (run.alpha, run.error, run.z, run.trained, run.margins):
                assert np.isfinite(curve).all()
        assert np.isfinite(model.decision_function(X)).all()
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_share_above_one_by_rounding_is_certainty():
    """A mean over the leaves that a missing value leads to is 1 + 2e-16 here."""
    rng = np.random.default_rng(171)
    n = int(rng.integers(20, 80))
    X = rng.integers(0, 4, (n, 4)).astype(float)
    y = ((X[:, 0] + X[:, 1]) % 3 > 0).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    tree = DecisionTree(mdl_weight=None, min_leaf=1, categorical_features=[0, 1])
    assert tree.fit(X, y).predict_proba(X).max() > 1
    assert half_log_odds(tree, X).max() == SUREST
    model = AdaBoost(5, estimator=tree, votes="confidence").fit(X, y)
    assert np.isfinite(model.path_.runs[0].alpha).all()


@pytest.mark.parametrize("margin", [10.0, 400.0, 1e4])
@pytest.mark.parametrize("is_logistic", [True, False])
def test_weights_of_large_margins(margin, is_logistic):
    """Against the normalization in logarithms."""
    label = np.array([0, 1, 1, 0])
    booster = LearnerBooster(Stump(), np.zeros((4, 1)), label, np.array([1.0, 2, 3, 4]), 2, is_logistic=is_logistic)
    booster.score[:, 0] = np.array([-1, 1, 1, -1]) * (margin + np.array([0, 1, 2, 900]))
    against = -(margin + np.array([0, 1, 2, 900]))
    log_weight = np.log([0.1, 0.2, 0.3, 0.4]) + (log_expit(against) if is_logistic else against)
    np.testing.assert_allclose(booster.weights(), softmax(log_weight), rtol=1e-12, atol=1e-199)


def test_a_class_of_no_weight_is_left_out():
    """All weight is on one class: the learner is that class."""
    booster = LearnerBooster(NaiveBayes(), np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]), np.ones(3), 2)
    booster.score[:, 0] = [-1000, 0, 0]
    assert booster.run(1).stop == 1
    assert booster.weights()[0] == 0


def test_logistic_boosting_of_separable_rows_goes_on():
    """Positive and negative rows have the same weight at the same margin, however large it is."""
    x = np.arange(30.0)[:, None]
    y = ((x[:, 0] > 9) & (x[:, 0] < 20)).astype(int)
    model = AdaBoost(300, loss="logistic").fit(x, y)
    run, sign = model.path_.runs[0], np.where(y, 1.0, -1.0)
    votes = model.votes_of(x)
    before = np.hstack([np.zeros((30, 1)), np.cumsum(run.alpha * votes, axis=1)[:, :-1]])
    assert (sign[:, None] * before).min(axis=0).max() > 40  # 1 - p rounds to zero
    weight = expit(-sign[:, None] * before)
    weight /= weight.sum(axis=0)
    np.testing.assert_allclose(run.error, (weight * (votes != sign[:, None])).sum(axis=0), rtol=1e-6)
    assert len(run) == 300
