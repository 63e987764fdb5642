"""Tables for the tests of trees, and trees grown on them."""

import numpy as np
from hypothesis import strategies as st

import tree_oracles as oracle
from strategies import SEEDS, weights
from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.families.trees.tree_family import TreeFamily

PLAIN = {"mdl_weight": None}


@st.composite
def tables(draw, max_rows=40, kinds=(None, "integer", "fractional"), may_miss=True):
    """Numbers, categories, constants, copies, missing values, weights, and labels that depend on some of them."""
    n, d = draw(st.integers(4, max_rows)), draw(st.integers(1, 5))
    n_classes = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(SEEDS))
    X = np.empty((n, d))
    is_category = rng.random(d) < 0.4
    for j in range(d):
        X[:, j] = rng.integers(0, rng.choice([1, 2, 4, 9]), n) if rng.random() < 0.7 else rng.normal(size=n)
        if is_category[j]:
            X[:, j] = rng.integers(0, 4, n)
    if d > 1 and rng.random() < 0.3:
        X[:, -1] = X[:, 0]
        is_category[-1] = is_category[0]
    y = np.where(
        rng.random(n) < 0.3, rng.integers(0, n_classes, n), np.nan_to_num(X).sum(axis=1).astype(int) % n_classes
    )
    y[:2] = [0, 1]
    if may_miss and draw(st.booleans()):
        X[rng.random((n, d)) < 0.2] = np.nan
    return X, y, draw(weights(n, kinds)), np.flatnonzero(is_category).tolist()


def read(X, y, weight, categories, max_bins=255):
    return BinnedData.read(X, y, weight, BinCoder(max_bins, categories))


def columns_of(data):
    bins = data.bins
    size = np.diff(bins.offsets) - 1
    return [oracle.Column(bins.codes[:, j], int(size[j]), bool(bins.is_category[j])) for j in range(len(size))]


def grow(data, criterion="gain_ratio", min_leaf=2.0, threads=1, max_leaves=0, max_depth=None):
    return TreeFamily("leaves", criterion, min_leaf, max_depth, max_leaves, (), threads, False).grow(data)


def same_tree(a, b):
    for name in ("feature", "cut", "parent", "first_child", "n_children", "level", "branch", "choices"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-9, atol=1e-12)
