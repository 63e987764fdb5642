"""No command writes over what it reads, over its other output, or over a database."""

import inspect
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pytest
import typer
from pyarrow import csv, feather, parquet

from vitalfew.cli.app import commands
from vitalfew.cli.main import app

LEARN = ("-t", "y", "--drop", "body", "--drop", "verdict", "-q")
LABEL = ("--text", "body", "--label", "verdict", "--key", "id", "--model", "nb", "--replace", "-q")
# The arguments of each command without its outputs: D is the table, M the model file.
ARGUMENTS = {
    "report": ("D", *LEARN, "--time-budget", "1"),
    "select": ("D", *LEARN),
    "compare": ("D", *LEARN, "--models", "nb", "--folds", "2"),
    "fit": ("D", *LEARN, "-m", "nb"),
    "predict": ("M", "D", "-q"),
    "explain": ("M", "-q"),
    "label": ("D", *LABEL),
}
# Options that name a file to write.
OUTPUTS = [
    ("report", "--output"),
    ("report", "--json"),
    ("report", "--markdown"),
    ("select", "--output"),
    ("select", "--data"),
    ("compare", "--output"),
    ("compare", "--checkpoint"),
    ("fit", "--output"),
    ("predict", "--output"),
    ("explain", "--output"),
    ("label", "--output"),
    ("label", "--into"),
]
# Options with a text that names no file to write.
OTHERS = {
    *("--target", "--k", "--method", "--table", "--query", "--format", "--encoding", "--task", "--models", "--model"),
    *(
        "--na",
        "--kind",
        "--drop",
        "--set",
        "--keep",
        "--sql",
        "--text",
        "--label",
        "--key",
        "--unlabeled",
        "--unlabelled",
        "--memory",
    ),
}
FORMATS = ("t.csv", "t.tsv", "t.parquet", "t.feather", "t.duckdb", "t.sqlite", "t.db")


@pytest.fixture(scope="module")
def rows():
    n = 60
    kinds = ["good fine", "bad poor"]
    return pa.table(
        {
            "id": range(n),
            "a": [float(i % 2) + i % 3 for i in range(n)],
            "y": ["no" if i % 2 else "yes" for i in range(n)],
            "body": [f"{kinds[i % 2]} film{i % 7}" for i in range(n)],
            "verdict": ["+-"[i % 2] if i < 20 else None for i in range(n)],
        }
    )


@pytest.fixture
def write(rows):
    """Writes the table to a file, in the format that its name says."""

    def make(path):
        kind = path.suffix
        if kind in (".csv", ".tsv"):
            csv.write_csv(rows, path, csv.WriteOptions(delimiter="\t" if kind == ".tsv" else ","))
        elif kind == ".parquet":
            parquet.write_table(rows, path)
        elif kind == ".feather":
            feather.write_feather(rows, path)
        elif kind == ".duckdb":
            with pytest.importorskip("duckdb").connect(str(path)) as connection:
                connection.register("given", rows)
                connection.execute("create table t as select * from given")
        else:
            pytest.importorskip("adbc_driver_sqlite")
            connection = sqlite3.connect(path)
            connection.execute("create table t (id, a, y, body, verdict)")
            connection.executemany(
                "insert into t values (?, ?, ?, ?, ?)", [tuple(r.values()) for r in rows.to_pylist()]
            )
            connection.commit()
            connection.close()
        return path

    return make


@pytest.fixture(scope="module")
def model(rows, tmp_path_factory, run):
    folder = tmp_path_factory.mktemp("model")
    csv.write_csv(rows, folder / "t.csv")
    run("fit", folder / "t.csv", *LEARN, "-m", "nb", "-o", folder / "m.json")
    return folder / "m.json"


def filled(command, data, model):
    return [{"D": data, "M": model}.get(a, a) for a in ARGUMENTS[command]]


def options_of(callback):
    """Options of a command, their types and what they show for a value."""
    for parameter in inspect.signature(callback, eval_str=True).parameters.values():
        kind, *notes = get_args(parameter.annotation)
        for note in notes:
            if isinstance(note, typer.models.OptionInfo):
                names = [note.default, *(note.param_decls or ())]  # typer takes the first name for a default
                yield next(n for n in names if str(n).startswith("--")), kind, note.metavar


def test_every_option_that_names_a_file_is_tested():
    assert {c.name for c in commands.registered_commands} == set(ARGUMENTS)
    found = set()
    for command in commands.registered_commands:
        for option, kind, metavar in options_of(command.callback):
            if (command.name, option) in OUTPUTS or metavar == "FILE":
                found.add((command.name, option))
            else:
                assert option in OTHERS or not re.search("str|Path", str(kind)), (command.name, option)
    assert found == set(OUTPUTS)


def spell(kind, path):
    """Another name of a file."""
    folder = path.parent
    if kind == "relative":
        return path.name
    if kind == "dots":
        (folder / "sub").mkdir(exist_ok=True)
        return f"{folder}/sub/../././{path.name}"
    other = folder / f"other{path.suffix}"
    if kind == "symbolic link":
        other.symlink_to(path)
    elif kind == "hard link":
        os.link(path, other)
    elif kind == "linked folder":
        (folder / "linked").symlink_to(folder)
        return str(folder / "linked" / path.name)
    return str(other) if other.exists() else str(path)


SPELLINGS = ["the same", "relative", "dots", "symbolic link", "hard link", "linked folder"]


def check_refused(run, monkeypatch, target, *arguments):
    monkeypatch.chdir(target.parent)
    before = {p: p.read_bytes() for p in target.parent.iterdir() if p.is_file()}
    said = " ".join(run(*arguments, code=1).stderr.split())
    assert "choose another output path" in said
    assert {p: p.read_bytes() for p in target.parent.iterdir() if p.is_file()} == before
    return said


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_another_spelling_of_an_input(run, monkeypatch, tmp_path, write, model, command, option, spelling):
    data = write(tmp_path / "t.csv")
    here = Path(shutil.copy(model, tmp_path / "m.json"))
    for target in [data] * ("D" in ARGUMENTS[command]) + [here] * ("M" in ARGUMENTS[command]):
        for link in tmp_path.glob("other*"):
            link.unlink()
        (tmp_path / "linked").unlink(missing_ok=True)
        name = spell(spelling, target)
        said = check_refused(run, monkeypatch, target, command, *filled(command, data, here), option, name)
        assert option.lstrip("-") in said
        assert repr(str(target)) in said
        # The other way round: the input is the link.
        given = {data: name} if target == data else {here: name}
        arguments = filled(command, given.get(data, data), given.get(here, here))
        assert option.lstrip("-") in check_refused(run, monkeypatch, target, command, *arguments, option, target)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("command", "option"), [o for o in OUTPUTS if "D" in ARGUMENTS[o[0]]])
def test_every_format_of_data(run, monkeypatch, tmp_path, write, model, command, option, name):
    if (command, option) == ("label", "--into") and Path(name).suffix in (".duckdb", ".sqlite", ".db"):
        pytest.skip("a table of the database")
    data = write(tmp_path / name)
    said = check_refused(run, monkeypatch, data, command, *filled(command, data, model), option, data)
    assert f"{option.lstrip('-')} {str(data)!r}" in said


@pytest.mark.parametrize("name", ["t.duckdb.wal", "t.sqlite-wal", "t.sqlite-journal", "t.sqlite-shm"])
@pytest.mark.parametrize(("command", "option"), [o for o in OUTPUTS if "D" in ARGUMENTS[o[0]] and o[0] != "label"])
def test_companions_of_a_database(run, monkeypatch, tmp_path, write, model, command, option, name):
    data = write(tmp_path / name.partition("-")[0].removesuffix(".wal"))
    said = check_refused(run, monkeypatch, data, command, *filled(command, data, model), option, tmp_path / name)
    assert f"belongs to the database {str(data)!r}" in said


@pytest.mark.parametrize("scheme", ["duckdb:///", "sqlite:///", "sqlite:", "file:", "file://"])
@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_addresses_of_files_are_no_way_round(run, tmp_path, write, model, command, option, scheme):
    """No command takes such an address for a database, so that it cannot be replaced."""
    data = write(tmp_path / "t.duckdb")
    here = Path(shutil.copy(model, tmp_path / "m.json"))
    before = [data.read_bytes(), here.read_bytes()]
    target = data if "D" in ARGUMENTS[command] else here
    arguments = filled(command, f"{scheme}{data}", f"{scheme}{here}")
    # The text of `explain` has its own suffix, which is checked first.
    is_text = (command, option) == ("explain", "--output")
    expected = "must end with" if is_text else "does not exist|is a DuckDB database"
    assert re.search(expected, run(command, *arguments, option, target, code=1).stderr)
    assert [data.read_bytes(), here.read_bytes()] == before


@pytest.mark.parametrize("option", ["--output", "--data"])
@pytest.mark.parametrize("rule", ["cv", "fdr"])
def test_a_stream_that_is_read_twice(run, monkeypatch, tmp_path, write, rule, option):
    data = write(tmp_path / "t.parquet")
    arguments = ["select", data, *LEARN, "--stream", "--k", rule]
    check_refused(run, monkeypatch, data, *arguments, option, data)
    check_printing_refused(data, *arguments)


@pytest.mark.parametrize("given", ["pattern", "folder"])
@pytest.mark.parametrize(("command", "option"), [("select", "--output"), ("label", "--output"), ("label", "--into")])
def test_files_that_a_pattern_names(run, monkeypatch, tmp_path, write, command, option, given):
    for i in range(3):
        write(tmp_path / f"part-{i}.parquet")
    data = str(tmp_path / "part-*.parquet") if given == "pattern" else str(tmp_path)
    target = tmp_path / "part-1.parquet"
    said = check_refused(run, monkeypatch, target, command, *filled(command, data, None), option, target.name)
    assert "part-1.parquet" in said


def test_standard_input_that_is_a_file(tmp_path, write):
    data = write(tmp_path / "t.csv")
    before = data.read_bytes()
    command = [sys.executable, "-m", "vitalfew", "fit", "-", *LEARN, "-m", "nb", "-o", str(data)]
    with data.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1, done.stderr
    assert "standard input" in done.stderr
    assert data.read_bytes() == before


TWICE = [
    ("report", "--output", "--json"),
    ("report", "--json", "--markdown"),
    ("report", "--output", "--markdown"),
    ("select", "--output", "--data"),
    ("compare", "--output", "--checkpoint"),
]


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(("command", "first", "second"), TWICE)
def test_two_outputs_of_one_name(run, monkeypatch, tmp_path, write, model, command, first, second, is_there):
    data = write(tmp_path / "t.csv")
    if is_there:
        (tmp_path / "x.json").write_text("before")
    for other in ("x.json", "./x.json", str(tmp_path / "x.json"), "X.JSON"):
        arguments = [*filled(command, data, model), first, tmp_path / "x.json", second, other]
        said = check_refused(run, monkeypatch, data, command, *arguments)
        assert first in said
        assert second in said


def test_each_pair_of_outputs_is_tested():
    pairs = {(c, a, b) for c, a in OUTPUTS for d, b in OUTPUTS if c == d and a < b}
    assert {(c, *sorted(pair)) for c, *pair in TWICE} == pairs - {("label", "--into", "--output")}  # one or the other


@pytest.mark.parametrize("name", ["other.duckdb", "other.sqlite", "other.json"])
@pytest.mark.parametrize(("command", "option"), [o for o in OUTPUTS if o[0] != "label"])
def test_a_database_that_is_there(run, monkeypatch, tmp_path, write, model, command, option, name):
    """Nobody means to replace a whole database by a page or a table, whatever it is called."""
    data = write(tmp_path / "t.csv")
    write(tmp_path / "other.duckdb").rename(tmp_path / name) if "sqlite" not in name else write(tmp_path / name)
    said = check_refused(run, monkeypatch, data, command, *filled(command, data, model), option, tmp_path / name)
    assert f"is a {'SQLite' if 'sqlite' in name else 'DuckDB'} database" in said


@pytest.mark.parametrize("name", ["other.sqlite-wal", "other.sqlite-journal", "other.duckdb.wal"])
def test_the_log_of_a_database_that_is_not_read(run, tmp_path, write, model, name):
    write(tmp_path / "t.csv")
    database = tmp_path / name.replace("-wal", "").replace("-journal", "").replace(".wal", "")
    database.write_bytes(b"SQLite format 3\0" if "sqlite" in name else b"12345678DUCK")
    (tmp_path / name).write_bytes(b"committed rows")
    done = run("fit", tmp_path / "t.csv", *LEARN, "-m", "nb", "-o", tmp_path / name, code=1)
    assert "belongs to the database" in done.stderr
    assert (tmp_path / name).read_bytes() == b"committed rows"


@pytest.mark.parametrize("way", ["another output", "an input"])
def test_standard_output_that_is_a_file(tmp_path, write, way):
    write(tmp_path / "t.csv")
    command = [sys.executable, "-m", "vitalfew", "select", "t.csv", *LEARN, "--data", "-"]
    path = tmp_path / ("t.csv" if way == "an input" else "s.csv")
    before = path.read_bytes() if path.exists() else b""
    with open(path, "ab") as stdout:
        done = subprocess.run(
            [*command, "--output", "s.csv"], cwd=tmp_path, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=300
        )
    assert done.returncode > 0
    assert "standard output" in done.stderr
    assert path.read_bytes() == before


# What makes a command print its result; fit and report write files unless they are asked for standard output.
PRINTS = {
    **dict.fromkeys(("select", "compare", "predict", "explain", "label"), ()),
    "fit": ("-o", "-"),
    "report": ("--json", "-"),
}


def check_printing_refused(target, *arguments):
    before = target.read_bytes()
    with open(target, "r+", encoding="utf-8") as stdout, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stdout)
        said = io.StringIO()
        patch.setattr(sys, "stderr", said)
        with pytest.raises(SystemExit) as stopped:
            app([str(a) for a in arguments])
    assert stopped.value.code == 1, said.getvalue()
    assert "standard output is also an input" in " ".join(said.getvalue().split())
    assert target.read_bytes() == before


@pytest.mark.parametrize("command", ARGUMENTS)
def test_standard_output_that_is_an_input(monkeypatch, tmp_path, write, model, command):
    """A shell opens such a file without truncation by ``1<>t.csv``."""
    data = write(tmp_path / "t.csv")
    here = Path(shutil.copy(model, tmp_path / "m.json"))
    monkeypatch.chdir(tmp_path)
    for target in [data] * ("D" in ARGUMENTS[command]) + [here] * ("M" in ARGUMENTS[command]):
        check_printing_refused(target, command, *filled(command, data, here), *PRINTS[command])


@pytest.mark.parametrize("name", ["t.duckdb", "t.duckdb.wal", "t.sqlite", "t.sqlite-wal"])
def test_standard_output_that_belongs_to_a_database(tmp_path, write, name):
    data = write(tmp_path / name.partition("-")[0].removesuffix(".wal"))
    if not (tmp_path / name).exists():
        (tmp_path / name).write_bytes(b"")
    check_printing_refused(tmp_path / name, "select", data, *LEARN)


def test_dev_stdout_that_is_a_pipe(tmp_path, write):
    write(tmp_path / "t.csv")
    command = [sys.executable, "-m", "vitalfew", "fit", "t.csv", *LEARN, "-m", "nb", "-o", "/dev/stdout"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert '"NaiveBayes"' in done.stdout


def test_other_files_are_replaced(run, tmp_path, write, model):
    data = write(tmp_path / "t.csv")
    (tmp_path / "out.json").write_text("before")
    run("fit", data, *LEARN, "-m", "nb", "-o", tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text().startswith("{")


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced on Windows")
def test_an_input_that_takes_the_name_of_the_output_meanwhile(run, tmp_path, write, monkeypatch):
    from vitalfew.cli import models

    data = write(tmp_path / "t.csv")
    before = data.read_bytes()
    make = models.make_model

    def slowly(*arguments, **options):
        (tmp_path / "m.json").symlink_to(data)
        return make(*arguments, **options)

    monkeypatch.setattr(models, "make_model", slowly)
    said = run("fit", data, *LEARN, "-m", "nb", "-o", tmp_path / "m.json", code=1).stderr
    assert "choose another output path" in " ".join(said.split())
    assert data.read_bytes() == before


def test_concurrent_runs_that_may_replace_nothing(tmp_path, write):
    """One of them writes the file and says so; the others fail and leave nothing behind."""
    data, goal = write(tmp_path / "t.parquet"), tmp_path / "new.parquet"
    arguments = [a for a in LABEL if a != "--replace"]
    command = [sys.executable, "-c", AT_ONCE, "label", str(data), *arguments, "-o", str(goal)]
    runs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in runs:
        assert process.stdout.readline() == "checked\n"
    ends = [process.communicate("\n", timeout=240) for process in runs]
    assert sorted(process.returncode for process in runs) == [0, 1, 1], ends
    assert sum("was created by another process" in said and "choose another name" in said for _, said in ends) == 2
    assert sum("40 rows written to" in told for told, _ in ends) == 1
    assert parquet.read_table(goal).num_rows == 40
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new.parquet", "t.parquet"]


# All have looked whether the file is there before one of them writes it.
AT_ONCE = """
import sys
from vitalfew.labeling import label
whole = label.survey
def survey(*arguments):
    print("checked", flush=True)
    sys.stdin.readline()
    return whole(*arguments)
label.survey = survey
from vitalfew.cli.main import app
app(sys.argv[1:])
"""
