"""`SemiSupervisedNaiveBayes` and its kernels against the formulas, literal EM and what must hold of any EM."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import entr, logsumexp, softmax

from vitalfew import NaiveBayes, SemiSupervisedNaiveBayes, WordPresence, _core, load, save
from vitalfew.datasets import load_docstrings
from vitalfew.exceptions import UnlabeledDataWarning
from vitalfew.families.bayes.unlabeled_weight import WeightScores
from vitalfew.rules.paired import held_out

CLOSE = {"rtol": 1e-9, "atol": 1e-10}


def random_words(seed, n=40, d=12, density=0.3, weighted=False):
    rng = np.random.default_rng(seed)
    X = sparse.random(n, d, density, format="csr", random_state=rng)
    X.data = rng.random(X.nnz) + 0.1 if weighted else np.ones(X.nnz)
    return X


def clusters(n=400, d=60, n_labels=10, seed=0, gap=0.25):
    """Return two classes that differ in many words, each of which carries little information."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    X = sparse.csr_matrix((rng.random((n, d)) < np.where(truth[:, None] == 1, 0.25 + gap, 0.25)).astype(float))
    y = np.full(n, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[: n_labels // 2]] = c
    return X, y, truth


# Kernels


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.integers(1, 5), st.integers(0, 40))
def test_expectation_is_that_of_the_formula(seed, weighted, has_row_weight, n_classes, n):
    X, rng = random_words(seed, n=n, weighted=weighted), np.random.default_rng(seed + 1)
    table, base = rng.normal(size=(12, n_classes)), rng.normal(size=n_classes)
    weight = rng.random(n) if has_row_weight else None
    value = X.data if weighted else None
    parts = X.indptr.astype(np.int64), X.indices.astype(np.int32), value
    found = _core.expect_rows(*parts, table, base, weight, 1)
    score = X.toarray() @ table + base
    share = softmax(score, axis=1) * (1.0 if weight is None else weight[:, None])
    np.testing.assert_allclose(found.count, X.toarray().T @ share, **CLOSE)
    np.testing.assert_allclose(found.total, share.sum(axis=0), **CLOSE)
    w = np.ones(n) if weight is None else weight
    np.testing.assert_allclose(found.log_likelihood, w @ logsumexp(score, axis=1), **CLOSE)


@given(st.integers(0, 10**6), st.booleans(), st.integers(2, 5))
def test_labels_and_reasons_are_those_of_the_formula(seed, weighted, n_classes):
    X, rng = random_words(seed, weighted=weighted), np.random.default_rng(seed + 1)
    table, base = rng.normal(size=(12, n_classes)), rng.normal(size=n_classes)
    parts = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data if weighted else None
    found = _core.classify_rows(*parts, table, base, 3, 2)
    share = softmax(X.toarray() @ table + base, axis=1)
    np.testing.assert_array_equal(found.label, share.argmax(axis=1))
    np.testing.assert_allclose(found.probability, share.max(axis=1), **CLOSE)
    for i, c in enumerate(found.label):
        others = np.delete(table, c, axis=1).mean(axis=1)
        speaks = X[i].toarray().ravel() * (table[:, c] - others)
        best = [j for j in np.argsort(-speaks, kind="stable") if speaks[j] > 0][:3]
        assert found.reason[i].tolist() == best + [-1] * (3 - len(best))


def test_sums_do_not_depend_on_the_number_of_threads():
    X, rng = random_words(0, n=20_000, d=400, density=0.05, weighted=True), np.random.default_rng(1)
    table, base = rng.normal(size=(400, 6)), rng.normal(size=6)
    parts = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data
    one, *others = (_core.expect_rows(*parts, table, base, None, threads) for threads in (1, 2, 4))
    for other in others:
        np.testing.assert_array_equal(one.count, other.count)
        np.testing.assert_array_equal(one.total, other.total)
        assert one.log_likelihood == other.log_likelihood


@pytest.mark.parametrize("fault", ["index", "table", "value", "weight", "indptr"])
def test_kernels_refuse_what_does_not_fit(fault):
    X = random_words(0)
    parts = {"indptr": X.indptr.astype(np.int64), "indices": X.indices.astype(np.int32), "value": X.data}
    parts |= {"table": np.zeros((12, 2)), "base": np.zeros(2), "weight": None}
    wrong = {
        "index": {"indices": np.full_like(parts["indices"], 12)},
        "table": {"table": np.zeros((5, 2))},
        "value": {"value": X.data[:-1].copy()},
        "weight": {"weight": np.ones(3)},
        "indptr": {"indptr": parts["indptr"][::-1].copy()},
    }[fault]
    with pytest.raises(ValueError):
        _core.expect_rows(**(parts | wrong))


# EM


def literal_em(X, label, U, n_classes, weight, strength, n_steps, weighted):
    """EM straight from the formulas, with dense matrices."""
    pooled = X.sum(axis=0) + U.sum(axis=0)
    n = len(X) + len(U)
    one_hot = np.eye(n_classes)[label]

    def maximize(share_u):
        rows, share = np.vstack([X, U]), np.vstack([one_hot, weight * share_u])
        count, total = rows.T @ share, share.sum(axis=0)
        if weighted:
            s, p = strength * pooled.sum() / n, pooled / pooled.sum()
            theta = (count + s * p[:, None]) / (count.sum(axis=0) + s)
            return np.log(theta), np.log(total / total.sum())
        p = pooled / n
        theta = (count + strength * p[:, None]) / (total + strength)
        return np.log(theta / (1 - theta)), np.log(total / total.sum()) + np.log(1 - theta).sum(axis=0)

    share = np.zeros((len(U), n_classes))
    for _ in range(n_steps):
        table, base = maximize(share)
        share = softmax(U @ table + base, axis=1)
    return table, base


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("weight", [0.1, 1.0])
def test_em_is_the_literal_one(weighted, weight):
    X = random_words(3, n=120, d=15, weighted=weighted)
    label = np.arange(30) % 3
    y = np.concatenate([label, np.full(90, -1)])
    events = "weights" if weighted else "presence"
    model = SemiSupervisedNaiveBayes(
        events=events, unlabeled_weight=weight, guard=False, prior_strength=2.0, max_iter=6, tol=-np.inf
    ).fit(X, y)
    dense = X.toarray()
    table, base = literal_em(dense[:30], label, dense[30:], 3, weight, 2.0, 7, weighted)
    got_table, got_base = model.linear_form()
    np.testing.assert_allclose(got_table, table, **CLOSE)
    np.testing.assert_allclose(got_base, base, **CLOSE)


@given(
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from([0.03, 0.3, 1.0]),
    st.sampled_from(["auto", 0.5, 20.0]),
    st.sampled_from([None, 3, "bic"]),
)
def test_the_objective_never_falls(seed, weighted, weight, strength, features):
    X = random_words(seed, n=60, weighted=weighted)
    y = np.where(np.arange(60) < 9, np.arange(60) % 3, -1)
    model = SemiSupervisedNaiveBayes(
        unlabeled_weight=weight,
        guard=False,
        prior_strength=strength,
        features=features,
        order="information",
        events="weights" if weighted else "presence",
    ).fit(X, y)
    assert (np.diff(model.objective_) >= -1e-8 * np.abs(model.objective_[:-1])).all()


def test_the_objective_never_falls_on_tables_with_gaps():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.choice(["x", "y", "z"], 200), "b": rng.normal(size=200), "c": rng.integers(0, 4, 200)}
    )
    y = pd.Series(np.where(frame["b"] > 0, "up", "down"), dtype=object)
    frame.loc[::7, "a"] = None
    frame.loc[::5, "b"] = np.nan
    y[60:] = None
    model = SemiSupervisedNaiveBayes(unlabeled_weight=0.5, guard=False).fit(frame, y)
    assert len(model.objective_) > 1
    assert (np.diff(model.objective_) >= -1e-8 * np.abs(model.objective_[:-1])).all()
    assert set(model.predict(frame)) <= {"up", "down"}


@given(st.integers(0, 10**6))
def test_weight_zero_is_the_supervised_model(seed):
    X = random_words(seed, n=50)
    y = np.where(np.arange(50) < 20, np.arange(50) % 2, -1)
    model = SemiSupervisedNaiveBayes(unlabeled_weight=0.0, prior_strength=1.0).fit(X, y)
    plain = NaiveBayes(prior_strength=1.0).fit(X[:20], y[:20], X_unlabeled=X[20:])
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), **CLOSE)


def test_sparse_and_dense_rows_give_the_same_model():
    X, y, _ = clusters()
    options = {"unlabeled_weight": 0.5, "guard": False, "prior_strength": 1.0}
    a = SemiSupervisedNaiveBayes(**options).fit(X, y)
    b = SemiSupervisedNaiveBayes(**options).fit(X.toarray().astype(int), y)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X.toarray().astype(int)), **CLOSE)


def test_unlabeled_rows_help_where_the_classes_are_the_pattern():
    X, y, truth = clusters(n_labels=4)
    model = SemiSupervisedNaiveBayes().fit(X, y)
    known = y >= 0
    alone = NaiveBayes().fit(X[known], y[known])
    assert (model.predict(X) == truth).mean() > 0.95 > 0.9 > (alone.predict(X) == truth).mean()
    assert model.unlabeled_weight_ > 0
    assert "Unlabeled rows have weight" in model.verdict_


def test_the_guard_falls_back_where_unlabeled_rows_do_harm():
    """Sixty words follow something else; the label follows one word, which is soon outvoted."""
    rng = np.random.default_rng(0)
    n = 600
    other, truth = rng.integers(0, 2, n), rng.integers(0, 2, n)
    X = (rng.random((n, 61)) < np.where(other[:, None] == 1, 0.7, 0.3)).astype(float)
    X[:, 60] = np.where(rng.random(n) < 0.02, 1 - truth, truth)
    y = np.where(np.arange(n) < 60, truth, -1)
    X = sparse.csr_matrix(X)
    told = SemiSupervisedNaiveBayes(unlabeled_weight=1.0, guard=False, prior_strength=1.0).fit(X, y)
    with pytest.warns(UnlabeledDataWarning, match="increase the error"):
        model = SemiSupervisedNaiveBayes(unlabeled_weight=1.0, prior_strength=1.0).fit(X, y)
    assert model.fell_back_
    assert model.unlabeled_weight_ == 0
    assert (model.predict(X) == truth).mean() > (told.predict(X) == truth).mean() + 0.1


def test_features_are_chosen_with_the_guessed_labels():
    X, y, truth = clusters(d=30, gap=0.35)
    noise = sparse.csr_matrix((np.random.default_rng(1).random((400, 30)) < 0.3).astype(float))
    model = SemiSupervisedNaiveBayes(features="mdl").fit(sparse.hstack([X, noise]).tocsr(), y)
    assert model.support_[:30].sum() >= 5
    assert model.support_[30:].sum() == 0
    table, _ = model.linear_form()
    assert (table[~model.support_] == 0).all()
    assert (model.predict(sparse.hstack([X, noise]).tocsr()) == truth).mean() > 0.85


# The weight of unlabeled rows


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.sampled_from([0, 2, 5]))
def test_held_out_rows_leave_every_class_a_row(labels, n_folds):
    label = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    folds = held_out(label, n_folds, 0)
    tested = np.concatenate(folds) if folds else np.array([], dtype=int)
    assert len(set(tested.tolist())) == len(tested)
    for test in folds:
        assert set(np.delete(label, test)) == set(label)
    single = np.bincount(label)[label] == 1
    assert not set(np.flatnonzero(single)) & set(tested.tolist())


def test_near_the_best_error_the_usual_weight_is_taken():
    loss = np.zeros((3, 20))
    loss[0, :3] = loss[1, :3] = loss[2, :2] = 1
    loss[1, 3:12] = 1
    assert WeightScores(np.array([0.3, 1.0, 0.03]), loss, np.zeros(3)).best() == 0.3
    loss[0, 3:15] = 1
    assert WeightScores(np.array([0.3, 1.0, 0.03]), loss, np.zeros(3)).best() == 0.03


@pytest.mark.parametrize("rule", ["cv", "loo"])
def test_rules_choose_a_weight_and_keep_the_scores(rule):
    X, y, _ = clusters(n=150, d=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnlabeledDataWarning)
        model = SemiSupervisedNaiveBayes(unlabeled_weight=rule).fit(X, y)
    frame = model.weight_scores_.to_frame()
    assert sorted(frame["unlabeled_weight"]) == [0.0, 0.1, 0.3, 1.0]
    assert model.unlabeled_weight_ in set(frame["unlabeled_weight"])
    assert model.weight_scores_.n_rows == 10


def test_one_label_a_class_leaves_nothing_to_check_with():
    X, y, _ = clusters(n_labels=2)
    model = SemiSupervisedNaiveBayes().fit(X, y)
    assert model.unlabeled_weight_ == 0.3
    assert model.weight_scores_ is None
    assert "no class has two" in model.verdict_


# What rows without a label look like


@pytest.mark.parametrize(
    "mark",
    [
        lambda y: y,
        lambda y: np.where(y < 0, np.nan, y),
        lambda y: np.array([None if v < 0 else int(v) for v in y], dtype=object),
        lambda y: pd.array([pd.NA if v < 0 else int(v) for v in y], dtype="Int64"),
        lambda y: np.array([None if v < 0 else "ab"[v] for v in y], dtype=object),
        lambda y: pd.Series([None if v < 0 else "ab"[v] for v in y]),
    ],
)
def test_marks_of_missing_labels(mark):
    X, y, _ = clusters()
    options = {"unlabeled_weight": 0.3, "guard": False}
    expected = SemiSupervisedNaiveBayes(**options).fit(X, y)
    model = SemiSupervisedNaiveBayes(**options).fit(X, mark(y))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    apart = SemiSupervisedNaiveBayes(**options).fit(X[y >= 0], y[y >= 0], X_unlabeled=X[y < 0])
    np.testing.assert_array_equal(apart.predict_proba(X), expected.predict_proba(X))


def test_what_cannot_be_learnt_from():
    X, y, _ = clusters()
    with pytest.raises(ValueError, match="y has no labels"):
        SemiSupervisedNaiveBayes().fit(X, np.full(400, -1))
    with pytest.raises(ValueError, match="in X_unlabeled, not both"):
        SemiSupervisedNaiveBayes().fit(X, y, X_unlabeled=X)
    with pytest.raises(ValueError, match="word weights must be >= 0"):
        SemiSupervisedNaiveBayes(events="weights").fit(-X, y)
    with pytest.raises(ValueError, match="between 0 and 1"):
        SemiSupervisedNaiveBayes(unlabeled_weight=2).fit(X, y)
    with pytest.raises(ValueError, match="must be 'pooled'"):
        SemiSupervisedNaiveBayes(events="weights", prior_mean="uniform").fit(X, y)
    with pytest.raises(TypeError, match="sparse matrix"):
        SemiSupervisedNaiveBayes().fit(X.toarray(), y).classify(X.toarray())


# What it is for


def test_rows_to_label_next_are_unsure_ones_and_some_others():
    X, y, _ = clusters(gap=0.12)
    model = SemiSupervisedNaiveBayes(unlabeled_weight=0.1, guard=False).fit(X, y)
    chosen = model.label_next(30)
    assert len(set(chosen.tolist())) == 30
    unlabeled = X[np.flatnonzero(y < 0)]
    entropy = entr(model.predict_proba(unlabeled)).sum(axis=1)
    assert entropy[chosen].mean() > 1.2 * entropy.mean()
    assert set(chosen.tolist()) != set(np.argsort(-entropy)[:30].tolist())
    assert (np.diff(entropy[chosen]) <= 0).all()
    np.testing.assert_array_equal(model.label_next(30, unlabeled), chosen)
    assert len(model.label_next(10**6)) == len(entropy)


def test_reasons_are_words_that_speak_for_the_label():
    found = load_docstrings(max_per_library=100)
    words = WordPresence(weighting="idf", min_df=2)
    X, target = words.fit_transform(found.data), found.target
    y = np.array(target, dtype=object)
    y[np.arange(len(y)) % 4 > 0] = None
    model = SemiSupervisedNaiveBayes(unlabeled_weight=0.3, guard=False).fit(X, y)
    found = model.classify(X[:50])
    np.testing.assert_array_equal(found.label, model.predict(X[:50]))
    np.testing.assert_allclose(found.probability, model.predict_proba(X[:50]).max(axis=1), **CLOSE)
    names = words.get_feature_names_out()
    for row, reasons in enumerate(found.reasons):
        held = set(names[X[row].indices])
        assert {names[j] for j in reasons if j >= 0} <= held
    summary = model.summary(names)
    assert set(summary["speaks_for"]) <= set(target)


@pytest.mark.parametrize("weighted", [True, False])
def test_saved_and_pickled_models_predict_the_same(tmp_path, weighted):
    X = random_words(0, n=100, weighted=weighted)
    y = np.where(np.arange(100) < 20, np.arange(100) % 2, -1)
    model = SemiSupervisedNaiveBayes(events="weights" if weighted else "presence", guard=False).fit(X, y)
    save(model, tmp_path / "model.json")
    for twin in (load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
        assert twin.verdict_ == model.verdict_
        with pytest.raises(ValueError, match="rows to choose from as X"):
            twin.label_next(3)
