"""What all databases share: names, tables, and reading them a batch at a time."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from vitalfew.data.kinds import suggestion
from vitalfew.data.source import BATCH_ROWS, check_columns, check_header
from vitalfew.exceptions import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa


def quoted(name: str) -> str:
    """A name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


class Database(ABC):
    """Tables of one database: what one engine does in its own way."""

    name: str  # what messages call it: without a password

    @abstractmethod
    def tables(self) -> dict[str, str]:
        """The names of tables and views as people write them, and as SQL has them."""

    @abstractmethod
    def check_query(self, query: str) -> None:
        """A query must be one statement that reads."""

    @abstractmethod
    def schema(self, question: str) -> pa.Schema:
        """Columns of the answer."""

    @abstractmethod
    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """The answer, a batch at a time; its columns are those of the schema."""

    @abstractmethod
    def sink(self, table: str, schema: pa.Schema, *, replace: bool = False) -> AbstractContextManager[Sink]:
        """A new table that is there, whole, after the context, or not at all."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def n_rows(self, table: str) -> int | None:  # noqa: ARG002
        """Rows of a table (as SQL has it), if that costs nothing."""
        return None

    def column(self, field: pa.Field) -> str:
        """A column as it is selected."""
        return quoted(field.name)

    def source(self, table: str | None = None, query: str | None = None) -> SqlSource:
        """Rows of a table, or of the answer to a query."""
        if table is not None and query is not None:
            raise ValueError("give a table or a query, not both.")
        if query is not None:
            self.check_query(query)
            return SqlSource(self, query)
        return SqlSource(self, f"select * from {(place := self._place(table))}", place)

    def _place(self, table: str | None) -> str:
        known = self.tables()
        if not known:
            raise DataFileError(f"{self.name!r} has no tables.")
        if table is None and len(known) > 1:
            listed = ", ".join(map(repr, list(known)[:20])) + (", …" if len(known) > 20 else "")
            raise DataFileError(f"{self.name!r} has {len(known)} tables; name one of {listed} (--table).")
        if table is not None and table not in known:
            hint = suggestion(table, list(known), "its tables are")
            raise DataFileError(f"{self.name!r} has no table {table!r}; {hint}")
        return known[table] if table is not None else next(iter(known.values()))


class Sink(Protocol):
    """Takes the rows of a new table."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows; their columns are those of the schema."""


class SqlSource:
    """Rows of a table or of the answer to a query; see `Source`."""

    def __init__(self, database: Database, question: str, table: str | None = None):
        self.database, self.question, self.table = database, question.strip().rstrip(";"), table
        self.name = database.name
        self._schema = database.schema(self.question)
        check_header(self._schema.names, self.name)

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self._schema, columns, known, missing)
        pa = import_module("pyarrow")
        wanted = pa.schema([self._schema.field(n) for n in (self._schema.names if columns is None else columns)])
        where = [f"{quoted(known)} is not null"] if known is not None else []
        where += [f"{quoted(missing)} is null"] if missing is not None else []
        # A comment at the end of a query ends with its line.
        question = f"select {', '.join(map(self.database.column, wanted))} from (\n{self.question}\n) as asked"
        if where:
            question += f" where {' and '.join(where)}"
        yield from self.database.stream(question, wanted, batch_rows)

    def n_rows(self) -> int | None:
        return None if self.table is None else self.database.n_rows(self.table)

    def read(self) -> pa.Table:
        """All rows, in memory."""
        return import_module("pyarrow").Table.from_batches(self.batches(), self._schema)


def read_sqlite(path: str, table: str | None, query: str | None) -> pa.Table:
    """A table, or the answer to a query, which can reach no other file."""
    address = Path(path).absolute().as_uri() + "?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.set_authorizer(_reading_only)

            def tables() -> dict[str, str]:
                listed = connection.execute(
                    "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' "
                    "escape '\\' order by name"
                ).fetchall()
                return {name: quoted(name) for (name,) in listed}

            connection.execute("select count(*) from sqlite_master")
            cursor = connection.execute(which_rows(path, tables, table, query))
            if cursor.description is None:
                raise DataFileError("the query gives no table; write one that begins with SELECT.")
            names = [column[0] for column in cursor.description]
            return _as_columns(names, cursor.fetchall())
    except (sqlite3.Error, sqlite3.Warning) as error:
        what = "refused the query" if query is not None else "cannot be read as a SQLite database"
        raise DataFileError(f"{path!r} {what} ({first_line(error)}).") from error


_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    getattr(sqlite3, "SQLITE_RECURSIVE", 33),
}


def _reading_only(action: int, first: str | None, second: str | None, *_: Any) -> int:
    harmless = action in _READING and "load_extension" not in (first, second)
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


def which_rows(path: str, tables: Callable[[], dict[str, str]], table: str | None, query: str | None) -> str:
    if table is not None and query is not None:
        raise ValueError("give a table or a query, not both.")
    if query is not None:
        return query
    known = tables()
    if not known:
        raise DataFileError(f"{path!r} has no tables.")
    if table is None and len(known) > 1:
        listed = ", ".join(map(repr, list(known)[:20])) + (", …" if len(known) > 20 else "")
        raise DataFileError(f"{path!r} has {len(known)} tables; name one of {listed} (--table).")
    if table is not None and table not in known:
        raise DataFileError(f"{path!r} has no table {table!r}; {suggestion(table, list(known), 'its tables are')}")
    return f"select * from {known[table] if table is not None else next(iter(known.values()))}"


def _as_columns(names: list[str], rows: list[tuple]) -> pa.Table:
    """Values of SQLite have types of their own; those of a column are brought to one."""
    pa = import_module("pyarrow")
    columns = list(zip(*rows)) if rows else [()] * len(names)
    return pa.Table.from_arrays([_as_array(pa, values) for values in columns], names=names)


def _as_array(pa, values: tuple):
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {int, float} or len(kinds) == 1:
        try:
            return pa.array(values, pa.float64() if float in kinds else None)
        except (pa.ArrowException, OverflowError):
            return pa.array([None if v is None else float(v) for v in values])
    return pa.array([v if v is None or isinstance(v, str) else _text(v) for v in values], pa.string())


def _text(value: int | float | bytes) -> str:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
