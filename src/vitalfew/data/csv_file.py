"""CSV with errors that say which row."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
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
    content = _Content(pa, source)
    options: dict[str, Any] = {}
    try:
        head = content.head()
        if not head.strip(b"\xef\xbb\xbf \r\n"):
            raise DataFileError(f"{name!r} is empty.")
        delimiter = delimiter or _delimiter(head, encoding)
        spellings = [*na, *(f" {v}" for v in na if v)]
        options = {
            "read_options": arrow_csv.ReadOptions(encoding=encoding),
            # A text may hold the end of a line.
            "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            "convert_options": arrow_csv.ConvertOptions(null_values=spellings, strings_can_be_null=True),
        }
        table = _parsed(arrow_csv, content, options)
    except UnicodeDecodeError as error:
        raise DataFileError(f"{name!r} is not {encoding}: {error.reason}; name its encoding, say latin-1.") from error
    except LookupError as error:
        raise DataFileError(f"there is no encoding {encoding!r}; try utf-8 or latin-1.") from error
    except (pa.ArrowException, OSError) as error:
        raise DataFileError(f"{name!r} cannot be read: {_reason(arrow_csv, content, options, error)}.") from error
    _check_encoding(table, content, name)
    return table.rename_columns([c.strip() for c in table.column_names])


class _Content:
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


def _parsed(arrow_csv, content: _Content, options: dict[str, Any]) -> pa.Table:
    with content.open() as stream:
        return arrow_csv.read_csv(stream, **options)


def _reason(arrow_csv, content: _Content, options: dict[str, Any], error: Exception) -> str:
    """What is wrong, with the row where that is known: the file is read again to find it, slowly."""
    rows: list[Any] = []

    def note(row) -> str:
        rows.append(row)
        return "error"

    if "parse_options" in options:
        options["parse_options"].invalid_row_handler = note
        options["read_options"].use_threads = False
        with suppress(Exception):  # the error is known, its place is looked for
            _parsed(arrow_csv, content, options)
    if not rows:
        return str(error).splitlines()[0].rstrip(".")
    row = rows[0]
    return (
        f"row {row.number} has {row.actual_columns} value(s) where the header has {row.expected_columns}; "
        "correct that row, or quote values that hold the delimiter"
    )


def _check_encoding(table: pa.Table, content: _Content, name: str) -> None:
    """Arrow reads text that is not UTF-8 as bytes: that is where it is wrong."""
    pa = content.pa
    broken = [n for n, t in zip(table.column_names, table.schema.types) if pa.types.is_binary(t)]
    if not broken:
        return
    with content.open() as stream:
        for number, line in enumerate(io.BytesIO(stream.read()), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataFileError(
                    f"{name!r} is not UTF-8: line {number}, byte {error.start + 1} is 0x{line[error.start]:02x} "
                    f"(column {broken[0]!r}); name its encoding (--encoding latin-1, or another)."
                ) from None
