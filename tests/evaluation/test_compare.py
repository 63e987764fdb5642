"""`compare` against plain loops: the same folds for all, selection inside, corrected differences, failures."""

import json
import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from vitalfew import GreedySearch, KernelRidge, Lasso, LogisticRegression, NaiveBayes, Ridge, WordPresence, compare
from vitalfew.evaluation.comparison import Comparison, corrected_mean, paired_difference
from vitalfew.evaluation.model_size import count_features
from vitalfew.exceptions import CheckpointWarning, UnfinishedWarning


def table_of(errors, n_features=None, n_train=80, n_test=20, **options):
    """A comparison with these errors: (models, folds)."""
    errors = np.asarray(errors, dtype=float)
    m, j = errors.shape
    sizes = np.broadcast_to(np.arange(m, dtype=float)[:, None] if n_features is None else np.c_[n_features], (m, j))
    names = [chr(ord("a") + i) for i in range(m)]
    return Comparison(
        names, errors, sizes, np.ones((m, j)), np.full(j, n_train), np.full(j, n_test), "error rate", **options
    )


# Formulas


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12), st.floats(0.01, 1))
def test_corrected_variance_is_that_of_nadeau_and_bengio(values, share):
    n = len(values)
    mean = sum(values) / n
    variance = sum((v - mean) ** 2 for v in values) / (n - 1)
    found = corrected_mean(np.array(values), share)
    assert found[0] == pytest.approx(mean, abs=1e-9)
    assert found[1] == pytest.approx(((1 / n + share) * variance) ** 0.5, rel=1e-9, abs=1e-9)


def test_paired_difference_by_hand():
    a, b = np.array([0.3, 0.4, 0.35, 0.5]), np.array([0.2, 0.35, 0.3, 0.35])
    d = a - b
    found = paired_difference(a, b, 1 / 3)
    error = np.sqrt((1 / 4 + 1 / 3) * d.var(ddof=1))
    t = stats.t(3)
    assert found.value == pytest.approx(d.mean())
    assert found.standard_error == pytest.approx(error)
    assert found.p_value == pytest.approx(2 * (1 - t.cdf(d.mean() / error)))
    assert (found.low, found.high) == pytest.approx((d.mean() - t.ppf(0.975) * error, d.mean() + t.ppf(0.975) * error))
    turned = paired_difference(b, a, 1 / 3)
    assert (turned.value, turned.p_value, turned.low) == pytest.approx((-found.value, found.p_value, -found.high))


def test_differences_without_spread():
    same = np.array([0.5, 0.25])
    assert paired_difference(same, same, 0.25).p_value == 1
    assert paired_difference(same + 0.125, same, 0.25).p_value == 0
    single = paired_difference(same[:1], same[:1], 0.25)
    assert single.value == 0
    assert np.isnan([single.standard_error, single.p_value]).all()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_frontier_and_choices_by_definition(seed, m, j):
    rng = np.random.default_rng(seed)
    errors, sizes = rng.integers(0, 10, (m, j)) / 10, rng.integers(0, 4, m).astype(float)
    found = table_of(errors, sizes)
    mean = errors.mean(axis=1)
    best = min(range(m), key=lambda i: (mean[i], sizes[i], i))
    assert found.best == found.names[best]
    limit = mean[best] + (corrected_mean(errors[best], 0.25)[1] if j > 1 else 0)
    near = [i for i in range(m) if mean[i] <= limit]
    assert found.simplest in [found.names[i] for i in near if sizes[i] == min(sizes[near])]
    assert {r["name"] for r in found.rows if r["within_one_se"]} == {found.names[i] for i in near}
    front = {f["name"] for f in found.frontier()}
    assert front == {r["name"] for r in found.rows if r["is_on_frontier"]}
    for i in range(m):  # on the frontier, or beaten by a model there with as few features and as little error
        beaten = [k for k in range(m) if k != i and sizes[k] <= sizes[i] and mean[k] <= mean[i]]
        strictly = [k for k in beaten if sizes[k] < sizes[i] or mean[k] < mean[i]]
        assert found.names[i] not in front if strictly else found.names[i] in front or beaten
    line = {r["name"]: r for r in found.rows}[found.names[-1]]
    expected = paired_difference(errors[-1], errors[best], 0.25)
    np.testing.assert_allclose([line["difference"], line["difference_se"]], expected[:2], atol=1e-12)


# The outer loop


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_errors_are_those_of_a_plain_loop(n_jobs):
    X, y = load_breast_cancer(return_X_y=True)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3), "k": KNeighborsClassifier(3)}
    found = compare(models, X, y, cv=KFold(4, shuffle=True, random_state=1), random_state=0, n_jobs=n_jobs)
    assert found.names == ["most frequent class", "bayes", "tree", "k"]
    for j, (train, test) in enumerate(KFold(4, shuffle=True, random_state=1).split(X)):
        for name in ("bayes", "k"):
            model = clone(models[name]).fit(X[train], y[train])
            assert found.errors[found.names.index(name), j] == np.mean(model.predict(X[test]) != y[test])
        frequent = np.bincount(y[train]).argmax()
        assert found.errors[0, j] == np.mean(y[test] != frequent)
    np.testing.assert_array_equal(found.n_train + found.n_test, len(y))
    again = compare(models, X, y, cv=KFold(4, shuffle=True, random_state=1), random_state=0)
    np.testing.assert_array_equal(found.errors, again.errors)
    assert (found.seconds > 0).all()


def test_root_mean_squared_error_and_a_rule_inside():
    X, y = load_diabetes(return_X_y=True)
    found = compare([Lasso(alpha="1se")], X, y, cv=KFold(3), baseline=False, random_state=0)
    assert found.baseline is None
    for j, (train, test) in enumerate(KFold(3).split(X)):
        model = Lasso(alpha="1se", random_state=found_seed(found, j)).fit(X[train], y[train])
        assert found.errors[0, j] == pytest.approx(np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2)))
        assert found.n_features[0, j] == model.support_.sum()


def found_seed(found, j):
    return int(np.random.RandomState(found.seed).randint(np.iinfo(np.int32).max, size=found.n_folds)[j])


class Recording(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted on."""

    seen: ClassVar[list] = []

    def __init__(self, random_state=None, tag=0):
        self.random_state, self.tag = random_state, tag

    def fit(self, X, y):
        self.seen.append((self.tag, np.asarray(X)[:, 0].astype(int).tolist(), self.random_state))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def numbered(n=40, n_classes=2):
    return np.arange(float(n))[:, None], np.arange(n) % n_classes


def test_folds_and_seeds_are_shared():
    X, y = numbered()
    Recording.seen = []
    compare([Recording(tag=1), Recording(tag=2)], X, y, cv=4, repeats=2, random_state=3)
    one, two = ([s[1:] for s in Recording.seen if s[0] == tag] for tag in (1, 2))
    assert one == two
    assert len(one) == 8
    assert all(isinstance(seed, int) for _, seed in one)
    assert len({tuple(rows) for rows, _ in one}) == 8
    for rows, _ in one:  # each class alike
        assert np.bincount(y[rows]).tolist() == [15, 15]
    Recording.seen = []
    compare([Recording(random_state=7)], X, y, cv=4, random_state=3)
    assert {s[2] for s in Recording.seen} == {7}


@pytest.mark.parametrize("is_classification", [True, False])
def test_groups_stay_together(is_classification):
    X, y = numbered(60)
    groups = np.repeat([f"g{i}" for i in range(12)], 5)
    model = KNeighborsClassifier(1) if is_classification else KNeighborsRegressor(1)
    found = compare([model], X, y if is_classification else y.astype(float), cv=4, groups=groups, random_state=0)
    Recording.seen = []
    compare([Recording()], X, y, cv=4, groups=groups, random_state=0)
    for _, rows, _ in Recording.seen:
        assert not set(groups[rows]) & set(np.delete(groups, rows))
    assert found.n_folds == 4


def test_time_series_and_splitters_that_repeat():
    X, y = numbered(50)
    Recording.seen = []
    found = compare([Recording()], X, y, cv=TimeSeriesSplit(3))
    assert [max(rows) + 1 for _, rows, _ in Recording.seen] == found.n_train.tolist()
    assert compare([Recording()], X, y, cv=RepeatedKFold(n_splits=2, n_repeats=3)).n_folds == 6


@pytest.mark.parametrize(
    ("scoring", "label", "turn"),
    [
        ("neg_log_loss", "log loss", lambda s: -s),
        ("accuracy", "error rate", lambda s: 1 - s),
        ("roc_auc", "1 - roc_auc", lambda s: 1 - s),
    ],
)
def test_scores_become_errors(scoring, label, turn):
    from sklearn.model_selection import cross_val_score

    X, y = load_breast_cancer(return_X_y=True)
    cv = KFold(3, shuffle=True, random_state=0)
    found = compare([GaussianNB()], X, y, cv=cv, scoring=scoring)
    assert found.metric == label
    np.testing.assert_allclose(
        found.errors[1], [turn(s) for s in cross_val_score(GaussianNB(), X, y, cv=cv, scoring=scoring)]
    )

    def own(model, X, y):
        return -log_loss(y, model.predict_proba(X))

    assert compare([GaussianNB()], X, y, cv=cv, scoring=own).metric == "minus own"


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "arrow", "csr", "coo"])
def test_rows_of_any_kind(kind):
    data = load_iris()
    X = data.data
    if kind in ("pandas", "polars", "arrow"):
        X = pd.DataFrame(X, columns=data.feature_names)
        X = pl.from_pandas(X) if kind == "polars" else pl.from_pandas(X).to_arrow() if kind == "arrow" else X
    elif kind != "array":
        X = sparse.coo_matrix(X).asformat(kind)
    labels = data.target_names[data.target]
    found = compare({"bayes": NaiveBayes()}, X, labels, cv=3, random_state=0)
    assert [line["status"] for line in found.rows] == ["ok", "ok"]


def test_texts():
    texts = ["the cat sat", "a cat purrs", "the cat eats"] * 8 + ["a dog barks", "the dog runs", "dog and bone"] * 8
    y = ["cat"] * 24 + ["dog"] * 24
    pipeline = make_pipeline(WordPresence(), NaiveBayes(features="mdl"))
    for rows in (texts, tuple(texts), np.array(texts), pd.Series(texts), pl.Series(texts)):
        found = compare({"words": pipeline}, rows, y, cv=3, random_state=0)
        assert found.best == "words"
        assert found.rows[0]["error"] == 0
        assert found.rows[0]["n_features"] < 3


def test_kernels_that_are_given():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80] - y[:80].mean()
    options = {"cv": KFold(3), "random_state": 0, "baseline": False}
    given_ = compare([KernelRidge(1.0, kernel="precomputed")], X @ X.T, y, **options)
    np.testing.assert_allclose(given_.errors, compare([KernelRidge(1.0, kernel="linear")], X, y, **options).errors)


def test_sizes_of_fitted_models():
    X, y = make_classification(200, 12, n_informative=4, random_state=0)
    selected = make_pipeline(StandardScaler(), SelectKBest(k=5), SVC())
    cases = {
        5: selected,
        3: make_pipeline(
            SelectKBest(k=5), GridSearchCV(make_pipeline(SelectKBest(), GaussianNB()), {"selectkbest__k": [3]})
        ),
        12: SVC(),
        0: DummyClassifier(),
        2: GreedySearch(GaussianNB(), 2),
    }
    for size, model in cases.items():
        assert count_features(clone(model).fit(X, y), 12) == size
    sparse_model = LogisticRegression(alpha=0.05).fit(X, y)
    assert count_features(sparse_model, 12) == np.count_nonzero(sparse_model.coef_) < 12
    with warnings.catch_warnings():  # scikit-learn before 1.8 requires the penalty, later versions warn about it
        warnings.simplefilter("ignore", UserWarning)
        peer = Peer(solver="saga", C=0.02, l1_ratio=1, max_iter=2000).fit(X, y)
    peer.coef_[:, 3:] = 0
    assert count_features(peer, 12) == np.count_nonzero(peer.coef_) < 12
    tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    assert count_features(tree, 12) == len(set(tree.tree_.feature[tree.tree_.feature >= 0]))
    assert np.isnan(count_features(object(), None))


# What goes wrong


@pytest.fixture
def in_threads():
    with joblib.parallel_config("threading"):
        yield


class Failing(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("<b>no\nmore</b> paper")


class FailingLater(GaussianNB):
    count = 0

    def fit(self, X, y):
        type(self).count += 1
        if self.count == 3:
            raise ValueError("third time")
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.usefixtures("in_threads")
def test_a_model_that_fails_does_not_stop_the_others(n_jobs):
    X, y = load_iris(return_X_y=True)
    found = compare({"bad": Failing(), "good": GaussianNB()}, X, y, cv=3, random_state=0, n_jobs=n_jobs)
    assert found.best == "good"
    last = found.rows[-1]
    assert last["name"] == "bad"
    assert last["status"].startswith("failed: fold 0: RuntimeError: <b>no\nmore</b> paper")
    assert np.isnan(last["error"])
    assert not last["within_one_se"]
    assert "bad" not in {f["name"] for f in found.frontier()}


def test_a_model_that_fails_on_one_fold_is_not_compared():
    X, y = load_iris(return_X_y=True)
    FailingLater.count = 0
    found = compare({"later": FailingLater(), "good": GaussianNB()}, X, y, cv=5, random_state=0)
    assert FailingLater.count == 3  # what has failed is not tried again
    assert found.rows[-1]["status"] == "failed: fold 2: ValueError: third time"
    assert np.isnan(found.rows[-1]["error"])
    assert found.rows[0]["n_folds"] == 5


def test_everything_fails():
    X, y = load_iris(return_X_y=True)
    found = compare([Failing()], X, y, cv=3, baseline=False)
    assert found.best is None
    assert found.simplest is None
    assert found.frontier() == []
    assert "failed" in repr(found)
    found.plot()


class Slow(GaussianNB):
    def __init__(self, seconds=0.05):
        super().__init__()
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.usefixtures("in_threads")
def test_time_runs_out_and_nothing_is_dropped(n_jobs):
    X, y = load_iris(return_X_y=True)
    models = {"quick": GaussianNB(), "slow": Slow(0.4), "slower": Slow(0.5)}
    with pytest.warns(UnfinishedWarning, match=r"time budget of 0.7 s ran out with \d+ of 40 fits not run"):
        found = compare(models, X, y, cv=10, random_state=0, time_budget=0.7, n_jobs=n_jobs)
    assert {line["name"] for line in found.rows} == {"quick", "slow", "slower", "most frequent class"}
    status = {line["name"]: line["status"] for line in found.rows}
    assert all("time budget" in s for s in status.values())
    assert found.best is None or found.n_folds == 10


def test_no_time_at_all():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UnfinishedWarning, match="with 10 of 10 fits not run"):
        found = compare([GaussianNB()], X, y, time_budget=1e-9)
    assert found.best is None
    assert {line["status"] for line in found.rows} == {"not run: time budget"}
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["error"] is None


def test_models_are_compared_on_the_folds_they_share():
    nan = np.nan
    found = table_of([[0.1, 0.2, 0.9], [0.3, 0.3, nan], [0.0, nan, nan], [nan, nan, nan]])
    by_name = {line["name"]: line for line in found.rows}
    assert by_name["a"]["error"] == pytest.approx(0.15)
    assert by_name["a"]["n_folds"] == 2
    assert found.best == "a"
    assert by_name["c"]["status"] == "partial: 1 of 3 folds, time budget"
    assert not by_name["c"]["within_one_se"]
    assert by_name["c"]["difference"] == pytest.approx(-0.1)  # on the fold that both have
    assert by_name["d"]["status"] == "not run: time budget"
    apart = table_of([[0.1, nan], [nan, 0.2]])
    assert apart.best == "a"


# Stopped and resumed


class Counting(GaussianNB):
    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        return super().fit(X, y)


@pytest.mark.parametrize("random_state", [None, 0])
def test_a_comparison_goes_on_where_it_was(tmp_path, random_state):
    X, y = load_iris(return_X_y=True, as_frame=True)
    file = tmp_path / "comparison.json"
    options = {"cv": 4, "checkpoint": file, "random_state": random_state}
    Counting.fits = 0
    first = compare({"a": Counting()}, X, y, **options)
    assert Counting.fits == 4
    Counting.fits = 0  # what a class holds is part of what it is
    again = compare({"renamed": Counting()}, X.copy(), y, **options)
    assert Counting.fits == 0
    np.testing.assert_array_equal(first.errors, again.errors)
    np.testing.assert_array_equal(first.n_features, again.n_features)
    more = compare({"a": Counting(), "b": Counting(var_smoothing=1e-3)}, X, y, repeats=2, **options)
    assert Counting.fits == 4 + 8
    np.testing.assert_array_equal(more.errors[:2, :4], first.errors)
    assert not [f for f in os.listdir(tmp_path) if f != file.name]
    assert json.loads(file.read_text())["vitalfew"] == "vitalfew.comparison/2"


@pytest.mark.parametrize("kind", ["polars", "pandas", "csr"])
def test_the_same_rows_read_again_are_the_same(tmp_path, kind):
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0), "c": pd.Categorical(["u", "v"] * 20)})
    y = np.arange(40) % 2
    file = tmp_path / "c.json"

    def rows():
        if kind == "csr":
            return sparse.csr_array(np.eye(40))
        made = frame.copy(deep=True)
        return made if kind == "pandas" else pl.from_pandas(made)

    compare([NaiveBayes()], rows(), y, cv=2, checkpoint=file, random_state=0)
    before = file.read_bytes()
    compare([NaiveBayes()], rows(), y, cv=2, checkpoint=file, random_state=0)
    assert file.read_bytes() == before


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "comparison.json"
    compare([GaussianNB()], X, y, checkpoint=file, random_state=0)
    kept = file.read_bytes()
    for rows, options in ((X + 1, {}), (X, {"scoring": "neg_log_loss"})):
        with pytest.raises(ValueError, match="belongs to another comparison: the data, the scoring"):
            compare([GaussianNB()], rows, y, checkpoint=file, **options)
    assert file.read_bytes() == kept
    for text in ("dear all,\n", "[]", '{"vitalfew": "other"}', kept[:-30].decode()):
        file.write_text(text)
        with pytest.raises(ValueError, match="is not a file written by a comparison"):
            compare([GaussianNB()], X, y, checkpoint=file)
        assert file.read_text() == text


def prepared(source):
    scope = {"__name__": "notebook"}
    exec(source, scope)
    return make_pipeline(FunctionTransformer(scope["prep"]), GaussianNB())


def test_functions_are_known_by_what_they_do(tmp_path):
    X, y = load_iris(return_X_y=True)
    options = {"cv": 3, "random_state": 0, "baseline": False}
    file = tmp_path / "scored.json"
    compare([GaussianNB()], X, y, scoring=lambda model, X, y: 0.87, checkpoint=file, **options)
    again = compare([GaussianNB()], X, y, scoring=lambda model, X, y: 0.87, checkpoint=file, **options)
    assert again.rows[0]["error"] == -0.87
    with pytest.raises(ValueError, match="the data, the scoring or the versions"):
        compare([GaussianNB()], X, y, scoring=lambda model, X, y: -100.0, checkpoint=file, **options)
    file = tmp_path / "prepared.json"
    for source in ("def prep(X): return X", "def prep(X): return X[:, :1]"):
        truth = compare([prepared(source)], X, y, **options)
        found = compare([prepared(source)], X, y, checkpoint=file, **options)
        np.testing.assert_array_equal(found.errors, truth.errors)
    assert len(json.loads(file.read_text())["results"]) == 6


def test_a_model_that_cannot_be_told_from_others_is_not_kept(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "c.json"
    opaque = make_pipeline(FunctionTransformer(kw_args=None, func=Opaque()), GaussianNB())
    for _ in range(2):
        with pytest.warns(CheckpointWarning, match=r"model 'opaque' will be refitted.*\.lock is of type 'lock'"):
            compare({"opaque": opaque, "known": GaussianNB()}, X, y, cv=3, checkpoint=file, random_state=0)
    assert {r["model"] for r in json.loads(file.read_text())["results"].values()} == {"known", "most frequent class"}
    kept = file.read_bytes()
    with pytest.raises(ValueError, match=r"checkpoint cannot be used: .*\.lock is of type 'lock'"):
        compare([GaussianNB()], X, y, scoring=Opaque(), checkpoint=file)
    assert file.read_bytes() == kept


class Opaque:
    def __init__(self):
        self.lock = threading.Lock()

    def __deepcopy__(self, memo):
        return self

    def __call__(self, *arguments):
        return arguments[0]


def test_a_file_of_an_earlier_scheme_or_with_odd_results_is_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "c.json"
    compare([GaussianNB()], X, y, cv=2, checkpoint=file, random_state=0)
    sound = json.loads(file.read_text())
    key = next(iter(sound["results"]))
    changes = [
        ({"vitalfew": "vitalfew.comparison/1"}, "was written by an earlier version"),
        ({"results": {key: {"error": "0"}}}, "is not a file written by a comparison"),
        (
            {"results": {key: {"error": "0", "seconds": 1.0, "n_features": None}}},
            "is not a file written by a comparison",
        ),
        ({"results": {key: 0.5}}, "is not a file written by a comparison"),
        ({"seed": "0"}, "is not a file written by a comparison"),
        ({"data": None}, "belongs to another comparison"),
    ]
    for change, message in changes:
        file.write_text(json.dumps(sound | change))
        with pytest.raises(ValueError, match=message):
            compare([GaussianNB()], X, y, cv=2, checkpoint=file)


def test_failures_are_tried_again(tmp_path):
    X, y = load_iris(return_X_y=True)
    file = tmp_path / "c.json"
    FailingLater.count = 0
    options = {"cv": 4, "checkpoint": file, "random_state": 0, "baseline": False}
    assert "failed" in compare([FailingLater()], X, y, **options).rows[0]["status"]
    assert compare([FailingLater()], X, y, **options).rows[0]["status"] == "ok"


def test_a_place_that_cannot_be_written(tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(CheckpointWarning, match="cannot be written"):
        found = compare([GaussianNB()], X, y, cv=2, checkpoint=tmp_path / "missing" / "c.json")
    assert found.best == "GaussianNB"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_leaves_the_checkpoint(tmp_path):
    file = tmp_path / "c.json"
    script = f"""
    import os, signal, sys, time
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from vitalfew import compare

    class Stopped(GaussianNB):
        count = 0
        def fit(self, X, y):
            type(self).count += 1
            if self.count == 3:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(60)
            return super().fit(X, y)

    X, y = load_iris(return_X_y=True)
    try:
        compare([Stopped()], X, y, cv=5, checkpoint={str(file)!r}, random_state=0, baseline=False)
    except KeyboardInterrupt:
        print("stopped")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=200)
    assert done.stdout == "stopped\n", done.stderr
    assert [r["fold"] for r in json.loads(file.read_text())["results"].values()] == [0, 1]


# Arguments


def test_names_of_models_in_a_list():
    X, y = load_iris(return_X_y=True)
    found = compare([GaussianNB(), GaussianNB(), make_pipeline(StandardScaler(), SVC())], X, y, cv=2, random_state=0)
    assert found.names[1:] == ["GaussianNB", "GaussianNB (2)", "StandardScaler + SVC"]
    assert compare({"most frequent class": GaussianNB()}, X, y, cv=2).names[0] == "baseline: most frequent class"
    assert compare(GaussianNB(), X, y, cv=2).names[1] == "GaussianNB"


def test_hostile_names_are_only_names(tmp_path):
    X, y = load_iris(return_X_y=True)
    names = ["</script><script>alert(1)</script>", "'; DROP TABLE x; --", 'a"b\n{}%s', "ü\u202e"]
    found = compare({n: GaussianNB() for n in names}, X, y, cv=2, random_state=0, checkpoint=tmp_path / "c.json")
    assert found.table()["name"].tolist()[:4] == names
    page = found.plot().to_html()
    assert "</script><script>alert" not in page
    assert json.loads(json.dumps(found.to_dict()))["names"][1:] == names


def test_table_plot_and_dictionary():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = compare({"lasso": Lasso("1se"), "ridge": Ridge("loo")}, X, y, random_state=0)
    frame = found.table()
    assert list(frame.columns) == [
        "name", "error", "se", "n_features", "seconds", "difference", "difference_se", "p_value", "within_one_se",
        "is_on_frontier", "is_baseline", "n_folds", "status",
    ]  # fmt: skip
    assert frame["is_baseline"].sum() == 1
    assert found.best in found.plot().to_json()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["best"] == found.best
    assert plain["rows"][0]["p_value"] is None
    assert "simplest within one standard error 'lasso'" in repr(found)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"models": {}}, ValueError, "got no models to compare"),
        ({"models": {"a": GaussianNB}}, TypeError, "model 'a' is a class, not an instance"),
        ({"models": {"a": StandardScaler()}}, TypeError, "model 'a' has no predict"),
        ({"models": [GaussianNB(), LinearRegression()]}, ValueError, "all classifiers or all regressors"),
        ({"models": {1: GaussianNB(), "1": GaussianNB()}}, ValueError, "two models have the same name"),
        ({"repeats": 0}, ValueError, "repeats must be an integer"),
        ({"repeats": 2, "cv": KFold(3)}, ValueError, "requires cv to be a number"),
        ({"cv": 1}, ValueError, "cv must be at least 2 folds"),
        ({"time_budget": -1}, ValueError, "time_budget must be None or a positive number"),
        ({"scoring": "beauty"}, ValueError, "beauty"),
        ({"scoring": ["a"]}, ValueError, "scoring must be None, the name of a scikit-learn scorer or a callable"),
        ({"groups": np.arange(150) // 50}, ValueError, "cv=5 folds require at least 5 groups, got 3"),
        ({"groups": [1, 2]}, ValueError, "inconsistent numbers of samples"),
        ({"progress": "loud"}, ValueError, "progress must be True, False or 'auto'"),
    ],
)
def test_bad_arguments(options, error, message):
    X, y = load_iris(return_X_y=True)
    models = options.pop("models", [GaussianNB()])
    with pytest.raises(error, match=message):
        compare(models, X, y, **options)


@pytest.mark.parametrize(
    ("model", "X", "y", "message"),
    [
        (GaussianNB(), np.zeros((6, 1)), [1] * 6, "y has only one class"),
        (GaussianNB(), np.zeros((2, 1)), [0, 1], "n_splits=5"),
        (Ridge(), np.zeros((2, 1)), [0.0, 1.0], "n_splits=5"),
        (Ridge(), np.zeros((20, 1)), [np.nan] * 20, "NaN"),
        (GaussianNB(), np.zeros((20, 1)), ["a", None] * 10, "row 1 has no label"),
        (Ridge(), np.zeros((20, 1)), [0.0] * 19, "inconsistent numbers of samples"),
    ],
)
def test_bad_data(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        compare([model], X, y)


def test_a_rare_class():
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(150) == 0, 7, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare([GaussianNB()], X, y, random_state=0)
    assert found.rows[0]["status"] == "ok"


def test_noise_is_found_to_be_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 1000)), np.arange(100) % 2
    chosen = SelectKBest(k=10).fit(X, y)
    right = compare({"ten": make_pipeline(SelectKBest(k=10), GaussianNB())}, X, y, repeats=2, random_state=0)
    wrong = compare({"ten": GaussianNB()}, chosen.transform(X), y, repeats=2, random_state=0)
    by_name = {line["name"]: line["error"] for line in right.rows}
    assert by_name["ten"] > 0.4
    assert wrong.rows[0]["error"] < 0.3
    assert right.simplest == "most frequent class"
