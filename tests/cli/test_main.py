"""Behavior common to all commands: help, errors, exit codes, pipes, Ctrl-C."""

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

from vitalfew.cli import command_runner as session
from vitalfew.cli.main import app, speak_utf8
from vitalfew.cli.models import MODELS
from vitalfew.cli.progress_bars import RichBars, silent

COMMANDS = ["report", "select", "compare", "fit", "predict", "explain"]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of POSIX")


def vitalfew(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "vitalfew", *map(str, arguments)],
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run, command):
    shown = run(command, "--help").stdout
    assert f"Example: vitalfew {command} " in " ".join(shown.split())
    assert "--debug" in shown


def test_help_and_version(run):
    shown = run("--help").stdout
    assert all(command in shown for command in COMMANDS)
    assert re.match(r"vitalfew \d", run("--version").stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("select",),
        ("select", "x.csv"),
        ("select", "x.csv", "-t", "y", "--seed", "many"),
        ("fit", "--wat"),
    ],
)
def test_wrong_usage(run, arguments):
    assert "Traceback" not in run(*arguments, code=2).stderr


HOSTILE = 'a"b;\n<script>[red]\x1b[31m=1+1'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "does not exist"),
        ("", "is empty"),
        ("a,b\n1,2\n", "there is no column 'y'; the columns are 'a', 'b'."),
        ("a,Y\n1,2\n", "there is no column 'y'; did you mean 'Y'?"),
        ("a,y\n1,2\n2,3\n", "has 2 rows; at least 5 are required"),
        ("a,y\n", "has 0 rows; at least 5 are required"),
        ("a,y\n" + "1,\n" * 9, "has 0 rows with a target"),
        ("a,y\n" + "1,2\n2,2\n" * 9, "the target 'y' has only one class, 2"),
        ("a,y\n" + "".join(f"{i % 3},w{i}\n" for i in range(9)), "has 9 classes in 9 rows, which is too many"),
        ("y\n" + "1\n2\n" * 9, "has no columns other than the target"),
        ("a,y\n" + "7,1\n7,2\n" * 9, "no feature columns are left"),
        ("a,a,y\n1,2,3\n", "has two columns named 'a'"),
        ("a,y\n1,2\n3\n", "row 3 has 1 value(s)"),
    ],
)
@pytest.mark.parametrize("command", ["select", "fit", "compare"])
def test_data_that_cannot_be_learnt_from(run, tmp_path, monkeypatch, command, text, message):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "t.csv").write_text(text)
    more = ["-m", "nb"] if command == "fit" else []
    result = run(command, "t.csv", "-t", "y", "-o", "out.json", *more, code=1)
    assert message in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ([] if text is None else ["t.csv"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "age"], "--kind must be COLUMN=KIND, got 'age'"),
        (["--kind", "age=words"], "the kind of column 'age' must be one of 'numeric', 'category'"),
        (["--kind", "agee=text"], "there is no column 'agee'; did you mean 'age'"),
        (["--kind", "came=text"], "column 'came' is the target; set its kind with --task"),
        (["--kind", "color=numeric"], "column 'color' is treated as numeric, but row "),
        (["--drop", "agee"], "there is no column 'agee'; did you mean 'age'"),
        (["--drop", "came"], "column 'came' is the target and cannot be dropped"),
        (["--task", "guess"], "--task must be one of 'classes', 'numeric', got 'guess'"),
        (["--task", "numeric"], "the target 'came' is not numeric"),
        (["--table", "t"], "is not a database"),
        (["--format", "excel"], "format must be one of"),
    ],
)
def test_options_that_make_no_sense(run, hotel, options, message):
    assert message in run("select", hotel, "-t", "came", *options, code=1).stderr


def test_notes_and_quiet(run, hotel):
    noisy = run("select", hotel, "-t", "came")
    assert "note: column 'id' is not used" in noisy.stderr
    quiet = run("select", hotel, "-t", "came", "--quiet")
    assert quiet.stderr == ""
    assert quiet.stdout == noisy.stdout


def test_rows_without_a_target_are_left_out(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "1,no\n2,yes\n3,\n" * 9)
    assert "9 rows without a value of the target 'y' are ignored" in run("select", path, "-t", "y").stderr


def test_debug_shows_where(run, hotel):
    assert "Traceback" in run_failing(run, "select", hotel, "-t", "nobody", "--debug").stderr


def run_failing(run, *arguments):
    from typer.testing import CliRunner

    from vitalfew.cli.app import commands

    result = CliRunner().invoke(commands, [str(a) for a in arguments])
    assert result.exit_code == 1
    return result


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted; nothing was written."),
        (MemoryError(), 1, "error: not enough memory"),
        (
            OSError(28, "No space left on device", "x.csv"),
            1,
            "error: 'x.csv': No space left on device; free disk space",
        ),
        (ValueError("two\nlines"), 1, "error: two lines."),
        (
            KeyError("k"),
            70,
            "internal error: KeyError: 'k'. This is a bug in vitalfew: run again with --debug and report",
        ),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_exit_codes(run, monkeypatch, error, code, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("vitalfew.cli.task.read_file", fail)
    monkeypatch.setattr(session, "_silence_stdout", lambda: None)
    from typer.testing import CliRunner

    from vitalfew.cli.app import commands

    result = CliRunner().invoke(commands, ["select", "t.csv", "-t", "y"])
    assert result.exit_code == code
    assert result.stderr.startswith(message)
    assert "Traceback" not in result.stderr


def test_hostile_names_stay_text(run, tmp_path):
    """Nothing in a name moves the cursor, changes colors or ends a line."""
    y = ["no", "yes"] * 20
    table = pa.table({HOSTILE: [float(v == "yes") + i % 2 / 9 for i, v in enumerate(y)], "[bold]": range(40), "y": y})
    path = tmp_path / "t.csv"
    csv.write_csv(table, path)
    shown = run("select", path, "-t", "y").stdout
    assert "\x1b" not in shown
    assert 'a"b;\\n<script>[red]\\x1b[31m=1+1' in shown
    written = run("select", path, "-t", "y", "-o", tmp_path / "out.parquet", "--data", tmp_path / "small.csv")
    assert "error" not in written.stderr
    assert csv.read_csv(
        tmp_path / "small.csv", parse_options=csv.ParseOptions(newlines_in_values=True)
    ).column_names == [
        HOSTILE,
        "y",
    ]


def test_a_database(run, tmp_path, hotel):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.sql(f"create table \"a; drop\" as from read_csv('{hotel}')")
        connection.sql("create table other as select 1 as one")
    assert "select one of 'a; drop', 'other'" in run("select", path, "-t", "came", code=1).stderr
    first = run("select", path, "-t", "came", "--table", "a; drop", "--drop", "price").stdout
    asked = run("select", path, "-t", "came", "--query", 'select * exclude (price) from "a; drop"').stdout
    assert first == asked == run("select", hotel, "-t", "came", "--drop", "price").stdout


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [n for n in sys.modules if n.startswith("vitalfew.cli.") and n != "vitalfew.cli.main"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as caught:
        app(["--help"])
    assert caught.value.code == 1
    assert capsys.readouterr().err == (
        "vitalfew: the command line requires typer and rich; install them with: pip install 'vitalfew[cli]'\n"
    )


def test_pipes_of_windows_take_any_letter(monkeypatch):
    piped = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", piped)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    speak_utf8()
    assert piped.encoding == "cp1252"
    monkeypatch.delenv("PYTHONIOENCODING")
    speak_utf8()
    piped.write("żółty")
    piped.flush()
    assert piped.buffer.getvalue() == "żółty".encode()


def test_bars_show_what_is_done_and_the_time_left():
    import io

    from rich.console import Console

    screen = io.StringIO()
    bars = RichBars(Console(file=screen, force_terminal=True, width=100))
    with bars(10, "folds") as bar:
        bar.show()
        with bars(None, "inside") as inner:
            inner.show()
            inner.update()
        bar.update(4)
        bar.set_postfix_str("lasso")
        bars.display.refresh()
    shown = screen.getvalue()
    assert "folds: lasso" in shown
    assert "4/10" in shown
    assert "left" in shown
    with silent(3, "nobody looks") as bar:
        bar.update(2)
        assert bar.n == 2


def test_models_have_a_title():
    assert all(entry.title and entry.classes for entry in MODELS.values())


# In processes of their own


@posix
def test_pipes_and_no_color(hotel):
    """A table in by a pipe, features out by a pipe, nothing on standard error when told so."""
    with vitalfew("select", "-", "-t", "came", "--drop", "price", "-o", "-", "-q") as process:
        out, err = process.communicate(Path(hotel).read_text(), timeout=240)
    assert process.returncode == 0, err
    assert err == ""
    assert out.splitlines()[0].startswith('"rank","feature"')
    assert "\x1b" not in out


@posix
def test_a_reader_that_goes_away(hotel, model_file):
    command = f"{sys.executable} -m vitalfew predict {model_file()} {hotel} --proba | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=240)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", "141")


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk(hotel, model_file, tmp_path):
    """Simulate a full disk by a full device, and by a limit on the size of files."""
    with open("/dev/full", "w") as full, vitalfew("predict", model_file(), hotel, stdout=full) as process:
        _, err = process.communicate(timeout=240)
    assert process.returncode == 1
    assert err.count("\n") == 1
    assert "No space left on device; free disk space" in err
    goal = tmp_path / "out.csv"
    goal.write_text("before")
    command = f"ulimit -f 1; exec {sys.executable} -m vitalfew predict {model_file()} {hotel} --proba -o {goal}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=240)
    assert done.returncode == 1, done
    assert "File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert goal.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


@posix
def test_ctrl_c_leaves_nothing_half_written(tmp_path):
    reading, writing = os.pipe()  # a source that never ends: the command is at work when Ctrl-C comes
    process = vitalfew("fit", "-", "-t", "y", "-m", "nb", "-o", tmp_path / "m.json", stdin=reading)
    os.write(writing, b"a,y\n1,2\n")
    assert process.stdout is not None
    deadline = time.monotonic() + 120
    while not _is_reading(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=240)
    os.close(reading)
    os.close(writing)
    assert process.returncode == 130, err
    assert err == "interrupted; nothing was written.\n"
    assert list(tmp_path.iterdir()) == []


def _is_reading(pid):
    """Return True if the command has reached the request for the table."""
    try:
        with open(f"/proc/{pid}/maps") as maps:
            loaded = "libarrow" in maps.read()
        with open(f"/proc/{pid}/syscall") as call:
            return loaded and call.read().split()[:2] == ["0", "0x0"]
    except (OSError, IndexError):
        time.sleep(10)
        return True
