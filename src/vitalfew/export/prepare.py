"""Conversion of transformers to formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, singledispatch
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from vitalfew.data.coding.discretize import Discretizer
from vitalfew.data.coding.number_coder import NumberCoder
from vitalfew.data.text.word_presence import WordPresence
from vitalfew.encoding.columns import TableColumns
from vitalfew.export.formula import Affine, Column, Expression, Filled, HasWord, Lookup, Number, Required, Step
from vitalfew.support.checks import is_missing

# A feature as a function of how to read it, if it is a column.
Feature = Callable[[str], Expression]


def raw_features(names) -> list[Feature]:
    """Return the columns of a table as features."""
    return [partial(Column, str(name)) for name in names]


def input_names(model) -> list[str]:
    """Return the columns a fitted object reads: their names, or x0, x1, … if it was fitted without names."""
    model = getattr(model, "pipeline_", model)
    if isinstance(model, Pipeline):
        model = next(step for _, step in model.steps if step not in (None, "passthrough"))
        return input_names(model)
    if isinstance(model, WordPresence):  # reads texts, not a table
        return ["x0"]
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(getattr(model, "n_features_in_", 0))] if names is None else list(map(str, names))


def made(expression: Expression) -> Feature:
    """Return a computed feature."""
    return lambda kind: Required(expression) if kind == "needed" else expression


@singledispatch
def prepare(transformer, features: list[Feature]) -> list[Feature]:  # noqa: ARG001
    """Return the output features of a transformer."""
    raise ValueError(
        f"{type(transformer).__name__} cannot be exported as a formula; supported in a pipeline are StandardScaler, "
        "MinMaxScaler, MaxAbsScaler, SimpleImputer, OneHotEncoder, ColumnTransformer, Discretizer, WordPresence and "
        "selectors."
    )


@prepare.register
def _(transformer: Pipeline, features):
    return through([step for _, step in transformer.steps], features)


def through(steps: list[Any], features: list[Feature]) -> list[Feature]:
    """Return the features after these transformers."""
    names: list[str] | None = None
    for step in steps:
        if step in (None, "passthrough"):
            continue
        if isinstance(step, TableColumns) and names is not None:
            features = [features[names.index(name)] for name in step.kinds]
        features = prepare(step, features)
        names = list(map(str, step.get_feature_names_out())) if isinstance(step, TableColumns) else None
    return features


@prepare.register
def _(transformer: ColumnTransformer, features):
    names = input_names(transformer)
    out: list[Feature] = []
    for name, step, columns in transformer.transformers_:
        given = [features[j] for j in places(columns, names)]
        if not given or (isinstance(step, str) and step == "drop"):
            continue
        weight = (transformer.transformer_weights or {}).get(name, 1.0)
        found = given if isinstance(step, str) else prepare(step, given)
        out += found if weight == 1.0 else [made(Affine(f("number"), times=float(weight))) for f in found]
    return out


def coded(coder: NumberCoder | None, features: list[Feature]) -> list[Feature]:
    """Return the features that a model on numbers computes from the columns of a table."""
    if coder is None:
        return features
    out: list[Feature] = []
    for j, feature in enumerate(features):
        levels = coder.levels.get(j)
        if levels is not None:
            out += [partial(_is_level, feature, value) for value in levels.values]
            continue
        out.append(partial(_filled, feature, float(coder.mean[j])))
        if coder.flagged[j]:
            out.append(partial(_is_missing, feature, "number"))
    return out


def _filled(feature: Feature, value: float, _kind: str) -> Expression:
    """Return the number, or its mean where it is missing; a step may reject a value, which is no missing one."""
    x = feature("number")
    return Filled(x, value) if _passes_missing(x) else feature("needed")


def _passes_missing(x: Expression) -> bool:
    """Return True if an expression is missing where a column of the table is."""
    while isinstance(x, Affine):
        x = x.x
    return isinstance(x, Column) or (isinstance(x, Step) and x.missing is None)


def _is_missing(feature: Feature, kind: str, _kind: str) -> Expression:
    return Lookup(feature(kind), (), (), 1.0, 0.0)


def _is_level(feature: Feature, value, _kind: str) -> Expression:
    if value is None:
        return _is_missing(feature, "text", _kind)
    return Lookup(feature("text"), (value,), (1.0,), 0.0, 0.0)


def places(columns, names: list[str]) -> list[int]:
    """Return the positions of columns specified as for a ColumnTransformer."""
    if isinstance(columns, slice):
        start, stop = (names.index(end) if isinstance(end, str) else end for end in (columns.start, columns.stop))
        return list(range(len(names))[start : stop + 1 if isinstance(columns.stop, str) else stop : columns.step])
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    listed = list(columns)
    if listed and isinstance(listed[0], bool | np.bool_):
        return [j for j, is_in in enumerate(listed) if is_in]
    return [names.index(c) if isinstance(c, str) else range(len(names))[c] for c in listed]


@prepare.register
def _(transformer: FunctionTransformer, features):
    if transformer.func is not None:
        raise ValueError("FunctionTransformer cannot be exported as a formula, because its function is arbitrary code.")
    return features


@prepare.register
def _(transformer: StandardScaler, features):
    shift = transformer.mean_ if transformer.with_mean else np.zeros(len(features))
    scale = transformer.scale_ if transformer.with_std else np.ones(len(features))
    return [made(Affine(f("number"), minus=float(m), divide=float(d))) for f, m, d in zip(features, shift, scale)]


@prepare.register
def _(transformer: MinMaxScaler, features):
    if transformer.clip:
        raise ValueError("MinMaxScaler(clip=True) cannot be exported as a formula; use clip=False.")
    pairs = zip(features, transformer.scale_, transformer.min_)
    return [made(Affine(f("number"), times=float(s), plus=float(m))) for f, s, m in pairs]


@prepare.register
def _(transformer: MaxAbsScaler, features):
    return [made(Affine(f("number"), divide=float(s))) for f, s in zip(features, transformer.scale_)]


@prepare.register
def _(transformer: SimpleImputer, features):
    if transformer.add_indicator or not is_missing(transformer.missing_values):
        raise ValueError(
            "SimpleImputer can only be exported as a formula with add_indicator=False and missing_values=nan."
        )
    out = []
    for feature, value in zip(features, transformer.statistics_.tolist()):
        if is_missing(value):  # a column without any value is dropped
            if not transformer.keep_empty_features:
                continue
            value = 0.0 if transformer.strategy != "constant" else transformer.fill_value
        is_text = isinstance(value, str)
        filled = Filled(feature("text" if is_text else "number"), value if is_text else float(value))
        out.append(made(filled))
    return out


@prepare.register
def _(transformer: OneHotEncoder, features):
    grouped = getattr(transformer, "infrequent_categories_", [None] * len(features))
    if any(rare is not None for rare in grouped) and (transformer.drop, transformer.handle_unknown) != (None, "ignore"):
        raise ValueError(
            "OneHotEncoder that groups rare categories can only be exported as a formula with drop=None and "
            "handle_unknown='ignore'."
        )
    out = []
    for j, (feature, categories, rare) in enumerate(zip(features, transformer.categories_, grouped)):
        dropped = None if transformer.drop_idx_ is None else transformer.drop_idx_[j]
        listed, group = categories.tolist(), [] if rare is None else rare.tolist()
        columns = [[c] for at, c in enumerate(listed) if at != dropped and not _is_among(c, group)]
        columns += [group] if group else []
        out += [made(_indicator(feature, listed, own, transformer.handle_unknown)) for own in columns]
    return out


def _is_among(value: Any, group: list[Any]) -> bool:
    return any(value is c or value == c for c in group)


def _indicator(feature: Feature, categories: list[Any], own: list[Any], unknown: str) -> Expression:
    """Return 1 for some categories, 0 for others; missing for unseen ones if they are an error."""
    strange = None if unknown == "error" else 0.0
    known = [c for c in categories if not is_missing(c)]
    x = feature("text" if any(isinstance(c, str) for c in known) else "loose")
    has_missing = len(known) < len(categories)
    missing = float(any(map(is_missing, own))) if has_missing else strange
    keys = known if strange is None else [c for c in known if _is_among(c, own)]
    return Lookup(x, tuple(keys), tuple(float(_is_among(c, own)) for c in keys), missing, strange)


@prepare.register
def _(transformer: Discretizer, features):
    return [
        made(Step(f("number"), tuple(cuts.tolist()), tuple(map(float, range(len(cuts) + 1))), None))
        for f, cuts in zip(features, transformer.cuts_)
    ]


@prepare.register
def _(transformer: SelectorMixin, features):
    return [features[j] for j in transformer.get_support(indices=True)]


def words_of(presence: WordPresence, text: Feature) -> list[Feature]:
    """Return an indicator feature for each word of a vocabulary."""
    if presence.weighting is not None or tuple(presence.ngram_range) != (1, 1):
        raise ValueError(
            "WordPresence with weighting or n-grams cannot be exported as a formula; use "
            "weighting=None and ngram_range=(1, 1)."
        )
    column, stopped = text("words" if presence.lowercase else "cased"), presence._stop_words()
    if not isinstance(column, Column):
        raise ValueError("WordPresence can only be exported as a formula if it reads a column of the table directly.")
    return [
        made(Number(0.0) if word in stopped else HasWord(column, word)) for word in presence.get_feature_names_out()
    ]


@prepare.register
def _(transformer: TableColumns, features):
    if transformer.max_words is None:
        return features
    plain = [f for f, kind in zip(features, transformer.kinds.values()) if kind != "text"]
    feature = dict(zip(transformer.kinds, features))
    return plain + [f for name, words in transformer.words_.items() for f in words_of(words, feature[name])]


@prepare.register
def _(transformer: WordPresence, features):
    return words_of(transformer, features[0])
