"""`Bagging` against votes counted by hand, and against scikit-learn's ensemble where both do the same."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from vitalfew import Bagging, NaiveBayes, Stump
from vitalfew.exceptions import RuleError
from vitalfew.families.ensembles.out_of_bag import OutOfBagCurve

DRAWS_BY_WEIGHT = parse_version(sklearn.__version__) >= parse_version("1.8")
BASES = [
    DecisionTreeClassifier(max_depth=2),
    GaussianNB(),
    SVC(gamma=0.1),  # by default it looks at the variance of all rows, those of weight zero too
    KNeighborsClassifier(3),  # takes no weights
    make_pipeline(StandardScaler(), LinearSVC()),
]


def flowers(n_classes=3, noise=1.0, seed=0):
    """Iris with names as classes, and noise that makes learners differ."""
    X, y = load_iris(return_X_y=True)
    X = X + noise * np.random.default_rng(seed).normal(size=X.shape)
    return X[: 50 * n_classes], np.array(["setosa", "versicolor", "virginica"])[y][: 50 * n_classes]


def count_votes(model, X, learners=None):
    """Shares of the votes, one row and one learner at a time."""
    learners = model.estimators_ if learners is None else learners
    shares = np.zeros((len(X), len(model.classes_)))
    for learner in learners:
        for i, code in enumerate(learner.predict(X)):
            shares[i, int(code)] += 1
    return shares / len(learners)


def out_of_bag_votes(model, X, rounds):
    """Shares of the votes of those of the first learners that have not seen the row; NaN if there are none."""
    shares = np.full((len(X), len(model.classes_)), np.nan)
    predicted = [learner.predict(X) for learner in model.estimators_[:rounds]]
    for i in range(len(X)):
        voted = [int(votes[i]) for votes, bag in zip(predicted, model.estimators_samples_) if i not in bag]
        if voted:
            shares[i] = np.bincount(voted, minlength=len(model.classes_)) / len(voted)
    return shares


# Votes


@pytest.mark.parametrize("base", BASES, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_are_counted(base, n_classes):
    X, y = flowers(n_classes)
    model = Bagging(base, 11, random_state=0).fit(X, y)
    expected = count_votes(model, X)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    assert model.predict(X).tolist() == model.classes_[expected.argmax(axis=1)].tolist()
    assert len(model.estimators_) == model.rounds_ == 11
    assert set(model.predict(X)) <= set(y)


def test_votes_of_probabilities():
    X, y = flowers()
    model = Bagging(GaussianNB(), 7, votes="probability", random_state=0).fit(X, y)
    expected = np.mean([learner.predict_proba(X) for learner in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)


def test_of_equal_votes_the_first_class_wins():
    X, y = flowers(2, noise=3)
    model = Bagging(rounds=2, random_state=0).fit(X, y)
    tied = model.predict_proba(X)[:, 0] == 0.5
    assert tied.any()
    assert set(model.predict(X)[tied]) == {"setosa"}


def test_staged_predictions_end_at_the_prediction():
    X, y = flowers()
    model = Bagging("stump", 6, random_state=0).fit(X, y)
    staged = list(model.staged_predict_proba(X))
    assert len(staged) == 6
    for count, shares in enumerate(staged, start=1):
        np.testing.assert_allclose(shares, count_votes(model, X, model.estimators_[:count]), rtol=1e-12)
    classes = list(model.staged_predict(X))
    assert classes[-1].tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(staged[-1], model.predict_proba(X))
    first = next(model.set_params(n_jobs=2).staged_predict(X))  # who stops early leaves nothing behind
    assert first.tolist() == classes[0].tolist()


@pytest.mark.parametrize("base", BASES, ids=repr)
@pytest.mark.parametrize("options", [{}, {"max_samples": 0.5}, {"max_samples": 40, "bootstrap": False}])
def test_learners_and_bags_are_those_of_scikit_learn(base, options):
    X, y = flowers()
    votes = "probability" if hasattr(base, "predict_proba") else "label"
    ours = Bagging(base, 8, votes=votes, random_state=3, **options).fit(X, y)
    theirs = BaggingClassifier(base, 8, random_state=3, **options).fit(X, y)
    for bag, other in zip(ours.estimators_samples_, theirs.estimators_samples_, strict=True):
        np.testing.assert_array_equal(bag, other)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)


def test_a_learner_sees_nothing_but_its_bag():
    X, y = flowers()
    model = Bagging(SVC(), 4, random_state=0).fit(X, y)
    for learner, bag in zip(model.estimators_, model.estimators_samples_):
        alone = SVC().fit(X[bag], y[bag])
        assert model.classes_[learner.predict(X)].tolist() == alone.predict(X).tolist()


def test_the_base_may_have_a_name():
    X, y = flowers()
    assert all(isinstance(learner, Stump) for learner in Bagging("stump", 3, random_state=0).fit(X, y).estimators_)
    deep, default = (Bagging(name, 3, random_state=0).fit(X, y) for name in ("tree", None))
    np.testing.assert_array_equal(deep.predict_proba(X), default.predict_proba(X))


def test_our_own_models_vote_too():
    X, y = flowers()
    assert Bagging(NaiveBayes(), 5, random_state=0).fit(X, y).score(X, y) > 0.6


# Out of bag


@pytest.mark.parametrize("n_classes", [2, 3])
def test_out_of_bag_error_by_hand(n_classes):
    X, y = flowers(n_classes)
    model = Bagging(KNeighborsClassifier(3), 9, random_state=0).fit(X, y)
    frame = model.path_.to_frame()
    assert frame["round"].tolist() == list(range(1, 10))
    for rounds in range(1, 10):
        shares = out_of_bag_votes(model, X, rounds)
        out = ~np.isnan(shares[:, 0])
        wrong = model.classes_[shares[out].argmax(axis=1)] != y[out]
        line = frame.iloc[rounds - 1]
        assert line["share_out"] == pytest.approx(out.mean())
        assert line["oob_error"] == pytest.approx(wrong.mean())
        assert line["standard_error"] == pytest.approx(wrong.std(ddof=1) / np.sqrt(out.sum()))
    np.testing.assert_allclose(model.oob_decision_function_, shares)
    assert model.oob_error_ == frame["oob_error"].iloc[-1]


def test_a_row_in_every_bag_has_no_out_of_bag_votes():
    X, y = flowers()
    model = Bagging(rounds=2, random_state=0).fit(X, y)
    in_all = np.isin(np.arange(len(y)), model.estimators_samples_[0]) & np.isin(
        np.arange(len(y)), model.estimators_samples_[1]
    )
    np.testing.assert_array_equal(np.isnan(model.oob_decision_function_).any(axis=1), in_all)
    assert model.path_.curve.share_out[-1] == pytest.approx(1 - in_all.mean())


def test_out_of_bag_is_that_of_scikit_learn():
    X, y = flowers()
    ours = Bagging(GaussianNB(), 40, votes="probability", random_state=0).fit(X, y)
    theirs = BaggingClassifier(GaussianNB(), 40, oob_score=True, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_, atol=1e-7)
    assert ours.oob_error_ == pytest.approx(1 - theirs.oob_score_)


def test_out_of_bag_error_is_near_that_on_new_rows():
    X, y = make_moons(1500, noise=0.3, random_state=0)
    model = Bagging(rounds=60, random_state=0).fit(X[:500], y[:500])
    error = 1 - model.score(X[500:], y[500:])
    assert abs(model.oob_error_ - error) < 3 * model.path_.curve.standard_error[-1]


def test_subsets_without_replacement_leave_rows_out():
    X, y = flowers()
    model = Bagging(SVC(), 6, max_samples=0.4, bootstrap=False, random_state=0).fit(X, y)
    assert all(len(bag) == len(set(bag)) == 60 for bag in model.estimators_samples_)
    assert model.path_.curve.share_out[0] == pytest.approx(0.6)
    whole = Bagging(SVC(), 2, bootstrap=False).fit(X, y)
    assert np.isnan(whole.oob_error_)
    assert np.isnan(whole.oob_decision_function_).all()
    json.dumps(whole.plot_error().to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match=r"requires out-of-bag rows, but every bag contains all rows; draw fewer"):
        Bagging(SVC(), "oob", max_rounds=2, bootstrap=False).fit(X, y)


@pytest.mark.parametrize("rounds", [7, "oob"])
def test_charts(rounds):
    X, y = flowers()
    model = Bagging("stump", rounds, max_rounds=12, random_state=0).fit(X, y)
    for chart in (model.plot_error(), model.path_.plot(), model.selection_.plot()):
        json.dumps(chart.to_dict(), allow_nan=False)
    assert "out-of-bag error" in model.plot_error().to_json()
    title = f"rounds = {model.rounds_}" + ("" if rounds == 7 else " chosen by 'oob'")
    assert f'"title": "{title}"' in model.plot_error().to_json()


# Rules


def test_a_rule_chooses_how_many_vote():
    X, y = flowers()
    model = Bagging("stump", "oob", max_rounds=25, random_state=0).fit(X, y)
    assert model.rounds_ == np.argmin(model.path_.curve.error) + 1 < 25
    fixed = Bagging("stump", model.rounds_, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), fixed.predict_proba(X))
    np.testing.assert_array_equal(model.oob_decision_function_, fixed.oob_decision_function_)
    assert model.oob_error_ == fixed.oob_error_
    assert len(model.estimators_) == len(model.estimators_samples_) == model.rounds_
    assert len(model.path_.learners) == 25


def test_cross_validation_by_hand():
    X, y = flowers()
    model = Bagging("stump", "cv", max_rounds=4, cv=3, random_state=5).fit(X, y)
    errors = np.zeros((3, 4))
    for fold, (a, b) in enumerate(StratifiedKFold(3, shuffle=True, random_state=5).split(X, y)):
        fitted = Bagging("stump", 4, random_state=5).fit(X[a], y[a])
        errors[fold] = [np.mean(found != y[b]) for found in fitted.staged_predict(X[b])]
    np.testing.assert_allclose(model.selection_.score, errors.mean(axis=0))
    scored = Bagging("stump", "cv", max_rounds=4, cv=3, random_state=5, scoring="accuracy").fit(X, y)
    np.testing.assert_allclose(scored.selection_.score, 1 - errors.mean(axis=0))


def test_a_fold_may_lack_a_class():
    X, y = flowers()
    rows = [*range(100), 100]
    folds = [(np.arange(100), np.arange(50, 101)), (np.arange(50, 101), np.arange(50)), (np.arange(50), np.arange(50))]
    model = Bagging("stump", "cv", max_rounds=3, cv=folds, random_state=0).fit(X[rows], y[rows])
    assert np.isfinite(model.selection_.score).all()
    assert model.selection_.score[0] >= 0.25  # from the second fold no learner knows the first class


# More rounds


@pytest.mark.parametrize("random_state", [4, None])
@pytest.mark.parametrize("votes", ["label", "probability"])
def test_rounds_that_are_added_are_those_of_one_fit(random_state, votes):
    X, y = flowers()
    grown = Bagging("stump", 5, warm_start=True, random_state=random_state, votes=votes).fit(X, y)
    first = grown.estimators_
    for rounds in (6, 6, 13):
        grown.set_params(rounds=rounds).fit(X, y)
    assert [a is b for a, b in zip(first, grown.estimators_)] == [True] * 5
    whole = Bagging("stump", 13, random_state=grown.path_.seed, votes=votes).fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))
    for name in ("error", "standard_error", "share_out"):
        np.testing.assert_array_equal(getattr(grown.path_.curve, name), getattr(whole.path_.curve, name))
    np.testing.assert_array_equal(grown.oob_decision_function_, whole.oob_decision_function_)
    for a, b in zip(grown.estimators_samples_, whole.estimators_samples_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch):
    X, y = flowers()
    model = Bagging(rounds=5, warm_start=True, random_state=0).fit(X, y)
    expected = model.predict_proba(X)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OutOfBagCurve, "extend", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(rounds=9).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    whole = Bagging(rounds=9, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), whole.predict_proba(X))


def test_a_rule_may_choose_again_from_more_rounds():
    X, y = flowers()
    grown = Bagging("stump", "oob", max_rounds=5, warm_start=True, random_state=0, scoring="accuracy").fit(X, y)
    grown.set_params(max_rounds=20).fit(X, y)
    whole = Bagging("stump", "oob", max_rounds=20, random_state=0, scoring="accuracy").fit(X, y)
    np.testing.assert_array_equal(grown.selection_.score, whole.selection_.score)
    assert grown.rounds_ == whole.rounds_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: ({"rounds": 2}, X, y), "cannot remove rounds: 3 are fitted, got rounds=2"),
        (lambda X, y: ({}, X[:90], y[:90]), "it had rows=150, got 90"),
        (lambda X, y: ({}, X[:, :2], y), "it had features=4, got 2"),
        (lambda X, y: ({}, X, y == "setosa"), r"it had classes=\['setosa', .*got \[False, True\]"),
        (lambda X, y: ({"votes": "probability"}, X, y), "it had votes='label', got 'probability'"),
    ],
)
def test_a_warm_start_from_something_else_is_refused(change, message):
    X, y = flowers()
    model = Bagging(rounds=3, warm_start=True).fit(X, y)
    options, X, y = change(X, y)
    with pytest.raises(ValueError, match=message):
        model.set_params(**options).fit(X, y)


# Weights


@pytest.mark.skipif(not DRAWS_BY_WEIGHT, reason="scikit-learn before 1.8 passes weights to the learners")
@pytest.mark.parametrize("base", [KNeighborsClassifier(3), DecisionTreeClassifier()], ids=repr)
def test_rows_are_drawn_in_proportion_to_their_weights(base):
    X, y = flowers()
    weight = np.arange(150) % 4 / 1000.0
    model = Bagging(base, 60, random_state=0).fit(X, y, weight)
    drawn = np.bincount(np.concatenate(model.estimators_samples_), minlength=150)
    assert len(model.estimators_samples_[0]) == (weight > 0).sum()
    assert not drawn[weight == 0].any()
    expected = drawn.sum() * weight / weight.sum()
    assert (np.abs(drawn - expected)[weight > 0] < 5 * np.sqrt(expected[weight > 0])).all()


@pytest.mark.parametrize("rounds", [4, "oob", "cv"])
def test_weighted_errors(rounds):
    X, y = flowers()
    weight = np.random.default_rng(0).integers(0, 3, 150).astype(float)
    model = Bagging("stump", rounds, max_rounds=4, random_state=0, cv=3).fit(X, y, weight)
    shares = model.oob_decision_function_
    out = ~np.isnan(shares[:, 0])
    assert not out[weight == 0].any()
    wrong = model.classes_[shares[out].argmax(axis=1)] != y[out]
    assert model.oob_error_ == pytest.approx(np.average(wrong, weights=weight[out]))
    share_out = weight[out].sum() / weight.sum()
    assert model.path_.curve.share_out[model.rounds_ - 1] == pytest.approx(share_out)


def test_rows_of_weight_zero_are_as_if_not_given():
    X, y = flowers()
    keep = np.arange(150) % 3 > 0
    weighted = Bagging(rounds=5, random_state=0).fit(X, y, keep.astype(float))
    fewer = Bagging(rounds=5, random_state=0).fit(X[keep], y[keep])
    np.testing.assert_array_equal(weighted.predict_proba(X), fewer.predict_proba(X))
    np.testing.assert_array_equal(weighted.oob_decision_function_[keep], fewer.oob_decision_function_)
    for a, b in zip(weighted.estimators_samples_, fewer.estimators_samples_):
        np.testing.assert_array_equal(a, np.flatnonzero(keep)[b])


# What breaks things


@pytest.mark.parametrize("base", [SVC(), LinearDiscriminantAnalysis()], ids=repr)
def test_a_bag_of_one_class_votes_for_it(base):
    X, y = flowers(2)
    rows = [*range(30), 50, 51]
    X, y = X[rows], y[rows]
    model = Bagging(base, 40, max_samples=8, random_state=0).fit(X, y)
    alone = [len(set(y[bag])) == 1 for bag in model.estimators_samples_]
    assert 0 < sum(alone) < 40
    assert [isinstance(learner, DummyClassifier) for learner in model.estimators_] == alone
    np.testing.assert_allclose(model.predict_proba(X), count_votes(model, X))


@pytest.mark.parametrize("base", [SVC(), GaussianNB(), KNeighborsClassifier(1)], ids=repr)
def test_a_bag_may_lack_one_of_three_classes(base):
    X, y = flowers()
    rows = [*range(20), *range(50, 70), 120]
    X, y = X[rows], y[rows]
    votes = "probability" if isinstance(base, GaussianNB) else "label"
    model = Bagging(base, 20, votes=votes, random_state=0).fit(X, y)
    lacking = [len(set(y[bag])) == 2 for bag in model.estimators_samples_]
    assert any(lacking)
    for learner, bag in zip(model.estimators_, model.estimators_samples_):
        assert model.classes_[learner.classes_.astype(int)].tolist() == sorted(set(y[bag]))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_missing_values_reach_learners_that_take_them():
    X, y = flowers()
    X[::7, 1] = np.nan
    assert Bagging(rounds=5, random_state=0).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="Input X contains NaN"):
        Bagging(SVC(), 2).fit(X, y)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, pd.DataFrame])
def test_kinds_of_tables(kind):
    X, y = flowers()
    dense, other = (Bagging(rounds=4, random_state=0).fit(rows, y) for rows in (X, kind(X)))
    np.testing.assert_array_equal(dense.predict_proba(X), other.predict_proba(kind(X)))
    assert dense.oob_error_ == other.oob_error_


def by_name(frame):
    """Numbers, from columns that only a frame has."""
    return np.column_stack([frame["size"], frame["kind"] == "u"])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("rounds", [6, "cv"])
def test_frames_reach_the_learners_as_they_are(kind, rounds):
    rng = np.random.default_rng(0)
    columns = {"size": rng.normal(size=120), "kind": rng.choice(["u", "v"], 120)}
    y = (columns["size"] > 0) ^ (columns["kind"] == "u")
    base = make_pipeline(FunctionTransformer(by_name), DecisionTreeClassifier())
    X = kind(columns)
    weight = rng.integers(0, 3, 120).astype(float) if DRAWS_BY_WEIGHT else None
    model = Bagging(base, rounds, max_rounds=4, random_state=0).fit(X, y, weight)
    if kind is pd.DataFrame:  # scikit-learn before 1.9 reads no names from polars
        assert model.feature_names_in_.tolist() == ["size", "kind"]
    assert model.score(X, y) > 0.9
    assert model.oob_error_ < 0.3
    assert model.path_.ensemble.estimator.source.frame is None  # the rows themselves are not kept
    assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_frames_and_arrays_give_the_same_bags_and_learners():
    X, y = flowers()
    for base in (DecisionTreeClassifier(max_features=2), KNeighborsClassifier(3)):
        array, frame = (
            Bagging(base, 5, random_state=0).fit(rows, y) for rows in (X, pd.DataFrame(X, columns=[*"abcd"]))
        )
        np.testing.assert_array_equal(array.oob_decision_function_, frame.oob_decision_function_)
        two = Bagging(base, 5, random_state=0, n_jobs=2).fit(pd.DataFrame(X, columns=[*"abcd"]), y)
        np.testing.assert_array_equal(array.oob_decision_function_, two.oob_decision_function_)


def test_metadata_routing():
    X, y = flowers()
    with sklearn.config_context(enable_metadata_routing=True):
        routed = Bagging(SVC(), 3, random_state=0).fit(X, y)
    assert routed.oob_error_ == Bagging(SVC(), 3, random_state=0).fit(X, y).oob_error_


@pytest.mark.parametrize("labels", [[False, True], [-1, 1], ["no", "yes"], [3.0, 7.0]])
def test_kinds_of_labels(labels):
    X, y = flowers(2)
    model = Bagging(SVC(), 3, random_state=0).fit(X, np.array(labels)[(y == "setosa").astype(int)])
    assert model.classes_.tolist() == labels
    assert set(model.predict(X).tolist()) == set(labels)


class Mute(BaseEstimator):
    """Cannot predict."""

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rounds": 0}, ValueError, "rounds must be an integer number of learners >= 1, got 0"),
        ({"rounds": 2.5}, ValueError, "rounds must be an integer number of learners >= 1, got 2.5"),
        ({"rounds": "oob", "max_rounds": 0}, ValueError, "max_rounds must be an integer number of learners"),
        ({"rounds": "bic"}, RuleError, "expected a number of learners or one of 'cv', '1se', 'holdout', 'oob'"),
        ({"estimator": Mute()}, TypeError, r"got Mute\(\): it has no predict"),
        ({"estimator": SVC}, TypeError, "got the class SVC: pass an instance"),
        ({"estimator": "forest"}, ValueError, "estimator must be one of 'tree', 'stump', got 'forest'"),
        ({"estimator": LinearRegression()}, ValueError, "estimator must be a classifier, got LinearRegression"),
        ({"estimator": SVC(), "votes": "probability"}, ValueError, "requires predict_proba, which SVC"),
        ({"votes": "many"}, ValueError, "votes must be one of 'label', 'probability'"),
        ({"max_samples": 0.0}, ValueError, r"max_samples must be a fraction in \(0, 1\] or a number of rows, got 0.0"),
        ({"max_samples": 1.5}, ValueError, "max_samples must be a fraction"),
        ({"max_samples": 151, "bootstrap": False}, ValueError, "exceeds the 150 rows to draw from without replacement"),
    ],
)
def test_bad_arguments(options, error, message):
    X, y = flowers()
    with pytest.raises(error, match=message):
        Bagging(**options).fit(X, y)


def test_bad_data():
    X, y = flowers()
    with pytest.raises(ValueError, match=r"y has only one class, \['setosa'\]"):
        Bagging().fit(X[:50], y[:50])
    with pytest.raises(ValueError, match=r"y has only one class, \['virginica'\]"):
        Bagging().fit(X, y, (y == "virginica").astype(float))
    with pytest.raises(ValueError, match="cannot follow sample_weight; use bootstrap=True"):
        Bagging(bootstrap=False).fit(X, y, np.arange(150.0))
    with pytest.raises(ValueError, match="row 3 has no label"):
        Bagging().fit(X[:5], ["a", "b", "a", None, "b"])


@pytest.mark.parametrize("use", ["predict", "predict_proba", "staged_predict", "staged_predict_proba"])
def test_not_fitted(use):
    with pytest.raises(NotFittedError):
        list(getattr(Bagging(), use)(np.zeros((2, 2))))
    for name in ("estimators_", "estimators_samples_"):
        with pytest.raises(NotFittedError):
            getattr(Bagging(), name)


def test_parallel_pickled_and_shown_are_the_same(capsys):
    X, y = flowers()
    model = Bagging(rounds=23, random_state=0).fit(X, y)
    expected = model.predict_proba(X)
    again = [
        pickle.loads(pickle.dumps(model)),
        clone(model).set_params(n_jobs=2).fit(X, y),
        clone(model).set_params(verbose=True).fit(X, y),
    ]
    for other in again:
        np.testing.assert_array_equal(other.predict_proba(X), expected)
        assert other.oob_error_ == model.oob_error_
    capsys.readouterr()
    state = [Bagging(rounds=5, random_state=np.random.RandomState(1)).fit(X, y).predict_proba(X) for _ in range(2)]
    np.testing.assert_array_equal(*state)


def test_bagging_helps_a_deep_tree():
    X, y = load_breast_cancer(return_X_y=True)
    model = Bagging(rounds=40, random_state=0).fit(X, y)
    curve = model.path_.curve
    assert curve.error[-1] + 2 * curve.standard_error[-1] < curve.error[0]
