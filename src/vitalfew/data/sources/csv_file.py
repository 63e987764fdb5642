"""CSV reading with errors that name the row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.exceptions import DataFileError
from vitalfew.support.checks import MOST_EXACT

if TYPE_CHECKING:
    import pyarrow as pa

NA = ("", "NA", "NaN", "null", "?")
DELIMITERS = ",;\t|"


def read_csv(source: Any, name: str, na: tuple[str, ...], encoding: str, delimiter: str | None) -> pa.Table:
    """Read a table; `source` is a file name, compressed or not, or a stream of bytes."""
    pa, arrow_csv = import_module("pyarrow"), import_module("pyarrow.csv")
    content = Content(pa, source)
    options: dict[str, Any] = {}

    def parse() -> Any:
        with content.open() as stream:
            return arrow_csv.read_csv(stream, **options)

    with csv_errors(name, encoding, options, parse):
        options.update(csv_options(content, name, na, encoding, delimiter))
        table = parse()
        table = _with_long_integers(table, parse, options)
    check_encoding(table.schema, content, name)
    return table.rename_columns([c.strip() for c in table.column_names])


def _with_long_integers(table: pa.Table, parse: Callable[[], Any], options: dict[str, Any]) -> pa.Table:
    """Return the table with integers as text where they are so long that different ones are equal as floats."""
    pa, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    long = []
    for name, column in zip(table.column_names, table.columns):
        if column.type == pa.float64():
            least = compute.min(compute.abs(column)).as_py()
            long += [name] if least is not None and least > MOST_EXACT else []
    if not long or len(set(table.column_names)) < table.num_columns:
        return table
    convert = options["convert_options"]
    convert.include_columns, convert.column_types = long, dict.fromkeys(long, pa.string())
    for name, text in zip(long, parse().columns):
        is_whole = compute.all(compute.match_substring_regex(text, r"^\s*[-+]?[0-9]+\s*$")).as_py()
        if is_whole and compute.count_distinct(text).as_py() > compute.count_distinct(table[name]).as_py():
            table = table.set_column(table.column_names.index(name), name, text)
    return table


def csv_options(content: Content, name: str, na: Sequence[str], encoding: str, delimiter: str | None) -> dict[str, Any]:
    """Return the options for Arrow's CSV readers."""
    arrow_csv = import_module("pyarrow.csv")
    head = content.head()
    if not head.strip(b"\xef\xbb\xbf \r\n"):
        raise DataFileError(f"{name!r} is empty.")
    spellings = [*na, *(f" {v}" for v in na if v)]
    return {
        "read_options": arrow_csv.ReadOptions(encoding=encoding),
        # Quoted text may contain line breaks.
        "parse_options": arrow_csv.ParseOptions(
            delimiter=delimiter or _delimiter(head, encoding), newlines_in_values=True
        ),
        "convert_options": arrow_csv.ConvertOptions(null_values=spellings, strings_can_be_null=True),
    }


@contextmanager
def csv_errors(
    name: str, encoding: str, options: dict[str, Any], parse: Callable[[], Any], columns: Sequence[str] = ()
) -> Iterator[None]:
    """Convert CSV errors to one sentence; `parse` reads the data again with `options` to locate the error."""
    pa = import_module("pyarrow")
    try:
        yield
    except UnicodeError as error:
        why = getattr(error, "reason", error)
        raise DataFileError(
            f"{name!r} is not {encoding}: {why}; specify its encoding, for instance latin-1."
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise DataFileError(f"{name!r} cannot be read: {_reason(options, parse, error, columns)}.") from error
    except LookupError as error:
        raise DataFileError(f"unknown encoding {encoding!r}; try utf-8 or latin-1.") from error


class Content:
    """Byte content that can be read more than once."""

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
    """View of the bytes of a stream that stays open when this view is closed."""

    def __init__(self, stream: io.BytesIO):
        super().__init__(stream.getbuffer())


def _delimiter(head: bytes, encoding: str) -> str:
    """Return a comma, unless the header contains none but another delimiter."""
    header = head.decode(encoding, errors="replace").splitlines()[0]
    widths = {d: len(next(csv.reader([header], delimiter=d), [])) for d in DELIMITERS}
    return "," if widths[","] > 1 else max(DELIMITERS, key=lambda d: widths[d])


def _reason(options: dict[str, Any], parse: Callable[[], Any], error: Exception, columns: Sequence[str]) -> str:
    """Describe an error, with its row if known; the data is read again, slowly, to find it."""
    if "\ufffd" in str(error):  # Arrow cannot pass such a row to the handler
        return "a row does not match the header and is not UTF-8; specify its encoding, for instance latin-1"
    rows: list[Any] = []

    def note(row) -> str:
        rows.append(row)
        return "error"

    if "parse_options" in options:
        options["parse_options"].invalid_row_handler = note
        options["read_options"].use_threads = False
        try:
            parse()
        except Exception as placed:  # the same error, with its location
            error = placed
    if rows:
        return (
            f"row {rows[0].number} has {rows[0].actual_columns} value(s), but the header has "
            f"{rows[0].expected_columns}; correct that row, or quote values that contain the delimiter"
        )
    misfit = _MISFIT.search(str(error))
    if misfit and int(misfit["column"]) < len(columns):
        column = columns[int(misfit["column"])]
        place, value = f"row {misfit['row']} of column {column!r}", misfit["value"]
        if "UTF8" in value:
            return f"{place} is not UTF-8; specify its encoding, for instance latin-1"
        return (
            f"{place} is {value.removeprefix('invalid value ')}, but earlier rows are of type {misfit['type']}; "
            f"correct that row, or pass types={{{column!r}: 'string'}}"
        )
    if "straddling object" in str(error):
        return "it has an unclosed quote, or a value too long for reading CSV in blocks; try Parquet"
    return str(error).splitlines()[0].rstrip(".")


_MISFIT = re.compile(
    r"In CSV column #(?P<column>\d+): Row #(?P<row>\d+): CSV conversion error to (?P<type>[^:]+): (?P<value>.+)"
)


def check_encoding(schema: pa.Schema, content: Content, name: str) -> None:
    """Raise with the location of the first invalid byte if Arrow read text as bytes because it is not UTF-8."""
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
                    f"(column {broken[0]!r}); specify its encoding (--encoding latin-1, or another)."
                ) from None
