"""`LogisticRegression` against a slow twin, eqs. 19 - 20, recomputed certificates, literal refits and scikit-learn."""

import json
import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import accuracy_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.utils.fixes import parse_version

import linear_oracles as oracles
import vitalfew
from linear_oracles import Penalty
from planted import quantile_classes as planted
from strategies import ALL_WEIGHTS, numeric_tables, weights
from vitalfew import aic, bic, ebic
from vitalfew.exceptions import SeparationWarning

# The twins and closed forms below penalize the columns in their own units.
LogisticRegression = partial(vitalfew.LogisticRegression, standardize=False)

RULES = ["cv", "1se", "loo", "bic", "aic", "ebic", "holdout"]
PENALTIES = ["l1", "l2", "elasticnet"]
KINDS = [np.asarray, sparse.csr_array]


def rho_of(model):
    return {"l1": 1.0, "l2": 0.0, "elasticnet": model.l1_ratio}[model.penalty]


def penalty_of(model, alpha):
    return Penalty(alpha, rho_of(model), model.penalty_factors)


def assert_certified(model, X, label, weight=None, tol=None):
    """The gap, from the coefficients alone, at every point of the path; and what the model says of itself."""
    path, tol = model.path_, model.tol if tol is None else tol
    null = oracles.logistic_null(label, weight, model.fit_intercept)
    for p, alpha in enumerate(path.grid):
        coef, intercept = path.at(p)
        at = X, label, coef, intercept, penalty_of(model, alpha), weight
        assert np.isfinite(coef).all()
        assert oracles.logistic_gap(*at, model.fit_intercept) <= tol * null + 1e-12, (p, alpha)
        assert path.log_loss[p] == pytest.approx(oracles.logistic_loss(X, label, coef, intercept, weight), abs=1e-9)
    assert (path.dual_gap <= model.tol).all()
    at = X, label, model.coef_, model.intercept_, penalty_of(model, model.alpha_), weight
    violation = oracles.logistic_violation(*at, model.fit_intercept)
    assert model.kkt_violation_ == pytest.approx(violation, abs=1e-13 * max(1, np.abs(X).max()))


def same(a, b, X, tol=1e-6):
    np.testing.assert_allclose(a.path_.grid, b.path_.grid, rtol=1e-8)
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=tol, atol=tol)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=tol)


# The problem that is solved


@settings(max_examples=40)
@given(numeric_tables(min_rows=4), st.integers(2, 4), st.sampled_from(PENALTIES), st.sampled_from(KINDS), st.data())
def test_every_point_is_certified(table, n_classes, penalty, kind, data):
    X, rng = table
    n, d = X.shape
    label = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n)][:n]
    w = data.draw(weights(n, ALL_WEIGHTS))
    factor = rng.choice([0.5, 1.0, np.inf], d, p=[0.2, 0.7, 0.1]) if rng.random() < 0.3 else None
    model = LogisticRegression(
        "aic",
        penalty=penalty,
        grid=5,
        grid_ratio=0.03,
        fit_intercept=bool(rng.random() < 0.8),
        penalty_factors=factor,
        tol=1e-6,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        model.fit(kind(X), label, w)
    assert_certified(model, X, label, w)
    if factor is not None:
        assert not model.path_.coef[..., np.isinf(factor)].any()


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_coefficients_are_those_of_the_twin(n_classes, penalty, has_intercept, weighted):
    X, label = planted(60, 4, n_classes)
    w = np.random.default_rng(0).uniform(0.2, 2, 60) if weighted else None
    model = LogisticRegression(0.05, penalty=penalty, l1_ratio=0.3, fit_intercept=has_intercept, tol=1e-10)
    model.fit(X, label, w)
    coef, intercept = oracles.logistic_solve(X, label, penalty_of(model, 0.05), w, has_intercept, tol=1e-9)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(
        model.predict_proba(X), softmax(oracles.as_scores(X, coef, intercept), axis=1), atol=1e-5
    )
    if penalty != "l2":
        np.testing.assert_array_equal(model.coef_ == 0, coef == 0)
        assert (coef == 0).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_slopes_are_those_of_equations_19_and_20(n_classes, kind):
    """Eq. 19, the penalty against the sum of losses: a slope of lambda where a coefficient is positive, at most that
    where it is zero. Eq. 20, for the squared norm: 2 lambda times the coefficient."""
    X, label = planted(n_classes=n_classes)
    n, alpha = len(label), 0.05
    lasso = LogisticRegression(alpha, tol=1e-10).fit(kind(X), label)
    slope = n * oracles.logistic_slope(X, label, lasso.coef_, lasso.intercept_)[0]
    used = lasso.coef_ != 0
    np.testing.assert_allclose(slope[used], n * alpha * np.sign(lasso.coef_[used]), rtol=1e-5)
    assert (np.abs(slope[~used]) < n * alpha).all()
    ridge = LogisticRegression(alpha, penalty="l2", tol=1e-12).fit(kind(X), label)
    slope = n * oracles.logistic_slope(X, label, ridge.coef_, ridge.intercept_)[0]
    np.testing.assert_allclose(slope, 2 * (n * alpha / 2) * ridge.coef_, rtol=1e-3, atol=1e-4)
    assert (ridge.coef_ != 0).all()


HARD = {
    "doubled": lambda X: np.column_stack([X, X]),
    "collinear": lambda X: np.column_stack([X, X.sum(axis=1), X[:, 0] - X[:, 1]]),
    "constant": lambda X: np.column_stack([X, np.ones(len(X)), np.full(len(X), 0.1), np.zeros(len(X))]),
    "offset 100": lambda X: X + 100,
    "offset 1e4": lambda X: X + 1e4,
    "scaled": lambda X: X * 10.0 ** np.linspace(-4, 4, X.shape[1]),
    "wide": lambda X: np.random.default_rng(1).normal(size=(len(X), 400)),
    "one column": lambda X: X[:, :1],
}


@pytest.mark.parametrize("hard", HARD)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_certificates_of_hard_tables(hard, penalty, n_classes):
    X, label = planted(60, 6, n_classes)
    X = HARD[hard](X)
    grid = np.abs(oracles.logistic_slope(X - X.mean(axis=0), label, np.zeros((n_classes, X.shape[1])), 0)[0]).max()
    model = LogisticRegression(0.1 * grid, penalty=penalty, grid=grid * np.geomspace(1, 0.03, 6)).fit(X, label)
    assert_certified(model, X, label)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", [0.0, 1e-6])
def test_little_or_no_penalty(alpha, penalty, n_classes):
    """Maximum likelihood, on data that are not separable."""
    X, label = planted(n_classes=n_classes, noise=2)
    model = LogisticRegression(alpha, penalty=penalty).fit(X, label)
    slope, of_intercept = oracles.logistic_slope(X, label, model.coef_, model.intercept_)
    assert max(np.abs(slope).max(), np.abs(of_intercept).max()) < 2e-4
    assert model.dual_gap_ <= model.tol


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_tight_tolerance_is_reached(penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    model = LogisticRegression("aic", penalty=penalty, grid=np.geomspace(0.3, 1e-3, 6), tol=1e-9).fit(X, label)
    assert_certified(model, X, label)


def test_the_grid_starts_where_the_first_feature_enters():
    X, label = planted()
    path = LogisticRegression("bic").fit(X, label).path_
    slope = (X - X.mean(axis=0)).T @ (label - label.mean()) / len(label)
    assert path.grid[0] == pytest.approx(np.abs(slope).max())
    assert path.n_features[:2].tolist() == [0, 1]
    assert path.grid[-1] == pytest.approx(1e-3 * path.grid[0])
    assert len(path.grid) == 50
    elastic = LogisticRegression("bic", penalty="elasticnet", l1_ratio=0.25).fit(X, label).path_
    assert elastic.grid[0] == pytest.approx(4 * path.grid[0])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # a free column bounds no gap
def test_penalty_factors_of_zero_and_infinity(penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    factor = np.r_[1, 1, 0, np.inf, 1, 1]
    model = LogisticRegression(1e4, penalty=penalty, penalty_factors=factor, tol=1e-10).fit(X, label)
    alone = LogisticRegression(0, penalty=penalty, tol=1e-10).fit(X[:, [2]], label)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X[:, [2]]), atol=1e-3)
    assert not model.coef_[:, 3].any()
    for rule in RULES:
        path = (
            LogisticRegression(rule, penalty=penalty, penalty_factors=factor, grid=6, random_state=0)
            .fit(X, label)
            .path_
        )
        assert not path.coef[..., 3].any()


# Separable data and rare classes


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", [0.0, 1e-9])
@pytest.mark.parametrize("kind", KINDS)
def test_separable_data(kind, alpha, penalty, n_classes):
    label = np.arange(30) % n_classes
    X = np.column_stack([np.eye(n_classes)[label] * 3, np.random.default_rng(0).normal(size=30)])
    with pytest.warns(SeparationWarning, match="larger penalty"):
        model = LogisticRegression(alpha, penalty=penalty).fit(kind(X), label)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    np.testing.assert_array_equal(model.predict(X), label)
    for scale in (1, 1e6):
        probability = model.predict_proba(scale * X)
        np.testing.assert_allclose(probability.sum(axis=1), 1)
        assert np.isfinite(model.predict_log_proba(scale * X)).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_rules_on_separable_data(rule, penalty):
    label = np.arange(30) % 2
    X = np.column_stack([label * 4.0 - 2, np.random.default_rng(0).normal(size=(30, 2))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        model = LogisticRegression(rule, penalty=penalty, random_state=0).fit(X, label)
    assert np.isfinite(model.selection_.score).all()
    assert model.score(X, label) == 1


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("rule", [0.001, "bic", "cv", "loo"])
def test_three_of_a_thousand(rule, penalty):
    rng = np.random.default_rng(0)
    label = np.r_[np.zeros(1000, dtype=int), np.ones(3, dtype=int)]
    X = rng.normal(size=(1003, 4)) + label[:, None] * [1, 0, 0, 0]
    X[:3] = X[-3:]  # so that no plane parts them
    model = LogisticRegression(rule, penalty=penalty, grid=10).fit(X, label)
    assert model.path_.dual_gap.max() <= model.tol
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(3 / 1003, rel=0.05)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_rare_is_not_separated(penalty):
    """One row of twenty thousand: the log loss is small for any model, and this one uses no feature."""
    X = np.random.default_rng(0).normal(size=(20_001, 2))
    X[0] = X[-1]
    model = LogisticRegression(1e3, penalty=penalty).fit(X, np.r_[np.zeros(20_000), 1])
    assert np.abs(model.coef_).max() < 1e-3


@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_class_that_some_folds_do_not_have(penalty, n_classes, members):
    X, label = planted(60, 4, max(n_classes - 1, 1))
    label[:members] = n_classes - 1
    for rule in ("cv", "1se", "holdout", "loo"):
        model = LogisticRegression(rule, penalty=penalty, grid=6, random_state=0).fit(X, label)
        assert np.isfinite(model.selection_.score).all()
        assert model.classes_.tolist() == list(range(n_classes))
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_class_without_training_rows_is_held_to_be_improbable():
    """The fold's model cannot know the class: its rows are surprises, the others are scored as if it did not exist."""
    X, label = planted(60, 4)
    label[0] = 2
    splits = [(np.arange(30, 60), np.arange(30))]
    score = LogisticRegression("cv", grid=[0.1], cv=splits).fit(X, label).selection_.score[0]
    model = LogisticRegression(0.1).fit(X[30:], label[30:])
    known = log_loss(label[1:30], model.predict_proba(X[1:30]), labels=[0, 1])
    assert score > 29 / 30 * known + 10 / 30
    assert score == pytest.approx(29 / 30 * known + 1, rel=0.2)


@pytest.mark.parametrize("y", [np.zeros(9), np.array(["a"] * 9), np.ones(9, dtype=bool)])
def test_one_class_is_an_error(y):
    with pytest.raises(ValueError, match=r"only one class.*at least two"):
        LogisticRegression(0.1).fit(np.eye(9), y)
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegression(0.1).fit(np.eye(9), np.arange(9) % 2, np.arange(9) % 2)


# Laws


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_order_of_rows_columns_and_classes(penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    options = {"alpha": 0.03, "penalty": penalty, "tol": 1e-10}
    model = LogisticRegression(**options).fit(X, label)
    same(LogisticRegression(**options).fit(X[rows], label[rows]), model, X, 1e-4)
    moved = LogisticRegression(**options).fit(X[:, columns], label)
    np.testing.assert_allclose(moved.coef_, model.coef_[:, columns], atol=1e-4)
    turned = LogisticRegression(**options).fit(X, n_classes - 1 - label)
    expected = -model.coef_ if n_classes == 2 else model.coef_[::-1]
    np.testing.assert_allclose(turned.coef_, expected, atol=1e-4)
    np.testing.assert_allclose(turned.predict_proba(X), model.predict_proba(X)[:, ::-1], atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("alpha", [0.03, "bic"])
def test_a_weight_is_a_repetition(alpha, class_weight, penalty, n_classes):
    X, label = planted(80, 4, n_classes)
    times = np.random.default_rng(0).integers(0, 4, 80)
    X[times == 0] = 1e3
    options = {"penalty": penalty, "tol": 1e-9, "grid": [0.1, 0.03, 0.01], "class_weight": class_weight}
    weighted = LogisticRegression(alpha, **options).fit(X, label, times)
    repeated = LogisticRegression(alpha, **options).fit(np.repeat(X, times, axis=0), np.repeat(label, times))
    same(weighted, repeated, X, 1e-4)
    assert weighted.alpha_ == repeated.alpha_
    np.testing.assert_allclose(weighted.selection_.score, repeated.selection_.score, rtol=1e-5)


def test_class_weight_is_a_weight():
    X, label = planted(n_classes=3)
    w = np.random.default_rng(0).uniform(0.5, 2, len(label))
    names = np.array(["a", "b", "c"])
    by_class = {"a": 1.0, "b": 5.0, "c": 0.5}
    model = LogisticRegression(0.03, class_weight=by_class).fit(X, names[label], w)
    same(model, LogisticRegression(0.03).fit(X, label, w * np.array([1, 5, 0.5])[label]), X)
    balanced = LogisticRegression(0.03, class_weight="balanced").fit(X[20:], label[20:])
    count = np.bincount(label[20:])
    same(balanced, LogisticRegression(0.03).fit(X[20:], label[20:], (1 / count)[label[20:]]), X, 1e-4)
    for class_weight in (None, "balanced"):
        with pytest.raises(ValueError, match="sample_weight must have 120 entries, one per row, got 3"):
            LogisticRegression(0.1, class_weight=class_weight).fit(X, label, [1, 2, 3])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("kind", [*KINDS, sparse.csc_matrix, np.asfortranarray, pd.DataFrame])
def test_every_storage_gives_the_same(kind, penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    X[X < 0.2] = 0
    w = np.random.default_rng(0).uniform(0.5, 2, len(label))
    model, found = (LogisticRegression("bic", penalty=penalty, grid=8, tol=1e-8).fit(Z, label, w) for Z in (X, kind(X)))
    same(found, model, X, 1e-5)
    np.testing.assert_allclose(found.predict_proba(kind(X)), model.predict_proba(X), atol=1e-5)
    near = LogisticRegression(model.alpha_, penalty=penalty, tol=1e-8)
    if kind in KINDS:
        single = near.fit(kind(X.astype(np.float32)), label, w)
        np.testing.assert_allclose(single.coef_, model.coef_, atol=1e-3)


def few_kinds(levels, n=400, d=12, seed=0):
    """Rows with many duplicates, except in the last column, which is different in each."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.3, rng.integers(1, levels, (n, d), endpoint=True), 0).astype(float)
    X = np.column_stack([X, rng.normal(size=n)])
    score = X[:, :4] @ [2.0, -1.5, 1.0, -0.7] / levels + 0.4 * X[:, -1] + rng.logistic(size=n)
    return X, (score > np.median(score)).astype(int)


@pytest.mark.parametrize("levels", [1, 3, 40])
@pytest.mark.parametrize("has_own", [False, True])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"penalty": "elasticnet", "l1_ratio": 0.4}])
def test_rows_that_look_alike_count_as_often_as_they_are(levels, has_own, options):
    X, label = few_kinds(levels)
    X = X if has_own else X[:, :-1]
    w = np.random.default_rng(1).uniform(0.5, 2, len(label))
    for weight in (None, w):
        model = LogisticRegression("bic", grid=20, tol=1e-9, **options)
        dense, merged = (clone(model).fit(Z, label, weight) for Z in (X, sparse.csc_array(X)))
        np.testing.assert_allclose(merged.path_.coef, dense.path_.coef, atol=2e-4)
        np.testing.assert_allclose(merged.path_.log_loss, dense.path_.log_loss, atol=1e-7)
        assert_certified(merged, X, label, weight)


@pytest.mark.parametrize("n_rows", [2, 3, 5, 8])
def test_few_rows_alike(n_rows):
    X = sparse.csc_array(np.tile([[1.0, 0.0, 1.0]], (n_rows, 1)))
    label = (np.arange(n_rows) > 0).astype(int)
    model = LogisticRegression("bic", grid=5, fit_intercept=False).fit(X, label)
    assert_certified(model, X.toarray(), label)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("rule", ["bic", "cv"])
def test_threads_do_not_change_the_result(rule, penalty, n_classes, kind):
    X, label = planted(150, 12, n_classes)
    one, two = (LogisticRegression(rule, penalty=penalty, grid=5, n_jobs=n).fit(kind(X), label) for n in (1, 2))
    np.testing.assert_array_equal(one.path_.coef, two.path_.coef)
    np.testing.assert_array_equal(one.selection_.score, two.selection_.score)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_finds_the_same(weighted, penalty, n_classes):
    """C = 1 / (alpha sum of weights), tight tolerance on both sides, columns of one scale."""
    X, label = planted(60, 4, n_classes)
    w = np.random.default_rng(0).uniform(0.2, 2, 60) if weighted else np.ones(60)
    model = LogisticRegression(0.05, penalty=penalty, tol=1e-10).fit(X, label, w)
    options = {"l1_ratio": rho_of(model)}
    if parse_version(sklearn.__version__) < parse_version("1.8"):
        options["penalty"] = "elasticnet"
    peer = Peer(C=1 / (0.05 * w.sum()), solver="saga", tol=1e-9, max_iter=50_000, **options).fit(X, label, w)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)


# Predictions and labels


@pytest.mark.parametrize(
    "classes",
    [
        np.array([False, True]),
        np.array(["no", "yes"]),
        np.array([-5, 7]),
        np.array([1.0, 2.0, 9.0]),
        np.array(["a", "<b>", "ü"]),
        np.array(["x", "y", "z"], dtype=object),
    ],
)
def test_labels_of_every_kind(classes):
    X, codes = planted(n_classes=len(classes))
    classes = np.sort(classes)
    model = LogisticRegression("bic").fit(X, classes[codes])
    plain = LogisticRegression("bic").fit(X, codes)
    assert model.classes_.tolist() == classes.tolist()
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict(X), classes[plain.predict(X)])


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_predictions_agree_with_each_other(penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    model = LogisticRegression("bic", penalty=penalty, grid=8).fit(X, label)
    n_outputs = 1 if n_classes == 2 else n_classes
    assert model.coef_.shape == (n_outputs, 6)
    assert model.intercept_.shape == (n_outputs,)
    decision, probability = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    expected = softmax(oracles.as_scores(X, model.coef_, model.intercept_), axis=1)
    np.testing.assert_allclose(probability, expected)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), probability)
    np.testing.assert_array_equal(model.predict(X), probability.argmax(axis=1))
    if n_classes == 2:
        assert decision.shape == (120,)
        np.testing.assert_allclose(probability[:, 1], expit(decision))
    assert model.score(X, label) == np.mean(model.predict(X) == label)


def test_a_class_of_weight_zero_leaves_two():
    X, label = planted(n_classes=3)
    w = (label != 1).astype(float)
    model = LogisticRegression(0.05).fit(X, label, w)
    assert model.classes_.tolist() == [0, 2]
    same(model, LogisticRegression(0.05).fit(X[w > 0], label[w > 0]), X)


def test_the_ridge_of_two_classes_is_that_of_two_outputs():
    """Two outputs at -b/2 and b/2 cost half the ridge of one at b: alpha for one is 2 alpha for two. A third class with
    next to no weight leaves the other two unchanged."""
    X, label = planted()
    rare = np.r_[np.zeros(120), 1.0].astype(bool)
    X3, y3 = np.vstack([X, np.zeros(6)]), np.r_[label, 2]
    three = LogisticRegression(0.1, penalty="l2", tol=1e-10).fit(X3, y3, np.where(rare, 1e-9, 1.0))
    two = LogisticRegression(0.05, penalty="l2", tol=1e-10).fit(X, label)
    np.testing.assert_allclose(three.coef_[1] - three.coef_[0], two.coef_[0], atol=1e-4)


# Rules


def literal(X, label, splits, grid, metric, weight=None, **options):
    """Scores (folds, points) by one fit for each fold and penalty."""
    out = np.empty((len(splits), len(grid)))
    for k, (a, b) in enumerate(splits):
        for p, alpha in enumerate(grid):
            model = LogisticRegression(float(alpha), **options).fit(
                X[a], label[a], None if weight is None else weight[a]
            )
            out[k, p] = metric(label[b], model.predict_proba(X[b]), None if weight is None else weight[b])
    return out


def mean_log_loss(label, probability, weight):
    return np.average(-np.log(probability[np.arange(len(label)), label]), weights=weight)


GRID = np.geomspace(0.3, 0.01, 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(
    "cv",
    [3, KFold(4), StratifiedKFold(3, shuffle=True, random_state=1), ShuffleSplit(3, test_size=0.3, random_state=0)],
)
def test_cv_is_the_mean_over_literal_refits(cv, penalty, n_classes, kind):
    X, label = planted(61, 4, n_classes)
    options = {"penalty": penalty, "tol": 1e-8}
    selection = LogisticRegression("cv", grid=GRID, cv=cv, **options).fit(kind(X), label).selection_
    splits = list((StratifiedKFold(3, shuffle=True, random_state=0) if cv == 3 else cv).split(X, label))
    loss = literal(X, label, splits, GRID, mean_log_loss, **options)
    np.testing.assert_allclose(selection.score, loss.mean(axis=0), rtol=1e-3)
    np.testing.assert_allclose(selection.standard_error, loss.std(axis=0, ddof=1) / np.sqrt(len(loss)), rtol=1e-2)
    assert (selection.measure, selection.greater_is_better) == ("log_loss", False)


def test_cv_and_one_standard_error_choose_as_they_say():
    X, label = planted(100, 10, noise=2)
    best, one = (LogisticRegression(r, random_state=0).fit(X, label).selection_ for r in ("cv", "1se"))
    np.testing.assert_array_equal(best.score, one.score)
    assert best.index == best.score.argmin()
    limit = best.score.min() + best.standard_error[best.index]
    assert one.index == np.flatnonzero(best.score <= limit)[0]
    assert one.index < best.index


def test_cv_with_weights():
    X, label = planted(61, 4)
    w = np.random.default_rng(0).integers(0, 3, 61).astype(float)
    selection = LogisticRegression("cv", grid=GRID, cv=KFold(4), tol=1e-8).fit(X, label, w).selection_
    loss = literal(X, label, list(KFold(4).split(X)), GRID, mean_log_loss, w, tol=1e-8)
    np.testing.assert_allclose(selection.score, loss.mean(axis=0), rtol=1e-4)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize(
    ("scoring", "metric", "n_classes"),
    [
        ("accuracy", lambda y, p, w: accuracy_score(y, p.argmax(axis=1)), 3),
        ("roc_auc", lambda y, p, w: roc_auc_score(y, p[:, 1]), 2),
        ("neg_log_loss", lambda y, p, w: -log_loss(y, p), 3),
        (make_scorer(accuracy_score), lambda y, p, w: accuracy_score(y, p.argmax(axis=1)), 2),
    ],
)
def test_cv_with_a_scorer(scoring, metric, n_classes, penalty):
    X, label = planted(60, 4, n_classes)
    options = {"penalty": penalty, "tol": 1e-8}
    selection = LogisticRegression("cv", grid=GRID, cv=3, scoring=scoring, **options).fit(X, label).selection_
    expected = literal(
        X, label, list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, label)), GRID, metric, **options
    ).mean(axis=0)
    np.testing.assert_allclose(selection.score, expected, rtol=1e-4)
    assert selection.greater_is_better
    assert selection.score[selection.index] == selection.score.max()


def test_holdout_is_one_literal_refit():
    X, label = planted(80, 4)
    split = train_test_split(np.arange(80), test_size=0.25, random_state=3, stratify=label)
    selection = LogisticRegression("holdout", grid=GRID, random_state=3, tol=1e-8).fit(X, label).selection_
    np.testing.assert_allclose(selection.score, literal(X, label, [split], GRID, mean_log_loss, tol=1e-8)[0], rtol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}])
def test_leave_one_out_is_near_literal_refits(penalty, n_classes, options):
    X, label = planted(40, 3, n_classes)
    grid = np.array([0.1, 0.03])
    options = {"penalty": penalty, "tol": 1e-8, **options}
    selection = LogisticRegression("loo", grid=grid, **options).fit(X, label).selection_
    splits = [(np.delete(np.arange(40), i), np.array([i])) for i in range(40)]
    loss = literal(X, label, splits, grid, mean_log_loss, **options).mean(axis=0)
    np.testing.assert_allclose(selection.score, loss, rtol=0.05)
    assert "approximate" in selection.note


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_criteria_are_their_formulas(weighted, n_classes):
    X, label = planted(n_classes=n_classes)
    w = np.random.default_rng(0).integers(1, 4, 120) if weighted else np.ones(120)
    n, grid = w.sum(), [0.2, 0.05, 0.01]
    for rule in ("aic", "bic", "ebic"):
        model = LogisticRegression(rule, grid=grid).fit(X, label, w)
        for p in range(3):
            coef, intercept = model.path_.at(p)
            likelihood = -n * oracles.logistic_loss(X, label, coef, intercept, w)
            k, features = (coef != 0).sum() + n_classes - 1, (coef != 0).any(axis=0).sum()
            expected = {
                "aic": aic(likelihood, k),
                "bic": bic(likelihood, k, n),
                "ebic": ebic(likelihood, k, n, features, 6),
            }[rule]
            assert model.selection_.score[p] == pytest.approx(expected, rel=1e-9)
            assert model.selection_.n_features[p] == features
        assert model.selection_.index == model.selection_.score.argmin()


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
def test_degrees_of_freedom(penalty, n_classes, has_intercept):
    """The trace of H (H + R)^-1 on the coefficients in use, less the intercepts, of which one is not free."""
    X, label = planted(n_classes=n_classes)
    grid = np.array([30.0, 0.1, 0.01])
    model = LogisticRegression("bic", penalty=penalty, grid=grid, fit_intercept=has_intercept).fit(X, label)
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])
    for p, alpha in enumerate(grid):
        coef, intercept = model.path_.at(p)
        q = softmax(oracles.as_scores(X, coef, intercept), axis=1)[:, -len(coef) :]
        blocks = [
            [Z.T @ (Z * (q[:, a] * ((a == b) - q[:, b]) / n)[:, None]) for b in range(len(coef))]
            for a in range(len(coef))
        ]
        used = np.column_stack([coef != 0, np.full(len(coef), has_intercept)]).ravel()
        H = np.block(blocks)[np.ix_(used, used)]
        ridge = np.tile(np.append(np.full(d, alpha * (1 - rho_of(model))), 0.0), len(coef))[used]
        freedom = np.trace(np.linalg.pinv(H + np.diag(ridge), rcond=1e-10) @ H) - has_intercept * (n_classes - 1)
        expected = freedom if (coef != 0).any() else 0.0
        assert model.path_.degrees_of_freedom[p] == pytest.approx(expected, abs=1e-6)


def test_degrees_of_freedom_of_weak_ridges_stay_below_the_coefficients():
    rng = np.random.default_rng(0)
    for _ in range(10):
        X, label = rng.normal(size=(100, 4)), rng.integers(0, 3, 100)
        freedom = LogisticRegression("bic", penalty="l2", grid=20).fit(X, label).path_.degrees_of_freedom
        assert freedom[0] == pytest.approx(0, abs=0.5)
        assert (np.diff(freedom) > -1e-6).all()
        assert freedom[-1] == pytest.approx(8, abs=0.01)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_is_the_chosen_point(n_classes, penalty, rule):
    X, label = planted(80, 5, n_classes)
    model = LogisticRegression(rule, penalty=penalty, grid=8, random_state=0).fit(X, label)
    selection, path = model.selection_, model.path_
    assert (selection.rule, selection.knob, selection.value) == (rule, "alpha", model.alpha_)
    coef, intercept = path.at(selection.index)
    np.testing.assert_array_equal(model.coef_, coef)
    np.testing.assert_array_equal(model.intercept_, intercept)
    assert path.coef.shape == ((8, 5) if n_classes == 2 else (8, n_classes, 5))
    np.testing.assert_allclose(path.l1_norm, np.abs(path.coef).reshape(8, -1).sum(axis=1))
    assert_certified(model, X, label)
    frame = path.to_frame()
    for name in ("n_features", "l1_norm", "log_loss", "dual_gap"):
        np.testing.assert_array_equal(frame[name], getattr(path, name))


# Selecting, names, messages and charts


def assert_valid(chart):
    return json.loads(json.dumps(chart.to_dict(), allow_nan=False))


def test_it_selects():
    X, label = planted(n_classes=3)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = LogisticRegression(0.1).fit(frame, label)
    np.testing.assert_array_equal(model.support_, (model.coef_ != 0).any(axis=0))
    np.testing.assert_array_equal(model.transform(frame), X[:, model.support_])
    names = [c for c, on in zip("abcdef", model.support_) if on]
    assert model.get_feature_names_out().tolist() == names
    drawn = {
        row["feature"]
        for layer in assert_valid(model.path_.plot())["layer"]
        for row in layer["data"]["values"]
        if "feature" in row
    }
    assert drawn == {f"{'abcdef'[j]} ({k})" for k, j in zip(*np.nonzero(model.coef_))}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("rule", "penalty"), [("cv", "l1"), ("bic", "l2"), ("loo", "elasticnet")])
def test_charts_are_valid(rule, penalty, n_classes):
    X, label = planted(n_classes=n_classes)
    model = LogisticRegression(rule, penalty=penalty, grid=6).fit(X, label == 1 if n_classes == 2 else label)
    for chart in (model.selection_.plot(), model.path_.plot("alpha"), model.path_.plot("l1_norm")):
        assert_valid(chart)


def test_charts_survive_hostile_names():
    X, label = planted(n_classes=3)
    names = ["<script>alert(1)</script>", 'it\'s "quoted"', "a.b[0]", "", "7", "x:Q"]
    model = LogisticRegression("cv", grid=5).fit(pd.DataFrame(X, columns=names), np.array(["<b>", '"', "c.d"])[label])
    for chart in (model.path_.plot(), model.path_.plot("l1_norm"), model.selection_.plot()):
        assert_valid(chart)


def test_pickle_and_clone():
    X, label = planted()
    model = LogisticRegression("cv", cv=3, penalty="elasticnet", l1_ratio=0.7).fit(X, label)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.path_.coef, model.path_.coef)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    with pytest.raises(ValueError, match="training rows"):
        again.path_.loo()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be a number >= 0 or a rule"),
        ({"alpha": np.nan}, "alpha must be"),
        ({"alpha": "mdl"}, "'cv', '1se', 'holdout', 'loo', 'bic', 'aic', 'ebic'"),
        ({"penalty": "l0"}, "penalty must be one of 'l1', 'l2', 'elasticnet', got 'l0'"),
        ({"penalty": "elasticnet", "l1_ratio": 1}, "use penalty='l1' or 'l2'"),
        ({"penalty": "elasticnet", "l1_ratio": 0}, "use penalty='l1' or 'l2'"),
        ({"tol": -1}, "tol must be positive"),
        ({"grid": 0}, "grid must be"),
        ({"grid": [-1.0]}, "grid must be"),
        ({"grid_ratio": 1}, "grid_ratio must be between 0 and 1"),
        ({"penalty_factors": [1]}, "one factor per column, got"),
        ({"class_weight": "even"}, "class_weight"),
    ],
)
def test_wrong_parameters_are_told(options, message):
    X, label = planted()
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**options).fit(X, label)


def test_wrong_tables_are_told_by_column_row_and_remedy():
    X, label = planted(4, 2)
    label = np.array([0, 1, 0, 1])
    for make in (pd.DataFrame, pl.DataFrame):
        X[3, 1] = -np.inf
        with pytest.raises(ValueError, match=r"infinity: column 'b', row 3.*replace it"):
            LogisticRegression().fit(make({"a": X[:, 0], "b": X[:, 1]}), label)
    with pytest.raises(ValueError, match="row 1 has no label"):
        LogisticRegression().fit(np.eye(3), np.array(["a", None, "b"], dtype=object))
    with pytest.raises(ValueError, match="continuous"):
        LogisticRegression().fit(np.eye(3), [0.5, 1.5, 2.5])


# Ctrl-C


@pytest.mark.skipif(not hasattr(os, "kill") or sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("rule", "penalty", "n_classes"), [("cv", "l1", 3), ("cv", "l2", 2)])
def test_ctrl_c_stops_a_long_path(rule, penalty, n_classes):
    script = f"""
    import os, signal, threading, time
    import numpy as np
    from vitalfew import LogisticRegression

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 3000)), rng.integers(0, {n_classes}, 1500)
    pressed = []

    def press():
        time.sleep(1.0)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        while True:
            LogisticRegression({rule!r}, penalty={penalty!r}, grid=100, n_jobs=2).fit(X, y)
    except KeyboardInterrupt:
        print("stopped", time.monotonic() - pressed[0])
    print(LogisticRegression(0.1).fit(X[:50, :5], y[:50]).n_features_in_)
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120)
    lines = found.stdout.split()
    assert lines[::2] == ["stopped", "5"], found.stderr
    assert float(lines[1]) < 5  # about a second, on a machine that is not busy
