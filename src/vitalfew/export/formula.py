"""Formulas of models: what SQL and Python source are both made from.

An expression is a small tree of the nodes below. Missing values are part of it: a step or a lookup says what becomes of
them, anything else that meets one has no value itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# How a column is read: a number, which may be missing; one that may not; one that is missing if it is text; text; the
# words of a text, lower-cased or as they are.
KINDS = ("number", "needed", "loose", "text", "words", "cased")


class Expression:
    """A node."""


@dataclass(frozen=True)
class Column(Expression):
    """A column of the table."""

    name: str
    kind: str


@dataclass(frozen=True)
class Number(Expression):
    value: float


@dataclass(frozen=True)
class Variable(Expression):
    """What an earlier stage has computed."""

    name: str


@dataclass(frozen=True)
class Binary(Expression):
    """One of + - * / of two."""

    left: Expression
    operator: str
    right: Expression


@dataclass(frozen=True)
class Sum(Expression):
    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class Product(Expression):
    factors: tuple[Expression, ...]


@dataclass(frozen=True)
class Step(Expression):
    """``values[b]``, where b is the number of cuts below x; `missing` where x has no value. None is no value."""

    x: Expression
    cuts: tuple[float, ...]
    values: tuple[float | int | None, ...]
    missing: float | int | None


@dataclass(frozen=True)
class Lookup(Expression):
    """The value of the key that x equals, else `other`; `missing` where x has no value."""

    x: Expression
    keys: tuple[Any, ...]
    values: tuple[float | int | None, ...]
    missing: float | int | None
    other: float | int | None


@dataclass(frozen=True)
class HasWord(Expression):
    """1 where a column of words holds this one, else 0; a text that is missing has none."""

    words: Column
    word: str


@dataclass(frozen=True)
class Pick(Expression):
    """``values[code]`` of a code that is never missing."""

    code: Expression
    values: tuple[float, ...]


@dataclass(frozen=True)
class Filled(Expression):
    """x, or this where it is missing."""

    x: Expression
    value: Any


@dataclass(frozen=True)
class Affine(Expression):
    """(x - minus) / divide * times + plus; missing where x is."""

    x: Expression
    minus: float = 0.0
    divide: float = 1.0
    times: float = 1.0
    plus: float = 0.0


@dataclass(frozen=True)
class Required(Expression):
    """x, which must not be missing."""

    x: Expression


@dataclass(frozen=True)
class Known(Expression):
    """x, which is missing where it is not a number."""

    x: Expression


@dataclass(frozen=True)
class Exponential(Expression):
    """e to the power of x, which is at most 0; powers below -700 are taken for -700."""

    x: Expression


@dataclass(frozen=True)
class Sigmoid(Expression):
    """1 / (1 + exp(-x))."""

    x: Expression


@dataclass(frozen=True)
class Largest(Expression):
    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class Best(Expression):
    """The label of the largest score, the first of equal ones; `top` is that score."""

    scores: tuple[Expression, ...]
    top: Expression
    labels: tuple[Any, ...]


@dataclass(frozen=True)
class Sign(Expression):
    """The second label where the score is positive, else the first."""

    score: Expression
    labels: tuple[Any, Any]


@dataclass(frozen=True)
class Formula:
    """Stages of named expressions, each of which may use those before it, and what comes out: names and expressions."""

    stages: list[dict[str, Expression]]
    prediction: Expression
    probabilities: dict[Any, Expression]


def total(terms: list[Expression]) -> Expression:
    """The sum of some terms."""
    if not terms:
        return Number(0.0)
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def by_cuts(x: Expression, cuts, lines, missing, codes: Codes) -> list[Expression]:
    """Expressions for the columns of `lines`, which has a line for each interval; `missing` is the line without one."""
    kept = [b for b in range(len(cuts)) if (lines[b] != lines[b + 1]).any()]
    lines = [lines[b] for b in (*kept, len(cuts))]
    limits = tuple(float(cuts[b]) for b in kept)
    if not kept and (missing == lines[0]).all():
        return [Number(float(v)) for v in missing]
    if len(missing) == 1:
        return [Step(x, limits, tuple(float(line[0]) for line in lines), float(missing[0]))]
    code = codes.add(Step(x, limits, tuple(range(1, len(lines) + 1)), 0))
    return [Pick(code, tuple(float(line[k]) for line in (missing, *lines))) for k in range(len(missing))]


def by_keys(x: Expression, keys, lines, missing, other, codes: Codes) -> list[Expression]:
    """The same with a line for each key, and one for other values."""
    kept = [(key, line) for key, line in zip(keys, lines) if (line != other).any()]
    if not kept and (missing == other).all():
        return [Number(float(v)) for v in missing]
    taken = tuple(key for key, _ in kept)
    if len(missing) == 1:
        return [Lookup(x, taken, tuple(float(line[0]) for _, line in kept), float(missing[0]), float(other[0]))]
    places = {line.tobytes(): line for _, line in kept}
    place = {raw: i for i, raw in enumerate(places, start=2)}
    code = codes.add(Lookup(x, taken, tuple(place[line.tobytes()] for _, line in kept), 0, 1))
    return [Pick(code, tuple(float(v[k]) for v in (missing, other, *places.values()))) for k in range(len(missing))]


class Codes:
    """Codes that several expressions read, each with a name."""

    def __init__(self):
        self.stage: dict[str, Expression] = {}

    def add(self, expression: Expression) -> Variable:
        name = f"c{len(self.stage)}"
        self.stage[name] = expression
        return Variable(name)


def plain_labels(classes: np.ndarray) -> tuple:
    """Classes as Python has them."""
    return tuple(classes.tolist())
