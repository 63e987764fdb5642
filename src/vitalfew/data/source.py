"""Common interface to data frames, files, databases and clusters, all read as Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from vitalfew.data.sources.csv_file import NA
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.protocol import Source
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.support.optional import import_arrow


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
    """Open a data frame, files or a database as a source of rows that is read in batches.

    Parameters
    ----------
    data : data frame, str, path, list of paths, connection, or Source
        A pandas, polars or Arrow frame. Parquet, CSV or TSV (optionally compressed: .gz, .bz2, .zst), Arrow or
        Feather files: one, a list, a pattern (``"part-*.parquet"``), or a folder of Parquet files. A DuckDB or
        SQLite file, an open DuckDB connection, or the address of a PostgreSQL server
        (``"postgresql://user@host/name"``). A Dask DataFrame, or a list of delayed frames. An existing source is
        returned unchanged.
    table, query : str, optional
        Table of a database (``"name"`` or ``"schema.name"``), or query to run. Databases are opened read-only.
    format : {"csv", "tsv", "parquet", "arrow", "duckdb", "sqlite"}, optional
        By default inferred from the suffix of the file name, otherwise from the first bytes of the file.
    na : list of str
        Markers of missing values in CSV and TSV; by default the empty string, NA, NaN, null and ?.
    encoding : str, default "utf-8"
        Encoding of CSV and TSV.
    types : dict, optional
        Arrow types of CSV and TSV columns by name (``{"code": "string"}``); by default inferred from the first
        8 MB, text if these hold no value.

    Returns
    -------
    Source
        Has ``name``, ``schema()``, ``batches(columns, known=, missing=, batch_rows=)`` and ``n_rows()``.

    Raises
    ------
    DataFileError
        If the data cannot be read, now or in a later batch; the message is one sentence with a remedy.

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
    # Look at the class: an instance has an attribute for each column, whatever its name.
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
        raise ValueError(f"`types` is not supported for {name!r}, which stores its own types; omit it.")
    if kind == "arrow" and source_files.are_streams(paths):
        return source_files.StreamSource(name, paths)
    folder = data if is_path and os.path.isdir(data) else None
    return source_files.DatasetSource(name, paths, kind, folder)


def _no_database(name: str, table: str | None, query: str | None) -> None:
    if table is not None or query is not None:
        raise ValueError(f"{name} is not a database; omit the table and query.")
