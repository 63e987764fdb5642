"""Exact cuts in the tails of columns, against all cuts tested one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from strategies import SEEDS
from vitalfew import AdaBoost, DecisionTree
from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.coding.tail_cuts import MAX_P_CHANCE, tail_cuts


def slow_p_chance(value, label, n_classes):
    """The smallest p-value of all cuts, and whether the largest class differs between the sides."""
    found = []
    for cut in np.unique(value)[1:]:
        table = np.array([np.bincount(label[s], minlength=n_classes) for s in (value < cut, value >= cut)])
        table = table[:, table.sum(axis=0) > 0]
        p = chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
        found.append((p, table[0].argmax() != table[1].argmax()))
    return min(found)


@given(SEEDS, st.integers(2, 60), st.integers(2, 4))
def test_a_bin_is_cut_where_chance_is_unlikely(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    value = rng.integers(0, rng.choice([3, 20, 1000]), n) / 7
    label = np.where(rng.random(n) < 0.3, rng.integers(0, n_classes, n), (value > rng.choice(value)).astype(int))
    label = label.astype(np.int32)
    cuts = tail_cuts(value, label, n_classes, 4)
    if len(np.unique(value)) < 2 or len(np.unique(label)) < 2:
        assert cuts is None
        return
    p, differs = slow_p_chance(value, label, n_classes)
    p *= 4 * (len(np.unique(value)) - 1)
    if abs(p - MAX_P_CHANCE) > 1e-9:
        assert (cuts is not None) == (p < MAX_P_CHANCE and differs)
    if cuts is not None:
        np.testing.assert_array_equal(np.searchsorted(cuts, np.unique(value)), np.arange(len(cuts) + 1))


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("n", [20_000, 60_000])
def test_a_rare_tail_is_found(n, direction):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = direction * X[:, 1] > np.sort(direction * X[:, 1])[-34]
    assert y.sum() == 33
    tree = DecisionTree().fit(X, y)
    np.testing.assert_array_equal(tree.predict(X), y)
    assert tree.tree_.n_leaves == 2
    np.testing.assert_array_equal(AdaBoost(3).fit(X, y).predict(X), y)


def test_other_bins_stay_as_they_are():
    """Without a rare tail labels change nothing; the bins of a tail are added to those there are."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 2))
    plain, labeled, rare = BinCoder(), BinCoder(), BinCoder()
    plain.fit(X)
    labeled.fit(X, (X[:, 0] + rng.normal(size=5000) > 0).astype(np.int32))
    rare.fit(X, (X[:, 0] > 2.9).astype(np.int32))
    for own, other in zip(plain.cuts, labeled.cuts, strict=True):
        np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(rare.cuts[0][: len(plain.cuts[0])], plain.cuts[0])
    np.testing.assert_array_equal(rare.cuts[1], plain.cuts[1])
    tail = np.sort(X[X[:, 0] > plain.cuts[0][-1], 0])
    np.testing.assert_array_equal(rare.cuts[0][len(plain.cuts[0]) :], tail[:-1] / 2 + tail[1:] / 2)
