"""``vitalfew select``."""

import json

import pytest
from pyarrow import csv, parquet


def test_features_and_why(run, hotel):
    shown = run("select", hotel, "-t", "came", "--drop", "price")
    head = shown.stdout.splitlines()[0]
    assert head.split() == ["feature", "information", "(bits)", "p-value"]
    assert "color" in shown.stdout
    assert "noise" not in shown.stdout
    assert "features selected by mdl." in shown.stderr


def test_files(run, hotel, tmp_path):
    for suffix in ("csv", "json", "parquet"):
        run("select", hotel, "-t", "came", "--drop", "price", "--k", "2", "-o", tmp_path / f"f.{suffix}")
    rows = json.loads((tmp_path / "f.json").read_text())
    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["information"] > rows[1]["information"] > 0
    assert csv.read_csv(tmp_path / "f.csv")["feature"].to_pylist() == [row["feature"] for row in rows]
    assert parquet.read_table(tmp_path / "f.parquet").to_pylist() == rows


def test_the_reduced_table(run, hotel, tmp_path):
    run("select", hotel, "-t", "came", "--drop", "price", "-o", tmp_path / "f.json", "--data", tmp_path / "t.parquet")
    small = parquet.read_table(tmp_path / "t.parquet")
    columns = {row["column"] for row in json.loads((tmp_path / "f.json").read_text())}
    assert set(small.column_names) == columns | {"came"}
    assert small.num_rows == 160


@pytest.mark.parametrize("method", ["mdl", "information", "lasso", "greedy", "best"])
def test_methods_for_classes(run, hotel, tmp_path, method):
    where = tmp_path / "f.json"
    run("select", hotel, "-t", "came", "--drop", "price", "--method", method, "--k", "2", "-o", where)
    rows = json.loads(where.read_text())
    assert 1 <= len(rows) <= 2
    assert {row["column"] for row in rows} <= {"color", "review", "age"}
    if method in ("lasso", "greedy", "best"):
        assert all(row["weight"] and row["speaks_for"] in ("yes", "no") for row in rows)


@pytest.mark.parametrize("method", ["lasso", "greedy", "best"])
def test_methods_for_numbers(run, hotel, tmp_path, method):
    run("select", hotel, "-t", "price", "--drop", "came", "--method", method, "-o", tmp_path / "f.json")
    rows = json.loads((tmp_path / "f.json").read_text())
    assert rows[0]["column"] == "age"
    assert rows[0]["weight"] > 0
    assert rows[0]["information"] > 1


def test_text_alone(run, hotel, tmp_path):
    where = tmp_path / "f.csv"
    drop = [part for name in ("age", "color", "noise", "grade", "price") for part in ("--drop", name)]
    run("select", hotel, "-t", "came", *drop, "-o", where)
    found = csv.read_csv(where).to_pylist()
    assert found[0]["feature"] in {f"review: {word}" for word in ("lovely", "quiet", "dirty", "loud")}
    assert abs(found[0]["weight"]) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "laso"], "unknown method 'laso'; did you mean 'lasso'"),
        (["--k", "0"], "--k must be a number of features or a rule, got '0'"),
        (["--k", "1.5"], "--k must be a number of features or a rule"),
        (["--k", "soon"], "features='soon' is not supported"),
        (["--k", "999"], "999"),
        (["--time-budget", "5"], "--time-budget is only supported with --method best"),
        (["-o", "features.docx"], "must end with .csv"),
        (["-o", "nowhere/features.csv"], "does not exist; create it first"),
    ],
)
def test_requests_that_make_no_sense(run, hotel, options, message):
    assert message in run("select", hotel, "-t", "came", *options, code=1).stderr


def test_methods_that_need_classes(run, hotel):
    shown = run("select", hotel, "-t", "price", "--method", "mdl", code=1)
    assert "method 'mdl' requires classes; for a numeric target use lasso, greedy or best" in shown.stderr
