"""KernelRidge: the dual formula, literal refits, kernels, rules for penalty and kernel, landmarks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import KFold, train_test_split

import oracles
from strategies import regressions
from vitalfew import KernelRidge, Ridge
from vitalfew.exceptions import RuleError

RULES = ["cv", "1se", "holdout", "loo", "bic", "aic"]
KERNELS = {
    "rbf": {"gamma": 0.2},
    "laplacian": {"gamma": 0.2},
    "linear": {},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 0.7},
    "polynomial": {"degree": 3},
    "cosine": {},
    "sigmoid": {"gamma": 0.05, "coef0": 0.1},
}


def waves(n=50, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def weights_for(n, seed=1):
    return np.random.default_rng(seed).uniform(0.2, 3, n)


# One penalty


@given(regressions(), st.sampled_from([1e-2, 1.0, 100.0]))
def test_a_penalty_against_the_formula(problem, alpha):
    K = rbf_kernel(problem.X, gamma=0.1)
    expected = oracles.kernel_ridge(K, problem.y, alpha, problem.weight)
    model = KernelRidge(alpha, gamma=0.1).fit(problem.X, problem.y, problem.weight)
    np.testing.assert_allclose(model.dual_coef_, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    path = KernelRidge(alpha, gamma=0.1, grid=[0.001, 1.0]).fit(problem.X, problem.y, problem.weight).path_
    np.testing.assert_allclose(
        path.dual_coef[path.grid == alpha][0], expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max()
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, np.asfortranarray, pd.DataFrame])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_equal_to_scikit_learn(kernel, kind, is_weighted):
    X, y = waves()
    w = weights_for(len(y)) if is_weighted else None
    ours = KernelRidge(0.5, kernel=kernel, **KERNELS[kernel]).fit(kind(X), y, w)
    theirs = SklearnKernelRidge(alpha=0.5, kernel=kernel, **KERNELS[kernel]).fit(X, y, w)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-7, atol=1e-9)
    new = waves(20, seed=3)[0]
    np.testing.assert_allclose(ours.predict(kind(new)), theirs.predict(new), rtol=1e-7, atol=1e-9)


def test_chi2_and_functions():
    X, y = waves()
    X = np.abs(X)
    ours = KernelRidge(0.5, kernel="chi2", gamma=0.3).fit(X, y)
    theirs = SklearnKernelRidge(alpha=0.5, kernel="chi2", gamma=0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))

    def product(a, b, power=1):
        return (1 + a @ b) ** power

    ours = KernelRidge(0.5, kernel=product, kernel_params={"power": 2}).fit(X, y)
    named = KernelRidge(0.5, kernel="poly", gamma=1.0, degree=2, coef0=1).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), named.predict(X))


@pytest.mark.parametrize("alpha", [0.5, *RULES])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_precomputed(alpha, kind):
    """Also with rows of weight zero: their columns are there, and are not used."""
    X, y = waves()
    w = weights_for(len(y))
    w[::4] = 0
    K = rbf_kernel(X, gamma=0.3)
    a = KernelRidge(alpha, kernel="precomputed", random_state=0).fit(kind(K), y, w)
    b = KernelRidge(alpha, gamma=0.3, random_state=0).fit(X, y, w)
    assert a.alpha_ == pytest.approx(b.alpha_, rel=1e-6)
    new = waves(20, seed=3)[0]
    np.testing.assert_allclose(a.predict(rbf_kernel(new, X, gamma=0.3)), b.predict(new), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(K, rbf_kernel(X, gamma=0.3))


def test_a_precomputed_kernel_is_square():
    X, y = waves()
    with pytest.raises(ValueError, match="square, got 50 rows and 3 columns"):
        KernelRidge(kernel="precomputed").fit(X, y)


def test_the_linear_kernel_is_ridge():
    X, y = waves()
    kernel = KernelRidge(0.7, kernel="linear").fit(X, y)
    linear = Ridge(0.7, fit_intercept=False, standardize=False).fit(X, y)
    np.testing.assert_allclose(kernel.predict(X), linear.predict(X))
    np.testing.assert_allclose(kernel.dual_coef_ @ X, linear.coef_)
    assert kernel.path_.degrees_of_freedom[0] == pytest.approx(linear.path_.degrees_of_freedom[0])
    assert kernel.path_.mean_squared_error[0] == pytest.approx(linear.path_.mean_squared_error[0])
    grid = [0.1, 1.0, 10.0, 30.0, 100.0]
    by_kernel, by_columns = (
        m.fit(X, y).selection_.score
        for m in (KernelRidge(kernel="linear", grid=grid), Ridge(grid=grid, fit_intercept=False, standardize=False))
    )
    np.testing.assert_allclose(by_kernel, by_columns)


def test_the_dual_of_the_lecture():
    """a' = (I + K / λ)⁻¹ y is the residual, and predicts with 1 / λ."""
    X, y = waves()
    K, alpha = rbf_kernel(X, gamma=0.3), 0.4
    lecture = np.linalg.solve(np.eye(len(y)) + K / alpha, y)
    model = KernelRidge(alpha, gamma=0.3).fit(X, y)
    np.testing.assert_allclose(alpha * model.dual_coef_, lecture)
    np.testing.assert_allclose(model.predict(X), K @ lecture / alpha)
    np.testing.assert_allclose(y - model.predict(X), lecture)


def test_no_penalty_interpolates():
    X, y = waves(20)
    model = KernelRidge(0, gamma=5.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-8)
    twice = KernelRidge(0, gamma=5.0).fit(np.vstack([X, X]), np.append(y, y + 1))
    np.testing.assert_allclose(twice.predict(X), y + 0.5, rtol=1e-7)


# Invariants


@given(regressions(weight=("integer",)))
def test_a_weight_is_a_repetition(problem):
    times = np.repeat(np.arange(len(problem.y)), problem.weight.astype(int) if problem.weight is not None else 1)
    a = KernelRidge(0.5, gamma=0.1).fit(problem.X, problem.y, problem.weight)
    b = KernelRidge(0.5, gamma=0.1).fit(problem.X[times], problem.y[times])
    np.testing.assert_allclose(a.predict(problem.X), b.predict(problem.X), rtol=1e-7, atol=1e-7)


def test_order_scale_threads_and_precision():
    X, y = waves(80)
    base = KernelRidge("loo", gamma=0.3).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = KernelRidge("loo", gamma=0.3).fit(X[order][:, ::-1], y[order])
    np.testing.assert_allclose(shuffled.selection_.score, base.selection_.score, rtol=1e-6)
    np.testing.assert_allclose(shuffled.predict(X[:, ::-1]), base.predict(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(KernelRidge(base.alpha_, gamma=0.3).fit(X, -3 * y).predict(X), -3 * base.predict(X))
    np.testing.assert_allclose(KernelRidge("loo", gamma=0.3 / 4).fit(2 * X, y).selection_.score, base.selection_.score)
    one, two = (KernelRidge("loo", gamma=0.3, n_jobs=k).fit(X, y) for k in (1, 2))
    np.testing.assert_allclose(one.selection_.score, two.selection_.score, rtol=1e-8)
    narrow = KernelRidge(0.1, gamma=0.3).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(narrow.predict(X), KernelRidge(0.1, gamma=0.3).fit(X, y).predict(X), atol=1e-4)


def test_input_is_left_alone():
    X, y = waves()
    K = rbf_kernel(X)
    kept = X.copy(), y.copy(), K.copy()
    for alpha in (1.0, *RULES):
        KernelRidge(alpha, kernel="precomputed").fit(K, y)
        KernelRidge(alpha).fit(X, y)
    for now, before in zip((X, y, K), kept):
        np.testing.assert_array_equal(now, before)


# Data that break things


def test_one_row():
    model = KernelRidge(0.5).fit([[2.0, 4.0]], [5.0])
    np.testing.assert_allclose(model.dual_coef_, 5 / 1.5)
    with pytest.raises(ValueError, match="n_samples = 1"):
        KernelRidge().fit([[2.0]], [5.0])


def test_constant_and_equal_rows():
    y = np.arange(6.0)
    for alpha in (1.0, *RULES):
        model = KernelRidge(alpha, gamma=1.0, cv=2, random_state=0).fit(np.ones((6, 2)), y)
        shrunk = 15 / (6 + model.alpha_)
        np.testing.assert_allclose(model.predict(np.ones((2, 2))), shrunk)


def test_numbers_that_are_none():
    X, y = waves()
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity: column 'x2', row 3"):
        KernelRidge().fit(X, y)
    kernel = np.eye(len(y))
    kernel[2, 3] = np.nan
    with pytest.raises(ValueError, match="NaN: column 'x3', row 2"):
        KernelRidge(kernel="precomputed").fit(kernel, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1}, "alpha must be"),
        ({"kernel": "gauss"}, "kernel must be a function, 'precomputed' or one of .*'rbf'"),
        ({"kernel": "linear", "gamma": "loo"}, "kernel 'linear' has no parameter gamma"),
        ({"degree": "loo"}, "kernel 'rbf' has no parameter degree"),
        ({"gamma": []}, "gamma must not be an empty list"),
        ({"n_components": 0}, "n_components must be"),
        ({"grid": 0}, "grid must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        KernelRidge(**options).fit(*waves())


@pytest.mark.parametrize("options", [{"alpha": "ebic"}, {"alpha": "mdl"}, {"gamma": "best"}])
def test_other_rules_are_refused(options):
    with pytest.raises(RuleError) as caught:
        KernelRidge(**options).fit(*waves())
    for known in RULES:
        assert repr(known) in str(caught.value)


# Leave-one-out


@given(regressions(min_rows=3, max_rows=12))
def test_loo_is_n_refits(problem):
    model = KernelRidge("loo", gamma=0.02, grid=[0.01, 1.0, 30.0]).fit(problem.X, problem.y, problem.weight)
    K = rbf_kernel(problem.X, gamma=0.02)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        left_out = oracles.kernel_ridge_loo(K, problem.y, alpha, problem.weight)
        assert score == pytest.approx(np.average((problem.y - left_out) ** 2, weights=problem.weight), rel=1e-6)
    assert model.selection_.note == "exact"


@pytest.mark.parametrize("n", [40, 1100])
def test_loo_of_small_and_large_matrices(n):
    """Large matrices go by another route of linear algebra, and vectors are squared in blocks."""
    X, y = waves(n)
    model = KernelRidge("loo", gamma=0.3, grid=[0.1, 3.0]).fit(X, y)
    K = rbf_kernel(X, gamma=0.3)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        inverse = np.linalg.inv(K + alpha * np.eye(n))
        assert score == pytest.approx(np.mean((inverse @ y / np.diag(inverse)) ** 2))


# Rules


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_components", [None, 20])
def test_every_rule(rule, n_components):
    X, y = waves()
    w = weights_for(len(y))
    model = KernelRidge(rule, n_components=n_components, random_state=0).fit(X, y, w)
    selection = model.selection_
    assert (selection.knob, selection.rule, len(selection.grid)) == ("alpha", rule, 100)
    assert (np.diff(selection.grid) < 0).all()
    assert model.alpha_ == selection.value
    again = KernelRidge(model.alpha_, n_components=n_components, random_state=0).fit(X, y, w)
    np.testing.assert_allclose(model.predict(X), again.predict(X), rtol=1e-5, atol=1e-7)


def test_cv_and_holdout_by_hand():
    X, y = waves()
    w = weights_for(len(y))
    K = rbf_kernel(X, gamma=0.3)
    splits = list(KFold(4).split(X))
    by_folds = KernelRidge("cv", gamma=0.3, grid=[0.01, 1.0], cv=splits).fit(X, y, w)
    by_half = KernelRidge("holdout", gamma=0.3, grid=[0.01, 1.0], random_state=3).fit(X, y, w)
    half = [train_test_split(np.arange(len(y)), test_size=0.25, random_state=3)]
    for model, parts in ((by_folds, splits), (by_half, half)):
        for alpha, score in zip(model.path_.grid, model.selection_.score):
            found = []
            for a, b in parts:
                dual = oracles.kernel_ridge(K[np.ix_(a, a)], y[a], alpha, w[a])
                found.append(np.average((y[b] - K[np.ix_(b, a)] @ dual) ** 2, weights=w[b]))
            assert score == pytest.approx(np.mean(found))


@pytest.mark.parametrize("rule", ["bic", "aic"])
def test_criteria_by_hand(rule):
    X, y = waves()
    model = KernelRidge(rule, gamma=0.3, grid=[0.1, 1.0, 10.0]).fit(X, y)
    K = rbf_kernel(X, gamma=0.3)
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        hat = K @ np.linalg.inv(K + alpha * np.eye(len(y)))
        p = np.trace(hat) + 1
        error = np.mean((y - hat @ y) ** 2)
        charge = 2 if rule == "aic" else np.log(len(y))
        charge *= len(y) / (len(y) - p - 1)
        assert score == pytest.approx(len(y) * (np.log(2 * np.pi * error) + 1) + charge * p)


@pytest.mark.parametrize("rule", RULES)
def test_gamma_by_rule(rule):
    """Each gamma at its best penalty, then the penalty for the gamma chosen."""
    X, y = waves()
    grid = np.geomspace(1e-3, 10, 6)
    model = KernelRidge(rule, gamma=rule, grid=grid, random_state=0).fit(X, y)
    assert list(model.selections_) == ["gamma", "alpha"]
    chosen = model.selections_["gamma"]
    assert (chosen.knob, chosen.rule) == ("gamma", rule)
    np.testing.assert_allclose(chosen.grid, np.geomspace(0.01, 100, 9) / X.var(axis=0).sum())
    for gamma, score in zip(chosen.grid, chosen.score):
        alone = KernelRidge(rule, gamma=gamma, grid=grid, random_state=0).fit(X, y)
        expected = alone.selection_.score
        if rule in ("bic", "aic"):  # a gamma that is chosen is a parameter
            found, n = alone.path_.log_likelihood(), len(y)
            p = found.n_parameters + 1
            charge = (2 if rule == "aic" else np.log(n)) * n / np.maximum(n - p - 1, 1e-300)
            expected = np.where(n - p > 1, -2 * found.log_likelihood + charge * p, np.inf)
        assert score == pytest.approx(expected.min(), rel=1e-6)
    limit = chosen.score.min() + (chosen.standard_error[chosen.score.argmin()] if rule == "1se" else 0)
    assert chosen.index == np.flatnonzero(chosen.score <= limit)[0]
    again = KernelRidge(rule, gamma=model.gamma_, grid=grid, random_state=0).fit(X, y)
    assert model.alpha_ == again.alpha_
    assert chosen.to_frame()["is_chosen"].sum() == 1
    chosen.plot().to_dict()


def test_lists_of_values():
    X, y = waves()
    model = KernelRidge("bic", gamma=[1.0, 0.1, 0.5]).fit(X, y)
    assert model.selections_["gamma"].grid.tolist() == [0.1, 0.5, 1.0]
    assert model.selections_["gamma"].rule == "bic"
    fixed = KernelRidge(0.1, gamma=[0.1, 1.0]).fit(X, y)
    assert (fixed.selections_["gamma"].rule, fixed.selection_.rule) == ("loo", "fixed")
    losses = [oracles.kernel_ridge_loo(rbf_kernel(X, gamma=g), y, 0.1) - y for g in (0.1, 1.0)]
    np.testing.assert_allclose(fixed.selections_["gamma"].score, np.mean(np.square(losses), axis=1))


def test_all_parameters_one_after_the_other():
    X, y = waves()
    model = KernelRidge("loo", kernel="poly", gamma="loo", degree="loo", coef0="loo").fit(X, y)
    assert list(model.selections_) == ["gamma", "degree", "coef0", "alpha"]
    first = KernelRidge("loo", kernel="poly", gamma="loo").fit(X, y)
    assert model.gamma_ == first.gamma_
    second = KernelRidge("loo", kernel="poly", gamma=model.gamma_, degree="loo").fit(X, y)
    assert model.degree_ == second.degree_
    assert model.selections_["degree"].grid.tolist() == [1, 2, 3, 4, 5]
    assert (np.diff(model.selections_["coef0"].grid) < 0).all()
    K = pairwise_kernels(
        X, metric="poly", filter_params=True, gamma=model.gamma_, degree=model.degree_, coef0=model.coef0_
    )
    dual = oracles.kernel_ridge(K, y, model.alpha_)
    np.testing.assert_allclose(model.predict(X), K @ dual, rtol=1e-4, atol=1e-5)


# Landmarks


def nystroem(K, rows, alpha, y, w):
    """Ridge regression on the features of the landmarks, and the matrix that approximates K."""
    inverse = np.linalg.pinv(K[np.ix_(rows, rows)], hermitian=True)
    approximate = K[:, rows] @ inverse @ K[rows]
    return approximate @ oracles.kernel_ridge(approximate, y, alpha, w), approximate


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_landmarks_stand_for_the_kernel(kind, is_weighted):
    X, y = waves(60)
    w = weights_for(len(y)) if is_weighted else None
    model = KernelRidge(0.3, gamma=1.0, n_components=15, random_state=4).fit(kind(X), y, w)
    basis = model.X_fit_.toarray() if sparse.issparse(model.X_fit_) else model.X_fit_
    rows = [int(np.flatnonzero((b == X).all(axis=1))[0]) for b in basis]
    assert len(set(rows)) == 15
    K = rbf_kernel(X, gamma=1.0)
    fitted, approximate = nystroem(K, rows, 0.3, y, w)
    np.testing.assert_allclose(model.predict(kind(X)), fitted, rtol=1e-7, atol=1e-8)
    assert model.nystroem_error_ == pytest.approx(np.trace(K - approximate) / np.trace(K))
    assert 0 < model.nystroem_error_ < 1
    assert "15 landmarks" in model.note_
    other = KernelRidge(0.3, gamma=1.0, n_components=15, random_state=5).fit(X, y, w)
    assert (other.X_fit_ != basis).any()


@pytest.mark.parametrize("is_weighted", [True, False])
def test_loo_of_landmarks_is_n_refits(is_weighted, monkeypatch):
    monkeypatch.setattr("vitalfew.families.ridge.kernel_forms.BLOCK_NUMBERS", 64)
    X, y = waves(30)
    w = weights_for(len(y)) if is_weighted else None
    model = KernelRidge("loo", gamma=1.0, n_components=8, grid=[0.1, 3.0], random_state=4).fit(X, y, w)
    rows = [int(np.flatnonzero((b == X).all(axis=1))[0]) for b in model.X_fit_]
    approximate = nystroem(rbf_kernel(X, gamma=1.0), rows, 1.0, y, w)[1]
    for alpha, score in zip(model.path_.grid, model.selection_.score):
        left_out = oracles.kernel_ridge_loo(approximate, y, alpha, w)
        assert score == pytest.approx(np.average((y - left_out) ** 2, weights=w))
    assert model.selection_.note == "exact; the landmarks are held fixed"


def test_all_rows_as_landmarks_is_exact():
    X, y = waves()
    exact, full = (KernelRidge(0.3, n_components=k).fit(X, y) for k in (None, 50))
    np.testing.assert_array_equal(exact.dual_coef_, full.dual_coef_)
    assert (exact.nystroem_error_, exact.note_) == (0.0, "")
    many = KernelRidge(0.3, n_components=49, random_state=0).fit(X, y)
    np.testing.assert_allclose(many.predict(X), exact.predict(X), atol=0.02)


def test_landmarks_of_a_precomputed_kernel():
    X, y = waves()
    K = rbf_kernel(X, gamma=0.3)
    a = KernelRidge("loo", kernel="precomputed", n_components=10, random_state=1).fit(K, y)
    b = KernelRidge("loo", gamma=0.3, n_components=10, random_state=1).fit(X, y)
    assert a.nystroem_error_ == pytest.approx(b.nystroem_error_)
    np.testing.assert_allclose(a.predict(K), b.predict(X), rtol=1e-6, atol=1e-8)


def test_many_rows_use_landmarks_unasked(monkeypatch):
    X, y = waves(120)
    monkeypatch.setattr("vitalfew.families.ridge.kernel_ridge.MOST_ROWS", 100)
    monkeypatch.setattr("vitalfew.families.ridge.kernel_ridge.N_LANDMARKS", 30)
    model = KernelRidge("cv", random_state=0).fit(X, y)  # folds of 96 rows use them too
    assert len(model.dual_coef_) == 30
    asked = KernelRidge("cv", n_components=30, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.selection_.score, asked.selection_.score)
    assert len(KernelRidge("loo").fit(X[:100], y[:100]).dual_coef_) == 100


# The estimator


def test_a_selector_that_keeps_everything():
    X, y = waves()
    model = KernelRidge(1.0).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert model.get_support().tolist() == [True] * 3
    assert list(model.get_feature_names_out()) == ["a", "b", "c"]
    assert model.score(pd.DataFrame(X, columns=["a", "b", "c"]), y) > 0.5


def test_the_path_draws_and_tells():
    X, y = waves()
    model = KernelRidge("loo", grid=20).fit(X, y)
    frame = model.path_.to_frame()
    assert list(frame) == ["alpha", "mean_squared_error", "degrees_of_freedom"]
    assert (np.diff(frame["degrees_of_freedom"]) > 0).all()
    assert len(model.path_.plot().to_dict()["data"]["values"]) == 20
    assert model.path_.data is None
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(copied.predict(X), model.predict(X), rtol=1e-10, atol=1e-12)
    errors = [np.mean((y - X_fit @ dual) ** 2) for X_fit, dual in [(rbf_kernel(X), d) for d in model.path_.dual_coef]]
    np.testing.assert_allclose(frame["mean_squared_error"], errors, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("model", [KernelRidge(1.0), Ridge(1.0), Ridge("loo")])
def test_values_whose_products_overflow_are_named(model):
    X = np.random.default_rng(0).normal(size=(5, 40))
    X[:, 3] *= 1e77
    with pytest.raises(ValueError, match="column 'x3' has values so large"):
        model.fit(X, np.arange(5.0))


@pytest.mark.parametrize("model", [KernelRidge(1.0), Ridge(1.0), Ridge(0.0)])
def test_weighted_targets_whose_squares_overflow_are_named(model):
    X, y = np.random.default_rng(0).normal(size=(5, 2)), np.arange(5.0)
    with pytest.raises(ValueError, match="y with sample_weight has values so large"):
        model.fit(X, y * 1e150, sample_weight=[1, 1, 1, 1e60, 1])


@pytest.mark.parametrize("n_columns", [2, 9])
@pytest.mark.parametrize("make", [KernelRidge, Ridge])
@pytest.mark.parametrize("alpha", [1e-300, 1e300])
def test_penalties_at_the_ends_of_the_range(make, alpha, n_columns):
    X, y = np.random.default_rng(0).normal(size=(5, n_columns)), np.arange(5.0)
    model = make(alpha).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite([model.n_parameters_, model.log_evidence_]).all()
    if alpha > 1:
        centered = y if make is KernelRidge else y - y.mean()  # only Ridge has an intercept
        expected = make(1e9).fit(X, y).log_likelihood_
        assert model.log_likelihood_ == pytest.approx(expected, abs=1e-6)
        assert model.log_likelihood_ == pytest.approx(-2.5 * (1 + np.log(2 * np.pi * np.mean(centered**2))), abs=1e-6)


def test_columns_whose_squares_underflow():
    X, y = np.linspace(1, 2, 8)[:, None] * 1e-200, np.arange(8.0)
    assert np.isfinite(Ridge(0.0).fit(X, y, sample_weight=np.full(8, 2.0)).predict(X)).all()
