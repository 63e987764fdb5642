"""Tables of numbers, categories and text for any model: as they are where it can read them, encoded where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from vitalfew.data.tables.column_kinds import ColumnKind, used_kinds
from vitalfew.data.text.word_presence import WordPresence
from vitalfew.encoding.columns import MIN_ROWS, TableColumns
from vitalfew.families.bayes.information_ranking import InformationRanking
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.ensembles.adaboost import AdaBoost
from vitalfew.families.ensembles.bagging import Bagging
from vitalfew.families.trees.decision_tree import DecisionTree
from vitalfew.families.trees.stump import Stump

# Words beside other columns are stored one byte a row each, so they cannot be as many as there are.
MAX_WORDS = 1000


def reads_tables(model) -> bool:
    """Whether a model takes strings, categories and missing values as they are.

    Examples
    --------
    >>> from vitalfew import DecisionTree, Lasso
    >>> from vitalfew.encoding.encoding import reads_tables
    >>> reads_tables(DecisionTree()), reads_tables(Lasso())
    (True, False)
    """
    if isinstance(model, AdaBoost):
        return isinstance(model.estimator, str | DecisionTree | Stump)
    if isinstance(model, Bagging):
        return model.estimator is not None and not isinstance(model.estimator, str) and reads_tables(model.estimator)
    return isinstance(model, NaiveBayes | DecisionTree | Stump | InformationRanking)


def make_encoded(
    model: BaseEstimator, kinds: Sequence[ColumnKind] | Mapping[str, str], *, max_words: int = MAX_WORDS
) -> Pipeline:
    """A pipeline that takes a whole data frame: it picks the columns to learn from, encodes them, and fits the model.

    A model that reads tables gets its columns as they are, and text as columns of words: all words that two rows have
    if there is nothing but text, the `max_words` of most rows beside other columns. Any other model gets numbers
    (the median where one is missing, then mean 0 and variance 1), categories one-hot (missing is one, a new one is
    none) and words. The steps are ``"columns"``, ``"encode"`` where something is encoded, and ``"model"``.

    Parameters
    ----------
    model : estimator
    kinds : list of ColumnKind, or mapping of column to "numeric", "category" or "text"
        The answer of :func:`~vitalfew.data.tables.column_kinds.recognise` for the table without its target. Columns
        that are neither numbers, categories nor text are left out.
    max_words : int, default 1000

    Returns
    -------
    Pipeline
        Not fitted; fit it on data frames.

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew import LogisticRegression
    >>> from vitalfew.data.tables.column_kinds import recognise
    >>> from vitalfew.encoding.encoding import encoded_features, make_encoded
    >>> table = pd.DataFrame({"age": [31, 45, None, 28], "colour": ["red", "blue", "red", "blue"]})
    >>> model = make_encoded(LogisticRegression(alpha=0.1), recognise(table)).fit(table, ["a", "b", "a", "b"])
    >>> [f.name for f in encoded_features(model)]
    ['age', 'colour=blue', 'colour=red']
    >>> model.predict(table)
    array(['a', 'b', 'a', 'b'], dtype='<U1')
    """
    used = dict(kinds) if isinstance(kinds, Mapping) else used_kinds(kinds)
    if not used:
        raise ValueError("no column is left to learn from: all are empty, constant, dates or identifiers.")
    by_kind = {kind: [n for n, k in used.items() if k == kind] for kind in ("numeric", "category", "text")}
    is_text_only = not by_kind["numeric"] and not by_kind["category"]
    if reads_tables(model) and not is_text_only:
        columns = TableColumns(used, max_words=max_words if by_kind["text"] else None)
        return Pipeline([("columns", columns), ("model", model)])
    return Pipeline([("columns", TableColumns(used)), ("encode", _encoder(by_kind)), ("model", model)])


def number_steps() -> list[tuple[str, BaseEstimator]]:
    """What numbers go through before a model that needs them complete and of one scale."""
    return [("fill", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", StandardScaler())]


def _encoder(by_kind: dict[str, list[str]]) -> ColumnTransformer:
    parts = [
        ("numbers", Pipeline(number_steps()), by_kind["numeric"]),
        ("categories", OneHotEncoder(handle_unknown="ignore"), by_kind["category"]),
    ]
    words = [(f"words {i}", WordPresence(min_df=MIN_ROWS), name) for i, name in enumerate(by_kind["text"])]
    return ColumnTransformer([p for p in parts if p[2]] + words)


@dataclass(frozen=True)
class EncodedFeature:
    """A feature as a model sees it, and the column of the table that it comes from.

    `value` is the category or the word that it stands for; None where the feature is the column itself.
    """

    name: str
    column: str
    value: object = None


def encoded_features(pipeline: Pipeline) -> list[EncodedFeature]:
    """The features that the model of a fitted pipeline of :func:`make_encoded` sees, in its order."""
    columns: TableColumns = pipeline.named_steps["columns"]
    encoder = pipeline.named_steps.get("encode")
    if encoder is None:
        plain = [EncodedFeature(n, n) for n, k in columns.kinds.items() if k != "text" or columns.max_words is None]
        return plain + [_word(name, w) for name, words in columns.words_.items() for w in words.get_feature_names_out()]
    found: list[EncodedFeature] = []
    for part, transformer, names in encoder.transformers_:
        if part == "numbers":
            found += [EncodedFeature(n, n) for n in names]
        elif part == "categories":
            for name, values in zip(names, transformer.categories_):
                found += [EncodedFeature(f"{name}={_shown(v)}", name, v) for v in values.tolist()]
        else:
            found += [_word(names, w) for w in transformer.get_feature_names_out()]
    return found


def _word(column: str, word: str) -> EncodedFeature:
    return EncodedFeature(f"{column}: {word}", column, word)


def _shown(value) -> str:
    return "(missing)" if value is None or value != value else str(value)


def chosen_mask(model) -> np.ndarray | None:
    """Which of its features a fitted model uses; None if it cannot say."""
    support = getattr(model, "support_", None)
    if support is not None:
        return np.asarray(support, dtype=bool)
    if getattr(model, "feature_", None) is not None:
        return np.arange(model.n_features_in_) == model.feature_
    coef = getattr(model, "coef_", None)
    return None if coef is None else (np.atleast_2d(coef) != 0).any(axis=0)
