"""Keys that are null or occur twice are refused, wherever the documents are."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from corpus import get, make_documents, names, put
from pyarrow import csv, parquet

from vitalfew import label_documents
from vitalfew.exceptions import DataFileError
from vitalfew.labeling import keys
from vitalfew.labeling.keys import KeyCheck

KEYS = {
    "text": lambda i: f"k{i}",
    "number": lambda i: i,
    "long text": lambda i: "x" * 200 + str(i),
    "real": lambda i: i / 7,
    "day": lambda i: datetime.date(2000, 1, 1) + datetime.timedelta(i),
    "bytes": lambda i: b"\xff" + i.to_bytes(2, "big"),
    "list": lambda i: [i, 1],
    "empty": lambda i: "a" * (i % 2) if i < 2 else f"{i}",
}


def changed(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 399), (398, 399)])
def test_a_key_that_occurs_twice(database, tmp_path, first, second):
    """Duplicate keys are rejected in labeled and unlabeled rows, since labels could not be joined to documents."""
    table, _ = make_documents()
    values = table["id"].to_pylist()
    values[second] = values[first]
    table = changed(table, "id", values)
    put(database, "documents", table)
    parquet.write_table(table, tmp_path / "d.parquet")
    csv.write_csv(table, tmp_path / "d.csv")
    before = sorted(tmp_path.iterdir())
    message = rf"key 'id' does not identify rows: 'k{first}' occurs more than once; specify a column .*--key"
    for path in ("d.parquet", "d.csv"):
        with pytest.raises(ValueError, match=message):
            label_documents(tmp_path / path, None, "body", "topic", key="id", into=str(tmp_path / "out.csv"))
    with pytest.raises(ValueError, match=message):
        label_documents(database, "documents", "body", "topic", key="id", model="nb")
    assert names(database) == ["documents"]
    assert sorted(tmp_path.iterdir()) == before


def test_a_key_without_a_value(database):
    table, _ = make_documents()
    put(database, "documents", changed(table, "id", [*table["id"].to_pylist()[:-1], None]))
    with pytest.raises(ValueError, match="key column 'id' has rows without a value"):
        label_documents(database, "documents", "body", "topic", key="id", model="nb")
    assert names(database) == ["documents"]


def test_several_columns_that_differ_together(database):
    table, _ = make_documents(120, 30)
    table = table.append_column("half", pa.array([i // 2 for i in range(120)]))
    table = table.append_column("side", pa.array(["ab"[i % 2] for i in range(120)]))
    put(database, "documents", table)
    assert label_documents(database, "documents", "body", "topic", key=["half", "side"], model="nb").n_unlabeled == 90
    with pytest.raises(ValueError, match="key 'half' does not identify rows: 0 occurs more than once"):
        label_documents(database, "documents", "body", "topic", key="half", model="nb", into="other")


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("most", [2**22, 64])
def test_every_type_of_key(monkeypatch, kind, most):
    """Duplicates are found in memory, and in sorted runs of a temporary file."""
    monkeypatch.setattr(keys, "MOST", most)
    values = [KEYS[kind](i) for i in range(1000)]

    def batches(values):
        return [pa.record_batch({"k": values[i : i + 37]}) for i in range(0, len(values), 37)]

    def check(values):
        found = KeyCheck(("k",))
        for batch in batches(values):
            found.add(batch)
        found.finish(iter(batches(values)))

    check(values)
    for again in (0, 500, 998):
        with pytest.raises(ValueError, match="occurs more than once"):
            check([*values[:-1], values[again]])


def test_equal_hashes_of_different_keys(monkeypatch):
    monkeypatch.setattr(KeyCheck, "_hash", lambda self, batch: np.zeros(batch.num_rows, np.uint64))
    for values, is_unique in (([1, 2, 3], True), ([1, 2, 1], False)):
        check = KeyCheck(("k",))
        check.add(pa.record_batch({"k": values}))
        if is_unique:
            check.finish([pa.record_batch({"k": values})])
        else:
            with pytest.raises(ValueError, match="1 occurs more than once"):
                check.finish([pa.record_batch({"k": values})])


def test_names_of_tables_that_differ_only_in_case(database):
    table, _ = make_documents(120, 30)
    put(database, "documents", table)
    put(database, "Results", pa.table({"x": [1]}))
    asked = {"key": "id", "model": "nb", "into": "RESULTS"}
    if database.startswith("postgres"):
        label_documents(database, "documents", "body", "topic", **asked)
        assert get(database, "RESULTS").num_rows == 90
    else:
        for replace in (False, True):
            with pytest.raises(
                DataFileError, match=r"has a table 'Results' and does not distinguish it from 'RESULTS'; choose"
            ):
                label_documents(database, "documents", "body", "topic", replace=replace, **asked)
        assert sorted(names(database)) == ["Results", "documents"]
    assert get(database, "Results").to_pydict() == {"x": [1]}


ENCODED = {
    "dictionary": lambda keys: pa.array(keys).dictionary_encode(),
    "null in a dictionary": lambda keys: pa.DictionaryArray.from_arrays(range(len(keys)), keys),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_keys_are_decoded_first(tmp_path, kind):
    def run(keys):
        topics = ["p" if i % 2 else "q" for i in range(20)] + [None] * 10
        rows = pa.table({"k": ENCODED[kind](keys), "body": [f"word{i % 2} and" for i in range(30)], "topic": topics})
        with pa.ipc.new_file(tmp_path / "in.arrow", rows.schema) as writer:
            writer.write_table(rows)
        into = str(tmp_path / "out.parquet")
        return label_documents(
            str(tmp_path / "in.arrow"), None, "body", "topic", key="k", into=into, model="nb", replace=True
        )

    keys = [f"k{i}" for i in range(30)]
    assert run(keys).n_unlabeled == 10
    assert pa.parquet.read_table(tmp_path / "out.parquet")["k"].cast(pa.string()).to_pylist() == keys[20:]
    with pytest.raises(ValueError, match="occurs more than once"):
        run([*keys[:-1], "k0"])
    with pytest.raises(ValueError, match="rows without a value"):
        run([*keys[:-1], None])
