"""`ForwardFittingClassifier` against one-dimensional fits of every candidate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from planted import scaled_classes as planted
from strategies import SEEDS
from vitalfew import ForwardFittingClassifier, LogisticRegression

KINDS = [np.asfortranarray, np.ascontiguousarray, sparse.csc_array]


def scores_of(f):
    """Scores of all classes from linear predictors."""
    return np.column_stack([np.zeros(len(f)), f]) if f.shape[1] == 1 else f


def loss(f, label, w):
    return -w @ log_softmax(scores_of(f), axis=1)[np.arange(len(label)), label]


def least(f, along, label, w, width=0.1):
    """Return the step along a direction that minimizes the loss."""
    return minimize_scalar(lambda t: loss(f + t * along, label, w), bracket=(-width, width), tol=1e-14)


def fit_intercepts(f, label, w):
    """Each output's constant in turn, until nothing moves."""
    f = f.copy()
    for _ in range(60):
        before = loss(f, label, w)
        for c in range(f.shape[1]):
            unit = np.eye(f.shape[1])[c]
            f += least(f, unit, label, w, width=1).x * unit
        if before - loss(f, label, w) < 1e-15:
            break
    return f


def naive(X, label, steps, w, has_intercept, is_myopic, rate, n_outputs):
    """(feature, output, change, loss) of each step."""
    f = np.zeros((len(label), n_outputs))
    lines = []
    if has_intercept:
        f = fit_intercepts(f, label, w)
    for _ in range(steps):
        found = []
        for c in range(n_outputs):
            for j in range(X.shape[1]):
                along = np.outer(X[:, j], np.eye(n_outputs)[c])
                if is_myopic:
                    own = label == (1 if n_outputs == 1 else c)
                    p = np.exp(log_softmax(scores_of(f), axis=1))[:, 1 if n_outputs == 1 else c]
                    found.append((-abs((w * (own - p)) @ X[:, j]), c, j))
                else:
                    found.append((least(f, along, label, w).fun, c, j))
        _, c, j = min(found)
        along = np.outer(X[:, j], np.eye(n_outputs)[c])
        t = rate * least(f, along, label, w).x
        f = f + t * along
        if has_intercept:
            f = fit_intercepts(f, label, w)
        lines.append((j, c, t, loss(f, label, w)))
    return lines


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_myopic", [False, True])
def test_steps_are_the_formulas(is_myopic, n_classes, kind):
    X, label = planted(n_classes=n_classes)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(label))
    for has_intercept, rate in ((True, 1.0), (False, 0.5)):
        options = {"myopic": is_myopic, "fit_intercept": has_intercept, "learning_rate": rate}
        path = ForwardFittingClassifier(5, **options).fit(kind(X), label, weight).path_
        n_outputs = 1 if n_classes == 2 else n_classes
        lines = naive(X, label, 5, weight / weight.sum(), has_intercept, is_myopic, rate, n_outputs)
        assert path.steps.column.tolist() == [c * X.shape[1] + j for j, c, _, _ in lines]
        np.testing.assert_allclose(path.steps.change, [t for _, _, t, _ in lines], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(path.log_loss[1:], [value for _, _, _, value in lines], rtol=1e-7)


@given(SEEDS, st.booleans())
def test_bounds_never_miss_the_best(seed, has_intercept):
    X, label = planted(60, 6, seed=seed)
    if len(np.unique(label)) < 2:
        return
    path = ForwardFittingClassifier(3, fit_intercept=has_intercept).fit(X, label).path_
    lines = naive(X, label, 3, np.full(60, 1 / 60), has_intercept, False, 1.0, 1)
    np.testing.assert_allclose(path.log_loss[1:], [value for _, _, _, value in lines][: len(path.grid) - 1], rtol=1e-6)


def test_many_steps_end_at_the_unpenalized_fit():
    X, label = planted(200)
    model = ForwardFittingClassifier(2000).fit(X, label)
    free = LogisticRegression(0.0, tol=1e-10).fit(X, label)
    np.testing.assert_allclose(model.coef_, free.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), free.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rule", ["cv", "1se", "bic", "aic", "ebic", "holdout"])
def test_rules_choose(rule, n_classes):
    X, label = planted(300, n_classes=n_classes)
    model = ForwardFittingClassifier(rule, max_steps=15, random_state=0).fit(X, label)
    assert model.support_[0] or model.support_[1]
    assert model.steps_ == model.path_.grid[model.selection_.index]


def test_table():
    X, label = planted(n_classes=3)
    frame = pd.DataFrame(X, columns=list("abcde"))
    table = ForwardFittingClassifier(4).fit(frame, np.array(["x", "y", "z"])[label]).path_.to_frame()
    assert table.columns.tolist() == ["iteration", "feature", "change", "J"]
    assert table["feature"][0] in {f"{a} ({c})" for a in "abcde" for c in "xyz"}
    assert (np.diff(table["J"]) < 0).all()


def test_separated_classes_do_not_overflow():
    X, _ = planted()
    model = ForwardFittingClassifier(30).fit(X, X[:, 0] > 0)
    assert np.isfinite(model.coef_).all()
    assert (model.predict(X) == (X[:, 0] > 0)).all()


def test_threads_do_not_matter():
    X, label = planted(500, 40)
    a, b = (ForwardFittingClassifier(10, n_jobs=n).fit(X, label) for n in (1, 2))
    np.testing.assert_array_equal(a.coef_, b.coef_)


def test_leave_one_out_is_refused():
    X, label = planted()
    with pytest.raises(ValueError, match="steps='loo' is not supported by this model"):
        ForwardFittingClassifier("loo").fit(X, label)
