"""Columns with one value where they have any, and columns without any value: every way of reading them agrees."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold, cross_val_score

from vitalfew import (
    AdaBoost,
    Bagging,
    Counts,
    DecisionTree,
    InformationRanking,
    NaiveBayes,
    SemiSupervisedNaiveBayes,
    Stump,
    load,
    mutual_information,
    save,
    summarize,
    to_python,
)
from vitalfew.data.tables.column_kinds import recognize

N = 120
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
HAS = (Y == 1) ^ (RNG.random(N) < 0.1)
COLUMNS = {
    "text": np.where(HAS, "Y", None),
    "small": np.where(HAS, 1.0, np.nan),
    "large": np.where(HAS, 1000.5, np.nan),
    "zero": np.where(HAS, 0.0, np.nan),
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
MODELS = [
    NaiveBayes(),
    NaiveBayes(numeric="distinct"),
    SemiSupervisedNaiveBayes(),
    DecisionTree(),
    Stump(),
    AdaBoost(3),
    AdaBoost(2, estimator="tree"),
    Bagging("tree", 5, random_state=0),
]


def table(name, make=pd.DataFrame):
    values = COLUMNS[name]
    values = [None if v is None or v != v else v for v in values.tolist()] if name == "text" else values
    return make({"x": values, "noise": (np.arange(N) // 2 % 2).astype(float)})


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_use_presence(model, name, library):
    X = table(name, LIBRARIES[library])
    assert model.fit(X, Y).score(X, Y) == pytest.approx(np.mean((Y == 1) == HAS))


@pytest.mark.parametrize("name", COLUMNS)
def test_naive_bayes_counts_present_and_missing(name):
    model = NaiveBayes(prior_strength=0).fit(table(name)[["x"]], Y)
    lines = [[np.sum((has == HAS) & (c == Y)) for c in (0, 1)] for has in (False, True)]
    np.testing.assert_array_equal(model.counts_.table, lines)
    theta = np.array(lines) / N * 2
    joint = np.log(theta[HAS.astype(int)]) + np.log(0.5)
    np.testing.assert_allclose(model.predict_joint_log_proba(table(name)[["x"]]), joint, rtol=1e-12)


@pytest.mark.parametrize("name", COLUMNS)
def test_another_value_later_is_no_evidence(name):
    model = NaiveBayes().fit(table(name)[["x"]], Y)
    other = pd.DataFrame({"x": ["N" if name == "text" else 77.0]})
    np.testing.assert_allclose(model.predict_joint_log_proba(other), np.log([[0.5, 0.5]]))


@pytest.mark.parametrize("name", COLUMNS)
def test_the_ranking_knows_and_the_plain_measure_ignores_missing_values(name):
    X = table(name)
    assert InformationRanking(k=1).fit(X, Y).support_.tolist() == [True, False]
    as_words = np.where(HAS, "present", "missing").tolist()
    found = InformationRanking(k=1).fit(X, Y).scores_[0]
    assert found == pytest.approx(mutual_information(as_words, Y))
    assert mutual_information(X, Y)[0] == 0


@pytest.mark.parametrize("name", COLUMNS)
def test_counts_add_up_and_streams_agree(name):
    X = table(name)
    whole = Counts.from_data(X, Y)
    both = Counts.from_data(X[:50], Y[:50]) + Counts.from_data(X[50:], Y[50:])
    rows = np.flatnonzero(HAS)
    present, absent = (Counts.from_data(X.iloc[r], Y[r]) for r in (rows, np.flatnonzero(~HAS)))
    streamed = summarize(X.assign(y=Y), "y")
    for other in (both, present + absent, absent + present, streamed, Counts.from_json(whole.to_json())):
        assert other.codings == whole.codings
        np.testing.assert_array_equal(other.table, whole.table)
    np.testing.assert_array_equal((whole - present).class_count, absent.class_count)
    np.testing.assert_array_equal(
        NaiveBayes().fit_counts(streamed).predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X)
    )


def test_a_second_value_makes_missing_values_missing_again():
    a = Counts.from_data(pd.DataFrame({"x": ["u", None, "u"]}), [0, 1, 0])
    b = Counts.from_data(pd.DataFrame({"x": ["v", None, "v"]}), [0, 1, 1])
    whole = Counts.from_data(pd.DataFrame({"x": ["u", None, "u", "v", None, "v"]}), [0, 1, 0, 0, 1, 1])
    assert (a + b).codings == whole.codings
    np.testing.assert_array_equal((a + b).table, whole.table)
    rest = whole - b
    assert rest.codings == a.codings
    np.testing.assert_array_equal(rest.table, a.table)


def test_counts_of_folds_keep_the_form_of_the_total():
    X = pd.DataFrame({"rare": ["v"] + ["u", None] * 20, "one": [None] + ["u", None] * 20})
    found = summarize(X.assign(y=np.arange(41) % 2), "y", folds=3)
    for rest, fold in found.splits():  # only one fold has the value v
        assert rest.codings == fold.codings == found.total.codings
        np.testing.assert_array_equal(rest.table + fold.table, found.total.table)


def test_partial_fit_learns_the_second_value():
    X = pd.DataFrame({"x": ["u", None, "u", None, "v", "v"]})
    y = [0, 1, 0, 1, 1, 0]
    model = NaiveBayes().partial_fit(X[:4], y[:4], classes=[0, 1])
    assert model.predict(X[:4]).tolist() == y[:4]
    model.partial_fit(X[4:], y[4:])
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("model", [NaiveBayes(), DecisionTree(), AdaBoost(3)], ids=repr)
def test_files_and_source_code_keep_presence(model, name, tmp_path):
    X = table(name)
    fitted = model.fit(X, Y)
    save(fitted, tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(X), fitted.predict_proba(X))
    space = {}
    exec(to_python(fitted), space)
    other = {"x": "N" if name == "text" else 77.0, "noise": 0.0}
    rows = [{k: None if v is None or v != v else v for k, v in row.items()} for row in X.to_dict("records")] + [other]
    expected = fitted.predict_proba(pd.concat([X, pd.DataFrame([other])], ignore_index=True))
    found = [list(space["probabilities"](row).values()) for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_trees_describe_presence():
    text = DecisionTree().fit(table("text"), Y).export_text()
    assert "x is missing" in text
    assert "x = Y" in text


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)
def test_columns_with_one_value_are_used(make):
    kinds = recognize(make({"unit": ["cm"] * 4, "flag": ["Y", None, "Y", None], "size": [2.0, None, 2.0, 2.0]}))
    assert [(c.name, c.kind) for c in kinds] == [("unit", "constant"), ("flag", "category"), ("size", "category")]


# No value at all


def all_missing_first(make, kind=None):
    """The text begins after the first half of the rows."""
    words = [None] * 60 + ["Y", "Y", "N", "N"] * 15
    if make is pd.DataFrame:
        return pd.DataFrame({"x": pd.Series(words, dtype=kind), "z": HAS.astype(float)})
    return make({"x": words, "z": HAS.astype(float)})


@pytest.mark.parametrize(
    ("make", "kind"),
    [(pl.DataFrame, None), (pd.DataFrame, object), (pd.DataFrame, "string"), (pd.DataFrame, "category")],
)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_cross_validation_with_a_column_that_is_missing_in_a_fold(model, make, kind):
    scores = cross_val_score(model, all_missing_first(make, kind), Y, cv=KFold(2), error_score="raise")
    assert (scores > 0.8).all()


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_column_without_values_accepts_numbers_and_text_later(model):
    X = pd.DataFrame({"x": np.full(N, np.nan), "z": HAS.astype(float)})
    fitted = model.fit(X, Y)
    for later in (["Y"] * N, np.arange(N) / 7, [True] * N, [None] * N):
        np.testing.assert_array_equal(fitted.predict(X.assign(x=later)), fitted.predict(X))


def test_partial_fit_begins_with_missing_values():
    X = all_missing_first(pd.DataFrame, object)
    model = NaiveBayes().partial_fit(X[:60], Y[:60], classes=[0, 1]).partial_fit(X[60:], Y[60:])
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, Y).predict_proba(X))


def test_moments_name_the_missing_value():
    from vitalfew import Moments

    X = pd.DataFrame({"x": pd.Series([None] * 4, dtype="string"), "z": [1.0, 2, 3, 4]})
    with pytest.raises(ValueError, match="contains NaN: column 'x', row 0"):
        Moments.from_data(X, [1.0, 2, 3, 4])
