"""Models as SQL and as Python source: the same predictions as `predict`, in DuckDB, in SQLite and in plain Python."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache

import numpy as np
import pandas as pd
import pytest
from engines import NEAR, check, in_duckdb, in_python, in_sqlite, plain_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Blend,
    DecisionTree,
    Discretizer,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySearch,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    InformationRanking,
    KernelRidge,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    SemiSupervisedNaiveBayes,
    Stump,
    WordPresence,
    to_python,
    to_sql,
)
from vitalfew.export import sql
from vitalfew.export.formula import Writer
from vitalfew.export.model_file import dump, parse

duckdb = pytest.importorskip("duckdb")


@cache
def mixed(n=400, seed=0):
    """Numbers, categories and flags with gaps; and rows with values that training does not have."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age; DROP TABLE data": rng.normal(40, 10, n).round(2),
            'color "x"': rng.choice(["red", "green", "it's", "blau\n", "日本", ""], n),
            "count": rng.integers(0, 6, n),
            "is_new": rng.random(n) < 0.5,
            "wide": rng.integers(0, 100, n) * 1.0,
            "half": rng.choice([0.1, 0.25, 1.0], n),
        }
    )
    score = 0.08 * (frame.iloc[:, 0] - 40) + (frame.iloc[:, 1] == "red") + 0.4 * frame["count"] - frame["is_new"]
    score += np.where(frame["half"] == 0.1, 1.0, 0.0)
    y = np.array(["no", "may'be", "yes"])[np.digitize(score + rng.normal(0, 0.5, n), [0.7, 1.6])]
    for name in (frame.columns[0], frame.columns[1], "wide", "half"):
        frame.loc[rng.random(n) < 0.15, name] = None if name == frame.columns[1] else np.nan
    strange = frame[:60].copy()
    strange.loc[:20, 'color "x"'] = "never seen"
    strange.loc[10:30, "count"] = 77
    strange.loc[10:30, "half"] = 0.3
    strange.loc[30:35, [strange.columns[0], "wide", "half"]] = np.nan
    strange.loc[30:35, 'color "x"'] = None
    return frame, y, pd.concat([frame, strange], ignore_index=True)


def prepared(unknown="ignore"):
    frame = mixed()[0]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), [frame.columns[0], "wide"]),
            ("names", OneHotEncoder(handle_unknown=unknown), ['color "x"', "count"]),
            ("flags", "passthrough", ["is_new"]),
        ]
    )


DISCRETE = [
    NaiveBayes(),
    NaiveBayes(features="mdl"),
    NaiveBayes(numeric="quantile", prior_strength=0),
    NaiveBayes(numeric="distinct"),
    SemiSupervisedNaiveBayes(),
    Stump(),
    AdaBoost(30),
    AdaBoost(20, multiclass="samme"),
    AdaBoost(10, loss="logistic"),
    AdaBoost(10, votes="confidence", categorical_features=["count"]),
    DecisionTree(),
    DecisionTree(mdl_weight=None, categorical_features=["count", "half"]),
]


@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.DiscretizationWarning")
@pytest.mark.parametrize("model", DISCRETE, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_tables_with_gaps_and_values_never_seen(model, n_classes):
    X, y, rows = mixed()
    check(model.fit(X, y if n_classes == 3 else y == "yes"), X, rows)


CLASSIFIERS = [
    LogisticRegression(0.01),
    BestSubsetClassifier(2),
    GreedySubsetClassifier(2),
    ForwardFittingClassifier(3),
    NaiveBayes(),
    Stump(),
    AdaBoost(20),
    DecisionTree(mdl_weight=None),
    GreedySearch(LogisticRegression(0.01, penalty="l2"), 2, cv=3),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("data", [load_iris, load_wine, load_breast_cancer], ids=lambda f: f.__name__)
def test_classes_of_data_that_scikit_learn_has(model, data):
    if isinstance(model, BestSubsetClassifier) and data is load_breast_cancer:
        pytest.skip("a search of minutes")
    X, y = data(return_X_y=True, as_frame=True)
    X = X.iloc[:, :8]
    labels = np.array(data().target_names, dtype=object)[y]
    check(model.fit(X, labels), X)


REGRESSORS = [
    Lasso(0.5),
    Ridge(),
    Ridge(0.0, fit_intercept=False),
    BestSubsetRegressor(3),
    GreedySubsetRegressor(3),
    ForwardFittingRegressor(5),
    GreedySearch(Ridge(1.0), 2, cv=3),
    make_pipeline(StandardScaler(), Lasso(0.5)),
    make_pipeline(MinMaxScaler(), GreedySubsetRegressor(2)),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: repr(m)[:50])
def test_numbers(model):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    check(model.fit(X, y), X)


@pytest.mark.parametrize("model", [LogisticRegression(0.01), NaiveBayes(), AdaBoost(10), DecisionTree()], ids=repr)
def test_pipelines(model):
    X, y, rows = mixed()
    check(make_pipeline(prepared(), model).fit(X, y), X, rows)


def test_other_steps():
    X, y = load_wine(return_X_y=True, as_frame=True)
    check(make_pipeline(Discretizer("quantile"), NaiveBayes()).fit(X, y), X)
    check(make_pipeline(InformationRanking(3), LogisticRegression(0.1)).fit(X, y), X)
    check(make_pipeline("passthrough", Lasso(0.01), Stump()).fit(X, y), X)
    mixture = ColumnTransformer(
        [("a", StandardScaler(), slice(0, 2)), ("b", "drop", [3]), ("c", MinMaxScaler(), ["hue"])],
        remainder="passthrough",
        transformer_weights={"a": 0.5},
    )
    check(make_pipeline(mixture, LogisticRegression(0.01)).fit(X, y), X)
    X, y, rows = mixed()
    numbers = [X.columns[0], "wide", "half"]
    check(make_pipeline(StandardScaler(), DecisionTree()).fit(X[numbers], y), X[numbers], rows[numbers])
    check(make_pipeline(MinMaxScaler(), NaiveBayes()).fit(X[numbers], y), X[numbers], rows[numbers])
    filled = ColumnTransformer(
        [("a", make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(drop="first")), ['color "x"'])]
    )
    X = X.assign(**{'color "x"': X['color "x"'].where(X['color "x"'].notna(), np.nan)})  # None is not imputed
    check(make_pipeline(filled, LogisticRegression(0.001)).fit(X, y), X)


@pytest.mark.parametrize(
    "model",
    [
        Lasso(0.1),
        Ridge(1.0),
        GreedySubsetRegressor(3),
        BestSubsetRegressor(3),
        ForwardFittingRegressor(9),
        GreedySearch(Ridge(1.0), 3, cv=3),
        make_pipeline(Discretizer("quantile"), Lasso(0.01)),
    ],
    ids=lambda m: type(m).__name__,
)
def test_tables_in_models_on_numbers(model):
    X, y, rows = mixed()
    if "pipeline" in type(model).__module__:
        X, rows = X[["wide", "half"]], rows[["wide", "half"]]
    check(model.fit(X, y == "yes"), X, rows)


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(0.01), LogisticRegression(0.1, penalty="l2"), GreedySubsetClassifier(3)],
    ids=repr,
)
def test_tables_in_classifiers_on_numbers(model):
    X, y, rows = mixed()
    check(model.fit(X, y), X, rows)


def test_missing_numbers_that_training_did_not_have():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    rows = X[:9].copy()
    rows.loc[1, "bmi"] = rows.loc[2, "s5"] = np.nan
    model = Lasso(0.5).fit(X, y)
    check(model, rows)
    assert model.predict(rows)[1] == pytest.approx(model.predict(rows.fillna(X.mean()))[1])


def test_values_that_predict_refuses_have_no_prediction():
    X, y = load_diabetes(return_X_y=True)
    rows = pd.DataFrame(X[:3], columns=[f"x{j}" for j in range(10)])
    X, model = sparse.csr_array(X), Lasso(0.5)
    rows.loc[1, "x2"] = np.nan
    model.fit(X, y)  # zeros, not missing values, are what a sparse matrix leaves out
    for found in (in_duckdb(to_sql(model), rows), in_sqlite(to_sql(model, dialect="sqlite"), rows)):
        assert [line[0] is None for line in found] == [False, True, False]
    with pytest.raises(ValueError, match="column 'x2' is missing, but this model requires a value"):
        in_python(model, rows)
    for classes in (y > 150, np.digitize(y, [100, 200])):
        model = LogisticRegression(0.01, penalty="l2").fit(X, classes)
        for found in (in_duckdb(to_sql(model), rows), in_sqlite(to_sql(model, dialect="sqlite"), rows)):
            assert [v is None for v in found[1]] == [True] * len(found[1])
            assert None not in found[0]
    X, y, rows = mixed()
    model = make_pipeline(prepared("error"), LogisticRegression(0.01)).fit(X, y)
    check(model, X)
    unseen = (rows['color "x"'] == "never seen") | (rows["count"] == 77)
    found = in_duckdb(to_sql(model), rows)
    assert [line[0] is None for line in found] == unseen.tolist()


def test_arrays_without_names_and_sparse_words():
    X, y = load_digits(return_X_y=True)
    named = pd.DataFrame(X, columns=[f"x{j}" for j in range(64)])
    for model in (LogisticRegression(0.01), NaiveBayes(), AdaBoost(10), DecisionTree()):
        fitted = model.fit(X[:600], y[:600])
        found = in_duckdb(to_sql(fitted), named[:200])
        np.testing.assert_allclose(np.array([line[1:] for line in found]), fitted.predict_proba(X[:200]), atol=NEAR)
    matrix = WordPresence().fit_transform(["the cat", "the dog", "a dog and a cat", "owl"] * 5)
    labels = np.arange(20) % 3
    rows = pd.DataFrame(matrix.toarray() * 2, columns=[f"x{j}" for j in range(matrix.shape[1])])
    for model in (NaiveBayes(), Stump(), AdaBoost(5), LogisticRegression(0.01)):
        fitted = model.fit(matrix, labels)
        for found in (in_duckdb(to_sql(fitted), rows / 2), in_python(fitted, rows / 2)):
            np.testing.assert_allclose(np.array([line[1:] for line in found]), fitted.predict_proba(matrix), atol=NEAR)


def test_many_columns_and_deep_trees():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 1200)), columns=[f"c{j}" for j in range(1200)])
    y = X.iloc[:, 0] * 2 + rng.normal(size=30)
    check(Ridge(1.0).fit(X, y), X, engines=("sqlite", "python"))
    check(NaiveBayes(numeric="uniform").fit(X.iloc[:, :150], y > 0), X.iloc[:, :150])
    chain = pd.DataFrame({"x": np.arange(120.0), "y": np.arange(120) % 3})
    model = DecisionTree(mdl_weight=None, min_leaf=1).fit(chain, np.arange(120) % 2)
    assert model.tree_.depth > 20
    check(model, chain, chain.mask(chain == 2))


def test_trees_that_databases_do_not_take(monkeypatch):
    model = DecisionTree().fit(*load_iris(return_X_y=True, as_frame=True))
    monkeypatch.setattr(sql, "MOST_COLUMNS", 3)
    with pytest.raises(ValueError, match="columns, but sqlite supports 3; prune the tree"):
        to_sql(model, dialect="sqlite")


@pytest.mark.parametrize("labels", [[0, 1], [-5, 2**40], [True, False], ["a", "b'\\n"], ["ü", "\0"]])
def test_labels_keep_their_type(labels):
    X = pd.DataFrame({"x": np.arange(20.0)})
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[(np.arange(20) > 8).astype(int)]
    model = Stump().fit(X, y)
    for found in (in_duckdb(to_sql(model), X), in_sqlite(to_sql(model, dialect="sqlite"), X), in_python(model, X)):
        assert [line[0] for line in found] == model.predict(X).tolist()
    assert type(in_duckdb(to_sql(model), X)[0][0]) is type(model.classes_.tolist()[0])


ANY_NAME = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
EVIL = st.sampled_from(
    ['"', "'", '";--', "'); DROP TABLE data; --", "x0", "s0", "k0", "*", "\\", "%s", "{x}", "😀", "\n"]
)


@settings(max_examples=12)
@given(
    st.one_of(ANY_NAME, EVIL), st.one_of(ANY_NAME, EVIL), st.lists(st.one_of(ANY_NAME, EVIL), min_size=2, unique=True)
)
def test_hostile_names_and_values(name, table, values):
    rows = [values[i % len(values)] for i in range(12)]
    X = pd.DataFrame({name: rows, "other" + name: np.arange(12.0)})
    y = np.array([values[0] if r == values[0] else "?" + values[1] for r in rows], dtype=object)
    for model in (NaiveBayes(), DecisionTree(mdl_weight=None), AdaBoost(2)):
        check(model.fit(X, y), X, name=table)
    found = in_duckdb(to_sql(model, table=table, keep=[name]), X, table)
    assert [line[0] for line in found] == rows


def test_zero_characters():
    X = pd.DataFrame({"x": ["a\0b", "a", "a\0"] * 6, "n": np.arange(18.0)})
    y = np.arange(18) % 3
    check(NaiveBayes().fit(X, y), X)
    with pytest.raises(ValueError, match="is not a valid name"):
        to_sql(NaiveBayes().fit(X.rename(columns={"x": "x\0"}), y))
    assert "a\0" not in to_sql(NaiveBayes().fit(X, y), dialect="postgres")


def test_collations_and_types_of_columns_do_not_matter():
    X = pd.DataFrame({"x": ["a", "A"] * 10})
    model = NaiveBayes().fit(X, np.arange(20) % 2)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (x TEXT COLLATE NOCASE)")
        connection.executemany("INSERT INTO data VALUES (?)", [["a"], ["A"], ["5"], [None]])
        assert [r[0] for r in connection.execute(to_sql(model, dialect="sqlite"))][:2] == [0, 1]
    X = pd.DataFrame({"n": [1.5, 2.5] * 10})
    model = Stump().fit(X, np.arange(20) % 2)
    with closing(duckdb.connect()) as connection:
        connection.execute("CREATE TABLE data AS SELECT * FROM (VALUES (1.5::DECIMAL(9, 3)), (2.5), (NULL)) v(n)")
        assert [r[0] for r in connection.execute(to_sql(model)).fetchall()][:2] == [0, 1]


def test_a_column_that_is_not_there_is_an_error():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = LogisticRegression(0.01).fit(X, y)
    other = X.rename(columns={X.columns[2]: "else"})
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(to_sql(model, dialect="sqlite"), other)
    with pytest.raises(duckdb.Error, match="does not have a column"):
        in_duckdb(to_sql(model), other)
    with pytest.raises(KeyError, match="petal length"):
        in_python(model, other)


def test_choices():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = NaiveBayes().fit(X, y)
    keyed = X.assign(id=range(len(X)))
    found = in_duckdb(to_sql(model, keep=["id"], output="prediction"), keyed)
    assert [line[0] for line in found] == list(range(len(X)))
    assert [line[1] for line in found] == model.predict(X).tolist()
    assert 'FROM "main"."data" AS t' in to_sql(model, table=("main", "data"))
    assert "double precision" in to_sql(model, dialect="postgres")
    assert "exp(" not in to_sql(model, dialect="sqlite", output="prediction")
    with pytest.raises(ValueError, match="dialect must be one of"):
        to_sql(model, dialect="oracle")
    with pytest.raises(ValueError, match="output must be one of"):
        to_sql(model, output="everything")
    with pytest.raises(TypeError, match=r"pass \['id'\]"):
        to_sql(model, keep="id")


def test_refusals():
    X, y = load_iris(return_X_y=True, as_frame=True)
    with pytest.raises(NotFittedError):
        to_sql(Lasso())
    blend = Blend([("tree", DecisionTree())], weights=[1])
    for model in (KernelRidge(1.0), Bagging(rounds=2), AdaBoost(2, estimator="tree"), blend):
        with pytest.raises(
            ValueError, match=rf"{type(model).__name__} cannot be exported .*supported are Lasso, Ridge"
        ):
            to_sql(model.fit(X[:50:5], (y == 0)[:50:5]) if isinstance(model, KernelRidge) else model.fit(X, y))
    for step in (FunctionTransformer(np.log1p), MinMaxScaler(clip=True), SimpleImputer(add_indicator=True)):
        model = make_pipeline(step, LogisticRegression(0.01)).fit(X[40:60], np.arange(20) % 2)
        with pytest.raises(ValueError, match="formula"):
            to_python(model)
    for name in ("1x", "def", "probabilities", "_x", "a b"):
        with pytest.raises(ValueError, match="valid function name"):
            to_python(Stump().fit(X, y), name=name)


def test_the_source_runs_alone(tmp_path):
    X, y, _ = mixed()
    model = make_pipeline(prepared(), LogisticRegression(0.01)).fit(X, y)
    path = tmp_path / "model.py"
    path.write_text(to_python(model, name="decide"), encoding="utf-8")
    row = dict(zip(X.columns, plain_rows(X[:1])[0]))
    code = f"import sys, model; print(model.decide({row!r})); assert not {{'numpy', 'vitalfew'}} & set(sys.modules)"
    found = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == model.predict(X[:1])[0]


def test_loaded_models_write_the_same():
    X, y, _ = mixed()
    for model in (*DISCRETE[:1], *DISCRETE[4:6], *DISCRETE[-2:], make_pipeline(prepared(), LogisticRegression(0.01))):
        loaded = parse(dump(model.fit(X, y)).encode())
        assert to_sql(loaded) == to_sql(model)
        assert to_python(loaded) == to_python(model)


def test_a_writer_that_lacks_a_node_cannot_be_defined():
    with pytest.raises(TypeError, match="Half does not implement Column, Number"):

        class Half(Writer):
            def _sum(self, node):
                return ""
