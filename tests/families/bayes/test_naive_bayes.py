"""`NaiveBayes` against the formulas, literal refits and scikit-learn; kinds of tables are in data/test_frames.py."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB

import oracles
from planted import discrete_classes as planted
from strategies import ALL_WEIGHTS, binary_problems, kary_problems, partitions, problems
from vitalfew import NaiveBayes, mutual_information

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
PRIORS = [{}, {"prior_strength": 0.1}, {"prior_mean": "uniform", "prior_strength": 3}]
BINARY_PRIORS = [*PRIORS, {"prior_strength": 2, "prior_mean": 0.2}]


def oracle(problem, model, unlabeled=None):
    return oracles.NaiveBayes(
        problem.X,
        problem.label,
        problem.n_values,
        len(problem.classes),
        problem.weight,
        model.prior_strength_,
        model.prior_mean,
        unlabeled,
        problem.occurs,
    )


# Parameters and probabilities


@given(problems(weight=ALL_WEIGHTS), st.sampled_from(PRIORS))
def test_theta_is_that_of_the_formula(problem, prior):
    model = NaiveBayes(**prior).fit(problem.X, problem.y, problem.weight)
    twin = oracle(problem, model)
    np.testing.assert_allclose(model.feature_log_prob_, np.concatenate(twin.log_theta), **CLOSE)
    np.testing.assert_allclose(model.class_log_prior_, twin.log_prior, **CLOSE)
    np.testing.assert_allclose(model.predict_joint_log_proba(problem.X), twin.joint_log_proba(problem.X), **CLOSE)
    np.testing.assert_allclose(model.predict_proba(problem.X), twin.predict_proba(problem.X), **CLOSE)


@given(binary_problems(weight=ALL_WEIGHTS), st.sampled_from(BINARY_PRIORS))
def test_sparse_is_dense(problem, prior):
    dense = NaiveBayes(**prior).fit(problem.X, problem.y, problem.weight)
    model = NaiveBayes(**prior).fit(problem.csr, problem.y, problem.weight)
    np.testing.assert_allclose(model.feature_log_prob_, dense.feature_log_prob_, **CLOSE)
    np.testing.assert_allclose(model.predict_proba(problem.csr), dense.predict_proba(problem.X), **CLOSE)
    np.testing.assert_allclose(model.predict_proba(problem.X), dense.predict_proba(problem.csr), **CLOSE)


@given(problems())
def test_predictions_agree_with_each_other(problem):
    model = NaiveBayes().fit(problem.X, problem.y)
    probability = model.predict_proba(problem.X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(problem.X)), probability, **CLOSE)
    assert model.predict(problem.X).dtype == problem.y.dtype
    own = probability[np.arange(len(probability)), np.searchsorted(model.classes_, model.predict(problem.X))]
    np.testing.assert_allclose(own, probability.max(axis=1))


@given(binary_problems(min_classes=2, weight=ALL_WEIGHTS), st.booleans())
def test_bernoulli_nb_of_scikit_learn(problem, is_sparse):
    """Equal because BernoulliNB adds alpha = 1 to each of two counts: n' = 2 rows, one half of them present."""
    X = problem.csr if is_sparse else problem.X
    model = NaiveBayes(prior_strength=2, prior_mean=0.5).fit(X, problem.y, problem.weight)
    peer = BernoulliNB(alpha=1).fit(X, problem.y, problem.weight)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), **CLOSE)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


@given(kary_problems(missing=False, weight=ALL_WEIGHTS), st.sampled_from([0.5, 1.0]))
def test_categorical_nb_of_scikit_learn(problem, alpha):
    """Equal where all features have k values: CategoricalNB adds alpha to each of k counts, so that n' = k alpha."""
    k = int(problem.n_values.max())
    X = np.vstack([problem.X, np.tile(np.arange(k)[:, None], problem.X.shape[1])])  # every value occurs
    y = np.append(problem.y, np.repeat(problem.y[:1], k))
    model = NaiveBayes(prior_strength=k * alpha, prior_mean="uniform").fit(X, y)
    peer = CategoricalNB(alpha=alpha, min_categories=k).fit(X.astype(int), y)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), peer.predict_joint_log_proba(X.astype(int)), **CLOSE)


@given(binary_problems(min_classes=2))
def test_linear_form(problem):
    """Eqs. 6 - 9: the logistic function of a linear form for two classes, the softmax of several for more."""
    model = NaiveBayes().fit(problem.X, problem.y)
    score = problem.X @ model.coef_.T + model.intercept_
    if len(model.classes_) == 2:
        np.testing.assert_allclose(expit(score[:, 0]), model.predict_proba(problem.X)[:, 1], **CLOSE)
    else:
        np.testing.assert_allclose(softmax(score, axis=1), model.predict_proba(problem.X), **CLOSE)


def test_linear_form_of_a_subset_is_zero_outside():
    X, y = planted()
    model = NaiveBayes(features=3).fit(X, y)
    assert ((model.coef_ != 0) == model.support_).all()
    np.testing.assert_allclose(expit(X @ model.coef_[0] + model.intercept_[0]), model.predict_proba(X)[:, 1], **CLOSE)


def test_no_linear_form_with_three_values():
    model = NaiveBayes().fit([[0], [1], [2]], [0, 1, 1])
    with pytest.raises(AttributeError, match="only defined for two-valued features"):
        _ = model.coef_


@given(kary_problems(missing=False, weight=ALL_WEIGHTS))
def test_likelihood_gains_n_times_the_information(problem):
    """Without a prior, log L - log L_null = n sum of I(X_j; Y)."""
    model = NaiveBayes(prior_strength=0).fit(problem.X, problem.y, problem.weight)
    information = mutual_information(problem.X, problem.y, sample_weight=problem.weight, unit="nats")
    gain = model.log_likelihood_ - model.null_log_likelihood_
    assert gain == pytest.approx(model.counts_.n * information.sum(), abs=1e-9)


@given(kary_problems(weight=ALL_WEIGHTS))
def test_joint_log_likelihood(problem):
    model = NaiveBayes().fit(problem.X, problem.y, problem.weight)
    joint = oracle(problem, model).joint_log_proba(problem.X)
    weight = oracles.ones_if_none(problem.weight, len(joint))
    assert model.log_likelihood_ == pytest.approx(weight @ joint[np.arange(len(joint)), problem.label], abs=1e-9)


# Rows in and out


@given(problems(weight=(None, "integer"), max_rows=12), st.sampled_from(PRIORS))
def test_loo_is_a_refit_without_each_row(problem, prior):
    if len(problem.y) < 2:
        return
    model = NaiveBayes(**prior).fit(problem.X, problem.y, problem.weight)
    expected = oracles.loo_predict_proba(
        problem.X,
        problem.label,
        problem.n_values,
        len(problem.classes),
        problem.weight,
        strength=model.prior_strength_,
        mean=model.prior_mean,
        occurs=problem.occurs,
    )
    found = model.loo_predict_proba(problem.X, problem.y, problem.weight)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


@given(binary_problems(max_rows=12, weight=(None, "integer")), st.sampled_from(BINARY_PRIORS))
def test_sparse_loo_is_a_refit_without_each_row(problem, prior):
    if len(problem.y) < 2:
        return
    model = NaiveBayes(**prior).fit(problem.csr, problem.y, problem.weight)
    expected = oracles.loo_predict_proba(
        problem.X,
        problem.label,
        problem.n_values,
        len(problem.classes),
        problem.weight,
        strength=model.prior_strength_,
        mean=model.prior_mean,
    )
    np.testing.assert_allclose(
        model.loo_predict_proba(problem.csr, problem.y, problem.weight), expected, rtol=1e-8, atol=1e-12
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_loo_is_a_refit_of_the_estimator(kind):
    """Compare with unlabeled rows, and with the estimator itself in place of the reference."""
    X, y = planted(25, 6)
    more = kind(planted(10, 6, seed=1)[0])
    model = NaiveBayes().fit(kind(X), y, X_unlabeled=more)
    for i, probability in enumerate(model.loo_predict_proba(kind(X), y)):
        rest = np.arange(len(y)) != i
        again = NaiveBayes().fit(kind(X)[rest], y[rest], X_unlabeled=more)
        np.testing.assert_allclose(probability, again.predict_proba(kind(X)[[i]])[0], **CLOSE)


def test_loo_of_a_subset_keeps_the_subset():
    X, y = planted(30, 8)
    model = NaiveBayes(features=3).fit(X, y)
    used = model.get_support(indices=True)
    expected = NaiveBayes().fit(X[:, used], y).loo_predict_proba(X[:, used], y)
    np.testing.assert_allclose(model.loo_predict_proba(X, y), expected, **CLOSE)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_loo_with_fractional_weights(kind):
    """Sums of fractions leave a rounding error behind where a value no longer occurs; small weights are shares."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y, w = (rng.random((8, 3)) < 0.8).astype(float), rng.integers(0, 2, 8), rng.choice([0.1, 0.2, 0.3, 0.7], 8)
        y[:2] = 0, 1
        expected = oracles.loo_predict_proba(X, y, [2] * 3, 2, w * (8 / w.sum()), strength=1)
        model = NaiveBayes(prior_strength=1).fit(kind(X), y, w)
        np.testing.assert_allclose(model.loo_predict_proba(kind(X), y, w), expected, rtol=1e-8, atol=1e-12)


def test_loo_of_a_single_row_says_that_it_cannot():
    model = NaiveBayes().fit([[0, 1]], [0])
    with pytest.raises(ValueError, match="row"):
        model.loo_predict_proba([[0, 1]], [0])


def test_loo_wants_the_training_rows():
    X, y = planted(30, 5)
    model = NaiveBayes().fit(X, y)
    with pytest.raises(ValueError, match="expected the training rows"):
        model.loo_predict_proba(X[:10], y[:10])
    with pytest.raises(ValueError, match="fitted on"):
        model.loo_predict_proba(X, y + 5)


@given(problems(weight=("integer",)))
def test_weights_are_repeated_rows(problem):
    rows = np.repeat(np.arange(len(problem.y)), problem.weight.astype(int))
    a = NaiveBayes().fit(problem.X, problem.y, problem.weight)
    b = NaiveBayes().fit(problem.X[rows], problem.y[rows])
    np.testing.assert_allclose(a.predict_proba(problem.X), b.predict_proba(problem.X), **CLOSE)
    assert a.bic_ == pytest.approx(b.bic_, abs=1e-9)
    assert a.description_length_ == pytest.approx(b.description_length_, abs=1e-9)


def test_weight_zero_is_no_row():
    X, y = planted(60)
    w = np.random.default_rng(0).integers(0, 2, 60)
    for options in ({}, {"features": "mdl"}, {"features": 3}):
        a, b = NaiveBayes(**options).fit(X, y, w), NaiveBayes(**options).fit(X[w > 0], y[w > 0])
        np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


@given(st.data(), problems(weight=ALL_WEIGHTS), st.sampled_from(PRIORS))
def test_batches_are_one_fit(data, problem, prior):
    model, whole = NaiveBayes(**prior), NaiveBayes(**prior).fit(problem.X, problem.y, problem.weight)
    for rows in data.draw(partitions(len(problem.y))):
        part = problem.take(rows)
        model.partial_fit(part.X, part.y, problem.classes, part.weight)
    np.testing.assert_allclose(model.predict_proba(problem.X), whole.predict_proba(problem.X), **CLOSE)
    assert model.bic_ == pytest.approx(whole.bic_, abs=1e-9)


@pytest.mark.parametrize("features", [None, 3, "bic", "aic", "ebic"])
def test_sparse_batches_are_one_fit(features):
    X, y = planted(60)
    X = sparse.csr_array(X)
    options = {"features": features, "order": "information"}
    model, whole = NaiveBayes(**options), NaiveBayes(**options).fit(X, y)
    for rows in np.split(np.argsort(y), [10, 25]):
        model.partial_fit(X[rows], y[rows], [0, 1])
    np.testing.assert_array_equal(model.support_, whole.support_)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), **CLOSE)


def test_new_categories_may_appear_in_a_batch():
    X, y = np.array([["u"], ["v"], ["w"], ["u"]], dtype=object), [0, 1, 1, 0]
    model = NaiveBayes().partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X), **CLOSE)


def test_a_refused_batch_leaves_the_model_as_it_was():
    model = NaiveBayes().partial_fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=r"classes \[2\]; pass all classes"):
        model.partial_fit([[1]], [2])
    model.partial_fit([[1]], [1])
    assert model.counts_.classes.tolist() == model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"classes \[3\] that are not in"):
        NaiveBayes().partial_fit([[0]], [3], classes=[0, 1])


def test_a_number_as_prior_mean_needs_binary_features():
    X, y = [[0], [1], [2]], [0, 1, 0]
    for train in (NaiveBayes(prior_mean=0.3).fit, NaiveBayes(prior_mean=0.3).partial_fit):
        with pytest.raises(ValueError, match=r"prior_mean=0.3 requires 0/1 features, but column 'x0'"):
            train(X, y)
    with pytest.raises(ValueError, match=r"prior_mean=0.3 requires 0/1 features, but column 'x0'"):
        NaiveBayes(prior_mean=0.3).partial_fit([[0], [1]], [0, 1]).partial_fit([[0], [9]], [0, 1])


@pytest.mark.parametrize(
    "options",
    [{"features": "mdl"}, {"features": 3}, {"features": "cv", "order": "information"}, {"prior_strength": "loo"}],
)
def test_no_batches_where_all_rows_are_needed(options):
    assert not hasattr(NaiveBayes(**options), "partial_fit")


# What carries no evidence


@given(kary_problems(max_features=4))
def test_missing_values_carry_no_evidence(problem):
    model = NaiveBayes().fit(problem.X, problem.y)
    hidden = problem.X.copy()
    hidden[:, 0] = np.nan
    rest = oracle(problem, model).predict_proba(problem.X, range(1, problem.X.shape[1]))
    np.testing.assert_allclose(model.predict_proba(hidden), rest, **CLOSE)
    np.testing.assert_allclose(
        model.predict_proba(np.where(np.arange(hidden.shape[1]) == 0, 77, hidden)), rest, **CLOSE
    )


@pytest.mark.parametrize("prior", PRIORS)
def test_unseen_categories_carry_no_evidence(prior):
    X = pd.DataFrame({"a": ["u", "v", "v", "u"], "b": ["s", "s", "t", "t"]})
    y = [0, 1, 1, 1]
    model = NaiveBayes(**prior).fit(X, y)
    alone = NaiveBayes(**prior).fit(X[["b"]], y)
    np.testing.assert_allclose(model.predict_proba(X.assign(a="new")), alone.predict_proba(X[["b"]]), **CLOSE)
    np.testing.assert_allclose(model.predict_proba(X.assign(a=None)), alone.predict_proba(X[["b"]]), **CLOSE)


def test_constant_columns_carry_no_evidence():
    X, y = planted(40, 4)
    wide = np.column_stack([X, np.zeros(40, dtype=int), np.ones(40, dtype=int)])
    for kind in (np.asarray, sparse.csr_array):
        found = NaiveBayes().fit(kind(wide), y).predict_proba(kind(wide))
        np.testing.assert_allclose(found, NaiveBayes().fit(X, y).predict_proba(X), **CLOSE)


@given(problems(max_rows=12))
def test_unlabeled_rows_change_only_the_pooled_prior(problem):
    more = problem.X[::2]
    model = NaiveBayes().fit(problem.X, problem.y, X_unlabeled=more)
    np.testing.assert_allclose(
        model.predict_proba(problem.X), oracle(problem, model, more).predict_proba(problem.X), **CLOSE
    )
    fixed = {"prior_mean": "uniform"}
    np.testing.assert_array_equal(
        NaiveBayes(**fixed).fit(problem.X, problem.y, X_unlabeled=more).predict_proba(problem.X),
        NaiveBayes(**fixed).fit(problem.X, problem.y).predict_proba(problem.X),
    )


# Small and odd


@pytest.mark.parametrize(
    "options", [{}, {"features": "mdl"}, {"features": 1}, {"features": "bic"}, {"features": "loo"}]
)
def test_one_class(options):
    X = np.array([[0, 1], [1, 1], [1, 0]])
    for kind in (np.asarray, sparse.csr_array):
        model = NaiveBayes(**options).fit(kind(X), ["only"] * 3)
        assert model.predict(kind(X)).tolist() == ["only"] * 3
        np.testing.assert_array_equal(model.predict_proba(kind(X)), 1)


def test_one_row():
    model = NaiveBayes().fit([[0, 5.5]], ["a"])
    assert model.predict([[1, 2.0]]).tolist() == ["a"]
    assert np.isfinite(model.bic_)


def test_no_features_is_the_class_prior():
    X, y = planted(40)
    model = NaiveBayes(features=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), np.tile(np.bincount(y) / 40, (40, 1)))
    assert model.log_likelihood_ == model.null_log_likelihood_
    assert len(model.summary()) == 0


def test_wide_data():
    rng = np.random.default_rng(0)
    X, y = sparse.random_array((20, 50_000), density=0.01, random_state=rng, format="csr"), rng.integers(0, 2, 20)
    model = NaiveBayes(features=5).fit(X, y)
    assert model.support_.sum() == 5
    assert model.transform(X).shape == (20, 5)


def test_no_prior_at_all_stays_finite():
    X, y = planted(30, 5)
    X[:, 4] = y
    model = NaiveBayes(prior_strength=0).fit(X, y)
    assert np.isfinite(model.predict_log_proba(1 - X)).all()
    assert model.score(X, y) == 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_labels_at_the_ends_of_their_type(dtype):
    info = np.iinfo(dtype)
    y = np.array([info.min, info.max, info.min], dtype=dtype)
    model = NaiveBayes().fit([[0], [1], [0]], y)
    assert model.classes_.dtype == dtype
    np.testing.assert_array_equal(model.predict([[0], [1]]), y[:2])


def test_missing_labels_are_named():
    for y in (
        ["a", None, "b"],
        np.array(["a", np.nan, "b"], dtype=object),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
    ):
        with pytest.raises(ValueError, match=r"row 1 has no label.*X_unlabeled"):
            NaiveBayes().fit([[0], [1], [0]], y)
    with pytest.raises(ValueError, match="NaN"):
        NaiveBayes().fit([[0], [1], [0]], [0, np.nan, 1])


def test_labels_of_mixed_types():
    with pytest.raises(TypeError, match=r"\['int', 'str'\]"):
        NaiveBayes().fit([[0], [1]], np.array([1, "a"], dtype=object))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": 1.5}, "integer number of features"),
        ({"features": -1}, "integer number of features"),
        ({"features": 9}, "features=9 exceeds the 2"),
        ({"features": [7]}, "features contains 7, which is not a column of X"),
        ({"prior_strength": -1}, "prior_strength must be a number >= 0"),
        ({"prior_strength": np.nan}, "prior_strength must be a number >= 0"),
        ({"prior_strength": None}, "prior_strength must be"),
        ({"prior_mean": 1.0}, "prior_mean must be a number between 0 and 1"),
        ({"prior_mean": "mean"}, "prior_mean must be one of 'pooled', 'uniform'"),
        ({"prior_mean": None}, "prior_mean must"),
        ({"order": "random"}, "order must be one of"),
        ({"numeric": "cut"}, "numeric must be one of"),
        ({"max_features": -1, "features": "mdl"}, "max_features must be"),
        ({"max_features": 1.5, "features": "mdl"}, "max_features must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        NaiveBayes(**options).fit([[0, 1], [1, 0]], [0, 1])


def test_a_failed_fit_is_no_fit():
    model = NaiveBayes()
    with pytest.raises(ValueError, match="infinity"):
        model.fit([[np.inf], [1]], [0, 1])
    with pytest.raises(NotFittedError):
        model.predict([[0]])


# The estimator


def test_numeric_columns_are_cut():
    X, y = load_iris(return_X_y=True)
    assert NaiveBayes().fit(X, y).score(X, y) > 0.9
    assert cross_val_score(NaiveBayes(), X, y).mean() > 0.9
    assert NaiveBayes(features="cv", random_state=0).fit(X, y).score(X, y) > 0.9


def test_folds_cut_anew():
    """Cuts learned on all rows make noise look good; the rule must not see that."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 400)), rng.integers(0, 2, 60)
    selection = NaiveBayes(features="cv", order="information", max_features=30).fit(X, y).selection_
    assert selection.score[1:].mean() > 0.35


def test_selector_interface():
    X, y = planted()
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    model = NaiveBayes(features=3).fit(frame, y)
    used = model.get_support(indices=True)
    assert sorted(used) == [0, 1, 2]
    assert model.get_feature_names_out().tolist() == ["f0", "f1", "f2"]
    np.testing.assert_array_equal(model.transform(frame), X[:, used])
    back = model.inverse_transform(X[:, used])
    np.testing.assert_array_equal(back[:, used], X[:, used])
    assert not back[:, 3:].any()
    assert model.set_output(transform="pandas").transform(frame).columns.tolist() == ["f0", "f1", "f2"]
    assert model.set_output(transform="polars").transform(frame).columns == ["f0", "f1", "f2"]


def test_names_of_columns_must_be_those_of_fit():
    X, y = planted(40, 3)
    model = NaiveBayes().fit(pd.DataFrame(X, columns=list("abc")), y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=list("bac")))
    with pytest.raises(ValueError, match="2 features"):
        NaiveBayes().fit(X, y).predict(X[:, :2])


@pytest.mark.parametrize(
    "options", [{}, {"features": "mdl"}, {"features": "loo", "prior_strength": "cv"}, {"features": 2, "backward": True}]
)
def test_pickle_and_clone(options):
    X, y = planted()
    model = NaiveBayes(**options).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.description_length_ == model.description_length_
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "support_")


def test_a_pickle_does_not_hold_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (20_000, 10)), rng.integers(0, 2, 20_000)
    model = NaiveBayes(features="mdl", prior_strength="loo").fit(X, y)
    assert len(pickle.dumps(model)) < 50_000


def test_summary():
    X, y = planted()
    labels = np.array(["ham", "spam"])[y]
    model = NaiveBayes(features=3).fit(X, labels)
    frame = model.summary()
    assert sorted(frame["feature"]) == ["x0", "x1", "x2"]
    bits = mutual_information(X, labels)
    np.testing.assert_allclose(frame["information"], sorted(bits[:3], reverse=True))
    assert set(frame["speaks_for"]) == {"spam"}
    np.testing.assert_allclose(sorted(frame["weight"]), sorted(model.coef_[0, :3] / np.log(2)))


def test_predicting_before_fitting():
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "transform"):
        with pytest.raises(NotFittedError):
            getattr(NaiveBayes(), method)([[0]])
    with pytest.raises(NotFittedError):
        NaiveBayes().summary()


def test_description_length_needs_all_rows():
    with pytest.raises(AttributeError, match="use fit instead of partial_fit"):
        _ = NaiveBayes().partial_fit([[0], [1]], [0, 1]).description_length_


def test_threads_do_not_change_a_bit():
    X, y = planted(3000, 60, seed=4)
    w = np.random.default_rng(0).random(3000)
    for kind in (np.asarray, sparse.csr_array):
        one, two = (NaiveBayes(features="mdl", n_jobs=n).fit(kind(X), y, w) for n in (1, 2))
        np.testing.assert_array_equal(one.predict_proba(kind(X)), two.predict_proba(kind(X)))
        np.testing.assert_array_equal(one.loo_predict_proba(kind(X), y, w), two.loo_predict_proba(kind(X), y, w))


@pytest.mark.parametrize(("d", "strength"), [(3, 0.2), (20, 0.2), (500, 5.0), (20_000, 100.0)])
def test_the_default_prior_grows_with_the_number_of_features(d, strength):
    X = np.zeros((4, d), dtype=np.uint8)
    X[1:3, ::2] = 1
    for table in (X, sparse.csr_array(X)):
        assert NaiveBayes().fit(table, [0, 1, 0, 1]).prior_strength_ == strength
        assert NaiveBayes().partial_fit(table, [0, 1, 0, 1]).prior_strength_ == strength


@pytest.mark.parametrize(
    ("options", "strength"),
    [
        ({"features": "mdl"}, 0.2),
        ({"features": "bic"}, 2.0),
        ({"features": "bic", "max_features": 50}, 0.5),
        ({"features": "bic", "order": "information"}, 5.0),
        ({"features": 100, "order": "information"}, 1.0),
        ({"features": "mdl", "prior_strength": 3}, 3.0),
    ],
)
def test_the_default_prior_goes_by_the_features_the_model_may_use(options, strength):
    X = np.random.default_rng(0).integers(0, 2, (30, 500), dtype=np.uint8)
    assert NaiveBayes(**options).fit(X, np.arange(30) % 2).prior_strength_ == strength
