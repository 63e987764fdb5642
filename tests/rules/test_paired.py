"""Choice by paired differences of held-out losses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitalfew.rules.paired import held_out, losses_by_fold, prefer, standard_error, within_noise


def test_the_preferred_option_wins_ties_and_loses_clear_cases():
    rng = np.random.default_rng(0)
    hard = (rng.random(400) < 0.3).astype(float)
    easy = hard * (rng.random(400) < 0.3)
    assert prefer(np.array([hard, hard]), 1) == 1
    assert prefer(np.array([hard, easy]), 0) == 1
    # One sample more is one standard error: not enough to leave the preferred option.
    slip = easy.copy()
    slip[np.argmin(easy)] = 1
    assert prefer(np.array([slip, easy]), 0) == 0


def test_the_difference_is_paired():
    # Both err on half of the samples, the second on ten more: unpaired noise would hide that.
    first = np.tile([0.0, 1.0], 500)
    second = first.copy()
    second[:20:2] = 1
    loss = np.array([first, second])
    assert (second.mean() - first.mean()) < standard_error(loss).max()
    assert within_noise(loss, 0).tolist() == [True, False]


@pytest.mark.parametrize("n_folds", [0, 2, 5])
@given(label=st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_folds_hold_out_each_row_at_most_once_and_leave_every_class_a_row(label, n_folds):
    _, code = np.unique(label, return_inverse=True)
    folds = held_out(code.astype(np.int32), n_folds, 0)
    rows = np.concatenate(folds) if folds else np.empty(0, int)
    assert len(np.unique(rows)) == len(rows)
    for test in folds:
        assert set(code[test]) <= set(np.delete(code, test))


def test_losses_are_of_rows_that_were_not_trained_on():
    folds = [np.array([3, 0]), np.array([2])]

    def losses(train, test):
        assert not set(train) & set(test)
        return np.array([test * 1.0, -test])

    np.testing.assert_array_equal(losses_by_fold(losses, 5, folds), [[3, 0, 2], [-3, 0, -2]])
