"""DuckDB: files, or a connection that is open already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.data.database import Database, Sink, first_line, quoted
from vitalfew.data.files import import_extra
from vitalfew.data.source import check_header
from vitalfew.exceptions import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa

# Blocks of a file that DuckDB keeps; without a limit it takes most of the memory there is.
MEMORY = "512MB"


class DuckDatabase(Database):
    """One connection, of which all readers and the writer are cursors: a process may open a file for writing once."""

    def __init__(self, database: Any, read_only: bool):
        self.duckdb = import_extra("duckdb", "reading DuckDB files needs duckdb")
        self.is_ours = isinstance(database, str)
        self.name = database if self.is_ours else "the DuckDB connection"
        if not self.is_ours:
            self.connection = database
            return
        # A query can reach neither files nor the network.
        config = {"enable_external_access": "false", "lock_configuration": "true", "memory_limit": MEMORY}
        try:
            self.connection = self.duckdb.connect(database, read_only=read_only, config=config)
        except self.duckdb.Error as error:
            raise DataFileError(f"{database!r} cannot be opened as a DuckDB database ({_why(error)}).") from error

    def close(self) -> None:
        if self.is_ours:
            self.connection.close()

    def tables(self) -> dict[str, str]:
        with self._cursor() as cursor:
            listed = cursor.execute(
                "select table_schema, table_name from information_schema.tables "
                "where table_catalog = current_database()"
            ).fetchall()
        return {
            name if schema == "main" else f"{schema}.{name}": f"{quoted(schema)}.{quoted(name)}"
            for schema, name in sorted(listed)
        }

    def check_query(self, query: str) -> None:
        with self._cursor() as cursor:
            statements = cursor.extract_statements(query)
        if [s.type for s in statements] != [self.duckdb.StatementType.SELECT]:
            raise DataFileError("the query gives no table; write one that begins with SELECT.")

    def schema(self, question: str) -> pa.Schema:
        with self._cursor() as cursor:
            relation = cursor.sql(question)
            check_header(relation.columns, self.name)
            return _reader(relation.limit(0), 1).schema

    def n_rows(self, table: str) -> int:
        with self._cursor() as cursor:
            return cursor.execute(f"select count(*) from {table}").fetchone()[0]

    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        with self._cursor() as cursor:
            yield from _reader(cursor.sql(question), batch_rows)

    @contextmanager
    def sink(self, table: str, schema: pa.Schema, *, replace: bool = False) -> Iterator[Sink]:
        raise NotImplementedError

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        pa = import_module("pyarrow")
        cursor = self.connection.cursor()
        try:
            yield cursor
        except (self.duckdb.Error, pa.ArrowException) as error:
            raise DataFileError(f"{self.name!r} refused the query ({first_line(error)}).") from error
        finally:
            cursor.close()


def _reader(relation: Any, rows: int) -> pa.RecordBatchReader:
    """Its name differs between versions of DuckDB."""
    return (relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader)(rows)


def _why(error: Exception) -> str:
    if "different configuration" in str(error):
        return "this process has it open already; give that connection instead of the name of the file"
    return first_line(error)
