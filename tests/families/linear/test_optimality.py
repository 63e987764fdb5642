"""Optimality conditions of the logistic path at its default tolerance, and certificates that miss their tolerance."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from vitalfew import Lasso, LogisticRegression, Moments
from vitalfew.families.linear.logistic import kkt_violation


def problem(kind):
    """Return a matrix and labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 300) if kind == "wide" else (600, 30))
    X[:, 1:] += X[:, :-1]
    score = X[:, 0] - X[:, 3] + X[:, 7]
    if kind == "sparse":
        X = sparse.csr_array((rng.random((600, 80)) < 0.05) * rng.integers(1, 4, (600, 80)).astype(float))
        score = np.asarray(X[:, :9].sum(axis=1)).ravel() - 1.0
    if kind == "units":
        X = (X + 3) * 10.0 ** rng.integers(-5, 6, X.shape[1])
    if kind == "three":
        return X, np.digitize(score + rng.logistic(size=len(score)), [-1, 1])
    noise = 0.0 if kind == "separable" else 1.0
    return X, score + noise * rng.logistic(size=len(score)) > 0


KINDS = ["dense", "units", "wide", "sparse", "separable", "three"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", ["l1", "elasticnet", "l2"])
@pytest.mark.parametrize("alpha", [0.3, 0.03, 0.003])
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SeparationWarning")
def test_the_default_tolerance_leaves_small_violations(kind, penalty, alpha):
    X, y = problem(kind)
    model = LogisticRegression(alpha, penalty=penalty).fit(X, y)
    data = model._read(X, y, None)
    violation = kkt_violation(model.coef_, model.intercept_, data, alpha, model._family(data), model.path_.scale)
    assert violation * len(y) <= 1e-6
    assert violation == pytest.approx(model.kkt_violation_)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SeparationWarning")
def test_all_points_of_a_ridge_path_have_small_violations(kind):
    X, y = problem(kind)
    model = LogisticRegression("bic" if kind != "wide" else "cv", penalty="l2", grid=12, grid_ratio=1e-5).fit(X, y)
    data = model._read(X, y, None)
    family = model._family(data)
    for p, alpha in enumerate(model.path_.grid):
        violation = kkt_violation(*model.path_.at(p), data, alpha, family, model.path_.scale)
        assert violation * len(y) <= 1e-6


def test_weights_and_a_missing_intercept_are_no_exception():
    X, y = problem("dense")
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    for options in ({"fit_intercept": False}, {"class_weight": "balanced"}, {"penalty_factors": np.linspace(0, 2, 30)}):
        model = LogisticRegression(0.02, **options).fit(X, y, weight)
        assert model.kkt_violation_ * weight.sum() <= 1e-6


def test_the_refined_point_is_that_of_a_tight_tolerance():
    X, y = problem("dense")
    for penalty in ("l1", "elasticnet"):
        near = LogisticRegression(0.02, penalty=penalty).fit(X, y)
        tight = LogisticRegression(0.02, penalty=penalty, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(near.coef_, tight.coef_, atol=1e-6)
        np.testing.assert_array_equal(near.support_, tight.support_)


TOO_TIGHT = 1e-300
PATHS = [
    Lasso("bic", tol=TOO_TIGHT),
    Lasso("bic", l1_ratio=0.5, tol=TOO_TIGHT),
    Lasso("bic", feature_groups=np.arange(30) // 3, tol=TOO_TIGHT),
    LogisticRegression("bic", tol=TOO_TIGHT),
    LogisticRegression("bic", penalty="elasticnet", tol=TOO_TIGHT),
    LogisticRegression("bic", penalty="l2", grid=8, tol=TOO_TIGHT),
]


@pytest.mark.parametrize("model", PATHS, ids=repr)
def test_a_certificate_that_misses_its_tolerance_warns(model):
    X, y = problem("dense")
    with pytest.warns(ConvergenceWarning, match=r"the duality gap exceeds tol=1e-300 .* increase tol or the smallest"):
        model.fit(X, y.astype(float))
    assert model.path_.dual_gap.max() > TOO_TIGHT


def test_a_certificate_of_several_classes_and_of_moments_warns():
    X, y = problem("three")
    with pytest.warns(ConvergenceWarning):
        LogisticRegression(0.01, tol=TOO_TIGHT).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        Lasso("bic", tol=TOO_TIGHT).fit_moments(Moments.from_data(X, y))


def test_rules_do_not_warn_once_a_fold():
    X, y = problem("dense")
    with pytest.warns(ConvergenceWarning) as caught:
        LogisticRegression("cv", grid=8, tol=TOO_TIGHT).fit(X, y)
    assert len(caught) == 1


def test_ordinary_data_do_not_warn():
    X, y = load_breast_cancer(return_X_y=True)
    for penalty in ("l1", "l2"):
        model = LogisticRegression("cv", penalty=penalty).fit(X, y)
        assert model.path_.dual_gap.max() <= model.tol
