"""Naive Bayes in the lecture's own forms: oracles written from the formulas, entry by entry."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from vitalfew import InformationRanking, NaiveBayes, SemiSupervisedNaiveBayes, load, loo_predict, save, summarize

CODINGS = {"signs": (-1, 1), "bits": (0, 1), "others": (2.5, 7.0)}


def sample(coding="signs", n=60, d=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    second = rng.random((n, d)) < rng.uniform(0.15, 0.85, (n_classes, d))[y]
    second[0], second[1] = False, True
    return np.where(second, *CODINGS[coding][::-1]), y, second


def theta(second, y, strength, mean):
    """P(second value | class) of each feature and class: (N(1, y) + n' p) / (N(y) + n')."""
    found = np.empty((second.shape[1], y.max() + 1))
    for j in range(second.shape[1]):
        p = second[:, j].mean() if mean is None else np.broadcast_to(mean, second.shape[1])[j]
        for c in range(y.max() + 1):
            own = y == c
            found[j, c] = (np.sum(second[own, j]) + strength * p) / (np.sum(own) + strength)
    return found


def joint(second, y, strength, mean, used, marginals=False):
    """log P(x, y) of eq. 1, sample by sample."""
    of_class, given = np.bincount(y) / len(y), theta(second, y, strength, mean)
    out = np.empty((len(y), y.max() + 1))
    for t, row in enumerate(second):
        for c in range(y.max() + 1):
            total = np.log(of_class[c])
            for j, is_second in enumerate(row):
                if j in used:
                    total += np.log(given[j, c] if is_second else 1 - given[j, c])
                elif marginals:
                    share = second[:, j].mean()
                    total += np.log(share if is_second else 1 - share)
            out[t, c] = total
    return out


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("strength", [0.7, 20])
@pytest.mark.parametrize("mean", [None, 0.3, (0.2, 0.5, 0.9, 0.4)])
@pytest.mark.parametrize("used", [(0, 1, 2, 3), (1, 3), (2,), ()])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_equations_1_to_9(coding, strength, mean, used, n_classes):
    X, y, second = sample(coding, n_classes=n_classes)
    given = "pooled" if mean is None else mean
    model = NaiveBayes(list(used), prior_strength=strength, prior_mean=given).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(model.support_), used)
    expected = joint(second, y, strength, mean, used)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    whole = joint(second, y, strength, mean, used, marginals=True)
    np.testing.assert_allclose(model.predict_joint_log_proba(X, marginals=True), whole, rtol=1e-10)
    assert whole[np.arange(len(y)), y].sum() == pytest.approx(model.log_likelihood_)
    linear = X @ model.coef_.T + model.intercept_
    if n_classes == 2:
        np.testing.assert_allclose(model.decision_function(X), expected[:, 1] - expected[:, 0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(linear[:, 0], expected[:, 1] - expected[:, 0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-linear[:, 0])), rtol=1e-9)
    else:
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9)
        np.testing.assert_allclose(linear, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))


@pytest.mark.parametrize("coding", CODINGS)
def test_theta_is_a_frame(coding):
    X, y, second = sample(coding)
    names = ["a", "b", "c", "d"]
    model = NaiveBayes(["b"], prior_strength=3, prior_mean=0.4).fit(pd.DataFrame(X, columns=names), y)
    frame = model.theta()
    assert list(frame.columns) == ["feature", "value", "selected", "P(value)", "P(value | 0)", "P(value | 1)"]
    assert frame["feature"].tolist() == [n for n in names for _ in range(2)]
    assert frame["value"].tolist() == [f"{v:g}" for v in CODINGS[coding]] * 4
    assert frame["selected"].tolist() == [n == "b" for n in names for _ in range(2)]
    expected = theta(second, y, 3, 0.4)
    for c in (0, 1):
        column = frame[f"P(value | {c})"].to_numpy()
        np.testing.assert_allclose(column[1::2], expected[:, c])
        np.testing.assert_allclose(column[0::2], 1 - expected[:, c])
    np.testing.assert_allclose(frame["P(value)"][1::2], second.mean(axis=0))
    assert model.theta(["p", "q", "r", "s"])["feature"].tolist()[::2] == ["p", "q", "r", "s"]
    with pytest.raises(ValueError, match="must have 4 names"):
        model.theta(["p"])


def test_theta_names_categories_intervals_and_words():
    X = pd.DataFrame({"color": ["red", "blue", None, "red"] * 9, "size": np.arange(36.0), "one": ["u", None] * 18})
    frame = NaiveBayes(prior_strength=0).fit(X, (np.arange(36) > 17).astype(int)).theta()
    assert frame["value"].tolist() == ["blue", "red", "<= 17.5", "> 17.5", "(missing)", "u"]
    np.testing.assert_allclose(frame["P(value | 0)"].iloc[2:4], [1, 0])
    words = NaiveBayes(prior_strength=0).fit(sparse.csr_array([[1, 0], [1, 1], [0, 0.0]]), [0, 0, 1]).theta()
    assert words["value"].tolist() == ["0", "1", "0", "1"]
    np.testing.assert_allclose(words["P(value | 0)"], [0, 1, 0.5, 0.5])


def test_the_linear_form_of_a_column_with_one_value():
    X, y, _ = sample()
    X = np.column_stack([X, np.full(len(X), 5.5)])
    model = NaiveBayes(prior_strength=2, prior_mean="uniform").fit(X, y)
    np.testing.assert_allclose((X @ model.coef_.T + model.intercept_)[:, 0], model.decision_function(X), atol=1e-9)


def test_the_linear_form_of_words():
    X, y, _ = sample("bits")
    words = sparse.csr_array(X.astype(float))
    model = NaiveBayes().fit(words, y)
    np.testing.assert_allclose((words @ model.coef_.T + model.intercept_)[:, 0], model.decision_function(words))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_leave_one_out_of_a_given_set(method, n_classes):
    X, y, _ = sample(n_classes=n_classes)
    model = NaiveBayes([0, 2], prior_strength=3)
    found = loo_predict(model, X, y, method=method)
    assert found.kind == "exact"
    for t in range(n_classes, len(y), 7):
        rest = np.arange(len(y)) != t
        expected = getattr(clone(model).fit(X[rest], y[rest]), method)(X[[t]])[0]
        np.testing.assert_allclose(found.prediction[t], expected, rtol=1e-9)


# A given set of features


def test_a_given_set_by_name_number_or_mask():
    X, y, _ = sample()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    found = [NaiveBayes(given).fit(frame, y) for given in (["b", "d"], [3, 1], ("b", 3), np.array([1, 3]))]
    found.append(NaiveBayes([False, True, False, True]).fit(frame, y))
    for model in found:
        assert model.support_.tolist() == [False, True, False, True]
        assert model.prior_strength_ == 0.2
        np.testing.assert_array_equal(model.predict_proba(frame), found[0].predict_proba(frame))
    inside = NaiveBayes().fit(frame[["b", "d"]], y)
    np.testing.assert_allclose(found[0].predict_proba(frame), inside.predict_proba(frame[["b", "d"]]))
    assert found[0].description_length_.total > 0
    with pytest.raises(AttributeError, match="selection_ is only available"):
        _ = found[0].selection_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["bb"], "features contains 'bb', which is not a column of X; did you mean 'b'"),
        ([4], "features contains 4, which is not a column"),
        ([-1], "features contains -1, which is not a column"),
        ([0.5], "features contains 0.5, which is not a column"),
        ([True, False], "the mask features must have 4 entries, one per feature, got 2"),
        (1.5, "features must be None, an integer number of features, a rule or a list of features, got 1.5"),
    ],
)
def test_a_set_that_is_not_there(given, message):
    X, y, _ = sample()
    with pytest.raises(ValueError, match=message):
        NaiveBayes(given).fit(pd.DataFrame(X, columns=["a", "b", "c", "d"]), y)


def test_a_given_set_everywhere(tmp_path):
    X, y, _ = sample()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = NaiveBayes(["a", "c"], prior_strength="loo").fit(frame, y)
    inside = NaiveBayes(prior_strength="loo").fit(frame[["a", "c"]], y)
    np.testing.assert_allclose(model.selection_.score, inside.selection_.score)
    assert model.prior_strength_ == inside.prior_strength_
    assert set(model.selection_.n_features) == {2}
    fixed = NaiveBayes(["a", "c"]).fit(frame, y)
    counted = NaiveBayes(["a", "c"]).fit_counts(summarize(frame.assign(y=y), "y"))
    np.testing.assert_array_equal(counted.predict_proba(frame), fixed.predict_proba(frame))
    np.testing.assert_array_equal(
        NaiveBayes(["a", "c"]).partial_fit(frame, y).predict_proba(frame), fixed.predict_proba(frame)
    )
    save(fixed, tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(frame), fixed.predict_proba(frame))


def test_the_features_are_the_first_argument():
    X, y, _ = sample()
    for value in ("loo", "mdl", 2, [0, 2]):
        assert NaiveBayes(value).get_params()["features"] is value
        np.testing.assert_array_equal(
            NaiveBayes(value).fit(X, y).support_, NaiveBayes(features=value).fit(X, y).support_
        )


# The prior


def test_the_grid_of_prior_strengths():
    X, y, _ = sample()
    model = NaiveBayes(prior_strength="cv", grid=[0.5, 40, 3]).fit(X, y)
    assert model.selection_.grid.tolist() == [40, 3, 0.5]
    assert model.prior_strength_ in (40, 3, 0.5)
    assert len(NaiveBayes(prior_strength="loo", grid=5).fit(X, y).selection_.grid) == 5
    np.testing.assert_allclose(NaiveBayes(prior_strength="loo").fit(X, y).selection_.grid, np.geomspace(1000, 0.01, 21))


@pytest.mark.parametrize("grid", [0, [], [-1.0], [[1.0, 2.0]], "many", None, [np.inf]])
def test_a_grid_that_is_none(grid):
    X, y, _ = sample()
    with pytest.raises(ValueError, match="grid must be a number of prior strengths"):
        NaiveBayes(grid=grid).fit(X, y)


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        ([0.5, 0.5], "prior_mean must have 4 entries, one per feature, got 2"),
        ([0.5, 0.5, 0.5, 1.0], "prior_mean must be a number between 0 and 1, an array"),
        (1.0, "prior_mean must be a number between 0 and 1, an array"),
        ({}, "prior_mean must be a number between 0 and 1, an array"),
        (np.str_("poled"), "prior_mean must be one of 'pooled', 'uniform', got 'poled'; did you mean 'pooled'"),
    ],
)
@pytest.mark.parametrize("kind", [NaiveBayes, SemiSupervisedNaiveBayes])
def test_a_prior_mean_that_does_not_fit(kind, mean, message):
    X, y, _ = sample()
    with pytest.raises(ValueError, match=message):
        kind(prior_mean=mean).fit(X, y)


def test_a_prior_mean_per_feature_is_saved(tmp_path):
    X, y, _ = sample()
    model = NaiveBayes(prior_strength=4, prior_mean=[0.1, 0.2, 0.3, 0.4]).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.coef_, model.coef_)


# The ranking by regularized estimates


def regularized_information(second, y, strength, mean):
    of_class, given = np.bincount(y) / len(y), theta(second, y, strength, mean)
    found = np.zeros(second.shape[1])
    for j in range(second.shape[1]):
        for c, share in enumerate(of_class):
            for p, every in ((given[j, c], given[j] @ of_class), (1 - given[j, c], (1 - given[j]) @ of_class)):
                found[j] += p * share * np.log2(p * share / (every * share))
    return found


@pytest.mark.parametrize("strength", [0.5, 20])
@pytest.mark.parametrize("mean", [None, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_ranking_uses_the_prior(strength, mean, n_classes):
    X, y, second = sample(n_classes=n_classes, d=6)
    given = "pooled" if mean is None else mean
    model = InformationRanking(k=2, prior_strength=strength, prior_mean=given).fit(X, y)
    expected = regularized_information(second, y, strength, mean)
    np.testing.assert_allclose(model.scores_, expected, rtol=1e-9, atol=1e-12)
    assert set(np.flatnonzero(model.support_)) == set(np.argsort(-expected)[:2])
    by_rule = InformationRanking(k="bic", prior_strength=strength, prior_mean=given).fit(X, y)
    np.testing.assert_array_equal(by_rule.support_, by_rule.ranking_ <= by_rule.support_.sum())


def test_the_prior_can_change_the_order():
    y = np.repeat([0, 1], 50)
    rare, frequent = (np.zeros(100, dtype=int) for _ in range(2))
    rare[50:56] = 1  # only in the second class
    frequent[:16], frequent[50:79] = 1, 1
    X = np.column_stack([rare, frequent])
    empirical = InformationRanking(k=1).fit(X, y)
    assert empirical.support_.tolist() == [True, False]
    zero = InformationRanking(k=1, prior_strength=0).fit(X, y)
    np.testing.assert_allclose(zero.scores_, empirical.scores_)
    assert InformationRanking(k=1, prior_strength=20, prior_mean=0.5).fit(X, y).support_.tolist() == [False, True]


def test_a_correction_is_for_frequencies():
    X, y, _ = sample()
    with pytest.raises(ValueError, match="corrects the bias of frequencies"):
        InformationRanking(correction="miller-madow", prior_strength=20).fit(X, y)
