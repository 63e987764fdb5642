"""Models of a few columns read whole tables of any library, in any order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline

from vitalfew import LogisticRegression, NaiveBayes
from vitalfew.answers.views import SparseView, TableView, WordView
from vitalfew.evaluation.table_model import TableModel
from vitalfew.reporting.table import read_study_table

RNG = np.random.default_rng(0)
N = 60
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "color": RNG.choice(["red", "blue"], N),
        "b": np.where(np.arange(N) % 9 == 0, np.nan, RNG.normal(size=N)),
        "rest": RNG.normal(size=N),
    }
)
Y = np.where(FRAME["a"] + (FRAME["color"] == "red") + 0.3 * RNG.normal(size=N) > 0.5, "yes", "no")
KINDS = {"a": "numeric", "color": "category", "b": "numeric", "rest": "numeric"}


def model_of(features=(0, 1, 2), learner=None, exponent=0.5) -> TableModel:
    view = TableView.of(read_study_table(FRAME, KINDS).frame, KINDS)
    learner = LogisticRegression(0.01, penalty="l2", verbose=False) if learner is None else learner
    return TableModel(view.pipeline(learner, np.array(features), "linear"), exponent)


def test_columns_are_found_by_name():
    model = model_of().fit(FRAME, Y)
    expected = model.predict_proba(FRAME)
    assert model.columns_ == ["a", "color", "b"]
    assert model.support_.tolist() == [True, True, True, False]
    assert model.get_support(indices=True).tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.predict_proba(FRAME[["b", "color", "a"]]), expected)
    np.testing.assert_array_equal(model.predict_proba(FRAME[["rest", "b", "a", "color"]].assign(more="x")), expected)
    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(FRAME)), expected)
    with pytest.raises(ValueError, match="color"):
        model.predict(FRAME[["a", "b"]])


def test_polars_and_pandas_give_the_same_model():
    one, other = model_of().fit(FRAME, Y), model_of().fit(pl.from_pandas(FRAME), Y)
    np.testing.assert_array_equal(one.predict_proba(FRAME), other.predict_proba(FRAME))
    assert one.columns_ == other.columns_


def test_probabilities_are_calibrated_and_classes_named():
    plain, soft = model_of(exponent=1.0).fit(FRAME, Y), model_of(exponent=0.3).fit(FRAME, Y)
    assert soft.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(soft.predict_proba(FRAME).sum(axis=1), 1)
    assert (soft.predict(FRAME) == plain.predict(FRAME)).all()
    assert (soft.predict(FRAME) == soft.classes_[soft.predict_proba(FRAME).argmax(axis=1)]).all()
    assert soft.predict_proba(FRAME).max() < plain.predict_proba(FRAME).max()
    p = plain.predict_proba(FRAME) ** 0.3
    np.testing.assert_allclose(soft.predict_proba(FRAME), p / p.sum(axis=1, keepdims=True), rtol=1e-6)


def test_clones_are_refitted():
    model = model_of().fit(FRAME, Y)
    before = model.predict_proba(FRAME)
    other = clone(model)
    assert not hasattr(other, "pipeline_")
    other.fit(FRAME.iloc[:40], Y[:40])
    np.testing.assert_array_equal(model.predict_proba(FRAME), before)
    assert not np.array_equal(other.predict_proba(FRAME), before)
    np.testing.assert_array_equal(clone(other).fit(FRAME, Y).predict_proba(FRAME), before)


def test_it_is_what_its_model_is():
    classifier, regressor = model_of(), model_of(learner=LinearRegression())
    assert is_classifier(classifier)
    assert is_regressor(regressor)
    regressor.fit(FRAME, FRAME["a"] * 2)
    np.testing.assert_allclose(regressor.predict(FRAME), FRAME["a"] * 2)
    with pytest.raises(AttributeError):
        regressor.predict_proba(FRAME)


def test_arrays_have_numbered_columns():
    X = FRAME[["a", "rest"]].to_numpy()
    table = read_study_table(X)
    view = TableView.of(table.frame, table.used)
    model = TableModel(view.pipeline(NaiveBayes(verbose=False), np.array([1]), "frame")).fit(X, Y)
    assert model.support_.tolist() == [False, True]
    assert model.columns_ == ["x1"]
    assert (model.predict(X) == model.predict(X.tolist())).all()


def test_lists_of_texts():
    said = ["win cash now" if v == "yes" else "bring bread now" for v in Y]
    view = WordView.of(said, "text")
    words = np.flatnonzero([t in ("cash", "bread") for t in view.names])
    model = TableModel(view.pipeline(NaiveBayes(verbose=False), words, "counts")).fit(said, Y)
    assert (model.predict(said) == Y).all()
    assert (model.predict(np.array(said)) == Y).all()
    assert (model.predict(pd.DataFrame({"id": range(N), "text": said})) == Y).all()


def test_sparse_matrices():
    X = sparse.csr_array(np.column_stack([np.zeros(N), Y == "yes", RNG.poisson(1, N)]).astype(float))
    view = SparseView(X, ["a", "b", "c"])
    learner = LogisticRegression(0.01, penalty="l2", verbose=False)
    model = TableModel(view.pipeline(learner, np.array([1]), "scaled")).fit(X, Y)
    assert model.support_.tolist() == [False, True, False]
    assert model.get_support(indices=True).tolist() == [1]
    assert (model.predict(X) == Y).all()
    assert (model.predict(sparse.csc_matrix(X)) == Y).all()


def test_nothing_before_fit():
    model = TableModel(Pipeline([("model", NaiveBayes())]))
    for call in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="not fitted"):
            call(FRAME)
