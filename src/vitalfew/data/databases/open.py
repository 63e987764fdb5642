"""Opening of databases for reading and writing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vitalfew.data.databases.base import Database
from vitalfew.data.sources.formats import SUFFIXES, no_file, recognize_format
from vitalfew.exceptions import DataFileError


@contextmanager
def open_database(database: Any, *, format: str | None = None, read_only: bool = False) -> Iterator[Database]:
    """Open a database for reading rows and writing tables.

    All reads see one consistent state: changes by others are not visible (PostgreSQL) or not possible (DuckDB, SQLite).

    Parameters
    ----------
    database : str, path or duckdb.DuckDBPyConnection
        A DuckDB or SQLite file, which is created if it does not exist and may be written to, an open connection, or
        ``"postgresql://user@host:5432/name"``.
    format : {"duckdb", "sqlite", "postgresql"}, optional
        By default inferred from the address, or from the suffix or the first bytes of the file.
    read_only : bool, default False
        Whether to open the database without write access.

    Yields
    ------
    Database
        Has ``source(table=…)`` or ``source(query=…)``, ``sink(table, schema, replace=False)`` and ``tables()``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from vitalfew.data.databases import open_database
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "films.duckdb"
    >>> films = pa.record_batch({"id": [1, 2, 3], "label": ["+", None, None]})
    >>> with open_database(path) as database, database.sink("films", films.schema) as sink:
    ...     sink.write(films)
    >>> with open_database(path) as database:
    ...     source = database.source("films")
    ...     with database.sink("unlabeled", pa.schema([source.schema().field("id")])) as sink:
    ...         for batch in source.batches(["id"], missing="label"):
    ...             sink.write(batch)
    ...     database.source("unlabeled").read().to_pydict()
    {'id': [2, 3]}
    """
    opened = connect(database, format=format, read_only=read_only)
    try:
        yield opened
    finally:
        opened.close()


def connect(database: Any, *, format: str | None = None, read_only: bool = False) -> Database:
    """Open a database as `open_database` does; the caller closes it, or garbage collection does."""
    from vitalfew.data.databases.duckdb import DuckDatabase
    from vitalfew.data.databases.postgres import PostgresDatabase
    from vitalfew.data.databases.sqlite import SqliteDatabase

    if is_address(database):
        return PostgresDatabase(database, read_only)
    if not isinstance(database, str | os.PathLike):
        return DuckDatabase(database, read_only)
    path = os.fspath(database)
    if read_only and not os.path.exists(path):
        raise FileNotFoundError(no_file(Path(path)))
    is_there = os.path.exists(path)
    found = format or (recognize_format(Path(path)) if is_there else SUFFIXES.get(Path(path).suffix.lower()))
    if found not in ("duckdb", "sqlite"):
        raise DataFileError(f"{path!r} is not a DuckDB or SQLite database; pass one, or a postgresql:// address.")
    return DuckDatabase(path, read_only) if found == "duckdb" else SqliteDatabase(path, read_only)


def is_address(database: Any) -> bool:
    """Return True if `database` is the address of a server."""
    return isinstance(database, str) and database.startswith(("postgres://", "postgresql://"))
