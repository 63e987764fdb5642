"""`GreedySubsetClassifier` against the naive loop that refits every candidate with scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Peer

from planted import named_classes as planted
from strategies import SEEDS
from vitalfew import GreedySubsetClassifier
from vitalfew.exceptions import SeparationWarning, SmallerModelWarning

KINDS = [np.asfortranarray, np.ascontiguousarray, sparse.csc_array]


def log_loss(X, y, columns, weight=None, has_intercept=True):
    """Mean log loss of the unpenalized fit of some columns."""
    w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    classes, label = np.unique(y, return_inverse=True)
    if not len(columns):
        share = np.bincount(label, weights=w) / w.sum() if has_intercept else np.full(len(classes), 1 / len(classes))
        return float(-w @ np.log(share[label]) / w.sum())
    part = X[:, list(columns)]
    if has_intercept:
        part = (part - part.mean(axis=0)) / part.std(axis=0)
    peer = Peer(C=np.inf, tol=1e-10, max_iter=10_000, fit_intercept=has_intercept, solver="newton-cg").fit(part, y, w)
    return float(-w @ peer.predict_log_proba(part)[np.arange(len(y)), label] / w.sum())


def naive(X, y, k, has_intercept=True, weight=None):
    """Losses and subsets of the forward search."""
    chosen, losses = [], [log_loss(X, y, [], weight, has_intercept)]
    while len(chosen) < k:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        tried = [log_loss(X, y, [*chosen, j], weight, has_intercept) for j in left]
        chosen.append(left[int(np.argmin(tried))])
        losses.append(min(tried))
    return chosen, losses


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_forward_is_the_naive_loop(kind, n_classes, has_intercept):
    X, y = planted(n_classes=n_classes)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = GreedySubsetClassifier(4, fit_intercept=has_intercept).fit(kind(X), y, weight)
    chosen, losses = naive(X, y, 4, has_intercept, weight)
    for k in range(5):
        assert set(model.path_.subset(k)) == set(chosen[:k])
    np.testing.assert_allclose(model.path_.log_loss, losses, rtol=1e-6)
    scores = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), scores[:, 0] if n_classes == 2 else scores, atol=1e-9)
    proba = model.predict_proba(X)
    label = np.searchsorted(model.classes_, y)
    np.testing.assert_allclose(-weight @ np.log(proba[np.arange(len(y)), label]) / weight.sum(), losses[-1], rtol=1e-6)


@given(SEEDS, st.sampled_from([2, 3]), st.integers(4, 6))
def test_any_data(seed, n_classes, d):
    X, y = planted(120, d + 1, n_classes, seed, strength=0.5)
    X = X[:, 1:]
    if len(np.unique(y)) < n_classes:
        return
    model = GreedySubsetClassifier(2).fit(X, y)
    _, losses = naive(X, y, 2)
    np.testing.assert_allclose(model.path_.log_loss, losses, rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_backward_removes_what_is_least_needed(n_classes):
    X, y = planted(n_classes=n_classes)
    path = GreedySubsetClassifier(6, direction="backward").fit(X, y).path_
    subset = set(range(6))
    for k in range(5, -1, -1):
        tried = {j: log_loss(X, y, sorted(subset - {j})) for j in subset}
        out = min(tried, key=tried.get)
        subset -= {out}
        assert set(path.subset(k)) == subset
        assert path.log_loss[k] == pytest.approx(tried[out], rel=1e-6)


def test_steps_back_find_a_pair_that_forward_misses():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 6))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=600)
    y = 3 * (X[:, 0] + X[:, 1]) + rng.logistic(size=600) > 0
    assert set(GreedySubsetClassifier(2).fit(X, y).subset_) != {0, 1}
    assert set(GreedySubsetClassifier(3, direction="both").fit(X, y).path_.subset(2)) == {0, 1}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rule", ["cv", "1se", "loo", "bic", "aic", "ebic", "holdout"])
def test_rules_choose(rule, n_classes):
    X, y = planted(300, n_classes=n_classes)
    model = GreedySubsetClassifier(rule, random_state=0).fit(X, y)
    assert {1, 4} <= set(model.subset_) if rule != "1se" else 1 in model.subset_
    assert model.k_ == len(model.subset_)
    assert (model.predict(X) == y).mean() > 0.5


def test_groups_enter_together():
    X, y = planted()
    model = GreedySubsetClassifier(2, feature_groups=[[0, 1], [4, 5]]).fit(X, y)
    assert set(model.subset_) == {0, 1, 4, 5}


def test_threads_do_not_matter():
    X, y = planted(400, 12)
    a, b = (GreedySubsetClassifier(4, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(a.path_.coef, b.path_.coef)


def test_separated_classes_end_the_path_with_a_warning():
    X, _ = planted(60)
    y = X[:, 2] > 0
    with pytest.warns(SeparationWarning, match="perfectly separated by 1 variable"), pytest.warns(SmallerModelWarning):
        model = GreedySubsetClassifier(3).fit(X, y)
    assert model.k_ == 1
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.coef_).all()


def test_constant_and_copied_columns():
    X, y = planted()
    X = np.column_stack([np.ones(len(y)), X[:, 1], X, X[:, 1]])
    model = GreedySubsetClassifier("bic").fit(X, y)
    assert 0 not in model.subset_
    assert not {1, 3, 8} <= set(model.subset_)


def test_units_do_not_matter():
    X, y = planted()
    scale = 10.0 ** np.linspace(-6, 6, 6)
    a, b = GreedySubsetClassifier(3).fit(X, y), GreedySubsetClassifier(3).fit(X * scale + 7 * scale, y)
    np.testing.assert_allclose(a.coef_, b.coef_ * scale, rtol=1e-5, atol=1e-7)


def test_class_weights_are_weights():
    X, y = planted()
    a = GreedySubsetClassifier(2, class_weight={"no": 2.0, "yes": 1.0}).fit(X, y)
    b = GreedySubsetClassifier(2).fit(X, y, np.where(y == "no", 2.0, 1.0))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-7)


def test_names_in_the_table():
    X, y = planted()
    model = GreedySubsetClassifier(2).fit(pd.DataFrame(X, columns=list("abcdef")), y)
    assert set(model.path_.to_frame()["enters"]) == {"", "b", "e"}
    assert list(model.get_feature_names_out()) == ["b", "e"]
    assert "variables k" in model.path_.plot().to_json()


def test_backward_says_when_rows_are_too_few():
    X, y = planted(10, 20)
    with pytest.raises(ValueError, match="requires more rows than columns, got 10 rows and 20 columns"):
        GreedySubsetClassifier(2, direction="backward").fit(X, y)


def test_one_class_is_refused():
    X, _ = planted()
    with pytest.raises(ValueError, match="only one class"):
        GreedySubsetClassifier(2).fit(X, np.zeros(len(X)))
