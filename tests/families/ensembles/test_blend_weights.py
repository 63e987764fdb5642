"""Greedy weights of a blend, against a search that evaluates every average from its rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss, mean_squared_error

from strategies import SEEDS
from vitalfew.families.ensembles.blend_weights import blend_weights


def loss_of(weights, predictions, target, is_classification, sample_weight=None):
    """Loss of an average of the models."""
    mean = np.tensordot(weights, predictions, axes=1)
    if not is_classification:
        return mean_squared_error(target, mean, sample_weight=sample_weight)
    mean = mean / mean.sum(axis=1, keepdims=True)
    return log_loss(target, mean, sample_weight=sample_weight, labels=np.arange(mean.shape[1]))


def slow_weights(predictions, target, is_classification, sample_weight=None, n_steps=50):
    """The same search, every average computed anew."""
    bag, seen = [], []
    for _ in range(n_steps):
        ways = [np.bincount([*bag, j], minlength=len(predictions)) / (len(bag) + 1) for j in range(len(predictions))]
        losses = [loss_of(way, predictions, target, is_classification, sample_weight) for way in ways]
        bag.append(int(np.argmin(losses)))
        seen.append((min(losses), ways[bag[-1]]))
    return min(seen, key=lambda one: one[0])[1]


@st.composite
def problems(draw, is_classification=None):
    """Predictions of noisy models, a target and weights of rows or None."""
    rng = np.random.default_rng(draw(SEEDS))
    if is_classification is None:
        is_classification = draw(st.booleans())
    n_models, n_rows, n_classes = draw(st.integers(1, 6)), draw(st.integers(1, 30)), draw(st.integers(2, 4))
    noise = rng.uniform(0.2, 2, n_models)
    if is_classification:
        target = rng.integers(0, n_classes, n_rows)
        score = 1.5 * np.eye(n_classes)[target] + noise[:, None, None] * rng.normal(size=(n_models, n_rows, n_classes))
        predictions = np.exp(score) / np.exp(score).sum(axis=2, keepdims=True)
    else:
        target = rng.normal(size=n_rows)
        predictions = target + noise[:, None] * rng.normal(size=(n_models, n_rows))
    weight = rng.integers(1, 4, n_rows).astype(float) if draw(st.booleans()) else None
    return predictions, target, is_classification, weight


@given(problems(), st.integers(1, 12))
def test_the_weights_are_those_of_the_slow_search(problem, n_steps):
    predictions, target, is_classification, weight = problem
    found = blend_weights(
        predictions, target, is_classification=is_classification, sample_weight=weight, n_steps=n_steps
    )
    expected = slow_weights(predictions, target, is_classification, weight, n_steps)
    np.testing.assert_allclose(found, expected)


@given(problems())
def test_the_weights_are_shares_and_no_single_model_is_better(problem):
    predictions, target, is_classification, weight = problem
    found = blend_weights(predictions, target, is_classification=is_classification, sample_weight=weight)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)
    alone = [loss_of(one, predictions, target, is_classification, weight) for one in np.eye(len(predictions))]
    assert loss_of(found, predictions, target, is_classification, weight) <= min(alone) * (1 + 1e-9) + 1e-12


@given(problems(), SEEDS)
def test_permuted_models_have_permuted_weights(problem, seed):
    predictions, target, is_classification, weight = problem
    order = np.random.default_rng(seed).permutation(len(predictions))
    options = {"is_classification": is_classification, "sample_weight": weight}
    expected = blend_weights(predictions, target, **options)[order]
    np.testing.assert_allclose(blend_weights(predictions[order], target, **options), expected)


@given(problems(), SEEDS)
def test_a_weight_of_two_is_a_row_twice(problem, seed):
    predictions, target, is_classification, _ = problem
    times = np.random.default_rng(seed).integers(0, 3, len(target))
    times[0] = 1
    rows = np.repeat(np.arange(len(target)), times)
    weighted = blend_weights(predictions, target, is_classification=is_classification, sample_weight=times)
    repeated = blend_weights(predictions[:, rows], target[rows], is_classification=is_classification)
    np.testing.assert_allclose(weighted, repeated)


@given(problems(is_classification=False), st.sampled_from([1e-150, 1e-3, 1e3, 1e150, 1e300]))
def test_the_unit_of_the_target_does_not_matter(problem, unit):
    predictions, target, _, weight = problem
    options = {"is_classification": False, "sample_weight": weight}
    expected = blend_weights(predictions, target, **options)
    np.testing.assert_allclose(blend_weights(predictions * unit, target * unit, **options), expected)


def test_opposite_errors_cancel():
    target = np.linspace(-1, 1, 9)
    predictions = np.stack([target + 3, target - 1, target + 50])
    np.testing.assert_allclose(blend_weights(predictions, target, is_classification=False), [0.25, 0.75, 0])


@pytest.mark.parametrize("is_classification", [True, False])
def test_equal_models_share_nothing(is_classification):
    target = np.array([0, 1, 1, 0])
    one = np.full((4, 2), 0.5) if is_classification else np.full(4, 0.5)
    found = blend_weights(np.stack([one, one, one]), target, is_classification=is_classification)
    np.testing.assert_array_equal(found, [1, 0, 0])


def test_one_step_takes_the_best_model():
    target = np.zeros(3)
    predictions = np.array([[1.0, 1, 1], [-0.5, 1, -0.5], [0.5, -1, 0.5]])
    found = blend_weights(predictions, target, is_classification=False, n_steps=1)
    np.testing.assert_array_equal(found, [0, 1, 0])


def test_a_model_that_rules_out_a_class_wrongly_is_not_taken():
    target = np.array([0, 1])
    certain = np.array([[1.0, 0.0], [1.0, 0.0]])
    vague = np.array([[0.6, 0.4], [0.4, 0.6]])
    found = blend_weights(np.stack([certain, vague]), target, is_classification=True)
    assert found[1] > 0.5
    only = blend_weights(certain[None], target, is_classification=True)
    np.testing.assert_array_equal(only, [1])


def test_exact_models_are_taken_at_once():
    target = np.array([1.0, 2.0])
    found = blend_weights(np.stack([target + 1, target, target]), target, is_classification=False)
    np.testing.assert_array_equal(found, [0, 1, 0])


def test_what_cannot_be_weighed_is_refused():
    target, numbers = np.zeros(3), np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"must have shape \(n_models, n_rows\) with n_rows = 3, got \(2, 4\)"):
        blend_weights(np.zeros((2, 4)), target, is_classification=False)
    with pytest.raises(ValueError, match=r"\(n_models, n_rows, n_classes\)"):
        blend_weights(numbers, target, is_classification=True)
    with pytest.raises(ValueError, match="at least one model"):
        blend_weights(np.zeros((0, 3)), target, is_classification=False)
    with pytest.raises(ValueError, match="predictions of model 1 contain NaN"):
        blend_weights(np.stack([target, target * np.nan]), target, is_classification=False)
    with pytest.raises(ValueError, match="n_steps must be an integer number of steps >= 1, got 0"):
        blend_weights(numbers, target, is_classification=False, n_steps=0)
    with pytest.raises(ValueError, match="sample_weight is zero"):
        blend_weights(numbers, target, is_classification=False, sample_weight=np.zeros(3))
    with pytest.raises(ValueError, match="row 1 has no value"):
        blend_weights(numbers, np.array([0, np.nan, 0]), is_classification=False)
