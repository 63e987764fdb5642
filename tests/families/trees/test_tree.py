"""`DecisionTree` against plain twins of its kernels, scikit-learn, scipy, and all prunings of small trees."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import tree_oracles as oracle
from planted import split_classes as planted
from tree_tables import PLAIN, columns_of, grow, read, same_tree, tables
from vitalfew import DecisionTree, _core
from vitalfew.exceptions import RuleError
from vitalfew.families.trees.tree_family import TreeFamily
from vitalfew.families.trees.tree_path import KNOBS, PruningPath
from vitalfew.rules import supported_rules
from vitalfew.rules.path import Run
from vitalfew.rules.scoring import score_predictions

UCI = Path(__file__).resolve().parents[4] / "shared" / "data" / "uci"


@given(tables(), st.sampled_from(["gain_ratio", "gain"]), st.sampled_from([1.0, 2.0, 3.5]))
def test_every_split_is_the_best_there_is(table, criterion, min_leaf):
    data = read(*table)
    tree, columns, k = grow(data, criterion, min_leaf), columns_of(data), len(data.classes)
    walk = oracle.Walk.of(tree, columns, data.weights)
    for node in range(tree.n_nodes):
        rows = walk.rows[node]
        sums = oracle.class_sums(data.label[rows.index], rows.weight, k)
        np.testing.assert_allclose(tree.weight[node], sums, rtol=1e-9, atol=1e-12)
        merit, gains = oracle.merits(columns, rows, data.label, k, min_leaf, criterion)
        j = tree.feature[node]
        if j < 0:
            assert gains.max() < 1e-7
            continue
        own = oracle.worth(columns[j], rows, tree.cut[node], data.label, k, min_leaf)
        assert own.is_allowed
        assert tree.gain[node] == pytest.approx(own.gain, abs=1e-8)
        assert (own.gain if criterion == "gain" else own.gain / own.info) == pytest.approx(merit.max(), abs=1e-8)
        known = columns[j].code[rows.index]
        distinct = len(np.unique(known[known != columns[j].missing]))
        assert tree.choices[node] == (1 if columns[j].is_category else distinct - 1)


@given(tables())
def test_nodes_are_split_in_the_order_of_their_gain(table):
    tree = grow(read(*table))
    open_nodes, number = {0}, 1
    for node in sorted(np.flatnonzero(tree.is_split), key=lambda v: tree.first_child[v]):
        best = max(tree.gain[v] for v in open_nodes)
        assert node == min(v for v in open_nodes if tree.gain[v] == best)
        assert tree.first_child[node] == number
        own = range(number, number + tree.n_children[node])
        open_nodes = (open_nodes - {node}) | set(own)
        number += len(own)
    assert number == tree.n_nodes


@given(tables(), st.integers(1, 8))
def test_growth_that_stops_early_is_a_part_of_the_whole(table, most):
    data = read(*table)
    path = PruningPath.of("leaves", grow(data), None, float(most))
    index = int(np.flatnonzero(path.grid == most)[0])
    same_tree(grow(data, max_leaves=most), path.at(index))


@given(tables(kinds=("integer",)))
def test_weights_are_repetitions(table):
    X, y, weight, categories = table
    repeats = weight.astype(int)
    a = grow(read(X, y, weight, categories))
    b = grow(read(np.repeat(X, repeats, axis=0), np.repeat(y, repeats), None, categories))
    same_tree(a, b)


@pytest.mark.parametrize("max_bins", [255, 5000])
@pytest.mark.parametrize("kind", ["plain", "weighted", "missing"])
def test_threads_do_not_matter(kind, max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    y = (X[:, :4].sum(axis=1) + rng.normal(size=len(X)) > 0).astype(int) + (X[:, 5] > 1)
    if kind == "missing":
        X[rng.random(X.shape) < 0.02] = np.nan
    data = read(X, y, rng.uniform(0.5, 2, len(X)) if kind == "weighted" else None, None, max_bins)
    one, two = (grow(data, threads=t, min_leaf=20.0) for t in (1, 2))
    same_tree(one, two)
    np.testing.assert_array_equal(one.weight, two.weight)
    np.testing.assert_array_equal(one.predict_proba(data.bins, 1), one.predict_proba(data.bins, 2))
    early = [grow(data, threads=t, min_leaf=20.0, max_leaves=30) for t in (1, 2)]
    same_tree(*early)
    path = PruningPath.of("leaves", one, np.array([30.0]), None)
    same_tree(early[0], path.at(0))


@given(tables(), tables())
def test_probabilities_are_those_of_the_definition(table, other):
    X, y, weight, categories = table
    data = read(X, y, weight, categories)
    tree = grow(data)
    new = np.full((len(other[0]), X.shape[1]), 7.0)  # a category that was not seen in training
    width = min(X.shape[1], other[0].shape[1])
    new[:, :width] = other[0][:, :width]
    bins = data.coder.transform(new)
    size = np.diff(bins.offsets) - 1
    columns = [oracle.Column(bins.codes[:, j], int(size[j]), bool(bins.is_category[j])) for j in range(len(size))]
    np.testing.assert_allclose(tree.predict_proba(bins), oracle.proba(tree, columns), atol=1e-12)


@given(tables(), st.sampled_from(sorted(KNOBS)))
def test_paths_are_nested_and_their_sums_are_those_of_their_trees(table, knob):
    data = read(*table)
    path = PruningPath.of(knob, grow(data), None, None)
    if knob != "mdl_weight":  # without a weight on the model's bits labels alone may still be shorter without a split
        assert path.n_leaves[-1] == path.tree.n_leaves
    child = np.arange(1, path.tree.n_nodes)
    assert (path.opened[child] >= path.opened[path.tree.parent[child]]).all()
    assert (np.diff(path.n_leaves) >= 0).all()
    steps = np.diff(path.grid)
    assert (steps > 0).all() if KNOBS[knob].grows else (steps < 0).all()
    found, length = path.log_likelihood(), path.description_length()
    everything = path.predict(data)
    for p in range(len(path.grid)):
        tree = path.at(p)
        assert (tree.n_leaves, tree.support.sum()) == (path.n_leaves[p], path.n_features[p])
        leaves = ~tree.is_split
        likelihood = tree.log_likelihood[leaves].sum()
        assert found.log_likelihood[p] == pytest.approx(likelihood, abs=1e-8)
        assert found.n_parameters[p] == tree.n_leaves * (len(data.classes) - 1) + tree.is_split.sum()
        kept = set(np.flatnonzero(path.opened <= p).tolist())
        np.testing.assert_allclose((length.data[p], length.model[p]), oracle.code_length(path.tree, kept), atol=1e-8)
        np.testing.assert_allclose(everything[:, p], tree.predict_proba(data.bins), atol=1e-12)
        wrong = tree.wrong[leaves].sum() / tree.total[0]
        assert path.training_error[p] == pytest.approx(wrong, abs=1e-12)


@given(tables(), st.sampled_from(sorted(KNOBS)))
def test_errors_of_a_path_need_no_probabilities(table, knob):
    data = read(*table)
    path = PruningPath.of(knob, grow(data), None, None)
    quick, plain = path.default_scores(data), score_predictions(path.predict(data), data, "error")
    np.testing.assert_allclose(quick.value, plain.value, atol=1e-12)
    np.testing.assert_allclose(quick.standard_error, plain.standard_error, atol=1e-10)


@given(tables(may_miss=False, kinds=(None, "integer")))
def test_chance_is_that_of_the_chi_square_test(table):
    tree = grow(read(*table))
    for node in np.flatnonzero(tree.is_split):
        first = tree.first_child[node]
        counts = tree.weight[first : first + tree.n_children[node]]
        counts = counts[:, counts.sum(axis=0) > 0]
        assert tree.p_chance[node] == pytest.approx(chi2_contingency(counts, correction=False).pvalue, rel=1e-8)
    assert (tree.p_chance[~tree.is_split] == 1).all()


@given(tables(), st.sampled_from([0.0, 1e-3, 0.05, 0.5, 1.0]))
def test_a_split_stays_if_it_or_one_below_is_no_chance(table, most):
    tree = grow(read(*table))
    path = PruningPath.of("max_p_chance", tree, np.array([most]), None)

    def stays(node):
        own = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        return tree.is_split[node] and (tree.p_chance[node] <= most or any(stays(c) for c in own))

    assert (path.opened == 0).tolist() == [bool(stays(v)) for v in range(tree.n_nodes)]


@given(tables(max_rows=14), st.sampled_from([0.0, 0.1, 0.3, 1.0, 3.0]))
def test_pruning_by_description_length_is_the_best_of_all_prunings(table, factor):
    tree = grow(read(*table), min_leaf=1.0, max_leaves=9)
    path = PruningPath.of("mdl_weight", tree, np.array([factor]), None)
    kept = frozenset(np.flatnonzero(path.opened == 0).tolist())

    def total(splits):
        data, model = oracle.code_length(tree, splits)
        return data + factor * model

    least = min(total(splits) for splits in oracle.prunings(tree))
    assert total(kept) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_tree_is_that_of_scikit_learn(seed):
    """Trees agree if the best split is unique, every value has its own bin, and a leaf may hold one row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=200) > 0).astype(int) + (X[:, 3] > 1)
    ours = DecisionTree(criterion="gain", min_leaf=1, max_depth=4, **PLAIN).fit(X, y)
    peer = DecisionTreeClassifier(criterion="entropy", max_depth=4, random_state=0).fit(X, y)
    assert ours.tree_.n_leaves == peer.get_n_leaves()
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)
    whole = DecisionTree(criterion="gain", min_leaf=1, **PLAIN).fit(X, y)
    assert (whole.predict(X) == y).all()
    assert whole.tree_.n_leaves == pytest.approx(
        DecisionTreeClassifier(criterion="entropy").fit(X, y).get_n_leaves(), abs=3
    )


def test_rules_that_paths_support():
    assert supported_rules(PruningPath) == ["cv", "1se", "holdout", "loo", "bic", "aic", "ebic", "mdl"]


@pytest.mark.parametrize("knob", sorted(KNOBS))
@pytest.mark.parametrize("rule", ["cv", "1se", "holdout", "bic", "aic", "mdl"])
def test_rules_choose(rule, knob):
    X, y = planted(500)
    model = DecisionTree(**{**PLAIN, knob: rule}, random_state=0).fit(X, y)
    assert {1, 3} <= set(model.get_support(indices=True))
    assert model.tree_.n_leaves < DecisionTree(**PLAIN).fit(X, y).tree_.n_leaves
    assert model.selection_.rule == rule
    assert model.score(X, y) > 0.8


def test_a_scorer_decides():
    X, y = planted(400)
    model = DecisionTree(leaves="cv", scoring="neg_log_loss", **PLAIN).fit(X, y)
    assert model.selection_.greater_is_better
    assert 2 <= model.tree_.n_leaves < 20


def test_knobs_prune_one_after_the_other():
    X, y = planted(500)
    model = DecisionTree(max_p_chance=0.01, leaves="cv", mdl_weight=2.0, random_state=0).fit(X, y)
    assert list(model.selections_) == ["max_p_chance", "leaves", "mdl_weight"]
    first = DecisionTree(max_p_chance=0.01, **PLAIN).fit(X, y)
    assert model.selections_["leaves"].grid[-1] == first.tree_.n_leaves
    second = DecisionTree(max_p_chance=0.01, leaves="cv", random_state=0, **PLAIN).fit(X, y)
    assert model.tree_.n_leaves <= second.tree_.n_leaves
    assert model.selection_ is model.selections_["leaves"]  # the last that a rule chose


@pytest.mark.parametrize(
    ("knob", "values"), [("max_p_chance", [0, 0.01, 1]), ("leaves", [1, 3, 99]), ("mdl_weight", [9, 1, 0])]
)
def test_numbers_go_from_simple_to_complex(knob, values):
    X, y = planted()
    models = [DecisionTree(**{**PLAIN, knob: v}).fit(X, y) for v in values]
    sizes = [m.tree_.n_leaves for m in models]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    for model, value in zip(models, values):
        assert model.selection_.value == value
        assert model.tree_.n_leaves == model.path_.n_leaves[model.selection_.index]
        assert model.selection_.plot().to_dict()
        assert model.path_.plot().to_dict()


def frame(n=400):
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "green", "blue", "</script>"], n)
    size = rng.uniform(0, 10, n)
    y = np.where((color == "red") | (size > 7), "yes", "no")
    return pd.DataFrame({"color": color, "size": size, "noise": rng.normal(size=n)}), y


def test_categories_have_a_branch_each_and_new_ones_count_as_missing():
    X, y = frame()
    model = DecisionTree().fit(X, y)
    assert model.score(X, y) > 0.99
    by_color = model.tree_.feature == 0
    assert (model.tree_.n_children[by_color] == 4).any()
    new = X.head(3).assign(color=["violet", None, np.nan])
    shares = model.predict_proba(new.assign(size=1.0))
    np.testing.assert_allclose(shares, shares[[0, 0, 0]])
    assert (shares[0] > 0.05).all()
    assert list(model.get_feature_names_out()) == ["color", "size"]
    assert model.transform(X).shape == (len(X), 2)


def test_numbers_that_are_named_categories():
    X = np.tile([[0.0], [1.0], [2.0]], (50, 1))
    y = (X[:, 0] == 1).astype(int)
    assert DecisionTree(categorical_features=[0]).fit(X, y).tree_.n_children[0] == 3
    assert DecisionTree(**PLAIN).fit(X, y).tree_.n_children[0] == 2
    with pytest.raises(ValueError, match="categorical_features contains 'size'"):
        DecisionTree(categorical_features=["size"]).fit(X, y)


def test_words_and_drawing():
    X, y = frame()
    model = DecisionTree().fit(X, y)
    text = model.export_text()
    assert "size <= 6.9" in text or "size <= 7.0" in text
    assert "color = red: yes (100.0% of" in text
    assert len(model.rules()) == model.tree_.n_leaves
    assert sum("color = red" in rule for rule in model.rules()) >= 1
    assert model.export_text(max_depth=1).count("\n") + 1 == model.tree_.n_children[0]
    drawn = model.plot()
    page = drawn.to_json()
    assert "</script" not in page
    assert drawn.to_dict()["title"].startswith(f"{model.tree_.n_leaves} leaves")
    table = model.tree_.to_frame()
    assert len(table) == model.tree_.n_nodes
    assert table["weight of yes"][0] == (y == "yes").sum()


def test_a_range_is_said_once():
    X = np.linspace(0, 1, 400)[:, None]
    y = ((X[:, 0] > 0.3) & (X[:, 0] < 0.6)).astype(int)
    rules = DecisionTree().fit(X, y).rules()
    assert any(rule.count("x0") == 2 and rule.startswith("x0 > ") and " and x0 <= " in rule for rule in rules)


def test_large_trees_are_drawn_in_part():
    X, y = planted(2000)
    model = DecisionTree(min_leaf=1, **PLAIN).fit(X, y)
    drawn = model.plot().to_dict()
    assert "levels are shown" in drawn["title"]
    assert "..." in model.export_text(max_depth=2)


def test_importances_and_support():
    X, y = planted(500)
    model = DecisionTree().fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert ((model.feature_importances_ > 0) == model.support_).all()
    stump = DecisionTree(leaves=1, **PLAIN).fit(X, y)
    assert not stump.support_.any()
    assert (stump.feature_importances_ == 0).all()
    assert stump.export_text().endswith("of 500)")


def test_class_weights_are_weights():
    X, y = planted(n_classes=2)
    labels = np.where(y == 0, "no", "yes")
    a = DecisionTree(class_weight={"no": 2.0, "yes": 1.0}).fit(X, labels)
    b = DecisionTree().fit(X, labels, np.where(y == 0, 2.0, 1.0))
    same_tree(a.tree_, b.tree_)
    balanced = DecisionTree(class_weight="balanced", leaves=1, **PLAIN).fit(X, labels)
    np.testing.assert_allclose(balanced.predict_proba(X[:1]), [[0.5, 0.5]])


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 20)) < 0.8, 0.0, rng.normal(size=(300, 20)).round(1))
    y = (X[:, 3] > 0) | (X[:, 5] != 0)
    a, b = DecisionTree().fit(X, y), DecisionTree().fit(sparse.csr_array(X), y)
    same_tree(a.tree_, b.tree_)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(sparse.csr_array(X)))


def test_sparse_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("vitalfew.data.coding.bins.MOST_DENSE_CODES", 100)
    X = sparse.eye_array(30).tocsr()
    with pytest.raises(ValueError, match=r"sparse X has 30 x 30 .* Select columns first"):
        DecisionTree().fit(X, np.arange(30) % 2)


def test_many_distinct_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 1))
    y = (X[:, 0] > 1).astype(int)
    model = DecisionTree(max_bins=65_535).fit(X, y)
    assert model.score(X, y) > 0.9999
    assert DecisionTree(**PLAIN).fit(X, y).score(X, y) > 0.99


def test_constant_features_leave_the_root():
    model = DecisionTree().fit(np.ones((10, 3)), np.arange(10) % 2)
    assert model.tree_.n_nodes == 1
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.5, 0.5]])
    assert model.plot().to_dict()
    missing = DecisionTree().fit(np.full((10, 2), np.nan), np.arange(10) % 2)
    assert missing.tree_.n_nodes == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_p_chance": 2}, "max_p_chance must be a probability between 0 and 1, None or a rule, got 2"),
        ({"leaves": 0}, "leaves must be an integer >= 1"),
        ({"mdl_weight": -1.0}, "mdl_weight must be a weight >= 0"),
        ({"mdl_weight": True}, "mdl_weight must be"),
        ({"criterion": "gini"}, "criterion must be one of 'gain_ratio', 'gain', got 'gini'"),
        ({"min_leaf": 0}, "min_leaf must be a positive weight"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0, None or a rule, got -1"),
        ({"max_bins": 1}, "max_bins must be an integer between 2 and 65535"),
        ({"class_weight": "even"}, "class_weight must be one of 'balanced'"),
    ],
)
def test_bad_parameters(change, message):
    X, y = planted(50)
    with pytest.raises(ValueError, match=message):
        DecisionTree(**change).fit(X, y)


def test_a_rule_that_is_none_is_refused():
    with pytest.raises(RuleError, match="leaves='oob' is not supported by this model"):
        DecisionTree(leaves="oob").fit(*planted(50))


def test_bad_data_and_a_failed_fit_changes_nothing():
    X, y = planted(50)
    model = DecisionTree().fit(X[:, :2], y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="only one class, \\[7\\]"):
        model.fit(X, np.full(50, 7))
    bad = X.copy()
    bad[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity: column 'x2', row 3"):
        model.fit(bad, y)
    with pytest.raises(ValueError, match="must not be negative, got -1 at row 0"):
        model.fit(X, y, -np.ones(50))
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(X, None)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": np.array([0, 1, 2], dtype=np.int32)}, "labels must be in"),
        ({"label": np.array([0, 1], dtype=np.int32)}, "labels and weights must have one entry per row"),
        ({"weight": np.array([1.0, -1.0, 1.0])}, "weights must be finite and not negative"),
        ({"weight": np.zeros(3)}, "all weights are zero"),
        ({"codes": np.full((3, 1), 9, dtype=np.uint8, order="F")}, "code out of range"),
        ({"offset": np.array([0, 1], dtype=np.int64)}, "each feature must have at least one bin"),
    ],
)
def test_the_kernel_checks_its_bounds(change, message):
    given = {
        "codes": np.asfortranarray(np.array([[0], [1], [1]], dtype=np.uint8)),
        "offset": np.array([0, 3], dtype=np.int64),
        "is_category": np.zeros(1, dtype=np.uint8),
        "label": np.array([0, 1, 1], dtype=np.int32),
        "weight": None,
        **change,
    }
    with pytest.raises(ValueError, match=message):
        _core.grow_tree(**given, request=_core.TreeRequest(n_classes=2))


def test_a_tree_with_children_out_of_range_is_refused():
    X, y = planted(100)
    data = read(X, y, None, None)
    tree = grow(data)
    for name in ("first_child", "feature", "parent"):
        with pytest.raises(ValueError, match=r"out of range|parents must come before"):
            replace(tree, **{name: np.full(tree.n_nodes, 10**6, dtype=np.int32)}).predict_proba(data.bins)


def test_growth_can_be_stopped():
    rng = np.random.default_rng(0)
    data = read(rng.normal(size=(40_000, 20)), rng.integers(0, 2, 40_000), None, None)

    def cancel(_done):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        TreeFamily("leaves", "gain", 1.0, None, 0, (), 2, False).grow(data, Run(cancel))


def test_copies_and_pickles():
    X, y = planted(100)
    model = DecisionTree(max_p_chance=0.05).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


def test_iris_needs_few_cuts():
    X, y = load_iris(return_X_y=True)
    model = DecisionTree().fit(X, y)
    assert model.tree_.n_leaves == 4
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(
    ("name", "most"), [("house-votes-84.csv", 0.07), ("crx.csv", 0.2), ("soybean-large.csv", 0.15)]
)
def test_real_data_with_missing_values(name, most):
    path = UCI / name
    if not path.exists():
        pytest.skip(f"{name} is not here: it is not part of the project")
    table = pd.read_csv(path)
    X, y = table.drop(columns="target"), table["target"]
    is_test = np.random.default_rng(0).random(len(y)) < 0.3
    model = DecisionTree().fit(X[~is_test], y[~is_test])
    assert 1 - model.score(X[is_test], y[is_test]) < most
