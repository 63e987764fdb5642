"""vitalfew label: what it says and writes."""

import json

import numpy as np
import pyarrow as pa
import pytest

from vitalfew.data.databases.open import open_database

pytest.importorskip("duckdb")


@pytest.fixture
def films(tmp_path):
    """Sixty reviews, twenty of them labeled."""
    rng = np.random.default_rng(0)
    good = rng.random(60) < 0.5
    good[:2] = [True, False]
    bodies = [f"film {'lovely fine' if g else 'dull poor'} scene{i % 7}" for i, g in enumerate(good)]
    labels = [("+" if g else "-") if i < 20 else None for i, g in enumerate(good)]
    table = pa.table({"id": range(60), "body": bodies, "verdict": labels})
    path = tmp_path / "films.duckdb"
    with open_database(str(path)) as database, database.sink("films", table.schema) as sink:
        sink.write(table.to_batches()[0])
    return str(path)


def labels_of(path, name="films_predicted"):
    with open_database(path, read_only=True) as database:
        return database.source(name).read().to_pydict()


ASKED = ("--table", "films", "--text", "body", "--label", "verdict", "--key", "id")


def test_label(films, run):
    said = run("label", films, *ASKED).stdout
    assert "60 documents, 20 of them labeled" in said
    assert "Errors on 20 labeled documents" in said
    assert "Labeled by em: " in said
    assert "40 rows written to 'films_predicted' (id, verdict, probability, word_1, word_2, word_3)." in said
    assert "documents per second" in said
    found = labels_of(films)
    assert found["id"] == list(range(20, 60))
    assert {(v, frozenset([a, b])) for v, a, b in zip(found["verdict"], found["word_1"], found["word_2"])} == {
        ("+", frozenset(["lovely", "fine"])),
        ("-", frozenset(["dull", "poor"])),
    }


def test_json(films, run):
    told = json.loads(run("label", films, *ASKED, "--model", "logistic-l2", "--into", "p", "--json").stdout)
    assert told["model"] == "logistic-l2"
    assert told["n_labeled"].keys() == {"+", "-"}
    assert sum(told["n_predicted"].values()) == 40
    assert told["candidates"][0]["name"] == "logistic-l2"
    assert labels_of(films, "p")["id"] == list(range(20, 60))


def test_dry_run(films, run):
    said = run("label", films, *ASKED, "--semi-supervised", "--dry-run").stdout
    assert "Would validate em, nb-idf and write 40 rows to 'films_predicted'" in said
    assert "Nothing was written." in said
    with open_database(films, read_only=True) as database:
        assert list(database.tables()) == ["films"]


def test_files(tmp_path, run):
    (tmp_path / "d.csv").write_text("id,body,verdict\n1,good film,+\n2,bad film,-\n3,good,\n4,bad,\n")
    run("label", tmp_path / "d.csv", *ASKED[2:], "-o", tmp_path / "out.csv", "--model", "nb", "--quiet")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == '"id","verdict","probability","word_1","word_2","word_3"'
    assert [line.split(",")[1] for line in lines[1:]] == ['"+"', '"-"']


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--model", "ems"], "unknown model 'ems'"),
        (["--into", "films"], "the labels cannot be written to 'films', which contains the documents"),
        (["--into", "a", "-o", "b.csv"], "use either --into (a table) or --output (a file), not both."),
        (["-o", "b.csv"], "is a database; use --into for the new table."),
        (["--semi-supervised", "--model", "nb"], "--semi-supervised means --model em"),
        (["--memory", "much"], "memory must be a number of bytes or a string such as '2GB', got 'much'."),
        (["--text", "boddy"], "there is no column 'boddy'; did you mean 'body'?"),
        (["--table", "film"], "has no table 'film'; did you mean 'films'?"),
    ],
)
def test_errors(films, run, change, message):
    assert message in " ".join(run("label", films, *ASKED, *change, code=1).stderr.split())


def test_a_table_that_is_there(films, run):
    run("label", films, *ASKED, "--model", "nb")
    assert "already has a table 'films_predicted'" in run("label", films, *ASKED, "--model", "nb", code=1).stderr
    run("label", films, *ASKED, "--model", "nb", "--replace")


def test_no_such_file(tmp_path, run):
    assert "does not exist" in run("label", tmp_path / "d.duckdb", *ASKED, code=1).stderr
    assert not (tmp_path / "d.duckdb").exists()
