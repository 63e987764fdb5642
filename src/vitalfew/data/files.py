"""Reading and writing of table files: CSV, Parquet, Arrow, DuckDB and SQLite."""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from vitalfew.data.sources.csv_file import NA, read_csv
from vitalfew.data.sources.formats import FORMATS, SUFFIXES, WRITTEN, arrow_errors, check_file, recognize_format
from vitalfew.data.sources.protocol import check_header
from vitalfew.exceptions import DataFileError
from vitalfew.support.arrow import check_arrow
from vitalfew.support.atomic_write import written_output
from vitalfew.support.checks import check_choice
from vitalfew.support.optional import import_arrow

if TYPE_CHECKING:
    import pyarrow as pa


def read_file(
    path: str | os.PathLike,
    *,
    table: str | None = None,
    query: str | None = None,
    format: str | None = None,
    na: Sequence[str] = NA,
    encoding: str = "utf-8",
) -> pa.Table:
    """Read a table from a file.

    Parameters
    ----------
    path : str or path
        CSV or TSV (optionally compressed: .gz, .bz2, .zst), Parquet, Arrow IPC or Feather, or a DuckDB or SQLite
        database. ``"-"`` is standard input, read as CSV unless `format` is given.
    table, query : str, optional
        Table of a database to read, or query to run. Databases are opened read-only, and a query can access nothing
        else.
    format : {"csv", "tsv", "parquet", "arrow", "duckdb", "sqlite"}, optional
        By default inferred from the suffix of the file name, otherwise from the first bytes of the file.
    na : list of str
        Markers of missing values in CSV and TSV; by default the empty string, NA, NaN, null and ?.
    encoding : str, default "utf-8"
        Encoding of CSV and TSV.

    Returns
    -------
    pyarrow.Table
        Table with unique column names. The type of a CSV column fits all its values.

    Raises
    ------
    DataFileError
        If the file cannot be read; the message is one sentence with a remedy. FileNotFoundError and similar errors
        are not converted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from vitalfew.data.files import read_file
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,color\\n31,red\\n?,blue\\n")
    >>> read_file(path).to_pydict()
    {'age': [31, None], 'color': ['red', 'blue']}
    """
    import_arrow()
    name = str(path)
    if format is not None:
        check_choice("format", format, FORMATS)
    source: Any = name
    if name == "-":
        source, name = io.BytesIO(sys.stdin.buffer.read()), "standard input"
    elif check_file(Path(path)):
        source = io.BytesIO(Path(path).read_bytes())
    kind = format or (recognize_format(Path(path)) if isinstance(source, str) else "csv")
    is_database = kind in ("duckdb", "sqlite")
    if (table is not None or query is not None) and not is_database:
        raise ValueError(f"{name!r} is not a database; omit the table and query.")
    if is_database and not isinstance(source, str):
        raise ValueError("a database cannot be read from a pipe; pass its file name.")
    found = _read(kind, source, name, table, query, tuple(na), encoding)
    check_header(found.column_names, name)
    return found


def write_table(table: pa.Table, path: str | os.PathLike, format: str | None = None) -> None:
    """Write a table to a file atomically; ``"-"`` is standard output, written as CSV unless `format` is given.

    The format is inferred from the suffix: .csv, .tsv, .parquet, .arrow, .feather or .json (a list of objects). Values
    are written unchanged, so that reading restores the same table; a spreadsheet may interpret text that begins with
    ``=`` as a formula unless the column is imported as text.
    """
    import_arrow()
    kind = format or ("csv" if str(path) == "-" else _written_format(Path(path)))
    check_choice("format", kind, WRITTEN)
    with written_output(str(path)) as file:
        _write(table, file, kind)


def _read(kind: str, source, name: str, table, query, na: tuple[str, ...], encoding: str) -> pa.Table:
    if kind in ("duckdb", "sqlite"):
        from vitalfew.data.databases.open import open_database

        with open_database(name, format=kind, read_only=True) as database:
            return database.source(table, query).read()
    if kind in ("csv", "tsv"):
        return read_csv(source, name, na, encoding, "\t" if kind == "tsv" else None)
    with arrow_errors(name, kind):
        if kind == "parquet":
            found = import_module("pyarrow.parquet").ParquetFile(source).read()
        else:
            found = _read_arrow(import_arrow(), source)
        # Invalid UTF-8 is accepted here, because the column may never be used.
        check_arrow(found, repr(name), DataFileError, needs_utf8=False)
    return found


def _read_arrow(pa, source) -> pa.Table:
    # Do not map the file into memory: it could change after the check.
    with pa.OSFile(source) if isinstance(source, str) else pa.BufferReader(source.getvalue()) as stream:
        if stream.read(6) == b"ARROW1":
            return pa.ipc.open_file(stream).read_all()
        stream.seek(0)
        return pa.ipc.open_stream(stream).read_all()


def check_written(path: str | os.PathLike | None) -> None:
    """Check that `write_table` can write a file of this name; None and ``"-"`` are accepted."""
    if path is not None and str(path) != "-":
        _written_format(Path(path))


def _written_format(path: Path) -> str:
    found = SUFFIXES.get(path.suffix.lower())
    if found not in WRITTEN or path.suffix.lower() == ".txt":
        raise ValueError(f"{str(path)!r} must end with .csv, .tsv, .parquet, .arrow or .json.")
    return str(found)


def _write(table: pa.Table, file: IO[bytes], kind: str) -> None:
    if kind == "parquet":
        import_module("pyarrow.parquet").write_table(table, file)
    elif kind == "arrow":
        with import_arrow().ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    elif kind == "json":
        file.write((json.dumps(_finite(table.to_pylist()), ensure_ascii=False, indent=1, default=str) + "\n").encode())
    else:
        csv = import_module("pyarrow.csv")
        options = csv.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        csv.write_csv(table, file, options)


def _finite(rows: list[dict]) -> list[dict]:
    """Replace NaN and infinities by None, because JSON has neither."""
    return [{k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in rows]
