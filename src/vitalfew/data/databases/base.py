"""What all databases share: names, sources that are read a batch at a time, and new tables, whole or not at all."""

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
    """A name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL has it, whatever it holds."""
    return "'" + text.replace("'", "''") + "'"


def dotted(place: tuple[str, ...]) -> str:
    """A table as SQL has it: its schema, if the database has any, and its name."""
    return ".".join(map(quoted, place))


class Database(ABC):
    """A database: each engine says in its own way how to read and how to write."""

    name: str  # what messages call it, without a password
    read_only: bool
    row_number: str | None = None  # what a table calls the number of a row, if it has one without being asked
    can_read_while_writing: bool = True  # in another thread
    has_case: bool = False  # whether quoted names that differ only in case are different

    @abstractmethod
    def tables(self) -> dict[str, tuple[str, ...]]:
        """Where tables and views are, by the names that people give them."""

    @abstractmethod
    def schemas(self) -> list[str]:
        """The schemas that tables can be in, the usual one first; none if there is no such thing."""

    @abstractmethod
    def primary_key(self, place: tuple[str, ...]) -> list[str]:
        """The columns of a table's primary key; none if it has no such key."""

    @abstractmethod
    def settle(self, question: str) -> tuple[str, pa.Schema]:
        """A question whose answer has columns of these types, made of any single statement that reads."""

    @abstractmethod
    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """The answer, which has these columns, a batch at a time."""

    @abstractmethod
    def writing(
        self, place: tuple[str, ...], schema: pa.Schema, replace: bool
    ) -> AbstractContextManager[Callable[[pa.RecordBatch], object]]:
        """A transaction that makes a table and fills it; it is undone unless the context ends well."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def n_rows(self, place: tuple[str, ...]) -> int | None:  # noqa: ARG002
        """Rows of a table, if that costs nothing."""
        return None

    def source(self, table: str | None = None, query: str | None = None) -> SqlSource:
        """Rows of a table (of the only one, if none is named), or of the answer to a query."""
        if table is not None and query is not None:
            raise ValueError("give a table or a query, not both.")
        if query is not None:
            return SqlSource(self, query.strip().rstrip(";"))
        place = self._find(table)
        return SqlSource(self, f"select * from {dotted(place)}", place)

    @contextmanager
    def sink(self, table: str, schema: pa.Schema, *, replace: bool = False) -> Iterator[Sink]:
        """A new table for rows, which is there after the context, whole, or not at all.

        An existing one is replaced in the same transaction if `replace` says so. ``"schema.name"`` is a table of that
        schema if the database has it.
        """
        if self.read_only:
            raise ValueError(f"{self.name!r} was opened to be read only.")
        known = self.tables()
        if table in known and not replace:
            raise DataFileError(f"{self.name!r} has a table {table!r} already; give another name, or replace it.")
        place = self.place_of(table)
        check_header(schema.names, f"table {table}")
        _check_names([table, *schema.names])
        plain = _plain(schema)
        with self.writing(place, plain, table in known) as insert:
            yield Sink(plain, insert)

    def place_of(self, table: str) -> tuple[str, ...]:
        """Where a table is, or would be made; one that exists under another spelling is refused."""
        known, schemas = self.tables(), self.schemas()
        if table in known:
            return known[table]
        first, _, rest = table.partition(".")
        place = (first, rest) if rest and first in schemas else (*schemas[:1], table)
        for name, other in known.items():
            if self._folded(other) == self._folded(place):
                raise DataFileError(
                    f"{self.name!r} has a table {name!r}, which is the same as {table!r} to it; choose another name, "
                    f"or write it {name!r}."
                )
        return place

    def _folded(self, place: tuple[str, ...]) -> list[bytes]:
        """Names as the engine compares them: most know no upper case, of ASCII letters only."""
        names = [name.encode("utf-8", "surrogatepass") for name in place]
        return names if self.has_case else [name.lower() for name in names]

    def _find(self, table: str | None) -> tuple[str, ...]:
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


class Sink:
    """Takes the rows of a new table, in batches with the columns that were announced."""

    def __init__(self, schema: pa.Schema, insert: Callable[[pa.RecordBatch], object]):
        self.schema, self._insert = schema, insert

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        if batch.schema.names != self.schema.names:
            raise ValueError(f"the table has columns {self.schema.names}, got {batch.schema.names}.")
        if batch.num_rows:
            self._insert(batch.cast(self.schema))


class SqlSource:
    """Rows of a table or of the answer to a query; see `Source`."""

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
        """All rows, in memory."""
        return import_module("pyarrow").Table.from_batches(self.batches(), self._schema)


def subquery(question: str) -> str:
    """To select from; a comment at the end of a question ends with its line."""
    return f"(\n{question}\n) as asked"


def reason(error: BaseException) -> str:
    """The end of a sentence: what a database complains about, in few words, and what may help."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = re.sub(r"^([A-Z_]+: )?(\[\w+\] )?([Ff]ailed to [\w ]+: )?", "", lines[0]).rstrip(".: ") if lines else ""
    said = said or type(error).__name__
    for sign, remedy in _REMEDIES.items():
        if re.search(sign, str(error), re.IGNORECASE):
            return f"({said}); {remedy}"
    return f"({said})."


_NO_SERVER = "connect to|failed to connect|to server|server closed|connection refused|terminating connection"
_REMEDIES = {
    "no space left|disk is full|file too large|quota|disk i/o": "make room on the disk, then start again; "
    "nothing was written.",
    _NO_SERVER: "see that the server runs and its address is right, then start again.",
    "locked|lock timeout|set lock": "something else uses it: wait until that has ended.",
}


def _check_names(names: Sequence[str]) -> None:
    """Databases cut names at a zero character and invent names for empty ones; lone surrogates are no UTF-8."""
    for name in names:
        if not name or "\0" in name or name != name.encode("utf-8", "replace").decode():
            raise DataFileError(f"a table or column cannot be called {name!r} in a database; rename it.")


def _plain(schema: pa.Schema) -> pa.Schema:
    """Values instead of codes for them, of which every database has its own notion."""
    pa = import_module("pyarrow")
    return pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in schema])
