"""Any model learns from a table of numbers, categories, text and gaps."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.model_selection import cross_val_score

from vitalfew import (
    AdaBoost,
    Bagging,
    DecisionTree,
    GreedySearch,
    GreedySubsetClassifier,
    InformationRanking,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    Stump,
)
from vitalfew.data.tables.column_kinds import recognize
from vitalfew.encoding.encoding import chosen_mask, encoded_features, make_encoded, reads_tables

rng = np.random.default_rng(0)
N = 120
Y = rng.integers(0, 2, N)
SAID = np.array([["bad dull film to see", "good fine film to see"][v] for v in Y ^ (rng.random(N) < 0.1)], dtype=object)
SAID = np.array([f"{s} number {i}" for i, s in enumerate(SAID)], dtype=object)
SAID[5] = None
TABLE = pa.table(
    {
        "id": np.arange(N),
        "age": np.where(np.arange(N) % 7 == 0, np.nan, rng.normal(size=N) + 2 * Y),
        "color": pa.array(np.where(np.arange(N) % 5 == 0, None, np.where(rng.random(N) < 0.5, "red", "blue"))),
        "said": pa.array(SAID),
        "const": np.zeros(N),
    }
)
MODELS = [
    NaiveBayes(features="mdl"),
    DecisionTree(),
    AdaBoost(10),
    Stump(),
    LogisticRegression(alpha=0.05),
    GreedySubsetClassifier(1),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("columns", [["age", "color", "said"], ["said"], ["color"], ["id", "const", "age"]])
def test_models_learn_from_tables(model, columns):
    table = TABLE.select(columns)
    fitted = make_encoded(clone(model), recognize(table)).fit(table.to_pandas(), Y)
    predicted = fitted.predict(table.to_pandas())
    assert (predicted == Y).mean() > (0.45 if columns == ["color"] else 0.6)
    names = encoded_features(fitted)
    assert len(names) == fitted.named_steps["model"].n_features_in_
    assert {f.column for f in names} <= set(columns) - {"id", "const"}
    mask = chosen_mask(fitted.named_steps["model"])
    assert mask is not None
    assert len(mask) == len(names)


@pytest.mark.parametrize("model", [Lasso(alpha=0.01), Ridge(alpha=1.0)], ids=lambda m: type(m).__name__)
def test_numeric_targets(model):
    fitted = make_encoded(model, recognize(TABLE)).fit(TABLE.to_pandas(), Y + 0.5)
    assert np.corrcoef(fitted.predict(TABLE.to_pandas()), Y)[0, 1] > 0.8


def test_columns_may_be_in_any_order_and_more():
    """The target column may still be present in prediction."""
    table = TABLE.to_pandas()
    for model in (NaiveBayes(), LogisticRegression(alpha=0.05)):
        fitted = make_encoded(model, recognize(TABLE)).fit(table, Y)
        shuffled = table.assign(target=Y)[["target", "said", "const", "color", "age", "id"]]
        np.testing.assert_array_equal(fitted.predict_proba(shuffled), fitted.predict_proba(table))
        with pytest.raises(ValueError, match="there is no column 'age'"):
            fitted.predict(table.drop(columns="age"))


def test_new_categories_are_nothing_special():
    table = TABLE.to_pandas()
    fitted = make_encoded(LogisticRegression(alpha=0.05), recognize(TABLE)).fit(table, Y)
    assert np.isfinite(fitted.predict_proba(table.assign(color="green"))).all()


def test_features_as_the_model_sees_them():
    fitted = make_encoded(LogisticRegression(alpha=0.05), recognize(TABLE)).fit(TABLE.to_pandas(), Y)
    names = [f.name for f in encoded_features(fitted)]
    assert names[:4] == ["age", "color=blue", "color=red", "color=(missing)"]
    assert "said: good" in names
    inner = fitted[:-1].transform(TABLE.to_pandas())
    assert inner.shape == (N, len(names))
    dense = inner.toarray() if sparse.issparse(inner) else inner
    assert abs(dense[:, 0].mean()) < 1e-12
    np.testing.assert_array_equal(dense[:, 1], TABLE.to_pandas()["color"] == "blue")
    table_names = [f.name for f in encoded_features(make_encoded(NaiveBayes(), recognize(TABLE)).fit(TABLE, Y))]
    assert table_names[:3] == ["age", "color", "said: bad"]


def test_text_alone_keeps_all_its_words():
    table = TABLE.select(["said"]).to_pandas()
    fitted = make_encoded(NaiveBayes(), recognize(table), max_words=2).fit(table, Y)
    assert fitted.named_steps["model"].n_features_in_ > 2


def test_encoding_is_learned_inside_folds():
    table = TABLE.to_pandas()
    model = make_encoded(LogisticRegression(alpha="1se"), recognize(TABLE))
    assert cross_val_score(model, table, Y, cv=3).mean() > 0.7


def test_which_models_read_tables():
    assert all(map(reads_tables, [NaiveBayes(), DecisionTree(), AdaBoost(), Stump(), InformationRanking()]))
    assert reads_tables(Bagging(DecisionTree()))
    assert not any(map(reads_tables, [Lasso(), LogisticRegression(), Ridge(), AdaBoost(estimator=Peer()), Peer()]))
    assert not any(map(reads_tables, [Bagging(LogisticRegression()), GreedySearch(Ridge(1.0))]))


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="no feature columns are left"):
        make_encoded(NaiveBayes(), recognize(TABLE.select(["id", "const"])))


def test_forced_kinds():
    table = pd.DataFrame({"zip": [1, 2, 1, 2, None, 1] * 5, "size": ["1", "2", "3", None, "5", "6"] * 5})
    kinds = {"zip": "category", "size": "numeric"}
    y = [0, 1, 0, 1, 0, 0] * 5
    fitted = make_encoded(LogisticRegression(alpha=0.01), kinds).fit(table, y)
    assert [f.name for f in encoded_features(fitted)] == ["size", "zip=1", "zip=2", "zip=(missing)"]
    assert (fitted.predict(table) == y).all()
    assert (make_encoded(DecisionTree(), kinds).fit(table, y).predict(table) == y).all()
