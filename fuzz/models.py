"""`load` on changed model files whose checksum agrees: a `ModelFileError`, or a model that predicts or says why."""

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

# What a loaded model may say of rows that it cannot predict: its parameters may be anything that JSON holds.
REFUSALS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, NotImplementedError, MemoryError)
NUMBERS = [0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324]
TEXTS = ["", "x", "nan", "object", "str", "<f8", "<i4", "|O", "<U5", "|u1", "<M8[ns]", "NaiveBayes", "same", "dict"]
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
    """Documents of fitted models with rows to predict."""
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
    """Each document as bytes of which a copy is soon made, the paths in it, and rows to predict."""
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


def damaged(document: dict, inputs: Inputs) -> bytes:
    """The bytes of a document, cut or changed, whatever its checksum says."""
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
    if inputs.below(8) == 0:
        raw = damaged(document, inputs)
    else:
        for _ in range(1 + inputs.below(4)):
            change(document, known, inputs)
        document.pop("checksum", None)
        raw = json.dumps({**document, "checksum": checksum(document)}).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = parse(raw)
        except ModelFileError as error:
            assert str(error), "an error without a message"
            return
        if model is None or isinstance(model, str | int | float | list | dict):
            raise AssertionError(f"the file of a model gave {model!r}")
        try:
            (model.predict if hasattr(model, "predict") else model.transform)(X)
        except REFUSALS:
            return
