"""Frames and files as sources: the same rows from all of them, and one sentence for each that cannot be read."""

import bz2
import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from vitalfew.data.source import open_source
from vitalfew.data.sources import source_files
from vitalfew.data.sources.protocol import Source
from vitalfew.exceptions import DataFileError

HOSTILE = ['"; DROP TABLE x; --', "a\"b'c", "😀 é", "x" * 200, "new\nline", "%s", "a.b", "{}"]
TABLE = pa.table(
    {
        "id": pa.array(range(10)),
        "body": ["good, film", None, 'a "quote"', "two\nlines", "é ü", "b", "c", "d", "e", "f"],
        "x": [0.5, None, -1.0, 1e300, 0.0, 5.0, 6.0, 7.0, 8.0, 9.5],
        "label": [None, "+", None, None, "-", None, None, None, None, "+"],
        **{name: pa.array([f"{k} {i}" for i in range(10)]) for k, name in enumerate(HOSTILE)},
    }
)


def rows_of(source, *columns, **which):
    """All rows, in an order of their own."""
    batches = list(source.batches(list(columns) or None, **which))
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    return sorted(rows, key=repr)


def plain(table):
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def as_csv(path, table=TABLE):
    csv.write_csv(table, path)
    return path


@pytest.fixture(
    params=["pandas", "polars", "arrow", "parquet", "parts", "folder", "feather", "csv", "csv.gz", "tsv.bz2"]
)
def source(request, tmp_path):
    kind = request.param
    if kind in ("pandas", "polars", "arrow"):
        frame = {"pandas": TABLE.to_pandas(), "polars": pl.from_arrow(TABLE), "arrow": TABLE}[kind]
        return open_source(frame.set_index(np.arange(5, 15)) if kind == "pandas" else frame)
    if kind in ("parts", "folder"):
        for k, part in enumerate((TABLE[:3], TABLE[3:4], TABLE[4:])):
            parquet.write_table(part, tmp_path / f"part-{k}.parquet", row_group_size=2)
        (tmp_path / "_SUCCESS").touch()
        return open_source(tmp_path / "part-*.parquet" if kind == "parts" else tmp_path)
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        parquet.write_table(TABLE, path, row_group_size=3)
    elif kind == "feather":
        feather.write_feather(TABLE, path, chunksize=4)
    else:
        text = as_csv(tmp_path / "plain").read_bytes()
        if kind == "tsv.bz2":
            csv.write_csv(TABLE, tmp_path / "plain", csv.WriteOptions(delimiter="\t"))
            text = (tmp_path / "plain").read_bytes()
        path.write_bytes({"gz": gzip.compress, "bz2": bz2.compress}.get(kind.split(".")[-1], bytes)(text))
    return open_source(path)


def test_every_kind_gives_the_same_rows(source):
    assert isinstance(source, Source)
    assert open_source(source) is source
    assert source.schema().names == TABLE.column_names
    assert source.n_rows() in (10, None)
    for _ in range(2):
        assert rows_of(source) == plain(TABLE)
    assert rows_of(source, "x", "id") == plain(TABLE.select(["x", "id"]))
    assert rows_of(source, "id", known="label") == [(1,), (4,), (9,)]
    assert rows_of(source, "id", missing="label", known="body") == [(i,) for i in (0, 2, 3, 5, 6, 7, 8)]
    for name in HOSTILE:
        assert rows_of(source, name, missing="body") == plain(TABLE.select([name])[1:2])
        assert rows_of(source, "id", missing=name) == []
    sizes = [batch.num_rows for batch in source.batches(batch_rows=4)]
    assert sum(sizes) == 10
    assert 1 <= min(sizes) <= max(sizes) <= 4
    with pytest.raises(ValueError, match="there is no column 'lable'; did you mean 'label'"):
        next(source.batches(known="lable"))


def test_a_frame_with_columns_named_as_a_source():
    frame = pd.DataFrame({"name": [1], "schema": [2], "batches": [3], "n_rows": [4]})
    assert rows_of(open_source(frame)) == [(1, 2, 3, 4)]


def test_frames_that_cannot_be_read():
    with pytest.raises(TypeError, match=r"can only be read once; pass reader.read_all"):
        open_source(TABLE.to_reader())
    with pytest.raises(TypeError, match=r"pass frame.collect\(\)"):
        open_source(pl.LazyFrame({"a": [1]}))
    with pytest.raises(TypeError, match=r"expected a pandas, .* got object"):
        open_source(object())
    with pytest.raises(ValueError, match="each column must have values of one type"):
        open_source(pd.DataFrame({"a": [1, "x", b"y"]}, dtype=object))
    with pytest.raises(DataFileError, match="two columns named 'a'"):
        open_source(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(ValueError, match="is not a database"):
        open_source(TABLE, table="t")


def test_many_files(tmp_path):
    parquet.write_table(pa.table({"a": [1, 2], "b": pa.nulls(2)}), tmp_path / "1.parquet")
    parquet.write_table(pa.table({"b": ["x"], "a": [2.5]}), tmp_path / "2.parquet")
    both = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    assert rows_of(open_source(both)) == [(1.0, None), (2.0, None), (2.5, "x")]
    (tmp_path / "year=2024").mkdir()
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "year=2024" / "part.parquet")
    with pytest.raises(DataFileError, match=r"part.parquet' has no column 'b', but .*1.parquet' has"):
        open_source(tmp_path)
    for path in both:
        path.unlink()
    assert rows_of(open_source(tmp_path)) == [(1, 2024)]
    with pytest.raises(FileNotFoundError, match=r"no file matches .*part-"):
        open_source(tmp_path / "part-*.csv")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        open_source(tmp_path / "absent.csv")
    (tmp_path / "none").mkdir()
    with pytest.raises(DataFileError, match="directory without Parquet files"):
        open_source(tmp_path / "none")
    with pytest.raises(DataFileError, match="have different formats"):
        open_source([as_csv(tmp_path / "t.csv"), tmp_path / "year=2024" / "part.parquet"])
    strange = as_csv(tmp_path / "[1]*.csv")
    assert rows_of(open_source(strange)) == plain(TABLE)


def test_arrow_that_was_written_as_a_stream(tmp_path):
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=3)
    found = open_source(tmp_path / "t.arrow")
    assert rows_of(found) == plain(TABLE)
    assert rows_of(found, "id", known="label", batch_rows=2) == [(1,), (4,), (9,)]


def test_parquet_that_is_not_whole(tmp_path):
    path = tmp_path / "t.parquet"
    numbers = pa.table({"a": np.random.default_rng(0).normal(size=20_000)})
    parquet.write_table(numbers, path, row_group_size=2_000, write_page_checksum=True)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataFileError, match=r"t.parquet' is not a valid Parquet file .*write or copy it again"):
        open_source(path)
    path.write_bytes(whole[:80_000] + bytes(200) + whole[80_200:])
    source, n_read = open_source(path), 0
    with pytest.raises(DataFileError, match=r"t.parquet' is not a valid Parquet file"):  # noqa: PT012
        for batch in source.batches(batch_rows=1_000):
            n_read += batch.num_rows
    assert 0 < n_read < 20_000


@pytest.mark.parametrize(
    ("late", "message"),
    [
        ("x,2,3", "row 40003 of column 'a' is 'x', but earlier rows are of type int64; .* types={'a': 'string'}"),
        ("1,2.5,3", "row 40003 of column 'b' is '2.5'"),
        ("1,2", "row 40003 has 2 value.s., but the header has 3"),
        ("1,2,3,4", "row 40003 has 4 value"),
        ("1,2,\udcff", "row 40003 of column 'c' is not UTF-8; specify its encoding"),
    ],
)
def test_csv_that_goes_wrong_late(tmp_path, monkeypatch, late, message):
    monkeypatch.setattr(source_files, "CSV_BLOCK", 1 << 16)
    path = tmp_path / "t.csv"
    text = "a,b,c\n" + "".join(f"{i},{i},w{i}\n" for i in range(40_000)) + "1,1,x\n" + late + "\n"
    path.write_bytes(text.encode(errors="surrogateescape"))
    source = open_source(path)
    batches = source.batches()
    assert next(batches).num_rows > 0
    with pytest.raises(DataFileError, match=message) as caught:
        list(batches)
    assert "t.csv" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_types_of_csv(tmp_path, monkeypatch):
    monkeypatch.setattr(source_files, "CSV_BLOCK", 1 << 12)
    path = tmp_path / "t.csv"
    path.write_text("code, label\n" + "1,\n" * 3_000 + "x7,?\n007,good\n")
    source = open_source(path, types={"code": "string"})
    assert source.schema().types == [pa.string(), pa.string()]  # a column without a value so far is text
    assert rows_of(source, known="label") == [("007", "good")]
    with pytest.raises(ValueError, match="there is no column 'cod'; did you mean 'code'"):
        open_source(path, types={"cod": "string"})
    (tmp_path / "u.csv").write_text("label,code\nbad,8\n")
    assert rows_of(open_source([path, tmp_path / "u.csv"], types={"code": pa.string()}), known="label") == [
        ("007", "good"),
        ("8", "bad"),
    ]
    (tmp_path / "u.csv").write_text("lable,code\nbad,8\n")
    with pytest.raises(DataFileError, match=r"u.csv' has no column 'label', but .*t.csv' has"):
        rows_of(open_source([path, tmp_path / "u.csv"], types={"code": "string"}))
    (tmp_path / "latin.csv").write_bytes("a\nMünchen\n".encode("latin-1"))
    assert rows_of(open_source(tmp_path / "latin.csv", encoding="latin-1")) == [("München",)]
    with pytest.raises(DataFileError, match=r"latin.csv' is not UTF-8: line 2"):
        open_source(tmp_path / "latin.csv")


def test_a_file_that_may_not_be_read(tmp_path):
    path = as_csv(tmp_path / "t.csv")
    path.chmod(0)
    if os.geteuid() == 0:  # root may read everything, but this
        path = Path("/proc/self/mem")
        if not path.exists():
            pytest.skip("root may read everything here")
    with pytest.raises(DataFileError, match=r"cannot be read .(Permission denied|Input/output error)"):
        open_source(path)


READ_ALL = """
import resource, sys
from vitalfew.data.source import open_source
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
small, large = map(open_source, sys.argv[1:])
sum(b.num_rows for b in small.batches())
before = peak()
print(sum(b.num_rows for b in large.batches()), peak() - before)
"""


def test_memory_stays_flat(tmp_path):
    """200 MB of Parquet in one group of rows are read with little more memory than a tenth of them."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.random(2_600_000) for j in range(10)}
    parquet.write_table(pa.table(columns), tmp_path / "large.parquet", compression="none", use_dictionary=False,
                        row_group_size=3_000_000)  # fmt: skip
    parquet.write_table(pa.table(columns)[:260_000], tmp_path / "small.parquet", compression="none",
                        use_dictionary=False)  # fmt: skip
    assert (tmp_path / "large.parquet").stat().st_size > 200e6
    names = [str(tmp_path / "small.parquet"), str(tmp_path / "large.parquet")]
    done = subprocess.run([sys.executable, "-c", READ_ALL, *names], capture_output=True, text=True, check=True)
    n_rows, grown = map(int, done.stdout.split())
    assert n_rows == 2_600_000
    assert grown < 80e6
