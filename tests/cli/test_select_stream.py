"""``vitalfew select`` on rows that are not read into memory."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from vitalfew import Lasso
from vitalfew.cli.commands import stream_select
from vitalfew.data.databases.open import open_database
from vitalfew.summaries.row_folds import RowFolds


def numbers(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = {f"x{j}": rng.normal(size=n) * 10.0**j for j in range(6)}
    shape = rng.choice(["round", "square"], n)
    y = X["x1"] / 10 - 2 * X["x4"] / 1e4 + 3 * (shape == "round") + rng.normal(size=n)
    return pa.table({**X, "shape": shape, "id": np.arange(n), "y": y})


METHODS = [("lasso", "bic"), ("greedy", "bic"), ("best", "bic"), ("lasso", "3"), ("best", "2")]


def features(run, where, *arguments):
    run("select", *arguments, "-o", where)
    return json.loads(where.read_text())


def test_classes(run, hotel, tmp_path):
    shown = run("select", hotel, "-t", "came", "--drop", "price", "--stream")
    assert "color" in shown.stdout
    assert "noise" not in shown.stdout
    assert "'review' is not used: it is text" in shown.stderr
    assert "'id' is not used" in shown.stderr
    assert "rows were streamed" in shown.stderr
    assert "selected by mdl (gain)" in shown.stderr
    asked = (hotel, "-t", "came", "--drop", "price", "--drop", "review", "--method", "information", "--k", "2")
    both = features(run, tmp_path / "a.json", *asked), features(run, tmp_path / "b.json", *asked, "--stream")
    for a, b in zip(*both):
        assert (a["feature"], a["rank"]) == (b["feature"], b["rank"])
        assert a["information"] == pytest.approx(b["information"])
        assert a["p_value"] == pytest.approx(b["p_value"])


@pytest.mark.parametrize("k", ["1", "fdr", "bic", "gain"])
def test_information(run, hotel, tmp_path, k):
    found = features(run, tmp_path / "f.json", hotel, "-t", "came", "--stream", "--method", "information", "--k", k)
    assert {"age", "color"} & {row["column"] for row in found}
    assert [row["information"] for row in found] == sorted((row["information"] for row in found), reverse=True)


@pytest.mark.parametrize(("method", "k"), METHODS)
def test_numbers_as_in_memory(run, tmp_path, method, k):
    parquet.write_table(numbers(), tmp_path / "t.parquet")
    where = str(tmp_path / "t.parquet")
    rows = features(run, tmp_path / "a.json", where, "-t", "y", "--method", method, "--k", k)
    found = features(run, tmp_path / "b.json", where, "-t", "y", "--method", method, "--k", k, "--stream")
    weights = [{row["feature"]: row["weight"] for row in lines} for lines in (rows, found)]
    if method == "lasso":  # the two levels of a category are interchangeable
        weights = [{k: v for k, v in w.items() if not k.startswith("shape")} for w in weights]
    assert weights[0].keys() == weights[1].keys()
    for name, weight in weights[0].items():
        assert weights[1][name] == pytest.approx(weight, rel=0.02)
    assert {row["column"] for row in found} >= {"x4", "shape"}


@pytest.mark.parametrize("rule", ["cv", "1se"])
@pytest.mark.parametrize("method", ["lasso", "greedy", "best"])
def test_numbers_by_folds(run, tmp_path, method, rule):
    parquet.write_table(numbers(), tmp_path / "t.parquet")
    asked = (tmp_path / "t.parquet", "-t", "y", "--stream", "--method", method, "--k", rule)
    found = features(run, tmp_path / "f.json", *asked, "--seed", "3")
    assert {row["column"] for row in found} >= {"x1", "x4", "shape"}
    assert f"selected by {method} ({rule})" in run("select", *asked).stderr


def test_folds_are_those_of_the_seed(tmp_path):
    """The model is that of `summarize` with the same folds, on columns divided by their deviation."""
    table = numbers().drop_columns(["shape", "id"])
    parquet.write_table(table, tmp_path / "t.parquet")
    options = {"kind": None, "drop": None, "task": None, "time_budget": None, "seed": 7}
    where = stream_select.TableInput(str(tmp_path / "t.parquet"))
    lines, *_ = stream_select.select_streamed(where, "y", "lasso", "cv", **options)
    frame = table.to_pandas()
    X = frame.drop(columns="y")
    fold = RowFolds(5, 7).of_rows(0, 400)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    model = Lasso("cv", cv=splits).fit(X / X.std(ddof=0), frame["y"])
    expected = {name: weight for name, weight in zip(X.columns, model.coef_) if weight}
    assert {line["feature"]: line["weight"] for line in lines} == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rule", ["cv", "1se"])
def test_classes_by_folds(run, hotel, tmp_path, rule):
    asked = (hotel, "-t", "came", "--drop", "price", "--stream", "--method", "information", "--k", rule)
    found = features(run, tmp_path / "f.json", *asked)
    assert "color" in {row["column"] for row in found}
    assert f"selected by information ({rule})" in run("select", *asked).stderr


def test_what_is_streamed_without_being_told(run, tmp_path, monkeypatch):
    table = numbers()
    for i in range(2):
        parquet.write_table(table.slice(200 * i, 200), tmp_path / f"part-{i}.parquet")
    with open_database(str(tmp_path / "t.duckdb")) as opened, opened.sink("t", table.schema) as sink:
        sink.write(table.combine_chunks().to_batches()[0])
    lines = []
    for data in (tmp_path, tmp_path / "part-*.parquet"):
        shown = run("select", data, "-t", "y", "--method", "greedy")
        assert "rows were streamed" in shown.stderr
        lines.append(shown.stdout)
    assert "rows were streamed" not in run("select", tmp_path / "t.duckdb", "-t", "y", "--method", "greedy").stderr
    monkeypatch.setattr(stream_select, "MOST_BYTES", 1000)
    shown = run("select", tmp_path / "t.duckdb", "-t", "y", "--method", "greedy")
    assert "rows were streamed" in shown.stderr
    assert {*lines, shown.stdout} == {lines[0]}


def test_a_server(run, postgres):
    table = numbers()
    with open_database(postgres) as opened, opened.sink("measured", table.schema, replace=True) as sink:
        sink.write(table.combine_chunks().to_batches()[0])
    shown = run("select", postgres, "--table", "measured", "-t", "y", "--method", "best", "--time-budget", "5")
    assert "x4" in shown.stdout
    assert "secret" not in shown.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "lasso"], "method 'lasso' requires the rows for classes; with --stream use mdl or"),
        (["--k", "loo"], "--k loo requires the rows; with --stream use a number, or fdr"),
        (["--k", "99"], "--k 99 exceeds the"),
        (["--k", "0"], "--k must be a number of features or a rule"),
        (["--data", "small.csv"], "--data is not supported when rows are streamed"),
        (["--time-budget", "5"], "--time-budget is only supported with --method best"),
        (["--kind", "age=category"], "'age' is numeric and cannot be treated as category while rows are streamed"),
        (["--task", "numeric"], "Moments require a numeric target"),
    ],
)
def test_requests_that_make_no_sense(run, hotel, options, message):
    assert message in run("select", hotel, "-t", "came", "--stream", *options, code=1).stderr


def test_missing_numbers_and_single_classes_are_told(run, hotel, tmp_path):
    shown = run("select", hotel, "-t", "price", "--stream", code=1)
    assert "column 'age' has 18 missing value(s)" in shown.stderr
    csv.write_csv(pa.table({"x": [1.5, 2.5, 3.5], "y": ["a", "a", "a"]}), tmp_path / "one.csv")
    assert "one class, 'a'" in run("select", tmp_path / "one.csv", "-t", "y", "--stream", code=1).stderr
