"""Base classes of all databases: names, sources read in batches, and tables that are written atomically."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from vitalfew.data.sources.protocol import BATCH_ROWS, check_columns, check_header
from vitalfew.exceptions import DataFileError
from vitalfew.support.suggest import suggestion

if TYPE_CHECKING:
    import pyarrow as pa


def quoted(name: str) -> str:
    """Quote a name for SQL, whatever characters it contains."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text as an SQL literal, whatever characters it contains."""
    return "'" + text.replace("'", "''") + "'"


def dotted(place: tuple[str, ...]) -> str:
    """Return the SQL name of a table: its schema, if the database has schemas, and its name."""
    return ".".join(map(quoted, place))


class Database(ABC):
    """Abstract database; each engine implements reading and writing."""

    name: str  # shown in messages, without a password
    read_only: bool
    row_number: str | None = None  # name of an implicit row number column, if the tables have one
    can_read_while_writing: bool = True  # in another thread
    has_case: bool = False  # whether quoted names that differ only in case are different

    @abstractmethod
    def tables(self) -> dict[str, tuple[str, ...]]:
        """Return the locations of tables and views, by their user-facing names."""

    @abstractmethod
    def schemas(self) -> list[str]:
        """Return the schemas that can hold tables, the default first; empty if the database has no schemas."""

    @abstractmethod
    def primary_key(self, place: tuple[str, ...]) -> list[str]:
        """Return the columns of a table's primary key; empty if there is none."""

    @abstractmethod
    def settle(self, question: str) -> tuple[str, pa.Schema]:
        """Turn any single read-only statement into a query, and return it with the schema of its result."""

    @abstractmethod
    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query, which has these columns, in batches."""

    @abstractmethod
    def writing(
        self, place: tuple[str, ...], schema: pa.Schema, replace: bool
    ) -> AbstractContextManager[Callable[[pa.RecordBatch], object]]:
        """Open a transaction that creates and fills a table; it is rolled back unless the context succeeds."""

    @abstractmethod
    def close(self) -> None:
        """Close files and connections."""

    def n_rows(self, place: tuple[str, ...]) -> int | None:  # noqa: ARG002
        """Return the number of rows of a table, if it is available at no cost."""
        return None

    def source(self, table: str | None = None, query: str | None = None) -> SqlSource:
        """Return a source for a table (by default the only one) or for the result of a query."""
        if table is not None and query is not None:
            raise ValueError("pass either a table or a query, not both.")
        if query is not None:
            return SqlSource(self, query.strip().rstrip(";"))
        place = self._find(table)
        return SqlSource(self, f"select * from {dotted(place)}", place)

    @contextmanager
    def sink(self, table: str, schema: pa.Schema, *, replace: bool = False) -> Iterator[Sink]:
        """Create a table and yield a sink for its rows; the table exists after the context in full, or not at all.

        With `replace`, an existing table is replaced in the same transaction. ``"schema.name"`` is a table of that
        schema if the database has it.
        """
        if self.read_only:
            raise ValueError(f"{self.name!r} was opened read-only.")
        known = self.tables()
        if table in known and not replace:
            raise DataFileError(f"{self.name!r} already has a table {table!r}; choose another name, or replace it.")
        place = self.place_of(table)
        check_header(schema.names, f"table {table}")
        _check_names([table, *schema.names])
        plain = _plain(schema)
        with self.writing(place, plain, table in known) as insert:
            yield Sink(plain, insert)

    def place_of(self, table: str) -> tuple[str, ...]:
        """Return the location of an existing or new table; reject one that exists under another spelling."""
        known, schemas = self.tables(), self.schemas()
        if table in known:
            return known[table]
        first, _, rest = table.partition(".")
        place = (first, rest) if rest and first in schemas else (*schemas[:1], table)
        for name, other in known.items():
            if self._folded(other) == self._folded(place):
                raise DataFileError(
                    f"{self.name!r} has a table {name!r} and does not distinguish it from {table!r}; choose another "
                    f"name, or use {name!r}."
                )
        return place

    def _folded(self, place: tuple[str, ...]) -> list[bytes]:
        """Return names as the engine compares them: most engines ignore the case of ASCII letters only."""
        names = [name.encode("utf-8", "surrogatepass") for name in place]
        return names if self.has_case else [name.lower() for name in names]

    def _find(self, table: str | None) -> tuple[str, ...]:
        known = self.tables()
        if not known:
            raise DataFileError(f"{self.name!r} has no tables.")
        if table is None and len(known) > 1:
            listed = ", ".join(map(repr, list(known)[:20])) + (", …" if len(known) > 20 else "")
            raise DataFileError(f"{self.name!r} has {len(known)} tables; select one of {listed} (--table).")
        if table is not None and table not in known:
            hint = suggestion(table, list(known), "its tables are")
            raise DataFileError(f"{self.name!r} has no table {table!r}; {hint}")
        return known[table] if table is not None else next(iter(known.values()))


class Sink:
    """Writer for the rows of a new table, in batches with the announced columns."""

    def __init__(self, schema: pa.Schema, insert: Callable[[pa.RecordBatch], object]):
        self.schema, self._insert = schema, insert

    def write(self, batch: pa.RecordBatch) -> None:
        """Append the rows of a batch."""
        if batch.schema.names != self.schema.names:
            raise ValueError(f"expected the columns of the table, {self.schema.names}, got {batch.schema.names}.")
        if batch.num_rows:
            self._insert(batch.cast(self.schema))


class SqlSource:
    """Rows of a table or of the result of a query; see `Source`."""

    def __init__(self, database: Database, question: str, place: tuple[str, ...] | None = None):
        self.database, self.place, self.name = database, place, database.name
        self.question, self._schema = database.settle(question)
        check_header(self._schema.names, self.name)

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self._schema, columns, known, missing)
        pa = import_module("pyarrow")
        wanted = pa.schema([self._schema.field(n) for n in (self._schema.names if columns is None else columns)])
        where = [f"{quoted(known)} is not null"] if known is not None else []
        where += [f"{quoted(missing)} is null"] if missing is not None else []
        question = f"select {', '.join(map(quoted, wanted.names))} from {subquery(self.question)}"
        if where:
            question += f" where {' and '.join(where)}"
        for batch in self.database.stream(question, wanted, batch_rows):
            whole = pa.RecordBatch.from_arrays(batch.columns, schema=wanted)
            for start in range(0, whole.num_rows, batch_rows):
                yield whole.slice(start, batch_rows)

    def n_rows(self) -> int | None:
        return None if self.place is None else self.database.n_rows(self.place)

    def read(self) -> pa.Table:
        """Read all rows into memory."""
        return import_module("pyarrow").Table.from_batches(self.batches(), self._schema)


def subquery(question: str) -> str:
    """Return a query as a subquery to select from; the line breaks end a trailing comment."""
    return f"(\n{question}\n) as asked"


def reason(error: BaseException) -> str:
    """Return the end of an error message: the database's complaint in a few words, and a remedy if known."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = re.sub(r"^([A-Z_]+: )?(\[\w+\] )?([Ff]ailed to [\w ]+: )?", "", lines[0]).rstrip(".: ") if lines else ""
    said = said or type(error).__name__
    for sign, remedy in _REMEDIES.items():
        if re.search(sign, str(error), re.IGNORECASE):
            return f"({said}); {remedy}"
    return f"({said})."


_NO_SERVER = "connect to|failed to connect|to server|server closed|connection refused|terminating connection"
_REMEDIES = {
    "no space left|disk is full|file too large|quota|disk i/o": "free disk space and start again; nothing was written.",
    _NO_SERVER: "check that the server is running and its address is correct, then start again.",
    "locked|lock timeout|set lock": "it is in use by another process; wait until that process has finished.",
}


def _check_names(names: Sequence[str]) -> None:
    """Reject names that a database would truncate (at a NUL character), replace (if empty) or fail to encode."""
    for name in names:
        if not name or "\0" in name or name != name.encode("utf-8", "replace").decode():
            raise DataFileError(f"{name!r} is not a valid name for a table or column of a database; rename it.")


def _plain(schema: pa.Schema) -> pa.Schema:
    """Replace dictionary types by their value types, since databases treat dictionaries differently."""
    pa = import_module("pyarrow")
    return pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema])
