"""Databases as sources: DuckDB, SQLite and a real PostgreSQL server give the same rows, and only give."""

import os
import sqlite3
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from postgres import new_database, run
from vitalfew.data.databases.open import open_database
from vitalfew.data.databases.postgres import _without_password
from vitalfew.data.sink import open_sink
from vitalfew.data.source import open_source
from vitalfew.data.sources.protocol import Source
from vitalfew.exceptions import DataFileError

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("adbc_driver_sqlite")

HOSTILE = ['"; DROP TABLE x; --', "a\"b'c", "😀 é", "x" * 63, "new\nline", "%s", "a.b", "{}", "select", "$1"]
TABLE = pa.table(
    {
        "id": pa.array(range(10)),
        "body": ["good, film", None, 'a "quote"', "two\nlines", "é ü", "b", "c", "d", "", "f"],
        "x": [0.5, None, -1.0, 1e300, 0.0, 5.0, 6.0, 7.0, 8.0, 9.5],
        "label": [None, "+", None, None, "-", None, None, None, None, "+"],
        **{name: pa.array([f"{k} {i}" for i in range(10)]) for k, name in enumerate(HOSTILE)},
    }
)


def fill(database, table="t", rows=TABLE, batch_rows=4):
    with open_sink(database, table, rows.schema) as sink:
        for batch in rows.to_batches(max_chunksize=batch_rows):
            sink.write(batch)


def rows_of(source, *columns, **which):
    batches = list(source.batches(list(columns) or None, **which))
    return sorted((tuple(row.values()) for batch in batches for row in batch.to_pylist()), key=repr)


def plain(table):
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def test_every_engine_gives_the_same_rows(database):
    fill(database)
    for source in (
        open_source(database),
        open_source(database, query="select * from t; "),
        open_source(database, table="t"),
    ):
        assert isinstance(source, Source)
        assert source.schema().equals(TABLE.schema)
        assert source.n_rows() in (10, None)
        for _ in range(2):
            assert rows_of(source) == plain(TABLE)
        assert rows_of(source, "x", "id", batch_rows=3) == plain(TABLE.select(["x", "id"]))
        assert rows_of(source, "id", known="label") == [(1,), (4,), (9,)]
        assert rows_of(source, "id", missing="label", known="body") == [(i,) for i in (0, 2, 3, 5, 6, 7, 8)]
        for name in HOSTILE:
            assert rows_of(source, name, missing="body") == plain(TABLE.select([name])[1:2])
            assert rows_of(source, "id", missing=name) == []
        assert all(1 <= batch.num_rows <= 4 for batch in source.batches(batch_rows=4))
        with pytest.raises(ValueError, match="there is no column 'lable'; did you mean 'label'"):
            next(source.batches(known="lable"))
    empty = open_source(database, query="select id, body from t where 1 = 0 -- none")
    assert list(empty.batches()) == []


@pytest.mark.parametrize("table", [*HOSTILE, "y" * 200])
def test_a_hostile_table_is_only_a_name(database, table):
    if database.startswith("postgresql") and len(table) > 63:
        with pytest.raises(DataFileError, match="have at most 63 bytes"):
            fill(database, table)
        return
    run(database, "create table x (a integer)", "insert into x values (1)")
    fill(database, table)
    assert rows_of(open_source(database, table=table)) == plain(TABLE)
    assert rows_of(open_source(database, table="x")) == [(1,)]


def test_which_table(database):
    with (
        pytest.raises(FileNotFoundError, match="does not exist")
        if "://" not in database
        else pytest.raises(DataFileError, match="has no tables")
    ):
        open_source(database)
    run(database, "create table films (a integer)", "create view actors as select * from films")
    with pytest.raises(DataFileError, match=r"has 2 tables; select one of 'actors', 'films'"):
        open_source(database)
    with pytest.raises(DataFileError, match="has no table 'flims'; did you mean 'films'"):
        open_source(database, table="flims")
    with pytest.raises(ValueError, match="pass either a table or a query, not both"):
        open_source(database, table="films", query="select 1")
    assert rows_of(open_source(database, table="actors")) == []


@pytest.mark.parametrize(
    "query",
    [
        "drop table t",
        "delete from t",
        "update t set id = 0",
        "insert into t select * from t",
        "create table evil as select 1 as one",
        "select 1 as one; drop table t",
        "select 1 as one) as asked; drop table t; --",
        "with gone as (delete from t returning id) select * from gone",
        "attach 'evil.db' as evil",
        "select * from nowhere",
        "selec 1",
        "",
        "select 1 as a, 2 as a",
    ],
)
def test_a_query_only_reads(database, query, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(database)
    for read_only in (True, False):
        with open_database(database, read_only=read_only) as opened, pytest.raises(DataFileError) as caught:
            rows_of(opened.source(query=query))
        assert len(str(caught.value).splitlines()) == 1
    assert run(database, "select count(*) from t") == [(10,)]
    with open_database(database, read_only=True) as opened:
        assert list(opened.tables()) == ["t"]
    assert not (tmp_path / "evil.db").exists()


def test_two_readings_at_once_and_one_that_is_given_up(database):
    fill(database)
    with open_database(database) as opened:
        source = opened.source("t")
        first, second = source.batches(["id"], batch_rows=2), source.batches(["x"], batch_rows=3)
        assert next(first).num_rows <= 2
        assert next(second).num_rows <= 3
        assert next(first).num_rows <= 2
        first.close()
        assert sum(batch.num_rows for batch in second) >= 7


def test_all_readings_are_of_one_moment(database):
    fill(database)
    source = open_source(database)
    assert len(rows_of(source, "id")) == 10
    change = f"from postgres import run; run({database!r}, 'delete from t')"
    paths = {"PYTHONPATH": str(Path(__file__).parents[2])}
    other = subprocess.run([sys.executable, "-c", change], capture_output=True, text=True, env=os.environ | paths)
    assert (other.returncode == 0) == database.startswith("postgresql"), other.stderr  # the files are locked
    assert len(rows_of(source, "id")) == 10


def test_a_connection_of_duckdb(tmp_path):
    fill(str(tmp_path / "t.duckdb"))
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        source = open_source(connection, table="t")
        assert rows_of(source) == plain(TABLE)
        with pytest.raises(DataFileError, match=r"already open in this process\); pass that connection"):
            open_source(tmp_path / "t.duckdb")
        with open_sink(connection, "main.u", TABLE.schema) as sink:
            for batch in source.batches():
                sink.write(batch)
        assert connection.execute("select count(*) from u").fetchone() == (10,)


def test_values_of_sqlite_have_types_of_their_own(tmp_path):
    path = str(tmp_path / "t.sqlite")
    rows = [(None,) * 6] * 3_000 + [(1, 1, 2, b"x", b"\xff", None), (2, 2.5, "three", "y", b"z", None)]
    run(path, "create table t (whole, number, mixed, words, bytes, empty)")
    with sqlite3.connect(path) as connection:
        connection.executemany("insert into t values (?, ?, ?, ?, ?, ?)", rows)
    connection.close()
    source = open_source(path)
    assert list(map(str, source.schema().types)) == ["int64", "double", "string", "string", "binary", "string"]
    for batch_rows in (100, 10_000):
        found = rows_of(source, known="whole", batch_rows=batch_rows)
        assert found == [(1, 1.0, "2", "x", b"\xff", None), (2, 2.5, "three", "y", b"z", None)]
        assert len(rows_of(source, batch_rows=batch_rows)) == 3_002
    run(path, "create table broken as select cast(x'ff' as text) as body")
    with pytest.raises(DataFileError, match="text that is not valid UTF-8"):
        rows_of(open_source(path, table="broken"))
    run(path, "create table wide (" + ", ".join(f"c{i} integer" for i in range(1_200)) + ")")
    assert len(open_source(path, table="wide").schema()) == 1_200


def test_types_of_postgres(postgres):
    database = new_database(postgres)
    run(
        database,
        "create type mood as enum ('glad', 'sad')",
        'create schema "other one"',
        "create table \"other one\".kinds as select 1.25::numeric as n, 'glad'::mood as m, 'ab'::char(5) as c, "
        "'6a2f41a3-c54c-fce8-32d2-0324e1c32e22'::uuid as u, '{\"a\": 1}'::jsonb as j, '1.2.3.4'::inet as i, true as b, "
        "3::smallint as s, date '2024-02-29' as d, '12.5'::money as price",
    )
    source = open_source(database, table="other one.kinds")
    ((n, m, c, u, j, i, b, s, d, price),) = rows_of(source)
    assert (n, m, c.rstrip(), u) == (1.25, "glad", "ab", "6a2f41a3-c54c-fce8-32d2-0324e1c32e22")
    assert (j, i, b, s, str(d), price) == ('{"a": 1}', "1.2.3.4/32", True, 3, "2024-02-29", 12.5)
    with open_sink(database, "other one.kinds", pa.schema([("a", pa.int64())]), replace=True) as sink:
        sink.write(pa.record_batch({"a": [1]}))
    assert rows_of(open_source(database, table="other one.kinds")) == [(1,)]


def test_types_of_duckdb(tmp_path):
    path = str(tmp_path / "t.duckdb")
    run(
        path, "create schema other", "create table other.t as select 1.25::decimal(5, 2) as d, 'a'::enum('a', 'b') as e"
    )
    assert rows_of(open_source(path, table="other.t")) == [(Decimal("1.25"), "a")]


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret%20word@127.0.0.1:1/db",
        "postgres://me:secret%20word@127.0.0.1:1/db?connect_timeout=2",
        "postgresql://127.0.0.1:1/db?user=me&password=secret%20word",
    ],
)
def test_a_server_that_is_not_there(address):
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(
        DataFileError, match=r"postgres.*127.0.0.1:1/db.* cannot be opened .*check that the server is running"
    ) as caught:
        open_source(address, table="t")
    assert "secret" not in str(caught.value)
    assert "word@" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_database_that_is_not_there(postgres):
    with pytest.raises(DataFileError, match=r"cannot be opened .*database .nowhere. does not exist") as caught:
        open_source(postgres.replace("/postgres", "/nowhere"), table="t")
    assert "secret" not in str(caught.value)


def test_a_server_that_dies_between_batches(mortal_postgres):
    many = pa.table({"id": range(400_000), "body": ["some words that fill a page " * 4] * 400_000})
    fill(mortal_postgres.address, rows=many, batch_rows=65_536)
    source = open_source(mortal_postgres.address)
    batches = source.batches(batch_rows=1_000)
    assert next(batches).num_rows == 1_000
    mortal_postgres.stop("immediate")
    with pytest.raises(
        DataFileError, match=r"server closed the connection.*check that the server is running"
    ) as caught:
        list(batches)
    assert "secret" not in str(caught.value)
    with pytest.raises(DataFileError, match="check that the server is running"):
        next(source.batches())
    mortal_postgres.start()
    assert sum(batch.num_rows for batch in open_source(mortal_postgres.address).batches()) == 400_000


@pytest.mark.parametrize("option", ["password=p%40ss+w", "sslpassword=p%40ss+w"])
def test_secrets_of_an_address_are_hidden(option):
    shown, secrets = _without_password(f"postgresql://me@host/name?{option}&connect_timeout=3")
    assert shown == "postgresql://me@host/name?connect_timeout=3"
    assert {"p%40ss+w", "p@ss w"} <= set(secrets)
