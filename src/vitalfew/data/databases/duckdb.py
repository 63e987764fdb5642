"""DuckDB files and open DuckDB connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.data.databases.base import Database, dotted, quoted, reason
from vitalfew.data.databases.batch_queue import Handed
from vitalfew.data.sources.protocol import check_header, joined, piece_rows
from vitalfew.exceptions import DataFileError
from vitalfew.support.optional import import_extra
from vitalfew.support.outputs import committing

if TYPE_CHECKING:
    import pyarrow as pa

# Memory limit for the blocks of a file; without one, DuckDB takes most of the available memory.
MEMORY = "512MB"
_ROWS = "vitalfew rows to write"


class DuckDatabase(Database):
    """DuckDB database with one connection, because a process may open a file for writing only once.

    All readers and the writer are cursors of it. While a file is open here no other process can write to it, so all
    readers see the same rows.
    """

    row_number = "rowid"

    def __init__(self, database: Any, read_only: bool):
        self.duckdb = import_extra("duckdb", "reading DuckDB files requires duckdb", "db")
        self.read_only, self.is_ours = read_only, isinstance(database, str)
        self.name = database if self.is_ours else "the DuckDB connection"
        if not self.is_ours:
            self.connection = database
            return
        # Queries can access neither files nor the network.
        config = {"enable_external_access": "false", "lock_configuration": "true", "memory_limit": MEMORY}
        try:
            self.connection = self.duckdb.connect(database, read_only=read_only, config=config)
        except self.duckdb.Error as error:
            raise DataFileError(f"{database!r} cannot be opened as a DuckDB database {_why(error)}") from error

    def close(self) -> None:
        if self.is_ours:
            self.connection.close()

    def tables(self) -> dict[str, tuple[str, ...]]:
        usual = self.schemas()[0]
        listed = self._ask(
            "select table_schema, table_name from information_schema.tables where table_catalog = current_database()"
        )
        return {n if s == usual else f"{s}.{n}": (s, n) for s, n in sorted(listed)}

    def schemas(self) -> list[str]:
        found = self._ask("select schema_name from information_schema.schemata where catalog_name = current_database()")
        ((usual,),) = self._ask("select current_schema()")
        return [usual, *(s for (s,) in sorted(found) if s != usual)]

    def n_rows(self, place: tuple[str, ...]) -> int:
        return self._ask(f"select count(*) from {dotted(place)}")[0][0]

    def primary_key(self, place: tuple[str, ...]) -> list[str]:
        found = self._ask(
            "select constraint_column_names from duckdb_constraints() where constraint_type = 'PRIMARY KEY' "
            "and database_name = current_database() and schema_name = ? and table_name = ?",
            place,
        )
        return list(found[0][0]) if found else []

    def settle(self, question: str) -> tuple[str, pa.Schema]:
        with self._cursor() as cursor:
            statements = cursor.extract_statements(question)
            if [s.type for s in statements] != [self.duckdb.StatementType.SELECT]:
                raise DataFileError("the query does not return a table; use a SELECT query.")
            relation = cursor.sql(question)
            check_header(relation.columns, self.name)
            return question, _reader(relation.limit(0), 1).schema

    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        with self._cursor() as cursor:
            yield from joined(_reader(cursor.sql(question), piece_rows(schema, batch_rows)), batch_rows)

    @contextmanager
    def writing(
        self, place: tuple[str, ...], schema: pa.Schema, replace: bool
    ) -> Iterator[Callable[[pa.RecordBatch], object]]:
        cursor = self.connection.cursor()

        def run(statement: str) -> None:
            with self._errors("cannot be written"):
                cursor.execute(statement)

        try:
            run("begin")
            if replace:
                run(f"drop table {dotted(place)}")
            # One statement consumes batches as they arrive; with one statement each, all are kept until the commit.
            with Handed(schema) as handed:
                cursor.register(_ROWS, handed.reader)
                handed.to(lambda: run(f"create table {dotted(place)} as select * from {quoted(_ROWS)}"))
                yield handed.put
            with committing(place[-1]):
                run("commit")
        finally:
            cursor.close()  # rolls back what was not committed

    def _ask(self, question: str, values: tuple[str, ...] = ()) -> list[tuple]:
        with self._cursor() as cursor:
            return cursor.execute(question, values).fetchall()

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        cursor = self.connection.cursor()
        try:
            with self._errors("rejected the query"):
                cursor.execute("begin transaction read only")  # a SELECT can contain a DELETE
                yield cursor
        finally:
            cursor.close()

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (self.duckdb.Error, import_module("pyarrow").ArrowException, OSError) as error:
            raise DataFileError(f"{self.name!r} {what} {reason(error)}") from error


def _reader(relation: Any, rows: int) -> pa.RecordBatchReader:
    """Return an Arrow reader; the name of the method differs between versions of DuckDB."""
    return (relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader)(rows)


def _why(error: Exception) -> str:
    if "different configuration" in str(error):
        return "(it is already open in this process); pass that connection instead of the file name."
    return reason(error)
