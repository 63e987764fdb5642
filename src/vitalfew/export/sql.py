"""`to_sql`: export of a fitted model as an SQL query."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from vitalfew.export.formula import (
    Affine,
    Best,
    Binary,
    Column,
    Exponential,
    Expression,
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
from vitalfew.export.prepare import input_names
from vitalfew.export.scores import formula_of
from vitalfew.export.sql_names import check_columns, check_outputs, free_prefix
from vitalfew.support.checks import check_choice

DIALECTS = ("duckdb", "sqlite", "postgres")
OUTPUTS = ("probabilities", "prediction")
# Longest sum written from left to right; longer sums are halved, because databases limit the depth of expressions.
MOST_IN_A_ROW = 32
# Maximum number of columns of a query in SQLite and PostgreSQL.
MOST_COLUMNS = 1600


def to_sql(
    model,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    keep: Sequence[str] = (),
    output: str = "probabilities",
) -> str:
    """Write a fitted model as an SQL query that predicts inside the database.

    The query returns a row for each row of the table. A regressor yields the column `prediction`; a classifier also
    ``probability_<class>`` for each class. NULL and NaN are missing values, handled as `predict` does; where `predict`
    would reject a row (a linear model that was fitted to a sparse matrix), the prediction is NULL.

    Parameters
    ----------
    model : estimator
        ``Lasso``, ``Ridge``, ``LogisticRegression``, subset and forward-fitting models, ``NaiveBayes``, ``Stump``,
        ``AdaBoost`` of stumps, ``DecisionTree``, ``GreedySearch`` with one of them; or a ``Pipeline`` of scikit-learn's
        ``ColumnTransformer``, ``SimpleImputer``, ``StandardScaler``, ``MinMaxScaler``, ``OneHotEncoder``, a
        ``Discretizer``, ``WordPresence`` of single words (DuckDB alone) or selectors that ends in one; or a model of a
        :func:`~vitalfew.report` that is made of these.
    dialect : {"duckdb", "sqlite", "postgres"}, default "duckdb"
        SQLite needs version 3.35 or later, with its mathematical functions if probabilities are computed.
    table : str or sequence of str, default "data"
        The table, or its schema and name as two strings. Its columns have the names of the features, or x0, x1, … if
        the model was fitted without names.
    keep : sequence of str
        Columns of the table to put first in the result, such as its key.
    output : {"probabilities", "prediction"}, default "probabilities"
        Whether classifiers also return probabilities.

    Returns
    -------
    str
        One SELECT statement, without a semicolon.

    Notes
    -----
    Names and values are quoted, whatever they contain. Names that the database cannot distinguish are rejected: those
    that differ only in the case of ASCII letters in DuckDB and SQLite, those with the same first 63 bytes in
    PostgreSQL. This applies to the columns that the model was fitted on, and those of the result.

    Numbers are written with all their digits as doubles; sums may differ from those of `predict` in the last digits.
    Columns that are numeric for the model must be numeric in the table: text there is read as missing, and is an error
    in PostgreSQL, as are its booleans. SQLite parses a few decimal numbers in 100,000 with a wrong last digit. Words
    are split as by `WordPresence`, except for letters newer than the Unicode tables of Python; a missing text has
    no words.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from vitalfew import GreedySubsetRegressor, to_sql
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> print(to_sql(GreedySubsetRegressor(2).fit(X, y), table="patients", keep=["id"]))
    WITH vitalfew_0 AS MATERIALIZED (
      SELECT
        t."id" AS k0,
        NULLIF(TRY_CAST(t."bmi" AS DOUBLE), CAST('NaN' AS DOUBLE)) AS x0,
        NULLIF(TRY_CAST(t."s5" AS DOUBLE), CAST('NaN' AS DOUBLE)) AS x1
      FROM "patients" AS t
    ), vitalfew_1 AS MATERIALIZED (
      SELECT
        k0,
        NULLIF((((COALESCE(x0, ...) * 675.0...e0) + (COALESCE(x1, ...) * 614.9...e0)) + 152.1...e0), ...) AS s0
      FROM vitalfew_0
    )
    SELECT
      k0 AS "id",
      s0 AS "prediction"
    FROM vitalfew_1
    """
    check_choice("dialect", dialect, DIALECTS)
    check_choice("output", output, OUTPUTS)
    if isinstance(keep, str):
        raise TypeError(f"keep must be a sequence of column names, got {keep!r}; pass [{keep!r}].")
    formula = formula_of(model)
    parts = [table] if isinstance(table, str) else list(table)
    writer = SqlWriter(dialect)
    written = writer.query(formula, parts, list(keep), output == "probabilities")
    read = {*keep, *(column.name for column in writer.columns)}
    check_columns([*input_names(model), *keep], read, dialect)
    return written


@dataclass
class SqlWriter(Writer):
    """Writer of formulas in an SQL dialect, which tracks the columns they read."""

    dialect: str
    columns: dict[Column, str] = field(default_factory=dict)

    def query(self, formula: Formula, table: list[str], keep: list[str], wants_probabilities: bool) -> str:
        outputs: list[tuple[str, Expression]] = [("prediction", formula.prediction)]
        if wants_probabilities:
            outputs += [(f"probability_{self._shown(k)}", p) for k, p in formula.probabilities.items()]
        check_outputs([*keep, *(name for name, _ in outputs)], self.dialect)
        stages = needed_stages(formula.stages, [expression for _, expression in outputs])
        bodies = [{name: self.write(expression) for name, expression in stage.items()} for stage in stages]
        last = [f"k{i} AS {self.identifier(name)}" for i, name in enumerate(keep)]
        last += [f"{self.write(expression)} AS {self.identifier(name)}" for name, expression in outputs]
        first = {f"k{i}": f"t.{self.identifier(name)}" for i, name in enumerate(keep)}
        first |= {name: self.read(column) for column, name in self.columns.items()}
        sources = [self._select(first or {"zero": "0"}, f"{'.'.join(map(self.identifier, table))} AS t")]
        prefix = free_prefix(table[-1])
        for i, (stage, body) in enumerate(zip(stages, bodies)):
            later = [e for following in stages[i + 1 :] for e in following.values()] + [e for _, e in outputs]
            before = {name: name for name in (*first, *(n for done in stages[:i] for n in done))}
            used = set().union(*map(variables, later)) | {name for name in before if name.startswith("k")}
            carried = {name: name for name in before if name in used and name not in stage}
            sources.append(self._select({**carried, **body}, f"{prefix}{i}"))
        # Without MATERIALIZED, databases substitute expressions for their names and evaluate them repeatedly.
        steps = ", ".join(f"{prefix}{i} AS MATERIALIZED (\n{source}\n)" for i, source in enumerate(sources))
        return f"WITH {steps}\nSELECT\n  " + ",\n  ".join(last) + f"\nFROM {prefix}{len(bodies)}"

    def _select(self, body: dict[str, str], source: str) -> str:
        if len(body) > MOST_COLUMNS and self.dialect != "duckdb":
            raise ValueError(
                f"the query would have {len(body)} columns, but {self.dialect} supports {MOST_COLUMNS}; prune the "
                "tree, select features, or use DuckDB."
            )
        lines = ",\n    ".join(name if name == text else f"{text} AS {name}" for name, text in body.items())
        return f"  SELECT\n    {lines}\n  FROM {source}"

    # Names and values

    def identifier(self, name: str) -> str:
        if "\0" in name or not name:
            raise ValueError(f"{name!r} is not a valid name for a table or column of a database; rename it.")
        return '"' + self._encodable(name).replace('"', '""') + '"'

    def _encodable(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{text!r} is not valid Unicode, so databases cannot store it; rename it.") from None
        return text

    def _shown(self, label: Any) -> str:
        return str(label).replace("\0", "\ufffd").encode(errors="replace").decode()

    def text(self, value: str) -> str:
        """Return a string literal for any text."""
        if "\0" in value:  # cannot occur in a literal
            raw = value.encode().hex()
            if self.dialect == "postgres":
                raise ValueError(f"{value!r} has a character that PostgreSQL cannot store; rename it.")
            return f"decode(unhex('{raw}'))" if self.dialect == "duckdb" else f"CAST(X'{raw}' AS TEXT)"
        quoted = "'" + self._encodable(value).replace("'", "''") + "'"
        # Backslashes are literal, whatever the server's settings are.
        return "E" + quoted.replace("\\", "\\\\") if self.dialect == "postgres" and "\\" in value else quoted

    def number(self, value: float | int | None) -> str:
        """Return a double literal; without an exponent, DuckDB would read a decimal."""
        if value is None:
            return "NULL"
        if type(value) is int:  # a code
            return str(value)
        digits = repr(float(value))
        if self.dialect == "postgres":
            return f"CAST({digits} AS double precision)"
        digits = digits if "e" in digits else digits + "e0"
        return f"({digits})" if digits.startswith("-") else digits

    def label(self, value: Any) -> str:
        """Return the literal of a class label."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            return str(int(value)) if self.dialect == "sqlite" else str(value).upper()
        return str(value) if isinstance(value, int) else self.number(value)

    def read(self, column: Column) -> str:
        """Return a column as a double or as text, NULL if missing."""
        name = f"t.{self.identifier(column.name)}"
        if column.kind in ("words", "cased"):
            return self.words(name, column.kind == "words")
        if column.kind == "text":
            # Appending the empty string removes a collation that may treat different texts as equal.
            return f"CAST({name} AS TEXT) || ''" if self.dialect == "sqlite" else f"CAST({name} AS VARCHAR)"
        if self.dialect == "sqlite":
            return f"CASE WHEN typeof({name}) IN ('integer', 'real') THEN {name} + 0e0 END"
        cast = f"TRY_CAST({name} AS DOUBLE)" if self.dialect == "duckdb" else f"CAST({name} AS double precision)"
        return cast if column.kind == "needed" else self.known(cast)  # for these, the whole score is checked

    def words(self, name: str, in_lower_case: bool) -> str:
        """Return the words of a text as a list."""
        if self.dialect != "duckdb":
            raise ValueError(
                f"splitting text into words is supported in DuckDB and Python, not in {self.dialect}; use one of "
                "these, or fit the model on a table with a column for each word."
            )
        # The only character whose lower case is longer, which DuckDB truncates.
        text = f"lower(replace({name}, '\u0130', 'i\u0307'))" if in_lower_case else name
        return f"regexp_extract_all(COALESCE({text}, ''), '[\\p{{L}}\\p{{N}}_]{{2,}}')"

    def known(self, x: str) -> str:
        """Return x, or NULL if it is NaN, which SQLite does not have."""
        kind = "DOUBLE" if self.dialect == "duckdb" else "double precision"
        return x if self.dialect == "sqlite" else f"NULLIF({x}, CAST('NaN' AS {kind}))"

    # Expressions

    def _column(self, node: Column) -> str:
        return self.columns.setdefault(node, f"x{len(self.columns)}")

    def _variable(self, node: Variable) -> str:
        return node.name

    def _number(self, node: Number) -> str:
        return self.number(node.value)

    def _binary(self, node: Binary) -> str:
        return f"({self.write(node.left)} {node.operator} {self.write(node.right)})"

    def _sum(self, node: Sum) -> str:
        return self.add([self.write(term) for term in node.terms])

    def add(self, terms: list[str]) -> str:
        if len(terms) <= MOST_IN_A_ROW:
            return f"({' + '.join(terms)})"
        half = len(terms) // 2
        return f"({self.add(terms[:half])} + {self.add(terms[half:])})"

    def _product(self, node: Product) -> str:
        return " * ".join(map(self.write, node.factors))

    def _step(self, node: Step) -> str:
        if isinstance(node.x, HasWord):
            return self.either(node.x, *(node.values[bisect_left(node.cuts, value)] for value in (1.0, 0.0)))
        x = self.write(node.x)
        lines = [f"WHEN {x} IS NULL THEN {self.number(node.missing)}"]
        lines += [f"WHEN {x} <= {self.number(c)} THEN {self.number(v)}" for c, v in zip(node.cuts, node.values)]
        return f"CASE {' '.join(lines)} ELSE {self.number(node.values[-1])} END"

    def _lookup(self, node: Lookup) -> str:
        if isinstance(node.x, HasWord):
            table = dict(zip(node.keys, node.values))
            return self.either(node.x, *(table.get(value, node.other) for value in (1.0, 0.0)))
        x = self.write(node.x)
        lines = [f"WHEN {x} IS NULL THEN {self.number(node.missing)}"]
        for value in dict.fromkeys(node.values):
            keys = [self.key(k) for k, v in zip(node.keys, node.values) if v == value]
            kept = [k for k in keys if k is not None]
            if kept:
                test = f"= {kept[0]}" if len(kept) == 1 else f"IN ({', '.join(kept)})"
                lines.append(f"WHEN {x} {test} THEN {self.number(value)}")
        return f"CASE {' '.join(lines)} ELSE {self.number(node.other)} END"

    def _hasword(self, node: HasWord) -> str:
        return self.either(node, 1.0, 0.0)

    def either(self, node: HasWord, there: float | int | None, elsewhere: float | int | None) -> str:
        """Return one value if the word is present, another otherwise: DuckDB plans much faster with fewer tests."""
        if self.dialect == "duckdb" and node.words.kind == "words" and any(sigma in node.word for sigma in "σς"):
            raise ValueError(
                f"DuckDB does not lowercase the sigma of {node.word!r} as Python does; lowercase the texts first "
                "and use WordPresence(lowercase=False)."
            )
        test = f"list_contains({self.write(node.words)}, {self.text(node.word)})"
        return f"CASE WHEN {test} THEN {self.number(there)} ELSE {self.number(elsewhere)} END"

    def _pick(self, node: Pick) -> str:
        code, values = self.write(node.code), [self.number(v) for v in node.values]
        if self.dialect == "duckdb":  # its optimizer is slow on each CASE
            return f"[{', '.join(values)}][{code} + 1]"
        lines = [f"WHEN {i} THEN {v}" for i, v in enumerate(values) if v != values[0]]
        return f"CASE {code} {' '.join(lines)} ELSE {values[0]} END" if lines else values[0]

    def key(self, value: Any) -> str | None:
        """Return the literal a column is compared with; None for text that no column can hold."""
        if not isinstance(value, str):
            return self.number(float(value))
        try:
            return self.text(value)
        except ValueError:
            return None

    def _filled(self, node: Filled) -> str:
        value = self.text(node.value) if isinstance(node.value, str) else self.number(node.value)
        return f"COALESCE({self.write(node.x)}, {value})"

    def _affine(self, node: Affine) -> str:
        steps = (("-", node.minus, 0.0), ("/", node.divide, 1.0), ("*", node.times, 1.0), ("+", node.plus, 0.0))
        text = self.write(node.x)
        for operator, value, nothing in steps:
            text = text if value == nothing else f"({text} {operator} {self.number(value)})"
        return text

    def _required(self, node: Required) -> str:
        return self.write(node.x)

    def _known(self, node: Known) -> str:
        return self.known(self.write(node.x))

    def _largest(self, node: Largest) -> str:
        terms = ", ".join(self.write(term) for term in node.terms)
        return f"{'max' if self.dialect == 'sqlite' else 'greatest'}({terms})"

    def _exponential(self, node: Exponential) -> str:
        x, lowest = self.write(node.x), self.number(-700.0)
        return f"exp(CASE WHEN {x} < {lowest} THEN {lowest} ELSE {x} END)"

    def _power(self, node: Power) -> str:
        x, least = self.write(node.x), self.number(node.least)
        return f"power(CASE WHEN {x} < {least} THEN {least} ELSE {x} END, {self.number(node.exponent)})"

    def _sigmoid(self, node: Sigmoid) -> str:
        x, one = self.write(node.x), self.number(1.0)
        least, most = ("min", "max") if self.dialect == "sqlite" else ("least", "greatest")
        up = f"{one} / ({one} + exp(-{least}({x}, {self.number(700.0)})))"
        power = f"exp({most}({x}, {self.number(-700.0)}))"
        return (
            f"CASE WHEN {x} >= {self.number(0.0)} THEN {up} WHEN {x} IS NOT NULL THEN {power} / ({one} + {power}) END"
        )

    def _best(self, node: Best) -> str:
        scores = [self.write(score) for score in node.scores]
        top = self.write(node.top)
        lines = [f"WHEN {self.add(scores)} IS NULL THEN NULL"]
        lines += [f"WHEN {score} = {top} THEN {self.label(c)}" for score, c in zip(scores, node.labels)]
        return f"CASE {' '.join(lines)} END"

    def _sign(self, node: Sign) -> str:
        score, zero = self.write(node.score), self.number(0.0)
        second, first = self.label(node.labels[1]), self.label(node.labels[0])
        return f"CASE WHEN {score} > {zero} THEN {second} WHEN {score} <= {zero} THEN {first} END"


def needed_stages(stages: list[dict[str, Expression]], outputs: list[Expression]) -> list[dict[str, Expression]]:
    """Return the stages without expressions that no output needs."""
    wanted = set().union(*map(variables, outputs))
    kept: list[dict[str, Expression]] = []
    for stage in reversed(stages):
        used = {name: expression for name, expression in stage.items() if name in wanted}
        for expression in used.values():
            wanted |= variables(expression)
        if used:
            kept.insert(0, used)
    return kept


def variables(node: Any) -> set[str]:
    """Return the variables that an expression uses."""
    if isinstance(node, Variable):
        return {node.name}
    if isinstance(node, tuple):
        return set().union(*map(variables, node))
    if isinstance(node, Expression):
        return set().union(*map(variables, vars(node).values()))
    return set()
