"""Models of a report in files, SQL and Python source: the same predictions and probabilities."""

import json

import numpy as np
import pandas as pd
import pytest
from engines import answers, check
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from small_answers import answers_of, with_few_learners
from vitalfew import AdaBoost, Blend, LogisticRegression, NaiveBayes, Ridge, Stump, load, save, to_python, to_sql
from vitalfew.answers.views import SparseView, TableView
from vitalfew.encoding.columns import TableColumns
from vitalfew.encoding.describe import chosen_features, model_of
from vitalfew.evaluation.table_model import TableModel
from vitalfew.exceptions import ModelFileError, SeparationWarning
from vitalfew.export.model_file import checksum, dump, parse

pytest.importorskip("duckdb")

N = 80
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": np.where(np.arange(N) % 9 == 0, np.nan, RNG.normal(40, 10, N).round(1)),
        "color": np.where(np.arange(N) % 11 == 0, None, RNG.choice(["red", "it's blue"], N)),
        "rest": RNG.normal(size=N).round(2),
        "said": [f"{'win cash' if i % 3 == 0 else 'bring bread'} {['now', 'today'][i % 2]}" for i in range(N)],
    }
)
KINDS = {"age": "numeric", "color": "category", "rest": "numeric"}
SCORE = FRAME["age"].fillna(40) / 10 + (FRAME["color"] == "red") + RNG.normal(size=N)
TWO, THREE = np.where(SCORE > 4.5, "yes", "no"), np.digitize(SCORE, [3.8, 5.2])


def model_for(learner, form, features=(1, 0), kinds=KINDS, exponent=0.4) -> TableModel:
    view = TableView.of(TableColumns(kinds).fit_transform(FRAME[list(kinds)]), kinds)
    return TableModel(view.pipeline(learner, np.array(features), form), exponent)


@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("exponent", [0.4, 1.0, 2.5])
@pytest.mark.parametrize(
    ("learner", "form"),
    [
        (LogisticRegression(0.01, penalty="l2", standardize=False, verbose=False), "linear"),
        (NaiveBayes(verbose=False), "frame"),
        (AdaBoost(20, loss="exponential", verbose=False), "frame"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_classes(learner, form, target, exponent, tmp_path):
    model = model_for(learner, form, exponent=exponent).fit(FRAME, target)
    save(model, tmp_path / "few.json")
    loaded = load(tmp_path / "few.json")
    assert loaded.columns_ == ["age", "color"]
    np.testing.assert_array_equal(loaded.predict_proba(FRAME), model.predict_proba(FRAME))
    assert (loaded.predict(FRAME) == model.predict(FRAME)).all()
    check(loaded, FRAME[["age", "color"]])


def test_sure_probabilities_are_kept_away_from_zero():
    """Of a model that is sure, the smallest probability is at its bound, in SQL too."""
    target = np.where(FRAME["rest"] > 0, "yes", "no")
    model = model_for(LogisticRegression(1e-7, verbose=False), "linear", (2,), exponent=0.8)
    with pytest.warns(SeparationWarning):
        model.fit(FRAME, target)
    assert np.isclose(model.predict_proba(FRAME).min(), 5e-5**0.8, rtol=0.01)
    check(model, FRAME[["rest"]])


def test_a_stump_and_numbers():
    check(model_for(Stump(), "frame").fit(FRAME, TWO), FRAME[["age", "color"]])
    check(model_for(Ridge(0.1, verbose=False), "linear", exponent=1.0).fit(FRAME, SCORE), FRAME[["age", "color"]])


def test_words_beside_other_columns():
    """The second selection of columns is by name."""
    view = TableView.of(TableColumns({**KINDS, "said": "text"}).fit_transform(FRAME), {**KINDS, "said": "text"})
    features = np.array([view.names.index("said: win"), view.names.index("rest")])
    learner = LogisticRegression(0.01, verbose=False)
    model = TableModel(view.pipeline(learner, features, "linear"), 0.7).fit(FRAME, np.arange(N) % 3 == 0)
    assert model.columns_ == ["rest", "said"]
    assert model.predict(FRAME).tolist() == (np.arange(N) % 3 == 0).tolist()
    check(model, FRAME[["rest", "said"]], engines=("duckdb", "python"))


def test_rare_levels_of_a_category():
    levels = [f"it's {i % 400 * (i % 3 > 0)}" for i in range(900)]
    frame = pd.DataFrame({"city": levels, "size": np.arange(900.0)})
    frame.loc[::90, "city"] = None
    view = TableView.of(frame, {"city": "category", "size": "numeric"})
    learner = LogisticRegression(0.001, penalty="l2", verbose=False)
    model = TableModel(view.pipeline(learner, None, "linear"), 0.8)
    model.fit(frame, np.where(np.arange(900) % 400 % 3 == 0, "yes", "no"))
    assert len(chosen_features(model)) == 251
    assert {"city: rare values", "size", "city=it's 0"} <= {line["feature"] for line in chosen_features(model)}
    check(model, frame, rows=pd.concat([frame[:40], pd.DataFrame({"city": ["never seen"], "size": [1.0]})]))


def test_columns_of_a_sparse_matrix():
    X = sparse.csr_array(RNG.poisson(0.5, (N, 4)).astype(float))
    y = np.where(X[:, [2]].toarray()[:, 0] > 0, "yes", "no")
    view = SparseView(X, [f"x{j}" for j in range(4)])
    model = TableModel(view.pipeline(LogisticRegression(0.01, verbose=False), np.array([2, 1]), "scaled"), 0.5)
    model = parse(dump(model.fit(X, y)).encode())
    assert model.columns_ == ["x1", "x2"]
    assert (model.predict(X.toarray()) == y).all()
    rows = pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(4)])
    for engine in ("duckdb", "sqlite", "python"):
        found = [line[1:] for line in answers(engine, model, rows)]
        np.testing.assert_allclose(np.array(found, dtype=float), model.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [RandomForestClassifier(3), HistGradientBoostingClassifier(max_iter=3), SVC(), KNeighborsClassifier()],
    ids=lambda v: type(v).__name__,
)
def test_other_learners_are_named_with_a_remedy(learner):
    form = "linear" if isinstance(learner, SVC | KNeighborsClassifier) else "trees"
    model = model_for(learner, form).fit(FRAME, TWO)
    named = rf"{type(learner).__name__}.* cannot .*joblib or skops.*report\.model_of"
    with pytest.raises(TypeError, match=named):
        dump(model)
    for write in (to_sql, to_python):
        with pytest.raises(ValueError, match=named):
            write(model)


def test_a_description_is_that_of_the_model_inside():
    model = model_for(NaiveBayes(verbose=False), "frame").fit(FRAME, TWO)
    assert isinstance(model_of(model), NaiveBayes)
    assert {line["feature"] for line in chosen_features(model)} == {"age", "color"}
    linear = model_for(LogisticRegression(0.01, verbose=False), "linear").fit(FRAME, TWO)
    assert {line["column"] for line in chosen_features(linear)} == {"age", "color"}


def test_blends():
    members = [("bayes", NaiveBayes(verbose=False)), ("linear", LogisticRegression(0.01, verbose=False))]
    members = [(n, model_for(m, "frame" if n == "bayes" else "linear")) for n, m in members]
    blend = Blend(members, weights=[1, 2], verbose=False)
    model = TableModel(Pipeline([("columns", TableColumns(KINDS)), ("model", blend)])).fit(FRAME, TWO)
    loaded = parse(dump(model).encode())
    np.testing.assert_array_equal(loaded.predict_proba(FRAME), model.predict_proba(FRAME))


@pytest.mark.parametrize("name", ["logistic regression", "Naive Bayes", "boosted stumps"])
def test_the_models_of_a_report(name, monkeypatch):
    with_few_learners(monkeypatch, name)
    answer = answers_of(FRAME[list(KINDS)], TWO)
    for model in (answer.few, answer.fit(answer.choice.frontier[-1].candidate), answer.best):
        loaded = parse(dump(model).encode())
        np.testing.assert_array_equal(loaded.predict_proba(FRAME), model.predict_proba(FRAME))
    check(answer.few, FRAME[answer.few.columns_])


WRONG = {
    "support": lambda d: d["fields"]["support_"].update(shape=[2], values=[True, False]),
    "exponent": lambda d: d["params"].update(exponent=-1.0),
    "text for the exponent": lambda d: d["params"].update(exponent="1"),
    "classes": lambda d: d["fields"]["classes_"].update(values=["no", "si"]),
    "no classes": lambda d: d["fields"].pop("classes_"),
    "no pipeline": lambda d: d["fields"].pop("pipeline_"),
    "unknown": lambda d: d["fields"].update(more=1),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files(case):
    # A list of classes of its own: arrays that are shared are written once.
    model = model_for(NaiveBayes(verbose=False), "frame").fit(FRAME, TWO)
    model.classes_ = model.classes_.copy()
    document = json.loads(dump(model))
    document.pop("checksum")
    WRONG[case](document["model"])
    with pytest.raises(ModelFileError):
        parse(json.dumps({**document, "checksum": checksum(document)}).encode())


@pytest.mark.parametrize("columns", [[1, 4], [-1], ["a"], [0.5]])
def test_wrong_columns_of_a_matrix(columns):
    X = sparse.csr_array(RNG.poisson(0.5, (N, 4)).astype(float))
    pipeline = SparseView(X, list("abcd")).pipeline(LogisticRegression(0.01, verbose=False), np.array([1, 2]), "scaled")
    document = json.loads(dump(TableModel(pipeline).fit(X, TWO)))
    document.pop("checksum")
    steps = document["model"]["fields"]["pipeline_"]["params"]["steps"]
    steps[0]["items"][1]["params"]["columns"] = columns
    with pytest.raises(ModelFileError):
        parse(json.dumps({**document, "checksum": checksum(document)}).encode())
