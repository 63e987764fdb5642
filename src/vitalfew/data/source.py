"""One notion of where rows come from: frames, files, databases and clusters, all read as batches of Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from vitalfew._arrow import check_arrow
from vitalfew.data.csv_file import NA
from vitalfew.data.partitions import is_partitioned
from vitalfew.exceptions import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a batch: enough to keep all threads busy, little enough that a batch of long documents fits in memory.
BATCH_ROWS = 65_536
# Bytes of a batch, about: where rows are large it has fewer of them. Several batches are held at once.
BATCH_BYTES = 32 << 20
# Rows that are fetched at once where nobody knows how long their texts are.
PIECE_ROWS = 512


@runtime_checkable
class Source(Protocol):
    """Rows that can be read any number of times, a batch at a time.

    Reading again gives the same rows; their order need not be the same.
    """

    @property
    def name(self) -> str:
        """What messages call it."""

    def schema(self) -> pa.Schema:
        """Names and types of the columns."""

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        known: str | None = None,
        missing: str | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """These columns (all by default) of all rows, or of those in which column `known` is not null, or `missing` is
        null; the source leaves out what is not asked for itself where it can."""

    def n_rows(self) -> int | None:
        """The number of rows where the source knows it without reading them."""


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
    from vitalfew.data import files

    if is_partitioned(data):
        from vitalfew.data.partition_source import PartitionSource

        _no_database("a Dask collection", table, query)
        files.import_arrow()
        return PartitionSource(data)
    # Of its class: a frame has attributes for its columns, whatever they are called.
    if all(hasattr(type(data), method) for method in ("schema", "batches", "n_rows")):
        return data
    files.import_arrow()
    from vitalfew.data.databases import connect, is_address

    if is_address(data) or type(data).__name__ == "DuckDBPyConnection":
        return connect(data, read_only=True).source(table, query)
    is_path = isinstance(data, str | os.PathLike)
    if not is_path and not (isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike)):
        _no_database("a data frame", table, query)
        return FrameSource(data)
    from vitalfew.data import source_files

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


class FrameSource:
    """A frame in memory."""

    name = "the data frame"

    def __init__(self, frame: Any):
        self.table = _arrow_table(frame)
        check_arrow(self.table, self.name)
        check_header(self.table.column_names, self.name)

    def schema(self) -> pa.Schema:
        return self.table.schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self.schema(), columns, known, missing)
        kept = self.table.select(asked(self.schema(), columns, known, missing))
        yield from chosen(kept.to_batches(), columns, known, missing, batch_rows)

    def n_rows(self) -> int:
        return self.table.num_rows


def check_header(names: Sequence[str], source: str) -> None:
    """Every column needs a name of its own."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFileError(f"{source!r} has two columns named {name!r}; rename one of them.")
        seen.add(name)


def check_columns(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> None:
    """Every name must be a column; otherwise the closest one is suggested."""
    from vitalfew.data.kinds import check_names

    check_names([*(columns or ()), *(n for n in (known, missing) if n is not None)], schema.names)


def asked(schema: pa.Schema, columns: Sequence[str] | None, known: str | None, missing: str | None) -> list[str]:
    """All columns that have to be read, each once."""
    names = schema.names if columns is None else columns
    return list(dict.fromkeys([*names, *(n for n in (known, missing) if n is not None)]))


def chosen(
    blocks: Iterable[pa.RecordBatch],
    columns: Sequence[str] | None,
    known: str | None,
    missing: str | None,
    batch_rows: int,
) -> Iterator[pa.RecordBatch]:
    """What is asked for of blocks that hold it: for sources that cannot leave out rows themselves."""
    compute = import_module("pyarrow.compute")
    for block in blocks:
        if known is not None:
            block = block.filter(compute.is_valid(block.column(known)))
        if missing is not None:
            block = block.filter(compute.is_null(block.column(missing)))
        if columns is not None:
            block = block.select(list(columns))
        for start in range(0, block.num_rows, batch_rows):
            yield block.slice(start, batch_rows)


def row_bytes(schema: pa.Schema) -> int | None:
    """Bytes of a row; None where a column holds values of any length."""
    try:
        return sum(-(-kind.bit_width // 8) for kind in schema.types)
    except ValueError:
        return None


def piece_rows(schema: pa.Schema, batch_rows: int) -> int:
    """Rows to ask of a source that counts a batch by rows, so that it stays within `BATCH_BYTES`."""
    width = row_bytes(schema)
    return max(min(batch_rows, PIECE_ROWS if width is None else BATCH_BYTES // max(width, 1)), 1)


def joined(pieces: Iterable[pa.RecordBatch], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """Batches of up to `batch_rows` rows and about `BATCH_BYTES` bytes, made of smaller ones."""
    held: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for piece in pieces:
        if held and (n_rows + piece.num_rows > batch_rows or n_bytes + piece.nbytes > BATCH_BYTES):
            yield _one_batch(held)
            held, n_rows, n_bytes = [], 0, 0
        held.append(piece)
        n_rows += piece.num_rows
        n_bytes += piece.nbytes
    if held:
        yield _one_batch(held)


def _one_batch(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pieces[0] if len(pieces) == 1 else import_module("pyarrow").concat_batches(pieces)


def _arrow_table(frame: Any) -> pa.Table:
    pa = import_module("pyarrow")
    module = type(frame).__module__.split(".")[0]
    if isinstance(frame, pa.RecordBatchReader):
        raise TypeError("a RecordBatchReader can be read only once; give reader.read_all(), or a Parquet file.")
    if module == "polars" and hasattr(frame, "collect"):
        raise TypeError("a LazyFrame has no rows yet; give frame.collect(), or the files it reads.")
    try:
        if isinstance(frame, pa.Table):
            return frame
        if module == "pandas" and hasattr(frame, "columns"):
            return pa.Table.from_pandas(frame, preserve_index=False)
        if module == "polars" and hasattr(frame, "columns"):
            return frame.to_arrow()
        if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
            return pa.table(frame)
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        raise ValueError(f"the data frame cannot be read ({why}); give each column values of one type.") from error
    raise TypeError(
        "expected a data frame of pandas, polars or Arrow, names of files, a database or its address, "
        f"got {type(frame).__name__}."
    )
