"""Labels for documents: the same from every database, whole or not at all, and the source is never touched."""

import os

import numpy as np
import pyarrow as pa
import pytest
from corpus import TOPICS, get, make_documents, names, put, right
from pyarrow import csv, parquet

from vitalfew import NaiveBayes, WordPresence, label_documents
from vitalfew.data.databases.open import open_database
from vitalfew.exceptions import DataFileError
from vitalfew.labeling import label
from vitalfew.labeling.budget import parse_memory

COLUMNS = ["id", "topic", "probability", "word_1", "word_2", "word_3"]


def test_every_database(documents):
    address, truth = documents
    before = get(address, "documents")
    report = label_documents(address, "documents", "body", "topic", key="id", n_jobs=1)
    found = get(address, "documents_predicted")
    assert found.column_names == report.columns == COLUMNS
    assert sorted(found["id"].to_pylist()) == sorted(f"k{i}" for i in range(30, 400))  # labeled ones are not written
    assert right(found, truth) > 0.9
    assert report.n_predicted == {t: found["topic"].to_pylist().count(t) for t in TOPICS}
    assert sum(report.n_labeled.values()) == 30
    assert report.n_unlabeled == 370
    assert {c["name"] for c in report.candidates} == {"em", "nb", "nb-idf", "logistic-l1", "logistic-l2"}
    assert report.model in report.why or "lowest error" in report.why
    assert get(address, "documents").equals(before)
    # An empty document has no reasons, and the others have words of their own.
    reasons = dict(zip(found["id"].to_pylist(), found["word_1"].to_pylist()))
    assert reasons["k399"] is None
    assert reasons["k398"] is None
    bodies = dict(zip(before["id"].to_pylist(), before["body"].to_pylist()))
    assert all(word in bodies[key].split() for key, word in reasons.items() if word is not None)


@pytest.mark.parametrize("model", ["em", "logistic-l2", "logistic-l1", "nb", "nb-idf"])
def test_each_model(tmp_path, model):
    table, truth = make_documents()
    path = str(tmp_path / "d.duckdb")
    put(path, "documents", table)
    report = label_documents(path, "documents", "body", "topic", key="id", model=model)
    assert report.model in (model, "nb-idf")
    found = get(path, "documents_predicted")
    assert right(found, truth) > (0.6 if model == "logistic-l1" else 0.8)
    probability = found["probability"].to_numpy()
    assert ((probability > 1 / 3 - 1e-9) & (probability <= 1)).all()


def test_naive_bayes_is_that_of_the_library(tmp_path):
    """The pooled prior is of all documents, though only the labeled ones are held."""
    table, _ = make_documents(300, 40)
    path = str(tmp_path / "d.duckdb")
    put(path, "documents", table)
    label_documents(path, "documents", "body", "topic", key="id", model="nb")
    found = get(path, "documents_predicted")
    bodies = [b or "" for b in table["body"].to_pylist()]
    X = WordPresence(min_df=2).fit_transform(bodies)
    labels = table["topic"].to_pylist()
    model = NaiveBayes().fit(X[:40], labels[:40], X_unlabeled=X[40:])
    order = np.argsort([f"k{i}" for i in range(40, 300)])
    np.testing.assert_array_equal(found["topic"].to_pylist(), model.predict(X[40:])[order])
    np.testing.assert_allclose(found["probability"].to_numpy(), model.predict_proba(X[40:]).max(axis=1)[order])


def test_numbers_as_classes_and_a_marker(documents):
    address, _ = documents
    table, _ = make_documents()
    marked = [str(TOPICS.index(t)) if t is not None else "" for t in table["topic"].to_pylist()]
    put(address, "marked", table.set_column(2, "topic", pa.array(marked)))
    report = label_documents(address, "marked", "body", "topic", key="id", model="nb")
    assert report.n_labeled[""] == 370  # a separate class unless it is declared missing
    assert get(address, "marked_predicted").num_rows == 0
    assert any("every document has a label" in note for note in report.notes)
    report = label_documents(address, "marked", "body", "topic", key="id", model="nb", unlabeled="", into="p")
    assert report.n_unlabeled == 370
    numbers = pa.array([None if m == "" else int(m) - 1 for m in marked], pa.int64())
    put(address, "numbered", table.set_column(2, "topic", numbers))
    again = label_documents(address, "numbered", "body", "topic", key="id", model="nb")
    assert list(again.n_labeled) == [-1, 0, 1]  # a class like any other
    found, same = get(address, "numbered_predicted"), get(address, "p")
    assert found["topic"].type == pa.int64()
    assert [str(t + 1) for t in found["topic"].to_pylist()] == same["topic"].to_pylist()


HOSTILE = ['x"; DROP TABLE documents; --', "it's", "a.b", "😀 é", "%s {}"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(database, name):
    table, _ = make_documents(120, 30)
    body, topic, key = f"{name} body", f"{name} topic", f"{name} key"
    put(database, name, table.rename_columns([key, body, topic]))
    put(database, "documents", table)
    report = label_documents(database, name, body, topic, key=key, into=f"{name}!", model="nb")
    assert report.columns[:2] == [key, topic]
    assert get(database, f"{name}!").num_rows == 90
    assert get(database, "documents").num_rows == 120


def test_columns_with_the_names_of_ours(tmp_path):
    table, _ = make_documents(120, 30)
    path = str(tmp_path / "d.duckdb")
    put(path, "documents", table.rename_columns(["Probability", "body", "word_1"]))
    report = label_documents(path, "documents", "body", "word_1", key="Probability", model="nb")
    assert report.columns == ["Probability", "word_1", "probability_", "word_1_", "word_2", "word_3"]


def test_keys(database):
    """The primary key by default, otherwise the number of the row, where the database has one."""
    table, _ = make_documents(120, 30)
    put(database, "documents", table)
    is_postgres = database.startswith("postgres")
    if is_postgres:
        with pytest.raises(ValueError, match=r"has no primary key; specify a column .* \(--key\)"):
            label_documents(database, "documents", "body", "topic", model="nb")
    else:
        assert label_documents(database, "documents", "body", "topic", model="nb").columns[0] == "rowid"
        rows = get(database, "documents_predicted")["rowid"].to_pylist()
        assert rows == list(range(30 + database.endswith("sqlite"), 120 + database.endswith("sqlite")))
    with open_database(database) as opened:
        assert opened.primary_key(opened.tables()["documents"]) == []
    _make_keyed(database)
    put_rows = label_documents(database, "keyed", "body", "topic", model="nb", dry_run=True)
    assert put_rows.columns[:3] == ["b", "a", "topic"]
    put(database, "documents", table.set_column(1, "body", table["body"].fill_null("")))
    two = label_documents(database, "documents", "body", "topic", key=["id", "body"], model="nb", into="two")
    assert two.columns[:3] == ["id", "body", "topic"]


def _make_keyed(database):
    statement = "create table keyed (a integer, b integer, body text, topic text, primary key (b, a))"
    rows = "insert into keyed values (1, 1, 'good film', '+'), (1, 2, 'bad film', '-'), (2, 1, 'film', null)"
    if database.endswith(".duckdb"):
        import duckdb as driver

        with driver.connect(database) as connection:
            connection.execute(statement)
            connection.execute(rows)
        return
    if database.endswith(".sqlite"):
        from adbc_driver_sqlite import dbapi
    else:
        from adbc_driver_postgresql import dbapi
    with dbapi.connect(database, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute(rows)


def test_dry_run_writes_nothing(documents):
    address, _ = documents
    report = label_documents(address, "documents", "body", "topic", key="id", dry_run=True)
    assert report.is_dry_run
    assert report.n_unlabeled == 370
    assert report.model is None
    assert report.into == "documents_predicted"
    assert names(address) == ["documents"]


def test_what_is_there_stays(documents):
    address, _ = documents
    put(address, "documents_predicted", pa.table({"x": [1]}))
    with pytest.raises(DataFileError, match=r"already has a table 'documents_predicted'; .*--replace"):
        label_documents(address, "documents", "body", "topic", key="id", model="nb")
    assert get(address, "documents_predicted").to_pydict() == {"x": [1]}
    label_documents(address, "documents", "body", "topic", key="id", model="nb", replace=True)
    assert get(address, "documents_predicted").num_rows == 370
    with pytest.raises(ValueError, match="the labels cannot be written to 'documents', which contains the documents"):
        label_documents(address, "documents", "body", "topic", key="id", into="documents", replace=True)
    assert get(address, "documents").num_rows == 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": "document"}, "has no table 'document'; did you mean 'documents'"),
        ({"text": "bodies"}, "there is no column 'bodies'"),
        ({"label": "topics"}, "there is no column 'topics'; did you mean 'topic'"),
        ({"key": "it"}, "there is no column 'it'"),
        ({"text": "number"}, "column 'number' must be text"),
        ({"label": "body"}, "cannot be both the text and the label"),
        ({"label": "none"}, "no document is labeled: column 'none' is empty in all 60 rows"),
        ({"label": "same"}, "all labeled documents have the same 'same', 'x'"),
        ({"model": "svm"}, "unknown model 'svm'; the models are"),
        ({"memory": "2 bananas"}, "memory must be a number of bytes or a string such as '2GB'"),
        ({"memory": "10MB"}, "memory must be at least 1GB"),
    ],
)
def test_errors_in_a_sentence(tmp_path, change, message):
    table, _ = make_documents(60, 20)
    table = table.append_column("number", pa.array(range(60)))
    table = table.append_column("none", pa.array([None] * 60, pa.string()))
    table = table.append_column("same", pa.array(["x", None] * 30))
    path = str(tmp_path / "d.duckdb")
    put(path, "documents", table)
    asked = {"table": "documents", "text": "body", "label": "topic", "key": "id"} | change
    with pytest.raises(ValueError, match=message) as caught:
        label_documents(path, **asked)
    assert len(str(caught.value).splitlines()) == 1
    assert names(path) == ["documents"]


def test_one_labeled_document_of_each_class(tmp_path):
    table, _ = make_documents(200, 3)
    path = str(tmp_path / "d.duckdb")
    put(path, "documents", table)
    report = label_documents(path, "documents", "body", "topic", key="id")
    assert report.model == "em"
    assert report.candidates == []
    assert "no class has two labeled documents" in report.why
    assert any("'film', 'food', 'sport'" in note for note in report.notes)
    assert get(path, "documents_predicted").num_rows == 197


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files(tmp_path, kind):
    table, truth = make_documents()
    source, goal = tmp_path / f"d.{kind}", tmp_path / f"out.{kind}"
    (parquet.write_table if kind == "parquet" else csv.write_csv)(table, source)
    report = label_documents(str(source), None, "body", "topic", key="id", into=str(goal), model="nb")
    found = (parquet.read_table if kind == "parquet" else csv.read_csv)(goal)
    assert found.column_names == report.columns == COLUMNS
    assert found.num_rows == 370
    assert right(found, truth) > 0.8
    with pytest.raises(DataFileError, match=r"the file .* already exists"):
        label_documents(str(source), None, "body", "topic", key="id", into=str(goal))
    with pytest.raises(ValueError, match="is also an input"):
        label_documents(str(source), None, "body", "topic", key="id", into=str(source), replace=True)
    with pytest.raises(ValueError, match=r"identifies its rows \(--key\)"):
        label_documents(str(source), None, "body", "topic", into=str(tmp_path / "new.csv"))
    assert sorted(os.listdir(tmp_path)) == sorted([source.name, goal.name])


@pytest.mark.parametrize("given", ["a pattern", "a folder", "a link"])
def test_labels_never_replace_documents(tmp_path, given):
    table, _ = make_documents(60, 20)
    for i in range(3):
        parquet.write_table(table.slice(20 * i, 20), tmp_path / f"part-{i}.parquet")
    before = [p.read_bytes() for p in sorted(tmp_path.iterdir())]
    into = tmp_path / "part-1.parquet"
    if given == "a link":
        into = tmp_path.parent / f"{tmp_path.name}-link.parquet"
        into.symlink_to(tmp_path / "part-1.parquet")
    source = tmp_path if given == "a folder" else tmp_path / "part-*.parquet"
    with pytest.raises(ValueError, match=r"is also an input \('.*part-1.parquet'\), .*choose another output path"):
        label_documents(str(source), None, "body", "topic", key="id", into=str(into), replace=True)
    assert [p.read_bytes() for p in sorted(tmp_path.iterdir())] == before


def test_sizes_of_memory():
    assert parse_memory("2GB") == 2 * 10**9
    assert parse_memory("1.5 gib") == 3 * 2**29
    assert parse_memory(3_000_000_000) == 3_000_000_000


def test_labels_that_are_documents_are_refused(tmp_path):
    rows = pa.table({"id": range(8), "body": ["aa bb", "cc dd"] * 4, "topic": ["x" * 20_000, "y"] * 3 + [None, None]})
    parquet.write_table(rows, tmp_path / "rows.parquet")
    with pytest.raises(
        ValueError, match=r"labels must have at most 10,000 characters, got 20,000; specify a column of classes"
    ):
        label_documents(tmp_path / "rows.parquet", None, "body", "topic", key="id", into=str(tmp_path / "out.parquet"))


def test_an_output_that_becomes_the_input_meanwhile(tmp_path, monkeypatch):
    path, out = tmp_path / "rows.parquet", tmp_path / "out.parquet"
    parquet.write_table(
        pa.table({"id": range(8), "body": ["aa bb", "cc dd"] * 4, "topic": ["x", "y"] * 3 + [None, None]}), path
    )
    write = label._write

    def late(*arguments):
        out.symlink_to(path)
        return write(*arguments)

    monkeypatch.setattr(label, "_write", late)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="is also an input"):
        label_documents(path, None, "body", "topic", key="id", into=str(out), replace=True, model="nb")
    assert path.read_bytes() == before
