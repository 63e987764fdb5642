"""``vitalfew compare``."""

import json

import pytest
from pyarrow import csv

pytest.importorskip("vitalfew.evaluation.compare")


def test_the_table(run, hotel):
    shown = run("compare", hotel, "-t", "came", "--drop", "price", "--models", "nb,tree,stump", "--folds", "3")
    lines = [line for line in shown.stdout.splitlines()[2:] if line.strip()]
    names = {line.split("  ")[0] for line in lines}
    assert names == {"nb", "tree", "stump", "most frequent class"}
    assert shown.stdout.count("simplest within 1 SE") == 1
    assert "error rate on 3 folds of 160 rows, with selection inside each fold" in shown.stderr


def test_numbers_and_defaults(run, hotel, tmp_path):
    run("compare", hotel, "-t", "price", "--drop", "came", "--folds", "3", "-o", tmp_path / "c.json")
    found = json.loads((tmp_path / "c.json").read_text())
    assert {row["name"] for row in found["rows"]} == {"lasso", "ridge", "mean alone"}
    assert found["best"] in ("lasso", "ridge")


def test_csv_to_a_pipe(run, hotel):
    shown = run("compare", hotel, "-t", "came", "--models", "stump", "--folds", "2", "-o", "-")
    assert shown.stdout.splitlines()[0].startswith('"name","error","se"')


def test_a_checkpoint(run, hotel, tmp_path):
    common = ("compare", hotel, "-t", "came", "--models", "stump,nb", "--folds", "2", "--seed", "1")
    first = run(*common, "--checkpoint", tmp_path / "c.json", "-o", tmp_path / "a.csv")
    run(*common, "--checkpoint", tmp_path / "c.json", "-o", tmp_path / "b.csv")
    assert "note" in first.stderr
    assert csv.read_csv(tmp_path / "a.csv").equals(csv.read_csv(tmp_path / "b.csv"))  # seconds too: nothing ran again


def test_a_time_budget(run, hotel):
    shown = run("compare", hotel, "-t", "came", "--models", "nb,lasso,tree", "--time-budget", "0.001")
    assert "time budget" in shown.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--models", "nb,treee"], "unknown model 'treee'; did you mean 'tree'"),
        (["--models", ","], "--models is empty"),
        (["--folds", "150"], "160 rows are too few for 150 folds"),
    ],
)
def test_requests_that_make_no_sense(run, hotel, options, message):
    assert message in run("compare", hotel, "-t", "came", *options, code=1).stderr
