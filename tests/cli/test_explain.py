"""``vitalfew explain``."""

import json
from pathlib import Path

import pytest

import vitalfew
from vitalfew.cli.models import MODELS

has_sql = pytest.mark.skipif(not hasattr(vitalfew, "to_sql"), reason="to_sql is not there yet")
has_python = pytest.mark.skipif(not hasattr(vitalfew, "to_python"), reason="to_python is not there yet")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_in_words(run, model_file, name):
    lines = run("explain", model_file(name)).stdout.splitlines()
    assert lines[0].split("(")[0] in ("NaiveBayes", "LogisticRegression", "DecisionTree", "AdaBoost", "Stump") or (
        "Subset" in lines[0]
    )
    assert lines[1] == "predicts 2 classes: no, yes"
    assert lines[2].startswith("uses ")
    assert any("color" in line or "review" in line for line in lines[3:])


def test_the_curve(run, model_file):
    shown = run("explain", model_file("nb")).stdout
    assert shown.splitlines()[0] == "NaiveBayes(features='mdl')"
    assert "total_bits" in shown
    assert shown.count("<- chosen by mdl") == 1


@pytest.mark.parametrize("name", MODELS)
def test_every_model_as_json(run, model_file, name):
    found = json.loads(run("explain", model_file(name), "--json").stdout)
    assert found["classes"] == ["no", "yes"]
    assert 1 <= len(found["features"]) <= found["n_features"]
    assert {"feature", "column", "weight"} <= set(found["features"][0])
    assert (found["rules"] is not None) == (name in ("tree", "stump", "adaboost"))
    if found["selection"] is not None:
        assert found["selection"]["chosen"] in found["selection"]["grid"]


def test_numbers(run, model_file):
    lines = run("explain", model_file("lasso", "price")).stdout.splitlines()
    assert lines[1] == "predicts a number"
    assert any(line.startswith("age ") for line in lines)


def test_words_in_rules_have_their_names(run, hotel, model_file, tmp_path):
    drop = [part for name in ("age", "color", "noise", "grade", "price") for part in ("--drop", name)]
    for name in ("tree", "stump", "adaboost"):
        run("fit", hotel, "-t", "came", "-m", name, *drop, "-o", tmp_path / "m.json")
        rules = json.loads(run("explain", tmp_path / "m.json", "--json").stdout)["rules"]
        assert "review: " in rules
        assert "x1" not in rules


def test_to_a_file_and_from_a_pipe(run, model_file, tmp_path):
    run("explain", model_file(), "-o", tmp_path / "m.txt")
    by_pipe = run("explain", "-", input=Path(model_file()).read_bytes())
    assert (tmp_path / "m.txt").read_text() == by_pipe.stdout


@has_sql
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres"])
def test_sql(run, model_file, dialect):
    shown = run("explain", model_file("lasso", "price"), "--sql", dialect, "--table", "people").stdout
    assert "people" in shown


@has_python
def test_python(run, model_file):
    compile(run("explain", model_file("lasso", "price"), "--python").stdout, "model.py", "exec")


def test_requests_that_make_no_sense(run, model_file):
    assert (
        "use only one of --sql, --python and --json"
        in run("explain", model_file(), "--json", "--python", code=1).stderr
    )
    assert (
        "--sql must be one of 'duckdb', 'sqlite', 'postgres', got 'oracle'"
        in run("explain", model_file(), "--sql", "oracle", code=1).stderr
    )
