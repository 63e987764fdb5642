"""Sources for files larger than memory: one or many Parquet, Arrow or CSV files, or a folder of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vitalfew.data.sources.csv_file import Content, check_encoding, csv_errors, csv_options
from vitalfew.data.sources.formats import FORMATS, arrow_errors, check_file, recognize_format
from vitalfew.data.sources.parquet_rows import USUAL_BUDGET, parquet_batches
from vitalfew.data.sources.protocol import BATCH_ROWS, asked, check_columns, check_header, chosen
from vitalfew.exceptions import DataFileError
from vitalfew.support.arrow import check_arrow
from vitalfew.support.checks import check_choice
from vitalfew.support.outputs import matching_files

if TYPE_CHECKING:
    import pyarrow as pa

# Size of the block from which the types of CSV columns are inferred, and the maximum size of a row.
CSV_BLOCK = 8 << 20


def find_files(paths: Sequence[str | os.PathLike], format: str | None) -> tuple[list[str], str]:
    """Return all matching files, in order, and their common format."""
    if format is not None:
        check_choice("format", format, FORMATS)
    found = [file for path in paths for file in _files_of(Path(path))]
    for file in found:
        if check_file(Path(file)):
            raise DataFileError(f"{file!r} is a pipe, which can only be read once; write it to a file first.")
    kinds = {format or recognize_format(Path(file)): file for file in found}
    if len(kinds) > 1:
        raise DataFileError(
            f"{' and '.join(map(repr, list(kinds.values())[:2]))} have different formats; pass files of one format."
        )
    kind = next(iter(kinds))
    if kind in ("duckdb", "sqlite") and len(found) > 1:
        raise DataFileError(f"{found[0]!r} is a database; pass one database at a time.")
    return found, kind


def _files_of(path: Path) -> list[str]:
    found = matching_files(path)
    if not found and path.is_dir():
        raise DataFileError(f"{str(path)!r} is a directory without Parquet files; pass the paths of files in it.")
    if not found:
        raise FileNotFoundError(f"no file matches {str(path)!r}.")
    return found


class DatasetSource:
    """Parquet or Arrow files; the subfolder names of a folder, such as ``year=2024/``, add columns."""

    def __init__(self, name: str, paths: list[str], kind: str, folder: Any = None):
        pa, dataset = import_module("pyarrow"), import_module("pyarrow.dataset")
        self.name, self.kind = name, kind
        form = dataset.ParquetFileFormat() if kind == "parquet" else dataset.IpcFileFormat()
        with arrow_errors(paths[0], kind):
            base = None if folder is None else os.path.abspath(folder)
            files = [os.path.abspath(p) for p in paths]
            partitions = None if folder is None else "hive"
            found = dataset.dataset(files, format=form, partitioning=partitions, partition_base_dir=base)
        schemas = []
        for path, fragment in zip(paths, found.get_fragments()):
            with arrow_errors(path, kind):
                check_header(fragment.physical_schema.names, path)
                schemas.append(fragment.physical_schema.remove_metadata())
        for path, schema in zip(paths, schemas):
            for lacking in set(schemas[0].names) ^ set(schema.names):
                lacks, has = (path, paths[0]) if lacking in schemas[0].names else (paths[0], path)
                raise DataFileError(
                    f"{lacks!r} has no column {lacking!r}, but {has!r} has; all files must have the same columns."
                )
        try:
            self._schema = pa.unify_schemas([found.schema.remove_metadata(), *schemas], promote_options="permissive")
        except pa.ArrowException as error:
            raise DataFileError(f"the files of {name!r} have columns of different types ({error}).") from error
        self.dataset = found
        self.share = 1.0

    def within(self, memory: int) -> DatasetSource:
        """Return the same rows, with less memory for reading if the budget is small."""
        other = copy(self)
        other.share = min(1.0, memory / USUAL_BUDGET)
        return other

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self.schema(), columns, known, missing)
        read = asked(self.schema(), columns, known, missing)
        scan = self._parquet_batches if self.kind == "parquet" else self._arrow_batches
        for fragment in self.dataset.get_fragments():
            with arrow_errors(fragment.path, self.kind):
                if self.kind == "parquet" and (condition := _condition(known, missing)) is not None:
                    fragment = fragment.subset(filter=condition, schema=self.schema())
                # Filter rows and convert types after the check, never before.
                checked = (
                    self._converted(batch) for batch in _checked(scan(fragment, read, batch_rows), fragment.path)
                )
                yield from chosen(
                    checked, self.schema().names if columns is None else columns, known, missing, batch_rows
                )

    def _parquet_batches(self, fragment, read: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
        pa = import_module("pyarrow")
        stored = [name for name in read if name in fragment.physical_schema.names]
        told = import_module("pyarrow.dataset").get_partition_keys(fragment.partition_expression)
        known = {name: pa.scalar(told.get(name), self.schema().field(name).type) for name in read if name not in stored}
        for batch in parquet_batches(fragment, stored, batch_rows, self.share):
            n = batch.num_rows
            arrays = [pa.repeat(known[name], n) if name in known else batch.column(name) for name in read]
            # Without columns, the batch still carries its number of rows.
            yield pa.RecordBatch.from_arrays(arrays, names=read) if read else batch.select([])

    def _arrow_batches(self, fragment, read: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
        schema = self._stored_schema(fragment)
        yield from fragment.scanner(schema=schema, columns=read, batch_size=batch_rows, batch_readahead=2).to_batches()

    def _stored_schema(self, fragment) -> pa.Schema:
        """Return the schema with the types stored in the file; partition columns are not stored in it."""
        own = fragment.physical_schema
        return import_module("pyarrow").schema([own.field(f.name) if f.name in own.names else f for f in self.schema()])

    def _converted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        wanted = import_module("pyarrow").schema([self.schema().field(name) for name in batch.schema.names])
        return batch if batch.schema.types == wanted.types else batch.cast(wanted)

    def n_rows(self) -> int:
        with arrow_errors(self.name, self.kind):
            return self.dataset.count_rows()


class StreamSource:
    """Arrow IPC streams, which hold one batch after another without an index."""

    def __init__(self, name: str, paths: list[str]):
        self.name, self.paths = name, paths
        schemas = []
        for path in paths:
            with arrow_errors(path, "arrow"), _opened_stream(path) as reader:
                check_header(reader.schema.names, path)
                schemas.append(reader.schema)
        for path, schema in zip(paths, schemas):
            if not schema.equals(schemas[0]):
                raise DataFileError(
                    f"{path!r} and {paths[0]!r} have different columns; all files must have the same columns."
                )
        self._schema = schemas[0]

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self._schema, columns, known, missing)
        read = asked(self._schema, columns, known, missing)
        for path in self.paths:
            with arrow_errors(path, "arrow"), _opened_stream(path) as reader:
                kept = (batch.select(read) for batch in reader)
                yield from chosen(_checked(kept, path), columns, known, missing, batch_rows)

    def n_rows(self) -> None:
        return None


def _condition(known: str | None, missing: str | None) -> Any:
    field = import_module("pyarrow.compute").field
    condition = None if known is None else field(known).is_valid()
    if missing is not None:
        condition = field(missing).is_null() if condition is None else condition & field(missing).is_null()
    return condition


def _checked(batches: Iterable[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        check_arrow(batch, repr(path), DataFileError)
        yield batch


def are_streams(paths: list[str]) -> bool:
    """Return True if no file has the magic bytes of an Arrow file, which holds an index of its batches."""
    for path in paths:
        with open(path, "rb") as file:
            if file.read(6) == b"ARROW1":
                return False
    return True


@contextmanager
def _opened_stream(path: str) -> Iterator[pa.RecordBatchReader]:
    pa = import_module("pyarrow")
    # Do not map the file into memory: it could change after the check.
    with pa.OSFile(path) as file, pa.ipc.open_stream(file) as reader:
        yield reader


class CsvSource:
    """CSV or TSV files with the same header, compressed or not; types are given or inferred from the first 8 MB."""

    def __init__(
        self,
        name: str,
        paths: list[str],
        na: Sequence[str],
        encoding: str,
        delimiter: str | None,
        types: Mapping[str, Any],
    ):
        self.name, self.paths, self.na, self.encoding, self.delimiter = name, paths, na, encoding, delimiter
        pa = import_module("pyarrow")
        with self._opened(paths[0], {}) as reader:
            self.header = {n.strip(): n for n in reader.schema.names}
            check_header([n.strip() for n in reader.schema.names], paths[0])
            check_encoding(reader.schema, Content(pa, paths[0]), paths[0])
            found = {n.strip(): t for n, t in zip(reader.schema.names, reader.schema.types)}
        from vitalfew.support.suggest import check_names

        check_names(types, list(found))
        found |= {n: pa.type_for_alias(t) if isinstance(t, str) else t for n, t in types.items()}
        # A column without values so far is read as text, which can hold anything.
        self._schema = pa.schema([(n, pa.string() if pa.types.is_null(t) else t) for n, t in found.items()])

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self._schema, columns, known, missing)
        read = asked(self._schema, columns, known, missing)
        for path in self.paths:
            with self._opened(path, {n: self._schema.field(n).type for n in read}) as reader:
                blocks = (block.rename_columns(read) for block in reader)
                yield from chosen(blocks, columns, known, missing, batch_rows)

    def n_rows(self) -> None:
        return None

    @contextmanager
    def _opened(self, path: str, types: dict[str, pa.DataType]) -> Iterator[pa.RecordBatchReader]:
        """Open a reader for all columns, or for those with given types; errors while reading name the location."""
        arrow_csv = import_module("pyarrow.csv")
        content = Content(import_module("pyarrow"), path)
        options: dict[str, Any] = {}

        def parse() -> None:
            with content.open() as stream, arrow_csv.open_csv(stream, **options) as reader:
                for _ in reader:
                    continue

        names: list[str] = []
        with csv_errors(path, self.encoding, options, parse, names):
            options |= csv_options(content, path, self.na, self.encoding, self.delimiter)
            options["read_options"].block_size = CSV_BLOCK
            if types:
                names += self._names(path, options)
                stripped = {n.strip(): n for n in names}
                if lacking := [n for n in types if n not in stripped]:
                    raise DataFileError(f"{path!r} has no column {lacking[0]!r}, but {self.paths[0]!r} has.")
                options["convert_options"].include_columns = [stripped[n] for n in types]
                options["convert_options"].column_types = {stripped[n]: t for n, t in types.items()}
            with content.open() as stream, arrow_csv.open_csv(stream, **options) as reader:
                yield reader

    def _names(self, path: str, options: dict[str, Any]) -> list[str]:
        if path == self.paths[0]:
            return list(self.header.values())
        arrow_csv = import_module("pyarrow.csv")
        with Content(import_module("pyarrow"), path).open() as stream, arrow_csv.open_csv(stream, **options) as reader:
            check_header([n.strip() for n in reader.schema.names], path)
            return reader.schema.names
