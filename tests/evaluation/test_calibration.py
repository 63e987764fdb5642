"""The exponent of probabilities against a grid, and scores of any model."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from vitalfew.evaluation.calibration import LEAST, RANGE, as_log, scores_of, temperature, tempered


def held_out(exponent, n=400, n_classes=3, seed=0):
    """Labels drawn from probabilities, and these probabilities to the power of one over the exponent."""
    rng = np.random.default_rng(seed)
    true = log_softmax(1.5 * rng.normal(size=(n, n_classes)), axis=1)
    label = np.array([rng.choice(n_classes, p=p) for p in np.exp(true)])
    return log_softmax(true / exponent, axis=1), label


def loss(log_probability, label, exponent):
    powers = exponent * log_probability
    return (logsumexp(powers, axis=1) - powers[np.arange(len(label)), label]).mean()


@pytest.mark.parametrize("exponent", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_temperature_is_the_best_of_a_grid(exponent, n_classes):
    found, label = held_out(exponent, n_classes=n_classes)
    t = temperature(found, label)
    grid = np.exp(np.linspace(*RANGE, 400))
    best = min(loss(found, label, g) for g in grid)
    assert loss(found, label, t) <= best + 1e-4
    assert t == pytest.approx(exponent, rel=0.3)


def test_certain_and_wrong_is_moved_to_equality_and_certain_and_right_to_certainty():
    sure = np.log([[0.999, 0.001]] * 10)
    assert temperature(sure, np.arange(10) % 2) == pytest.approx(np.exp(RANGE[0]), rel=0.05)
    assert temperature(sure / 10, np.zeros(10, dtype=int)) == pytest.approx(np.exp(RANGE[1]), rel=0.05)
    flat = np.log(np.full((10, 4), 0.25))
    assert temperature(flat, np.arange(10) % 4) == 1.0


def test_tempered_is_normalized_and_keeps_the_class():
    found, _ = held_out(1.0)
    for t in (0.05, 1.0, 7.0):
        own = tempered(found.astype(np.float32), t)
        np.testing.assert_allclose(np.exp(own).sum(axis=1), 1)
        assert (own.argmax(axis=1) == found.argmax(axis=1)).all()
    np.testing.assert_allclose(tempered(found, 1.0), found, atol=1e-12)


def test_logarithms_are_finite_and_normalized_up_to_the_floor():
    p = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    found = as_log(p)
    assert np.isfinite(found).all()
    assert np.exp(found).sum(axis=1) == pytest.approx([1, 1], abs=2 * LEAST)
    assert found[0, 1] == pytest.approx(np.log(LEAST / 3), abs=1e-3)


def test_scores_of_models_with_and_without_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    for n_classes in (2, 4):
        y = np.arange(60) % n_classes
        bayes, vectors = GaussianNB().fit(X, y), LinearSVC(random_state=0).fit(X, y)
        np.testing.assert_allclose(scores_of(bayes, X), as_log(bayes.predict_proba(X)))
        for model in (bayes, vectors):
            found = scores_of(model, X)
            assert found.shape == (60, n_classes)
            assert (found.argmax(axis=1) == model.predict(X)).all()
    line = LinearRegression().fit(X, X[:, 0])
    np.testing.assert_allclose(scores_of(line, X), X[:, 0])
