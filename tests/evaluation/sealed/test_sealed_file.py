"""Hand-crafted sealed files, and openings that are counted in the file."""

import hashlib
import io
import json
import multiprocessing
import os
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from vitalfew import SealedTest, sealed_split
from vitalfew.exceptions import CheckpointWarning, SealedFileError

N = 40


def npy(values):
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(values), allow_pickle=False)
    return buffer.getvalue()


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def signed(path, members, manifest):
    """Writes an archive whose checksums agree."""
    members = {n: data for n, data in members.items() if n not in ("manifest.json", "checksum")}
    manifest["members"] = {n: hashlib.sha256(data).hexdigest() for n, data in members.items()}
    members["manifest.json"] = json.dumps(manifest).encode()
    members["checksum"] = hashlib.sha256(members["manifest.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def forged(path, X, change):
    """A sealed file of X that `change` has altered, with checksums that agree."""
    sealed_split(X, np.arange(N) % 2, random_state=0, sample_weight=np.linspace(1, 2, N))[2].save(path)
    members = members_of(path)
    manifest = json.loads(members["manifest.json"])
    change(manifest["content"], members)
    signed(path, members, manifest)
    return path


FRAME = pd.DataFrame({"a": np.arange(N), "t": ["x", "y"] * (N // 2), "k": pd.Categorical(["u", "v"] * (N // 2))})
MATRIX = sparse.csr_array(np.ones((N, 4)))  # 10 rows of it are sealed


def replaced(key, values):
    """Puts another array in the place of a member of X."""

    def change(content, members):
        members[content["X"][key]] = npy(values)

    return change


def column(at, **parts):
    return lambda content, _: content["X"]["columns"][at].update(parts)


def frame_items(at, items):
    return lambda content, members: members.update({content["X"]["columns"][at]["items"]: json.dumps(items).encode()})


def other(part, value):
    return lambda content, _: content.__setitem__(part, {"kind": "value", "value": value})


def other_array(part, values):
    return lambda content, members: members.update({content[part]["npy"]: npy(values)})


HOSTILE = {
    "function for a type": (pa.table({"a": np.arange(N)}), column(0, dtype="show_info")),
    "unknown type of pandas": (FRAME, column(0, dtype="interval[int64]")),
    "unknown type of polars": (pl.from_pandas(FRAME), column(0, dtype="read_csv")),
    "category that is not there": (FRAME, frame_items(2, ["u", "w"] * 5)),
    "category twice": (FRAME, column(2, categories=["u", "u"])),
    "lists in a column": (FRAME, frame_items(1, [["x"]] * 10)),
    "short column": (FRAME, frame_items(1, ["x"])),
    "name twice": (FRAME, column(1, name="a")),
    "name of no kind": (FRAME, column(1, name=["a"])),
    "indices beyond": (MATRIX, replaced("indices", np.full(40, 10**6, np.int32))),
    "indptr beyond": (MATRIX, replaced("indptr", np.arange(11, dtype=np.int32) * 10**6)),
    "shape of another": (MATRIX, lambda content, _: content["X"].update(shape=[10, 1])),
    "format that runs": (MATRIX, lambda content, _: content["X"].update(format="csr_matrix.__init__")),
    "library": (FRAME, lambda content, _: content["X"].update(library="os")),
    "rows and labels": (np.ones((N, 1)), replaced("npy", np.ones((9, 1)))),
    "no labels": (np.ones((N, 1)), other("y", None)),
    "missing label": (np.ones((N, 1)), other_array("y", np.full(10, np.nan))),
    "weights": (np.ones((N, 1)), other_array("weight", -np.ones(10))),
    "groups": (np.ones((N, 1)), other("groups", "abc")),
    "training rows": (np.ones((N, 1)), other_array("train_rows", np.ones(30))),
    "training rows twice": (np.ones((N, 1)), other_array("train_rows", np.zeros(30, int))),
    "training weights": (np.ones((N, 1)), other_array("train_weight", np.ones(3))),
    "no log": (np.ones((N, 1)), other("log", None)),
    "openings": (np.ones((N, 1)), other("log", {"entries": -3})),
    "numbers of openings": (np.ones((N, 1)), other("log", {"entries": [{"opening": 7, "name": "x"}]})),
    "unknown kind": (np.ones((N, 1)), lambda content, _: content["X"].update(kind="eval")),
    "member twice": (np.ones((N, 1)), lambda content, _: content["X"].update(npy=content["y"]["npy"])),
    "part missing": (np.ones((N, 1)), lambda content, _: content.pop("y")),
    "shape without bytes": (
        np.ones((N, 1)),
        lambda content, members: members.update(
            {content["X"]["npy"]: npy(np.ones((10, 1))).replace(b"(10, 1)", b"(10, 9)")}
        ),
    ),
    "objects": (
        np.ones((N, 1)),
        lambda content, members: members.update({content["X"]["npy"]: npy(np.ones((10, 1))).replace(b"<f8", b"|O8")}),
    ),
    "deep": (list("ab" * (N // 2)), lambda content, members: members.update({content["X"]["items"]: b"[" * 100_000})),
    "digits": (list("ab" * (N // 2)), lambda content, members: members.update({content["X"]["items"]: b"9" * 10_000})),
    "not UTF-8": (list("ab" * (N // 2)), lambda content, members: members.update({content["X"]["items"]: b'["\xff"]'})),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused(tmp_path, case):
    with pytest.raises(SealedFileError):
        SealedTest.load(forged(tmp_path / "s", *HOSTILE[case]))


@pytest.mark.parametrize("X", [FRAME, MATRIX, np.ones((N, 1)), pl.from_pandas(FRAME), list("ab" * (N // 2))])
def test_the_forger_changes_nothing_else(tmp_path, X):
    SealedTest.load(forged(tmp_path / "s", X, lambda content, members: None))


@pytest.mark.parametrize("is_told", [True, False])
def test_an_archive_that_grows_is_refused_before_it_does(tmp_path, is_told):
    path = forged(
        tmp_path / "s", np.ones((N, 1)), lambda content, members: members.update({"99.npy": npy(np.zeros(2**25))})
    )
    if not is_told:  # the archive says that it is small
        raw = path.read_bytes()
        path.write_bytes(raw.replace((2**28 + 128).to_bytes(4, "little"), (2**20).to_bytes(4, "little")))
    tracemalloc.start()
    with pytest.raises(SealedFileError, match=r"would expand|is not a (valid )?sealed test set"):
        SealedTest.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**25


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(tmp_path, kind):
    path = tmp_path / "s"
    sealed_split(np.ones((N, 1)), np.arange(N) % 2, random_state=0)[2].save(path)
    members = members_of(path)
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(SealedFileError, match="compress"):
        SealedTest.load(path)


def test_a_member_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "s"
    sealed_split(np.ones((N, 1)), np.arange(N) % 2, random_state=0)[2].save(path)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("0.npy", archive.read("0.npy"))
    with pytest.raises(SealedFileError, match="twice"):
        SealedTest.load(path)


def test_data_that_shrink_to_almost_nothing_come_back(tmp_path):
    X = np.zeros((24_000, 1000))
    sealed = sealed_split(X, np.arange(len(X)) % 2, test_size=0.5, random_state=0)[2]
    sealed.save(tmp_path / "s")
    assert SealedTest.load(tmp_path / "s").n == 12_000


# Openings


@pytest.fixture
def split(tmp_path):
    X = np.arange(200.0)[:, None]
    X_train, y_train, sealed = sealed_split(X, np.arange(200) % 2, random_state=0)
    return sealed, GaussianNB().fit(X_train, y_train), tmp_path / "test.sealed"


def test_every_opening_of_a_file_is_counted(split):
    sealed, model, path = split
    sealed.save(path)
    for i in range(1, 51):
        assert SealedTest.load(path).score(model).opening == i
    log = SealedTest.load(path).log
    assert [entry["opening"] for entry in log] == list(range(1, 51))
    assert {entry["error"] for entry in log} == {sealed.score(model).error}
    assert os.listdir(path.parent) == [path.name]


def test_a_set_goes_on_counting_in_the_file_it_was_saved_to(split):
    sealed, model, path = split
    sealed.score(model)
    sealed.save(path)
    sealed.score(model)
    assert SealedTest.load(path).n_openings == sealed.n_openings == 2


def test_a_failure_counts_in_the_file(split):
    sealed, model, path = split
    sealed.save(path)

    def peek(model, X, y):
        raise RuntimeError(f"labels {y[:3]}")

    with pytest.raises(RuntimeError):
        SealedTest.load(path).score(model, scoring=peek)
    assert SealedTest.load(path).log[0]["failure"].startswith("RuntimeError")


KILLED = """
import os, sys
import numpy as np
from sklearn.dummy import DummyClassifier
from vitalfew import SealedTest

def killed(model, X, y):
    os._exit(9)

SealedTest.load(sys.argv[1]).score(DummyClassifier().fit(np.zeros((2, 1)), [0, 1]), scoring=killed)
"""


def test_a_process_that_is_killed_while_it_scores_counts(split):
    sealed, _, path = split
    sealed.save(path)
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == 9
    assert SealedTest.load(path).n_openings == 1


def _open_often(path, n):
    model = BernoulliNB().fit(np.zeros((2, 1)), [0, 1])
    for _ in range(n):
        SealedTest.load(path).score(model)


def test_concurrent_openings_all_count(split):
    sealed, _, path = split
    sealed.save(path)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_open_often, args=(path, 8)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [entry["opening"] for entry in SealedTest.load(path).log] == list(range(1, 25))
    assert all("error" in entry for entry in SealedTest.load(path).log)


def test_saving_does_not_forget_what_others_opened(split):
    sealed, model, path = split
    sealed.save(path)
    SealedTest.load(path).score(model)
    sealed.save(path)
    assert SealedTest.load(path).n_openings == sealed.n_openings == 1


def test_what_cannot_be_counted_is_not_scored(split):
    sealed, model, path = split
    sealed.save(path)
    again = SealedTest.load(path)
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"it is read-only.*cannot be recorded.*writable"):
        again.score(model)
    path.chmod(0o644)
    moved = path.with_name("moved")
    path.rename(moved)
    with pytest.raises(FileNotFoundError, match=r"cannot be recorded.*load it from its new path"):
        again.score(model)
    sealed_split(np.ones((N, 1)), np.arange(N) % 2, random_state=0)[2].save(path)
    with pytest.raises(SealedFileError, match="another test set"):
        again.score(model)
    assert again.n_openings == SealedTest.load(path).n_openings == SealedTest.load(moved).n_openings == 0
    moved.replace(path)
    assert again.score(model).opening == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the folder is writable for everybody or for root")
def test_a_folder_that_is_read_only(split):
    sealed, model, path = split
    sealed.save(path)
    path.parent.chmod(0o555)
    with pytest.raises(PermissionError, match="cannot be recorded"):
        sealed.score(model)
    path.parent.chmod(0o755)


def test_a_result_that_cannot_be_written_is_told_all_the_same(split):
    sealed, model, path = split
    sealed.save(path)
    again = SealedTest.load(path)

    def lost(model, X, y):
        if path.exists():
            path.rename(path.with_name("moved"))
        return 0.5

    with pytest.warns(CheckpointWarning, match="the result of opening 1 could not be written"):
        assert again.score(model, scoring=lost, name="x").value == 0.5
    moved = SealedTest.load(path.with_name("moved"))
    assert moved.n_openings == 1
    assert "error" not in moved.log[0]
