"""Files in all formats, and one clear sentence for each that cannot be read."""

import bz2
import gzip
import io
import json
import os
import sqlite3
import stat
import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from vitalfew.data.files import read_file, write_table
from vitalfew.data.source import open_source
from vitalfew.exceptions import DataFileError
from vitalfew.support.atomic_write import written_aside

duckdb = pytest.importorskip("duckdb")

TABLE = pa.table({"n": [1, 2, None], "x": [0.5, None, 2.0], "said": ["a, b", 'q"uote', None]})
CSV = b'n,x,said\n1,0.5,"a, b"\n2,NA,"q""uote"\n?,2.0,\n'
HOSTILE = ['a"b', "; DROP TABLE t; --", "new\nline", "<script>alert(1)</script>", "=1+1", "x'y", "[red]z[/red]", "é ü"]


def name_only(value):
    """Bytes differ from run to run, and say little."""
    return value if isinstance(value, str) else ""


def write(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", CSV),
        ("t.txt", b"\xef\xbb\xbf" + CSV),
        ("t.tsv", b'n\tx\tsaid\n1\t0.5\ta, b\n2\tNaN\t"q""uote"\n\t2\tnull\n'),
        ("semicolon.csv", CSV.replace(b'"a, b"', b"'").replace(b",", b";").replace(b"'", b'"a, b"')),
        ("t.csv.gz", gzip.compress(CSV)),
        ("t.csv.bz2", bz2.compress(CSV)),
        ("t.csv.zst", pa.compress(CSV, codec="zstd", asbytes=True)),
        ("windows.csv", CSV.replace(b"\n", b"\r\n")),
        ("no suffix", CSV),
    ],
    ids=name_only,
)
def test_text(tmp_path, name, data):
    assert read_file(write(tmp_path / name, data)).equals(TABLE)


def test_binary(tmp_path):
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    feather.write_feather(TABLE, tmp_path / "t.feather", compression="uncompressed")
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as file, pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE)
    (tmp_path / "unnamed").write_bytes((tmp_path / "t.parquet").read_bytes())
    for name in ("t.parquet", "t.feather", "stream.arrow", "unnamed"):
        assert read_file(tmp_path / name).equals(TABLE)


@pytest.fixture(params=["t.duckdb", "t.sqlite", "d.db", "s.db"])
def database(request, tmp_path):
    path = tmp_path / request.param
    connect = duckdb.connect if "d" in request.param.split(".")[0] or "duck" in request.param else sqlite3.connect
    connection = connect(str(path))
    connection.execute('create table "my; drop table ""t"" --" (n integer, x double precision, said text)')
    connection.execute(
        """insert into "my; drop table ""t"" --" values (1, 0.5, 'a, b'), (2, null, 'q"uote'), (null, 2.0, null)"""
    )
    connection.execute("create view other as select 1 as one")
    connection.commit()
    connection.close()
    return path


def test_databases(database):
    hostile = 'my; drop table "t" --'
    found = read_file(database, table=hostile)
    assert found.to_pydict() == TABLE.to_pydict()
    assert read_file(database, query="select one + 1 as two from other")["two"].to_pylist() == [2]
    with pytest.raises(DataFileError, match=r"has 2 tables; select one of '.*', 'other' \(--table\)"):
        read_file(database)
    with pytest.raises(DataFileError, match="has no table 'othr'; did you mean 'other'"):
        read_file(database, table="othr")
    with pytest.raises(ValueError, match="pass either a table or a query, not both"):
        read_file(database, table="other", query="select 1")


@pytest.mark.parametrize(
    "query",
    [
        "drop view other",
        "delete from other",
        "create table evil as select 1 as one",
        "attach 'evil.db' as evil",
        "copy (select 1) to 'evil.csv'",
        "select * from read_csv('/etc/passwd')",
        "vacuum into 'evil.db'",
        "pragma writable_schema = 1",
        "selct 1",
    ],
)
def test_queries_change_and_reach_nothing(database, query, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    before = database.read_bytes()
    with pytest.raises(DataFileError):
        read_file(database, query=query)
    assert database.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [database.name]


def test_sqlite_columns_of_several_types(tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("create table t (a, b, c, d)")
        connection.execute("insert into t values (1, 1, x'00ff', 9223372036854775807), (2.5, 'two', x'01', 1.0)")
    connection.close()
    found = read_file(tmp_path / "t.sqlite")
    assert found.schema.types == [pa.float64(), pa.string(), pa.binary(), pa.float64()]
    assert found["b"].to_pylist() == ["1", "two"]


def as_bytes(write_to):
    file = io.BytesIO()
    write_to(TABLE, file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"", "'.*t.csv' is empty"),
        ("t.csv", b"\n \n", "'.*t.csv' is empty"),
        ("t.parquet", b"", "'.*t.parquet' is empty"),
        ("t.csv", b"a,b\n1,2\n3\n", r"row 3 has 1 value\(s\), but the header has 2; correct that row"),
        ("t.csv", b'a,b\n1,"x\ny"\n3,4,5\n', r"row 3 has 3 value\(s\), but the header has 2"),
        (
            "t.csv",
            "a,b\n1,x\n2,é\n".encode("latin-1"),
            "is not UTF-8: line 3, byte 3 is 0xe9 .column 'b'.; specify its enc",
        ),
        ("t.csv", b"a,b,a\n1,2,3\n", "has two columns named 'a'; rename one of them"),
        ("t.csv.gz", gzip.compress(CSV * 1000)[:60], "cannot be read: Truncated compressed stream"),
        ("t.csv.gz", CSV, "cannot be read: zlib inflate failed"),
        ("t.parquet", as_bytes(parquet.write_table)[:-20], "is not a valid Parquet file .Parquet magic bytes"),
        ("t.parquet", CSV, "is not a valid Parquet file"),
        ("t.arrow", CSV, "is not a valid Arrow file"),
        ("t.duckdb", CSV, "cannot be opened as a DuckDB database"),
        ("t.sqlite", CSV, "cannot be read as a SQLite database .file is not a database"),
        ("t.db", CSV, "is neither a DuckDB nor a SQLite database"),
        ("t.json", b"[]", "is a JSON file, which is not supported; convert it"),
    ],
    ids=name_only,
)
def test_files_that_cannot_be_read(tmp_path, name, data, message):
    with pytest.raises(DataFileError, match=message) as caught:
        read_file(write(tmp_path / name, data))
    assert "\n" not in str(caught.value)


def test_names_that_lead_nowhere(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the file '.*nothing\.csv' does not exist"):
        read_file(tmp_path / "nothing.csv")
    with pytest.raises(DataFileError, match="is a directory"):
        read_file(tmp_path)
    path = write(tmp_path / "t.csv", CSV)
    with pytest.raises(ValueError, match="is not a database; omit the table"):
        read_file(path, table="t")
    with pytest.raises(ValueError, match="format must be one of 'csv', 'tsv'"):
        read_file(path, format="excel")
    with pytest.raises(DataFileError, match="unknown encoding 'klingon'"):
        read_file(path, encoding="klingon")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_without_permission(tmp_path):
    path = write(tmp_path / "t.csv", CSV)
    path.chmod(0)
    with pytest.raises(DataFileError, match=r"cannot be read \(Permission denied\)"):
        read_file(path)


def test_a_query_that_gives_two_columns_of_one_name(tmp_path):
    duckdb.connect(str(tmp_path / "t.duckdb")).close()
    with pytest.raises(DataFileError, match="two columns named 'a'"):
        read_file(tmp_path / "t.duckdb", query="select 1 as a, 2 as a")
    with pytest.raises(DataFileError, match="has no tables"):
        read_file(tmp_path / "t.duckdb")


def test_other_encodings_and_spellings_of_missing(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\n1,é\n-, ?\n".encode("latin-1"))
    found = read_file(path, encoding="latin-1", na=["-", "?"])
    assert found.to_pydict() == {"a": [1, None], "b": ["é", None]}


@pytest.mark.parametrize(
    ("raw", "encoding", "message"),
    [
        (b"a\x86,b\n1,2\n", "utf-8", r"is not (UTF|utf)-8: "),
        (b"a,b\n1,2\n\x90\xff\n", "utf-8", r"does not match the header and is not UTF-8"),
        (b"a,b\n1,2\n", "utf-16", r"is not utf-16: .*BOM.*specify its encoding"),
    ],
)
def test_damage_in_the_encoding(tmp_path, raw, encoding, message):
    path = write(tmp_path / "t.csv", raw)
    with pytest.raises(DataFileError, match=message):
        read_file(path, encoding=encoding)
    with pytest.raises(DataFileError, match=message):
        list(open_source(path, encoding=encoding).batches())


def test_types_are_those_of_all_rows(tmp_path):
    path = write(tmp_path / "t.csv", b"x,y\n" + b"1,\n" * 700_000 + b"2.5,late\n")
    assert [str(t) for t in read_file(path).schema.types] == ["double", "string"]


@pytest.mark.parametrize("data", [CSV, as_bytes(parquet.write_table)], ids=["csv", "parquet"])
def test_standard_input(data, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_file("-", format="parquet" if data[:4] == b"PAR1" else None).equals(TABLE)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
def test_a_named_pipe(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, CSV)
    os.close(writing)
    assert read_file(f"/dev/fd/{reading}").equals(TABLE)
    os.close(reading)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow"])
def test_what_is_written_reads_the_same(tmp_path, suffix):
    table = pa.table({**{name: [value, None] for name, value in zip(HOSTILE, HOSTILE[::-1])}, "n": [1.5, None]})
    path = tmp_path / f"t.{suffix}"
    write_table(table, path)
    assert read_file(path).equals(table)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1), min_size=1))
def test_text_survives_csv(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = pa.table({"x": pa.array(["text, not numbers", *values])})
    write_table(table, path)
    back = read_file(path, na=[])
    assert back["x"].to_pylist() == table["x"].to_pylist()


def test_json(tmp_path):
    write_table(pa.table({"a": [1.0, float("nan")], '"': ["é", None]}), tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == [{"a": 1.0, '"': "é"}, {"a": None, '"': None}]
    with pytest.raises(ValueError, match=r"must end with \.csv, \.tsv, \.parquet"):
        write_table(TABLE, tmp_path / "t.xlsx")


def test_writing_aside_leaves_nothing_behind(tmp_path):
    path = write(tmp_path / "t.txt", b"before")
    path.chmod(0o640)

    def interrupted():
        with written_aside(path) as file:
            file.write(b"half of")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"before"
    with written_aside(path) as file:
        file.write(b"after")
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_writing_through_a_link_keeps_the_link(tmp_path):
    path = write(tmp_path / "t.txt", b"before")
    link = tmp_path / "link"
    link.symlink_to(path)
    with written_aside(link, "w") as file:
        file.write("after")
    assert link.is_symlink()
    assert path.read_text() == "after"


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a directory"), written_aside(tmp_path):
        pass
    with (
        pytest.raises(FileNotFoundError, match=r"the directory '.*no' for 't.csv' does not exist"),
        written_aside(tmp_path / "no" / "t.csv"),
    ):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk():
    with pytest.raises(OSError, match="No space left"):
        write_table(TABLE, "/dev/full", "csv")


@pytest.mark.parametrize(("name", "module"), [("t.csv", "pyarrow"), ("t.duckdb", "duckdb")])
def test_without_the_extras(tmp_path, monkeypatch, name, module):
    path = write(tmp_path / name, CSV)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"requires {module}: pip install 'vitalfew\[(cli|db)\]'"):
        read_file(path)


def test_packed_json_is_refused_by_name(tmp_path):
    path = tmp_path / "rows.json.gz"
    path.write_bytes(b"\x1f\x8b rest")
    with pytest.raises(DataFileError, match="is a JSON file, which is not supported"):
        read_file(path)
