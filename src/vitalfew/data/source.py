"""One notion of where rows come from: frames, files, databases and clusters, all read as batches of Arrow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vitalfew.data.sources.csv_file import NA
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.protocol import Source
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.support.optional import import_arrow

if TYPE_CHECKING:
    pass


def open_source(
    data: Any,
    *,
    table: str | None = None,
    query: str | None = None,
    format: str | None = None,
    na: Sequence[str] = NA,
    encoding: str = "utf-8",
    types: Mapping[str, Any] | None = None,
) -> Source:
    """Rows of a frame, of files or of a database, to be read a batch at a time.

    Parameters
    ----------
    data : data frame, str, path, list of paths, connection, or Source
        A frame of pandas, polars or Arrow. Parquet, CSV or TSV (also packed: .gz, .bz2, .zst), Arrow or Feather files:
        one, a list, a pattern (``"part-*.parquet"``), or a folder of Parquet files. A DuckDB or SQLite file, an open
        connection of DuckDB, or the address of a PostgreSQL server (``"postgresql://user@host/name"``). A Dask
        DataFrame, or a list of delayed frames. What is a source already is returned as it is.
    table, query : str, optional
        Which table of a database (``"name"`` or ``"schema.name"``), or what to ask it. Databases are opened read-only.
    format : {"csv", "tsv", "parquet", "arrow", "duckdb", "sqlite"}, optional
        By default what the name of the file ends with, otherwise what its first bytes say.
    na : list of str
        What means a missing value in CSV and TSV: by default nothing at all, NA, NaN, null and ?.
    encoding : str, default "utf-8"
        Of CSV and TSV.
    types : dict, optional
        Arrow types of columns of CSV and TSV by name (``{"code": "string"}``); by default those that the first 8 MB
        tell, text where these hold no value.

    Returns
    -------
    Source
        With ``name``, ``schema()``, ``batches(columns, known=, missing=, batch_rows=)`` and ``n_rows()``.

    Raises
    ------
    DataFileError
        If something cannot be read, now or while it is read, in one sentence with a remedy.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from vitalfew.data.source import open_source
    >>> source = open_source(pa.table({"body": ["good film", "bad film", "film"], "label": ["+", "-", None]}))
    >>> source.n_rows()
    3
    >>> [batch.to_pydict() for batch in source.batches(["body"], missing="label")]
    [{'body': ['film']}]
    """
    if is_partitioned(data):
        from vitalfew.data.sources.partition_source import PartitionSource

        _no_database("a Dask collection", table, query)
        import_arrow()
        return PartitionSource(data)
    # Of its class: a frame has attributes for its columns, whatever they are called.
    if all(hasattr(type(data), method) for method in ("schema", "batches", "n_rows")):
        return data
    import_arrow()
    from vitalfew.data.databases.open import connect, is_address

    if is_address(data) or type(data).__name__ == "DuckDBPyConnection":
        return connect(data, read_only=True).source(table, query)
    is_path = isinstance(data, str | os.PathLike)
    if not is_path and not (isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike)):
        _no_database("a data frame", table, query)
        return FrameSource(data)
    from vitalfew.data.sources import source_files

    paths, kind = source_files.find_files([data] if is_path else data, format)
    if kind in ("duckdb", "sqlite"):
        return connect(paths[0], format=kind, read_only=True).source(table, query)
    _no_database(repr(str(data)), table, query)
    name = str(data) if is_path else str(data[0]) + (f" and {len(data) - 1} more" if len(data) > 1 else "")
    if kind in ("csv", "tsv"):
        return source_files.CsvSource(name, paths, tuple(na), encoding, "\t" if kind == "tsv" else None, types or {})
    if types is not None:
        raise ValueError(f"{name!r} has types of its own; leave `types` out.")
    if kind == "arrow" and source_files.are_streams(paths):
        return source_files.StreamSource(name, paths)
    folder = data if is_path and os.path.isdir(data) else None
    return source_files.DatasetSource(name, paths, kind, folder)


def _no_database(name: str, table: str | None, query: str | None) -> None:
    if table is not None or query is not None:
        raise ValueError(f"{name} is not a database: it holds one table and takes no query; leave them out.")
