"""Mistakes that people make: the message says what was received, what was expected, and what to do."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from vitalfew import (
    BestSubsetRegressor,
    DecisionTree,
    GreedySubsetRegressor,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    compare,
    report,
    sealed_split,
    summarize,
)

NUMBERS = load_diabetes(as_frame=True, return_X_y=True)
CLASSES = load_breast_cancer(as_frame=True, return_X_y=True)


@pytest.mark.parametrize("model", [Lasso(0.1), Ridge(), GreedySubsetRegressor(2)])
def test_a_missing_number_names_its_row(model):
    X, y = NUMBERS
    with pytest.raises(ValueError, match=r"Input y contains NaN: row 7 has no value\. Drop such rows"):
        model.fit(X, y.where(np.arange(len(y)) != 7))


@pytest.mark.parametrize("model", [NaiveBayes(), DecisionTree(), LogisticRegression()])
@pytest.mark.parametrize("kind", [float, object])
def test_a_missing_label_names_its_row_and_a_remedy(model, kind):
    X, y = CLASSES
    with pytest.raises(ValueError, match=r"row 7 has no (label|value)\. Drop such rows.* SemiSupervisedNaiveBayes"):
        model.fit(X, y.astype(kind).where(np.arange(len(y)) != 7))


def test_a_sealed_target_has_no_gaps():
    X, y = NUMBERS
    with pytest.raises(ValueError, match="row 0 has no value"):
        sealed_split(X, y.where(np.arange(len(y)) != 0))


@pytest.mark.parametrize("model", [BestSubsetRegressor(k=50), GreedySubsetRegressor(k=50)])
def test_too_many_features_of_a_subset(model):
    with pytest.raises(ValueError, match=r"k=50 exceeds the 10 .* pass a number up to 10, or a rule such as 'bic'"):
        model.fit(*NUMBERS)


def test_too_many_features_of_naive_bayes():
    with pytest.raises(
        ValueError, match=r"features=50 exceeds the 30 .* pass a number up to 30, a rule such as 'mdl', or None"
    ):
        NaiveBayes(features=50).fit(*CLASSES)


def test_a_name_in_place_of_the_target():
    X, y = NUMBERS
    told = re.escape(
        "got the string 'sugar'; to use a column of a data frame, pass X.drop(columns='sugar') and X['sugar']"
    )
    with pytest.raises(ValueError, match=told):
        compare({"lasso": Lasso()}, X.assign(sugar=y), "sugar")
    with pytest.raises(ValueError, match=r"there is no column 'suger'; did you mean 'sugar'\?"):
        report(X.assign(sugar=y), "suger")


def test_a_file_of_nearly_that_name(tmp_path):
    pd.DataFrame({"a": [1, 2]}).to_csv(tmp_path / "people.csv")
    with pytest.raises(
        FileNotFoundError, match=r"the file '.*peple\.csv' does not exist; did you mean '.*people\.csv'\?"
    ):
        summarize(tmp_path / "peple.csv", "a")
    with pytest.raises(FileNotFoundError, match=r"the file '.*other\.parquet' does not exist\.$"):
        summarize(tmp_path / "other.parquet", "a")
    with pytest.raises(FileNotFoundError, match="neither does its directory"):
        summarize(tmp_path / "nowhere" / "people.csv", "a")
