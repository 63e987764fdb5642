"""The greedy search by description length against brute force, step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from strategies import ALL_WEIGHTS, Problem, binary_problems, kary_problems
from vitalfew import NaiveBayes, description_length

LN2 = np.log(2)


def texts(n, d, n_classes=2, seed=0, density=0.1, lift=0.15, informative=8):
    """Words of which a few are more frequent in one class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    frequency = np.tile(rng.uniform(0.2, 2, d) * density, (n_classes, 1))
    for j in range(min(informative, d)):
        frequency[j % n_classes, j] += lift
    return Problem((rng.random((n, d)) < frequency[y]).astype(float), y)


def twin_of(problem, model):
    return oracles.NaiveBayes(
        problem.X,
        problem.label,
        problem.n_values,
        len(problem.classes),
        problem.weight,
        model.prior_strength_,
        model.prior_mean,
        occurs=problem.occurs,
    )


def costs_of(problem, twin):
    return oracles.costs(problem.n_occurring, twin.class_count, np.isnan(problem.X).any(axis=0))


def fit(problem, is_sparse, features=None, **options):
    features = problem.X.shape[1] if features is None else features
    X = problem.csr if is_sparse else problem.X
    return NaiveBayes(features=features, **options).fit(X, problem.y, problem.weight)


def assert_greedy(problem, model, tol=1e-9):
    """Every feature that enters is the best one (up to rounding), and the data nats are those of brute force."""
    path, twin = model.path_, twin_of(problem, model)
    cost, chosen = costs_of(problem, twin), []
    expected = oracles.data_nats(twin.joint_log_proba(problem.X, []), problem.label, problem.weight)
    assert path.trace[0] == pytest.approx(expected, rel=tol, abs=tol)
    for step, j in enumerate(path.feature.tolist()):
        value = oracles.candidates(twin, problem.X, problem.label, chosen, problem.weight)
        scale = tol * (1 + abs(value[j]))
        assert (value + cost)[j] <= (value + cost).min() + scale
        assert path.trace[step + 1] == pytest.approx(value[j], rel=tol, abs=tol)
        chosen.append(j)
    return chosen


@given(binary_problems(max_classes=2, min_classes=2, weight=ALL_WEIGHTS), st.sampled_from([0.1, 1.0, 10.0]))
def test_two_classes_sparse(problem, strength):
    model = fit(problem, True, prior_strength=strength)
    assert sorted(assert_greedy(problem, model)) == list(range(problem.X.shape[1]))


@given(binary_problems(max_classes=5, min_classes=1, weight=ALL_WEIGHTS), st.sampled_from([0.1, 1.0]))
def test_many_classes_sparse(problem, strength):
    assert_greedy(problem, fit(problem, True, prior_strength=strength))


@given(kary_problems(weight=ALL_WEIGHTS), st.sampled_from(["pooled", "uniform"]))
def test_codes(problem, mean):
    assert_greedy(problem, fit(problem, False, prior_mean=mean))


@pytest.mark.filterwarnings("ignore:.*distinct whole numbers")
def test_codes_beyond_bytes():
    rng = np.random.default_rng(0)
    wide = np.concatenate([np.arange(300), rng.integers(0, 300, 100)])
    problem = Problem(
        np.column_stack([wide, rng.integers(0, 3, 400), wide % 2]).astype(float),
        (wide % 2 + rng.integers(0, 2, 400)) % 3,
    )
    assert_greedy(problem, fit(problem, False, numeric="distinct"))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("copies", [2, 40])
def test_ties_go_to_the_lowest_index(n_classes, is_sparse, copies):
    problem = texts(120, 5, n_classes, density=0.4, lift=0.4)
    order = np.random.default_rng(1).permutation(np.tile(np.arange(5), copies))
    doubled = Problem(problem.X[:, order], problem.y)
    left = list(range(5 * copies))
    for j in fit(doubled, is_sparse, features=10).path_.feature.tolist():
        assert j == next(i for i in left if order[i] == order[j])
        left.remove(j)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("strength", [1e-12, 1e-3])
def test_extreme_evidence(n_classes, is_sparse, strength):
    """Log-odds of hundreds of nats: products of probabilities would leave the range of numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 60)
    X = (y[:, None] == np.arange(30) % n_classes).astype(float)
    X[rng.random(X.shape) < 0.03] = 0
    problem = Problem(X, y)
    model = fit(problem, is_sparse, features=25, prior_strength=strength)
    assert_greedy(problem, model, tol=1e-9)
    if strength < 1e-6:
        assert np.abs(model.predict_log_proba(X)).max() > 200


@pytest.mark.parametrize("is_sparse", [True, False])
def test_no_prior_at_all(is_sparse):
    problem = texts(80, 12, density=0.2, lift=0.6)
    model = fit(problem, is_sparse, features="mdl", prior_strength=0)
    selection = model.selection_
    assert np.isfinite(selection.score).all()
    assert model.description_length_.data == pytest.approx(selection.parts["data_bits"][selection.index], rel=1e-9)


@pytest.mark.parametrize(("n_classes", "is_sparse"), [(2, True), (3, True), (2, False)])
def test_many_rows(n_classes, is_sparse):
    """Enough rows and words that sums of logarithms are products, and S(b) is interpolated."""
    problem = texts(3000, 40, n_classes, seed=3, informative=12)
    assert_greedy(problem, fit(problem, is_sparse, features=8), tol=1e-8)


def test_words_of_very_different_frequency():
    """Absent words span several panels of b; whole documents are full or empty."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 500)
    p = rng.uniform(0, 1, (2, 80)) ** 2
    X = (rng.random((500, 80)) < p[y]).astype(float)
    X[:5], X[5:10] = 0, 1
    problem = Problem(X, y)
    assert_greedy(problem, fit(problem, True, features=20, prior_strength=0.01), tol=1e-9)


@settings(max_examples=20)
@given(st.one_of(binary_problems(weight=ALL_WEIGHTS), kary_problems(weight=ALL_WEIGHTS)))
def test_bits_are_those_of_description_length(problem):
    model = NaiveBayes(features="mdl").fit(problem.X, problem.y, problem.weight)
    twin, selection = twin_of(problem, model), model.selection_
    n_values = problem.n_occurring + np.isnan(problem.X).any(axis=0)
    for index, size in enumerate(selection.grid):
        used = np.flatnonzero(model.path_.at(index))
        assert len(used) == size == selection.n_features[index]
        nats = oracles.data_nats(twin.joint_log_proba(problem.X, used), problem.label, problem.weight)
        bits = description_length(-nats, twin.class_count, problem.X.shape[1], n_values[used])
        assert selection.parts["data_bits"][index] == pytest.approx(bits.data, abs=1e-8)
        assert selection.parts["model_bits"][index] == pytest.approx(bits.model, abs=1e-8)
        assert selection.score[index] == pytest.approx(bits.total, abs=1e-8)
        assert bits.model == pytest.approx(
            oracles.model_nats(twin.class_count, problem.X.shape[1], n_values[used]) / LN2, abs=1e-8
        )
    assert selection.index == np.argmin(selection.score)
    assert model.description_length_.total == pytest.approx(selection.score[selection.index], abs=1e-8)


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_backward_steps(is_sparse, n_classes):
    """Features that do well alone give way to pairs that do better: the walk leaves, and its sets are as recorded."""
    left = 0
    for seed in range(6):
        problem = redundant(seed, n_classes)
        forward = fit(problem, is_sparse, features="mdl")
        model = fit(problem, is_sparse, features="mdl", backward=True)
        best, floating = forward.selection_, model.selection_
        assert floating.score[floating.index] <= best.score[best.index] + 1e-9
        left += (model.path_.sign < 0).sum()
        assert_walk(problem, model)
    assert left > 0


def redundant(seed, n_classes):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, 300)
    clean = (y[:, None] == np.arange(n_classes)) ^ (rng.random((300, n_classes)) < 0.15)
    mixed = [
        (clean[:, rng.choice(n_classes, 2, replace=False)].any(axis=1)) ^ (rng.random(300) < 0.05) for _ in range(6)
    ]
    noisy = clean[:, rng.integers(0, n_classes, 12)] ^ (rng.random((300, 12)) < 0.1)
    return Problem(np.column_stack([*mixed, noisy, clean]).astype(float), y)


def assert_walk(problem, model):
    path, twin, inside = model.path_, twin_of(problem, model), set()
    for step, (j, sign) in enumerate(zip(path.feature.tolist(), path.sign.tolist())):
        assert (j in inside) == (sign < 0)
        inside ^= {j}
        nats = oracles.data_nats(twin.joint_log_proba(problem.X, sorted(inside)), problem.label)
        assert path.trace[step + 1] == pytest.approx(nats, rel=1e-9)
    assert path.grid.tolist() == list(range(len(path.grid)))


def test_backward_with_a_number_of_features():
    problem = redundant(0, 2)
    for k in (0, 1, 5, problem.X.shape[1]):
        assert fit(problem, True, features=k, backward=True).support_.sum() == k


@pytest.mark.parametrize(("n_classes", "is_sparse"), [(2, True), (3, True), (3, False)])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(n_classes, is_sparse, weighted):
    problem = texts(1500, 300, n_classes, seed=2)
    weight = np.random.default_rng(0).random(1500) if weighted else None
    problem = Problem(problem.X, problem.y, weight)
    one, two = (fit(problem, is_sparse, features=12, n_jobs=n, backward=True).path_ for n in (1, 2))
    for field in ("feature", "sign", "trace"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field))


@pytest.mark.parametrize("is_sparse", [True, False])
def test_order_by_information(is_sparse):
    problem = texts(150, 10, 3, lift=0.4)
    model = fit(problem, is_sparse, features="mdl", order="information")
    selection, twin = model.selection_, twin_of(problem, model)
    information = [oracles.mutual_information(x, problem.y) for x in problem.X.T]
    order = np.argsort(-np.array(information), kind="stable")
    assert model.path_.feature.tolist() == order.tolist()
    for index, k in enumerate(selection.grid):
        nats = oracles.data_nats(twin.joint_log_proba(problem.X, order[:k]), problem.label)
        nats += oracles.model_nats(twin.class_count, 10, [2] * k)
        assert selection.score[index] == pytest.approx(nats / LN2, rel=1e-10)


def test_random_labels_select_next_to_nothing():
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (200, 50)), rng.integers(0, 2, 200)
        found.append(NaiveBayes(features="mdl").fit(X, y).support_.sum())
    assert np.mean(found) < 0.5


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_sparse", [True, False])
def test_planted_features_are_found(n_classes, is_sparse):
    problem = texts(800, 200, n_classes, lift=0.5, informative=n_classes)
    model = fit(problem, is_sparse, features="mdl")
    assert set(range(n_classes - 1)) <= set(model.get_support(indices=True)) <= set(range(n_classes))


def test_sparse_and_dense_choose_alike():
    problem = texts(400, 30, 3, lift=0.3)
    np.testing.assert_allclose(fit(problem, True).path_.trace, fit(problem, False).path_.trace, rtol=1e-10)


def test_longest_path():
    problem = texts(300, 30, lift=0.5)
    model = fit(problem, True, features="mdl", max_features=3)
    assert model.selection_.grid.tolist() == [0, 1, 2, 3]
