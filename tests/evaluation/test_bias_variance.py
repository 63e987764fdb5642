"""`bias_variance` against Domingos' definitions, one row and one training set at a time."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine, make_circles, make_moons
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from vitalfew import Bagging, NaiveBayes, bias_variance


def recorded(kind, **options):
    """An estimator that keeps what it was fitted on, and what it predicted."""

    class Recording(kind):
        fits, predictions = [], []

        def fit(self, X, y):
            self.fits.append((X, y))
            return super().fit(X, y)

        def predict(self, X):
            self.predictions.append(super().predict(X))
            return self.predictions[-1]

    return Recording(**options)


def domingos(predictions, y, best):
    """Main prediction, error, bias, variance, and its factor c₂ for each row; ties go to the first class."""
    found = []
    for i, (label, optimal) in enumerate(zip(y, best)):
        votes = [p[i] for p in predictions]
        counts = {c: votes.count(c) for c in sorted(set(votes))}
        main = max(counts, key=counts.get)
        others = [v for v in votes if v != main]
        bias = float(main != optimal)
        factor = 1.0 if not bias else -np.mean([v == optimal for v in others]) if others else 0.0
        found.append((main, np.mean([v != label for v in votes]), bias, len(others) / len(votes), factor))
    return [np.array(part) for part in zip(*found)]


def noisy(data, seed=0, scale=1.0):
    X, y = data(return_X_y=True)
    return X + scale * X.std(axis=0) * np.random.default_rng(seed).normal(size=X.shape), y


@pytest.mark.parametrize("data", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("sets", ["bootstrap", "halves", "disjoint"])
@pytest.mark.parametrize("n_sets", [5, 6])
def test_zero_one_by_loops(data, sets, n_sets):
    X, y = noisy(data)
    tree = recorded(DecisionTreeClassifier, max_depth=3)
    X_test, y_test = X[::3], y[::3]
    parts = bias_variance(tree, X, y, n_sets=n_sets, test=(X_test, y_test), sets=sets, random_state=0)
    main, error, bias, variance, factor = domingos(tree.predictions, y_test, y_test)
    assert len(tree.predictions) == parts.n_sets == n_sets
    np.testing.assert_array_equal(parts.main_prediction, main)
    np.testing.assert_allclose(parts.error_by_row, error, atol=1e-12)
    np.testing.assert_allclose(parts.bias_by_row, bias, atol=1e-12)
    np.testing.assert_allclose(parts.variance_by_row, variance, atol=1e-12)
    np.testing.assert_allclose(parts.net_variance_by_row, factor * variance, atol=1e-12)
    biased = bias == 1
    assert parts.unbiased_variance == pytest.approx(np.sum(variance[~biased]) / len(y_test))
    assert parts.biased_variance == pytest.approx(-np.sum((factor * variance)[biased]) / len(y_test))
    assert parts.noise is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("base", [DecisionTreeClassifier(max_depth=2), SVC()], ids=repr)
def test_error_is_bias_plus_net_variance(seed, base):
    X, y = make_moons(150, noise=0.5, random_state=seed)
    parts = bias_variance(base, X, np.where(y, "yes", "no"), n_sets=8, random_state=seed)
    np.testing.assert_array_equal(parts.error_by_row, parts.bias_by_row + parts.net_variance_by_row)
    assert parts.error == pytest.approx(parts.bias + parts.net_variance, abs=1e-15)
    assert parts.net_variance == pytest.approx(parts.unbiased_variance - parts.biased_variance, abs=1e-15)
    # With two classes variance is all added, or all taken away.
    np.testing.assert_allclose(np.abs(parts.net_variance_by_row), parts.variance_by_row, atol=1e-15)


def test_error_is_bias_plus_net_variance_of_many_classes():
    X, y = noisy(load_wine, scale=2.0)
    parts = bias_variance(DecisionTreeClassifier(), X, y, n_sets=9, random_state=1)
    np.testing.assert_allclose(parts.error_by_row, parts.bias_by_row + parts.net_variance_by_row, atol=1e-15)
    assert (np.abs(parts.net_variance_by_row) < parts.variance_by_row - 0.05).any()  # wrong in another way


@pytest.mark.parametrize("n_classes", [2, 3])
def test_noise_that_is_known(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    best = np.digitize(X[:, 0], [0, 1][: n_classes - 1])
    y = np.where(rng.random(300) < 0.2, rng.integers(0, n_classes, 300), best)
    tree = recorded(DecisionTreeClassifier)
    parts = bias_variance(tree, X, y, n_sets=7, test=(X, y), optimal=best, random_state=0)
    _, _, bias, variance, factor = domingos(tree.predictions, y, best)
    np.testing.assert_array_equal(parts.bias_by_row, bias)
    np.testing.assert_allclose(parts.net_variance_by_row, factor * variance, atol=1e-12)
    for i in np.flatnonzero(y != best):  # c₁ of Domingos' theorem 2
        votes = np.array([p[i] for p in tree.predictions])
        wrong = votes[votes != best[i]]
        c1 = np.mean(votes == best[i]) - (np.mean(votes != best[i]) * np.mean(wrong == y[i]) if len(wrong) else 0)
        assert parts.noise_by_row[i] == pytest.approx(c1)
    assert not parts.noise_by_row[y == best].any()
    assert parts.error == pytest.approx(parts.noise + parts.bias + parts.net_variance)


@pytest.mark.parametrize("knows_noise", [False, True])
def test_squared_by_loops(knows_noise):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (200, 1))
    signal = np.sin(2 * X[:, 0])
    y = signal + 0.3 * rng.normal(size=200)
    tree = recorded(DecisionTreeRegressor, max_depth=4)
    best = signal if knows_noise else y
    parts = bias_variance(tree, X, y, n_sets=10, test=(X, y), optimal=signal if knows_noise else None, random_state=0)
    for i in range(0, 200, 17):
        found = np.array([p[i] for p in tree.predictions])
        assert parts.main_prediction[i] == pytest.approx(found.mean())
        assert parts.bias_by_row[i] == pytest.approx((found.mean() - best[i]) ** 2)
        assert parts.variance_by_row[i] == pytest.approx(np.mean((found - found.mean()) ** 2))
        assert parts.error_by_row[i] == pytest.approx(np.mean((found - y[i]) ** 2))
    assert parts.error == pytest.approx(parts.bias + parts.variance + (parts.noise or 0))
    assert parts.biased_variance == 0
    assert (parts.noise is not None) == knows_noise
    if knows_noise:
        assert parts.noise == pytest.approx(0.09, rel=0.5)


def test_training_sets():
    X, y = np.arange(80.0)[:, None], np.tile([0, 1], 40)
    rows = {}
    for sets in ("bootstrap", "halves", "disjoint"):
        model = recorded(GaussianNB)
        bias_variance(model, X, y, n_sets=5, test=0.25, sets=sets, random_state=0)
        rows[sets] = [fitted[:, 0].astype(int) for fitted, _ in model.fits]
    assert [len(s) for s in rows["bootstrap"]] == [60] * 5
    assert all(len(set(s)) < 60 for s in rows["bootstrap"])
    assert [len(set(s)) for s in rows["halves"]] == [30] * 5
    assert not set(rows["halves"][0]) & set(rows["halves"][1])
    assert not set(rows["halves"][2]) & set(rows["halves"][3])
    assert len(set(np.concatenate(rows["disjoint"]))) == 60


def test_two_learners_see_the_same_sets_and_results_repeat():
    X, y = noisy(load_wine)
    one, two = recorded(GaussianNB), recorded(DecisionTreeClassifier)
    a, b = (bias_variance(model, X, y, n_sets=3, random_state=7) for model in (one, two))
    for (X_one, y_one), (X_two, y_two) in zip(one.fits, two.fits, strict=True):
        np.testing.assert_array_equal(X_one, X_two)
        np.testing.assert_array_equal(y_one, y_two)
    assert len(a.error_by_row) == len(b.error_by_row) == 45
    again = bias_variance(Bagging(rounds=3), X, y, n_sets=3, random_state=7, n_jobs=2)
    np.testing.assert_array_equal(
        again.error_by_row, bias_variance(Bagging(rounds=3), X, y, n_sets=3, random_state=7).error_by_row
    )


def test_table_with_standard_errors():
    X, y = noisy(load_breast_cancer)
    parts = bias_variance(DecisionTreeClassifier(), X, y, n_sets=5, random_state=0)
    frame = parts.to_frame().set_index("part")
    assert list(frame.index) == [
        "error", "bias", "variance", "unbiased_variance", "biased_variance", "net_variance",
    ]  # fmt: skip
    assert frame.loc["bias", "mean"] == parts.bias
    n = len(parts.bias_by_row)
    assert frame.loc["bias", "standard_error"] == pytest.approx(np.sqrt(parts.bias * (1 - parts.bias) / (n - 1)))
    assert parts.standard_error["error"] == pytest.approx(parts.error_by_row.std(ddof=1) / np.sqrt(n))


@pytest.mark.parametrize("random_state", range(3))
def test_bagging_lowers_variance_and_not_bias(random_state):
    X, y = make_circles(4000, noise=0.2, factor=0.5, random_state=random_state)
    options = {"n_sets": 20, "sets": "disjoint", "random_state": random_state}
    tree = bias_variance(DecisionTreeClassifier(), X, y, **options)
    bagged = bias_variance(Bagging(rounds=15), X, y, **options)
    assert bagged.variance < 0.8 * tree.variance
    assert bagged.net_variance < 0.7 * tree.net_variance
    # Row by row: a difference that test rows explain.
    change = bagged.bias_by_row - tree.bias_by_row
    assert abs(change.mean()) < 3 * change.std(ddof=1) / np.sqrt(len(change))


def test_averaging_lowers_variance_of_regression():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (1500, 2))
    signal = np.sin(2 * X[:, 0]) * X[:, 1]
    y = signal + 0.3 * rng.normal(size=1500)
    options = {"n_sets": 15, "sets": "disjoint", "test": (X[1000:], y[1000:]), "optimal": signal[1000:]}
    tree, bagged = (
        bias_variance(model, X[:1000], y[:1000], random_state=0, **options)
        for model in (DecisionTreeRegressor(), BaggingRegressor(DecisionTreeRegressor(), 15))
    )
    assert bagged.variance < 0.6 * tree.variance
    assert bagged.noise == pytest.approx(0.09, rel=0.3)


def test_frames_and_pipelines():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(FunctionTransformer(lambda frame: frame[["alcohol", "hue"]]), StandardScaler(), SVC())
    assert isinstance(X, pd.DataFrame)
    assert 0 < bias_variance(model, X, y, n_sets=4, random_state=0).error < 0.4


def test_a_set_of_one_class_predicts_it():
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], [37, 3])
    parts = bias_variance(SVC(), X, y, n_sets=6, sets="disjoint", test=(X, y), random_state=0)
    assert parts.main_prediction.tolist() == [0] * 40


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_sets": 1}, "n_sets must be an integer number of training sets >= 2, got 1"),
        ({"loss": "hinge"}, "loss must be one of 'zero_one', 'squared'"),
        ({"loss": "squared"}, "loss='squared' requires a regressor, got GaussianNB"),
        ({"estimator": LinearRegression(), "loss": "zero_one"}, "loss='zero_one' requires a classifier"),
        ({"estimator": StandardScaler()}, "estimator must be a classifier or a regressor, got StandardScaler"),
        ({"sets": "thirds"}, "sets must be one of 'bootstrap', 'halves', 'disjoint'"),
        ({"sets": "disjoint", "n_sets": 100}, "133 training rows cannot be split into n_sets=100 sets"),
        ({"optimal": [0, 1]}, r"pass them as test=\(X_test, y_test\)"),
        ({"test": (np.zeros((3, 13)), [0, 1])}, "inconsistent numbers of samples"),
    ],
)
def test_bad_arguments(options, message):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        bias_variance(options.pop("estimator", GaussianNB()), X, y, **options)


SPARSE = sparse.csr_array(
    (np.tile([3.0, 2, 1], 40), np.tile(np.int32([2, 1, 0]), 40), np.arange(0, 121, 3, dtype=np.int32)), shape=(40, 3)
)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_every_sparse_format(form):
    X, y = SPARSE.asformat(form), np.arange(40) % 2
    assert bias_variance(NaiveBayes(), X, y, n_sets=2, random_state=0).error >= 0
    assert bias_variance(NaiveBayes(), X, y, n_sets=2, test=(X, y), random_state=0).error >= 0


def test_broken_sparse_matrices_are_refused():
    X, y = sparse.csr_array(np.eye(40)), np.arange(40) % 2
    X.indptr[1:-1:2] = 2**30
    for options in ({}, {"test": (X, y)}):
        with pytest.raises(ValueError, match="sparse X is invalid"):
            bias_variance(NaiveBayes(), X, y, n_sets=2, random_state=0, **options)


def test_test_rows_are_not_sorted_in_place():
    X, y = SPARSE.copy(), np.arange(40) % 2
    bias_variance(SVC(), SPARSE.copy(), y, test=(X, y), n_sets=2, random_state=0)
    assert (X.indices == SPARSE.indices).all()
