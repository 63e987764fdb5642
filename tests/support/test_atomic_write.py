"""Temporary files: removed once no process writes them any more, never before."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from vitalfew.support import atomic_write as aside
from vitalfew.support.atomic_write import written_aside

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and locks of POSIX")
WRITING = """
import sys
from vitalfew.support.atomic_write import written_aside
with written_aside(sys.argv[1], "w", replace=False) as file:
    file.write("whole")
    print("writing", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def new_run(monkeypatch):
    """Folders are swept once in a run."""
    monkeypatch.setattr(aside, "_swept", set())


def start(path):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "writing\n"
    return process


def parts(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".part"))


@posix
@pytest.mark.parametrize("name", ["out.csv", "é" * 120 + ".csv", "other.json"])
def test_a_killed_process_leaves_nothing_for_long(tmp_path, name):
    killed, alive = start(tmp_path / name), start(tmp_path / "alive.csv")
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    assert len(parts(tmp_path)) == 2
    with written_aside(tmp_path / "out.csv", "w") as file:
        file.write("new")
        (own,) = (n for n in parts(tmp_path) if n.startswith(".out.csv"))
        assert len(parts(tmp_path)) == 2  # this one, and that of the process that is alive
    assert (tmp_path / "out.csv").read_text() == "new"
    assert [n.startswith(".alive.csv.vitalfew-") for n in parts(tmp_path)] == [True]
    alive.communicate("\n", timeout=60)
    assert alive.returncode == 0
    assert (tmp_path / "alive.csv").read_text() == "whole"
    assert sorted(os.listdir(tmp_path)) == ["alive.csv", "out.csv"]
    assert own.endswith(".part")


@posix
def test_files_of_others_stay(tmp_path):
    mark = aside._MARK
    names = [
        ".abcdefgh.part",
        "out.csv.part",
        f"out.csv{mark}abcdefgh.part",
        ".out.csv.vitalfew-00000000-abcdefgh.part",
    ]
    for name in names:
        (tmp_path / name).write_text("not ours")
    (tmp_path / f".linked{mark}abcdefgh.part").symlink_to(tmp_path / names[0])
    (tmp_path / f".folder{mark}abcdefgh.part").mkdir()
    (tmp_path / f".out.csv{mark}abcdefgh.part").write_text("stale")
    before = set(os.listdir(tmp_path))
    with written_aside(tmp_path / "out.csv", "w") as file:
        file.write("new")
    assert set(os.listdir(tmp_path)) == (before | {"out.csv"}) - {f".out.csv{mark}abcdefgh.part"}


@posix
@pytest.mark.parametrize("taken", ["locked", "removed"])
def test_a_new_file_that_was_taken_for_a_stale_one(tmp_path, monkeypatch, taken):
    """Another process sweeps between the creation of the file and its lock."""
    whole, seen = aside._lock, []

    def lock(descriptor):
        seen.append(descriptor)
        if len(seen) > 1:
            return whole(descriptor)
        (name,) = parts(tmp_path)
        os.unlink(tmp_path / name)
        return False if taken == "locked" else whole(descriptor)

    monkeypatch.setattr(aside, "_lock", lock)
    with written_aside(tmp_path / "out.csv", "w") as file:
        file.write("new")
    assert len(seen) == 2
    assert (tmp_path / "out.csv").read_text() == "new"


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_replaces_nothing(tmp_path, monkeypatch, has_links):
    if not has_links:

        def link(*_):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(aside.os, "link", link)
    goal = tmp_path / "out.csv"
    with written_aside(goal, "w", replace=False) as file:
        file.write("first")
    assert goal.read_text() == "first"
    with (
        pytest.raises(FileExistsError, match=r"the file '.*out\.csv' was created by another process"),
        written_aside(goal, "w", replace=False) as file,
    ):
        file.write("second")
    assert goal.read_text() == "first"
    assert os.listdir(tmp_path) == ["out.csv"]
