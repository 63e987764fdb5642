"""Fuzz `read_file` and `open_source` with arbitrary bytes, and DuckDB with hostile table and column names.

Damaged CSV, Parquet, Arrow and packed files: a table that can be used, or a `DataFileError` of one sentence. Bytes are
changed, and words of 4 and 8 bytes, which offsets, lengths and indices are. Names come back as they were, and no other
table is touched. A crash ends the process: ``run.py`` keeps the input that was given last.
"""

import gzip
import io
import os
import tempfile
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from inputs import Inputs

from vitalfew.data.files import read_file
from vitalfew.data.sink import open_sink
from vitalfew.data.source import open_source
from vitalfew.exceptions import DataFileError

CSV = b'age,colour,"a ""name"""\n31,red,1.5\n?,"blue\nsky",-2e300\n7,,nan\n'
ENCODINGS = ("utf-8", "latin-1", "utf-16", "ascii", "no such", "utf-8-sig")
MARKS = [
    '"',
    "'",
    ";",
    "--",
    "/*",
    "\0",
    "\n",
    "drop table kept",
    "\\",
    ".",
    "]",
    "`",
    "é",
    "\ud800",
    "%s",
    "?",
    "$1",
    "{",
    " ",
]


@cache
def golden() -> list[tuple[str, bytes]]:
    table = pa.table({"x": range(50), "y": ["a", None, "ccc", "d", ""] * 10, "z": [0.5, float("nan")] * 25})
    found = [(".csv", CSV), (".tsv", CSV.replace(b",", b"\t")), (".csv.gz", gzip.compress(CSV, mtime=0))]
    tables = [table, _tables_of_text()]
    writers = ((".parquet", _write_parquet), (".arrow", _write_file), (".feather", _write_stream))
    for suffix, write in writers:
        for rows in tables:
            held = io.BytesIO()
            write(rows, held)
            found.append((suffix, held.getvalue()))
    return found


def _tables_of_text() -> pa.Table:
    """Return columns read by offsets and indices, long enough that most words of a file belong to their buffers."""
    words = pa.array(["a", None, "ccc", "d" * 20, ""] * 40)
    return pa.table(
        {
            "words": words,
            "large": words.cast(pa.large_string()),
            "view": words.cast(pa.string_view()),
            "coded": words.dictionary_encode(),
            "lists": pa.array([[1, 2], None, [], [3]] * 50),
            "coded lists": pa.array([["u"], ["v", "u"]] * 100, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        }
    )


def _write_parquet(table, to) -> None:
    """Write without compression and checksums, which would reject most changes before decoding."""
    pq.write_table(_without_views(table), to, compression="none")


def _without_views(table) -> pa.Table:
    return table.drop_columns([f.name for f in table.schema if pa.types.is_string_view(f.type)])


def _write_file(table, to) -> None:
    with pa.ipc.new_file(to, table.schema) as writer:
        writer.write_table(table)


def _write_stream(table, to) -> None:
    with pa.ipc.new_stream(to, table.schema) as writer:
        writer.write_table(table)


@cache
def folder() -> Path:
    """Return a temporary folder, in memory if the system supports it."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    _kept.append(tempfile.TemporaryDirectory(dir=place))
    return Path(_kept[0].name)


_kept: list[tempfile.TemporaryDirectory] = []


def check_file(inputs: Inputs) -> None:
    suffix, raw = inputs.choice(golden())
    changed = bytearray(raw)
    for _ in range(1 + inputs.below(4)):
        at = inputs.whole(3) % (len(changed) + 1)
        if inputs.below(2):
            change_word(changed, at, inputs)
        else:
            changed[at : at + inputs.choice([0, 1, 1, 2, 8, 10**6])] = inputs.some(inputs.below(9))
    path = folder() / f"f{suffix}"
    path.write_bytes(changed)
    encoding = inputs.choice(ENCODINGS) if inputs.below(4) == 0 else "utf-8"
    try:
        if inputs.below(2):
            use(read_file(path, encoding=encoding))
        else:
            source = open_source(path, encoding=encoding)
            wanted = {inputs.choice(["known", "missing"]): source.schema().names[0]} if inputs.below(2) else {}
            for batch in source.batches(**wanted):
                use(batch)
    except DataFileError as error:
        assert str(error), "an error without a message"


def change_word(changed: bytearray, at: int, inputs: Inputs) -> None:
    """Set an aligned word of 4 or 8 bytes to a boundary value, change it by one, or swap it with the next."""
    width = inputs.choice([4, 8])
    at -= at % width
    word, after = changed[at : at + width], changed[at + width : at + 2 * width]
    if len(word) < width:
        return
    value = int.from_bytes(word, "little", signed=True)
    how = inputs.below(10)
    if how == 0:
        changed[at : at + width + len(after)] = after + word
        return
    largest = 1 << (8 * width - 1)
    values = [0, -1, value + 1, value - 1, 2 * value, len(changed), 1 << 20, 1 << 30, largest - 1]
    new = (values[how - 1] + largest) % (2 * largest) - largest
    changed[at : at + width] = new.to_bytes(width, "little", signed=True)


def use(rows: pa.Table | pa.RecordBatch) -> None:
    """Read every value, so that an access outside a buffer crashes here. Text need not be UTF-8."""
    for column in rows.columns:
        try:
            column.to_pylist()
        except (UnicodeDecodeError, ValueError, OverflowError) as error:
            assert not isinstance(error, pa.ArrowException), error  # dates that Python has not, bytes that are no text


def name(inputs: Inputs) -> str:
    return "".join(inputs.choice(MARKS) if inputs.below(2) else inputs.text(5) for _ in range(1 + inputs.below(4)))


@cache
def database() -> duckdb.DuckDBPyConnection:
    """Return a database shared by all inputs, each of which drops its tables."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute("create table kept as select 7 as x")
    return connection


def check_names(inputs: Inputs) -> None:
    names, connection = [name(inputs), name(inputs)], database()
    try:
        batch = pa.record_batch({names[1]: [1, 2], "y": ["a'b", None]})
    except (ValueError, pa.ArrowException):
        return  # lone surrogates: Arrow has no such names
    try:
        with open_sink(connection, names[0], batch.schema) as sink:
            sink.write(batch)
        found = open_source(connection, table=names[0])
        assert found.schema().names == batch.schema.names, names
        assert sum(part.num_rows for part in found.batches()) == 2
    except (DataFileError, ValueError) as error:
        assert str(error), "an error without a message"
    assert connection.execute("select x from kept").fetchall() == [(7,)], names
    for place in connection.execute("select schema_name, table_name from duckdb_tables()").fetchall():
        if place[1] != "kept":
            connection.execute("drop table " + ".".join('"' + part.replace('"', '""') + '"' for part in place))


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    (check_names if inputs.below(8) == 0 else check_file)(inputs)
