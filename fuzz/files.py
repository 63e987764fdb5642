"""Files of any bytes given to `read_file` and `open_source`; hostile names of tables and columns given to DuckDB.

Damaged CSV, Parquet, Arrow and packed files: a table, or a `DataFileError` of one sentence. Names come back as they
were, and no other table is touched.
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
    for suffix, write in ((".parquet", pq.write_table), (".arrow", _write_file), (".feather", _write_stream)):
        held = io.BytesIO()
        write(table, held)
        found.append((suffix, held.getvalue()))
    return found


def _write_file(table, to) -> None:
    with pa.ipc.new_file(to, table.schema) as writer:
        writer.write_table(table)


def _write_stream(table, to) -> None:
    with pa.ipc.new_stream(to, table.schema) as writer:
        writer.write_table(table)


@cache
def folder() -> Path:
    """In memory where the system has such a place."""
    place = "/dev/shm" if os.path.isdir("/dev/shm") else None
    _kept.append(tempfile.TemporaryDirectory(dir=place))
    return Path(_kept[0].name)


_kept: list[tempfile.TemporaryDirectory] = []


def check_file(inputs: Inputs) -> None:
    suffix, raw = inputs.choice(golden())
    changed = bytearray(raw)
    for _ in range(1 + inputs.below(4)):
        at = inputs.whole(3) % (len(changed) + 1)
        changed[at : at + inputs.choice([0, 1, 1, 2, 8, 10**6])] = inputs.some(inputs.below(9))
    path = folder() / f"f{suffix}"
    path.write_bytes(changed)
    encoding = inputs.choice(ENCODINGS) if inputs.below(4) == 0 else "utf-8"
    try:
        if inputs.below(2):
            read_file(path, encoding=encoding).validate(full=True)
        else:
            for batch in open_source(path, encoding=encoding).batches():
                batch.validate(full=True)
    except DataFileError as error:
        assert str(error), "an error without a message"
    except pa.ArrowInvalid as error:
        assert "nvalid" in str(error), error  # of validate(): the damage is inside of values, which no reader looks at


def name(inputs: Inputs) -> str:
    return "".join(inputs.choice(MARKS) if inputs.below(2) else inputs.text(5) for _ in range(1 + inputs.below(4)))


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for all inputs, each of which takes its tables away."""
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
