"""Intervals of errors against their definitions, and how often they hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from vitalfew.evaluation.intervals import bootstrap, effective_rows, of_mean, wilson


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_is_where_the_normal_test_turns(n, share):
    low, high = wilson(share, n)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    z = stats.norm.ppf(0.975)
    for p in (low, high):
        if 1e-9 < p < 1 - 1e-9:
            assert abs(share - p) == pytest.approx(z * np.sqrt(p * (1 - p) / n), rel=1e-6)


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_is_that_of_scipy(wrong, n):
    wrong = min(wrong, n)
    expected = stats.binomtest(wrong, n).proportion_ci(method="wilson")
    assert wilson(wrong / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_error_in_few_rows_is_not_certainty():
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)


def test_mean_is_that_of_students_t():
    loss = np.array([1.0, 4.0, 2.0, 7.0])
    expected = stats.t.interval(0.95, 3, loss.mean(), stats.sem(loss))
    assert of_mean(loss, None) == pytest.approx((max(expected[0], 0), expected[1]))
    assert of_mean(loss, np.full(4, 3.0)) == pytest.approx(of_mean(loss, None))
    assert np.isnan(of_mean(loss[:1], None)).all()


def test_effective_rows():
    assert effective_rows(np.ones(7)) == 7
    assert effective_rows(np.array([1.0, 0.0, 0.0])) == 1


def test_bootstrap_of_a_mean_is_near_students_t():
    loss = np.random.default_rng(0).gamma(2, size=300)
    assert bootstrap(lambda rows: loss[rows].mean(), 300) == pytest.approx(of_mean(loss, None), rel=0.02)


def test_groups_are_drawn_whole():
    groups = np.repeat(np.arange(10), 20)
    loss = groups.astype(float)
    seen = []

    def error(rows):
        seen.append(np.bincount(groups[rows], minlength=10))
        return loss[rows].mean()

    low, high = bootstrap(error, 200, groups, n_draws=50)
    assert all((counts % 20 == 0).all() for counts in seen)
    alone = bootstrap(lambda rows: loss[rows].mean(), 200)
    assert high - low > 3 * (alone[1] - alone[0])
    assert np.isnan(bootstrap(error, 20, np.zeros(20, dtype=int))).all()


def test_draws_without_a_class_are_left_out():
    def fussy(rows):
        if 0 not in rows:
            raise ValueError("one class")
        return float(len(np.unique(rows)))

    assert np.isfinite(bootstrap(fussy, 5)).all()

    def never(rows):
        raise ValueError("one class")

    assert np.isnan(bootstrap(never, 5)).all()
