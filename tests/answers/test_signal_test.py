"""Permutation test of the verdict: exact under the null hypothesis, and sensitive to planted signals."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse

from vitalfew.answers.columns import normal_scores, prepared
from vitalfew.answers.exchangeable import exchangeable_rows
from vitalfew.answers.signal_test import Candidates, combined_statistics, signal_test
from vitalfew.exceptions import TimeBudgetError
from vitalfew.support.deadline import deadline

LEVEL = 0.1


def rejected(draw, draws, **options):
    """Count the draws (X, y, groups) that the test rejects at `LEVEL`."""
    count = 0
    for seed in range(draws):
        X, y, groups = draw(np.random.default_rng(seed))
        classes = np.asarray(y).dtype.kind != "f"
        test = signal_test(
            X, y, is_classification=classes, groups=groups, n_permutations=199, level=LEVEL, seed=seed, **options
        )
        count += test.p_value <= LEVEL
    return count


NOISE = {
    "numbers": lambda r: (r.standard_normal((30, 5)), r.standard_t(1.5, 30), None),
    "classes": lambda r: (r.standard_normal((40, 60)), r.integers(0, 3, 40), None),
    "unbalanced": lambda r: (r.lognormal(size=(60, 10)), r.permutation(np.arange(60) < 4), None),
    "categories": lambda r: (np.eye(4)[r.integers(0, 4, (40, 5))].reshape(40, -1), r.integers(0, 2, 40), None),
    "words": lambda r: (
        sparse.random_array((60, 80), density=0.1, rng=r, format="csr"),
        r.integers(0, 2, 60),
        None,
    ),
}


@pytest.mark.parametrize("name", NOISE)
def test_noise_is_rejected_as_often_as_the_level_says(name):
    # Binomial(80, 0.1) is above 17 with probability 0.0006.
    assert rejected(NOISE[name], 80) <= 17


def grouped(random, constant):
    """Draw columns and a target that share no signal, but depend on groups of unequal size."""
    groups = np.repeat(np.arange(25), random.integers(2, 7, 25))
    noise = 0.0 if constant else 0.5
    X = random.standard_normal((25, 6))[groups] + 0.3 * random.standard_normal((len(groups), 6))
    y = random.standard_normal(25)[groups] + noise * random.standard_normal(len(groups))
    return X, y, groups


@pytest.mark.parametrize("constant", [False, True])
def test_dependent_rows_of_groups_are_no_signal(constant):
    assert rejected(lambda random: grouped(random, constant), 80) <= 17
    # Without groups, the same rows are taken for a signal.
    assert rejected(lambda random: (*grouped(random, constant)[:2], None), 20) >= 15


def planted(random, signal, n=100):
    X = random.standard_normal((n, 5))
    X[:, 3:] = X[:, 3:] > 0
    score = {
        "linear": X[:, 0],
        "square": X[:, 1] ** 2,
        "pair": X[:, 0] * X[:, 1],
        "xor": (2 * X[:, 3] - 1) * (2 * X[:, 4] - 1),
    }
    return X, score[signal] / score[signal].std() * 0.55 + random.standard_normal(n), None


@pytest.mark.parametrize("signal", ["linear", "square", "pair", "xor"])
def test_planted_signals_are_found(signal):
    assert rejected(lambda random: planted(random, signal), 20) >= 17


def test_signals_within_groups_are_found():
    def draw(random):
        X, _, groups = grouped(random, False)
        return X, X[:, 0] + random.standard_normal(len(X)), groups

    assert rejected(draw, 20) >= 17


@pytest.mark.parametrize("y", [[0, 0, 0, 1, 1], [0.3, -1.0, 2.0, 5.0, 0.1]])
def test_p_values_are_exact_over_all_permutations(y):
    X = np.random.default_rng(1).standard_normal((5, 3))
    candidates = Candidates(prepared(X), 1)
    orders = np.array(list(permutations(range(5))))
    y = np.array(y, dtype=float) - np.mean(y)
    combined = combined_statistics(candidates.scores(y[orders].T[:, :, None]), candidates.weights)
    p_values = np.mean(combined >= combined[:, None] - 1e-9, axis=1)
    for p in np.unique(p_values):
        np.testing.assert_allclose(np.mean(p_values <= p), p)


def test_drawn_permutations_estimate_the_exact_p_value():
    X, y = np.random.default_rng(3).standard_normal((6, 2)), np.array([0.0, 1.0, 3.0, 2.0, 5.0, 4.0])
    X[:, 0] += y
    candidates = Candidates(prepared(X), 1)
    orders = np.array(list(permutations(range(6))))
    scores = normal_scores(y)
    combined = combined_statistics(candidates.scores(scores[orders].T[:, :, None]), candidates.weights)
    exact = np.mean(combined >= combined[0] - 1e-9)
    drawn = signal_test(X, y, is_classification=False, n_permutations=3000, level=0.9).p_value
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact / 3000) + 0.001)


def test_statistics_do_not_depend_on_order_and_units():
    random = np.random.default_rng(0)
    X = np.hstack([random.lognormal(size=(60, 4)), random.random((60, 2)) < 0.5])
    y = random.integers(0, 3, 60)
    expected = signal_test(X, y, is_classification=True)
    rows, columns = random.permutation(60), random.permutation(6)
    for changed in (
        signal_test(X[rows], y[rows], is_classification=True),
        signal_test(X[:, columns], y, is_classification=True),
        signal_test(X * [1e6, 3.0, 1e-6, 2.0, 5.0, 7.0] - 4, y, is_classification=True),
        signal_test(X, np.array(["c", "a", "b"])[y], is_classification=True),
    ):
        assert changed.statistics == pytest.approx(expected.statistics, abs=1e-6)
    same = signal_test(X, y, is_classification=True)
    assert same == expected


def test_monotone_transformations_of_the_target_change_nothing():
    X, y, _ = planted(np.random.default_rng(0), "linear")
    assert signal_test(X, y, is_classification=False) == signal_test(X, np.exp(3 * y), is_classification=False)


def test_equal_blocks_of_unequal_groups():
    groups = np.repeat(np.arange(5), [1, 3, 4, 4, 6])
    X = np.column_stack([groups, np.arange(18)])
    rows = exchangeable_rows(X, np.arange(18.0), groups, False, np.random.default_rng(0))
    assert rows.size == 1
    assert len(rows.y) == 5
    rows = exchangeable_rows(X[1:], np.arange(17.0), groups[1:], False, np.random.default_rng(0))
    assert rows.size == 3
    assert len(rows.y) == 12
    blocks = rows.X.reshape(4, 3, 2)
    assert np.all(blocks[:, :, 0] == blocks[:, :1, 0])
    np.testing.assert_array_equal(rows.X[:, 1] - 1, rows.y)


def test_few_large_groups_cannot_show_a_signal():
    X, y, _ = planted(np.random.default_rng(0), "linear", n=9000)
    groups = np.repeat([0, 1, 2], 3000)
    assert signal_test(X, y, is_classification=False, groups=groups).p_value >= 1 / 6


def test_constant_groups_become_rows():
    groups = np.array(["b", "a", "b", "c"])
    rows = exchangeable_rows(
        np.arange(8.0).reshape(4, 2), np.array([1, 0, 1, 1]), groups, True, np.random.default_rng(0)
    )
    order = np.argsort(rows.X[:, 0])
    np.testing.assert_array_equal(rows.X[order], [[2, 3], [2, 3], [6, 7]])
    np.testing.assert_array_equal(np.sort(rows.y), [0, 1, 1])


def test_rare_classes_are_drawn_more_often():
    random = np.random.default_rng(0)
    y = random.permutation(np.arange(50_000) < 300).astype(int)
    rows = exchangeable_rows(np.zeros((50_000, 1)), y, None, True, random)
    assert rows.y.sum() == 300
    assert len(rows.y) <= 20_000


def test_many_rows():
    random = np.random.default_rng(0)
    X = random.standard_normal((30_000, 3))
    y = np.sort(X[:, 0] + 8 * random.standard_normal(30_000))
    assert signal_test(X, y, is_classification=False, n_permutations=99).p_value > 0.03
    shuffled = X[:, 0] + 8 * random.standard_normal(30_000)
    assert signal_test(X, shuffled, is_classification=False, n_permutations=99).p_value == 0.01


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.ones((10, 3)), np.arange(10.0)),
        (np.empty((10, 0)), np.arange(10.0)),
        (np.arange(10.0)[:, None], np.ones(10)),
        (sparse.csr_array((10, 4)), np.arange(10.0)),
        (np.ones((1, 2)), np.ones(1)),
    ],
)
def test_constant_tables_have_no_signal(X, y):
    assert signal_test(X, y, is_classification=False).p_value == 1


def test_the_deadline_stops_the_test():
    X, y, _ = planted(np.random.default_rng(0), "linear")
    with deadline(0), pytest.raises(TimeBudgetError):
        signal_test(X, y, is_classification=False)
