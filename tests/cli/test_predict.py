"""``vitalfew predict``."""

import io

import numpy as np
import pytest
from pyarrow import csv, parquet

from vitalfew import LogisticRegression, Ridge, load, save
from vitalfew.encoding.encoding import make_encoded
from vitalfew.evaluation.table_model import TableModel


@pytest.mark.parametrize("name", ["nb", "lasso", "tree", "adaboost"])
def test_the_same_as_the_model(run, hotel, model_file, tmp_path, name):
    where = tmp_path / "p.parquet"
    run("predict", model_file(name), hotel, "--proba", "--keep", "id", "-o", where)
    found = parquet.read_table(where)
    assert found.column_names == ["id", "prediction", "P(no)", "P(yes)"]
    table = csv.read_csv(hotel, convert_options=csv.ConvertOptions(strings_can_be_null=True)).to_pandas()
    fitted = load(model_file(name))
    assert found["prediction"].to_pylist() == fitted.predict(table).tolist()
    np.testing.assert_array_equal(found["P(yes)"].to_numpy(), fitted.predict_proba(table)[:, 1])
    assert (np.array(found["prediction"].to_pylist()) == table["came"]).mean() > 0.75


def test_numbers(run, hotel, model_file):
    shown = run("predict", model_file("lasso", "price"), hotel)
    found = csv.read_csv(io.BytesIO(shown.stdout.encode()))
    assert found["prediction"].type == "double"
    shown = run("predict", model_file("lasso", "price"), hotel, "--proba", code=1)
    assert "predicts a number; omit --proba" in shown.stderr


def test_columns_in_any_order_by_a_pipe(run, hotel, model_file):
    table = csv.read_csv(hotel)
    turned = io.BytesIO()
    csv.write_csv(
        table.select(table.column_names[::-1]).drop_columns(["came", "noise"]).add_column(0, "noise", table["noise"]),
        turned,
    )
    direct = run("predict", model_file(), hotel).stdout
    assert run("predict", model_file(), "-", input=turned.getvalue()).stdout == direct


def test_no_rows(run, model_file):
    shown = run("predict", model_file(), "-", "--proba", input="age,color,noise,review,grade\n")
    assert shown.stdout.strip() == '"prediction","P(no)","P(yes)"'


def test_hostile_values_stay_values(run, tmp_path):
    """Classes that look like formulas, markup or several lines come back unchanged."""
    classes = ["=1+1", '<b>"x"</b>\n, y']
    quoted = ['"' + c.replace('"', '""') + '"' for c in classes]
    data = tmp_path / "t.csv"
    data.write_text("a,y\n" + "".join(f"{i % 2},{quoted[i % 2]}\n" for i in range(30)))
    run("fit", data, "-t", "y", "-m", "nb", "-o", tmp_path / "m.json")
    run("predict", tmp_path / "m.json", data, "-o", tmp_path / "p.csv")
    back = csv.read_csv(tmp_path / "p.csv", parse_options=csv.ParseOptions(newlines_in_values=True))
    assert back["prediction"].to_pylist() == classes * 15


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist"),
        ("{", "it is truncated, or not JSON"),
        ("[]", "it is not a model file"),
        ('{"format": "vitalfew.model", "schema": 1}', "its checksum does not match"),
    ],
)
def test_files_that_are_no_models(run, hotel, tmp_path, content, message):
    path = tmp_path / "m.json"
    if content is not None:
        path.write_text(content)
    assert message in run("predict", path, hotel, code=1).stderr


def test_tables_that_lack_a_column(run, model_file):
    shown = run("predict", model_file(), "-", input="Age,color\n1,red\n", code=1)
    assert "there is no column 'age'; did you mean 'Age'" in shown.stderr


def test_columns_to_keep(run, hotel, model_file):
    assert (
        "there is no column 'ID'; did you mean 'id'"
        in run("predict", model_file(), hotel, "--keep", "ID", code=1).stderr
    )


def test_a_model_of_a_report(run, hotel, tmp_path):
    table = csv.read_csv(hotel, convert_options=csv.ConvertOptions(strings_can_be_null=True)).to_pandas()
    kinds = {"age": "numeric", "color": "category"}
    model = TableModel(make_encoded(LogisticRegression(0.01, verbose=False), kinds), exponent=0.5)
    save(model.fit(table.drop(columns="came"), table["came"]), tmp_path / "few.json")
    shown = run("predict", tmp_path / "few.json", hotel, "--proba")
    found = csv.read_csv(io.BytesIO(shown.stdout.encode())).to_pandas()
    assert found["prediction"].tolist() == model.predict(table).tolist()
    np.testing.assert_allclose(found["P(yes)"], model.predict_proba(table)[:, 1])
    explained = run("explain", tmp_path / "few.json").stdout
    assert "LogisticRegression(alpha=0.01" in explained
    assert "color=red" in explained
    assert "of 4 features" in explained
    assert '"probability_yes"' in run("explain", tmp_path / "few.json", "--sql", "sqlite").stdout
    numbers = TableModel(make_encoded(Ridge(0.1, verbose=False), kinds)).fit(table, table["price"])
    save(numbers, tmp_path / "numbers.json")
    assert (
        "predicts a number; omit --proba" in run("predict", tmp_path / "numbers.json", hotel, "--proba", code=1).stderr
    )
