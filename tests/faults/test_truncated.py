"""Files that end too early, of every format that is read: an error of one sentence that names the file, or whole rows.

Model files are in ``tests/export/test_model_file.py``, summaries in ``tests/summaries/test_counts.py``.
"""

import bz2
import gzip
import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from vitalfew import SealedTest, compare, sealed_split
from vitalfew.data.files import read_file
from vitalfew.data.sink import open_sink
from vitalfew.data.source import open_source
from vitalfew.exceptions import DataFileError

ROWS = 3000
TABLE = pa.table({"id": range(ROWS), "body": [f"words of row {i * 7919 % 1000}" for i in range(ROWS)]})
SHARES = (0.02, 0.5, 0.97)


def write_csv(path, pack=lambda raw: raw, between=b","):
    lines = [b"id" + between + b"body", *(b"%d%sbody %d" % (i, between, i) for i in range(ROWS))]
    path.write_bytes(pack(b"\n".join(lines) + b"\n"))


def write_zst(path):
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        out.write(b"id,body\n" + b"".join(b"%d,body %d\n" % (i, i) for i in range(ROWS)))


def write_arrow(path, opened=pa.ipc.new_file):
    with opened(str(path), TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=500)


def write_database(path):
    with open_sink(str(path), "t", TABLE.schema) as sink:
        for batch in TABLE.to_batches(500):
            sink.write(batch)


FORMATS = {
    "t.csv": write_csv,
    "t.tsv": lambda path: write_csv(path, between=b"\t"),
    "t.csv.gz": lambda path: write_csv(path, gzip.compress),
    "t.csv.bz2": lambda path: write_csv(path, bz2.compress),
    "t.csv.zst": write_zst,
    "t.parquet": lambda path: parquet.write_table(TABLE, path),
    "t.arrow": write_arrow,
    "stream.arrow": lambda path: write_arrow(path, pa.ipc.new_stream),
    "t.feather": lambda path: feather.write_feather(TABLE, str(path)),
    "t.duckdb": write_database,
    "t.sqlite": write_database,
}


def whole(path):
    return read_file(path)


def in_batches(path):
    return pa.Table.from_batches(open_source(path).batches())


@pytest.mark.parametrize("read", [whole, in_batches])
@pytest.mark.parametrize("name", FORMATS)
def test_truncated(tmp_path, name, read):
    if name.endswith("sqlite"):
        pytest.importorskip("adbc_driver_sqlite")
    path, threads = tmp_path / name, threading.active_count()
    FORMATS[name](path)
    assert read(path).num_rows == ROWS
    raw, files = path.read_bytes(), sorted(os.listdir(tmp_path))
    for share in SHARES:
        path.write_bytes(raw[: int(share * len(raw))])
        try:
            n = read(path).num_rows
        except DataFileError as error:
            said = str(error)
        else:
            said = name
            # CSV cannot know that it is not whole, nor can SQLite if what was lost holds no rows.
            assert name in ("t.csv", "t.tsv", "t.sqlite"), f"{n} rows of a truncated {name}"
            assert n <= ROWS
        assert name in said
        assert len(said.splitlines()) == 1
        assert sorted(os.listdir(tmp_path)) == files
    assert threading.active_count() <= threads


def test_a_sealed_file(tmp_path):
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    path = tmp_path / "sealed.npz"
    sealed_split(X, y, random_state=0)[2].save(path)
    raw = path.read_bytes()
    for share in SHARES:
        path.write_bytes(raw[: int(share * len(raw))])
        with pytest.raises(ValueError, match="sealed"):
            SealedTest.load(path)


def test_a_checkpoint_of_compare(tmp_path):
    from sklearn.naive_bayes import GaussianNB

    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    path = tmp_path / "c.json"
    sound = compare([GaussianNB()], X, y, cv=4, checkpoint=path, random_state=0)
    raw = path.read_bytes()
    for share in SHARES:
        path.write_bytes(raw[: int(share * len(raw))])
        with pytest.raises(ValueError, match=r"c\.json"):
            compare([GaussianNB()], X, y, cv=4, checkpoint=path, random_state=0)
    path.unlink()
    again = compare([GaussianNB()], X, y, cv=4, checkpoint=path, random_state=0)
    assert again.to_frame()["error"].tolist() == sound.to_frame()["error"].tolist()
