"""Failures while labels are written: nothing is written partially, and a second run completes."""

import os
import resource
import signal
import subprocess
import sys

import pyarrow as pa
import pytest
from corpus import get, make_documents, names, put

from vitalfew import label_documents
from vitalfew.exceptions import DataFileError
from vitalfew.labeling import classify, label
from vitalfew.labeling import documents as reading

# The command line, which stops for a long time after the first batch is written.
STOPPING = """
import sys, time
from vitalfew.labeling import documents
from vitalfew.labeling import label
documents.BATCH_ROWS = 50
whole = label.classified
def slowly(*arguments):
    for n, item in enumerate(whole(*arguments)):
        if n == 2:
            print("written", flush=True)
            time.sleep(120)
        yield item
label.classified = slowly
from vitalfew.cli.main import app
app(["label", sys.argv[1], "--table", "documents", "--text", "body", "--label", "topic", "--key", "id", "--model",
     sys.argv[2], "--replace"])
"""


def start(address, model="nb"):
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPING, address, model], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    assert line == "written\n", process.communicate()
    return process


@pytest.fixture(params=["nothing", "an older table"])
def before(request, documents):
    """Return the content of an existing table with the new table's name, or None if there is none."""
    address, _ = documents
    if request.param == "nothing":
        return None
    put(address, "documents_predicted", pa.table({"x": [1]}))
    return {"x": [1]}


def check_untouched(address, before):
    assert get(address, "documents").num_rows == 400
    if before is None:
        assert names(address) == ["documents"]
    else:
        assert get(address, "documents_predicted").to_pydict() == before


def test_killed_and_started_again(documents, before):
    address, _ = documents
    process = start(address)
    process.kill()
    process.communicate()
    check_untouched(address, before)
    label_documents(address, "documents", "body", "topic", key="id", model="nb", replace=True)
    assert get(address, "documents_predicted").num_rows == 370


def test_interrupted(documents, before):
    address, _ = documents
    process = start(address, "em")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.strip().splitlines() == ["interrupted; nothing was written."]
    check_untouched(address, before)


def test_an_error_between_batches(documents, before, monkeypatch):
    address, _ = documents
    monkeypatch.setattr(reading, "BATCH_ROWS", 50)
    monkeypatch.setattr(label, "classified", _failing)
    with pytest.raises(RuntimeError, match="broken"):
        label_documents(address, "documents", "body", "topic", key="id", model="nb", replace=True)
    check_untouched(address, before)


def _failing(*arguments):
    for n, item in enumerate(classify.classified(*arguments)):
        if n == 2:
            raise RuntimeError("broken")
        yield item


def test_the_server_dies_between_batches(mortal_postgres, monkeypatch):
    table, _ = make_documents(4_000, 60)
    put(mortal_postgres.address, "documents", table)
    monkeypatch.setattr(reading, "BATCH_ROWS", 50)

    def dying(*arguments):
        for n, item in enumerate(classify.classified(*arguments)):
            if n == 2:
                mortal_postgres.stop("immediate")
            yield item

    with monkeypatch.context() as patch:
        patch.setattr(label, "classified", dying)
        with pytest.raises(DataFileError, match=r"check that the server is running .* then start again") as caught:
            label_documents(mortal_postgres.address, "documents", "body", "topic", key="id", model="nb")
    assert "secret" not in str(caught.value)
    mortal_postgres.start()
    assert names(mortal_postgres.address) == ["documents"]
    label_documents(mortal_postgres.address, "documents", "body", "topic", key="id", model="nb")
    assert get(mortal_postgres.address, "documents_predicted").num_rows == 3_940


# No file may grow beyond what the database has now: as good as a full disk.
SMALL_DISK = """
import os, resource, signal, sys
from vitalfew.cli.main import app
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = os.path.getsize(sys.argv[1]) + 4096
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
app(["label", sys.argv[1], "--table", "documents", "--text", "body", "--label", "topic", "--model", "nb"])
"""


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_the_disk_is_full(tmp_path, kind):
    pytest.importorskip("adbc_driver_sqlite")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    table, _ = make_documents(20_000, 60)
    path = str(tmp_path / f"d.{kind}")
    put(path, "documents", table)
    done = subprocess.run([sys.executable, "-c", SMALL_DISK, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    (said,) = done.stderr.strip().splitlines()
    assert said.startswith("error: ")
    assert "start again; nothing was written." in said
    assert names(path) == ["documents"]
    label_documents(path, "documents", "body", "topic", key="id", model="nb")
    assert get(path, "documents_predicted").num_rows == 19_940


def test_a_file_that_may_not_be_written(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    table, _ = make_documents(60, 20)
    path = tmp_path / "d.duckdb"
    put(str(path), "documents", table)
    path.chmod(0o444)
    with pytest.raises(DataFileError, match=r"d\.duckdb"):
        label_documents(str(path), "documents", "body", "topic", key="id")
    assert label_documents(str(path), "documents", "body", "topic", key="id", dry_run=True).n_documents == 60
