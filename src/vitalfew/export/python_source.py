"""`to_python`: export of a fitted model as a Python module without dependencies."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field

from vitalfew.export.formula import (
    Affine,
    Best,
    Binary,
    Column,
    Exponential,
    Filled,
    Formula,
    HasWord,
    Known,
    Largest,
    Lookup,
    Number,
    Pick,
    Power,
    Product,
    Required,
    Sigmoid,
    Sign,
    Step,
    Sum,
    Variable,
    Writer,
)
from vitalfew.export.scores import formula_of

# Helper functions that the source may need, by name.
HELPERS = {
    "_number": '''
def _number(value):
    """Return a number, or None if it is missing."""
    return None if value is None or value != value else float(value)
''',
    "_needed": '''
def _needed(value, name):
    """Return a number; raise an error if it is missing."""
    if value is None or value != value:
        raise ValueError("column %r is missing, but this model requires a value" % (name,))
    return float(value)
''',
    "_loose": '''
def _loose(value):
    """Return a number, or None if it is missing or not a number."""
    try:
        return None if value is None or value != value else float(value)
    except ValueError:
        return None
''',
    "_text": '''
def _text(value):
    """Return text, or None if it is missing."""
    return None if value is None or value != value else str(value)
''',
    "_words": '''
def _words(value):
    """Return the lowercase words of a text: two or more letters, digits or underscores."""
    return _cased("" if value is None or value != value else value.lower())
''',
    "_cased": '''
def _cased(value):
    """Return the words of a text."""
    return set(re.findall(r"\\w\\w+", "" if value is None or value != value else value))
''',
    "_sum": """
def _sum(terms):
    total = 0.0
    for term in terms:
        total += term
    return total
""",
    "_step": '''
def _step(x, cuts, values, missing):
    """Return the value of the interval that contains x: cuts[b - 1] < x <= cuts[b]."""
    if x is None:
        return missing
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < x:
            low = middle + 1
        else:
            high = middle
    return values[low]
''',
    "_lookup": """
def _lookup(x, table, missing, other):
    return missing if x is None else table.get(x, other)
""",
    "_filled": """
def _filled(x, value):
    return value if x is None else x
""",
    "_sigmoid": """
def _sigmoid(x):
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    power = math.exp(max(x, -745.0))
    return power / (1.0 + power)
""",
    "_best": '''
def _best(scores, labels):
    """Return the label of the largest score, the first one in case of ties."""
    return labels[max(range(len(scores)), key=scores.__getitem__)]
''',
    "_affine": """
def _affine(x, minus, divide, times, plus):
    return None if x is None else (x - minus) / divide * times + plus
""",
    "_required": """
def _required(x):
    if x is None:
        raise ValueError("a value required by this model is missing")
    return x
""",
}


def to_python(model, *, name: str = "predict") -> str:
    """Write a fitted model as the source of a Python module without dependencies.

    The module has a function that takes a row, as a dictionary from column names to values (None or NaN for missing
    values), and returns the prediction; for classifiers also ``probabilities``, which returns a dictionary from classes
    to probabilities. It imports only ``math``, and ``re`` if the model uses words.

    Parameters
    ----------
    model : estimator
        An estimator supported by :func:`to_sql`.
    name : str, default "predict"
        The name of the function.

    Returns
    -------
    str

    Notes
    -----
    The function raises a ``ValueError`` where `predict` would reject a missing value, as linear models fitted to a
    sparse matrix do, and a ``KeyError`` if a column is not in the row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from vitalfew import DecisionTree, to_python
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> source = to_python(DecisionTree().fit(X, y))
    >>> module = {}
    >>> exec(source, module)
    >>> row = X.iloc[0].to_dict()
    >>> module["predict"](row), module["probabilities"](row)
    (0, {0: 1.0, 1: 0.0, 2: 0.0})
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or name in ("probabilities", "math"):
        raise ValueError(f"name must be a valid function name other than 'probabilities', got {name!r}.")
    formula = formula_of(model)
    return PythonWriter().module(formula, name, type(model).__name__)


@dataclass
class PythonWriter(Writer):
    """Writer of formulas as Python source, which tracks the columns and helpers they use."""

    columns: dict[Column, str] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)

    def module(self, formula: Formula, name: str, model: str) -> str:
        stages = [f"{n} = {self.write(e)}" for stage in formula.stages for n, e in stage.items()]
        labels = list(formula.probabilities)
        shares = [self.write(p) for p in formula.probabilities.values()]
        prediction = self.write(formula.prediction)
        read = [f"{variable} = {self.read(column)}" for column, variable in self.columns.items()]
        body = "\n    ".join([*read, *stages])
        functions = [
            f"def _evaluate(row):\n    {body}\n    return {prediction}, ({''.join(s + ', ' for s in shares)})\n",
            f'def {name}(row):\n    """Return the prediction for a row, a dictionary of column values by name."""\n'
            "    return _evaluate(row)[0]\n",
        ]
        if labels:
            functions.append(
                'def probabilities(row):\n    """Return the probability of each class for a row."""\n'
                f"    return dict(zip({labels!r}, _evaluate(row)[1]))\n"
            )
        modules = "import math\n" + ("import re\n" if "_cased" in self.helpers else "")
        helpers = [text.strip("\n") + "\n" for helper, text in HELPERS.items() if helper in self.helpers]
        head = f'"""A {model}, written by vitalfew.to_python. It requires only Python."""\n\n{modules}'
        return "\n\n".join([head, *helpers, *functions])

    def call(self, helper: str, *arguments: str) -> str:
        self.helpers.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def read(self, column: Column) -> str:
        value = f"row[{column.name!r}]"
        more = [repr(column.name)] if column.kind == "needed" else []
        if column.kind == "words":
            self.helpers.add("_cased")
        return self.call(f"_{column.kind}", value, *more)

    # Expressions

    def _column(self, node: Column) -> str:
        return self.columns.setdefault(node, f"x{len(self.columns)}")

    def _variable(self, node: Variable) -> str:
        return node.name

    def _number(self, node: Number) -> str:
        return repr(node.value)

    def _binary(self, node: Binary) -> str:
        return f"({self.write(node.left)} {node.operator} {self.write(node.right)})"

    def _sum(self, node: Sum) -> str:
        return self.call("_sum", f"({', '.join(map(self.write, node.terms))})")

    def _product(self, node: Product) -> str:
        return " * ".join(map(self.write, node.factors))

    def _step(self, node: Step) -> str:
        return self.call("_step", self.write(node.x), repr(node.cuts), repr(node.values), repr(node.missing))

    def _lookup(self, node: Lookup) -> str:
        table = dict(zip(node.keys, node.values))
        return self.call("_lookup", self.write(node.x), repr(table), repr(node.missing), repr(node.other))

    def _hasword(self, node: HasWord) -> str:
        return f"float({node.word!r} in {self.write(node.words)})"

    def _filled(self, node: Filled) -> str:
        return self.call("_filled", self.write(node.x), repr(node.value))

    def _affine(self, node: Affine) -> str:
        numbers = (node.minus, node.divide, node.times, node.plus)
        return self.call("_affine", self.write(node.x), *map(repr, numbers))

    def _required(self, node: Required) -> str:
        return self.call("_required", self.write(node.x))

    def _known(self, node: Known) -> str:
        return self.write(node.x)

    def _largest(self, node: Largest) -> str:
        return f"max({', '.join(map(self.write, node.terms))},)"

    def _exponential(self, node: Exponential) -> str:
        return f"math.exp(max({self.write(node.x)}, -700.0))"

    def _power(self, node: Power) -> str:
        return f"max({self.write(node.x)}, {node.least!r}) ** {node.exponent!r}"

    def _sigmoid(self, node: Sigmoid) -> str:
        return self.call("_sigmoid", self.write(node.x))

    def _best(self, node: Best) -> str:
        scores = ", ".join(map(self.write, node.scores))
        return self.call("_best", f"({scores},)", repr(node.labels))

    def _sign(self, node: Sign) -> str:
        return f"({node.labels[1]!r} if {self.write(node.score)} > 0 else {node.labels[0]!r})"

    def _pick(self, node: Pick) -> str:
        return f"{node.values!r}[{self.write(node.code)}]"
