"""SQLite files, only through ADBC: two copies of SQLite in a process break each other's locks on a shared file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from vitalfew.data.databases.adbc import AdbcDatabase
from vitalfew.data.databases.base import dotted, quoted, subquery
from vitalfew.data.sources.protocol import joined, piece_rows
from vitalfew.exceptions import DataFileError
from vitalfew.support.outputs import committing

if TYPE_CHECKING:
    import pyarrow as pa

# SQLite returns at most 2,000 columns; the query asks for four kinds of value per column.
_AT_ONCE = 500
_TABLE = re.compile(r'select \* from "(?:[^"]|"")*"')
_KINDS = ("integer", "real", "text", "blob")


class SqliteDatabase(AdbcDatabase):
    """SQLite database with one connection in one transaction.

    Its reads are consistent, and its writes are not visible to others before the commit. Others can read the database,
    but not write to it, while it is open here for writing.
    """

    row_number = "rowid"
    can_read_while_writing = False

    def __init__(self, path: str, read_only: bool):
        super().__init__(path, "sqlite", Path(path).absolute().as_uri() + ("?mode=ro" if read_only else "?mode=rwc"))
        self.read_only = read_only
        if read_only and os.path.exists(f"{path}-journal"):
            self._mend(path)
        self.connection = self.connect()
        try:
            begin = "begin" if read_only else "begin immediate"
            self.execute(self.connection, "pragma busy_timeout = 5000", begin, what="cannot be opened")
            self.execute(
                self.connection, "select count(*) from sqlite_master", what="cannot be read as a SQLite database"
            )
        except BaseException:
            self.close()
            raise

    def _mend(self, path: str) -> None:
        """Roll back the unfinished write of a killed process, for which SQLite needs a writable connection."""
        with self.errors("cannot be opened"), closing(self.driver.connect(path, autocommit=True)) as connection:
            self.execute(connection, "select count(*) from sqlite_master")

    def close(self) -> None:
        self.connection.close()

    def tables(self) -> dict[str, tuple[str, ...]]:
        listed = self.execute(
            self.connection,
            "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' "
            "order by name",
        )
        return {name: (name,) for (name,) in listed}

    def schemas(self) -> list[str]:
        return []

    def primary_key(self, place: tuple[str, ...]) -> list[str]:
        found = self.execute(self.connection, f"pragma table_info({quoted(place[-1])})")
        return [name for _, name in sorted((column[5], column[1]) for column in found if column[5])]

    def settle(self, question: str) -> tuple[str, pa.Schema]:
        """Find a type for each column that can hold all its values, because SQLite values are typed individually."""
        pa = import_module("pyarrow")
        # Only a query that reads can be a subquery.
        with self.errors("rejected the query"), self.connection.cursor() as cursor:
            cursor.execute(f"select * from {subquery(question)} limit 0")
            names = [column[0] for column in cursor.description]
        for name in names:
            if (twice := re.fullmatch(r"(.*):\d+", name)) and twice[1] in names and not _TABLE.fullmatch(question):
                raise DataFileError(f"{self.name!r} has two columns named {twice[1]!r}; rename one of them.")
        selected, fields = [], []
        for start in range(0, len(names), _AT_ONCE):
            part = names[start : start + _AT_ONCE]
            asked = ", ".join(f"max(typeof({quoted(n)}) = '{kind}')" for n in part for kind in _KINDS)
            ((*found,),) = self.execute(self.connection, f"select {asked} from {subquery(question)}")
            for k, name in enumerate(part):
                held = {kind for kind, is_held in zip(_KINDS, found[4 * k : 4 * k + 4]) if is_held}
                type_name, column = _common(held, quoted(name))
                selected.append(f"{column} as {quoted(name)}")
                fields.append((name, pa.type_for_alias(type_name)))
        return f"select {', '.join(selected)} from {subquery(question)}", pa.schema(fields)

    def stream(self, question: str, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        """Yield batches; the driver infers types from the first rows, so an example row is prepended and dropped."""
        first = ", ".join(f"{_EXAMPLES[str(field.type)]} as {quoted(field.name)}" for field in schema)
        options = {"adbc.sqlite.query.batch_rows": str(piece_rows(schema, batch_rows) + 1)}
        yield from joined(self._without_first(first, question, options), batch_rows)

    def _without_first(self, first: str, question: str, options: dict[str, str]) -> Iterator[pa.RecordBatch]:
        skipped = 1
        for batch in self.read(self.connection, f"select {first} union all {question}", options):
            yield batch.slice(skipped)
            skipped = 0

    @contextmanager
    def writing(
        self, place: tuple[str, ...], schema: pa.Schema, replace: bool
    ) -> Iterator[Callable[[pa.RecordBatch], object]]:
        what = "cannot be written"
        if replace:
            self.execute(self.connection, f"drop table {dotted(place)}", what=what)
        with self.connection.cursor() as cursor:

            def ingest(rows, mode: str) -> None:
                with self.errors(what):
                    cursor.adbc_ingest(place[-1], rows, mode=mode)

            try:
                ingest(schema.empty_table(), "create")
                yield lambda batch: ingest(batch, "append")
                # Wait longer for readers to finish: giving up now would discard everything written.
                self.execute(self.connection, "pragma busy_timeout = 60000", what=what)
                with committing(place[-1]):
                    self.execute(self.connection, "commit", what=what)
            except BaseException:
                with suppress(DataFileError):  # keep the original error; the file is repaired when it is opened next
                    self.execute(self.connection, "rollback")
                raise
            finally:
                with suppress(DataFileError):
                    self.execute(self.connection, "begin")


_EXAMPLES = {"int64": "0", "double": "0.0", "string": "''", "binary": "x''"}


def _common(held: set[str], column: str) -> tuple[str, str]:
    """Return the type that can hold all these kinds of value, and the column cast to it."""
    if held <= {"integer"} and held:
        return "int64", column
    if held and held <= {"integer", "real"}:
        return "double", f"cast({column} as real)"
    return ("binary", column) if held == {"blob"} else ("string", f"cast({column} as text)")
