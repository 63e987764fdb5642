"""Ctrl-C at any moment of a command: no traceback, exit code 130, and a message that agrees with the files on disk."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("typer")
pytest.importorskip("duckdb")

from typer.testing import CliRunner

from vitalfew.cli.app import commands
from vitalfew.data.databases.open import open_database
from vitalfew.support import atomic_write as aside
from vitalfew.support import outputs

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
# Says when it has taken care of Ctrl-C: what comes before is the start of Python.
STARTED = """
import sys
from vitalfew.cli import main
whole = main._run
def run(arguments):
    print("started", flush=True)
    whole(arguments)
main._run = run
main.app()
"""


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 2},{i % 5},{'no' if i % 2 else 'yes'}\n" for i in range(60)))
    return path


def start(*arguments, cwd=None):
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )
    assert process.stdout.readline() == "started\n", process.communicate()
    return process


def interrupt(delay, *arguments, cwd=None):
    process = start(*arguments, cwd=cwd)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=240)
    assert "Traceback" not in said, said
    assert "Exception ignored" not in said, said
    return process.returncode, said.strip().splitlines()


def duration(*arguments, cwd=None):
    began = time.monotonic()
    process = start(*arguments, cwd=cwd)
    process.communicate(timeout=240)
    assert process.returncode == 0
    return time.monotonic() - began


@posix
def test_help_at_any_moment():
    rng, longest = random.Random(0), duration("--help")
    for _ in range(4):
        code, said = interrupt(rng.uniform(0, longest), "--help")
        assert (code, said) in [(0, []), (130, ["interrupted; nothing was written."])]


@posix
def test_select_at_any_moment(data):
    asked = ("select", data, "-t", "y", "-q", "-o", "a.csv", "--data", "b.csv")
    rng, longest = random.Random(1), duration(*asked, cwd=data.parent)
    expected = {
        (): (130, ["interrupted; nothing was written."]),
        ("a.csv",): (130, ["interrupted after writing 'a.csv'; 'b.csv' was not written."]),
        ("a.csv", "b.csv"): (130, ["interrupted after writing 'a.csv' and 'b.csv'."]),
    }
    for _ in range(5):
        for name in ("a.csv", "b.csv"):
            (data.parent / name).unlink(missing_ok=True)
        found = interrupt(rng.uniform(0, longest), *asked, cwd=data.parent)
        there = tuple(sorted(p.name for p in data.parent.iterdir() if p != data))
        assert found == expected[there] or (found == (0, []) and there == ("a.csv", "b.csv"))


def press(monkeypatch, n, *, after=True, error=None):
    """Ctrl-C, or an error, before or after the n-th file gets its name."""
    replace, seen = os.replace, []

    def pressing(*arguments):
        seen.append(arguments)
        if len(seen) != n:
            return replace(*arguments)
        if after:
            replace(*arguments)
        if error is not None:
            raise error
        return signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(aside.os, "replace", pressing)


@pytest.mark.parametrize(
    ("n", "after", "message", "there"),
    [
        (1, False, "interrupted; nothing was written.", []),
        (1, True, "interrupted after writing 'a.csv'; 'b.csv' was not written.", ["a.csv"]),
        (2, False, "interrupted after writing 'a.csv'; 'b.csv' was not written.", ["a.csv"]),
        (2, True, "interrupted after writing 'a.csv' and 'b.csv'.", ["a.csv", "b.csv"]),
    ],
)
def test_what_was_written(data, monkeypatch, n, after, message, there):
    monkeypatch.chdir(data.parent)
    press(monkeypatch, n, after=after)
    asked = ["select", "t.csv", "-t", "y", "-q", "-o", "a.csv", "--data", "b.csv"]
    found = CliRunner().invoke(commands, asked)
    assert (found.exit_code, found.stderr) == (130, f"{message}\n")
    assert sorted(p.name for p in data.parent.iterdir() if p != data) == there


def test_an_error_after_the_first_file(data, monkeypatch):
    monkeypatch.chdir(data.parent)
    press(monkeypatch, 2, after=False, error=OSError(28, "No space left on device", "b.csv"))
    found = CliRunner().invoke(commands, ["select", "t.csv", "-t", "y", "-q", "-o", "a.csv", "--data", "b.csv"])
    assert found.exit_code == 1
    assert found.stderr.endswith("free disk space and run it again. Before that 'a.csv' was written.\n")


def test_an_older_file_is_not_taken_for_a_new_one(data, monkeypatch):
    monkeypatch.chdir(data.parent)
    (data.parent / "a.csv").write_text("before")
    press(monkeypatch, 1, after=False)
    found = CliRunner().invoke(commands, ["select", "t.csv", "-t", "y", "-q", "-o", "a.csv"])
    assert found.stderr == "interrupted; nothing was written.\n"
    assert (data.parent / "a.csv").read_text() == "before"


def test_a_checkpoint_that_was_written(data, monkeypatch):
    monkeypatch.chdir(data.parent)
    press(monkeypatch, 2)
    asked = ["compare", "t.csv", "-t", "y", "-q", "--models", "nb", "--checkpoint", "c.json", "-o", "a.csv"]
    found = CliRunner().invoke(commands, asked)
    assert found.stderr == "interrupted after writing 'c.json'; 'a.csv' was not written.\n"


def test_standard_output_is_mentioned(data, monkeypatch):
    monkeypatch.chdir(data.parent)
    press(monkeypatch, 1, after=False)
    found = CliRunner().invoke(commands, ["select", "t.csv", "-t", "y", "-q", "--data", "b.csv"])
    assert found.stderr == "interrupted after writing standard output; 'b.csv' was not written.\n"


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
@pytest.mark.parametrize("moment", ["within the commit", "after it"])
def test_a_table_that_was_committed(tmp_path, monkeypatch, kind, moment):
    import pyarrow as pa

    if kind == "sqlite":
        pytest.importorskip("adbc_driver_sqlite")
    path = str(tmp_path / f"d.{kind}")
    bodies = ["good film", "bad film", "good", "bad"]
    table = pa.record_batch({"id": [1, 2, 3, 4], "body": bodies, "topic": ["+", "-", None, None]})
    with open_database(path) as database, database.sink("t", table.schema) as sink:
        sink.write(table)
    module = sys.modules[f"vitalfew.data.databases.{kind}"]
    whole = outputs.committing

    class Pressing:
        def __init__(self, table):
            self.context = whole(table)

        def __enter__(self):
            self.context.__enter__()

        def __exit__(self, *error):
            if moment == "within the commit":
                try:
                    signal.raise_signal(signal.SIGINT)
                except KeyboardInterrupt as pressed:
                    self.context.__exit__(type(pressed), pressed, None)
                    raise
            self.context.__exit__(*error)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "committing", Pressing)
    asked = ["label", path, "--table", "t", "--text", "body", "--label", "topic", "--key", "id", "--model", "nb", "-q"]
    found = CliRunner().invoke(commands, asked)
    assert found.exit_code == 130
    said = {
        "within the commit": "interrupted while table 't_predicted' was being completed; check whether it exists",
        "after it": "interrupted after writing table 't_predicted'.",
    }[moment]
    assert found.stderr.startswith(said)
    with open_database(path, read_only=True) as database:
        assert sorted(database.tables()) == ["t", "t_predicted"]


IGNORED = """
import signal, sys, time
from vitalfew.cli import task as problem
def read_file(*arguments, **options):
    class Closing:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)
    Closing()
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    raise ImportError("a library took Ctrl-C for its own error")
problem.read_file = read_file
from vitalfew.cli.main import app
app()
"""


@posix
def test_ctrl_c_that_other_packages_turn_into_something_else(data):
    """Ctrl-C is handled in a finalizer, where Python ignores exceptions, and before an error of another type."""
    command = [sys.executable, "-c", IGNORED, "fit", str(data), "-t", "y", "-m", "nb", "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (130, "interrupted; nothing was written.\n")
