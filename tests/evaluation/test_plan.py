"""Plans keep groups together, respect time, have every class in every part, and seal only where rows are many."""

import numpy as np
import pytest

from vitalfew.evaluation.plan import make_plan, seals


def check(plan, n):
    """Every row is tested once, by models of the other rows."""
    assert (np.sort(np.concatenate([test for _, test in plan.splits])) == np.arange(n)).all()
    for train, test in plan.splits:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) + len(test) == n
    return plan


@pytest.mark.parametrize(("n", "folds"), [(20, 10), (299, 10), (300, 5), (19_999, 5), (20_000, 3)])
@pytest.mark.parametrize("is_numeric", [False, True])
def test_number_of_folds(n, folds, is_numeric):
    target = np.arange(n) % 2
    plan = check(make_plan(target, is_numeric=is_numeric), n)
    assert len(plan.splits) == folds
    assert plan.sentence.startswith(f"{n:,} rows in {folds} folds")
    assert ("stratified" in plan.sentence) == (not is_numeric)


def test_every_class_is_in_every_training_and_test_part():
    rng = np.random.default_rng(0)
    target = rng.permutation(np.repeat([0, 1, 2], [150, 20, 5]))
    plan = check(make_plan(target, is_numeric=False), 175)
    assert len(plan.splits) == 5  # as many as rows of the rarest class
    for train, test in plan.splits:
        assert set(target[train]) == set(target[test]) == {0, 1, 2}
        np.testing.assert_allclose(np.bincount(target[test]) * 5, [150, 20, 5], atol=5)


@pytest.mark.parametrize("is_numeric", [False, True])
@pytest.mark.parametrize("n_groups", [2, 3, 40])
def test_groups_are_never_split(n_groups, is_numeric):
    rng = np.random.default_rng(1)
    groups = np.array([f"patient {g}" for g in rng.integers(0, n_groups, 200)])
    target = rng.integers(0, 2, 200)
    plan = check(make_plan(target, is_numeric=is_numeric, groups=groups), 200)
    assert len(plan.splits) == min(10, n_groups)
    assert "keep groups together" in plan.sentence
    for train, test in plan.splits:
        assert not set(groups[train]) & set(groups[test])


def test_tests_come_after_training_in_time():
    rng = np.random.default_rng(2)
    time = rng.permutation(100)
    plan = make_plan(np.arange(100.0), is_numeric=True, time=time)
    assert "earlier rows" in plan.sentence
    tested = np.concatenate([test for _, test in plan.splits])
    assert len(set(tested)) == len(tested)
    for train, test in plan.splits:
        assert time[train].max() < time[test].min()


def test_the_seed_decides():
    target = np.arange(100) % 2
    a, b, other = (make_plan(target, is_numeric=False, seed=s).splits for s in (0, 0, 1))
    assert all((p[1] == q[1]).all() for p, q in zip(a, b))
    assert not all((p[1] == q[1]).all() for p, q in zip(a, other))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((500, 499), False), ((500, 500), True), ((801, 199), False), ((800, 200), True), ((5000, 5000, 199), False)],
)
def test_a_part_is_sealed_where_rows_and_rare_classes_are_many(counts, expected):
    label = np.repeat(np.arange(len(counts)), counts)
    assert seals(label, False, 0.25) == expected
    assert seals(label.astype(float), True, 0.25) == (len(label) >= 1000)
