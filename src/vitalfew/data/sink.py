"""Atomic creation of database tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vitalfew.data.databases.base import Sink
from vitalfew.data.databases.open import open_database

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def open_sink(database: Any, table: str, schema: pa.Schema, *, replace: bool = False) -> Iterator[Sink]:
    """Create a database table and fill it with batches in one transaction.

    The table exists after the context succeeds. After an error, an interrupt, or the end of the process or the server,
    it does not exist and everything else is unchanged. To read the same DuckDB or SQLite file at the same time, use
    `open_database`.

    Parameters
    ----------
    database : str, path or duckdb.DuckDBPyConnection
        See `open_database`.
    table : str
        Name of the table, or ``"schema.name"``.
    schema : pyarrow.Schema
        Columns of the table.
    replace : bool, default False
        Whether to replace an existing table of this name, in the same transaction.

    Yields
    ------
    Sink
        Has a method ``write(batch)``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa
    >>> from vitalfew.data.sink import open_sink
    >>> from vitalfew.data.source import open_source
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "films.duckdb"
    >>> batch = pa.record_batch({"id": [1, 2], "label": ["+", "-"]})
    >>> with open_sink(path, "labels", batch.schema) as sink:
    ...     sink.write(batch)
    >>> open_source(path).n_rows()
    2
    """
    with open_database(database) as opened, opened.sink(table, schema, replace=replace) as sink:
        yield sink
