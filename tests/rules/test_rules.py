"""Every rule for every knob: consistent curves, and scores that hand-written loops give."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import xlogy
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit, StratifiedKFold, train_test_split

import oracles
from vitalfew import (
    Bagging,
    GreedySubsetRegressor,
    InformationRanking,
    NaiveBayes,
    Ridge,
    aic,
    bic,
    description_length,
    ebic,
)
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.exceptions import RuleError
from vitalfew.families.subsets.greedy import GreedyFamily
from vitalfew.rules import Options, Selection, curves
from vitalfew.rules.charts.parts import chart_text

FEATURE_RULES = ["cv", "1se", "holdout", "loo", "bic", "aic", "ebic", "mdl"]
PRIOR_RULES = ["cv", "1se", "holdout", "loo"]
ROUND_RULES = ["cv", "1se", "holdout", "oob"]
HOSTILE = ["<script>alert(1)</script>", 'it\'s "quoted"', "x; DROP TABLE users", "a.b[0]", "ü\\n", "", "7", "x:Q"]


def words(n=90, d=8, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.integers(0, 2, (n, d))
    X[:, 1] = (y > 0) ^ (rng.random(n) < 0.2)
    X[:, 4] = (y > 0) ^ (rng.random(n) < 0.3)
    return X, y


def assert_consistent(selection, knob, rule):
    size = len(selection.grid)
    assert (selection.knob, selection.rule) == (knob, rule)
    assert 0 <= selection.index < size
    assert selection.value == selection.grid[selection.index]
    for curve in (selection.score, selection.standard_error, selection.n_features, *selection.parts.values()):
        assert len(curve) == size
    assert np.isfinite(selection.score).all()
    frame = selection.to_frame()
    assert frame["is_chosen"].tolist() == [i == selection.index for i in range(size)]
    np.testing.assert_array_equal(frame[selection.measure], selection.score)


@pytest.mark.parametrize("rule", FEATURE_RULES)
@pytest.mark.parametrize("order", ["greedy", "information"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rules_for_features(rule, order, kind, n_classes):
    X, y = words(n_classes=n_classes)
    model = NaiveBayes(features=rule, order=order, random_state=0).fit(kind(X), y)
    assert_consistent(model.selection_, "features", rule)
    assert (np.diff(model.selection_.grid) > 0).all()
    np.testing.assert_array_equal(model.selection_.n_features, model.selection_.grid)
    assert model.support_.sum() == model.selection_.value
    np.testing.assert_array_equal(model.support_, model.path_.at(model.selection_.index))
    assert model.support_[1]


@pytest.mark.parametrize("rule", PRIOR_RULES)
def test_rules_for_the_prior(rule):
    X, y = words()
    model = NaiveBayes(prior_strength=rule, random_state=0).fit(X, y)
    assert_consistent(model.selection_, "prior_strength", rule)
    assert (np.diff(model.selection_.grid) < 0).all()  # a strong prior is the simple model
    assert model.prior_strength_ == model.selection_.value
    np.testing.assert_array_equal(
        model.predict_proba(X), NaiveBayes(prior_strength=model.prior_strength_).fit(X, y).predict_proba(X)
    )


@pytest.mark.parametrize("rule", FEATURE_RULES)
@pytest.mark.parametrize("correction", [None, "miller-madow"])
def test_rules_for_the_ranking(rule, correction):
    X, y = words()
    X[:, 6] = np.arange(90) % 30
    model = InformationRanking(rule, correction=correction, random_state=0).fit(X, y)
    assert_consistent(model.selection_, "features", rule)
    assert model.support_.sum() == model.selection_.value
    np.testing.assert_array_equal(model.support_, model.path_.at(model.selection_.index))


@pytest.mark.parametrize("rule", ROUND_RULES)
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_rules_for_rounds(rule, scoring):
    X, y = words()
    model = Bagging("stump", rule, max_rounds=6, votes="probability", cv=3, scoring=scoring, random_state=0).fit(X, y)
    assert_consistent(model.selection_, "rounds", rule)
    assert model.rounds_ == len(model.estimators_) == model.selection_.value
    assert model.selection_.greater_is_better == (scoring is not None)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        (NaiveBayes(features="best"), FEATURE_RULES),
        (NaiveBayes(features="fdr"), FEATURE_RULES),
        (NaiveBayes(prior_strength="mdl"), PRIOR_RULES),
        (NaiveBayes(prior_strength="bic"), PRIOR_RULES),
        (InformationRanking("best"), ["fdr", *FEATURE_RULES]),
        (Bagging(rounds="loo"), ROUND_RULES),
    ],
)
def test_a_wrong_rule_is_told_the_right_ones(model, known):
    X, y = words()
    with pytest.raises(RuleError) as caught:
        model.fit(X, y)
    assert isinstance(caught.value, ValueError)
    for rule in known:
        assert repr(rule) in str(caught.value)


# Scores by hand


def fold_errors(X, y, splits, **options):
    return np.array([1 - NaiveBayes(**options).fit(X[a], y[a]).score(X[b], y[b]) for a, b in splits])


@pytest.mark.parametrize("order", ["greedy", "information"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_cv_selects_inside_each_fold(order, kind):
    X, y = words()
    X = kind(X)
    selection = NaiveBayes(features="cv", order=order).fit(X, y).selection_
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y))
    for index, k in enumerate(selection.grid):
        errors = fold_errors(X, y, splits, features=int(k), order=order)
        assert selection.score[index] == pytest.approx(errors.mean())
        assert selection.standard_error[index] == pytest.approx(errors.std(ddof=1) / np.sqrt(5))


def test_cv_cuts_numbers_inside_each_fold():
    X, y = load_iris(return_X_y=True)
    noisy = np.column_stack([X, np.random.default_rng(0).normal(size=(150, 3))])
    selection = NaiveBayes(features="cv", random_state=0).fit(noisy, y).selection_
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(noisy, y))
    for index, k in enumerate(selection.grid):
        assert selection.score[index] == pytest.approx(fold_errors(noisy, y, splits, features=int(k)).mean())


def test_cv_of_the_prior():
    X, y = words()
    selection = NaiveBayes(prior_strength="cv", cv=3).fit(X, y).selection_
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    for strength, score in zip(selection.grid, selection.score):
        assert score == pytest.approx(fold_errors(X, y, splits, prior_strength=strength).mean())


def test_weighted_cv():
    X, y = words()
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    selection = NaiveBayes(features="cv", cv=KFold(4)).fit(X, y, w).selection_
    for index, k in enumerate(selection.grid):
        errors = []
        for a, b in KFold(4).split(X):
            model = NaiveBayes(features=int(k)).fit(X[a], y[a], w[a])
            errors.append(np.average(model.predict(X[b]) != y[b], weights=w[b]))
        assert selection.score[index] == pytest.approx(np.mean(errors))


def test_holdout_by_hand():
    X, y = words()
    selection = NaiveBayes(features="holdout", random_state=3).fit(X, y).selection_
    a, b = train_test_split(np.arange(len(y)), test_size=0.25, random_state=3, stratify=y)
    for index, k in enumerate(selection.grid):
        wrong = NaiveBayes(features=int(k)).fit(X[a], y[a]).predict(X[b]) != y[b]
        assert selection.score[index] == pytest.approx(wrong.mean())
        assert selection.standard_error[index] == pytest.approx(wrong.std(ddof=1) / np.sqrt(len(b)))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_loo_by_hand(kind):
    X, y = words(40)
    model = NaiveBayes(features="loo", prior_strength=1).fit(kind(X), y)
    selection = model.selection_
    for index in range(len(selection.grid)):
        used = np.flatnonzero(model.path_.at(index))
        probability = oracles.loo_predict_proba(X.astype(float), y, [2] * 8, 2, support=used, strength=1)
        assert selection.score[index] == pytest.approx((probability.argmax(axis=1) != y).mean())
    assert "exact" in selection.note


def test_loo_of_the_prior_by_hand():
    X, y = words(40)
    selection = NaiveBayes(prior_strength="loo", scoring="neg_log_loss").fit(X, y).selection_
    for strength, score in zip(selection.grid, selection.score):
        probability = oracles.loo_predict_proba(X.astype(float), y, [2] * 8, 2, strength=strength)
        assert score == pytest.approx(-log_loss(y, probability))


def out_of_bag(model, X, rounds):
    """Rows that some of the first learners have not seen, and what those predict on average."""
    seen = np.array([np.isin(np.arange(len(X)), bag) for bag in model.estimators_samples_[:rounds]])
    probability = np.array([learner.predict_proba(X) for learner in model.estimators_[:rounds]])
    rows = np.flatnonzero(~seen.all(axis=0))
    return rows, np.array([probability[~seen[:, i], i].mean(axis=0) for i in rows])


@pytest.mark.parametrize("is_weighted", [False, True])
def test_oob_by_hand(is_weighted):
    X, y = words()
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if is_weighted else np.ones(len(y))
    options = {"votes": "probability", "random_state": 0}
    every = Bagging("stump", 8, **options).fit(X, y, w)
    found, scored = (
        Bagging("stump", "oob", max_rounds=8, scoring=scoring, **options).fit(X, y, w).selection_
        for scoring in (None, "neg_log_loss")
    )
    for index in range(8):
        rows, probability = out_of_bag(every, X, index + 1)
        wrong = probability.argmax(axis=1) != y[rows]
        assert found.score[index] == pytest.approx(np.average(wrong, weights=w[rows]))
        assert scored.score[index] == pytest.approx(-log_loss(y[rows], probability, sample_weight=w[rows]))
    assert found.index == np.argmin(found.score)
    assert scored.index == np.argmax(scored.score)
    share = w[out_of_bag(every, X, found.index + 1)[0]].sum() / w.sum()
    assert found.note == f"{share:.0%} of the rows are out of at least one bag"


def criteria_by_hand(X, y, support):
    """Joint log-likelihood: features in the set by class, the others by their frequency; and its parameters."""
    twin = oracles.NaiveBayes(X.astype(float), y, [2] * X.shape[1], 2, strength=1)
    log_likelihood = xlogy(twin.class_count, twin.class_count / len(y)).sum()
    for j, table in enumerate(twin.tables):
        line = table.sum(axis=1)
        log_likelihood += (table * twin.log_theta[j]).sum() if support[j] else xlogy(line, line / line.sum()).sum()
    return log_likelihood, 1 + X.shape[1] + support.sum()


@pytest.mark.parametrize("order", ["greedy", "information"])
@pytest.mark.parametrize("rule", ["bic", "aic", "ebic"])
def test_information_criteria_by_hand(rule, order):
    X, y = words()
    model = NaiveBayes(features=rule, order=order, prior_strength=1).fit(X, y)
    for index, score in enumerate(model.selection_.score):
        support = model.path_.at(index)
        log_likelihood, p = criteria_by_hand(X, y, support)
        expected = -2 * log_likelihood + p * (2 if rule == "aic" else np.log(len(y)))
        if rule == "ebic":
            expected += 2 * oracles.log_choose(X.shape[1], support.sum())
        assert score == pytest.approx(expected, rel=1e-10)
    assert model.selection_.index == np.argmin(model.selection_.score)
    log_likelihood, p = criteria_by_hand(X, y, model.support_)
    assert model.log_likelihood_ == pytest.approx(log_likelihood)
    assert model.bic_ == pytest.approx(-2 * log_likelihood + p * np.log(len(y)))


def test_one_standard_error():
    """The simplest point within one standard error of the best one."""
    sizes = []
    for seed in range(5):
        X, y = words(seed=seed)
        selection, best = (NaiveBayes(features=rule, random_state=0).fit(X, y).selection_ for rule in ("1se", "cv"))
        np.testing.assert_array_equal(selection.score, best.score)
        assert best.index == np.argmin(best.score)
        limit = best.score[best.index] + best.standard_error[best.index]
        assert selection.score[selection.index] <= limit
        assert (selection.score[: selection.index] > limit).all()
        sizes.append(selection.index < best.index)
    assert any(sizes)


# Options


def test_scoring_by_name():
    X, y = words()
    selection = NaiveBayes(features="cv", scoring="neg_log_loss").fit(X, y).selection_
    assert selection.measure == "neg_log_loss"
    assert selection.greater_is_better
    assert selection.index == np.argmax(selection.score)
    losses = []
    for a, b in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        losses.append(-log_loss(y[b], NaiveBayes(features=2).fit(X[a], y[a]).predict_proba(X[b])))
    assert selection.score[2] == pytest.approx(np.mean(losses))


@pytest.mark.parametrize(
    "scoring",
    [
        "roc_auc",
        make_scorer(roc_auc_score, response_method="predict_proba"),
        lambda model, X, y: roc_auc_score(y, model.predict_proba(X)[:, 1]),
    ],
)
def test_scorers(scoring):
    X, y = words()
    labels = np.array(["ham", "spam"])[y]
    selection = NaiveBayes(features="cv", scoring=scoring).fit(X, labels).selection_
    aucs = []
    for a, b in StratifiedKFold(5, shuffle=True, random_state=0).split(X, labels):
        aucs.append(roc_auc_score(labels[b], NaiveBayes(features=3).fit(X[a], labels[a]).predict_proba(X[b])[:, 1]))
    assert selection.score[3] == pytest.approx(np.mean(aucs))
    assert selection.index == np.argmax(selection.score)


@pytest.mark.parametrize("features", [{"features": "cv"}, {"features": "loo"}, {"features": "holdout"}])
def test_a_function_that_knows_no_weights_scores_weighted_rows(features):
    X, y = words()
    w = np.random.default_rng(0).random(len(y)) + 0.5

    def accuracy(model, X, y):
        return (model.predict(X) == y).mean()

    assert np.isfinite(NaiveBayes(**features, scoring=accuracy).fit(X, y, w).selection_.score).all()


def test_splitters_and_lists_of_splits():
    X, y = words()
    splitter = ShuffleSplit(3, random_state=1)
    a = NaiveBayes(features="cv", cv=splitter).fit(X, y).selection_
    b = NaiveBayes(features="cv", cv=list(splitter.split(X))).fit(X, y).selection_
    np.testing.assert_array_equal(a.score, b.score)
    single = NaiveBayes(features="1se", cv=[next(splitter.split(X))]).fit(X, y).selection_
    assert np.isnan(single.standard_error).all()
    assert single.index == np.argmin(single.score)


def test_random_state_repeats():
    X, y = words()
    a, b, c = (NaiveBayes(features="cv", random_state=s).fit(X, y).selection_.score for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_two_knobs_in_the_order_of_the_signature():
    X, y = words()
    model = NaiveBayes(prior_strength="loo", features="mdl").fit(X, y)
    assert list(model.selections_) == list(model.paths_) == ["prior_strength", "features"]
    assert model.selection_ is model.selections_["features"]
    again = NaiveBayes(prior_strength=model.prior_strength_, features="mdl").fit(X, y)
    np.testing.assert_array_equal(model.selection_.score, again.selection_.score)
    alone = NaiveBayes(prior_strength="loo").fit(X, y)
    assert alone.prior_strength_ == model.prior_strength_


def test_no_rule_no_selection():
    X, y = words()
    with pytest.raises(AttributeError, match="only available if `features` or `prior_strength` is a rule"):
        _ = NaiveBayes().fit(X, y).selection_
    fixed = NaiveBayes(features=2).fit(X, y).selection_
    assert (fixed.rule, fixed.value) == ("fixed", 2)


@pytest.mark.parametrize("rule", ["loo", "bic", "aic", "ebic", "mdl", "holdout", "cv", "1se"])
def test_tiny_data(rule):
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
    for kind in (np.asarray, sparse.csr_array):
        model = NaiveBayes(features=rule, cv=2, random_state=0).fit(kind(X), y)
        assert_consistent(model.selection_, "features", rule)


def test_a_class_with_one_member():
    X, y = words(31)
    y[0] = 7
    for rule in FEATURE_RULES:
        assert_consistent(NaiveBayes(features=rule, random_state=0).fit(X, y).selection_, "features", rule)


# Charts


def assert_valid(chart):
    text = json.dumps(chart.to_dict(), allow_nan=False)
    return json.loads(text)


@pytest.mark.parametrize("options", [{"features": r} for r in (*FEATURE_RULES, 3)] + [{"prior_strength": "loo"}])
def test_charts_are_valid(options):
    X, y = words()
    assert_valid(NaiveBayes(**options, random_state=0).fit(X, y).selection_.plot())


@pytest.mark.parametrize("order", ["greedy", "information"])
def test_charts_survive_hostile_names(order):
    X, y = words()
    model = NaiveBayes(features="mdl", order=order).fit(pd.DataFrame(X, columns=HOSTILE), y)
    shown = [row["last step"] for row in assert_valid(model.path_.plot())["data"]["values"]]
    assert set(shown) <= {"(none)", *map(chart_text, HOSTILE)}
    assert not any("</" in name for name in shown)
    assert set(model.path_.to_frame()["feature"]) <= set(HOSTILE)
    assert_valid(model.selection_.plot())


def test_charts_of_one_point():
    one = np.array([1.0])
    assert_valid(Selection("features", "cv", np.array([0]), one, one * np.nan, np.array([0]), 0).plot())


def axis_of(grid, knob="k"):
    score = np.linspace(1.0, 2.0, len(grid))
    layers = assert_valid(Selection(knob, "bic", grid, score, score * np.nan, score, 0).plot())["layer"]
    return layers[0]["encoding"]["x"]


def test_axes_of_counts_have_whole_ticks():
    assert axis_of(np.arange(5))["axis"] == {"tickMinStep": 1}
    assert axis_of(np.arange(1000))["axis"]["values"][:5] == [0, 1, 2, 5, 10]


def test_axes_of_penalties_have_round_ticks_simple_models_left():
    x = axis_of(np.geomspace(5, 0.02, 30), "alpha")
    assert x["scale"] == {"type": "log", "reverse": True, "nice": False}
    assert sorted(x["axis"]["values"]) == [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    assert axis_of(np.geomspace(1e-20, 1, 30))["axis"]["values"] == pytest.approx(
        10.0 ** np.arange(-18, 1, 3), rel=1e-9
    )


@pytest.mark.parametrize("grid", [[0.0, 1e-6, 0.01, 1.0], [0.0, 1e-80, 1e-6, 1.0], [1.0, 1e-6, 0.0]])
def test_axes_that_hold_zero_show_it_and_are_logarithmic_elsewhere(grid):
    x = axis_of(np.array(grid), "max_p_chance")
    assert x["scale"]["type"] == "symlog"
    assert x["axis"]["values"][0] == 0
    assert {1e-6, 1e-4, 0.01, 1} <= set(x["axis"]["values"])


def test_axes_name_units_and_words():
    X, y = words()
    drawn = assert_valid(NaiveBayes(features="mdl").fit(X, y).selection_.plot())["layer"][0]
    assert drawn["encoding"]["y"]["title"] == "bits"
    assert {row["curve"] for row in drawn["data"]["values"]} == {"total bits", "data bits", "model bits"}


def test_long_paths_are_thinned():
    rng = np.random.default_rng(0)
    X, y = sparse.random_array((60, 3000), density=0.05, random_state=rng, format="csr"), rng.integers(0, 2, 60)
    selection = NaiveBayes(features="bic", order="information").fit(X, y).selection_
    assert len(selection.grid) < 70
    assert (selection.grid[0], selection.grid[-1]) == (0, 3000)
    assert_valid(selection.plot())


# The criteria themselves


def test_criteria_are_their_formulas():
    assert aic(-10.0, 3) == 26
    assert bic(-10.0, 3, 20) == pytest.approx(20 + 3 * np.log(20))
    assert ebic(-10.0, 3, 20, 2, 10) == pytest.approx(20 + 3 * np.log(20) + 2 * np.log(45))
    assert ebic(-10.0, 3, 20, 2, 10, gamma=0) == bic(-10.0, 3, 20)


def test_corrected_criteria_are_their_formulas():
    """AICc as Hurvich, Simonoff & Tsai write it: log(variance) + 1 + 2 (trace + 1) / (n - trace - 2)."""
    n, trace, variance = 30, 7.5, 0.4
    value = -0.5 * n * (np.log(variance) + 1)
    expected = n * (np.log(variance) + 1 + 2 * (trace + 1) / (n - trace - 2))
    assert aic(value, trace + 1, n, corrected=True) == pytest.approx(expected)
    assert bic(-10.0, 3, 20, corrected=True) == pytest.approx(20 + 3 * np.log(20) * 20 / 16)
    found = ebic(-10.0, 3, 20, 2, 10, corrected=True)
    assert found == pytest.approx(20 + 3 * np.log(20) * 20 / 16 + 2 * np.log(45))
    at_the_end = aic(np.zeros(3), np.array([17.0, 18.0, 19.0]), 19, corrected=True)
    np.testing.assert_allclose(at_the_end, [646, np.inf, np.inf])
    with pytest.raises(ValueError, match="requires n_samples"):
        aic(-10.0, 3, corrected=True)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 17])
def test_description_length_is_eqs_10_to_15(k):
    bits = description_length(-12.0, [30, 20], 100, [2] * k, unit="nats")
    expected = oracles.log_star(k) + oracles.log_choose(100, k) + np.log(51) + k * (np.log(31) + np.log(21))
    assert bits.data == 12
    assert bits.model == pytest.approx(expected)
    assert bits.total == pytest.approx(12 + expected)
    assert description_length(-12.0, [30, 20], 100, [2] * k).total == pytest.approx((12 + expected) / np.log(2))


def test_description_length_counts_the_possible_count_vectors():
    bits = description_length(0.0, [3, 4, 5], 7, [3, 4], unit="nats")
    vectors = [oracles.log_choose(n + k - 1, k - 1) for k in (3, 4) for n in (3, 4, 5)]
    assert bits.model == pytest.approx(np.log(2) + oracles.log_choose(7, 2) + oracles.log_choose(14, 2) + sum(vectors))


def test_description_length_refuses_other_units():
    with pytest.raises(ValueError, match="unit"):
        description_length(-1.0, [1, 1], 2, [2], unit="bit")


@pytest.mark.parametrize("order", [("bic", "cv", "1se", "loo"), ("1se", "cv"), ("1se",), ("holdout", "aic")])
def test_curves_of_one_path_are_those_of_separate_fits(order):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X[:, 1] + rng.normal(size=60)
    data = NumericData.read(X, y, None)
    family = GreedyFamily("cv", None, "forward", True, None, 1)
    found = curves(family.path(data), family, data, order, Options(random_state=3))
    assert tuple(found) == order
    for rule, selection in found.items():
        alone = GreedySubsetRegressor(rule, random_state=3).fit(X, y).selection_
        assert (selection.rule, selection.index) == (alone.rule, alone.index)
        np.testing.assert_allclose(selection.score, alone.score, rtol=1e-9)


def test_curves_fit_each_fold_once(monkeypatch):
    rng = np.random.default_rng(0)
    data = NumericData.read(rng.normal(size=(30, 3)), rng.normal(size=30), None)
    family = GreedyFamily("cv", None, "forward", True, None, 1)
    calls, own = [], GreedyFamily.fold_paths
    monkeypatch.setattr(GreedyFamily, "fold_paths", lambda *given: calls.append(1) or own(*given))
    curves(family.path(data), family, data, ("cv", "1se"), Options())
    assert calls == [1]


@pytest.mark.parametrize("sort", [False, True])
def test_folds_are_shuffled_by_default(sort):
    x = np.random.default_rng(0).uniform(size=80)
    x = np.sort(x) if sort else x
    X, y = np.vander(x, 9, increasing=True)[:, 1:], np.sin(9 * x)
    model = GreedySubsetRegressor("cv").fit(X, y)
    seeded = GreedySubsetRegressor("cv", random_state=0).fit(X, y)
    np.testing.assert_allclose(model.selection_.score, seeded.selection_.score)
    own = GreedySubsetRegressor("cv", cv=KFold(5, shuffle=True, random_state=0)).fit(X, y)
    np.testing.assert_allclose(model.selection_.score, own.selection_.score)
    assert model.k_ >= 5  # contiguous folds of sorted x would have to extrapolate, and select fewer


def test_folds_of_a_splitter_are_not_shuffled():
    x = np.linspace(0, 1, 60)
    X, y = np.vander(x, 6, increasing=True)[:, 1:], np.sin(9 * x)
    path = GreedySubsetRegressor("cv", cv=KFold(5)).fit(X, y)
    by_hand = []
    for train, test in KFold(5).split(X):
        fitted = GreedySubsetRegressor(1).fit(X[train], y[train])
        by_hand.append(np.mean((y[test] - fitted.predict(X[test])) ** 2))
    assert path.selection_.score[1] == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize("weighted", [False, True])
def test_holdout_uses_the_split_that_cv_gives(weighted):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    y = X @ [1, 0, 2, 0] + rng.normal(size=40)
    weight = np.where(np.arange(40) % 7 == 0, 0.0, 1.0) if weighted else np.ones(40)
    held_out = np.arange(40) % 3 == 0
    model = Ridge("holdout", cv=PredefinedSplit(np.where(held_out, 0, -1))).fit(X, y, weight)
    fitted = (
        Ridge(0.5).set_params(alpha=float(model.selection_.grid[3])).fit(X[~held_out], y[~held_out], weight[~held_out])
    )
    error = np.average((y - fitted.predict(X))[held_out] ** 2, weights=weight[held_out])
    assert model.selection_.score[3] == pytest.approx(error)
    with pytest.raises(ValueError, match="gives 4"):
        Ridge("holdout", cv=4 * [next(KFold(3).split(X))]).fit(X, y)
