"""The matrices of a fold give the predictions of the pipeline that is refitted on all rows."""

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from small_answers import mixed
from vitalfew import Ridge
from vitalfew.answers import learners
from vitalfew.answers.learners import Learner
from vitalfew.answers.views import SparseView, TableView, View, WordView
from vitalfew.evaluation.calibration import LEAST, scores_of
from vitalfew.reporting.table import read_study_table

SOME = np.array([3, 0, 1])  # weight, color, size
TEXTS = [
    f"{'win cash' if i % 3 == 0 else 'bring bread'} {['now', 'today', 'at noon'][i % 4 % 3]} {'odd' if i == 7 else ''}"
    for i in range(60)
]


def by_pipeline(view: View, learner: Learner, table, target, features, folds) -> list:
    train, test = folds
    taken = table.iloc if hasattr(table, "iloc") else table
    found = []
    for model in learner.settings:
        pipeline = view.pipeline(clone(model), features, learner.form).fit(taken[train], target[train])
        found.append(scores_of(pipeline, taken[test]))
    return found


def compare(view: View, learner: Learner, table, target, features, folds=None):
    n = len(target)
    folds = (np.flatnonzero(np.arange(n) % 4 != 1), np.flatnonzero(np.arange(n) % 4 == 1)) if folds is None else folds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train, test = view.fold(*folds).parts(learner.form, features)
        adapt = partial(view.adapted, features=features, kind=learner.form)
        scores = learner.scores(train, target[folds[0]], test, adapt)
        expected = by_pipeline(view, learner, table, target, features, folds)
    assert len(scores) == len(learner.settings)
    for own, other in zip(scores, expected):
        if isinstance(learner, learners.PathLearner):  # another starting point, and another error within its tolerance
            np.testing.assert_allclose(np.exp(own), np.exp(other), atol=5e-3)
            assert own.min() >= np.log(LEAST / own.shape[1] / (1 + LEAST)) - 1e-9
        else:
            np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9)


def skip_ties(learner: Learner, features) -> None:
    if learner.name == "nearest neighbors" and features is not None and len(features) == 1:
        pytest.skip("all rows of a category are equally near; which are taken depends on the form of the matrix")


def small(learner: Learner) -> Learner:
    for model in learner.settings:
        if "n_estimators" in model.get_params():
            model.set_params(n_estimators=10)
        if "max_iter" in model.get_params() and learner.name == "gradient boosting":
            model.set_params(max_iter=10)
    return learner


@pytest.mark.parametrize("features", [None, SOME, np.array([2])], ids=["all", "some", "one category"])
@pytest.mark.parametrize("at", range(len(learners.table_classifiers(90, 2, 0))))
def test_classes_of_tables(at, features):
    frame, kinds, score = mixed()
    learner = small(learners.table_classifiers(90, 3, 0)[at])
    skip_ties(learner, features)
    compare(TableView.of(frame, kinds), learner, frame, np.digitize(score, [-1, 1]), features)


@pytest.mark.parametrize("features", [None, SOME, np.array([2])], ids=["all", "some", "one category"])
@pytest.mark.parametrize("at", range(len(learners.table_regressors(90, 0))))
def test_numbers_of_tables(at, features):
    frame, kinds, score = mixed()
    learner = small(learners.table_regressors(90, 0)[at])
    skip_ties(learner, features)
    compare(TableView.of(frame, kinds), learner, frame, score, features)


@pytest.mark.parametrize("name", ["support vectors", "nearest neighbors", "extra trees", "gradient boosting"])
def test_a_category_that_training_rows_do_not_have(name):
    frame, kinds, score = mixed()
    target = (score > 0).astype(int)
    frame["color"] = ["blue" if c == "mauve" else c for c in frame["color"]]
    test = np.arange(0, 90, 4)
    frame.loc[test[:6], "color"] = "green grass"
    train = np.setdiff1d(np.arange(90), test)
    learner = next(own for own in learners.table_classifiers(90, 2, 0) if own.name == name)
    compare(TableView.of(frame, kinds), small(learner), frame, target, None, (train, test))


def test_a_column_without_values_in_the_training_rows():
    frame, kinds, score = mixed()
    test = np.arange(0, 90, 4)
    train = np.setdiff1d(np.arange(90), test)
    frame.loc[train, "weight"] = np.nan
    listed = learners.table_classifiers(90, 2, 0)[:5]
    for learner in [own for own in listed if own.name != "gradient boosting"]:  # scikit-learn refuses such columns
        compare(TableView.of(frame, kinds), small(learner), frame, (score > 0).astype(int), None, (train, test))


@pytest.mark.parametrize("name", ["logistic regression", "Naive Bayes", "extra trees"])
@pytest.mark.parametrize("is_cut", [False, True])
def test_text_beside_other_columns(name, is_cut):
    """Test rows know words of the training rows alone; all rows have the same words here."""
    frame, kinds, score = mixed()
    frame["said"] = [f"{TEXTS[i % 8]} {TEXTS[i % 5]}" for i in range(90)]
    view = TableView.of(frame, {**kinds, "said": "text"})
    features = np.array([view.names.index("said: cash"), view.names.index("size")]) if is_cut else None
    learner = next(own for own in learners.table_classifiers(90, 2, 0) if own.name == name)
    pipeline = view.pipeline(learner.settings[0], features, learner.form)
    assert set(pipeline.steps[0][1].kinds) == ({"said", "size"} if is_cut else {*frame.columns})
    compare(view, small(learner), frame, (score > 0).astype(int), features)


@pytest.mark.parametrize("names", [["said: cash (word)"], ["said: cash"], ["said: cash", "said: cash (word)", "color"]])
def test_a_column_that_is_named_like_a_word(names):
    frame, kinds, score = mixed()
    frame["said"] = [f"{TEXTS[i % 8]} {TEXTS[i % 5]}" for i in range(90)]
    frame["said: cash"] = score
    view = TableView.of(frame, {**kinds, "said: cash": "numeric", "said": "text"})
    features = np.array([view.names.index(name) for name in names])
    learner = next(own for own in learners.table_classifiers(90, 2, 0) if own.name == "logistic regression")
    compare(view, learner, frame, (score > 0).astype(int), features)


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("features", [None, np.array([4, 1, 0])])
def test_texts(at, features):
    frame = read_study_table(TEXTS).frame
    view = WordView.of(TEXTS, "text")
    assert set(view.terms[view.words]) == {t for t in view.names if " " not in t}
    assert "odd" not in view.names
    target = np.arange(60) % 3 % 2
    compare(view, learners.word_classifiers(60, 0)[at], frame, target, features)


@pytest.mark.parametrize("features", [None, np.array([4, 1, 0])])
@pytest.mark.parametrize("is_numeric", [False, True])
def test_sparse_matrices(is_numeric, features):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.5, (60, 6)).astype(float))
    y = X[:, [1]].toarray()[:, 0] + 0.3 * rng.normal(size=60)
    view = SparseView(X, [f"x{j}" for j in range(6)])
    listed = learners.sparse_regressors(0) if is_numeric else learners.sparse_classifiers(60, False, 0)
    for learner in listed:
        compare(view, small(learner), X, y if is_numeric else (y > 0.5).astype(int), features)


def many_levels(n=900, n_levels=400):
    """A category of 400 levels, many of them equally rare, with missing values."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, n_levels, n) * rng.integers(0, 2, n)
    city = np.array([f"city {v}" for v in level], dtype=object)
    city[::50] = None
    size = rng.normal(size=n)
    frame = pd.DataFrame({"city": city, "size": size})
    return frame, {"city": "category", "size": "numeric"}, (size + level % 3 + rng.normal(size=n) > 1).astype(int)


@pytest.mark.parametrize("name", ["logistic regression", "Naive Bayes", "support vectors", "extra trees"])
def test_rare_levels_of_a_category_are_grouped_as_in_the_pipeline(name):
    frame, kinds, target = many_levels()
    view = TableView.of(frame, kinds)
    learner = next(own for own in learners.table_classifiers(900, 2, 0) if own.name == name)
    compare(view, replace(small(learner), settings=learner.settings[:1]), frame, target, None)


@pytest.mark.parametrize("n_levels", [248, 249, 250, 251, 400])
@pytest.mark.parametrize("has_missing", [False, True])
def test_codes_of_categories_are_those_of_the_encoders(n_levels, has_missing):
    frame, kinds, _ = many_levels(2000, n_levels)
    if not has_missing:
        frame["city"] = frame["city"].fillna("city 0")
    train, test = np.flatnonzero(np.arange(2000) % 5), np.arange(0, 2000, 5)
    fold = TableView.of(frame, kinds).fold(train, test)
    for form in ("linear", "trees"):
        own, other = fold.parts(form)
        encode = TableView.of(frame, kinds).pipeline(Ridge(), None, form)[:-1].fit(frame.iloc[train])
        for part, rows in ((own, train), (other, test)):
            expected = encode.transform(frame.iloc[rows])
            expected = expected.toarray() if sparse.issparse(expected) else expected
            np.testing.assert_allclose(part, expected, atol=1e-12)
