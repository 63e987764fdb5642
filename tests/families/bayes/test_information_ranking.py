"""`InformationRanking`: the ranking, the false discovery rate, and the interface of a selector."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import oracles
from planted import shifted_counts as planted
from strategies import ALL_WEIGHTS, problems
from vitalfew import InformationRanking, NaiveBayes, mutual_information


@given(problems(weight=ALL_WEIGHTS), st.sampled_from([None, "miller-madow"]))
def test_scores_are_the_mutual_information(problem, correction):
    model = InformationRanking(0, correction=correction).fit(problem.X, problem.y, problem.weight)
    expected, p = mutual_information(
        problem.X, problem.y, sample_weight=problem.weight, correction=correction, return_p_value=True
    )
    np.testing.assert_allclose(model.scores_, expected, atol=1e-12)
    np.testing.assert_allclose(model.p_values_, p, atol=1e-12)
    assert sorted(model.ranking_) == list(range(1, problem.X.shape[1] + 1))
    assert (np.diff(model.scores_[np.argsort(model.ranking_)]) <= 0).all()


@given(problems(), st.floats(0.01, 0.5))
def test_false_discovery_rate(problem, alpha):
    model = InformationRanking(alpha=alpha).fit(problem.X, problem.y)
    np.testing.assert_array_equal(model.support_, oracles.benjamini_hochberg(model.p_values_, alpha))


@pytest.mark.parametrize("k", [0, 1, 2, 20])
def test_the_first_k(k):
    X, y = planted()
    model = InformationRanking(k).fit(X, y)
    assert model.support_.sum() == k
    np.testing.assert_array_equal(model.support_, model.ranking_ <= k)
    assert model.ranking_[[9, 4]].tolist() == [1, 2]


@pytest.mark.parametrize("k", ["fdr", "mdl", "bic", "1se"])
def test_planted_features_are_found(k):
    X, y = planted()
    assert InformationRanking(k, random_state=0).fit(X, y).support_[9]
    assert InformationRanking("fdr").fit(X, y).get_support(indices=True).tolist() == [4, 9]


def test_equal_columns_keep_their_order():
    X, y = planted(d=10)
    assert InformationRanking(1).fit(np.column_stack([X, X]), y).get_support(indices=True) == [9]


@pytest.mark.parametrize("rule", ["cv", "loo", "mdl", "aic"])
def test_a_rule_scores_the_corrected_ranking(rule):
    """Thirty values without meaning look informative until their bias is taken off."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 150)
    X = np.column_stack([rng.integers(0, 30, 150), y ^ (rng.random(150) < 0.3), rng.integers(0, 2, 150)])
    model = InformationRanking(rule, correction="miller-madow", random_state=0).fit(X, y)
    assert model.ranking_[1] == 1
    for index, k in enumerate(model.selection_.grid):
        np.testing.assert_array_equal(model.path_.at(index), model.ranking_ <= k)
    np.testing.assert_array_equal(model.support_, model.path_.at(model.selection_.index))


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (100, 10)), rng.integers(0, 3, 100)
    a, b = InformationRanking("mdl").fit(X, y), InformationRanking("mdl").fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(a.scores_, b.scores_, atol=1e-13)
    np.testing.assert_array_equal(a.support_, b.support_)


def test_selector_interface():
    X, y = planted()
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(20)])
    model = InformationRanking(2).fit(frame, y)
    assert model.get_feature_names_out().tolist() == ["f4", "f9"]
    assert model.set_output(transform="pandas").transform(frame).columns.tolist() == ["f4", "f9"]
    pipeline = make_pipeline(InformationRanking(2), NaiveBayes()).fit(X, y)
    assert pipeline.score(X, y) > 0.6
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.ranking_, model.ranking_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 21}, "k=21 exceeds the 20"),
        ({"k": -1}, "integer number of features"),
        ({"k": 1.5}, "integer number of features"),
        ({"k": None}, "integer number of features"),
        ({"alpha": 0}, "alpha must be between 0 and 1"),
        ({"correction": "mm"}, "correction must be one of"),
        ({"numeric": "cut"}, "numeric must be one of"),
        ({"k": "mdl", "prior_strength": "loo"}, "prior_strength"),
        ({"k": "mdl", "prior_strength": -1}, "prior_strength"),
        ({"k": "mdl", "prior_mean": "mean"}, "prior_mean"),
        ({"k": "mdl", "prior_mean": 0.2}, "prior_mean=0.2 requires 0/1 features"),
    ],
)
def test_bad_parameters(options, message):
    X, y = planted()
    with pytest.raises(ValueError, match=message):
        InformationRanking(**options).fit(X, y)


def test_labels_are_needed():
    with pytest.raises(ValueError, match="requires y"):
        InformationRanking().fit([[0], [1]], None)
    with pytest.raises(NotFittedError):
        InformationRanking().transform([[0]])


def test_a_fit_that_fails_changes_nothing():
    X, y = planted()
    model = InformationRanking(k="bic").fit(X, y)
    before = dict(vars(model))
    model.set_params(k=99)
    with pytest.raises(ValueError, match="k=99 exceeds the 20"):
        model.fit(X, y)
    assert {name: id(value) for name, value in vars(model).items() if name != "k"} == {
        name: id(value) for name, value in before.items() if name != "k"
    }
    assert not hasattr(model.set_params(k=3).fit(X, y), "selection_")
