"""Memory of `label_documents` against what it promises, with vocabularies made to break it."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vitalfew.labeling.survey import LabeledStore, Sample
from vitalfew.labeling.vocabulary import WordCounter, slices_of

SCHEMA = pa.schema([("id", pa.int64()), ("body", pa.string()), ("topic", pa.string())])
BUDGET = 10**9
# Imports are not counted, the peak is that of the process.
SCRIPT = """
import sys
import pyarrow.compute, pyarrow.dataset, pyarrow.parquet
import vitalfew.labeling.label as label

def status(key):
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith(key)).split()[1])

before = status("VmRSS")
into, memory = sys.argv[2], int(sys.argv[3])
label.label_documents(sys.argv[1], None, "body", "topic", key="id", into=into, model="nb", memory=memory)
print(status("VmHWM") - before)
"""


def write(path, n, body, step=400):
    """Documents of which the first have a label, and each a word of its class."""
    with pq.ParquetWriter(path, SCHEMA, compression="zstd", use_dictionary=False) as writer:
        for start in range(0, n, step):
            ids = range(start, start + step)
            words = ["good", "bad"]
            topics = [words[i % 2] if i < 100 else None for i in ids]
            rows = {"id": list(ids), "body": [f"{body(i)} {words[i % 2]}" for i in ids], "topic": topics}
            writer.write_table(pa.table(rows, SCHEMA))


BODIES = {
    "one long word each": (8000, lambda i: f"{i:06}" + "a" * 100_000),
    "long words of two documents": (8000, lambda i: f"{i // 2:06}" + "a" * 100_000),
    "every word in two documents": (12_000, lambda i: " ".join(f"w{i % 6000 * 500 + k:x}" for k in range(500))),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("name", BODIES)
def test_the_peak_stays_within_the_budget(tmp_path, name):
    n, body = BODIES[name]
    write(tmp_path / "in.parquet", n, body)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet"), str(BUDGET)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= 1.25 * BUDGET
    assert pq.read_metadata(tmp_path / "out.parquet").num_rows == n - 100


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_long_texts_of_a_dictionary(tmp_path):
    """A dictionary-encoded file of 2 MB with 2 GB of documents."""
    n = 2000
    texts = pa.array(["good film " * 100_000, "bad plot " * 100_000])
    bodies = pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(n)], pa.int32()), texts)
    topics = [["good", "bad"][i % 2] if i < 20 else None for i in range(n)]
    rows = pa.table({"id": range(n), "body": bodies, "topic": topics})
    with pa.ipc.new_file(tmp_path / "in.arrow", rows.schema) as writer:
        writer.write_table(rows)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "in.arrow"), str(tmp_path / "out.parquet"), str(BUDGET)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= 1.25 * BUDGET


def test_slices_hold_so_many_bytes():
    texts = pa.array(["a" * 30, "b" * 30, "", "c" * 200, "d" * 10, None])
    found = list(slices_of(texts, 70))
    assert pa.chunked_array(found).combine_chunks().equals(texts)
    assert [len(part) for part in found] == [3, 1, 2]
    assert list(slices_of(texts.slice(0, 1), 10**6)) == [texts.slice(0, 1)]


def test_long_words_are_counted_by_their_bytes():
    counter = WordCounter(10**6)
    for start in range(0, 100, 10):
        counter.add(pa.array([f"{i:03}" + "x" * 50_000 + " usual word" for i in range(start, start + 10)]))
        assert counter._known is None or counter._known.nbytes <= 10**6
    found = counter.finish()
    assert not counter.is_exact
    assert found.words.to_pylist() == ["usual", "word"]
    assert found.counts.tolist() == [100, 100]


def test_few_long_labeled_documents_do_not_exceed_their_room():
    store, sample = LabeledStore(10**6, 0), Sample(100, 10**6, 0)
    for start in range(0, 60, 6):
        texts = pa.array([f"{i}" + "x" * 100_000 for i in range(start, start + 6)])
        store.add(texts, pa.array(["a", "b", "c"] * 2))
        sample.add(texts, [True] * 6)
    texts, labels = store.finish()
    assert 0 < texts.nbytes <= 10**6
    assert store.n_seen == {"a": 20, "b": 20, "c": 20}
    assert len(texts) == len(labels)
    assert 0 < sample.finish().nbytes <= 10**6
