"""Depth, leave-one-out and the code of exceptions of `DecisionTree`, against definitions."""

from itertools import pairwise
from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut

import tree_oracles as oracle
from planted import split_classes as planted
from tree_tables import PLAIN, grow, read, same_tree, tables
from vitalfew import DecisionTree
from vitalfew.families.trees.tree_family import TreeFamily
from vitalfew.families.trees.tree_path import PruningPath
from vitalfew.rules.scoring import score_predictions


@given(tables(), st.integers(0, 5))
def test_pruning_by_depth_is_growth_up_to_it(table, depth):
    data = read(*table)
    pruned = PruningPath.of("max_depth", grow(data), np.array([depth]), None).at(0)
    same_tree(pruned, grow(data, max_depth=depth, max_leaves=0 if depth else 1))
    assert pruned.depth <= depth


@pytest.mark.parametrize("rule", ["cv", "1se", "holdout", "bic", "mdl"])
def test_a_rule_chooses_the_depth(rule):
    X, y = planted(500)
    model = DecisionTree(max_depth=rule, random_state=0, **PLAIN).fit(X, y)
    whole = DecisionTree(**PLAIN).fit(X, y)
    assert model.selection_.knob == "max_depth"
    assert model.selection_.grid.tolist() == list(range(whole.tree_.depth + 1))
    assert model.tree_.depth == model.selection_.value < whole.tree_.depth
    again = DecisionTree(max_depth=int(model.selection_.value), **PLAIN).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_depth_comes_before_the_other_knobs():
    X, y = planted(300)
    model = DecisionTree(max_depth="cv", leaves="cv", mdl_weight="mdl", random_state=0).fit(X, y)
    assert list(model.selections_) == ["max_depth", "leaves", "mdl_weight"]
    assert model.tree_.depth <= model.selections_["max_depth"].value
    assert DecisionTree(max_depth=0).fit(X, y).tree_.n_leaves == 1


def test_the_selection_is_that_of_the_last_rule():
    """The description length of the tree is a fixed trade-off by default, which chose nothing."""
    X, y = planted(300)
    model = DecisionTree(leaves="CV").fit(X, y)
    assert (model.selection_.knob, model.selection_.rule, model.path_.knob) == ("leaves", "cv", "leaves")
    assert model.selections_["mdl_weight"].rule == "fixed"
    assert model.tree_.n_leaves <= model.selection_.value
    fixed = DecisionTree().fit(X, y)
    assert (fixed.selection_.knob, fixed.selection_.rule) == ("mdl_weight", "fixed")
    upper, lower = (DecisionTree(mdl_weight=rule).fit(X, y) for rule in ("MDL", "mdl"))
    np.testing.assert_array_equal(upper.selection_.grid, lower.selection_.grid)


@settings(max_examples=15)
@given(tables(max_rows=15), st.sampled_from(["max_depth", "max_p_chance", "leaves", "mdl_weight"]))
def test_leave_one_out_is_n_fits(table, knob):
    data = read(*table)
    family = TreeFamily(knob, "gain_ratio", 2.0, None, 0, (), 1, False)
    path = family.path(data)
    everyone = np.arange(data.n_rows)
    expected = []
    for i in everyone:
        without = PruningPath.of(knob, grow(data.take(everyone[everyone != i])), path.grid, None)
        expected.append(without.predict(data.take(everyone[[i]]))[0])
    found = PruningPath(knob, path.grid, path.tree, path.opened, 1, "adaptive", data, family).loo()
    assert found.is_exact
    np.testing.assert_array_equal(found.prediction, expected)


@pytest.mark.parametrize("knob", ["max_depth", "leaves"])
def test_the_rule_loo_minimizes_the_leave_one_out_error(knob):
    X, y = planted(80)
    weight = np.random.default_rng(0).uniform(1, 3, len(y))
    by_folds = DecisionTree(**{**PLAIN, knob: "cv"}, cv=LeaveOneOut()).fit(X, y)
    model = DecisionTree(**{**PLAIN, knob: "loo"}).fit(X, y)
    np.testing.assert_allclose(model.selection_.score, by_folds.selection_.score, atol=1e-12)
    assert model.selection_.value == by_folds.selection_.value
    note = "80 trees, each grown without one sample; bins are computed from all rows"
    assert model.selection_.note == f"exact; {note}"
    assert model.path_.data is model.path_.family is None
    weighted = DecisionTree(**{**PLAIN, knob: "loo"}).fit(X, y, sample_weight=weight)
    data = read(X, y, weight, None)
    family = TreeFamily(knob, "gain_ratio", 2.0, None, 0, (), 1, False)
    path = PruningPath.of(knob, grow(data), weighted.selection_.grid, None)
    prediction = PruningPath(knob, path.grid, path.tree, path.opened, 1, "adaptive", data, family).loo().prediction
    expected = score_predictions(prediction, data, "error")
    np.testing.assert_allclose(weighted.selection_.score, expected.value, atol=1e-12)


def exceptions_length(tree, kept):
    """Data nats and model nats of a pruned tree whose labels are sent as a list of exceptions, leaf by leaf."""
    n_classes = tree.weight.shape[1]
    data, model = 0.0, 0.0
    stack = [(0, 2)]
    while stack:
        node, b = stack.pop()
        if node in kept:
            model += log(b) + log(tree.n_features) + log(tree.choices[node])
            own = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
            stack.extend((child, len(own)) for child in own)
            continue
        model += log(n_classes) - log(1 - 1 / b)
        n = round(tree.weight[node].sum())
        e = n - round(tree.weight[node].max())
        rest = e + 1.0
        while rest > 1:
            rest = log(rest)
            data += max(rest, 0)
        data += log(comb(n, e)) + e * log(max(n_classes - 1, 1))
    return data, model


@given(tables(max_rows=14, kinds=(None, "integer"), may_miss=False), st.sampled_from([0.0, 0.3, 1.0, 3.0]))
def test_exceptions_are_pruned_to_the_best_of_all_prunings(table, factor):
    tree = grow(read(*table), min_leaf=1.0, max_leaves=9)
    path = PruningPath.of("mdl_weight", tree, np.array([factor]), None, code="exceptions")
    kept = frozenset(np.flatnonzero(path.opened == 0).tolist())
    totals = {splits: exceptions_length(tree, splits) for splits in oracle.prunings(tree)}
    least = min(data + factor * model for data, model in totals.values())
    assert totals[kept][0] + factor * totals[kept][1] == pytest.approx(least, abs=1e-9)
    length = path.description_length()
    np.testing.assert_allclose((length.data[0], length.model[0]), totals[kept], atol=1e-9)


def test_no_mistakes_cost_no_bits():
    """The lecture's code: only the samples that the tree does not explain are described."""
    X = np.repeat(np.eye(4), 25, axis=0)
    y = np.repeat([0, 1, 1, 0], 25)
    model = DecisionTree(mdl_weight="mdl", code="exceptions").fit(X, y)
    frame = model.path_.to_frame()
    assert model.score(X, y) == 1
    assert frame["data_bits"].iloc[model.selection_.index] == 0
    adaptive = DecisionTree(mdl_weight="mdl").fit(X, y)
    assert adaptive.path_.to_frame()["data_bits"].iloc[adaptive.selection_.index] > 0


@pytest.mark.parametrize("code", ["adaptive", "exceptions"])
def test_the_rule_mdl_is_a_weight_of_one(code):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=3000) > 0).astype(int)
    by_rule = DecisionTree(mdl_weight="mdl", code=code).fit(X, y)
    by_number = DecisionTree(mdl_weight=1, code=code).fit(X, y)
    same_tree(by_rule.tree_, by_number.tree_)
    frame = by_rule.path_.to_frame()
    total = frame["data_bits"] + frame["model_bits"]
    assert total[by_rule.selection_.index] == pytest.approx(total.min(), abs=1e-9)
    assert all(a <= b for a, b in pairwise(frame["n_leaves"]))
    half = DecisionTree(code=code).fit(X, y)
    assert half.tree_.n_leaves > by_rule.tree_.n_leaves


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="code must be one of 'adaptive', 'exceptions', got 'plain'"):
        DecisionTree(code="plain").fit([[0.0], [1.0]], [0, 1])
