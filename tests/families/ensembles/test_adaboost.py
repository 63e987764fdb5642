"""AdaBoost against its formulas, round by round."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import boost_oracles as oracle
from strategies import tied_tables
from vitalfew import AdaBoost, DecisionTree, NaiveBayes, Stump
from vitalfew.exceptions import GuessingWarning, RuleError
from vitalfew.families.ensembles.boost_theory import edge_bound, generalization_bound, stump_dimension

pytestmark = pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GuessingWarning")
ROUNDS = 12


def uniform(weight, n):
    return np.ones(n) if weight is None else weight


@given(tied_tables())
def test_every_round_follows_the_formulas(table):
    X, label, weight = table
    y = np.where(label, 1.0, -1.0)
    model = AdaBoost(ROUNDS, max_bins=100).fit(X, label, weight)
    run = model.path_.runs[0]
    votes = model.votes_of(X).T
    weights = oracle.adaboost_weights(y, votes, run.alpha, uniform(weight, len(y)))
    for t, h in enumerate(votes):
        errors = oracle.stump_errors(X, y, weights[t])
        assert run.error[t] == pytest.approx(errors.min(), abs=1e-9)  # the best stump there is
        assert weights[t][h != y].sum() == pytest.approx(run.error[t], abs=1e-9)
        e = run.error[t] or min(0.5 / uniform(weight, len(y)).sum(), 1 / (1 + np.e**2))
        assert run.alpha[t] == pytest.approx(0.5 * np.log((1 - e) / e))
        assert run.z[t] == pytest.approx(np.sum(weights[t] * np.exp(-run.alpha[t] * y * h)))
    f = np.cumsum(run.alpha[:, None] * votes, axis=0)
    w = uniform(weight, len(y)) / uniform(weight, len(y)).sum()
    np.testing.assert_allclose(run.trained, [(w * ((own > 0) != (label > 0))).sum() for own in f], atol=1e-12)
    if len(run):
        share = f[-1] / run.alpha.sum()
        np.testing.assert_allclose(model.decision_function(X), share, atol=1e-12)
        np.testing.assert_allclose(model.margins(X, label), y * share, atol=1e-12)
        np.testing.assert_allclose(run.margins.sum(axis=1), 1)
        assert run.stop or len(run) == ROUNDS
        if run.stop == 2:  # nothing is better than guessing
            assert oracle.stump_errors(X, y, weights[-1]).min() >= 0.5 - 1e-9


@given(tied_tables())
def test_bounds_hold_in_every_round(table):
    X, label, weight = table
    run = AdaBoost(ROUNDS).fit(X, label, weight).path_.runs[0]
    product = np.cumprod(run.z)
    assert (run.trained <= product + 1e-9).all()
    assert (product <= edge_bound(run.error) + 1e-9).all()


@given(tied_tables())
def test_confident_votes_make_z_least(table):
    X, label, weight = table
    y, w = np.where(label, 1.0, -1.0), uniform(weight, len(label))
    model = AdaBoost(5, votes="confidence").fit(X, label, weight)
    run = model.path_.runs[0]
    weights = oracle.adaboost_weights(y, model.votes_of(X).T, run.alpha, w)
    for t, h in enumerate(model.votes_of(X).T):
        least = oracle.confidence_z(X, y, weights[t]).min()
        # Odds are smoothed by half a row, so that Z is not quite what it might be.
        assert least - 1e-9 <= run.z[t] <= least + 4 * np.sqrt(0.5 / w.sum()) + 1e-9
        if not run.stop:
            for other in (0.99, 1.01):
                assert run.z[t] <= np.sum(weights[t] * np.exp(-other * run.alpha[t] * y * h)) + 1e-9
    assert (run.trained <= np.cumprod(run.z) + 1e-9).all()


@settings(max_examples=30)
@given(tied_tables(), st.sampled_from(["sign", "confidence"]))
def test_the_logistic_loss_falls(table, votes):
    X, label, weight = table
    y, w = np.where(label, 1.0, -1.0), uniform(weight, len(label))
    model = AdaBoost(6, loss="logistic", votes=votes).fit(X, label, weight)
    run = model.path_.runs[0]
    f = np.cumsum(run.alpha[:, None] * model.votes_of(X).T, axis=0)
    loss = np.array([np.average(np.logaddexp(0, -y * own), weights=w) for own in f])
    np.testing.assert_allclose(run.z, loss, atol=1e-10)
    assert (np.diff(np.concatenate([[np.log(2)], loss])) <= 1e-9).all()
    for t, h in enumerate(
        model.votes_of(X).T[: len(run) - (run.stop == 1)]
    ):  # a stump without errors has no least vote
        for other in (0.99, 1.01):
            others = f[t] + (other - 1) * run.alpha[t] * h
            assert loss[t] <= np.average(np.logaddexp(0, -y * others), weights=w) + 1e-9
    if len(f):
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-f[-1])), atol=1e-10)


@pytest.mark.parametrize(("right", "wrong"), [(2, 1), (5, 1), (7, 3), (90, 1)])
def test_the_logistic_vote_leaves_no_edge(right, wrong):
    """For a symmetric table the vote is the log-odds, after which the only stump is no better than chance."""
    X = np.repeat([[0.0], [0.0], [1.0], [1.0]], [right, wrong, wrong, right], axis=0)
    y = np.repeat([0, 1, 0, 1], [right, wrong, wrong, right])
    run = AdaBoost(50, loss="logistic", votes="sign").fit(X, y).path_.runs[0]
    np.testing.assert_allclose(run.alpha, [np.log(right / wrong)], rtol=1e-9)


@settings(max_examples=30)
@given(tied_tables(max_classes=3, max_rows=15))
def test_samme_votes_for_classes(table):
    X, label, weight = table
    if len(np.unique(label)) < 3:
        return
    model = AdaBoost(6, multiclass="samme").fit(X, label, weight)
    run = model.path_.runs[0]
    w = uniform(weight, len(label)) / uniform(weight, len(label)).sum()
    score = np.zeros((len(label), 3))
    for t, h in enumerate(model.votes_of(X).T):
        errors = oracle.class_errors(X, label, w, 3)
        assert run.error[t] == pytest.approx(errors.min(), abs=1e-9)
        e = run.error[t] or min(0.5 / uniform(weight, len(label)).sum(), 1 / (1 + np.e**2))
        assert run.alpha[t] == pytest.approx(np.log((1 - e) / e) + np.log(2))
        w = w * np.exp(run.alpha[t] * (h != label))
        assert run.z[t] == pytest.approx(w.sum())
        w /= w.sum()
        score[np.arange(len(label)), h.astype(int)] += run.alpha[t]
        given_w = uniform(weight, len(label)) / uniform(weight, len(label)).sum()
        assert run.trained[t] == pytest.approx(given_w[score.argmax(axis=1) != label].sum())


@given(tied_tables(missing=False), st.sampled_from(["sign", "confidence"]))
def test_sparse_is_dense(table, votes):
    X, label, weight = table
    dense = AdaBoost(8, votes=votes).fit(X, label, weight)
    other = AdaBoost(8, votes=votes).fit(sparse.csc_array(X), label, weight)
    close = 1e-9 if votes == "sign" else 1e-5  # roots of what rounding leaves of nothing
    np.testing.assert_allclose(other.path_.runs[0].error, dense.path_.runs[0].error, atol=close)
    np.testing.assert_allclose(other.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=close)


def larger(n=3000, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = rng.integers(0, 5, n)
    X[:, 1] = np.where(rng.random(n) < 0.9, 0.0, X[:, 1])  # mostly one value: stored by rows
    y = (X[:, 2] * X[:, 3] + X[:, 0] + 2 * X[:, 1] + rng.normal(size=n)) > 2
    X[rng.random((n, d)) < 0.02] = np.nan
    return X, y


@pytest.mark.parametrize("votes", ["sign", "confidence"])
def test_sums_do_not_drift(votes):
    X, y = larger()
    run = AdaBoost(400, votes=votes).fit(X, y).path_.runs[0]
    assert 0 < run.drift < 1e-12


@pytest.mark.parametrize("options", [{}, {"votes": "confidence"}, {"loss": "logistic"}, {"max_bins": 2000}])
def test_threads_do_not_matter(options):
    X, y = larger(n=60_000 if not options else 3000)
    one, two = (AdaBoost(10, n_jobs=jobs, **options).fit(X, y).path_ for jobs in (1, 2))
    np.testing.assert_array_equal(one.runs[0].alpha, two.runs[0].alpha)
    np.testing.assert_array_equal(one.runs[0].margins, two.runs[0].margins)


PURE_AND_TIED = (
    np.array([[3.0], [3.0], [1.0], [np.nan], [np.nan], [-2.0], [-2.0]]),
    np.array([0, 1, 1, 0, 1, 0, 0]),
    None,
)


@settings(max_examples=20)
@given(tied_tables(), st.integers(0, 2**31), st.sampled_from(["sign", "confidence"]))
@example(PURE_AND_TIED, 488, "confidence")
def test_weights_are_repetitions(table, seed, votes):
    X, label, _ = table
    times = np.random.default_rng(seed).integers(1, 4, len(label))
    weighted = AdaBoost(6, votes=votes).fit(X, label, times.astype(float)).path_.runs[0]
    repeated = AdaBoost(6, votes=votes).fit(np.repeat(X, times, axis=0), np.repeat(label, times)).path_.runs[0]
    np.testing.assert_allclose(weighted.error, repeated.error, atol=1e-9)
    np.testing.assert_allclose(weighted.alpha, repeated.alpha, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"votes": "confidence"}, {"loss": "logistic"}])
def test_more_rounds_go_on_from_those_there_are(options):
    X, y = larger()
    at_once = AdaBoost(90, **options).fit(X, y)
    model = AdaBoost(50, warm_start=True, **options).fit(X, y)
    model.set_params(rounds=90).fit(X, y)
    assert model.rounds_ == 90
    np.testing.assert_allclose(model.path_.runs[0].alpha, at_once.path_.runs[0].alpha, atol=1e-9)
    np.testing.assert_allclose(model.path_.runs[0].margins, at_once.path_.runs[0].margins, atol=2e-3)
    np.testing.assert_allclose(model.decision_function(X), at_once.decision_function(X), atol=1e-9)


def test_more_rounds_of_any_classifier():
    X, y = larger(n=300)
    X = np.nan_to_num(X)
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoost(3, estimator=tree, warm_start=True, random_state=0).fit(X, y)
    first = model.path_.runs[0].alpha
    model.set_params(rounds=6).fit(X, y)
    assert len(model.path_.runs[0]) == 6
    np.testing.assert_array_equal(model.path_.runs[0].alpha[:3], first)


def test_scikit_learn_agrees_where_stumps_do():
    X, y = load_breast_cancer(return_X_y=True)
    ours = AdaBoost(30, estimator=DecisionTreeClassifier(max_depth=1, random_state=0), random_state=0).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30, random_state=0).fit(X, y)
    np.testing.assert_allclose(2 * ours.path_.runs[0].alpha, theirs.estimator_weights_)  # theirs are twice as large
    np.testing.assert_allclose(ours.path_.runs[0].error, theirs.estimator_errors_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@given(tied_tables(missing=False))
def test_any_classifier_as_compiled_stumps(table):
    X, label, weight = table
    compiled = AdaBoost(5).fit(X, label, weight)
    by_hand = AdaBoost(5, estimator=Stump()).fit(X, label, weight)
    one, other = by_hand.path_.runs[0], compiled.path_.runs[0]
    np.testing.assert_allclose(one.error, other.error, atol=1e-9)
    np.testing.assert_allclose(one.z, other.z, atol=1e-9)
    assert one.stop == other.stop
    # Where votes cancel, rounding decides.
    tied = np.abs(np.cumsum(other.alpha * compiled.votes_of(X), axis=1)) < 1e-9
    share = uniform(weight, len(label)) / uniform(weight, len(label)).sum()
    assert (np.abs(one.trained - other.trained) <= share @ tied + 1e-9).all()


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(max_depth=2), NaiveBayes(), LogisticRegression(max_iter=2000)]
)
@pytest.mark.parametrize("options", [{}, {"votes": "confidence"}, {"loss": "logistic"}, {"multiclass": "ova"}])
def test_any_classifier_and_classes(learner, options):
    X, y = load_iris(return_X_y=True)
    model = AdaBoost(8, estimator=learner, random_state=0, **options).fit(X, y)
    assert model.score(X, y) > 0.85
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.predict_proba(X).argmax(axis=1) == model.predict(X)).all()


@pytest.mark.parametrize("options", [{}, {"votes": "confidence"}, {"loss": "logistic"}, {"multiclass": "ova"}])
def test_compiled_trees_are_trees(options):
    """On bins that are made once, the same as trees that read the rows."""
    X, y = load_iris(return_X_y=True)
    X[::9, 2] = np.nan
    compiled = AdaBoost(6, estimator="tree", **options).fit(X, y)
    by_hand = AdaBoost(6, estimator=DecisionTree(), **options).fit(X, y)
    for own, other in zip(compiled.path_.runs, by_hand.path_.runs, strict=True):
        np.testing.assert_allclose(own.alpha, other.alpha, rtol=1e-9)
    np.testing.assert_allclose(compiled.predict_proba(X), by_hand.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(compiled.support_, by_hand.support_)


def test_boosted_trees_go_on_when_no_training_row_is_wrong():
    X, y = load_digits(return_X_y=True)
    model = AdaBoost(30, estimator="tree").fit(X[:500], y[:500], validation=(X[500:], y[500:]))
    first = int(np.argmax(model.path_.trained == 0))
    assert 0 < first < 15
    assert model.path_.validation_error[-1] < 0.8 * model.path_.validation_error[first]


@pytest.mark.parametrize("form", ["ova", "samme"])
def test_many_classes_are_learned(form):
    """Plain M1 would stop at once, since no stump is right for half the rows of ten digits; these forms do not."""
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in range(10)])
    model = AdaBoost(100, multiclass=form).fit(X[:1200], names[y[:1200]])
    assert model.score(X[1200:], names[y[1200:]]) > (0.85 if form == "ova" else 0.7)
    assert len(model.path_.runs) == (10 if form == "ova" else 1)
    if form == "ova":
        alone = AdaBoost(100).fit(X[:1200], y[:1200] == 3).path_.runs[0]
        np.testing.assert_allclose(model.path_.runs[3].alpha, alone.alpha, atol=1e-9)


@pytest.mark.parametrize("rule", ["cv", "1se", "holdout"])
def test_rules_choose_the_rounds(rule):
    X, y = larger(n=600)
    model = AdaBoost(rule, max_rounds=60, random_state=0).fit(X, y)
    assert 1 <= model.rounds_ <= 60
    assert len(model.alpha_) == model.rounds_
    assert model.alpha_.sum() == pytest.approx(1)
    assert model.path_.n_features.tolist() == [len(model.path_.features(t)) for t in range(1, 61)]
    assert len(model.selection_.score) == 60
    staged = list(model.staged_predict(X))
    np.testing.assert_array_equal(staged[model.rounds_ - 1], model.predict(X))


def test_a_fold_is_fitted_without_its_test_rows():
    X, y = larger(n=400)
    splits = [(np.arange(0, 300), np.arange(300, 400)), (np.arange(100, 400), np.arange(0, 100))]
    model = AdaBoost("cv", max_rounds=15, cv=splits, max_bins=2000).fit(X, y)
    errors = []
    for train, test in splits:
        alone = AdaBoost(15, max_bins=2000).fit(X[train], y[train])
        errors.append(alone.staged_error(X[test], y[test]))
    # Cuts lie between values of all rows, so that a row may be on another side of one than it would be without them.
    np.testing.assert_allclose(model.selection_.score, np.mean(errors, axis=0), atol=0.03)


def test_staged_and_validation_errors():
    X, y = larger(n=800)
    model = AdaBoost(20).fit(X[:500], y[:500], validation=(X[500:], y[500:]))
    expected = [np.mean(p != y[500:]) for p in model.staged_predict(X[500:])]
    np.testing.assert_allclose(model.path_.validation_error, expected)
    np.testing.assert_allclose(model.staged_error(X[:500], y[:500]), model.path_.runs[0].trained, atol=1e-12)
    assert "validation_error" in model.path_.to_frame()
    last = list(model.staged_predict_proba(X))[-1]
    np.testing.assert_allclose(last, model.predict_proba(X))


def test_the_frame_names_what_a_person_wants_to_see():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    frame = AdaBoost(5).fit(X, y).path_.to_frame()
    assert list(frame.columns) == [
        "round", "feature", "stump", "error", "alpha", "Z", "product_of_Z", "edge_bound", "training_error",
        "generalization_bound",
    ]  # fmt: skip
    assert frame["feature"][0] in X.columns


@pytest.mark.parametrize(
    ("options", "labels", "expected"),
    [
        ({}, ["no", "yes", "yes"], "always for yes"),
        ({}, ["yes", "no", "no"], "always for no"),
        ({"votes": "confidence"}, ["no", "yes", "yes"], "always +0.276, for yes"),
        ({"multiclass": "samme"}, ["a", "b", "c", "c"], "always c"),
        ({"multiclass": "ova"}, ["a", "b", "c", "c"], "always against a"),
    ],
)
def test_constant_stumps_say_for_whom_they_always_vote(options, labels, expected):
    frame = AdaBoost(1, **options).fit(np.ones((len(labels), 1)), labels).path_.to_frame()
    assert frame["stump"][0] == expected


def test_charts_are_drawn():
    X, y = larger(n=300)
    model = AdaBoost(60).fit(X[:200], y[:200], validation=(X[200:], y[200:]))
    drawn = model.plot_error().to_dict()
    assert {row["curve"] for row in drawn["data"]["values"]} == {
        "training error", "product of Z", "exp(−2 Σ (½ − ε)²)", "validation error",
    }  # fmt: skip
    assert {row["rounds"] for row in model.plot_margins([1, 60]).to_dict()["data"]["values"]} == {"1", "60"}
    several = AdaBoost(5).fit(*load_iris(return_X_y=True))
    assert "facet" in several.plot_error().to_dict()
    assert "facet" in several.plot_margins().to_dict()


def test_the_margin_distribution_is_that_of_the_margins():
    X, y = larger(n=500)
    model = AdaBoost(40).fit(X, y)
    counted = np.histogram(model.margins(X, y), 200, (-1, 1))[0] / len(y)
    assert np.abs(np.cumsum(counted) - np.cumsum(model.path_.runs[0].margins[-1])).max() < 0.02


def test_early_ends_are_explained():
    perfect = AdaBoost(10).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    assert "no training error" in perfect.stop_reason_
    assert perfect.rounds_ == 1
    assert perfect.alpha_.tolist() == [1.0]
    assert list(perfect.predict([[0.0], [9.0]])) == [0, 1]
    with pytest.warns(GuessingWarning, match="no learner is better than chance"):
        nothing = AdaBoost(10).fit([[1.0], [1.0]], ["a", "b"])
    assert list(nothing.predict([[0.0], [9.0]])) == ["a", "a"]
    np.testing.assert_allclose(nothing.predict_proba([[0.0]]), 0.5)


def test_categories_missing_and_unseen_values():
    frame = pd.DataFrame({"color": ["red", "blue", None, "red", "green", "blue"] * 5, "size": [1.0, np.nan, 3] * 10})
    y = np.array(["in", "out", "out", "in", "in", "out"] * 5)
    model = AdaBoost(3).fit(frame, y)
    assert model.score(frame, y) == 1
    assert list(model.get_feature_names_out()) == ["color"]
    new = pd.DataFrame({"color": ["violet", None, "red"], "size": [np.nan, 1e300, 0]})
    assert list(model.predict(new)) == ["out", "out", "in"]


def test_a_million_distinct_values():
    x = np.arange(1_000_000.0)
    model = AdaBoost(3).fit(x[:, None], x % 10 < x / 1e5)
    assert model.path_.runs[0].trained[-1] < 0.5


def test_probabilities_are_half_log_odds():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 20_000).astype(float)
    y = rng.random(20_000) < np.array([0.1, 0.3, 0.6, 0.9])[x.astype(int)]
    model = AdaBoost(300, votes="confidence").fit(x[:, None], y)
    np.testing.assert_allclose(model.predict_proba(np.arange(4.0)[:, None])[:, 1], [0.1, 0.3, 0.6, 0.9], atol=0.03)


def test_the_bound_on_new_rows():
    assert stump_dimension(np.array([255]), np.array([False])) == 2  # two signs of a threshold part two points
    assert stump_dimension(np.full(50, 255), np.zeros(50, bool)) == 9  # 2^9 <= 900, 2^10 > 1000
    assert stump_dimension(np.array([5]), np.array([True])) == 5
    bound = generalization_bound(np.full(3, 0.1), 2, 10**7)
    assert (bound > 0.1).all()
    assert (np.diff(bound) > 0).all()
    assert bound[0] < 0.2
    assert generalization_bound(np.full(3, 0.1), 2, 10)[0] == np.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": 0}, "rounds must be a positive"),
        ({"rounds": 2.5}, "rounds must be a positive"),
        ({"rounds": "cv", "max_rounds": 0}, "max_rounds"),
        ({"votes": "loud"}, "votes must be one of"),
        ({"loss": "hinge"}, "loss must be one of"),
        ({"multiclass": "m1"}, "multiclass must be one of"),
        ({"estimator": "forest"}, "estimator must be one of"),
        ({"estimator": LinearRegression()}, "estimator must be a classifier"),
        ({"rounds": "cv", "warm_start": True}, "warm_start"),
        ({"max_bins": 70_000}, "max_bins"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        AdaBoost(**options).fit([[1.0], [2.0]], [0, 1])


def test_bad_input_is_refused():
    with pytest.raises(RuleError, match="'cv', '1se', 'holdout'"):
        AdaBoost("bic").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="accepts sample_weight in fit, which KNeighborsClassifier does not"):
        AdaBoost(estimator=KNeighborsClassifier()).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="Expected an estimator instance"):
        AdaBoost(estimator=DecisionTreeClassifier).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match=r"only one class, \['a'\]"):
        AdaBoost().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(ValueError, match="infinity: column 'x0', row 0"):
        AdaBoost().fit([[-np.inf], [2.0]], [0, 1])
    model = AdaBoost(2, warm_start=True).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="other classes"):
        model.fit([[1.0], [2.0]], [5, 6])
    with pytest.raises(ValueError, match=r"'never' \(row 1\)"):
        AdaBoost(2).fit([[1.0], [2.0], [1.5]], ["a", "b", "b"]).margins([[1.0], [2.0]], ["a", "never"])


def test_a_failed_fit_changes_nothing():
    model = AdaBoost(3).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    before = model.decision_function([[1.5]])
    with pytest.raises(ValueError, match="infinity"):
        model.fit([[np.inf], [2.0]], [0, 1])
    np.testing.assert_array_equal(model.decision_function([[1.5]]), before)


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(max_depth=2), NaiveBayes(), "tree"])
def test_confident_votes_of_any_classifier_are_shares(learner):
    X, y = larger(n=300)
    X = np.nan_to_num(X)
    model = AdaBoost(3, estimator=learner, votes="confidence", warm_start=True, random_state=0).fit(X[:200], y[:200])
    model.set_params(rounds=6).fit(X[:200], y[:200])
    assert np.abs(model.decision_function(X)).max() <= 1
    assert np.abs(model.margins(X, y)).max() <= 1
    counted = np.histogram(model.margins(X[:200], y[:200]), 200, (-1, 1))[0] / 200
    assert np.abs(np.cumsum(counted) - np.cumsum(model.path_.runs[0].margins[-1])).max() < 0.02


@pytest.mark.parametrize("form", ["ova", "samme"])
def test_the_text_lists_the_rounds_in_use(form):
    X, y = larger(n=300)
    y = y + (X[:, 0] > 1) if form == "samme" else y
    model = AdaBoost("1se", multiclass=form, max_rounds=60, random_state=0).fit(X, y)
    assert 1 < model.rounds_ < 60
    lines = model._rules_text().splitlines()
    shown = min(model.rounds_, 20)
    assert [line.split(",")[0] for line in lines[:shown]] == [f"round {t + 1}" for t in range(shown)]
    more = model.rounds_ - shown
    assert lines[shown:] == ([f"… and {more} more rounds"] if more else [])


@pytest.mark.parametrize(
    ("labels", "said"), [("yynn", "c is known: +1, else -1"), ("nnyy", "c is missing: +1, else -1")]
)
def test_missing_is_said_in_words(labels, said):
    X = pd.DataFrame({"c": ["u", "v", None, None]})
    text = AdaBoost(1).fit(X, list(labels))._rules_text()
    other = said.replace("+", "±").replace("-", "+").replace("±", "-")
    other = other.replace("known", "?").replace("missing", "known").replace("?", "missing")
    assert text.split(": ", 1)[1] in (said, other)
