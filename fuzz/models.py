"""Fuzz `load` with modified model files: a `ModelFileError`, or a model that predicts or raises a clear error."""

import base64
import json
import marshal
import warnings
from functools import cache

import numpy as np
import pandas as pd
from inputs import Inputs, holder, paths
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    Blend,
    DecisionTree,
    Discretizer,
    GreedySubsetRegressor,
    InformationRanking,
    KernelRidge,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    SemiSupervisedNaiveBayes,
    Stump,
    WordPresence,
)
from vitalfew.exceptions import ModelFileError
from vitalfew.export.model_file import checksum, dump, parse

# Errors that a loaded model may raise for rows it cannot predict: its parameters may be any JSON values.
REFUSALS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, NotImplementedError, MemoryError)
NUMBERS = [0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324]
TEXTS = ["", "x", "nan", "object", "str", "<f8", "<i4", "|O", "<U5", "|u1", "<M8[ns]", "NaiveBayes", "same", "dict"]
DTYPES = ["<U300000000", "|S300000000", "<f16", "<U1", ">f8", "|b1", "object", "str", "f8,(9,9)f8", 7, []]
SHAPES = [[0, 10**18], [10**18, 0], [2**62, 4], [0], [], [1] * 70, [-1], "3", 3, [1.5], [True]]
STRUCTURE = (1, 3, 5)  # changes of structure, of the eight ways that an input may take
BEYOND = "@1e999"  # written as a number that JSON reads as infinite
SCALARS = [None, True, False, *NUMBERS, *TEXTS, [], {}]


@cache
def rows():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 4)).round(2)
    table = pd.DataFrame(numbers, columns=list("abcd"))
    table["kind"] = rng.choice(["red", "green", "blue"], 60)
    words = [" ".join(rng.choice(["cat", "dog", "sat", "the", "ω"], 4)) for _ in range(60)]
    y = np.where(numbers[:, 0] + (table["kind"] == "red") > 0.3, "yes", "no")
    return numbers, table, words, y


@cache
def golden() -> list[tuple[dict, object]]:
    """Return documents of fitted models with rows to predict."""
    numbers, table, words, y = rows()
    three, target = np.digitize(numbers[:, 1], [-0.4, 0.4]), numbers @ [1.0, 0, 2, 0]
    prepare = ColumnTransformer([("n", StandardScaler(), ["a", "b"]), ("k", OneHotEncoder(), ["kind"])])
    cases = [
        (NaiveBayes(), table, y),
        (NaiveBayes(features=2), WordPresence().fit_transform(words), y),
        (SemiSupervisedNaiveBayes(), table, y),
        (DecisionTree(mdl_weight=None), table, y),
        (Stump(), table, y),
        (AdaBoost(4), table, y),
        (AdaBoost(3, multiclass="samme"), numbers, three),
        (AdaBoost(2, estimator="tree"), table, y),
        (Bagging(rounds=2, random_state=0), numbers, y),
        (Blend([("stump", Stump()), ("tree", DecisionTree())], cv=2), table, y),
        (Lasso(0.1), numbers, target),
        (LogisticRegression(0.01), numbers, three),
        (GreedySubsetRegressor(2), numbers, target),
        (BestSubsetClassifier(2), numbers, y),
        (KernelRidge(1.0), numbers[:20], target[:20]),
        (InformationRanking(), table, y),
        (Discretizer(), numbers, y),
        (WordPresence(weighting="idf", ngram_range=(1, 2)), words, None),
        (make_pipeline(prepare, LogisticRegression(0.01)), table, y),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(json.loads(dump(model.fit(X, t))), X[:7]) for model, X, t in cases]


@cache
def starts() -> list[tuple[bytes, list[tuple], object]]:
    """Return each document as bytes that are fast to copy, the paths in it, and rows to predict."""
    return [(marshal.dumps(document), paths(document), X) for document, X in golden()]


def change(document: dict, known: list[tuple], inputs: Inputs) -> None:
    path = inputs.choice(known)
    place, key = holder(document, path), path[-1]
    if place is None:
        return
    value, how = place[key], inputs.below(8)
    if how == 0:
        place[key] = marshal.loads(marshal.dumps(inputs.choice(SCALARS)))
    elif how == 1:
        path = inputs.choice(known)
        other = holder(document, path)
        place[key] = None if other is None else marshal.loads(marshal.dumps(other[path[-1]]))
    elif how == 2:
        place.pop(key)
    elif how == 3 and isinstance(value, list):
        value[inputs.below(len(value) + 1) :] = value[: inputs.below(3)]
    elif how == 4 and isinstance(value, int | float) and not isinstance(value, bool):
        place[key] = value + inputs.choice([1, -1, 0.5, 1000, -1e300])
    elif how == 5 and isinstance(value, str) and key == "base64":
        raw = bytearray(base64.b64decode(value))
        raw[inputs.below(max(1, len(raw))) :][:1] = inputs.some(1)
        place[key] = base64.b64encode(bytes(raw)).decode()
    elif how == 6 and isinstance(place, dict):
        place[inputs.choice(["id", "kind", "order", "shape", "values", "__class__", "x"])] = place.pop(key)
    else:
        place[key] = inputs.text(20)


def restructure(document: dict, known: list[tuple], inputs: Inputs) -> None:
    """Insert references, types, shapes, containers and nesting that no model has."""
    path = inputs.choice(known)
    place, key = holder(document, path), path[-1]
    if place is None:
        return
    value, how = place[key], inputs.below(9)
    if how == 0:
        place[key] = {"kind": "same", "id": inputs.below(6)}
    elif how == 1 and isinstance(value, dict):
        value["id"] = inputs.choice([0, 1, 2, 3, "x", [1], 10**30])
    elif how == 2 and isinstance(value, dict):
        value[inputs.choice(["dtype", "name"])] = inputs.choice(DTYPES)
    elif how == 3 and isinstance(value, dict):
        value["shape"] = inputs.choice(SHAPES)
    elif how == 4:
        for _ in range(inputs.choice([1, 2, 50, 190, 400])):
            value = [value]
        place[key] = value
    elif how == 5:
        place[key] = {"kind": inputs.choice(["tuple", "set", "frozenset", "dict", "slice"]), "items": [value, value]}
    elif how == 6:
        place[key] = inputs.choice([BEYOND, 10**400, -(10**4000), 2**64, 10**18, -1])
    elif how == 7:
        place[key] = doubled(inputs.choice(["tuple", "list", "Pipeline"]), inputs.choice([3, 20, 60]))
    else:
        place[key] = {"kind": "array", "dtype": inputs.choice(DTYPES), "shape": inputs.choice(SHAPES), "values": []}


def doubled(kind: str, n: int) -> list:
    """Return values that each refer twice to the previous one, so that the last expands to 2**n."""
    nodes: list = [{"kind": "array", "dtype": "<f8", "shape": [1], "values": [1.0], "id": 100}]
    for i in range(n):
        same = {"kind": "same", "id": 100 + i}
        if kind == "Pipeline":
            steps = [{"kind": "tuple", "items": [name, same]} for name in "ab"]
            node = {"kind": "object", "class": kind, "params": {"steps": steps}, "fields": {}}
        else:
            node = {"kind": kind, "items": [same, same]}
        nodes.append({**node, "id": 101 + i})
    return nodes


def damaged(document: dict, inputs: Inputs) -> bytes:
    """Return the bytes of a document, truncated or changed without regard to its checksum."""
    raw = bytearray(json.dumps(document).encode())
    for _ in range(1 + inputs.below(4)):
        at = inputs.whole(3) % len(raw)
        raw[at : at + inputs.choice([0, 1, 1, 5, 10**6])] = inputs.some(inputs.below(6))
        if not raw:
            break
    return bytes(raw)


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    packed, known, X = inputs.choice(starts())
    document = marshal.loads(packed)
    how = inputs.below(8)
    if how == 0:
        raw = damaged(document, inputs)
    else:
        for _ in range(1 + inputs.below(4)):
            (restructure if how in STRUCTURE else change)(document, known, inputs)
        document.pop("checksum", None)
        raw = json.dumps({**document, "checksum": checksum(document)}).encode()
        raw = raw.replace(f'"{BEYOND}"'.encode(), b"1e999")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = parse(raw)
        except ModelFileError as error:
            assert str(error), "an error without a message"
            assert not isinstance(error.__cause__, MemoryError), "memory was asked for that a file does not need"
            return
        repr(model)
        if model is None or isinstance(model, str | int | float | list | dict):
            raise AssertionError(f"the file of a model gave {model!r}")
        try:
            (model.predict if hasattr(model, "predict") else model.transform)(X)
        except REFUSALS:
            return
