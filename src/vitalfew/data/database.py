"""Tables of DuckDB and SQLite files, opened so that nothing can be changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vitalfew.data.kinds import suggestion
from vitalfew.exceptions import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa


def quoted(name: str) -> str:
    """A name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def read_duckdb(duckdb, path: str, table: str | None, query: str | None) -> pa.Table:
    """A table, or the answer to a query, which can reach neither files nor the network."""
    config = {"enable_external_access": "false", "lock_configuration": "true"}
    try:
        connection = duckdb.connect(path, read_only=True, config=config)
    except duckdb.Error as error:
        raise DataFileError(f"{path!r} cannot be opened as a DuckDB database ({_first_line(error)}).") from error
    with closing(connection):

        def tables() -> dict[str, str]:
            listed = connection.execute(
                "select table_schema, table_name from information_schema.tables "
                "where table_catalog = current_database()"
            ).fetchall()
            return {
                name if schema == "main" else f"{schema}.{name}": f"{quoted(schema)}.{quoted(name)}"
                for schema, name in sorted(listed)
            }

        question = _question(path, tables, table, query)
        try:
            relation = connection.sql(question)
            if relation is None:
                raise DataFileError("the query gives no table; write one that begins with SELECT.")
            return relation.to_arrow_table()
        except duckdb.Error as error:
            raise DataFileError(f"the database refused the query ({_first_line(error)}).") from error


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
            cursor = connection.execute(_question(path, tables, table, query))
            if cursor.description is None:
                raise DataFileError("the query gives no table; write one that begins with SELECT.")
            names = [column[0] for column in cursor.description]
            return _as_columns(names, cursor.fetchall())
    except (sqlite3.Error, sqlite3.Warning) as error:
        what = "refused the query" if query is not None else "cannot be read as a SQLite database"
        raise DataFileError(f"{path!r} {what} ({_first_line(error)}).") from error


_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    getattr(sqlite3, "SQLITE_RECURSIVE", 33),
}


def _reading_only(action: int, first: str | None, second: str | None, *_: Any) -> int:
    harmless = action in _READING and "load_extension" not in (first, second)
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


def _question(path: str, tables: Callable[[], dict[str, str]], table: str | None, query: str | None) -> str:
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


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
