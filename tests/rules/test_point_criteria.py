"""Likelihood, criteria and description length of fitted models against the formulas, from predictions alone."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import gammaln, xlogy
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import oracles
import vitalfew as vf
from vitalfew.families.linear import logistic_path, sparse_path

LN2 = np.log(2)
N, D = 120, 7


def numbers(n=N, d=D, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 1 + 2 * X[:, 0] - X[:, 3] + 0.5 * rng.normal(size=n)


def classes(n_classes=2):
    X, y = numbers()
    rng = np.random.default_rng(1)
    return X, np.digitize(y + 2 * rng.normal(size=N), np.quantile(y, np.arange(1, n_classes) / n_classes))


def gaussian(model, X, y, weight=None):
    n = len(y) if weight is None else weight.sum()
    variance = np.average((y - model.predict(X)) ** 2, weights=weight)
    return -0.5 * n * np.log(2 * np.pi * variance) - 0.5 * n


def labels(model, X, y):
    own = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return np.log(own).sum()


def two_part(log_likelihood, p, n, k, d):
    model = p / 2 * np.log(n) + oracles.log_star(k) + oracles.log_choose(d, k)
    return -log_likelihood / LN2, model / LN2


COUNTED = [
    vf.Lasso("bic"),
    vf.Lasso(0.1),
    vf.Lasso(0.1, fit_intercept=False),
    vf.BestSubsetRegressor("bic"),
    vf.BestSubsetRegressor(3),
    vf.GreedySubsetRegressor("aic"),
    vf.ForwardFittingRegressor(6),
]


@pytest.mark.parametrize("model", COUNTED, ids=str)
def test_gaussian_models(model):
    X, y = numbers()
    model.fit(X, y)
    p = np.count_nonzero(model.coef_) + model.fit_intercept + 1
    expected = gaussian(model, X, y)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-10)
    assert model.n_parameters_ == p
    assert model.bic_ == pytest.approx(-2 * expected + p * np.log(N), rel=1e-10)
    assert model.aic_ == pytest.approx(-2 * expected + 2 * p, rel=1e-10)
    k = np.count_nonzero(model.coef_)
    np.testing.assert_allclose(model.description_length_, two_part(expected, p, N, k, D), rtol=1e-9)
    if model.selection_.rule in ("bic", "aic"):
        chosen = model.selection_.score[model.selection_.index]
        assert getattr(model, f"{model.selection_.rule}_") == pytest.approx(chosen)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        vf.LogisticRegression("bic"),
        vf.LogisticRegression(0.02),
        vf.GreedySubsetClassifier(2),
        vf.BestSubsetClassifier(2),
        vf.ForwardFittingClassifier(4),
    ],
    ids=str,
)
def test_models_of_labels(model, n_classes):
    X, y = classes(n_classes)
    model.fit(X, y)
    expected = labels(model, X, y)
    is_subset = hasattr(model, "subset_") or hasattr(model, "k_")
    used = model.support_.sum()
    p = (n_classes - 1) * (1 + used) if is_subset else np.count_nonzero(model.coef_) + n_classes - 1
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-8)
    assert model.n_parameters_ == p
    assert model.bic_ == pytest.approx(-2 * expected + p * np.log(N), rel=1e-8)
    assert model.aic_ == pytest.approx(-2 * expected + 2 * p, rel=1e-8)
    np.testing.assert_allclose(model.description_length_, two_part(expected, p, N, used, D), rtol=1e-8)


def test_elastic_net_counts_effective_parameters():
    X, y = numbers()
    model = vf.Lasso(0.1, l1_ratio=0.5, standardize=False).fit(X, y)
    active = np.flatnonzero(model.coef_)
    C = (X - X.mean(axis=0))[:, active]
    gram = C.T @ C / N
    expected = np.trace(gram @ np.linalg.inv(gram + 0.05 * np.eye(len(active))))
    assert model.n_parameters_ == pytest.approx(expected + 2)
    whole = vf.Lasso("bic", l1_ratio=0.5, standardize=False, grid=[0.2, 0.1]).fit(X, y).path_.log_likelihood()
    assert model.n_parameters_ == pytest.approx(whole.n_parameters[1])


def test_logistic_ridge_counts_effective_parameters():
    X, y = classes()
    model = vf.LogisticRegression(0.1, penalty="l2", standardize=False).fit(X, y)
    design = np.column_stack([X, np.ones(N)])
    share = model.predict_proba(X)[:, 1]
    hessian = design.T @ (design * (share * (1 - share))[:, None]) / N
    penalty = np.diag([0.1] * D + [0])
    expected = np.trace(hessian @ np.linalg.inv(hessian + penalty))
    assert model.n_parameters_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", ["linear", "logistic"])
def test_effective_parameters_that_take_long_are_left_out(kind, monkeypatch):
    for module in (sparse_path, logistic_path):
        monkeypatch.setattr(module, "MOST_WORK", 10)
    if kind == "linear":
        model, (X, y) = vf.Lasso(0.1, l1_ratio=0.5), numbers()
    else:
        model, (X, y) = vf.LogisticRegression(0.1, penalty="l2"), classes()
    model.fit(X, y)
    with pytest.raises(AttributeError, match="takes long to compute"):
        _ = model.bic_
    assert np.isfinite(model.set_params(alpha="bic", grid=5).fit(X, y).bic_)


def charged(p, n):
    return p * n / (n - p - 1)


@pytest.mark.parametrize("alpha", [0.0, 3.0, "bic"])
def test_ridge_is_corrected(alpha):
    X, y = numbers()
    model = vf.Ridge(alpha, standardize=False).fit(X, y)
    C = X - X.mean(axis=0)
    hat = C @ np.linalg.inv(C.T @ C + model.alpha_ * np.eye(D)) @ C.T
    p, expected = np.trace(hat) + 2, gaussian(model, X, y)
    assert model.n_parameters_ == pytest.approx(p)
    assert model.bic_ == pytest.approx(-2 * expected + np.log(N) * charged(p, N))
    assert model.aic_ == pytest.approx(-2 * expected + 2 * charged(p, N))
    np.testing.assert_allclose(
        model.description_length_, [-expected / LN2, np.log(N) * charged(p, N) / 2 / LN2], rtol=1e-8
    )


def test_weights_are_repetitions():
    X, y = numbers(60)
    weight = np.random.default_rng(3).integers(1, 4, 60)
    for model in (vf.Lasso(0.1), vf.GreedySubsetRegressor(2), vf.Ridge(1.0)):
        a = model.fit(X, y, sample_weight=weight)._fitted_criteria()
        b = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))._fitted_criteria()
        np.testing.assert_allclose(a, b, rtol=1e-7)


def test_tree():
    X, y = classes(3)
    model = vf.DecisionTree().fit(X, y)
    leaf = model.tree_.feature < 0
    weight = model.tree_.weight[leaf]
    expected = xlogy(weight, weight / weight.sum(axis=1, keepdims=True)).sum()
    p = 2 * leaf.sum() + (~leaf).sum()
    assert model.log_likelihood_ == pytest.approx(expected)
    assert (model.n_parameters_, model.bic_) == (p, pytest.approx(-2 * expected + p * np.log(N)))
    frame = model.path_.to_frame().iloc[model.selection_.index]
    assert model.description_length_ == pytest.approx((frame["data_bits"], frame["model_bits"]))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("options", "per_round"),
    [({}, 2), ({"votes": "confidence"}, 3), ({"loss": "logistic"}, 2), ({"multiclass": "samme"}, 2)],
)
def test_boosting(options, per_round, n_classes):
    X, y = classes(n_classes)
    model = vf.AdaBoost(6, **options).fit(X, y)
    expected = labels(model, X, y)
    p = per_round * sum(len(run) for run in model.path_.runs)
    assert model.log_likelihood_ == pytest.approx(expected)
    assert model.n_parameters_ == p
    np.testing.assert_allclose(model.description_length_, two_part(expected, p, N, model.support_.sum(), D))


def test_boosted_trees_count_their_nodes():
    X, y = classes()
    model = vf.AdaBoost(3, estimator="tree").fit(X, y)
    trees = [learner.tree_ for learner in model.path_.runs[0].learners.models]
    assert model.n_parameters_ == sum(1 + t.n_leaves + (t.n_nodes - t.n_leaves) for t in trees)
    with pytest.raises(AttributeError, match="no likelihood"):
        _ = vf.AdaBoost(3, estimator=DecisionTreeClassifier(max_depth=1)).fit(X, y).bic_


def test_rules_that_resample_set_the_same_numbers():
    X, y = numbers()
    chosen = vf.GreedySubsetRegressor("cv").fit(X, y)
    given = vf.GreedySubsetRegressor(chosen.k_).fit(X, y)
    np.testing.assert_allclose(chosen._fitted_criteria(), given._fitted_criteria())


def test_models_without_a_likelihood_say_so():
    X, y = classes()
    with pytest.raises(NotFittedError):
        _ = vf.Lasso().bic_
    for model in (vf.Bagging(rounds=3), vf.InformationRanking(k="bic")):
        model.fit(X, y)
        assert not hasattr(model, "bic_")
        assert not hasattr(model, "log_likelihood_")


@pytest.mark.parametrize("kind", ["ridge", "no intercept", "kernel"])
@pytest.mark.parametrize("alpha", [0.5, 20.0])
def test_evidence_of_gaussian_models(kind, alpha):
    """The integral over the variance, and over the intercept, on a grid; that over the coefficients is a normal law."""
    X, y = numbers(12, 4)
    if kind == "kernel":
        model, K = vf.KernelRidge(alpha, kernel="linear").fit(X, y), X @ X.T
    else:
        model = vf.Ridge(alpha, fit_intercept=kind == "ridge", standardize=False).fit(X, y)
        C = X - X.mean(axis=0) if kind == "ridge" else X
        K = C @ C.T
    V = np.eye(12) + K / alpha
    inverse, logdet = np.linalg.inv(V), np.linalg.slogdet(V)[1]
    shifts = np.linspace(-15, 15, 3001) + y.mean() if kind == "ridge" else np.zeros(1)
    S = np.array([(y - b) @ inverse @ (y - b) for b in shifts])
    t = np.linspace(-12, 14, 4001)  # log variance, whose prior is flat
    log_density = -6 * np.log(2 * np.pi) - 6 * t - logdet / 2 - S[:, None] / (2 * np.exp(t))
    inner = trapezoid(np.exp(log_density), t, axis=1)
    total = trapezoid(inner, shifts) if kind == "ridge" else inner[0]
    assert model.log_evidence_ == pytest.approx(np.log(total), abs=1e-4)


def test_evidence_needs_a_penalty():
    X, y = numbers()
    assert np.isnan(vf.Ridge(0.0).fit(X, y).log_evidence_)
    assert np.isnan(vf.Lasso(0.1).fit(X, y).log_evidence_)


def beta_integral(counts, prior):
    """Log of B(counts + prior) / B(prior)."""
    return (
        gammaln(counts + prior).sum()
        - gammaln(counts.sum() + prior.sum())
        - (gammaln(prior).sum() - gammaln(prior.sum()))
    )


@pytest.mark.parametrize("prior_mean", [0.3, "pooled", "uniform"])
def test_evidence_of_naive_bayes(prior_mean):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = (rng.random((90, 4)) < 0.3 + 0.2 * (y[:, None] == [0, 1, 2, 5])).astype(int)
    model = vf.NaiveBayes(features=2, prior_strength=1.5, prior_mean=prior_mean).fit(X, y)
    count = np.bincount(y)
    expected = beta_integral(count, np.ones(3))
    for j in range(4):
        p = {"pooled": X[:, j].mean(), "uniform": 0.5}.get(prior_mean, prior_mean)
        prior = 1 + 1.5 * np.array([1 - p, p])
        groups = [y == c for c in range(3)] if model.support_[j] else [np.ones(90, dtype=bool)]
        expected += sum(beta_integral(np.bincount(X[rows, j], minlength=2), prior) for rows in groups)
    assert model.log_evidence_ == pytest.approx(expected, rel=1e-10)
    p = 2 + 4 + 2 * 2
    assert model.n_parameters_ == p
    assert model.aic_ == pytest.approx(-2 * model.log_likelihood_ + 2 * p)


@pytest.mark.parametrize(("strength", "mean"), [(0, 0.5), (2, 0.5), (3, 0.2)])
def test_evidence_of_one_coin_by_quadrature(strength, mean):
    """One binary feature in two classes, with the prior of lecture 9, whose mode with the counts is the estimate."""
    X, y = np.array([[0], [1], [1], [0], [1]]), np.array([0, 0, 1, 1, 1])
    model = vf.NaiveBayes(prior_strength=strength, prior_mean=mean).fit(X, y)
    t = np.linspace(0, 1, 20001)
    prior = t ** (strength * mean) * (1 - t) ** (strength * (1 - mean))
    prior /= trapezoid(prior, t)
    posteriors = (1 - t) * t * prior, (1 - t) * t**2 * prior
    of_values = trapezoid(posteriors[0], t) * trapezoid(posteriors[1], t)
    of_labels = trapezoid((1 - t) ** 2 * t**3, t)
    assert model.log_evidence_ == pytest.approx(np.log(of_labels * of_values), abs=1e-6)
    modes = [t[posterior.argmax()] for posterior in posteriors]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1]), modes, atol=1e-4)


@pytest.mark.parametrize("values", [(1, 2), (0, 5), (2, 5), (1.0, 2.0)])
def test_codes_of_a_feature_change_nothing(values):
    """Small integers are their own codes: a feature with the values 2 and 5 has no values 0, 1, 3 and 4."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = (rng.random((90, 5)) < 0.2 + 0.4 * (y[:, None] * (np.arange(5) < 2))).astype(int)
    for options in (
        {"features": "mdl"},
        {"features": "bic"},
        {"prior_strength": 3},
        {"features": 3, "order": "information"},
    ):
        expected = vf.NaiveBayes(prior_mean="uniform", **options).fit(X, y)
        coded = np.where(X == 1, values[1], values[0])
        model = vf.NaiveBayes(prior_mean="uniform", **options).fit(coded, y)
        np.testing.assert_allclose(model.predict_proba(coded), expected.predict_proba(X))
        np.testing.assert_allclose(model.description_length_, expected.description_length_)
        np.testing.assert_allclose(model._fitted_criteria()[:3], expected._fitted_criteria()[:3])
        assert model.log_evidence_ == pytest.approx(expected.log_evidence_)
        np.testing.assert_array_equal(model.support_, expected.support_)
        np.testing.assert_allclose(coded @ model.coef_[0] + model.intercept_[0], model.decision_function(coded))
        assert len(model.theta()) == 10
    three = np.digitize(rng.normal(size=(90, 2)), [-0.5, 0.5])
    from_zero = vf.NaiveBayes(features=1).fit(three, y)
    from_one = vf.NaiveBayes(features=1).fit(three + 1, y)
    assert from_one.bic_ == pytest.approx(from_zero.bic_)
    np.testing.assert_allclose(from_one.description_length_, from_zero.description_length_)


def test_evidence_of_naive_bayes_with_a_prior_below_the_range():
    X = np.repeat([[0], [1]], [1, 10**6], axis=0)
    y = np.arange(len(X)) % 2
    found = [vf.NaiveBayes(prior_strength=n).fit(X, y).log_evidence_ for n in (0, 1e-298, 1e-303, 1e-310)]
    assert np.isfinite(found[0])
    np.testing.assert_allclose(found, found[0], rtol=1e-12)  # the prior becomes uniform


def test_bits_of_a_given_number_of_features():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = (rng.random((200, 9)) < 0.3 + 0.3 * (y[:, None] == np.arange(9) % 3)).astype(int)
    count = np.bincount(y)
    for order in ("greedy", "information"):
        model = vf.NaiveBayes(features=6, order=order).fit(X, y)
        frame = model.selection_.to_frame()
        assert frame["features"].tolist() == list(range(7))
        assert frame["is_chosen"].tolist() == [False] * 6 + [True]
        for k, row in frame.iterrows():
            assert row["size_bits"] == pytest.approx(oracles.log_star(k) / LN2)
            assert row["subset_bits"] == pytest.approx(oracles.log_choose(9, k) / LN2, abs=1e-9)
            of_counts = np.log(201) + k * np.log(count + 1).sum()
            assert row["parameter_bits"] == pytest.approx(of_counts / LN2)
            assert row["model_bits"] == pytest.approx(row[["size_bits", "subset_bits", "parameter_bits"]].sum())
            assert row["total_bits"] == pytest.approx(row["data_bits"] + row["model_bits"])
        assert model.description_length_ == pytest.approx((row["data_bits"], row["model_bits"]))
        assert model.selection_.rule == "fixed"
        model.selection_.plot().to_dict()
    chosen = vf.NaiveBayes(features="mdl").fit(X, y).selection_.to_frame()
    assert {"size_bits", "subset_bits", "parameter_bits", "data_bits", "model_bits"} <= set(chosen.columns)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_stump(n_classes):
    X, y = classes(n_classes)
    model = vf.Stump().fit(X, y)
    expected = labels(model, X, y)
    p = 2 * (n_classes - 1) + 1
    assert model.log_likelihood_ == pytest.approx(expected)
    assert (model.n_parameters_, model.bic_) == (p, pytest.approx(-2 * expected + p * np.log(N)))
    np.testing.assert_allclose(model.description_length_, two_part(expected, p, N, 1, D))
    tree = vf.DecisionTree(max_depth=1, mdl_weight=None, criterion="gain").fit(X, y)
    assert tree.n_parameters_ == model.n_parameters_


def test_greedy_search_has_the_criteria_of_its_estimator():
    X, y = numbers()
    model = vf.GreedySearch(vf.Ridge(1.0), 2).fit(X, y)
    inner = vf.Ridge(1.0).fit(X[:, np.sort(model.subset_)], y)
    assert (model.bic_, model.n_parameters_) == pytest.approx((inner.bic_, inner.n_parameters_))
    data, of_model = inner.description_length_
    of_subset = (oracles.log_star(2) + oracles.log_choose(D, 2)) / LN2
    np.testing.assert_allclose(model.description_length_, (data, of_model + of_subset))
    assert not hasattr(vf.GreedySearch(LinearRegression(), 2).fit(X, y), "bic_")
    assert vf.compare({"two": model, "all": vf.Ridge(1.0)}, X, y, criterion="BIC").best == "two"


def test_greedy_search_of_naive_bayes_has_the_code_of_the_lecture():
    X, y = classes()
    X = (X > 0).astype(int)
    model = vf.GreedySearch(vf.NaiveBayes(prior_strength=1), 3).fit(X, y)
    given = vf.NaiveBayes(np.sort(model.subset_), prior_strength=1).fit(X, y)
    np.testing.assert_allclose(model.description_length_, given.description_length_)
