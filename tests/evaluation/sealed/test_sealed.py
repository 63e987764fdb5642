"""`sealed_split` and `SealedTest`: the rows of each part, what a score reveals, and damaged files."""

import copy
import io
import json
import pickle
import sys
import zipfile
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from vitalfew import NaiveBayes, Ridge, SealedTest, WordPresence, sealed_split
from vitalfew.evaluation.intervals import of_mean, wilson
from vitalfew.exceptions import SealedFileError


def numbered(n=40, n_classes=2):
    return np.arange(float(n))[:, None], np.arange(n) % n_classes


def hidden_rows(sealed, n):
    return np.setdiff1d(np.arange(n), sealed.train_rows)


# Who is where


@settings(max_examples=40)
@given(st.integers(4, 60), st.floats(0.05, 0.9), st.integers(1, 5), st.integers(0, 10**6))
def test_rows_are_dealt_in_two(n, share, n_classes, seed):
    X, y = numbered(n, n_classes)
    y[: min(n, 2)] = [0, 1]
    X_train, y_train, sealed = sealed_split(X, y, test_size=share, random_state=seed)
    np.testing.assert_array_equal(X_train[:, 0].astype(int), sealed.train_rows)
    np.testing.assert_array_equal(y_train, y[sealed.train_rows])
    assert sealed.n == len(sealed) == n - len(y_train) == min(int(np.ceil(share * n)), n - 1)
    again = sealed_split(X, y, test_size=share, random_state=seed)[2]
    np.testing.assert_array_equal(again.train_rows, sealed.train_rows)


@pytest.mark.parametrize("stratify", ["auto", True])
def test_classes_have_equal_shares(stratify):
    X, _ = numbered(100)
    y = np.array(["a"] * 80 + ["b"] * 20)
    y_train = sealed_split(X, y, stratify=stratify, random_state=0)[1]
    assert (y_train == "b").sum() == 15
    counts = {(sealed_split(X, y, stratify=False, random_state=s)[1] == "b").sum() for s in range(10)}
    assert len(counts) > 1
    by_hand = sealed_split(X, np.arange(100.0), stratify=y, random_state=0)[2]
    assert (y[by_hand.train_rows] == "b").sum() == 15


@pytest.mark.parametrize("is_classes", [True, False])
@pytest.mark.parametrize("as_column", [True, False])
def test_groups_are_not_split(is_classes, as_column):
    rng = np.random.default_rng(0)
    groups = np.array([f"site {g}" for g in rng.integers(0, 15, 200)])
    frame = pd.DataFrame({"x": rng.normal(size=200), "site": groups})
    y = (rng.random(200) < 0.3).astype(int) if is_classes else rng.normal(size=200)
    X_train, y_train, sealed = sealed_split(frame, y, groups="site" if as_column else groups, random_state=0)
    assert not set(X_train["site"]) & set(groups[hidden_rows(sealed, 200)])
    assert 35 < sealed.n < 65
    np.testing.assert_array_equal(sealed.train_groups, groups[sealed.train_rows])
    if is_classes:
        assert abs(y_train.mean() - y.mean()) < 0.03


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t,
        lambda t: np.datetime64("2020-01-01") + t,
        lambda t: pd.Series(pd.to_datetime("2020-01-01") + pd.to_timedelta(t, unit="D")),
        lambda t: pd.Series(pd.to_datetime("2020-01-01", utc=True) + pd.to_timedelta(t, unit="D")),
        lambda t: [date.fromordinal(700000 + int(v)) for v in t],
        lambda t: pl.Series([date.fromordinal(700000 + int(v)) for v in t]),
        lambda t: [f"2020-{v:03d}" for v in t],
    ],
)
def test_the_last_rows_are_sealed(make, tmp_path):
    rng = np.random.default_rng(0)
    t = rng.integers(0, 30, 100)
    X, y = numbered(100)
    X_train, _, sealed = sealed_split(X, y, time=make(t))
    hidden = hidden_rows(sealed, 100)
    assert t[sealed.train_rows].max() < t[hidden].min()
    assert (np.diff(t[sealed.train_rows]) >= 0).all()
    assert 20 <= sealed.n <= 30
    np.testing.assert_array_equal(X_train[:, 0], sealed.train_rows)
    sealed.save(tmp_path / "s")
    np.testing.assert_array_equal(SealedTest.load(tmp_path / "s").train_time, sealed.train_time)


def test_kinds_stay_what_they_are():
    data = load_iris(as_frame=True)
    for X, y in (
        (data.data, data.target),
        (pl.from_pandas(data.data), pl.Series(data.target.tolist())),
        (pl.from_pandas(data.data).to_arrow(), data.target.to_numpy()),
        (sparse.coo_matrix(data.data), data.target.tolist()),
        (["a text"] * 150, data.target),
        (pd.Series(["a text"] * 150), data.target),
    ):
        X_train, y_train, sealed = sealed_split(X, y, random_state=0)
        assert type(X_train) is (sparse.csr_matrix if sparse.issparse(X) else type(X))
        assert type(y_train) is (np.ndarray if isinstance(y, list) else type(y))
        assert len(y_train) == 112
        assert sealed.n == 38


# What it says


def test_error_rate_with_wilsons_interval():
    X, y = load_breast_cancer(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    hidden = hidden_rows(sealed, len(y))
    error = np.mean(model.predict(X[hidden]) != y[hidden])
    found = sealed.score(model, name="mine")
    assert (found.error, found.value, found.metric) == (error, 1 - error, "error rate")
    assert (found.low, found.high) == wilson(error, len(hidden))
    assert (found.n, found.opening, found.name) == (143, 1, "mine")
    assert str(found).startswith("mine: error rate 0.0")
    assert sealed.score(model, scoring="accuracy").error == pytest.approx(error)


def test_root_mean_squared_error_with_students_interval():
    X, y = load_diabetes(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = Ridge(0.1).fit(X_train, y_train)
    hidden = hidden_rows(sealed, len(y))
    loss = (model.predict(X[hidden]) - y[hidden]) ** 2
    found = sealed.score(model)
    assert found.error == pytest.approx(np.sqrt(loss.mean()))
    assert found.value == pytest.approx(r2_score(y[hidden], model.predict(X[hidden])))
    assert (found.low, found.high) == pytest.approx(np.sqrt(of_mean(loss, None)))
    by_name = sealed.score(model, scoring="neg_root_mean_squared_error")
    assert by_name.error == pytest.approx(found.error)
    assert by_name.low == pytest.approx(found.low, rel=0.05)
    assert sealed.n_openings == 2


def test_other_scores_with_the_bootstrap():
    X, y = load_breast_cancer(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    hidden = hidden_rows(sealed, len(y))
    probability = model.predict_proba(X[hidden])
    found = sealed.score(model, scoring="roc_auc")
    assert found.value == pytest.approx(roc_auc_score(y[hidden], probability[:, 1]))
    assert found.error == pytest.approx(1 - found.value)
    assert found.low < found.error < found.high
    assert sealed.score(model, scoring="neg_log_loss").error == pytest.approx(log_loss(y[hidden], probability))

    def own(model, X, y):
        return -log_loss(y, model.predict_proba(X), labels=[0, 1])

    of_function = sealed.score(model, scoring=own)
    assert of_function.error == pytest.approx(log_loss(y[hidden], probability))
    assert of_function.metric == "minus own"
    assert [e["scoring"] for e in sealed.log] == ["roc_auc", "neg_log_loss", "own"]


def test_weights_and_groups_of_the_test_rows():
    rng = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    weight = rng.uniform(0.5, 2, len(y))
    X_train, y_train, sealed = sealed_split(X, y, random_state=0, sample_weight=weight)
    np.testing.assert_array_equal(sealed.train_weight, weight[sealed.train_rows])
    model = GaussianNB().fit(X_train, y_train)
    hidden = hidden_rows(sealed, len(y))
    expected = np.average(model.predict(X[hidden]) != y[hidden], weights=weight[hidden])
    assert sealed.score(model).error == pytest.approx(expected)
    assert sealed.score(model, scoring="accuracy").error == pytest.approx(expected)
    groups = np.arange(len(y)) // 10
    X_train, y_train, sealed = sealed_split(X, y, groups=groups, random_state=0)
    found = sealed.score(GaussianNB().fit(X_train, y_train))
    assert found.low < found.error < found.high
    assert (found.low, found.high) != wilson(found.error, found.n)


def test_texts_and_strings():
    texts = [f"{a} {b}" for a in ("cat", "dog") for b in ["one", "two", "three", "four", "five", "six"] * 5]
    y = ["cat"] * 30 + ["dog"] * 30
    X_train, y_train, sealed = sealed_split(texts, y, random_state=0)
    assert sealed.score(make_pipeline(WordPresence(), NaiveBayes()).fit(X_train, y_train)).error == 0


def test_rows_are_counted_by_class_and_prediction(tmp_path):
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    X_train, y_train, sealed = sealed_split(X[:, :2], names, random_state=0, sample_weight=np.linspace(1, 2, 150))
    model = GaussianNB().fit(X_train, y_train)
    found = sealed.score(model)
    hidden = hidden_rows(sealed, 150)
    predicted = model.predict(X[hidden, :2])
    assert found.classes == ["a", "b", "c"]
    assert found.confusion == [
        [int(((names[hidden] == t) & (predicted == p)).sum()) for p in found.classes] for t in found.classes
    ]
    assert sealed.score(model, scoring="neg_log_loss").confusion == found.confusion
    assert sealed.log[1]["confusion"] == found.confusion
    found.confusion[0][0] = sealed.log[0]["confusion"][0][0] = -1
    assert min(map(min, sealed.log[0]["confusion"])) >= 0
    sealed.save(tmp_path / "test.sealed")
    assert SealedTest.load(tmp_path / "test.sealed").log == sealed.log


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_classes_that_are_not_counted():
    X, y = numbered(400)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    assert sealed.score(model, scoring=lambda m, X, y: m.score(X, y)).confusion is None
    assert sealed.score(LinearRegression().fit(X_train, y_train)).confusion is None
    strange = GaussianNB().fit(X_train, np.where(np.arange(len(X_train)) % 3, "0", "x"))
    assert sealed.score(strange).confusion is None
    X_train, y_train, sealed = sealed_split(X, np.arange(400) // 2, random_state=0)
    assert sealed.score(GaussianNB().fit(X_train, y_train)).confusion is None
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    assert sealed.score(GaussianNB().fit(X_train, y_train * 7)).classes == [0, 1, 7]  # 1 is only there, 7 only here


# What it does not say


def test_labels_are_not_handed_out():
    X, y = numbered()
    sealed = sealed_split(X, y, random_state=0)[2]
    for name in ("y", "X", "y_test", "X_test", "labels", "target", "data"):
        with pytest.raises(AttributeError, match=f"sealed and does not expose '{name}': a model chosen by looking"):
            getattr(sealed, name)
        assert not hasattr(sealed, name)
    with pytest.raises(AttributeError, match="has no attribute 'color'"):
        _ = sealed.color
    assert repr(sealed) == "SealedTest(10 rows, never opened)"
    for value in vars(sealed).values():
        assert callable(value) or np.size(value) != 10
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="would create a second counter; use save"):
            copied(sealed)


def test_openings_are_counted_and_remembered():
    X, y = numbered(200)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    for opening in (1, 2, 3):
        assert sealed.score(model, name=f"try {opening}").opening == opening
    assert sealed.n_openings == 3
    assert [e["name"] for e in sealed.log] == ["try 1", "try 2", "try 3"]
    assert {"opening", "name", "model", "when", "error", "low", "high", "metric"} <= set(sealed.log[0])
    sealed.log.clear()
    sealed.log[0]["error"] = 0
    assert sealed.n_openings == 3
    assert sealed.log[0]["error"] != 0
    assert repr(sealed) == "SealedTest(50 rows, opened 3 times)"


def test_predictions_of_a_scoring_function_are_counted(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    others = [GaussianNB(var_smoothing=10.0**-e).fit(X_train, y_train) for e in range(10)]
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(X_train, y_train)
    plain = sealed.score(model, scoring=lambda m, X, y: m.score(X, y))
    assert (plain.calls, plain.predictions) == (201, 201)
    best = sealed.score(model, scoring=lambda m, X, y: max(other.score(X, y) for other in others))
    assert (best.calls, best.predictions) == (201, 2010)
    assert str(best).endswith("opening 2, 2010 predictions in 201 calls of the scoring function")
    assert repr(sealed) == "SealedTest(143 rows, opened 2 times, 2211 predictions by scoring functions)"
    by_name = sealed.score(model, scoring="roc_auc")
    assert by_name.predictions is None
    assert str(by_name).endswith("opening 3")
    sealed.save(tmp_path / "test.sealed")
    assert [e["predictions"] for e in SealedTest.load(tmp_path / "test.sealed").log] == [201, 2010, None]


def test_a_count_whose_hook_was_removed_is_unknown():
    X, y = load_breast_cancer(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)

    def scoring(model, X, y):
        sys.setprofile(None)
        return model.score(X, y)

    found = sealed.score(GaussianNB().fit(X_train, y_train), scoring=scoring)
    assert found.predictions is None


def test_a_profiler_is_left_alone():
    X, y = load_breast_cancer(return_X_y=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    seen = []

    def profiler(frame, event, argument):
        seen.append(event)

    sys.setprofile(profiler)
    try:
        found = sealed.score(GaussianNB().fit(X_train, y_train), scoring=lambda m, X, y: m.score(X, y))
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert seen
    assert (found.calls, found.predictions) == (201, None)


def test_a_failure_after_looking_counts():
    X, y = numbered(200)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)

    def peek(model, X, y):
        raise RuntimeError(f"labels {y[:3]}")

    with pytest.raises(RuntimeError):
        sealed.score(GaussianNB().fit(X_train, y_train), scoring=peek)
    assert sealed.n_openings == 1
    assert sealed.log[0]["failure"].startswith("RuntimeError")


# Models that are not finished, or are of other columns


class Plain:
    """Predicts, and is nothing else."""

    def predict(self, X):
        return np.zeros(len(X))


class Neither(BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.zeros((len(X), 2))


def test_models_that_are_refused():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    with pytest.raises(NotFittedError, match="not fitted, but a sealed test set only scores fitted models"):
        sealed.score(GaussianNB())
    with pytest.raises(NotFittedError, match="not fitted"):
        sealed.score(make_pipeline(NaiveBayes()))
    with pytest.raises(TypeError, match="which has no predict method"):
        sealed.score(WordPresence())
    with pytest.raises(TypeError, match="which has no predict method"):
        sealed.score(GaussianNB)
    with pytest.raises(ValueError, match=r"other columns than those of the test set, which has no \['petal length"):
        sealed.score(GaussianNB().fit(X_train.iloc[:, :2], y_train))
    with pytest.raises(ValueError, match="the same columns in another order"):
        sealed.score(GaussianNB().fit(X_train.iloc[:, ::-1], y_train))
    with pytest.raises(ValueError, match="fitted on 2 features, but the test set has 4"):
        sealed.score(GaussianNB().fit(X_train.to_numpy()[:, :2], y_train))
    with pytest.raises(ValueError, match="neither a classifier nor a regressor; pass scoring"):
        sealed.score(Plain())
    with pytest.raises(ValueError, match=r"none of the classes of the model, \['a', 'b', 'c'\], is a label"):
        sealed.score(GaussianNB().fit(X_train, np.array(["a", "b", "c"])[y_train]))
    assert sealed.n_openings == 0

    def never_one(model, X, y):
        return float(np.mean(model.predict(X) == y))

    assert 0 < sealed.score(Plain(), scoring=never_one).value < 1
    labels = sealed_split(X, np.array(["a", "b", "c"])[y], random_state=0)[2]
    with pytest.raises(ValueError, match="has class labels, but the model predicts numbers"):
        labels.score(LinearRegression().fit(X_train, y_train))


# Files

FRAME = pd.DataFrame(
    {
        "number": np.arange(40) / 3,
        "whole": np.arange(40),
        "small": np.arange(40).astype(np.int8),
        "gap": np.where(np.arange(40) % 7, np.arange(40.0), np.nan),
        "nullable": pd.array([None if i % 5 == 0 else i for i in range(40)], dtype="Int64"),
        "truth": np.arange(40) % 3 == 0,
        "text": ["a", "ü", "", "<b>", "'; --"] * 8,
        "hole": ["a", None] * 20,
        "object": pd.Series(["x", 1, 2.5, None, True] * 8, dtype=object),
        "kind": pd.Categorical(["u", "v", None, "u"] * 10, categories=["v", "u", "w"], ordered=True),
        "day": pd.date_range("2020-01-01", periods=40),
        "zone": pd.date_range("2020-01-01", periods=40, tz="Europe/Berlin"),
        "</script>\n\u202e'\"": np.ones(40),
    }
)


def rows_of(kind):
    rng = np.random.default_rng(0)
    if kind == "pandas":
        return FRAME
    if kind == "polars":
        frame = pl.from_pandas(FRAME.drop(columns=["object", "zone"]))
        return frame.with_columns(pl.Series("date", [date(2020, 1, 1)] * 40), f32=pl.lit(1.5, dtype=pl.Float32))
    if kind == "arrow":
        return pl.from_pandas(FRAME[["number", "whole", "gap", "truth", "text", "hole"]]).to_arrow()
    if kind in ("csr", "csc"):
        return sparse.random_array((40, 7), density=0.3, format=kind, random_state=np.random.default_rng(0))
    if kind == "matrix":
        return sparse.csr_matrix(rng.integers(0, 2, (40, 3)))
    if kind == "texts":
        return [f"text {i} ü\x00\n" for i in range(40)]
    if kind == "series":
        return pd.Series([f"text {i}" for i in range(40)])
    if kind == "objects":
        return np.array([["a", 1.5, None], ["b", np.nan, True]] * 20, dtype=object)
    if kind == "strings":
        return np.array([["a", "bc"], ["ü", ""]] * 20)
    return np.asfortranarray(rng.normal(size=(40, 3)).astype(np.float32))


def held(sealed):
    """The rows and labels, by the way that is not for users."""
    cells = {n: c.cell_contents for n, c in zip(sealed._judge.__code__.co_freevars, sealed._judge.__closure__)}
    return cells["X"], cells["y"]


@pytest.mark.parametrize(
    "kind",
    ["array", "pandas", "polars", "arrow", "csr", "csc", "matrix", "texts", "series", "objects", "strings"],
)
@pytest.mark.parametrize("labels", ["int", "text", "float", "bool"])
def test_saved_and_loaded_is_the_same(tmp_path, kind, labels):
    y = np.arange(40) % 2
    y = {"int": y, "text": np.array(["no", "yes"])[y], "float": y + 0.5, "bool": y == 1}[labels]
    weight = np.linspace(1, 2, 40)
    sealed = sealed_split(rows_of(kind), y, random_state=0, sample_weight=weight)[2]
    path = tmp_path / "test.sealed"
    sealed.save(path)
    again = SealedTest.load(path)
    (X, y), (X_again, y_again) = held(sealed), held(again)
    assert type(X) is type(X_again)
    if sparse.issparse(X):
        assert X.format == X_again.format
        assert (X_again != X).nnz == 0
    elif kind == "pandas":
        pd.testing.assert_frame_equal(X.reset_index(drop=True), X_again)
    elif kind == "series":
        assert X.tolist() == X_again.tolist()
    elif kind == "polars":
        as_text = pl.col(pl.Categorical).cast(pl.String)  # before polars 1.32 categories of two frames are not compared
        assert X.schema == X_again.schema
        assert X.with_columns(as_text).equals(X_again.with_columns(as_text))
    elif kind == "arrow":
        assert X.equals(X_again)
    elif kind == "objects":
        assert repr(X.tolist()) == repr(X_again.tolist())
    else:
        np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    assert y.dtype == y_again.dtype
    np.testing.assert_array_equal(sealed.train_weight, again.train_weight)
    np.testing.assert_array_equal(sealed.train_rows, again.train_rows)
    assert [p.name for p in tmp_path.iterdir()] == ["test.sealed"]


def test_nothing_in_the_file_is_pickled(tmp_path):
    sealed = sealed_split(rows_of("pandas"), np.arange(40) % 2, random_state=0)[2]
    sealed.save(tmp_path / "s")
    with zipfile.ZipFile(tmp_path / "s") as archive:
        for name in archive.namelist():
            data = archive.read(name)
            if name.endswith(".npy"):
                np.load(io.BytesIO(data), allow_pickle=False)
            elif name.endswith(".json"):
                json.loads(data)
            else:
                assert name == "checksum"


def test_files_from_before_classes_were_counted(tmp_path):
    X, y = numbered(200)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    sealed.score(model)
    for name in ("classes", "confusion"):
        del sealed._log.entries[0][name]
    sealed.save(tmp_path / "s")
    again = SealedTest.load(tmp_path / "s")
    assert "confusion" not in again.log[0]
    assert again.score(model).opening == 2
    assert sum(map(sum, again.log[1]["confusion"])) == 50


def test_openings_survive_being_saved(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    model = GaussianNB().fit(X_train, y_train)
    first = sealed.score(model, name="first")
    path = tmp_path / "test.sealed"
    sealed.save(path)
    again = SealedTest.load(path)
    assert again.n_openings == 1
    assert again.log == sealed.log
    second = again.score(model)
    assert second.opening == 2
    assert (second.error, second.low, second.high) == (first.error, first.low, first.high)
    assert SealedTest.load(path).n_openings == 2


@pytest.fixture
def saved(tmp_path):
    sealed = sealed_split(rows_of("pandas"), np.arange(40) % 2, random_state=0)[2]
    path = tmp_path / "test.sealed"
    sealed.save(path)
    return path


@settings(max_examples=25)
@given(share=st.floats(0, 0.999))
def test_files_that_were_cut_off(tmp_path_factory, share):
    path = tmp_path_factory.mktemp("cut") / "s"
    sealed_split(*numbered(), random_state=0)[2].save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(SealedFileError, match="is not a sealed test set, or is truncated"):
        SealedTest.load(path)


@settings(max_examples=25)
@given(where=st.floats(0, 0.999), flip=st.integers(1, 255))
def test_files_with_a_byte_that_changed(tmp_path_factory, where, flip):
    path = tmp_path_factory.mktemp("flip") / "s"
    X, y = numbered()
    sealed = sealed_split(X, y, random_state=0)[2]
    sealed.save(path)
    raw = bytearray(path.read_bytes())
    raw[int(where * len(raw))] ^= flip
    path.write_bytes(bytes(raw))
    try:
        again = SealedTest.load(path)
    except SealedFileError:
        return
    # A few bytes of a zip archive, such as dates of members, mean nothing.
    np.testing.assert_array_equal(held(again)[1], held(sealed)[1])
    np.testing.assert_array_equal(held(again)[0], held(sealed)[0])
    assert again.n_openings == 0


def rewritten(path, change):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_files_that_were_tampered_with(saved):
    whole = saved.read_bytes()

    def forget_openings(members):
        members["manifest.json"] = members["manifest.json"].replace(b"vitalfew", b"vitalfew ")

    def other_labels(members):
        name = next(n for n in members if n.endswith(".npy"))
        members[name] = members[name][:-1] + b"\x07"

    for change in (forget_openings, other_labels):
        saved.write_bytes(whole)
        rewritten(saved, change)
        with pytest.raises(SealedFileError, match=r"was changed after it was saved: the checksum of .* does not match"):
            SealedTest.load(saved)
    saved.write_bytes(whole)
    rewritten(saved, lambda members: members.pop("0.npy"))
    with pytest.raises(SealedFileError, match="not a sealed test set, or is truncated"):
        SealedTest.load(saved)
    rewritten(saved, lambda members: members.pop("checksum"))
    with pytest.raises(SealedFileError, match="it has no manifest"):
        SealedTest.load(saved)
    saved.write_text("dear all,\n")
    with pytest.raises(SealedFileError, match=r"is not a (valid )?sealed test set"):
        SealedTest.load(saved)
    with pytest.raises(FileNotFoundError):
        SealedTest.load(saved.with_name("nowhere"))


def test_what_cannot_be_saved_is_said_and_nothing_is_lost(saved):
    whole = saved.read_bytes()
    y = np.arange(40) % 2
    X = pd.DataFrame({"fine": y, "lists": [[1, 2]] * 40})
    with pytest.raises(TypeError, match="column 'lists', row 0 contains a list, which cannot be saved without pickle"):
        sealed_split(X, y, random_state=0)[2].save(saved)
    zoned = pl.DataFrame({"when": pl.Series([date(2020, 1, 1)] * 40).cast(pl.Datetime("ms", "UTC"))})
    with pytest.raises(TypeError, match=r"column 'when' contains Datetime.*, which cannot be saved"):
        sealed_split(zoned, y, random_state=0)[2].save(saved)
    assert saved.read_bytes() == whole
    assert len(list(saved.parent.iterdir())) == 1


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_size": 0.0}, "test_size must be a fraction between 0 and 1"),
        ({"test_size": 40}, "or a number of rows below 40, got 40"),
        ({"test_size": True}, "test_size must be"),
        ({"groups": np.arange(40), "time": np.arange(40)}, "pass either groups or time, not both"),
        ({"groups": np.zeros(40)}, "at least two groups are required"),
        ({"time": np.zeros(40)}, "time must have at least two distinct values"),
        ({"time": [np.nan, *range(39)]}, "time is missing in row 0"),
        ({"groups": ["a", None] * 20}, "groups is missing in row 1"),
        ({"time": np.array(["NaT"] + ["2020-01-01"] * 39, dtype="datetime64[D]")}, "time is missing in row 0"),
        ({"time": "when"}, "time='when' is not a column of X"),
        ({"groups": [1, 2]}, "inconsistent numbers of samples"),
        ({"stratify": "yes"}, "stratify must be 'auto', True, False or one value per row"),
        ({"sample_weight": -np.ones(40)}, "must not be negative"),
    ],
)
def test_bad_arguments(options, message):
    X, y = numbered()
    with pytest.raises(ValueError, match=message):
        sealed_split(X, y, **options)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((1, 1)), [1], "at least two rows, got n_samples = 1"),
        (np.zeros((3, 1)), [1, 1, 1], "y has a single value, 1;"),
        (np.zeros((3, 1)), [1.0, np.nan, 2.0], "Input y contains NaN"),
        (np.zeros((3, 1)), ["a", None, "b"], "row 1 has no label"),
        (np.zeros((3, 1)), [1, 2], "inconsistent numbers of samples"),
    ],
)
def test_bad_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        sealed_split(X, y)


def test_two_rows_and_rare_classes():
    X_train, _, sealed = sealed_split(np.arange(2.0)[:, None], [0, 1], random_state=0)
    assert (len(X_train), sealed.n) == (1, 1)
    X, y = numbered(20)
    y[0] = 9
    assert sealed_split(X, y, random_state=0)[2].n == 5
    with pytest.raises(ValueError, match="least populated class"):
        sealed_split(X, y, stratify=True, random_state=0)
    with pytest.raises(TypeError, match="collect it first"):
        sealed_split(pl.LazyFrame({"a": [1, 2]}), [0, 1])
    with pytest.raises(TypeError, match="X must be a table, a matrix or a list of texts"):
        sealed_split("text", [1])


@pytest.mark.parametrize("options", [{}, {"groups": np.arange(200) // 5}, {"time": np.arange(200)[::-1]}])
def test_validation_rows_are_a_third_part(options):
    X, y = np.arange(200)[:, None], np.arange(200) % 2
    X_train, y_train, X_valid, y_valid, sealed = sealed_split(
        X, y, test_size=0.25, validation_size=0.25, random_state=0, **options
    )
    rows = np.concatenate([X_train, X_valid]).ravel()
    assert (len(X_train), len(X_valid), len(sealed)) == (100, 50, 50)
    assert len(np.unique(rows)) == 150
    assert np.array_equal(y_train, X_train.ravel() % 2)
    assert np.array_equal(y_valid, X_valid.ravel() % 2)
    assert np.array_equal(np.sort(sealed.train_rows), np.sort(X_train.ravel()))
    if "groups" in options:
        assert not set(X_train.ravel() // 5) & set(X_valid.ravel() // 5)
    elif "time" in options:
        assert X_valid.max() < X_train.min()  # times are reversed: validation rows are later
    else:
        assert abs(y_valid.mean() - 0.5) < 0.02


def test_parts_that_leave_nothing_are_refused():
    with pytest.raises(ValueError, match="leave no rows"):
        sealed_split(np.arange(10)[:, None], np.arange(10) % 2, test_size=5, validation_size=5)
    with pytest.raises(ValueError, match="validation_size must be"):
        sealed_split(np.arange(10)[:, None], np.arange(10) % 2, validation_size=1.5)
