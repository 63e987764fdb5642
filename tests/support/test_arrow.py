"""Arrow data whose offsets, lengths or indices lead outside of their buffers: an error with a name, no crash."""

import io
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vitalfew.data.files import read_file
from vitalfew.data.source import open_source
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.exceptions import DataFileError
from vitalfew.support.arrow import check_arrow

N = 60


def damaged(kind=None, bad=2**30, n=N):
    """A column of text of which the offset of row 7 is wrong."""
    kind = kind or pa.string()
    sound = pa.array((["a", "bb", "ccc", "d", ""] * n)[:n], kind)
    offsets = np.frombuffer(sound.buffers()[1], np.int64 if kind == pa.large_string() else np.int32).copy()
    offsets[7] = bad
    return pa.Array.from_buffers(kind, n, [None, pa.py_buffer(offsets), sound.buffers()[2]])


def not_utf8():
    values = pa.array([b"ab", b"\xff\xfe", b"c"] * (N // 3))
    return pa.Array.from_buffers(pa.string(), N, values.buffers())


def coded(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), values, safe=False)


COLUMNS = {
    "offset": damaged(),
    "negative offset": damaged(bad=-5),
    "offset of large strings": damaged(pa.large_string(), 2**45),
    "slice": damaged().slice(5, 10),
    "index": coded([0, 1, 2**30] * 20, pa.array(["a", "b"])),
    "negative index": coded([0, 1, -(2**30)] * 20, pa.array(["a", "b"])),
    "values of a dictionary": coded([0, 1, 7] * 20, damaged()),
    "list": pa.ListArray.from_arrays(pa.array([0, 1, 2**30, 3], pa.int32()), pa.array([1, 2, 3])),
    "values of lists": pa.ListArray.from_arrays(pa.array([0, 10, 20, N], pa.int32()), damaged()),
    "values of records": pa.StructArray.from_arrays([damaged()], ["inner"]),
    "values of an extension": pa.ExtensionArray.from_storage(pa.json_(pa.string()), damaged()),
    "view": pa.Array.from_buffers(
        pa.string_view(),
        2,
        [None, pa.py_buffer(np.array([20, 0, 0, 10**8, 20, 0, 0, 0], np.int32)), pa.py_buffer(b"x" * 40)],
    ),
}


def table(column):
    rng = np.random.default_rng(3)
    n = len(column)
    return pa.table({"x": rng.random(n), "said": column, "y": ["p", "q", "q"] * (n // 3) + ["p"] * (n % 3)})


def written(folder, column, suffix):
    path = folder / f"rows{suffix}"
    rows = table(column)
    new = pa.ipc.new_stream if suffix == ".feather" else pa.ipc.new_file
    with new(path, rows.schema) as writer:
        writer.write_table(rows)
    return path


@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
@pytest.mark.parametrize("name", COLUMNS)
def test_files_are_refused_by_column(tmp_path, name, suffix):
    path = written(tmp_path, COLUMNS[name], suffix)
    with pytest.raises(DataFileError, match=r"'said'.* is corrupted \(.*recreate it"):
        read_file(path)
    for wanted in ({}, {"known": "said"}, {"missing": "said"}):
        with pytest.raises(DataFileError, match=r"'said'.* is corrupted \(.*recreate it"):
            list(open_source(path).batches(**wanted))
    assert sum(batch.num_rows for batch in open_source(path).batches(["x"])) == len(COLUMNS[name])


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_of_callers_are_refused_by_column(name):
    with pytest.raises(ValueError, match=r"column 'said' of the data frame is corrupted \(.*recreate it"):
        FrameSource(table(COLUMNS[name]))
    with pytest.raises(ValueError, match=r"^y is corrupted"):
        check_arrow(pa.chunked_array([COLUMNS[name]]), "y")


def test_a_file_of_other_types_is_checked_before_it_is_converted(tmp_path):
    first = written(tmp_path, pa.array(["a"] * N, pa.large_string()), ".arrow")
    second = tmp_path / "second.arrow"
    written(tmp_path / "..", damaged(), ".arrow").rename(second)
    with pytest.raises(DataFileError, match=r"'said'.*second\.arrow"):
        list(open_source([first, second]).batches())
    second.unlink()
    rows = table(pa.array(["b"] * N))
    with pa.ipc.new_file(second, rows.schema) as writer:
        writer.write_table(rows)
    found = pa.Table.from_batches(open_source([first, second]).batches(["said"]))
    assert found.schema.field("said").type == pa.large_string()
    assert found["said"].to_pylist() == ["a"] * N + ["b"] * N


def test_indices_of_parquet_dictionaries_are_checked(tmp_path):
    """The decoder of Parquet builds dictionary columns without looking at the indices."""
    held = io.BytesIO()
    values = pa.array([f"v{i % 5}" for i in range(4000)]).dictionary_encode()
    pq.write_table(pa.table({"said": values, "x": range(4000)}), held, compression="none")
    raw, path, refused = held.getvalue(), tmp_path / "rows.parquet", 0
    for at in range(60, 900, 20):
        changed = bytearray(raw)
        changed[at] ^= 0xFF
        path.write_bytes(changed)
        for read in (lambda: read_file(path), lambda: list(open_source(path).batches())):
            try:
                read()
            except DataFileError as error:
                refused += "'said'" in str(error) and "is corrupted" in str(error)
    assert refused > 20


@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
def test_text_that_is_not_utf8_is_an_error_where_it_is_used(tmp_path, suffix):
    path = written(tmp_path, not_utf8(), suffix)
    assert read_file(path)["x"].to_pylist() == table(not_utf8())["x"].to_pylist()
    with pytest.raises(DataFileError, match=r"'said'.* contains text that is not valid UTF-8"):
        list(open_source(path).batches())
    with pytest.raises(ValueError, match=r"'said'.* contains text that is not valid UTF-8"):
        FrameSource(table(not_utf8()))


def test_a_file_that_shrinks_after_it_was_read(tmp_path):
    path = written(tmp_path, pa.array([f"{i:0100000}" for i in range(N)]), ".arrow")
    found = read_file(path)
    with open(path, "r+b") as file:
        file.truncate(100)
    assert found["said"][N - 1].as_py().endswith("59")


# Each of these ended its process by a signal once; all run in a process of their own, which says how far it came.
CALLS = """
vf.NaiveBayes().fit(table, y)
vf.NaiveBayes().fit(table.to_batches()[0], y)
vf.NaiveBayes().fit(X, column)
vf.NaiveBayes().fit(X, y, sample_weight=column)
vf.NaiveBayes().fit(X, y).predict(table)
vf.SemiSupervisedNaiveBayes().fit(X, column)
vf.Ridge(1.0).fit(X, column)
Discretizer().fit(X, column)
Discretizer().fit(table, y)
WordPresence().fit(column)
vf.compare({"a": vf.NaiveBayes()}, table, y)
vf.compare({"a": vf.NaiveBayes()}, X, column)
vf.summarize(table.append_column("y", [y]), "y")
vf.report(table, y)
vf.report(X, column)
vf.sealed_split(table, y)
vf.sealed_split(X, column)
vf.NaiveBayes().fit(table.to_pandas(types_mapper=pd.ArrowDtype), y)
vf.NaiveBayes().fit(X, pd.Series(pd.array(column, dtype=pd.ArrowDtype(pa.string()))))
vf.NaiveBayes().fit(X, pd.Index(pd.arrays.ArrowExtensionArray(pa.chunked_array([column]))))
vf.NaiveBayes().fit(X, pd.arrays.ArrowExtensionArray(pa.chunked_array([column])))
vf.NaiveBayes().fit(X, nw.from_native(pa.chunked_array([column]), series_only=True))
vf.NaiveBayes().fit([column, pa.array(X[:, 0])], y)
vf.Ridge(1.0).fit(X, X[:, 0]).score(X, column)
vf.Ridge(1.0).fit(X, X[:, 0]).score(X, X[:, 0], column)
vf.Stump().fit(X, y).score(X, column)
vf.Bagging().fit(X, y).score(X, column)
vf.Ridge(1.0).fit(X[:, :1], X[:, 0]).transform(table)
vf.bias_variance(vf.NaiveBayes(), table, y, n_sets=2)
vf.loo_predict(vf.NaiveBayes(), table, y)
vf.entropy(column)
vf.mutual_information(series, y)
vf.conditional_entropy(y, given=column)
vf.conditional_mutual_information(X > 0.5, y, given=table)
vf.interaction_information(y, y, column)
vf.sealed_split(X, y, groups=column)
vf.sealed_split(X, y, time=column)
vf.sealed_split(X, y, stratify=column)
vf.Blend([("bayes", vf.NaiveBayes())], cv=2).fit(table, y)
vf.Bagging().fit(table, y)
vf.Bagging().fit(series, y)
vf.report(column, y)
vf.report(series, y)
vf.GreedySearch(vf.NaiveBayes(), k=1).fit(X, column)
vf.compare({"a": vf.NaiveBayes()}, X, y, cv=[(column, column)])
WordPresence(stop_words=column).fit(["one two"])
WordPresence(vocabulary=column).transform(["one two"])
vf.summarize(sound, "y", columns=column)
vf.NaiveBayes().fit(X, [column])
vf.NaiveBayes().fit([[column], [column]], y)
vf.NaiveBayes().fit([series, series], y)
vf.NaiveBayes().fit(X, pd.Series(y, index=index))
vf.Ridge(1.0).fit(pd.DataFrame(X, index=index), X[:, 0])
vf.Ridge(1.0).fit(pd.DataFrame(np.zeros((3, N)), columns=index), [0, 1, 2])
vf.Counts.from_arrow(counts.set_column(counts.schema.get_field_index("class 0"), "class 0", damaged(n=len(counts))))
""".strip().splitlines()
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import narwhals as nw, numpy as np, pandas as pd, pyarrow as pa
import vitalfew as vf
from vitalfew.data.coding.discretize import Discretizer
from vitalfew.data.text.word_presence import WordPresence
from test_arrow import CALLS, N, damaged
column, y = damaged(), np.array(["p", "q", "q"] * (N // 3))
table, X = pa.table({"said": column}), np.random.default_rng(0).random((N, 3))
index = pd.Index(pd.arrays.ArrowExtensionArray(pa.chunked_array([column])))
series, sound = pd.Series(pd.array(column, dtype=pd.ArrowDtype(pa.string()))), pa.table({"x": X[:, 0], "y": y})
counts = vf.Counts.from_data((X[:, [0] * 20] > 0.5) * 1, y).to_arrow()
for call in CALLS:
    print(call, end=": ", flush=True)
    try:
        eval(call)
        print("nothing was raised")
    except Exception as error:
        print(type(error).__name__, str(error).replace(chr(10), " "), flush=True)
"""


def test_no_call_ends_the_process(request):
    script = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(request.path.parent)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    wrong = [line for line in done.stdout.splitlines() if "ValueError" not in line or "is corrupted" not in line]
    assert not wrong
    assert len(done.stdout.splitlines()) == len(CALLS)


@pytest.mark.parametrize(
    "command",
    [
        ["select", "{}", "--target", "y"],
        ["select", "{}", "--target", "y", "--stream"],
        ["fit", "{}", "--target", "y", "-m", "nb", "-o", "m.json"],
    ],
    ids=["select", "stream", "fit"],
)
def test_no_command_ends_by_a_signal(tmp_path, command):
    path = written(tmp_path, damaged(), ".arrow")
    asked = [sys.executable, "-m", "vitalfew", *(str(path) if part == "{}" else part for part in command)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode > 0, done.stderr
    assert "'said'" in done.stderr
    assert "is corrupted" in done.stderr


def test_a_pipe_is_checked(tmp_path):
    path = written(tmp_path, damaged(), ".arrow")
    asked = [sys.executable, "-m", "vitalfew", "select", "-", "--format", "arrow", "--target", "y"]
    done = subprocess.run(asked, input=path.read_bytes(), capture_output=True, timeout=300)
    assert done.returncode > 0
    assert b"is corrupted" in done.stderr
