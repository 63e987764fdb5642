"""Model files crafted to exhaust memory or time or to crash the process: each raises a `ModelFileError`."""

import base64
import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from vitalfew import Lasso, NaiveBayes, Stump, load
from vitalfew.exceptions import ModelFileError
from vitalfew.export.model_file import checksum, dump, parse


def lasso():
    return json.loads(dump(Lasso(0.1).fit(*load_diabetes(return_X_y=True))))


def signed(document):
    document.pop("checksum", None)
    return json.dumps({**document, "checksum": checksum(document)}).encode()


def with_scoring(node):
    """A model one of whose parameters, which may be anything, is this."""
    document = lasso()
    document["model"]["params"]["scoring"] = node
    return signed(document)


def shared_tuples(n):
    """Each tuple holds the one before twice, so that the last has 2**n leaves."""
    items = [{"kind": "tuple", "items": [1, 1], "id": 0}]
    for i in range(n):
        same = {"kind": "same", "id": i}
        items.append({"kind": "tuple", "items": [same, same], "id": i + 1})
    return items


def shared_pipelines(n):
    scaler = {"kind": "object", "class": "StandardScaler", "params": {}, "fields": {}, "id": 0}
    nodes = [scaler]
    for i in range(n):
        same = {"kind": "same", "id": i}
        steps = [{"kind": "tuple", "items": [name, same]} for name in "ab"]
        nodes.append({"kind": "object", "class": "Pipeline", "params": {"steps": steps}, "fields": {}, "id": i + 1})
    return nodes


def nested(n):
    node = []
    for _ in range(n):
        node = [node]
    return node


def array(dtype, shape, **content):
    return {"kind": "array", "dtype": dtype, "shape": shape, **content}


HOSTILE = {
    "shared tuples in a set": {"kind": "frozenset", "items": shared_tuples(60)},
    "shared tuples": shared_tuples(60),
    "shared pipelines": shared_pipelines(60),
    "tuples in a set": {"kind": "set", "items": [{"kind": "tuple", "items": [1]}]},
    "lists as keys": {"kind": "dict", "items": [[[1], 2]]},
    "objects in a set": {"kind": "set", "items": [shared_pipelines(0)[0]]},
    "integers of one hash": {"kind": "set", "items": [i * (2**61 - 1) for i in range(1000, 3000)]},
    "wide text": array("<U300000000", [2], values=["a", "b"]),
    "wide text without rows": array("<U300000000", [0], values=[]),
    "wide bytes": array("|S300000000", [1], base64="AAAA"),
    "wide axis": array("<f8", [0, 10**18], values=[]),
    "wide axis of bytes": array("<f8", [0, 10**12], base64=""),
    "many axes": array("<f8", [1] * 65, values=[1.0]),
    "huge integer": array("<i8", [1], values=[10**30]),
    "integer for text": array("<U3", [1], values=[10**30]),
    "integer beyond floats": array("<f8", [1], values=[10**400]),
    "evaluated type": array("f8,(1000000,1000000)f8", [1], values=[1.0]),
    "type of numbers": array(7, [1], values=[1.0]),
    "type by a list": array([["a", "<f8"]], [1], values=[1.0]),
    "shape by a number": array("<f8", 1, values=[1.0]),
    "shape by text": array("<f8", "1", values=[1.0]),
    "no base64": array("<f8", [1], base64="äöü"),
    "half a number": array("<f8", [1], base64="AAAA"),
    "number for base64": array("<f8", [1], base64=7),
    "kind that is a list": {"kind": []},
    "id that is a list": array("<f8", [1], values=[1.0], id=[1]),
    "reference to a list": {"kind": "same", "id": [1]},
    "class that is a list": {"kind": "object", "class": [], "fields": {}},
    "fields that are a list": {"kind": "object", "class": "Lasso", "fields": []},
    "params that are text": {"kind": "object", "class": "Lasso", "params": "x", "fields": {}},
    "float of another name": {"kind": "float", "value": "1e5"},
    "slice of many": {"kind": "slice", "items": [1, 2, 3, 4]},
    "items that are text": {"kind": "tuple", "items": "abc"},
    "type that is not there": {"kind": "type", "name": "eval"},
    "sparse without end": {
        "kind": "sparse",
        "form": "csr_array",
        "shape": [2, 2],
        "data": array("<f8", [2], values=[1.0, 2.0]),
        "indices": array("<i4", [2], values=[0, 10**9]),
        "indptr": array("<i4", [3], values=[0, 1, 2]),
    },
    "deep": nested(900),
    "threads": {"kind": "object", "class": "Bagging", "params": {"n_jobs": 10**6}, "fields": {}},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_values_are_refused(case):
    raw = with_scoring(HOSTILE[case])
    tracemalloc.start()
    with pytest.raises(ModelFileError):
        parse(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * len(raw) + 2**22


HEAD = b'{"format": "vitalfew.model", "schema": 1, "x": '


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b"1e999}",
        HEAD + b"-1e999}",
        HEAD + b"NaN}",
        HEAD + b"9" * 5000 + b"}",
        HEAD + b"[" * 100_000 + b"]" * 100_000 + b"}",
        HEAD + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
        HEAD + b'"\xff"}',
        HEAD + b'"\\ud800"}',
        (HEAD + b"1}").decode().encode("utf-16"),
        b"\xef\xbb\xbf" + HEAD + b"1}",
        HEAD + b'{"a": 1, "a": 2}}',
        HEAD + b'"' + b"\\" * 10_001,
        b"",
        b"\0" * 1000,
    ],
    ids=range(14),
)
def test_documents_that_are_not_models(raw, tmp_path):
    (tmp_path / "model").write_bytes(raw)
    with pytest.raises(ModelFileError, match=r"cannot load .*model"):
        load(tmp_path / "model")


def test_recursion_is_limited_whatever_python_allows(monkeypatch):
    import sys

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        with pytest.raises(ModelFileError, match="nested 100001 levels deep"):
            parse(HEAD + b"[" * 100_000 + b"]" * 100_000 + b"}")
    finally:
        sys.setrecursionlimit(before)


def test_text_that_is_wider_than_its_values_keeps_its_type():
    X, y = np.arange(12.0)[:, None], np.array(["a" * 5000, "b", "c"])[1:][np.arange(12) % 2]
    model = Stump().fit(X, y)
    assert parse(dump(model).encode()).classes_.dtype == model.classes_.dtype == np.dtype("<U5000")


# After load


def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(["x", "y", "z", "w"], 60), "b": rng.choice(["u", "v"], 60)})
    return X, (X["a"] == "x").to_numpy().astype(int)


def encoder_fields(**options):
    X, y = table()
    model = make_pipeline(OneHotEncoder(**options), NaiveBayes()).fit(X, y)
    document = json.loads(dump(model))
    steps = document["model"]["params"]["steps"]
    return document, steps[0]["items"][1]["fields"]


def int64(values):
    raw = base64.b64encode(np.asarray(values, dtype="<i8").tobytes()).decode()
    return {"kind": "array", "dtype": "<i8", "shape": [len(values)], "base64": raw}


DENSE = {"sparse_output": False}
GROUPED = {"min_frequency": 14, "handle_unknown": "infrequent_if_exist", "sparse_output": False}
DROPPED = {"kind": "array", "dtype": "object", "shape": [2], "values": [-9, 0], "id": 0}
ENCODERS = [
    (DENSE, {"_n_features_outs": [1, 1]}),
    (DENSE, {"_n_features_outs": [4]}),
    (DENSE, {"_n_features_outs": None}),
    ({"drop": "first"}, {"_drop_idx_after_grouping": DROPPED}),
    (GROUPED, {"_default_to_infrequent_mappings": [int64([10**6] * 4), None]}),
    (DENSE, {"categories_": [int64([3, 2, 1, 0]), int64([0, 1])]}),
]


@pytest.mark.parametrize(("options", "changes"), ENCODERS)
def test_encoders_that_would_write_beyond_their_columns(options, changes):
    document, fields = encoder_fields(**options)
    parse(signed(document))
    fields.update(changes)
    with pytest.raises(ModelFileError, match="OneHotEncoder"):
        parse(signed(document))


def test_encoders_that_were_not_changed_still_load():
    X, y = table()
    for options in ({}, {"drop": "first"}, {"drop": "if_binary"}, {"min_frequency": 14}, {"max_categories": 3}):
        model = make_pipeline(OneHotEncoder(**options), NaiveBayes()).fit(X, y)
        assert (parse(dump(model).encode()).predict(X) == model.predict(X)).all()
    parse(dump(make_pipeline(StandardScaler(), Lasso(0.1)).fit(*load_diabetes(return_X_y=True))).encode())
