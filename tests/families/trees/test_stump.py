"""Stumps against all stumps there are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import boost_oracles as oracle
from strategies import tied_tables
from vitalfew import Stump


@given(tied_tables(), st.booleans())
def test_the_best_stump_is_the_best_of_all(table, is_category):
    X, label, weight = table
    w = np.ones(len(label)) if weight is None else weight
    w = w / w.sum()
    flags = np.full(X.shape[1], is_category)
    errors = oracle.stump_errors(X, np.where(label, 1, -1), w, flags)
    model = Stump(categorical_features=flags).fit(X, label, weight)
    assert model.error_ == pytest.approx(errors.min(), abs=1e-12)
    assert model.feature_ == np.flatnonzero(errors <= errors.min() + 1e-11)[0]
    assert w[model.predict(X) != label].sum() == pytest.approx(model.error_, abs=1e-12)


@given(tied_tables())
def test_all_stumps_are_the_best_of_their_columns(table):
    X, label, weight = table
    w = np.ones(len(label)) if weight is None else weight
    errors = oracle.stump_errors(X, np.where(label, 1, -1), w / w.sum())
    model = Stump(n_stumps=X.shape[1]).fit(X, label, weight)
    assert sorted(model.stumps_.feature) == list(range(X.shape[1]))
    np.testing.assert_allclose(model.errors_, errors[model.stumps_.feature], atol=1e-12)
    features = model.transform(X)
    assert set(np.unique(features)) <= {-1.0, 1.0}
    for t, own in enumerate(features.T):
        assert (w / w.sum())[(own > 0) != (label > 0)].sum() == pytest.approx(model.errors_[t], abs=1e-12)


def test_a_constant_stump_says_so():
    model = Stump().fit(pd.DataFrame({"x1": [1.0, 1.0, 1.0]}), ["no", "yes", "yes"])
    assert model.rule_ == "always yes"
    assert list(model.get_feature_names_out()) == ["x1 has any value"]
    three = Stump().fit([[1.0], [1.0], [1.0], [1.0]], ["a", "b", "c", "c"])
    assert three.rule_ == "always c"


def test_known_against_missing_is_no_constant():
    model = Stump().fit(pd.DataFrame({"x1": [1.0, 1.0, np.nan, np.nan]}), ["no", "no", "yes", "yes"])
    assert model.rule_ == "x1 is known: no, else yes"
    assert list(model.get_feature_names_out()) == ["x1 is known"]


@given(tied_tables(max_classes=3))
def test_classes_are_voted_for(table):
    X, label, weight = table
    if len(np.unique(label)) < 3:
        return
    w = np.ones(len(label)) if weight is None else weight
    errors = oracle.class_errors(X, label, w / w.sum(), 3)
    model = Stump().fit(X, label, weight)
    assert model.error_ == pytest.approx(errors.min(), abs=1e-12)
    assert (w / w.sum())[model.predict(X) != label].sum() == pytest.approx(model.error_, abs=1e-12)


@given(tied_tables(missing=False))
def test_sparse_is_dense(table):
    X, label, weight = table
    dense = Stump(n_stumps=3).fit(X, label, weight)
    other = Stump(n_stumps=3).fit(sparse.csr_array(X), label, weight)
    np.testing.assert_allclose(other.errors_, dense.errors_, atol=1e-12)
    assert other.rule_ == dense.rule_
    np.testing.assert_array_equal(other.transform(sparse.csr_array(X)), dense.transform(X))


@settings(max_examples=20)
@given(tied_tables(), st.integers(0, 2**31))
def test_weights_are_repetitions(table, seed):
    X, label, _ = table
    times = np.random.default_rng(seed).integers(1, 4, len(label))
    weighted = Stump().fit(X, label, times.astype(float))
    repeated = Stump().fit(np.repeat(X, times, axis=0), np.repeat(label, times))
    assert weighted.rule_ == repeated.rule_
    assert weighted.error_ == pytest.approx(repeated.error_, abs=1e-12)


def test_many_distinct_values_are_cut_at_quantiles():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_000)
    model = Stump(max_bins=255).fit(x[:, None], x > 0.3)
    assert abs(model.threshold_ - 0.3) < 0.02
    assert Stump().fit(x[:60_000, None], x[:60_000] > 0.3).error_ == 0


def test_values_next_to_each_other_are_told_apart():
    x = np.array([1.0, np.nextafter(1.0, 2.0), -0.0, 0.0, 1e308, -1e308])
    label = np.array([0, 1, 0, 0, 1, 0])
    assert Stump().fit(x[:, None], label).error_ == 0


def test_words_for_a_person():
    frame = pd.DataFrame({"<script>": ["a", "b", None, "b"], "x; DROP TABLE": [1.0, 2.0, 3.0, np.nan]})
    model = Stump().fit(frame, ["no", "yes", "no", "yes"])
    assert model.rule_ == "<script> in {b}: yes, else no"
    assert np.isnan(model.threshold_)
    assert list(model.predict(pd.DataFrame({"<script>": ["never seen"], "x; DROP TABLE": [0.0]}))) == ["no"]
    assert list(model.get_feature_names_out()) == ["<script> in {b}"]


def test_constant_columns_say_what_most_rows_are():
    model = Stump().fit(np.ones((5, 2)), [0, 1, 1, 1, 0])
    assert model.threshold_ == -np.inf
    assert model.error_ == pytest.approx(0.4)
    assert list(model.predict([[5.0, -5.0]])) == [1]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [2.0]], [1, 1], "only one class"),
        ([[1.0], [np.inf]], [0, 1], "infinity: column 'x0', row 1"),
        ([[1.0], [2.0]], [0, np.nan], "NaN"),
        (np.empty((0, 2)), [], "0 sample"),
        (np.empty((3, 0)), [0, 1, 1], "0 feature"),
    ],
)
def test_bad_input_is_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        Stump().fit(X, y)


def test_bad_settings_are_refused():
    X, y = [[1.0], [2.0]], [0, 1]
    with pytest.raises(ValueError, match="negative, got -1 at row 0"):
        Stump().fit(X, y, sample_weight=[-1.0, 1.0])
    with pytest.raises(ValueError, match="n_stumps"):
        Stump(0).fit(X, y)
    with pytest.raises(ValueError, match="max_bins"):
        Stump(max_bins=1).fit(X, y)
    with pytest.raises(ValueError, match="'nobody'"):
        Stump(categorical_features=["nobody"]).fit(X, y)
    with pytest.raises(ValueError, match="was numeric in training"):
        Stump().fit(X, y).predict([["text"]])


def cut_errors(x, label, w, n_classes):
    """The least weighted error of every cut of a column: any votes of the sides, missing values on either."""

    def error(side, vote):
        return w[side & (label != vote)].sum()

    classes = range(n_classes)
    pairs = [(0, 1), (1, 0)] if n_classes == 2 else [(a, b) for a in classes for b in classes]
    for v in np.unique(x[~np.isnan(x)])[1:]:
        sides = [np.where(np.isnan(x), lost, x >= v).astype(bool) for lost in (True, False)]
        yield min(error(~right, a) + error(right, b) for right in sides for a, b in pairs)


@given(tied_tables(max_classes=3), st.integers(2, 4))
def test_several_stumps_on_a_column_are_its_best_cuts(table, per_feature):
    X, label, weight = table
    label = np.unique(label, return_inverse=True)[1]
    n_classes = label.max() + 1
    w = np.ones(len(label)) if weight is None else weight
    w = w / w.sum()
    model = Stump(n_stumps=100, per_feature=per_feature).fit(X, label, weight)
    assert (np.diff(model.errors_) >= -1e-11).all()
    first = Stump(n_stumps=100).fit(X, label, weight)
    for j, x in enumerate(X.T):
        own = model.stumps_.feature == j
        expected = np.array(list(cut_errors(x, label, w, n_classes)))
        best = int(np.flatnonzero(first.stumps_.feature == j)[0])
        others = np.sort(np.delete(expected, first.stumps_.cut[best] - 1) if first.stumps_.cut[best] else expected)
        np.testing.assert_allclose(
            np.sort(model.errors_[own]), np.sort([first.errors_[best], *others[: per_feature - 1]]), atol=1e-9
        )
        assert len(set(model.stumps_.cut[own])) == own.sum()
    phi = model.transform(X)
    for t in range(phi.shape[1] if n_classes == 2 else 0):
        assert w[(phi[:, t] > 0) != (label > 0)].sum() == pytest.approx(model.errors_[t], abs=1e-9)


def test_several_stumps_with_categories_and_sparse_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (80, 3)) * (rng.random((80, 3)) < 0.5).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(size=80) > 3).astype(int)
    dense = Stump(n_stumps=9, per_feature=4).fit(X, y)
    other = Stump(n_stumps=9, per_feature=4).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.transform(X), other.transform(sparse.csr_array(X)))
    mixed = Stump(n_stumps=9, per_feature=4, categorical_features=[0]).fit(X, y)
    assert (mixed.stumps_.feature == 0).sum() == 1
    assert len(mixed.stumps_) == 9
    assert mixed.transform(X).shape == (80, 9)
    assert len(set(mixed.get_feature_names_out())) == 9
    with pytest.raises(ValueError, match="per_feature must be a positive integer, got 0"):
        Stump(per_feature=0).fit(X, y)
