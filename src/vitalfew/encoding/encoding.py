"""Encoding of tables of numbers, categories and text for any model, unless the model reads tables itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from vitalfew.data.tables.column_kinds import ColumnKind, used_kinds
from vitalfew.data.text.word_presence import WordPresence
from vitalfew.encoding.columns import MIN_ROWS, TableColumns
from vitalfew.families.linear.coded_table import CodedTable

# Words beside other columns take one byte per row each, so their number is limited.
MAX_WORDS = 1000


def reads_tables(model) -> bool:
    """Return True if a model is best fitted to strings, categories and missing values as they are.

    Models on numbers code such columns as numbers by themselves, but they do better in a pipeline that also
    standardizes.

    Examples
    --------
    >>> from vitalfew import DecisionTree, Lasso
    >>> from vitalfew.encoding.encoding import reads_tables
    >>> reads_tables(DecisionTree()), reads_tables(Lasso())
    (True, False)
    """
    tags = get_tags(model).input_tags
    return tags.string and tags.categorical and tags.allow_nan and not _is_on_numbers(model)


def _is_on_numbers(model) -> bool:
    """Return True if a model, or the one inside it, computes with numbers."""
    return isinstance(model, CodedTable) or (hasattr(model, "estimator") and _is_on_numbers(model.estimator))


def make_encoded(
    model: BaseEstimator,
    kinds: Sequence[ColumnKind] | Mapping[str, str],
    *,
    max_words: int = MAX_WORDS,
    max_categories: int | None = None,
) -> Pipeline:
    """Make a pipeline for whole data frames: it selects the columns, encodes them, and fits the model.

    A model that reads tables gets its columns unchanged, and text as columns of words: all words that occur in two rows
    if there is only text, the `max_words` most frequent ones beside other columns. Any other model gets numbers
    (missing values replaced by the median, then standardized), one-hot categories (missing is a category, unseen
    categories are all zero) and words. The steps are ``"columns"``, ``"encode"`` if anything is encoded, and
    ``"model"``.

    Parameters
    ----------
    model : estimator
    kinds : list of ColumnKind, or mapping of column to "numeric", "category" or "text"
        The output of :func:`~vitalfew.data.tables.column_kinds.recognize` for the table without its target. Columns
        that are neither numbers, categories nor text are dropped.
    max_words : int, default 1000
    max_categories : int, optional
        Largest number of one-hot columns of a category; the rarest values of a category with more share the last one.

    Returns
    -------
    Pipeline
        An unfitted pipeline; fit it on data frames.

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew import LogisticRegression
    >>> from vitalfew.data.tables.column_kinds import recognize
    >>> from vitalfew.encoding.encoding import encoded_features, make_encoded
    >>> table = pd.DataFrame({"age": [31, 45, None, 28], "color": ["red", "blue", "red", "blue"]})
    >>> model = make_encoded(LogisticRegression(alpha=0.1), recognize(table)).fit(table, ["a", "b", "a", "b"])
    >>> [f.name for f in encoded_features(model)]
    ['age', 'color=blue', 'color=red']
    >>> model.predict(table)
    array(['a', 'b', 'a', 'b'], dtype='<U1')
    """
    used = dict(kinds) if isinstance(kinds, Mapping) else used_kinds(kinds)
    if not used:
        raise ValueError("no feature columns are left: all columns are empty, constant, dates or identifiers.")
    by_kind = {kind: [n for n, k in used.items() if k == kind] for kind in ("numeric", "category", "text")}
    is_text_only = not by_kind["numeric"] and not by_kind["category"]
    if reads_tables(model) and not is_text_only:
        columns = TableColumns(used, max_words=max_words if by_kind["text"] else None)
        return Pipeline([("columns", columns), ("model", model)])
    encoder = _encoder(by_kind, max_categories)
    return Pipeline([("columns", TableColumns(used)), ("encode", encoder), ("model", standardized_once(model))])


def number_steps() -> list[tuple[str, BaseEstimator]]:
    """Return the steps for numbers of a model that needs them complete and standardized."""
    return [("fill", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", StandardScaler())]


def standardized_once(model: BaseEstimator) -> BaseEstimator:
    """Return the model without its own standardization, for columns that :func:`number_steps` has standardized."""
    return clone(model).set_params(standardize=False) if getattr(model, "standardize", False) else model


def _encoder(by_kind: dict[str, list[str]], max_categories: int | None) -> ColumnTransformer:
    parts = [
        ("numbers", Pipeline(number_steps()), by_kind["numeric"]),
        ("categories", OneHotEncoder(handle_unknown="ignore", max_categories=max_categories), by_kind["category"]),
    ]
    words = [(f"words {i}", WordPresence(min_df=MIN_ROWS), name) for i, name in enumerate(by_kind["text"])]
    return ColumnTransformer([p for p in parts if p[2]] + words)


@dataclass(frozen=True)
class EncodedFeature:
    """A feature of an encoded model, and the table column that it comes from.

    `value` is the category or the word it represents; None if the feature is the column itself.
    """

    name: str
    column: str
    value: object = None


def encoded_features(pipeline: Pipeline) -> list[EncodedFeature]:
    """Return the features of the model of a fitted :func:`make_encoded` pipeline, in its order."""
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
            grouped = getattr(transformer, "infrequent_categories_", [None] * len(names))
            for name, values, rare in zip(names, transformer.categories_, grouped):
                own = values.tolist() if rare is None else [v for v in values.tolist() if v not in set(rare.tolist())]
                found += [EncodedFeature(f"{name}={_shown(v)}", name, v) for v in own]
                if rare is not None:
                    found.append(EncodedFeature(f"{name}: rare values", name))
        else:
            found += [_word(names, w) for w in transformer.get_feature_names_out()]
    return found


def _word(column: str, word: str) -> EncodedFeature:
    return EncodedFeature(f"{column}: {word}", column, word)


def _shown(value) -> str:
    return "(missing)" if value is None or value != value else str(value)


def chosen_mask(model) -> np.ndarray | None:
    """Return a mask of the features that a fitted model uses; None if unknown."""
    support = getattr(model, "support_", None)
    if support is not None and np.asarray(support).dtype == bool:  # those of support vectors are row numbers
        return np.asarray(support)
    if getattr(model, "feature_", None) is not None:
        return np.arange(model.n_features_in_) == model.feature_
    coef = getattr(model, "coef_", None)
    return None if coef is None else (np.atleast_2d(coef) != 0).any(axis=0)
