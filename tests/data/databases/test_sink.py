"""A table that is written is there whole, or not at all: whatever happens to the process, the server or the disk."""

import datetime
import signal
import subprocess
import sys

import pyarrow as pa
import pytest

from postgres import run
from vitalfew.data.databases.open import open_database
from vitalfew.data.sink import open_sink
from vitalfew.data.source import open_source
from vitalfew.exceptions import DataFileError

pytest.importorskip("duckdb")
pytest.importorskip("adbc_driver_sqlite")

ROWS = pa.record_batch({"id": [1, 2, 3], "label": ["+", None, "-"]})


def rows_of(database, table="t"):
    batches = open_source(database, table=table).batches()
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def fill(database, table="t", batch=ROWS, **options):
    with open_sink(database, table, batch.schema, **options) as sink:
        sink.write(batch)


def test_what_is_written_is_read(database):
    batch = pa.record_batch(
        {
            "whole": pa.array([1, -(2**63), None], pa.int64()),
            "number": [0.1, None, -1e300],
            "text": ["a 'quote'", "", None],
            "long": pa.array(["a", "b", None], pa.large_string()),
            "code": pa.array(["a", "b", "a"]).dictionary_encode(),
            "small": pa.array([1, 2, 3], pa.int16()),
            "bytes": [b"\x00\xff", b"", None],
        }
    )
    with open_sink(database, "t", batch.schema) as sink:
        sink.write(batch)
        sink.write(batch[:0])
        sink.write(batch[1:])
        with pytest.raises(ValueError, match="expected the columns of the table"):
            sink.write(batch.select(["whole"]))
    found = open_source(database).batches()
    assert [row for part in found for row in part.to_pylist()] == batch.to_pylist() + batch[1:].to_pylist()
    times = pa.record_batch({"day": [datetime.date(2024, 2, 29)], "yes": [True]})
    fill(database, "times", times)
    ((day, yes),) = rows_of(database, "times")
    assert (str(day), bool(yes)) == ("2024-02-29", True)
    with open_sink(database, "empty", batch.schema):
        pass
    assert open_source(database, table="empty").schema().names == batch.schema.names
    assert rows_of(database, "empty") == []


def test_the_database_that_is_read(database):
    many = pa.table({"id": range(200_000), "body": [f"some words {i}" for i in range(200_000)]})
    fill(database, batch=many.combine_chunks().to_batches()[0])
    with open_database(database) as opened:
        source = opened.source("t")
        with opened.sink("u", pa.schema([("id", pa.int64()), ("n", pa.int64())])) as sink:
            for batch in source.batches(batch_rows=10_000):
                sink.write(pa.record_batch({"id": batch["id"], "n": batch["id"]}))
        assert sum(batch.num_rows for batch in opened.source("u").batches()) == 200_000
        assert sum(batch.num_rows for batch in source.batches()) == 200_000
    assert run(database, "select count(*), sum(id), sum(n) from u") == run(
        database, "select count(*), sum(id), sum(id) from t"
    )


def test_an_error_leaves_nothing(database):
    fill(database, "kept")
    for error in (RuntimeError("mine"), KeyboardInterrupt(), pa.ArrowInvalid("mine"), GeneratorExit()):
        with open_database(database) as opened:
            with pytest.raises(type(error)) as caught, opened.sink("t", ROWS.schema) as sink:  # noqa: PT012
                sink.write(ROWS)
                raise error
            assert caught.value is error
            assert list(opened.tables()) == ["kept"]
            with opened.sink("t", ROWS.schema) as sink:
                sink.write(ROWS)
        assert len(rows_of(database, "t")) == 3
        run(database, "drop table t")
    assert len(rows_of(database, "kept")) == 3
    with (
        pytest.raises(ValueError, match="was opened read-only"),
        open_database(database, read_only=True) as opened,
        opened.sink("t", ROWS.schema),
    ):
        pass


def test_a_table_that_is_there(database):
    fill(database)
    with pytest.raises(DataFileError, match="already has a table 't'; choose another name, or replace it"):
        fill(database, batch=ROWS[:1])
    assert len(rows_of(database)) == 3
    with pytest.raises(RuntimeError), open_sink(database, "t", ROWS.schema, replace=True) as sink:  # noqa: PT012
        sink.write(ROWS[:1])
        raise RuntimeError
    assert len(rows_of(database)) == 3
    fill(database, batch=pa.record_batch({"other": [7]}), replace=True)
    assert rows_of(database) == [(7,)]
    assert open_source(database).schema().names == ["other"]
    fill(database, "new", ROWS, replace=True)
    assert len(rows_of(database, "new")) == 3
    run(database, "create view seen as select * from new")
    with pytest.raises(DataFileError, match="cannot be written"):
        fill(database, "seen", replace=True)
    assert len(rows_of(database, "seen")) == 3


def test_names_that_a_table_cannot_have(database):
    with pytest.raises(DataFileError, match="two columns named 'a'"):
        fill(database, batch=pa.record_batch([[1], [2]], names=["a", "a"]))
    for name in ("a\0b", ""):
        with pytest.raises(DataFileError, match=r"is not a valid name .* rename it"):
            fill(database, batch=pa.record_batch({name: [1]}))
    for name in ("a\0b", "", "\ud800"):
        with pytest.raises(DataFileError, match=r"is not a valid name .* rename it"):
            fill(database, table=name)
    if "://" in database:
        with pytest.raises(DataFileError, match="at most 63 bytes, but 'éééééééééééééééééééé…' is longer"):
            fill(database, batch=pa.record_batch({"é" * 40: [1]}))
        with pytest.raises(DataFileError, match=r"cannot be written .*invalid byte sequence"):
            fill(database, batch=pa.record_batch({"a": ["nul \0 byte"]}))
        assert run(database, "select count(*) from pg_tables where schemaname = 'public'") == [(0,)]


KILLED = """
import os, signal, sys
import pyarrow as pa
from vitalfew.data.databases.open import open_database
database, is_killed = sys.argv[1], sys.argv[2] == "killed"
with open_database(database) as opened:
    source = opened.source("documents")
    with opened.sink("predicted", pa.schema([("id", pa.int64()), ("said", pa.string())])) as sink:
        for k, batch in enumerate(source.batches(["id", "body"], batch_rows=5_000)):
            sink.write(batch.rename_columns(["id", "said"]))
            if is_killed and k == 15:
                os.kill(os.getpid(), signal.SIGKILL)
"""


def documents(n=100_000):
    bodies = [f"some words that fill a page, number {i}" for i in range(n)]
    return pa.record_batch({"id": pa.array(range(n)), "body": bodies})


def test_a_process_that_is_killed(database):
    fill(database, "documents", documents())
    done = subprocess.run([sys.executable, "-c", KILLED, database, "killed"], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert open_source(database).schema().names == ["id", "body"]  # of the only table
    with open_database(database) as opened:
        assert list(opened.tables()) == ["documents"]
    assert run(database, "select count(*), max(id), min(length(body)) from documents") == [(100_000, 99_999, 37)]
    subprocess.run([sys.executable, "-c", KILLED, database, "whole"], check=True)
    assert run(database, "select count(*) from predicted p join documents d on p.id = d.id and p.said = d.body") == [
        (100_000,)
    ]


FULL_DISK = """
import os, resource, signal, sys
import pyarrow as pa
from vitalfew.data.sink import open_sink
from vitalfew.exceptions import DataFileError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = os.path.getsize(sys.argv[1]) + 2_000_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
n = 20_000
try:
    with open_sink(sys.argv[1], "t", pa.schema([("body", pa.string())])) as sink:
        for k in range(100):
            sink.write(pa.record_batch({"body": [os.urandom(50).hex() for i in range(n)]}))
except DataFileError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["t.duckdb", "t.sqlite"])
def test_a_disk_that_is_full(tmp_path, name):
    database = str(tmp_path / name)
    fill(database, "kept")
    done = subprocess.run([sys.executable, "-c", FULL_DISK, database], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "free disk space and start again" in done.stdout, done.stdout
    assert name in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert len(rows_of(database, "kept")) == 3
    fill(database)
    with open_database(database) as opened:
        assert sorted(opened.tables()) == ["kept", "t"]


def test_a_server_whose_disk_is_full(mortal_postgres):
    fill(mortal_postgres.address, "kept")
    mortal_postgres.stop()
    mortal_postgres.start(largest_file=20_000)
    with (  # noqa: PT012
        pytest.raises(DataFileError, match="free disk space and start again"),
        open_sink(mortal_postgres.address, "t", documents(1).schema) as sink,
    ):
        for _ in range(10):
            sink.write(documents())
    assert len(rows_of(mortal_postgres.address, "kept")) == 3
    with open_database(mortal_postgres.address) as opened:
        assert list(opened.tables()) == ["kept"]


@pytest.mark.parametrize("moment", ["before a batch", "before the end"])
def test_a_server_that_dies(mortal_postgres, moment):
    address = mortal_postgres.address
    fill(address, "kept")
    with (  # noqa: PT012
        pytest.raises(DataFileError, match="check that the server is running") as caught,
        open_sink(address, "t", ROWS.schema) as sink,
    ):
        sink.write(ROWS)
        mortal_postgres.stop("immediate")
        if moment == "before a batch":
            sink.write(ROWS)
    assert "secret" not in str(caught.value)
    mortal_postgres.start()
    with open_database(address) as opened:
        assert list(opened.tables()) == ["kept"]
    fill(address)
    assert len(rows_of(address)) == 3


def test_a_file_that_another_process_writes(tmp_path):
    hold = (
        "import sys; from vitalfew.data.databases.open import open_database\n"
        "with open_database(sys.argv[1]): print('open', flush=True); sys.stdin.read()"
    )
    for name in ("t.duckdb", "t.sqlite"):
        path = str(tmp_path / name)
        fill(path)
        with subprocess.Popen(
            [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            assert other.stdout.readline() == "open\n"
            with pytest.raises(DataFileError, match="in use by another process; wait until"):
                fill(path, "u")
            other.stdin.close()
        fill(path, "u")
