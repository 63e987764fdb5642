"""The rule "holdout" on a validation set, against models fitted to the training set one after the other."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LinearRegression

import vitalfew as vf

CLASSIFIERS = [
    ("k", vf.BestSubsetClassifier()),
    ("k", vf.GreedySubsetClassifier()),
    ("steps", vf.ForwardFittingClassifier()),
    ("alpha", vf.LogisticRegression(grid=8, tol=1e-10)),
    ("alpha", vf.LogisticRegression(grid=8, penalty="l2", tol=1e-10)),
    ("rounds", vf.AdaBoost(max_rounds=12)),
    ("rounds", vf.AdaBoost(max_rounds=6, estimator="tree")),
    ("rounds", vf.AdaBoost(max_rounds=6, resample=True, random_state=0)),
    ("rounds", vf.Bagging(max_rounds=7, random_state=0)),
    ("leaves", vf.DecisionTree(mdl_weight=None)),
    ("max_depth", vf.DecisionTree(mdl_weight=None)),
    ("features", vf.NaiveBayes(prior_strength=1.0)),
    ("prior_strength", vf.NaiveBayes(grid=6)),
]
REGRESSORS = [
    ("k", vf.BestSubsetRegressor()),
    ("k", vf.GreedySubsetRegressor()),
    ("steps", vf.ForwardFittingRegressor()),
    ("alpha", vf.Lasso(grid=8)),
    ("alpha", vf.Ridge(grid=8)),
    ("alpha", vf.KernelRidge(grid=8, gamma=0.1)),
]
ALL = CLASSIFIERS + REGRESSORS


def samples(is_classification, n=90):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 5))
    y = 2 * X[:, 0] - X[:, 2] + rng.normal(size=n)
    return X[:60], X[60:], *np.split(np.where(y > 0, "yes", "no") if is_classification else y, [60])


def loss(measure, model, X, y):
    if measure == "log_loss":
        return -np.log(model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()
    predicted = model.predict(X)
    return np.mean(predicted != y) if measure == "error" else np.mean((predicted - y) ** 2)


@pytest.mark.parametrize(("knob", "model"), ALL, ids=lambda case: case if isinstance(case, str) else repr(case))
def test_each_point_is_the_model_of_the_training_set(knob, model):
    is_classification = (knob, model) in CLASSIFIERS
    X, X_held, y, y_held = samples(is_classification)
    model.set_params(**{knob: "holdout"}).fit(X, y, validation=(X_held, y_held))
    selection = model.selections_[knob] if hasattr(model, "selections_") else model.selection_
    grid, index = selection.grid, selection.index
    assert selection.rule == "holdout"
    assert index == np.flatnonzero(selection.score == selection.score.min())[0]
    whole = {"k", "steps", "rounds", "leaves", "max_depth", "features"}
    for at in np.unique(np.linspace(0, len(grid) - 1, 5).astype(int)):
        if knob == "features" and grid[at] == 0:
            continue
        value = int(grid[at]) if knob in whole else float(grid[at])
        single = type(model)(**{**model.get_params(deep=False), knob: value}).fit(X, y)
        assert selection.score[at] == pytest.approx(loss(selection.measure, single, X_held, y_held), rel=1e-5), value
        if at == index:
            if is_classification:
                np.testing.assert_array_equal(single.predict(X_held), model.predict(X_held))
            else:
                np.testing.assert_allclose(single.predict(X_held), model.predict(X_held), rtol=1e-6)


def test_two_knobs_see_the_same_validation_set():
    X, X_held, y, y_held = samples(False)
    model = vf.KernelRidge("holdout", gamma="holdout", grid=6).fit(X, y, validation=(X_held, y_held))
    assert {s.rule for s in model.selections_.values()} == {"holdout"}
    assert model.selection_.score.min() == pytest.approx(np.mean((model.predict(X_held) - y_held) ** 2))
    X, X_held, y, y_held = samples(True)
    bayes = vf.NaiveBayes("holdout", prior_strength="holdout").fit(X, y, validation=(X_held, y_held))
    assert bayes.selection_.score.min() == pytest.approx(np.mean(bayes.predict(X_held) != y_held))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_tables_with_categories_and_missing_values(library):
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 120)
    color = np.where(rng.random(120) < 0.3 + 0.4 * label, "red", "blue").astype(object)
    color[::9] = None
    table = pd.DataFrame({"color": color, "size": rng.normal(size=120) + label})
    train, held = library(table.iloc[:80].reset_index(drop=True)), library(table.iloc[80:].reset_index(drop=True))
    for model in (vf.NaiveBayes("holdout"), vf.AdaBoost("holdout", max_rounds=9), vf.DecisionTree(leaves="holdout")):
        model.fit(train, label[:80], validation=(held, label[80:]))
        selection = model.selections_["leaves"] if isinstance(model, vf.DecisionTree) else model.selection_
        if not isinstance(model, vf.DecisionTree):
            assert selection.score.min() == pytest.approx(np.mean(model.predict(held) != label[80:]))
        assert selection.rule == "holdout"
    with pytest.raises(ValueError, match="feature names should match"):
        vf.NaiveBayes("holdout").fit(train, label[:80], validation=(held[["size", "color"]], label[80:]))


def test_words_and_a_selector():
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, 200)
    words = sparse.csr_array(
        (rng.random((200, 12)) < 0.2 + 0.3 * label[:, None] * (np.arange(12) < 4)).astype(np.uint8)
    )
    ranking = vf.InformationRanking("holdout").fit(words[:120], label[:120], validation=(words[120:], label[120:]))
    bayes = vf.NaiveBayes("holdout", order="information").fit(
        words[:120], label[:120], validation=(words[120:], label[120:])
    )
    assert ranking.selection_.rule == bayes.selection_.rule == "holdout"
    assert bayes.selection_.score.min() == pytest.approx(np.mean(bayes.predict(words[120:]) != label[120:]))


@pytest.mark.parametrize("inner", [LinearRegression(), vf.Ridge(1.0)])
def test_greedy_search(inner):
    X, X_held, y, y_held = samples(False)
    model = vf.GreedySearch(inner, "holdout").fit(X, y, validation=(X_held, y_held))
    subset, found = [], []
    while len(subset) < 5:
        tried = [[*subset, j] for j in range(5) if j not in subset]
        scores = [clone(inner).fit(X[:, columns], y).score(X_held[:, columns], y_held) for columns in tried]
        subset = tried[int(np.argmax(scores))]
        found.append((max(scores), subset))
    best, subset = max(found)
    assert sorted(model.subset_) == sorted(subset)
    assert model.selection_.score.max() == pytest.approx(best)
    expected = clone(inner).fit(X[:, model.subset_], y).predict(X_held[:, model.subset_])
    np.testing.assert_allclose(model.predict(X_held), expected)


@pytest.mark.parametrize(
    ("model", "validation", "message"),
    [
        (vf.Lasso("cv"), (np.ones((3, 5)), np.ones(3)), "only on the rule 'holdout'"),
        (vf.GreedySearch(vf.Ridge(1.0), "cv"), (np.ones((3, 5)), np.ones(3)), "only on k='holdout', got k='cv'"),
        (vf.AdaBoost(3), np.ones((3, 5)), r"must be a pair \(X, y\), got ndarray"),
        (vf.Lasso("holdout"), np.ones((3, 5)), r"must be a pair \(X, y\), got ndarray"),
        (vf.Lasso("holdout"), (np.ones((3, 4)), np.ones(3)), "X has 4 features, but Lasso is expecting 5"),
        (vf.Lasso("holdout"), (np.ones((3, 5)), np.ones(4)), "inconsistent numbers of samples|3.*4"),
    ],
)
def test_refusals(model, validation, message):
    X, _, y, _ = samples(is_classifier(model))
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, validation=validation)
    assert not hasattr(model, "path_")


def test_a_label_that_training_has_not():
    X, X_held, y, y_held = samples(True)
    with pytest.raises(ValueError, match="validation has the label 'maybe', which is not in y"):
        vf.DecisionTree(leaves="holdout").fit(X, y, validation=(X_held, np.where(y_held == "no", "maybe", "yes")))
