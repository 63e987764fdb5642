"""`GreedySearch` against the naive loop, with its cache, checkpoint, time budget and rules."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.linear_model import Ridge as SparseRidge
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from planted import nonlinear_numbers as planted
from vitalfew import GreedySearch, LogisticRegression, NaiveBayes, Ridge, loo_predict
from vitalfew.exceptions import CheckpointWarning, RuleError, UnfinishedWarning
from vitalfew.families.subsets import greedy_search, subset_scores

FOLDS = KFold(5, shuffle=True, random_state=0)  # as `cv=5` means them


def naive_forward(estimator, X, y, k, cv):
    """Columns in the order they enter, and their mean scores."""
    chosen, scores = [], []
    while len(chosen) < k:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        tried = [cross_val_score(clone(estimator), X[:, sorted([*chosen, j])], y, cv=cv).mean() for j in left]
        chosen.append(left[int(np.argmax(tried))])
        scores.append(max(tried))
    return chosen, scores


@pytest.mark.parametrize("estimator", [LinearRegression(), KNeighborsRegressor(3), Ridge(1.0)], ids=repr)
def test_forward_is_the_naive_loop(estimator):
    X, y = planted()
    search = GreedySearch(estimator, 4).fit(X, y)
    chosen, scores = naive_forward(estimator, X, y, 4, FOLDS)
    assert search.history_["feature"].tolist() == [f"x{j}" for j in chosen]
    np.testing.assert_allclose(search.history_["score"], scores, rtol=1e-8)
    assert set(search.subset_) == set(chosen)
    fitted = clone(estimator).fit(X[:, sorted(chosen)], y)
    np.testing.assert_allclose(search.predict(X), fitted.predict(X[:, sorted(chosen)]))


def test_backward_removes_what_is_least_needed():
    X, y = planted(d=5)
    search = GreedySearch(LinearRegression(), 2, direction="backward").fit(X, y)
    chosen = list(range(5))
    for size in range(4, 1, -1):
        tried = {
            j: cross_val_score(LinearRegression(), X[:, [e for e in chosen if e != j]], y, cv=FOLDS).mean()
            for j in chosen
        }
        chosen.remove(max(tried, key=tried.get))
        assert search.path_.subsets[list(search.path_.grid).index(size)] == tuple(chosen)
    assert search.history_["move"].tolist() == ["out"] * 3
    assert 0 in GreedySearch(LinearRegression(), "cv", direction="backward").fit(X, y).path_.grid


def test_both_ways_is_at_least_as_good():
    X, y = planted(d=6)
    forward = GreedySearch(KNeighborsRegressor(), 4).fit(X, y)
    both = GreedySearch(KNeighborsRegressor(), 4, direction="both").fit(X, y)
    ours, theirs = (s.path_.scores.mean(axis=1) for s in (both, forward))
    assert ours.sum() >= theirs.sum() - 1e-12
    assert both.n_cached_ > 0  # going back, many sets are known


@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_squared_error"])
@pytest.mark.parametrize("has_intercept", [True, False])
def test_ridge_is_scored_without_refitting(scoring, has_intercept, monkeypatch):
    X, y = planted()
    model = Ridge(2.0, fit_intercept=has_intercept)
    slow = subset_scores.RefittingEvaluator
    quick = GreedySearch(model, "cv", scoring=scoring).fit(X + 1, y)
    monkeypatch.setattr(subset_scores, "MomentsEvaluator", lambda *a, summaries, is_r2: slow(*a))
    refitted = GreedySearch(model, "cv", scoring=scoring).fit(X + 1, y)
    assert quick.path_.subsets == refitted.path_.subsets
    np.testing.assert_allclose(quick.path_.scores[1:], refitted.path_.scores[1:], rtol=1e-7)


def test_ridge_fits_nothing_but_the_last(monkeypatch):
    X, y = planted()
    count = 0
    fit = Ridge.fit

    def counted(self, *arguments, **options):
        nonlocal count
        count += 1
        return fit(self, *arguments, **options)

    monkeypatch.setattr(Ridge, "fit", counted)
    GreedySearch(Ridge(1.0), 5).fit(X, y)
    assert count == 1


@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "roc_auc"])
@pytest.mark.parametrize("options", [{}, {"prior_strength": 2.0, "numeric": "quantile"}])
def test_evidence_of_naive_bayes_is_added_up(scoring, options, monkeypatch):
    X, y = planted(200)
    X[::7, 1] = np.nan
    label = np.where(y > 0, "high", "low")
    quick = GreedySearch(NaiveBayes(**options), 4, scoring=scoring, direction="both").fit(X, label)
    monkeypatch.setattr(subset_scores, "EvidenceEvaluator", RefittingOnly)
    refitted = GreedySearch(NaiveBayes(**options), 4, scoring=scoring, direction="both").fit(X, label)
    assert quick.path_.subsets == refitted.path_.subsets
    np.testing.assert_allclose(quick.path_.scores, refitted.path_.scores, rtol=1e-9)


class RefittingOnly(subset_scores.RefittingEvaluator):
    MOST = np.inf


@pytest.mark.parametrize("rule", ["cv", "1se", "holdout"])
def test_rules_choose(rule):
    X, y = planted(300)
    search = GreedySearch(DecisionTreeRegressor(max_depth=5, random_state=0), rule, random_state=0).fit(X, y)
    assert {1, 4} <= set(search.subset_)
    assert search.k_ == len(search.subset_)
    assert "score" in search.selection_.plot().to_json()


def test_patience_ends_a_search_that_brings_nothing():
    X, y = planted(200, 30)
    search = GreedySearch(LinearRegression(), "cv", patience=2).fit(X, y)
    assert len(search.history_) < 29
    assert GreedySearch(LinearRegression(), "cv", patience=None).fit(X[:, :8], y).path_.grid[-1] == 8


def test_classifiers_and_pipelines():
    X, y = load_iris(return_X_y=True, as_frame=True)
    search = GreedySearch(make_pipeline(StandardScaler(), Peer()), 2, scoring="neg_log_loss").fit(X, y)
    assert search.predict_proba(X).shape == (150, 3)
    assert list(search.classes_) == [0, 1, 2]
    assert all(name.startswith("petal") for name in search.get_feature_names_out())
    assert search.score(X, y) > 0.9
    assert list(search.transform(X).shape) == [150, 2]
    assert GreedySearch(GaussianNB(), "1se").fit(X, y).k_ <= 4


def test_groups_enter_together():
    X, y = planted()
    search = GreedySearch(LinearRegression(), 2, feature_groups=[[0, 1], [3, 4]]).fit(X, y)
    assert set(search.subset_) == {0, 1, 3, 4}


def test_weights_reach_the_estimator():
    X, y = planted()
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    search = GreedySearch(LinearRegression(), 3).fit(X, y, sample_weight=weight)
    expected = LinearRegression().fit(X[:, search.subset_], y, weight)
    np.testing.assert_allclose(search.best_estimator_.coef_, expected.coef_)


# Stopped and resumed


class Counting(LinearRegression):
    """Knows how often it was fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


def test_a_search_that_was_stopped_goes_on_where_it_was(tmp_path):
    X, y = planted(d=6)
    file = tmp_path / "search.jsonl"
    Counting.fits = 0
    whole = GreedySearch(Counting(), 4).fit(X, y)
    all_fits = Counting.fits
    Counting.fits = 0
    GreedySearch(Counting(), 2, checkpoint=file).fit(X, y)
    first = Counting.fits
    Counting.fits = 0
    resumed = GreedySearch(Counting(), 4, checkpoint=file).fit(X, y)
    assert resumed.path_.subsets == whole.path_.subsets
    np.testing.assert_array_equal(resumed.path_.scores, whole.path_.scores)
    assert first + Counting.fits == all_fits + 1  # and the last fit of the first search
    Counting.fits = 0
    GreedySearch(Counting(), 4, checkpoint=file).fit(X, y)
    assert Counting.fits == 1


def test_a_checkpoint_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path):
    X, y = planted(d=5)
    file = tmp_path / "search.jsonl"
    whole = GreedySearch(LinearRegression(), 3, checkpoint=file).fit(X, y)
    text = file.read_text()
    file.write_text(text[: int(len(text) * 0.6)])
    again = GreedySearch(LinearRegression(), 3, checkpoint=file).fit(X, y)
    assert again.path_.subsets == whole.path_.subsets
    assert 0 < again.n_fits_ < whole.n_fits_
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    X, y = planted(d=5)
    X = X[:, :4]
    file = tmp_path / "search.jsonl"
    GreedySearch(LinearRegression(), 2, checkpoint=file).fit(X, y)
    kept = file.read_text()
    for estimator, data, cv in ((Ridge(1.0), X, 5), (LinearRegression(), X + 1, 5), (LinearRegression(), X, KFold(3))):
        with pytest.raises(ValueError, match="belongs to another search: the data, estimator, folds, scoring"):
            GreedySearch(estimator, 2, checkpoint=file, cv=cv).fit(data, y)
    assert file.read_text() == kept
    other = tmp_path / "letter.txt"
    other.write_text("dear all,\n")
    with pytest.raises(ValueError, match="is not a file written by a greedy search"):
        GreedySearch(LinearRegression(), 2, checkpoint=other).fit(X, y)
    assert other.read_text() == "dear all,\n"


class Weighted(LinearRegression):
    def __init__(self, prior=None):
        super().__init__()
        self.prior = prior


class Alike(Weighted):
    pass


def changed(at):
    prior = np.zeros(5000)
    prior[at] = 1
    return prior


@pytest.mark.parametrize(
    ("one", "other", "scorings"),
    [
        (Weighted(), Alike(), (None, None)),
        (Weighted(changed(2000)), Weighted(changed(3000)), (None, None)),
        (Weighted(), Weighted(), (lambda m, X, y: 1.0, lambda m, X, y: 2.0)),
    ],
    ids=["class", "long array", "scoring"],
)
def test_searches_that_look_alike_are_told_apart(tmp_path, one, other, scorings):
    X, y = planted(d=5)
    file = tmp_path / "search.jsonl"
    first = GreedySearch(one, 2, checkpoint=file, scoring=scorings[0]).fit(X, y)
    assert GreedySearch(clone(one), 2, checkpoint=file, scoring=scorings[0]).fit(X, y).n_fits_ == 0 < first.n_fits_
    with pytest.raises(ValueError, match="belongs to another search"):
        GreedySearch(other, 2, checkpoint=file, scoring=scorings[1]).fit(X, y)


def test_a_search_that_cannot_be_told_from_others_has_no_checkpoint(tmp_path):
    X, y = planted(d=5)
    file = tmp_path / "search.jsonl"
    with pytest.raises(ValueError, match=r"cannot be used: \.prior is of type 'object'"):
        GreedySearch(Weighted(object()), 2, checkpoint=file).fit(X, y)
    assert not file.exists()
    assert GreedySearch(Weighted(object()), 2).fit(X, y).k_ == 2


def test_a_checkpoint_of_an_earlier_scheme_or_with_odd_lines_is_refused(tmp_path):
    X, y = planted(d=5)
    file = tmp_path / "search.jsonl"
    GreedySearch(LinearRegression(), 1, checkpoint=file).fit(X, y)
    head, *lines = file.read_text().splitlines(keepends=True)
    old = head.replace("vitalfew.search/2", "greedy search")
    for text, message in (
        ("".join([old, *lines]), "was written by an earlier version"),
        (head + "not a line\n", "is not a file written by a greedy search"),
        (head + '{"subset": [0], "scores": [1.0]}\n', "is not a file written by a greedy search"),
        (head + '{"subset": ["0"], "scores": [1.0, 1.0, 1.0, 1.0, 1.0]}\n', "is not a file written by a greedy search"),
        (head + "[]\n", "is not a file written by a greedy search"),
        ('{"vitalfew": "vitalfew.search/2"}\n', "is not a file written by a greedy search"),
        (head[:-10], "is not a file written by a greedy search"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=message):
            GreedySearch(LinearRegression(), 1, checkpoint=file).fit(X, y)
        assert file.read_text() == text
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not a file written by a greedy search"):
        GreedySearch(LinearRegression(), 1, checkpoint=file).fit(X, y)


@pytest.mark.skipif(not __import__("os").path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_does_not_end_the_search(tmp_path):
    X, y = planted(d=5)
    X = X[:, :4]
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    with pytest.warns(CheckpointWarning, match="cannot be written"):
        search = GreedySearch(LinearRegression(), 2, checkpoint=link).fit(X, y)
    assert search.k_ == 2


def test_time_runs_out_and_says_so():
    X, y = planted(d=7)

    class SlowAfterTheFirstStep(LinearRegression):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            type(self).fits += 1
            __import__("time").sleep(0.2 if self.fits > 40 else 0)
            return super().fit(X, y, sample_weight)

    with pytest.warns(UnfinishedWarning, match=r"time_budget=2 s ran out after \d+ steps; the best subset so far"):
        search = GreedySearch(SlowAfterTheFirstStep(), "cv", time_budget=2, patience=None).fit(X, y)
    assert not search.is_complete_
    assert 1 <= search.k_ < 7


def test_no_time_at_all():
    X, y = planted()
    with pytest.raises(ValueError, match="ran out before the first step was completed; increase it"):
        GreedySearch(LinearRegression(), time_budget=1e-9).fit(X, y)


# What breaks things


def test_nothing_helps():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    with pytest.raises(ValueError, match="no feature improves on the model without features"):
        GreedySearch(KNeighborsRegressor(), "1se").fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": "bic"}, "k='bic' is not supported by GreedySearch; expected a number or one of 'cv', '1se', 'holdout'"),
        ({"k": 1.5}, "k must be an integer number of features or a rule, got 1.5"),
        ({"k": 9}, r"k=9 exceeds the 7 feature\(s\)"),
        ({"direction": "up"}, "direction must be one of"),
        ({"time_budget": -1}, "time_budget must be None or a positive number of seconds"),
    ],
)
def test_bad_arguments(options, message):
    X, y = planted()
    with pytest.raises((ValueError, RuleError), match=message):
        GreedySearch(LinearRegression(), **options).fit(X, y)


def test_hostile_names_are_only_names():
    X, y = planted(d=5)
    X = X[:, :3]
    frame = pd.DataFrame(X, columns=["<script>alert(1)</script>", "'; DROP TABLE x; --", 'a"b'])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GreedySearch(LinearRegression(), 2).fit(frame, y)
    assert set(search.history_["feature"]) <= set(frame.columns)
    assert "DROP TABLE" in search.path_.to_frame()["features"].iloc[-1]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_every_sparse_format_is_searched(form, kind):
    X, y = planted(80, 5)
    X[np.abs(X) < 0.3] = 0
    rows = kind(X).asformat(form)
    before = pickle.dumps(rows)
    search = GreedySearch(SparseRidge(), 2).fit(rows, y)
    assert search.subset_.tolist() == GreedySearch(SparseRidge(), 2).fit(kind(X), y).subset_.tolist()
    np.testing.assert_array_equal(search.predict(rows), search.predict(kind(X)))
    assert search.transform(rows).shape == (len(y), 2)
    assert pickle.dumps(rows) == before


def test_what_is_not_a_table_is_refused():
    X, y = planted(d=5)
    search = GreedySearch(LinearRegression(), 2).fit(X, y)
    flat = (X[:, 0], X[:, 0].tolist(), pd.Series(X[:, 0]), np.float64(1.0), X[None])
    for bad in flat:
        with pytest.raises(ValueError, match=r"Expected 2D array, got [013]D array instead"):
            GreedySearch(LinearRegression(), 2).fit(bad, y)
        with pytest.raises(ValueError, match=r"Expected 2D array, got [013]D array instead"):
            search.predict(bad)
    with pytest.raises(ValueError, match="0 feature"):
        GreedySearch(LinearRegression(), 2).fit(X[:, :0], y)


def test_a_scorer_is_known_by_its_function_and_not_by_its_name():
    X, y = planted()

    def r2_score(y, p):
        return -float(np.max(np.abs(y - p)))

    named = GreedySearch(Ridge(1.0), k=3, scoring=make_scorer(r2_score)).fit(X, y)
    refitted = GreedySearch(Refitted(1.0), k=3, scoring=make_scorer(r2_score)).fit(X, y)
    assert_allclose(named.path_.scores, refitted.path_.scores)


class Refitted(Ridge):
    """A Ridge that the evaluator does not know."""


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["sorted classes", "far from zero"])
def test_scores_from_moments_are_those_of_refitting(fit_intercept, kind):
    X, y = planted()
    y = np.sort((y > 0).astype(float)) if kind == "sorted classes" else y + 5
    paths = [GreedySearch(model(1.0, fit_intercept=fit_intercept), k=3).fit(X, y).path_ for model in (Ridge, Refitted)]
    assert_allclose(paths[0].scores, paths[1].scores, atol=1e-10)
    assert np.isfinite(paths[0].scores).all()


def test_holdout_is_recorded_and_folds_follow_the_seed():
    X, y = planted()
    assert GreedySearch(Ridge(1.0), k="holdout", random_state=0).fit(X, y).selection_.rule == "holdout"
    first, other, plain = (
        GreedySearch(Ridge(1.0), k=3, random_state=seed).fit(X, y).path_.scores for seed in (0, 1, None)
    )
    assert_allclose(first, plain, rtol=0, atol=0)
    assert not np.allclose(first, other)
    given = GreedySearch(Ridge(1.0), k=3, cv=KFold(5)).fit(X, y).path_.scores
    assert not np.allclose(plain, given)


@pytest.mark.parametrize("direction", ["forward", "backward", "both"])
def test_a_rule_selects_at_most_max_features(direction):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X @ [3.0, 2, 1, 1, 1, 1] + 0.1 * rng.normal(size=60)
    model = GreedySearch(Ridge(0.01), "cv", direction=direction, max_features=2).fit(X, y)
    assert model.k_ == 2
    assert model.path_.grid.tolist() == [0, 1, 2]


def test_a_backward_search_that_ends_above_max_features_says_so(monkeypatch):
    def step(*_):
        raise subset_scores.OutOfTime

    monkeypatch.setattr(greedy_search.Walk, "step", step)
    X = np.random.default_rng(0).normal(size=(60, 3))
    search = GreedySearch(KNeighborsRegressor(), "cv", direction="backward", max_features=1, time_budget=60)
    with pytest.warns(UnfinishedWarning), pytest.raises(ValueError, match="more than max_features=1 features"):
        search.fit(X, X[:, 0])


def test_evidence_in_memory_is_limited(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 30)), rng.integers(0, 2, 40)
    expected = GreedySearch(NaiveBayes(), 27, cv=2).fit(X, y)
    held = []
    monkeypatch.setattr(subset_scores.EvidenceEvaluator, "MOST", 2 * X.size * 2)
    make = subset_scores.EvidenceEvaluator._evidence

    def count(self, *arguments):
        found = make(self, *arguments)
        held.append(sum(e.size for folds in self.by_strength.values() for e, _, _ in folds) + found[0].size)
        return found

    monkeypatch.setattr(subset_scores.EvidenceEvaluator, "_evidence", count)
    found = GreedySearch(NaiveBayes(), 27, cv=2).fit(X, y)
    assert len(held) > 2 * 2
    assert max(held) <= subset_scores.EvidenceEvaluator.MOST
    np.testing.assert_array_equal(found.subset_, expected.subset_)
    np.testing.assert_array_equal(found.path_.scores, expected.path_.scores)


def slide(estimator, X, y, k):
    """Greedy selection as on the slide: add the feature with the lowest training error."""
    chosen, sets = [], []
    for _ in range(k):
        errors = {}
        for j in set(range(X.shape[1])) - set(chosen):
            columns = sorted([*chosen, j])
            model = clone(estimator).fit(X[:, columns], y)
            errors[j] = np.mean((y - model.predict(X[:, columns])) ** 2)
        chosen.append(min(errors, key=errors.get))
        sets.append(tuple(sorted(chosen)))
    return sets


def left_out_r2(estimator, X, y):
    found = cross_val_predict(estimator, X, y, cv=LeaveOneOut())
    return 1 - np.sum((y - found) ** 2) / np.sum((y - y.mean()) ** 2)


@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(0.3, standardize=False), KNeighborsRegressor(3)])
def test_the_slide_selects_by_training_error_and_stops_by_leave_one_out(estimator):
    X, y = planted_numbers(45, 5)
    model = GreedySearch(estimator, "loo", select_by="training", patience=None).fit(X, y)
    expected = slide(estimator, X, y, 5)
    assert model.path_.subsets[1:] == expected
    scores = [left_out_r2(estimator, X[:, s], y) for s in expected]
    assert_allclose(model.path_.scores[1:, 0], scores, rtol=1e-7)
    assert model.k_ == 1 + int(np.argmax(scores))
    assert model.selection_.rule == "loo"
    has_formula = not isinstance(estimator, KNeighborsRegressor)
    assert model.selection_.note.startswith("exact" if has_formula else "refitted without each sample")


def planted_numbers(n, d):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, d))
    return X, X[:, 1] - 2 * X[:, -2] + 0.7 * rng.normal(size=n)


@pytest.mark.parametrize("estimator", [NaiveBayes(), LogisticRegression(0.1), LinearSVC()])
def test_classes_are_left_out_one_by_one(estimator):
    X, y = planted_numbers(40, 4)
    X = X[:, 1:]
    label = np.where(y > 0, "up", "down")
    model = GreedySearch(estimator, 3, select_by="loo").fit(X, label)
    assert model.path_.subsets[-1] == (0, 1, 2)
    if isinstance(estimator, LinearSVC):
        expected = np.mean(cross_val_predict(estimator, X, label, cv=LeaveOneOut()) == label)
    else:
        expected = 1 - loo_predict(estimator, X, label).error
    assert model.path_.scores[-1, 0] == pytest.approx(expected, abs=1e-12)


def test_a_search_starts_from_a_given_set():
    X, y = planted_numbers(60, 5)
    forward = GreedySearch(LinearRegression(), 3, start=[0]).fit(X, y)
    assert forward.path_.subsets[0] == (0,)
    assert forward.subset_.tolist() == [0, 1, 3]
    both = GreedySearch(LinearRegression(), "cv", start=[0], direction="both").fit(X, y)
    assert 0 in both.subset_  # it stays, although it does not help
    frame = pd.DataFrame(X, columns=list("abcde"))
    backward = GreedySearch(LinearRegression(), 2, start=["b", "c", "d"], direction="backward").fit(frame, y)
    assert backward.subset_.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"select_by": "test"}, "select_by"),
        ({"start": [9]}, "not a column"),
        ({"start": ["z"]}, "not a column"),
        ({"start": [0, 1], "k": 1}, "less than the 2 variables"),
        ({"start": [0, 1], "k": "cv", "max_features": 1}, "max_features=1 is less than the 2 variables"),
        ({"start": [0], "k": 2, "direction": "backward"}, "cannot reach k=2 variables from the 1 of start"),
        ({"start": [], "k": "cv", "direction": "backward"}, "cannot reach k=1 variables from the 0 of start"),
        ({"start": [0], "feature_groups": [[0, 1], [2, 3, 4]]}, "whole groups"),
        ({"k": "holdout", "cv": KFold(3)}, "single split"),
    ],
)
def test_bad_starts_and_criteria(options, message):
    X, y = planted_numbers(30, 5)
    with pytest.raises(ValueError, match=message):
        GreedySearch(LinearRegression(), **options).fit(X, y)
