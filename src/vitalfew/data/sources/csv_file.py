"""CSV with errors that say which row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.exceptions import DataFileError

if TYPE_CHECKING:
    import pyarrow as pa

NA = ("", "NA", "NaN", "null", "?")
DELIMITERS = ",;\t|"


def read_csv(source: Any, name: str, na: tuple[str, ...], encoding: str, delimiter: str | None) -> pa.Table:
    """A table; `source` is the name of a file, packed or not, or a stream of bytes."""
    pa, arrow_csv = import_module("pyarrow"), import_module("pyarrow.csv")
    content = Content(pa, source)
    options: dict[str, Any] = {}

    def parse() -> Any:
        with content.open() as stream:
            return arrow_csv.read_csv(stream, **options)

    with csv_errors(name, encoding, options, parse):
        options.update(csv_options(content, name, na, encoding, delimiter))
        table = parse()
    check_encoding(table.schema, content, name)
    return table.rename_columns([c.strip() for c in table.column_names])


def csv_options(content: Content, name: str, na: Sequence[str], encoding: str, delimiter: str | None) -> dict[str, Any]:
    """What Arrow's readers of CSV are told."""
    arrow_csv = import_module("pyarrow.csv")
    head = content.head()
    if not head.strip(b"\xef\xbb\xbf \r\n"):
        raise DataFileError(f"{name!r} is empty.")
    spellings = [*na, *(f" {v}" for v in na if v)]
    return {
        "read_options": arrow_csv.ReadOptions(encoding=encoding),
        # A text may hold the end of a line.
        "parse_options": arrow_csv.ParseOptions(
            delimiter=delimiter or _delimiter(head, encoding), newlines_in_values=True
        ),
        "convert_options": arrow_csv.ConvertOptions(null_values=spellings, strings_can_be_null=True),
    }


@contextmanager
def csv_errors(
    name: str, encoding: str, options: dict[str, Any], parse: Callable[[], Any], columns: Sequence[str] = ()
) -> Iterator[None]:
    """Whatever goes wrong with CSV in one sentence; `parse` reads it again with the `options`, to find the place."""
    pa = import_module("pyarrow")
    try:
        yield
    except UnicodeError as error:
        why = getattr(error, "reason", error)
        raise DataFileError(f"{name!r} is not {encoding}: {why}; name its encoding, say latin-1.") from error
    except (pa.ArrowException, OSError) as error:
        raise DataFileError(f"{name!r} cannot be read: {_reason(options, parse, error, columns)}.") from error
    except LookupError as error:
        raise DataFileError(f"there is no encoding {encoding!r}; try utf-8 or latin-1.") from error


class Content:
    """Bytes that can be read more than once."""

    def __init__(self, pa, source):
        self.pa, self.source = pa, source

    def open(self):
        if isinstance(self.source, str):
            return self.pa.input_stream(self.source, compression="detect")
        self.source.seek(0)
        return _KeptOpen(self.source)

    def head(self, size: int = 1 << 16) -> bytes:
        with self.open() as stream:
            return stream.read(size)


class _KeptOpen(io.BytesIO):
    """A view of the bytes of a stream, which stays open when this is closed."""

    def __init__(self, stream: io.BytesIO):
        super().__init__(stream.getbuffer())


def _delimiter(head: bytes, encoding: str) -> str:
    """A comma, unless the header has none and another one is there."""
    header = head.decode(encoding, errors="replace").splitlines()[0]
    widths = {d: len(next(csv.reader([header], delimiter=d), [])) for d in DELIMITERS}
    return "," if widths[","] > 1 else max(DELIMITERS, key=lambda d: widths[d])


def _reason(options: dict[str, Any], parse: Callable[[], Any], error: Exception, columns: Sequence[str]) -> str:
    """What is wrong, with the row where that is known: the file is read again to find it, slowly."""
    if "\ufffd" in str(error):  # Arrow could not hand over such a row
        return "a row has not the values that the header has, and it is not UTF-8; name its encoding, say latin-1"
    rows: list[Any] = []

    def note(row) -> str:
        rows.append(row)
        return "error"

    if "parse_options" in options:
        options["parse_options"].invalid_row_handler = note
        options["read_options"].use_threads = False
        try:
            parse()
        except Exception as placed:  # the same one, with its place
            error = placed
    if rows:
        return (
            f"row {rows[0].number} has {rows[0].actual_columns} value(s) where the header has "
            f"{rows[0].expected_columns}; correct that row, or quote values that hold the delimiter"
        )
    misfit = _MISFIT.search(str(error))
    if misfit and int(misfit["column"]) < len(columns):
        column = columns[int(misfit["column"])]
        place, value = f"row {misfit['row']} of column {column!r}", misfit["value"]
        if "UTF8" in value:
            return f"{place} is not UTF-8; name its encoding, say latin-1"
        return (
            f"{place} holds {value.removeprefix('invalid value ')}, the rows before it {misfit['type']}; "
            f"correct that row, or give types={{{column!r}: 'string'}}"
        )
    if "straddling object" in str(error):
        return "it has a value too long for CSV that is read in parts, or a quote that nothing closes; try Parquet"
    return str(error).splitlines()[0].rstrip(".")


_MISFIT = re.compile(
    r"In CSV column #(?P<column>\d+): Row #(?P<row>\d+): CSV conversion error to (?P<type>[^:]+): (?P<value>.+)"
)


def check_encoding(schema: pa.Schema, content: Content, name: str) -> None:
    """Arrow reads text that is not UTF-8 as bytes: that is where it is wrong."""
    pa = content.pa
    try:
        broken = [n for n, t in zip(schema.names, schema.types) if pa.types.is_binary(t)]
    except UnicodeDecodeError:
        broken = ["of the header"]
    if not broken:
        return
    with content.open() as stream:
        for number, line in enumerate(io.BufferedReader(stream), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataFileError(
                    f"{name!r} is not UTF-8: line {number}, byte {error.start + 1} is 0x{line[error.start]:02x} "
                    f"(column {broken[0]!r}); name its encoding (--encoding latin-1, or another)."
                ) from None
