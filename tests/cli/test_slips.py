"""Slips on the command line: each is recognized before any work is done, and the message names the remedy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "sklearn", "scipy", "pandas", "pyarrow", "narwhals", "tqdm", "rich.progress", "vitalfew._core")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["fit", "--help"], ["predict", "-h"], ["label", "-h"]]
)
def test_help_imports_nothing_heavy(arguments):
    code = f"""
import sys
from vitalfew.cli.main import app
try:
    app({arguments!r})
except SystemExit as end:
    assert not end.code
print("imported:", *(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "imported:"


def test_swapped_arguments_of_predict(run, hotel, model_file):
    model = model_file()
    message = run("predict", hotel, model, code=1).stderr
    assert "the model comes first" in message
    assert f"vitalfew predict {model} {hotel}" in message


def test_a_missing_model_is_still_missing(run, hotel, tmp_path):
    assert "does not exist" in run("predict", tmp_path / "none.json", hotel, code=1).stderr


@pytest.mark.parametrize(
    ("command", "option", "suffixes"),
    [
        (["report", "{data}", "-t", "came"], "-o", ".html"),
        (["report", "{data}", "-t", "came"], "--json", ".json"),
        (["report", "{data}", "-t", "came"], "--markdown", ".md"),
        (["select", "{data}", "-t", "came"], "-o", ".csv"),
        (["select", "{data}", "-t", "came"], "--data", ".parquet"),
        (["compare", "{data}", "-t", "came"], "-o", ".csv"),
        (["fit", "{data}", "-t", "came", "-m", "nb"], "-o", ".json"),
        (["predict", "{model}", "{data}"], "-o", ".csv"),
        (["explain", "{model}"], "-o", ".txt"),
        (["explain", "{model}", "--sql", "duckdb"], "-o", ".sql"),
        (["explain", "{model}", "--python"], "-o", ".py"),
        (["explain", "{model}", "--json"], "-o", ".json"),
    ],
)
def test_a_suffix_that_does_not_fit(run, hotel, model_file, tmp_path, command, option, suffixes):
    given = [part.format(data=hotel, model=model_file()) for part in command]
    output = tmp_path / "x.pdf"
    message = run(*given, option, output, code=1).stderr
    assert "x.pdf' must end with" in message
    assert suffixes in message
    assert not output.exists()


def test_an_output_without_a_suffix(run, hotel, tmp_path):
    run("fit", hotel, "-t", "came", "-m", "stump", "-o", tmp_path / "model")
    assert json.loads(Path(tmp_path / "model").read_text())["format"] == "vitalfew.model"


@pytest.mark.parametrize("rule", ["fdr", "FDR", "gain"])
def test_a_rule_chooses_the_method_that_takes_it(run, hotel, rule):
    by_rule = run("select", hotel, "-t", "came", "--k", rule, "-o", "-")
    by_method = run("select", hotel, "-t", "came", "--k", rule.lower(), "--method", "information", "-o", "-")
    assert by_rule.stdout == by_method.stdout
    assert "selected by information" in by_rule.stderr


@pytest.mark.parametrize(
    "more", [["--method", "greedy"], ["--method", "mdl"], ["--target", "price", "--method", "lasso"]]
)
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_rule_names_the_method_that_takes_it(run, hotel, more, stream):
    if stream and "price" not in more:
        pytest.skip("in streams, classes are selected by counts, which take these rules")
    target = [] if "--target" in more else ["-t", "came"]
    message = run("select", hotel, *target, *more, "--k", "fdr", *stream, code=1).stderr
    assert "--k fdr is a rule of the method information" in message


def test_rules_in_any_case(run, hotel):
    lower, upper = (run("select", hotel, "-t", "price", "--drop", "came", "--k", k).stdout for k in ("bic", "BIC"))
    assert lower == upper


@pytest.mark.parametrize(
    ("arguments", "closest"),
    [
        (["select", "{data}", "-t", "came", "--k", "mdll"], "mdl"),
        (["select", "{data}", "-t", "came", "--method", "informaton"], "information"),
        (["select", "{data}", "-t", "cme"], "came"),
        (["select", "{data}", "-t", "came", "--task", "class"], "classes"),
        (["select", "{data}", "-t", "came", "--kind", "age=numerc"], "numeric"),
        (["select", "{data}", "-t", "came", "--format", "parket"], "parquet"),
        (["fit", "{data}", "-t", "came", "-m", "logistik", "-o", "-"], "logistic"),
        (["fit", "{data}", "-t", "came", "-m", "nb", "--set", "prior_strenght=1", "-o", "-"], "prior_strength"),
        (["fit", "{data}", "-t", "came", "-m", "nb", "--set", "order=informations", "-o", "-"], "information"),
        (["explain", "{model}", "--sql", "duckd"], "duckdb"),
    ],
)
def test_did_you_mean(run, hotel, model_file, arguments, closest):
    given = [part.format(data=hotel, model=model_file()) for part in arguments]
    assert f"did you mean {closest!r}" in run(*given, code=1).stderr


def test_long_integers_are_not_one_value(run, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("key,z,y\n" + "".join(f"{10**25 + i},{i % 2},{i % 2}\n" for i in range(40)))
    found = run("select", path, "-t", "y", "-o", "-")
    assert "column 'key' is not used: it differs in every row" in found.stderr
    assert found.stdout.splitlines()[1].startswith('1,"z",')
