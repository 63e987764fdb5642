"""New tables in databases, whole or not at all."""

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
    """A new table of a database, to be filled with batches in one transaction.

    The table is there after the context has ended well. After an error, an interrupt, the end of the process or of the
    server it is not, and everything else is as it was. To read the same DuckDB or SQLite file meanwhile, use
    `open_database`.

    Parameters
    ----------
    database : str, path or duckdb.DuckDBPyConnection
        As for `open_database`.
    table : str
        Its name, or ``"schema.name"``.
    schema : pyarrow.Schema
        Its columns.
    replace : bool, default False
        Whether a table of this name may be there, and is replaced in the same transaction.

    Yields
    ------
    Sink
        With ``write(batch)``.

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
