"""``vitalfew fit``."""

import json

import pandas as pd
import pytest

from vitalfew import load
from vitalfew.cli.models import MODELS, parse_value


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_classes(model_file, name):
    fitted = load(model_file(name))
    assert list(fitted.named_steps) in (["columns", "model"], ["columns", "encode", "model"])
    assert fitted.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize("name", [n for n, entry in MODELS.items() if entry.numeric])
def test_every_model_of_numbers(model_file, name):
    assert not hasattr(load(model_file(name, "price")), "classes_")


def test_settings(run, hotel, tmp_path):
    where = tmp_path / "m.json"
    shown = run("fit", hotel, "-t", "came", "-m", "nb", "--set", "features=2", "--set", "prior_strength=5", "-o", where)
    assert "NaiveBayes fitted on 160 rows with 2 of" in shown.stderr
    inner = load(where).named_steps["model"]
    assert (inner.features, inner.prior_strength, inner.random_state) == (2, 5, 0)


def test_whole_numbers_are_classes_unless_told(run, hotel, tmp_path):
    where = tmp_path / "m.json"
    run("fit", hotel, "-t", "grade", "-m", "lasso", "-o", where)
    assert load(where).classes_.tolist() == [1, 2, 3]
    run("fit", hotel, "-t", "grade", "-m", "lasso", "--task", "numeric", "-o", where)
    assert not hasattr(load(where), "classes_")


def test_kinds(run, hotel, tmp_path):
    where = tmp_path / "m.json"
    run(
        "fit",
        hotel,
        "-t",
        "came",
        "-m",
        "lasso",
        "--kind",
        "grade=category",
        "--kind",
        "review=identifier",
        "-o",
        where,
    )
    kinds = load(where).named_steps["columns"].kinds
    assert kinds["grade"] == "category"
    assert "review" not in kinds


def test_the_same_seed_writes_the_same_file(run, hotel, tmp_path):
    for name in ("a.json", "b.json"):
        run("fit", hotel, "-t", "came", "-m", "lasso", "--seed", "3", "-o", tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_to_a_pipe(run, hotel):
    shown = run("fit", hotel, "-t", "came", "-m", "stump", "-o", "-")
    assert json.loads(shown.stdout)["format"] == "vitalfew.model"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "logistc"], "unknown model 'logistc'; did you mean 'logistic'"),
        (["-m", "nb", "--set", "feature=2"], "NaiveBayes has no parameter 'feature'; did you mean 'features'"),
        (["-m", "nb", "--set", "features"], "--set must be NAME=VALUE, got 'features'"),
        (["-m", "nb", "--set", "features=many"], "features='many' is not supported"),
    ],
)
def test_requests_that_make_no_sense(run, hotel, tmp_path, options, message):
    assert message in run("fit", hotel, "-t", "came", "-o", tmp_path / "m.json", *options, code=1).stderr
    assert list(tmp_path.iterdir()) == []


def test_models_that_cannot_predict_numbers(run, hotel, tmp_path):
    shown = run("fit", hotel, "-t", "price", "-m", "nb", "-o", tmp_path / "m.json", code=1)
    assert "model 'nb' cannot predict a number; use one of lasso, ridge, greedy, best" in shown.stderr


def test_values_from_text():
    assert [parse_value(t) for t in ("1", "0.5", "True", "None", "mdl", "(1, 2)", "__import__('os')")] == [
        1,
        0.5,
        True,
        None,
        "mdl",
        (1, 2),
        "__import__('os')",
    ]


def test_an_index_that_pandas_stored_is_a_column(run, tmp_path):
    frame = pd.DataFrame({"year": [1, 2, 3, 4] * 10, "b": [0.0, 1.0] * 20, "y": ["p", "q"] * 20})
    frame.set_index("year").to_parquet(tmp_path / "rows.parquet")
    run("fit", tmp_path / "rows.parquet", "-t", "y", "-m", "nb", "-o", tmp_path / "m.json")
    run("predict", tmp_path / "m.json", tmp_path / "rows.parquet", "-o", tmp_path / "p.csv")
    assert "year" in (tmp_path / "m.json").read_text()
