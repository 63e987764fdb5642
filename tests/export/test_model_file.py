"""Models as files: every public class, what is kept, and everything that can be wrong with a file."""

import base64
import json
import os
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import vitalfew
from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Blend,
    DecisionTree,
    Discretizer,
    ForwardFittingClassifier,
    ForwardFittingRegressor,
    GreedySearch,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    InformationRanking,
    KernelRidge,
    Lasso,
    LogisticRegression,
    NaiveBayes,
    Ridge,
    SemiSupervisedNaiveBayes,
    Stump,
    WordPresence,
    load,
    save,
)
from vitalfew.exceptions import ModelFileError, VersionWarning
from vitalfew.export.model_file import checksum, dump, parse
from vitalfew.export.registry import RECORDS

METHODS = ("predict", "predict_proba", "decision_function", "transform", "predict_joint_log_proba")
WORDS = ["the cat sat", "the dog", "a cat and a dog", "sat the owl ω", ""]


@cache
def flowers():
    return load_iris(return_X_y=True, as_frame=True)


@cache
def patients():
    return load_diabetes(return_X_y=True, as_frame=True)


@cache
def few_patients():
    X, y = patients()
    return X[:60], y[:60]


@cache
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@cache
def table(n=300):
    """Numbers, categories and text with gaps, and a label that depends on all of them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            'color "x"': rng.choice(["red", "green", "blue; DROP TABLE", "it's"], n),
            "count": rng.integers(0, 5, n),
            "is_new": rng.random(n) < 0.5,
            "says": rng.choice(WORDS, n),
        }
    )
    score = (frame["age"] > 42) + 1.0 * (frame.iloc[:, 1] == "red") + 0.5 * frame["count"]
    y = np.where(score + rng.normal(0, 0.5, n) > 1.5, "yes", "no")
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.2, 'color "x"'] = None
    return frame, y


def discrete():
    frame, y = table()
    return frame.drop(columns="says"), y


@cache
def words():
    documents = [*WORDS, "dog \ud800x"] * 20
    return documents, np.arange(len(documents)) % 3


def word_matrix():
    documents, y = words()
    return WordPresence().fit_transform(documents), y


def preparation():
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age"]),
            ("names", OneHotEncoder(handle_unknown="ignore"), ['color "x"']),
            ("words", WordPresence(), "says"),
        ],
        remainder="passthrough",
    )


MODELS = [
    (Lasso(0.1), patients),
    (Lasso("cv", cv=KFold(3), grid=10), patients),
    (Ridge(), patients),
    (Ridge(0.0, fit_intercept=False), patients),
    (KernelRidge(1.0, kernel="precomputed"), lambda: (few_patients()[0] @ few_patients()[0].T, few_patients()[1])),
    (KernelRidge(), few_patients),
    (KernelRidge(gamma="loo", grid=10), few_patients),
    (KernelRidge(n_components=20, random_state=0), few_patients),
    (BestSubsetRegressor(3), patients),
    (GreedySubsetRegressor("bic"), patients),
    (ForwardFittingRegressor(5), patients),
    (LogisticRegression(0.01), flowers),
    (LogisticRegression(0.01, penalty="l2"), tumours),
    (BestSubsetClassifier(2), flowers),
    (GreedySubsetClassifier(2), tumours),
    (ForwardFittingClassifier(5), flowers),
    (NaiveBayes(), flowers),
    (NaiveBayes(features="mdl", prior_strength="loo"), discrete),
    (NaiveBayes(features=3), word_matrix),
    (SemiSupervisedNaiveBayes(), discrete),
    (SemiSupervisedNaiveBayes(), word_matrix),
    (InformationRanking(), discrete),
    (InformationRanking("mdl"), flowers),
    (Stump(), discrete),
    (Stump(n_stumps=2), flowers),
    (AdaBoost(10), discrete),
    (AdaBoost(5), flowers),
    (AdaBoost("cv", cv=3, max_rounds=10, votes="confidence"), tumours),
    (AdaBoost(10, loss="logistic"), tumours),
    (AdaBoost(5, multiclass="samme"), flowers),
    (AdaBoost(4, estimator="tree"), discrete),
    (AdaBoost(3, estimator="tree"), flowers),
    (AdaBoost(3, estimator=NaiveBayes()), flowers),
    (AdaBoost(5), word_matrix),
    (DecisionTree(), discrete),
    (DecisionTree(mdl_weight=None), flowers),
    (DecisionTree(leaves="cv", mdl_weight=None), word_matrix),
    (Bagging(rounds=3, random_state=0), discrete),
    (Bagging("stump", "oob", max_rounds=4, votes="probability"), flowers),
    (Bagging(LogisticRegression(0.01), 2), flowers),
    (Blend([("linear", LogisticRegression(0.01)), ("tree", DecisionTree())], cv=3), flowers),
    (Blend([("bayes", NaiveBayes()), ("tree", DecisionTree())], weights=[0, 1]), discrete),
    (Blend([("ridge", Ridge(1.0)), ("lasso", Lasso(0.1))], cv=3), patients),
    (Blend([("words", make_pipeline(WordPresence(), NaiveBayes()))], cv=3), words),
    (GreedySearch(LogisticRegression(0.01, penalty="l2"), 2, cv=3), flowers),
    (Discretizer(), flowers),
    (WordPresence(weighting="idf", ngram_range=(1, 2), stop_words={"the"}), words),
    (WordPresence(dtype=np.float32), words),
    (make_pipeline(preparation(), LogisticRegression(0.01)), table),
    (make_pipeline(Discretizer("quantile"), NaiveBayes()), flowers),
]


@cache
def fitted(at):
    model, data = MODELS[at]
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y), X, y


def round_trip(model):
    return parse(dump(model).encode())


def same(a, b):
    if sparse.issparse(a):
        return type(a) is type(b) and a.dtype == b.dtype and (a != b).nnz == 0
    if a.dtype == object:
        return pd.DataFrame(a).equals(pd.DataFrame(b))
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("name", vitalfew.__all__)
def test_every_estimator_is_tested_here(name):
    cls = getattr(vitalfew, name)
    if isinstance(cls, type) and issubclass(cls, BaseEstimator):
        assert cls in RECORDS
        assert any(type(model) is cls for model, _ in MODELS)


@pytest.mark.parametrize("at", range(len(MODELS)), ids=[repr(m)[:60] for m, _ in MODELS])
def test_a_loaded_model_does_the_same(at, tmp_path):
    model, X, _ = fitted(at)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    rows = X[::-1] if isinstance(X, list) else X
    for method in METHODS:
        if hasattr(model, method):
            assert same(getattr(loaded, method)(rows), getattr(model, method)(rows)), method
    assert dump(loaded) == dump(model)
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.parametrize("at", range(len(MODELS)), ids=[repr(m)[:60] for m, _ in MODELS])
def test_everything_a_fit_sets_is_kept_or_named_as_left_behind(at):
    model, _, _ = fitted(at)
    record = RECORDS[type(model)]
    if record.fields is None:
        return
    loaded = round_trip(model)
    for name in sorted(set(vars(model)) - set(model.get_params(deep=False))):
        if name in record.left:
            with pytest.raises(AttributeError, match="not stored in a model file"):
                getattr(loaded, name)
        else:
            assert hasattr(loaded, name), name


def test_what_a_loaded_model_can_still_do():
    X, y = discrete()
    model = round_trip(NaiveBayes(features="mdl").fit(X, y))
    assert model.description_length_.total > 0
    assert len(model.summary()) == model.support_.sum()
    assert model.selection_.rule == "mdl"
    with pytest.raises(AttributeError, match="paths_: it is set by fit"):
        _ = model.path_
    tree = round_trip(DecisionTree().fit(X, y))
    assert tree.export_text() == DecisionTree().fit(X, y).export_text()
    boost = round_trip(AdaBoost(5).fit(X, y))
    assert len(boost.path_.to_frame()) == 5
    with pytest.raises(AttributeError, match="margins"):
        boost.plot_margins()
    bagging = round_trip(Bagging(rounds=3, random_state=0).fit(X, y))
    assert len(bagging.path_.to_frame()) == len(bagging.estimators_) == 3
    with pytest.raises(AttributeError, match="bags"):
        _ = bagging.estimators_samples_


def test_counts_go_on_where_they_were():
    X, y = np.array([[0, 1], [1, 1], [1, 0]]), np.array([0, 1, 1])
    model = NaiveBayes(numeric="distinct").partial_fit(X, y)
    assert same(round_trip(model).partial_fit(X, y).predict_proba(X), model.partial_fit(X, y).predict_proba(X))


def test_trees_of_an_ensemble_share_their_bins():
    X, y = tumours()
    few, many = (len(dump(AdaBoost(n, estimator="tree").fit(X, y))) for n in (2, 12))
    assert many < 2.5 * few


def test_labels_and_names_of_any_kind():
    X = np.arange(12.0)[:, None]
    for labels in ([True, False], ["no", "日本\n"], [1.5e300, -2.0], [2**60, -1]):
        y = np.array(labels, dtype=object if isinstance(labels[1], str) else None)[np.arange(12) % 2]
        if y.dtype.kind != "f":
            model = DecisionTree(mdl_weight=None, min_leaf=1).fit(X, y)
            assert same(round_trip(model).predict(X), model.predict(X))
    if hasattr(np.dtypes, "StringDType"):  # from NumPy 2 on
        y = np.array(["a", "bb"], dtype=np.dtypes.StringDType())[np.arange(12) % 2]
        assert round_trip(Stump().fit(X, y)).classes_.dtype == y.dtype


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True), st.lists(st.text(), min_size=2, unique=True))
def test_hostile_names_and_values(names, values):
    X = pd.DataFrame({names[0]: (values * 6)[: 2 * len(values)], names[1]: np.arange(2.0 * len(values))})
    y = np.arange(len(X)) % 2
    model = NaiveBayes().fit(X, y)
    loaded = round_trip(model)
    assert loaded.feature_names_in_.tolist() == names
    assert same(loaded.predict_proba(X), model.predict_proba(X))


@given(
    st.one_of(
        st.floats(allow_nan=False),
        st.integers(),
        st.text(),
        st.tuples(st.floats(allow_nan=False), st.text()),
        st.dictionaries(st.integers(), st.lists(st.booleans())),
    )
)
def test_parameters_come_back_as_they_were(value):
    model = Lasso(0.1).fit(np.arange(6.0)[:, None], np.arange(6.0))
    assert round_trip(model.set_params(scoring=value)).scoring == value


@given(st.data())
def test_arrays_come_back_bit_by_bit(data):
    dtype = data.draw(st.sampled_from(["f8", "f4", "i8", "i4", "u1", "b", ">f8", "S3"]))
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=1, max_size=3)))
    seed = data.draw(st.integers(0, 2**32 - 1))
    raw = np.random.default_rng(seed).integers(0, 256, int(np.prod(shape)) * 12, dtype=np.uint8)
    value = (
        np.zeros(shape, dtype)
        if dtype == "U3"
        else raw.view(np.uint8)[: int(np.prod(shape)) * np.dtype(dtype).itemsize]
    )
    value = value if dtype == "U3" else (value % 2 if dtype == "b" else value).view(dtype).reshape(shape)
    value = np.asfortranarray(value) if data.draw(st.booleans()) else value
    model = Lasso(0.1).fit(np.arange(6.0)[:, None], np.arange(6.0))
    back = round_trip(model.set_params(scoring=value)).scoring
    assert back.shape == value.shape
    assert back.tobytes() == value.astype(value.dtype.newbyteorder("=")).tobytes()
    assert back.flags.f_contiguous == value.flags.f_contiguous


def test_what_cannot_be_saved_is_named():
    X, y = patients()
    with pytest.raises(NotFittedError):
        save(Lasso(), "nowhere.json")
    with pytest.raises(TypeError, match=r"KernelRidge.kernel is a function.*Supported are plain values"):
        dump(KernelRidge(kernel=lambda a, b: float(a @ b)).fit(X, y))
    with pytest.raises(TypeError, match="SGDClassifier"):
        dump(make_pipeline(StandardScaler(), SGDClassifier()).fit(*flowers()))
    with pytest.raises(TypeError, match="is a function"):
        dump(make_pipeline(FunctionTransformer(np.log1p), Ridge()).fit(X, y))
    with pytest.raises(TypeError, match=r"Lasso.random_state is a RandomState"):
        dump(Lasso(0.1, random_state=np.random.RandomState(0)).fit(X, y))


# What can be wrong with a file


def document_of(model):
    return json.loads(dump(model))


def signed(document):
    """Rewrite a file with a valid checksum, as an attacker would."""
    document.pop("checksum", None)
    return json.dumps({**document, "checksum": checksum(document)}).encode()


def lasso_document():
    return document_of(Lasso(0.1).fit(*patients()))


def tree_fields(document):
    return document["model"]["fields"]["tree_"]["fields"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated(share, tmp_path):
    raw = dump(Lasso(0.1).fit(*patients())).encode()
    (tmp_path / "half").write_bytes(raw[: int(share * (len(raw) - 3))])
    with pytest.raises(ModelFileError, match=r"cannot load .*half: it is truncated, or not JSON.*save the model again"):
        load(tmp_path / "half")


@given(st.data())
def test_any_changed_byte_is_noticed(data):
    raw = bytearray(dump(Lasso(0.1).fit(*patients())).encode())
    at = data.draw(st.integers(0, len(raw) - 1))
    before = raw[at]
    raw[at] = data.draw(st.integers(0, 255).filter(lambda b: b != before))
    try:
        parse(bytes(raw))
    except ModelFileError:
        return
    assert json.loads(bytes(raw)) == lasso_document()  # white space


def test_wrong_headers():
    document = lasso_document()
    for changes, message in (
        ({"format": "other"}, "not a model file"),
        ({"schema": 2}, r"vitalfew 0.* with schema 2, but this version supports schemas up to 1; upgrade vitalfew"),
        ({"schema": "1"}, "not a number"),
        ({"class": "Ridge"}, "the class of the model does not match its header"),
        ({"checksum": "0" * 64}, "its checksum does not match"),
    ):
        given = {**document, **changes}
        raw = json.dumps(given).encode() if "checksum" in changes else signed(given)
        with pytest.raises(ModelFileError, match=message):
            parse(raw)
    for raw in (b"[]", b"1", b"null", b"\xff\xfe", b'{"format": 1, "format": 2}', b'{"a": NaN}', b"[" * 100_000):
        with pytest.raises(ModelFileError):
            parse(raw)


def test_other_versions_of_scikit_learn_are_told():
    model, X, _ = fitted(next(i for i, (m, _) in enumerate(MODELS) if isinstance(m, Pipeline)))
    document = document_of(model)
    document["scikit-learn"] = "0.99.1"
    with pytest.warns(VersionWarning, match=r"scikit-learn 0.99.1"):
        assert same(parse(signed(document)).predict(X), model.predict(X))
    document = lasso_document()
    document["scikit-learn"] = "0.99.1"
    parse(signed(document))


def set_values(node, values):
    node.pop("base64", None)
    node["values"], node["shape"] = values, [len(values)]


def array_of(value):
    raw = base64.b64encode(value).decode()
    return {"kind": "array", "dtype": value.dtype.str, "shape": list(value.shape), "base64": raw}


def object_of(name):
    return {"kind": "object", "class": name, "fields": {}}


LINEAR = {
    "short coef": (lambda f: set_values(f["coef_"], [1.0, 2.0]), "coef_ must have one entry per feature"),
    "text in coef": (lambda f: set_values(f["coef_"], ["1.0"] * 10), "not all of type"),
    "infinite coef": (lambda f: f.update(coef_=array_of(np.full(10, np.inf))), "finite"),
    "text for coef": (lambda f: f.update(coef_="import os"), "'coef_' of Lasso is not an array"),
    "matrix for coef": (lambda f: f["coef_"].update(shape=[2, 5]), "not an array of 1 dimension"),
    "shape and bytes": (lambda f: f["coef_"].update(shape=[11]), "has 10 elements"),
    "huge shape": (lambda f: f["coef_"].update(shape=[2**62, 2**62]), "elements"),
    "negative shape": (lambda f: f["coef_"].update(shape=[-1]), "shape"),
    "objects": (lambda f: f["coef_"].update(dtype="|O", base64="AAAA", values=None), "values|type"),
    "records": (lambda f: f["coef_"].update(dtype="i4,f8"), "type"),
    "no coef": (lambda f: f.pop("coef_"), "Lasso has no 'coef_'"),
    "other fields": (lambda f: f.update(predict="x"), "unknown field 'predict'"),
    "number of features": (lambda f: f.update(n_features_in_=9), "one (entry|name) per feature"),
    "unknown class": (lambda f: f.update(selection_=object_of("os.system")), "os.system"),
    "other class": (lambda f: f.update(selection_=object_of("Cuts")), "Cuts has no"),
    "unknown kind": (lambda f: f.update(alpha_={"kind": "eval"}), "unknown kind 'eval'"),
    "no kind": (lambda f: f.update(alpha_={}), "unknown kind"),
    "lost reference": (lambda f: f.update(alpha_={"kind": "same", "id": 7}), "does not contain"),
    "index of the curve": (lambda f: f["selection_"]["fields"].update(index=1000), "no such point"),
    "flag for a number": (lambda f: f.update(alpha_=True), "'alpha_' of Lasso is not a number"),
}


@pytest.mark.parametrize("case", LINEAR)
def test_wrong_parts_of_a_linear_model(case):
    change, message = LINEAR[case]
    document = lasso_document()
    change(document["model"]["fields"])
    with pytest.raises(ModelFileError, match=message):
        parse(signed(document))


CODER = {
    "short mean": (lambda f: set_values(f["mean"], [1.0]), "one coding per column"),
    "infinite mean": (lambda f: f.update(mean=array_of(np.full(2, np.inf))), "finite"),
    "unknown column": (lambda f: f["levels"]["items"][0].__setitem__(0, 9), "unknown column"),
    "flagged category": (lambda f: set_values(f["flagged"], [True, True]), "too many values"),
    "no levels": (lambda f: level_values(f)["items"].clear(), "too many values"),
    "levels that are numbers": (lambda f: level_values(f).update(items=[1, 2]), "not text"),
    "one level less": (lambda f: level_values(f)["items"].pop(), "coef_ must have one entry"),
    "names": (lambda f: f.update(names=["age"]), "one coding per column"),
    "other coder": (lambda f: f.update(codings=[]), "unknown field"),
}


def level_values(fields):
    return fields["levels"]["items"][0][1]["fields"]["values"]


@pytest.mark.parametrize("case", CODER)
def test_wrong_parts_of_the_coding_of_a_table(case):
    change, message = CODER[case]
    X = pd.DataFrame({"age": [1.0, np.nan, 3.0, 4.0] * 5, "color": ["red", "blue", None, "red"] * 5})
    document = json.loads(dump(Lasso(0.1).fit(X, np.arange(20.0))))
    parse(signed(document))
    change(document["model"]["fields"]["_coder"]["fields"])
    with pytest.raises(ModelFileError, match=message):
        parse(signed(document))


def test_unknown_parameters():
    document = lasso_document()
    document["model"]["params"]["shell"] = "rm"
    with pytest.raises(ModelFileError, match="shell"):
        parse(signed(document))


TREE = {
    "cycle": ("parent", lambda v: [v[0], len(v) - 1, *v[2:]], "cycle"),
    "itself": ("parent", lambda v: [v[0], 1, *v[2:]], "cycle"),
    "two roots": ("parent", lambda v: [-1, -1, *v[2:]], "cycle"),
    "child of a leaf": ("parent", lambda v: [*v[:-1], len(v) - 2], "does not match its children"),
    "feature": ("feature", lambda v: [99, *v[1:]], "unknown feature"),
    "negative feature": ("feature", lambda v: [-5, *v[1:]], "unknown feature"),
    "leaf at the root": ("feature", lambda v: [-1, *v[1:]], "split node of a tree has no children"),
    "cut": ("cut", lambda v: [10_000, *v[1:]], "unknown cut"),
    "first child": ("first_child", lambda v: [len(v) + 5, *v[1:]], "not contiguous"),
    "children": ("n_children", lambda v: [50, *v[1:]], "does not match its children"),
    "branch": ("branch", lambda v: [v[0], 7, *v[2:]], "two sides"),
    "levels": ("level", lambda v: [1, *v[1:]], "levels"),
    "length": ("level", lambda v: v[:-1], "parts of a tree are missing"),
    "floats": ("cut", lambda v: [float(x) for x in v], "not all of type"),
}


@pytest.mark.parametrize("case", TREE)
def test_wrong_trees(case):
    name, change, message = TREE[case]
    document = document_of(DecisionTree().fit(*flowers()))
    node = tree_fields(document)[name]
    set_values(node, change(node["values"]))
    with pytest.raises(ModelFileError, match=message):
        parse(signed(document))


def test_wrong_weights_of_a_tree():
    document = document_of(DecisionTree().fit(*flowers()))
    node = tree_fields(document)["weight"]
    node["values"] = [-v for v in node["values"]]
    with pytest.raises(ModelFileError, match="has weight zero"):
        parse(signed(document))


def test_wrong_stumps_bins_and_codes():
    X, y = discrete()
    changes = [
        (Stump(), lambda f: set_values(f["stumps_"]["fields"]["feature"], [4]), "splits on an unknown feature"),
        (Stump(), lambda f: set_values(f["stumps_"]["fields"]["start"], [0, 99]), "sides of stumps are missing"),
        (Stump(), lambda f: set_values(f["coder_"]["fields"]["cuts"][0], [2.0, 1.0]), "do not increase"),
        (AdaBoost(3), lambda f: f.update(rounds_=4), "rounds_ is out of range"),
        (AdaBoost(3), lambda f: set_values(f["path_"]["fields"]["runs"][0]["fields"]["alpha"], [1.0]), "incomplete"),
        (NaiveBayes(), lambda f: f["coder_"]["fields"]["codings"].pop(), "one coding per"),
        (NaiveBayes(), lambda f: set_values(f["class_log_prior_"], [0.0]), "class_log_prior_"),
        (
            NaiveBayes(),
            lambda f: f["feature_log_prob_"].update(shape=[2, len(f["feature_log_prob_"]["values"]) // 2]),
            "shape",
        ),
        (NaiveBayes(), lambda f: set_values(f["counts_"]["fields"]["offsets"], [0, 10**9, 3, 4, 5]), "counts"),
    ]
    for model, change, message in changes:
        document = document_of(model.fit(X, y))
        change(document["model"]["fields"])
        with pytest.raises(ModelFileError, match=message):
            parse(signed(document))


@pytest.mark.parametrize("n", [10**12, 2**63, 10**30, -1])
def test_names_without_end(n):
    document = document_of(NaiveBayes().fit(flowers()[0].to_numpy(), flowers()[1]))
    document["model"]["fields"]["coder_"]["fields"]["names"]["fields"]["n"] = n
    with pytest.raises(ModelFileError, match="the number of columns is out of range"):
        parse(signed(document))


def test_wrong_words():
    document = document_of(WordPresence().fit(words()[0]))
    listed = document["model"]["fields"]["_terms"]["fields"]["words"]
    listed[0] = listed[1]
    with pytest.raises(ModelFileError, match="twice"):
        parse(signed(document))


# What compiled code reads.
FRAGILE = (NaiveBayes, Stump, AdaBoost, DecisionTree, Bagging, LogisticRegression, WordPresence)


@given(st.data())
def test_random_changes_never_do_worse_than_an_error(data):
    at = data.draw(st.sampled_from([i for i, (m, _) in enumerate(MODELS) if isinstance(m, FRAGILE)]))
    model, X, _ = fitted(at)
    document = document_of(model)
    nodes = list(leaves(document["model"]))
    holder, key = data.draw(st.sampled_from(nodes))
    holder[key] = data.draw(st.one_of(st.none(), st.integers(-3, 300), st.floats(), st.text(max_size=3), st.just([])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loaded = parse(signed(document)) if is_json(document) else None
        except ModelFileError:
            return
        if loaded is not None:
            try:
                (loaded.predict if hasattr(loaded, "predict") else loaded.transform)(X)
            except (ValueError, TypeError, AttributeError, OverflowError):
                return


def is_json(document):
    try:
        json.dumps(document, allow_nan=False)
    except ValueError:
        return False
    return True


def leaves(node):
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in list(items):
        if isinstance(value, dict | list):
            yield from leaves(value)
        yield node, key


# Writing


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    model = Lasso(0.1).fit(*patients())
    path = tmp_path / "model.json"
    save(model, path)
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(Ridge(1.0).fit(*patients()), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_link_stays_a_link(tmp_path):
    model = Lasso(0.1).fit(*patients())
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    save(model, str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert load(tmp_path / "real.json").alpha_ == 0.1


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(Lasso(0.1).fit(*patients()), tmp_path / "no" / "model.json")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "no.json")


@pytest.mark.parametrize("model", [Lasso("bic"), KernelRidge(0.5), NaiveBayes(features=2), AdaBoost(4)], ids=str)
def test_the_criteria_of_a_model_are_saved(model, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    rows = X[:80, :4], (X[:80, 5] if is_regressor(model) else y[:80])
    model.fit(*rows)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    for name in ("log_likelihood_", "n_parameters_", "bic_", "aic_", "description_length_"):
        assert getattr(again, name) == getattr(model, name)
