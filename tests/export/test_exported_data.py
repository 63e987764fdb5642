"""Exported models on real data, a few rows of each kind; `benchmarks/export_check.py` does the same on all of it."""

import numpy as np
import pandas as pd
import pytest
from engines import NEAR, POSTGRES, check, in_postgres
from real_data import SHARED, measured
from sklearn.datasets import load_iris

from vitalfew import AdaBoost, DecisionTree, Lasso, LogisticRegression, NaiveBayes, Ridge, Stump, to_sql

pytest.importorskip("duckdb")

FEW = [
    *("uci/adult.csv.gz", "uci/zoo.csv", "uci/hypothyroid.csv.gz", "uci/letter-recognition.csv.gz"),
    *("wide/hitters.csv", "wide/colon_alon.npz", "text/sms_spam.csv.gz", "text/trec.csv.gz"),
]


@pytest.fixture
def server(postgres):
    POSTGRES["address"] = postgres


@pytest.mark.skipif(not SHARED.exists(), reason="the data sets are not beside the repository")
@pytest.mark.parametrize("path", FEW)
def test_real_data(path):
    lines = list(measured(SHARED / path, ("duckdb", "sqlite", "python"), 120))
    assert len(lines) >= 2
    for line in lines:
        assert max(line[engine] for engine in ("duckdb", "sqlite", "python") if engine in line) <= NEAR, line
        assert line["wrong"] == 0, line


@pytest.mark.skipif(not SHARED.exists(), reason="the data sets are not beside the repository")
@pytest.mark.parametrize("path", ["uci/zoo.csv", "wide/hitters.csv"])
@pytest.mark.usefixtures("server")
def test_real_data_in_postgres(path):
    for line in measured(SHARED / path, ("postgres",), 120):
        assert line["postgres"] <= NEAR, line
        assert line["wrong"] == 0, line


MIXED = pd.DataFrame(
    {
        "size; DROP TABLE data": [1.5, np.nan, -2.0, 1e300] * 6,
        'color "x"': ["it's", None, "\\n", "日本"] * 6,
        "count": np.arange(24) % 5,
    }
)


@pytest.mark.parametrize("model", [NaiveBayes(), Stump(), AdaBoost(5), DecisionTree(mdl_weight=None)], ids=repr)
@pytest.mark.parametrize("labels", [["no", "y'es\\"], [False, True], [-5, 2**40], ["a", "b", "c"]])
@pytest.mark.usefixtures("server")
def test_gaps_names_and_labels_in_postgres(model, labels):
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[np.arange(24) % 4 % len(labels)]
    model.fit(MIXED, y)
    check(model, MIXED, engines=("postgres",))
    found = in_postgres(to_sql(model, dialect="postgres"), MIXED)
    assert type(found[0][0]) is type(model.classes_.tolist()[0])


@pytest.mark.usefixtures("server")
def test_linear_models_in_postgres():
    X, y = load_iris(return_X_y=True, as_frame=True)
    for model in (Lasso(0.01), Ridge(1.0)):
        check(model.fit(X.iloc[:, :3], X.iloc[:, 3]), X.iloc[:, :3], engines=("postgres",))
    model = LogisticRegression(0.001).fit(X, y)
    check(model, X, engines=("postgres",))
    rows = X.copy()
    rows.loc[1, "petal width (cm)"] = np.nan
    check(model, rows, engines=("postgres",))


def test_models_that_read_more_columns_than_a_table_can_have():
    X = np.random.default_rng(0).normal(size=(20, 2100))
    model = Ridge(1.0).fit(X, X[:, 0])
    assert "x2099" in to_sql(model)
    for dialect in ("sqlite", "postgres"):
        with pytest.raises(ValueError, match=f"2100 columns, but {dialect} supports 1600; prune the tree, select"):
            to_sql(model, dialect=dialect)
