"""Counting in the database: it groups by a column and the target, and returns counts instead of rows."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from vitalfew.data.databases.base import SqlSource, quoted, subquery
from vitalfew.data.databases.duckdb import DuckDatabase
from vitalfew.data.sources.protocol import BATCH_ROWS, Source
from vitalfew.summaries.value_counts import ColumnTally

if TYPE_CHECKING:
    import pyarrow as pa


def pushes_down(source: Source, push_down: bool | str, weight: str | None) -> bool:
    """Return True if a database should do the counting.

    "auto" follows the results of benchmarks/cases/pushdown.py: for a million rows of 5 to 100 columns, DuckDB counts in
    about half the time needed to stream the rows. SQLite and PostgreSQL on the same machine take two to three times as
    long, because they scan the complete rows again for each column; over a slow network ``push_down=True`` may still
    pay off. A query would be executed again for each column, so its rows are streamed.
    """
    if weight is not None or not push_down or not isinstance(source, SqlSource):
        return False
    if push_down == "auto":
        return source.place is not None and isinstance(source.database, DuckDatabase)
    return True


def can_group(field: pa.Field) -> bool:
    """Return True unless the column holds fractions, which rarely repeat, so that grouping would save nothing."""
    types = import_module("pyarrow").types
    return not (types.is_floating(field.type) or types.is_decimal(field.type))


def grouped(source: SqlSource, column: ColumnTally, target: str) -> tuple[Iterator[pa.RecordBatch], str]:
    """Return batches of value, label and number of rows of each pair that occurs; and the name of the last column."""
    pa = import_module("pyarrow")
    schema = source.schema()
    number = "rows"
    while number in (column.name, target):
        number += "_"
    fields = [schema.field(column.name), schema.field(target)]
    pair = ", ".join(quoted(f.name) for f in fields)
    count = f"cast(count(*) as double precision) as {quoted(number)}"
    question = f"select {pair}, {count} from {subquery(source.question)} group by {pair}"
    wanted = pa.schema([*fields, pa.field(number, pa.float64())])
    found = source.database.stream(question, wanted, BATCH_ROWS)
    return (pa.RecordBatch.from_arrays(batch.columns, schema=wanted) for batch in found), number
