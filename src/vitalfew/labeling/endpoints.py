"""Sources of documents and destinations of labels: tables of a database, or files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from vitalfew.data.databases.base import Database, SqlSource, dotted, quoted
from vitalfew.data.databases.open import is_address, open_database
from vitalfew.data.source import open_source
from vitalfew.exceptions import DataFileError
from vitalfew.labeling.documents import Documents
from vitalfew.support.atomic_write import written_aside
from vitalfew.support.outputs import check_outputs

if TYPE_CHECKING:
    import pyarrow as pa


class Writer(Protocol):
    """Destination of rows, written batch by batch."""

    def write(self, batch: pa.RecordBatch) -> None: ...


@dataclass(frozen=True)
class Place:
    """Documents, and a function that opens the destination of the labels, which is written completely or not at all."""

    documents: Documents
    into: str
    open_sink: Callable[[pa.Schema], AbstractContextManager[Writer]]


@dataclass(frozen=True)
class Wanted:
    """Source and destination as requested by the user."""

    database: Any
    table: str | None
    text: str
    label: str
    key: str | Sequence[str] | None
    into: str | None
    marker: str | None
    replace: bool
    format: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        if self.key is None:
            return ()
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)


@contextmanager
def open_place(wanted: Wanted, *, read_only: bool) -> Iterator[Place]:
    """Open the documents and their destination, checked before any work is done."""
    if not is_database(wanted.database, wanted.format):
        yield _file_place(wanted)
        return
    with open_database(wanted.database, format=wanted.format, read_only=read_only) as database:
        yield _table_place(database, wanted)


def _table_place(database: Database, wanted: Wanted) -> Place:
    known = database.tables()
    source = database.source(wanted.table)
    assert source.place is not None
    table = next(name for name, place in known.items() if place == source.place)
    into = wanted.into or f"{table}_predicted"
    if known.get(into) == source.place or into.lower() == table.lower():
        raise ValueError(
            f"the labels cannot be written to {table!r}, which contains the documents; choose another table (--into)."
        )
    database.place_of(into)
    if into in known and not wanted.replace:
        raise DataFileError(
            f"{database.name!r} already has a table {into!r}; choose another (--into), or allow replacing it "
            "(--replace)."
        )
    keys = wanted.keys
    columns = source.schema().names
    if not keys:
        keys = tuple(database.primary_key(source.place))
    has_row_numbers = not keys and "rowid" not in columns
    if has_row_numbers:
        source = _numbered(database, source)
        keys = ("rowid",)
    documents = Documents(
        source, wanted.text, wanted.label, keys, wanted.marker, database.can_read_while_writing, has_row_numbers
    )
    documents.check()
    return Place(documents, into, lambda schema: database.sink(into, schema, replace=wanted.replace))


def _numbered(database: Database, source: SqlSource) -> SqlSource:
    """Return the same rows with the row numbers of the database."""
    assert source.place is not None
    refusal = f"{dotted(source.place)} has no primary key; specify a column that identifies its rows (--key)."
    if database.row_number is None:
        raise ValueError(refusal)
    question = f"select {database.row_number} as {quoted('rowid')}, * from {dotted(source.place)}"
    try:
        found = database.source(query=question)
    except DataFileError:  # a view has no row numbers
        raise ValueError(refusal) from None
    found.place = source.place
    return found


def is_database(database: Any, format: str | None) -> bool:
    """Return True if the documents are in a database, False if they are in files."""
    if is_address(database) or not isinstance(database, str | os.PathLike):
        return True
    from vitalfew.data.sources.source_files import find_files

    return find_files([database], format)[1] in ("duckdb", "sqlite")


def _file_place(wanted: Wanted) -> Place:
    """Open files of documents; the labels go into another file."""
    name = os.fspath(wanted.database)
    if wanted.table is not None:
        raise ValueError(f"{name!r} is not a database and has no tables; omit the table.")
    if wanted.into is None:
        raise ValueError(f"{name!r} is not a database; specify the file to write the labels to (--output).")
    if not wanted.keys:
        raise ValueError(f"specify a column of {name!r} that identifies its rows (--key).")
    into = os.fspath(wanted.into)
    check_outputs({"into": into}, [name])
    if os.path.exists(into) and not wanted.replace:
        raise DataFileError(
            f"the file {into!r} already exists; choose another name, or allow replacing it (--replace)."
        )
    documents = Documents(
        open_source(wanted.database, format=wanted.format), wanted.text, wanted.label, wanted.keys, wanted.marker
    )
    documents.check()
    return Place(documents, into, lambda schema: _file_sink(into, schema, wanted.replace))


class _FileWriter:
    def __init__(self, write: Callable[[pa.RecordBatch], None]):
        self.write = write


@contextmanager
def _file_sink(path: str, schema: pa.Schema, replace: bool) -> Iterator[Writer]:
    """Open a Parquet, Arrow, CSV or TSV file, which is written atomically when the context exits."""
    kind = os.path.splitext(path)[1].lower()
    with written_aside(path, replace=replace) as file:
        if kind in (".parquet", ".pq"):
            writer = import_module("pyarrow.parquet").ParquetWriter(file, schema)
        elif kind in (".arrow", ".feather", ".ipc"):
            writer = import_module("pyarrow").ipc.new_file(file, schema)
        elif kind in (".csv", ".tsv"):
            csv = import_module("pyarrow.csv")
            options = csv.WriteOptions(delimiter="\t" if kind == ".tsv" else ",")
            writer = csv.CSVWriter(file, schema, write_options=options)
        else:
            raise ValueError(f"{path!r} must end with .parquet, .arrow, .csv or .tsv.")
        with writer:
            yield _FileWriter(lambda batch: writer.write_batch(batch.cast(schema)))
