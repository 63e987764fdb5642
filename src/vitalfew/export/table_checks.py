"""Consistency checks of models that read tables and of the transformers that select their columns."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier

from vitalfew.data.tables.column_kinds import USED
from vitalfew.export.checks import are_in, classes
from vitalfew.export.record import real, require, whole


def columns(model) -> None:
    kinds = model.kinds
    require(
        isinstance(kinds, dict) and all(isinstance(n, str) for n in kinds), "kinds is not a dictionary of column names"
    )
    require(all(kind in USED for kind in kinds.values()), "a column is of an unknown kind")
    require(list(model.feature_names_in_) == list(kinds), "the columns do not match kinds")
    require(model.n_features_in_ == len(kinds), "the columns do not match kinds")
    require(all(kinds.get(name) == "text" for name in model.words_), "words belong to a column that is not text")


def matrix_columns(model) -> None:
    fits = all(map(whole.test, model.columns)) and are_in(model.columns, model.n_features_in_)
    require(fits, "columns do not match the number of columns")


def table_model(model) -> None:
    require(len(model.support_) == model.n_features_in_, "support_ must have one entry per column")
    require(real.test(model.exponent) and 0 < model.exponent < np.inf, "exponent is not a positive number")
    require(is_classifier(model.pipeline_) == hasattr(model, "classes_"), "classes_ does not match the pipeline")
    if hasattr(model, "classes_"):
        classes(model)
        require(model.classes_.tolist() == model.pipeline_.classes_.tolist(), "classes_ does not match the pipeline")
