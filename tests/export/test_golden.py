"""Files and sources of released versions still say what they said."""

import gzip
import json
import warnings

import golden_files
import numpy as np
import pytest
from engines import in_duckdb, in_sqlite, plain_rows, quoted

import vitalfew as vf
from vitalfew.evaluation.table_model import TableModel
from vitalfew.exceptions import VersionWarning
from vitalfew.export.model_file import parse

VERSIONS = sorted(path for path in golden_files.GOLDEN.iterdir() if path.is_dir())
FILES = [path for version in VERSIONS for path in sorted(version.glob("*.json.gz"))]
MOST_BYTES = 300_000


def read(path):
    return json.loads(gzip.decompress(path.read_bytes()).decode())


def named(path):
    return f"{path.parent.name}-{path.name.partition('.')[0]}"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_model_of_an_older_version_predicts_the_same(path, tmp_path):
    held = read(path)
    (tmp_path / "model.json").write_text(held["model"], encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VersionWarning)
        model = vf.load(tmp_path / "model.json")
    found = golden_files.answers(model, golden_files.rows_of(held["rows"]))
    assert found.keys() >= held["answers"].keys()
    for method, expected in held["answers"].items():
        assert_near(found[method], expected)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("path", [path for path in FILES if "sql" in read(path)], ids=named)
def test_sql_of_an_older_version_still_runs(path, engine):
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    held = read(path)
    frame, query = golden_files.rows_of(held["rows"]), held["sql"][engine]
    used = [column for column in frame.columns if quoted(column) in query]
    assert_lines({"duckdb": in_duckdb, "sqlite": in_sqlite}[engine](query, frame[used]), held["answers"])


@pytest.mark.parametrize("path", [path for path in FILES if "python" in read(path)], ids=named)
def test_python_of_an_older_version_still_runs(path):
    held = read(path)
    frame, module = golden_files.rows_of(held["rows"]), {}
    exec(compile(held["python"], "model", "exec"), module)
    rows = [dict(zip(frame.columns, row)) for row in plain_rows(frame)]
    shares = module.get("probabilities", lambda row: {})
    assert_lines([[module["predict"](row), *shares(row).values()] for row in rows], held["answers"])


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_counts_of_an_older_version(version):
    held = read(version / "counts.gz")
    counts = vf.Counts.from_json(held["counts"])
    np.testing.assert_array_equal(counts.table, held["table"])
    assert json.loads(counts.to_json()).keys() >= json.loads(held["counts"]).keys()


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_sealed_test_of_an_older_version(version, tmp_path):
    (tmp_path / "sealed").write_bytes((version / "sealed.zip").read_bytes())
    sealed = vf.SealedTest.load(tmp_path / "sealed")
    held = read(version / "sealed_score.gz")
    score = sealed.score(parse(held["model"].encode()))
    assert score.confusion == held["confusion"]
    assert score.error == pytest.approx(held["error"])


def test_every_model_that_a_file_holds_is_among_them():
    newest = {path.name.partition(".")[0] for path in VERSIONS[-1].glob("*.json.gz")}
    assert newest == set(golden_files.MODELS)
    kinds = {type(model) for model, _ in golden_files.MODELS.values()}
    estimators = [TableModel, *(getattr(vf, name) for name in vf.__all__)]
    assert {thing for thing in estimators if isinstance(thing, type) and hasattr(thing, "get_params")} == kinds


def test_they_are_small():
    assert sum(path.stat().st_size for path in golden_files.GOLDEN.rglob("*") if path.is_file()) < MOST_BYTES


def assert_lines(lines, answers):
    """Predictions, and probabilities where there are any, a line for each row."""
    assert_near([line[0] for line in lines], answers["predict"])
    if "predict_proba" in answers:
        assert_near([list(line[1:]) for line in lines], answers["predict_proba"])


def assert_near(found, expected):
    """Texts are equal, and numbers but for rounding, which depends on the processor."""
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_near(one, other)
    elif isinstance(expected, float):
        found = np.nan if found is None else found  # versions of pandas differ in how a text is missing
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)
    else:
        assert found == expected
