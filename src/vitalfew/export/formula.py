"""Formulas of models: the common basis of SQL and Python source.

An expression is a small tree of the nodes below. It handles missing values: a step or a lookup maps them to a value;
any other node with a missing operand is missing itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# How to read a column: a number that may be missing; one that must not be; a number, with text read as missing; text;
# the words of a text, lower-cased or unchanged.
KINDS = ("number", "needed", "loose", "text", "words", "cased")


class Expression:
    """Node of an expression tree."""


@dataclass(frozen=True)
class Column(Expression):
    """Column of the table."""

    name: str
    kind: str


@dataclass(frozen=True)
class Number(Expression):
    value: float


@dataclass(frozen=True)
class Variable(Expression):
    """Result of an earlier stage."""

    name: str


@dataclass(frozen=True)
class Binary(Expression):
    """Binary operation: one of + - * /."""

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
    """Step function: ``values[b]``, where b is the number of cuts below x, or `missing` if x is missing."""

    x: Expression
    cuts: tuple[float, ...]
    values: tuple[float | int | None, ...]
    missing: float | int | None


@dataclass(frozen=True)
class Lookup(Expression):
    """Table lookup: the value of the key equal to x, else `other`; `missing` if x is missing."""

    x: Expression
    keys: tuple[Any, ...]
    values: tuple[float | int | None, ...]
    missing: float | int | None
    other: float | int | None


@dataclass(frozen=True)
class HasWord(Expression):
    """Indicator of a word: 1 if a column of words contains it, else 0; a missing text contains no words."""

    words: Column
    word: str


@dataclass(frozen=True)
class Pick(Expression):
    """Array access: ``values[code]`` for a code that is never missing."""

    code: Expression
    values: tuple[float, ...]


@dataclass(frozen=True)
class Filled(Expression):
    """Imputation: x, or `value` if x is missing."""

    x: Expression
    value: Any


@dataclass(frozen=True)
class Affine(Expression):
    """Affine function (x - minus) / divide * times + plus; missing if x is."""

    x: Expression
    minus: float = 0.0
    divide: float = 1.0
    times: float = 1.0
    plus: float = 0.0


@dataclass(frozen=True)
class Required(Expression):
    """Assertion that x is not missing."""

    x: Expression


@dataclass(frozen=True)
class Known(Expression):
    """Conversion of NaN to a missing value."""

    x: Expression


@dataclass(frozen=True)
class Exponential(Expression):
    """Exponential of x, which is at most 0; x below -700 is replaced by -700."""

    x: Expression


@dataclass(frozen=True)
class Power(Expression):
    """Power of x, which is at least 0; x below `least` is replaced by `least`."""

    x: Expression
    exponent: float
    least: float


@dataclass(frozen=True)
class Sigmoid(Expression):
    """Logistic function 1 / (1 + exp(-x))."""

    x: Expression


@dataclass(frozen=True)
class Largest(Expression):
    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class Best(Expression):
    """Label of the largest score, the first in case of ties; `top` is that score."""

    scores: tuple[Expression, ...]
    top: Expression
    labels: tuple[Any, ...]


@dataclass(frozen=True)
class Sign(Expression):
    """Second label if the score is positive, else the first."""

    score: Expression
    labels: tuple[Any, Any]


class Writer:
    """Base of the classes that write expressions as source code, with one method for each node: ``_sum`` for `Sum`.

    A class without a method for some node cannot be defined.
    """

    def __init_subclass__(cls) -> None:
        missing = [node.__name__ for node in Expression.__subclasses__() if not hasattr(cls, _method(node))]
        if missing:
            raise TypeError(f"{cls.__name__} does not implement {', '.join(missing)}.")

    def write(self, node: Expression) -> str:
        """Return the source code of a node."""
        return getattr(self, _method(type(node)))(node)


def _method(node: type[Expression]) -> str:
    return f"_{node.__name__.lower()}"


@dataclass(frozen=True)
class Formula:
    """Stages of named expressions, each of which may use earlier ones, and the outputs: names and expressions."""

    stages: list[dict[str, Expression]]
    prediction: Expression
    probabilities: dict[Any, Expression]


def total(terms: list[Expression]) -> Expression:
    """Return the sum of some terms."""
    if not terms:
        return Number(0.0)
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def by_cuts(x: Expression, cuts, lines, missing, codes: Codes) -> list[Expression]:
    """Return expressions for the columns of `lines`, which has a line per interval; `missing` is for missing values."""
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
    """Return expressions for the columns of `lines`, which has a line per key; `other` is for all other values."""
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
    """Named codes shared by several expressions."""

    def __init__(self):
        self.stage: dict[str, Expression] = {}

    def add(self, expression: Expression) -> Variable:
        name = f"c{len(self.stage)}"
        self.stage[name] = expression
        return Variable(name)


def plain_labels(classes: np.ndarray) -> tuple:
    """Return the classes as Python values."""
    return tuple(classes.tolist())
