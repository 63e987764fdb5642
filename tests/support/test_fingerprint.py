"""Fingerprints: what must differ, what must be equal, and what cannot be compared."""

import functools
import importlib
import io
import math
import operator
import re
import subprocess
import sys
import textwrap
import threading
from decimal import Decimal
from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, special
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error, mean_squared_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from vitalfew import Lasso, NaiveBayes
from vitalfew.support.fingerprint import FingerprintError, fingerprint


def defined(source, name="f", **scope):
    """Return the namespace of some source code, executed in a separate module."""
    scope = {"__name__": "notebook", "np": np, **scope}
    exec(textwrap.dedent(source), scope)
    return scope[name]


def adder(n):
    return lambda x: x + n


class Scaler:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x

    def scale(self, x):
        return self.by * x


class Secretive(Scaler):
    def __getstate__(self):
        return {}


class Color(Enum):
    RED = 1
    BLUE = 2


LONG = np.zeros(5000)
CHANGED = LONG.copy()
CHANGED[2500] = 1.0
ESTIMATOR = """
from sklearn.base import BaseEstimator
class f(BaseEstimator):
    kind = {kind}
    def __init__(self, a=1): self.a = a
    def fit(self, X, y): return self
    def predict(self, X): return {body}
"""


def model(kind="0", body="0"):
    return defined(ESTIMATOR.format(kind=kind, body=body))()


def fitted(cls, seed):
    rng = np.random.default_rng(seed)
    return cls().fit(rng.normal(size=(30, 3)), rng.normal(size=30))


def helped(body):
    return defined(f"def g(x): return {body}\ndef f(x): return g(x)")


FIELDS = np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
MORE_FIELDS = np.array([(7, 2.0)], dtype=[("a", int), ("b", float)])


def with_attributes(frame):
    frame.attrs["unit"] = "kg"
    return frame


DIFFERENT = {
    "lambdas": (lambda x: -0.87, lambda x: 100.0),
    "constants": (lambda x: x + 1, lambda x: x + 2),
    "type of a constant": (lambda x: x + 1, lambda x: x + 1.0),
    "sign of a constant": (lambda x: x * 0.0, lambda x: x * -0.0),
    "attributes": (lambda x: x.real, lambda x: x.imag),
    "nested": (lambda x: [x + 1 for _ in range(3)], lambda x: [x + 2 for _ in range(3)]),
    "defaults": (lambda x, n=1: x + n, lambda x, n=2: x + n),
    "keyword defaults": (lambda x, *, n=1: x + n, lambda x, *, n=2: x + n),
    "closures": (adder(1), adder(2)),
    "closures over arrays": (adder(LONG), adder(CHANGED)),
    "closures over frames whose names repeat": (
        adder(pd.DataFrame([[1, 2]], columns=["a", "a"])),
        adder(pd.DataFrame([[1, 99]], columns=["a", "a"])),
    ),
    "closures over fields in another order": (adder(FIELDS[["b", "a"]]), adder(MORE_FIELDS[["b", "a"]])),
    "attributes of frames": (pd.DataFrame({"a": [1]}), with_attributes(pd.DataFrame({"a": [1]}))),
    "sparse arrays and matrices": (sparse.csr_array(np.eye(2)), sparse.csr_matrix(np.eye(2))),
    "globals": (defined("n = 1\ndef f(x): return x + n"), defined("n = 2\ndef f(x): return x + n")),
    "globals in nested code": (
        defined("n = 1\ndef f(x): return [n for _ in x]"),
        defined("n = 2\ndef f(x): return [n for _ in x]"),
    ),
    "functions called": (helped("x"), helped("-x")),
    "exceptions caught": (
        defined("def f(x):\n try: return g(x)\n except ValueError: return 0"),
        defined("def f(x):\n try: return g(x)\n except TypeError: return 0"),
    ),
    "redefined": (
        FunctionTransformer(defined("def f(x): return x")),
        FunctionTransformer(defined("def f(x): return x[:, :1]")),
    ),
    "partial": (functools.partial(pow, 2), functools.partial(pow, 3)),
    "partial of a function": (functools.partial(adder(1), 0), functools.partial(adder(2), 0)),
    "bound methods": (Scaler(1).scale, Scaler(2).scale),
    "callable objects": (Scaler(1), Scaler(2)),
    "what a pickle leaves out": (Secretive(1), Secretive(2)),
    "builtins": (len, sum),
    "methods of builtins": (str.lower, str.upper),
    "bound methods of builtins": ([1].index, [2].index),
    "ufuncs": (np.log1p, np.log),
    "ufuncs of scipy": (special.expit, special.logit),
    "functions of a library": (np.mean, np.median),
    "wrapped": (functools.lru_cache(adder(1)), functools.lru_cache(adder(2))),
    "getters": (operator.itemgetter(1), operator.itemgetter(2)),
    "vectorized": (np.vectorize(lambda x: x), np.vectorize(lambda x: -x)),
    "long arrays": (LONG, CHANGED),
    "dtype": (LONG, LONG.astype(np.float32)),
    "shape": (LONG, LONG.reshape(50, 100)),
    "structured": (np.array([(1, 2.0)], "i4,f8"), np.array([(1, 3.0)], "i4,f8")),
    "objects": (np.array([1, "a"], object), np.array(["1", "a"], object)),
    "dates": (np.array(["2020-01-01"], "M8[D]"), np.array(["2020-01-02"], "M8[D]")),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    "sparse": (sparse.eye_array(4, format="csr"), 2 * sparse.eye_array(4, format="csr")),
    "sparse and dense": (sparse.eye_array(4, format="csr"), np.eye(4)),
    "frames": (pd.DataFrame({"a": LONG}), pd.DataFrame({"a": CHANGED})),
    "names": (pd.DataFrame({"a": LONG}), pd.DataFrame({"b": LONG})),
    "rows' names": (pd.DataFrame({"a": [1, 2]}, index=[0, 1]), pd.DataFrame({"a": [1, 2]}, index=[0, 2])),
    "categories": (
        pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "b"])),
        pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "c"])),
    ),
    "large numbers beside nulls": (pl.Series([2**53, None]), pl.Series([2**53 + 1, None])),
    "null and NaN": (pl.Series([1.0, None]), pl.Series([1.0, math.nan])),
    "lists in a column": (pl.Series([[1, 2]]), pl.Series([[1, 3]])),
    "Arrow": (pa.table({"a": ["x", "y"]}), pa.table({"a": ["x", "z"]})),
    "Arrow arrays": (pa.array([1, 2]), pa.array([1, 3])),
    "times": (pd.Series(pd.to_datetime(["2020-01-01"])), pd.Series(pd.to_datetime(["2020-01-02"]))),
    "random states": (np.random.RandomState(0), np.random.RandomState(1)),
    "generators": (np.random.default_rng(0), np.random.default_rng(1)),
    "classes": (LinearRegression(), Ridge()),
    "classes with one repr": (model(), defined(ESTIMATOR.format(kind=0, body=0).replace("class f", "class g"), "g")()),
    "code of a class": (model(body="0"), model(body="1")),
    "attributes of a class": (model(kind="0"), model(kind="1")),
    "parameters": (Lasso(1.0), Lasso(2.0)),
    "parameters of steps": (make_pipeline(SelectKBest(k=1), Lasso()), make_pipeline(SelectKBest(k=2), Lasso())),
    "estimators in a search": (GridSearchCV(Ridge(), {"alpha": [1]}), GridSearchCV(Ridge(), {"alpha": [2]})),
    "fitted": (FrozenEstimator(fitted(LinearRegression, 0)), FrozenEstimator(fitted(LinearRegression, 1))),
    "fitted trees": (fitted(DecisionTreeRegressor, 0), fitted(DecisionTreeRegressor, 1)),
    "scorers": (make_scorer(mean_absolute_error), make_scorer(mean_squared_error)),
    "scorers of lambdas": (make_scorer(lambda a, b: 0), make_scorer(lambda a, b: 1)),
    "nesting": ([[1], [2]], [[1, 2]]),
    "list and tuple": ([1, 2], (1, 2)),
    "true and one": ([True], [1]),
    "text that looks like more": (["a", "b"], ["a', 'b"]),
    "order of a dict": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "members": (Color.RED, Color.BLUE),
    "decimals": (Decimal("1.0"), Decimal("1.00")),
    "patterns": (re.compile("a"), re.compile("a", re.I)),
    "huge numbers": ([10**5000], [10**5000 + 1]),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_what_differs_is_told_apart(kind):
    one, other = DIFFERENT[kind]
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint([one]) != fingerprint([other])
    assert fingerprint(one) == fingerprint(one)


def recursive():
    return defined("def f(x): return g(x)\ndef g(x): return f(x - 1) if x else 0")


SAME = {
    "source": lambda: (defined("def f(x):\n    return x"), defined("\n\n# moved\ndef f(x): return x")),
    "recursion": lambda: (recursive(), recursive()),
    "classes": lambda: (model(), model()),
    "clones": lambda: (clone(model()), model()),
    "estimators": lambda: (
        make_pipeline(StandardScaler(), NaiveBayes()),
        make_pipeline(StandardScaler(), NaiveBayes()),
    ),
    "order in memory": lambda: (np.arange(12.0).reshape(4, 3), np.asfortranarray(np.arange(12.0).reshape(4, 3))),
    "views": lambda: (np.arange(5), np.arange(10).repeat(2)[::2][:5]),
    "formats": lambda: (sparse.eye_array(4, format="csr"), sparse.eye_array(4, format="csc")),
    "frames": lambda: (pd.DataFrame({"a": [1, 2], "b": ["x", None]}), pd.DataFrame({"a": [1, 2], "b": ["x", None]})),
    "sets": lambda: ({"a", "b", "c"}, {"c", "b", "a"}),
    "attributes set in another order": lambda: (attributes("a", "b"), attributes("b", "a")),
    "random states": lambda: (np.random.RandomState(3), np.random.RandomState(3)),
    "generators": lambda: (np.random.default_rng(3), np.random.default_rng(3)),
    "shared or copied": lambda: ([LONG, LONG], [LONG, LONG.copy()]),
    "padding": lambda: (padded(0), padded(255)),
    "fitted": lambda: tuple(fitted(functools.partial(DecisionTreeRegressor, random_state=0), 0) for _ in range(2)),
    "chunks": lambda: (pa.chunked_array([[1, 2]]), pa.chunked_array([[1], [2]])),
}


def attributes(*names):
    made = Scaler(1)
    for name in names:
        setattr(made, name, 0)
    return made


def padded(byte):
    made = np.full(2 * 16, byte, np.uint8).view(np.dtype("i4,f8", align=True))
    made["f0"], made["f1"] = 1, 2.0
    return made


@pytest.mark.parametrize("kind", SAME)
def test_what_is_the_same_agrees(kind):
    one, other = SAME[kind]()
    assert one is not other
    assert fingerprint(one) == fingerprint(other)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(values, values)
def test_values_agree_if_they_are_written_the_same_way(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (repr(one) == repr(other))


UNKNOWN = {
    "bare objects": object,
    "open files": functools.partial(open, __file__),
    "generators": lambda: (i for i in range(3)),
    "locks": threading.Lock,
    "made by frompyfunc": lambda: np.frompyfunc(lambda x: x, 1, 1),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_what_cannot_be_told_apart_is_refused(kind):
    thing = UNKNOWN[kind]()
    try:
        for holder in (thing, [thing], Scaler(thing), lambda x: thing, FunctionTransformer(kw_args={"by": thing})):
            with pytest.raises(FingerprintError, match="cannot be hashed by content"):
                fingerprint(holder)
    finally:
        if isinstance(thing, io.IOBase):
            thing.close()


def test_the_part_that_cannot_be_told_apart_is_named():
    with pytest.raises(FingerprintError, match=r"\.kw_args → \.by is|\.kw_args.*is of type 'object'"):
        fingerprint(FunctionTransformer(kw_args={"by": object()}))
    log = threading.Lock()
    with pytest.raises(FingerprintError, match=r"f\(\) → global log is of type 'lock'"):
        fingerprint(defined("def f(x): return log", log=log))


def test_nesting_without_end_is_refused():
    made = []
    for _ in range(100_000):
        made = [made]
    with pytest.raises(FingerprintError, match="nested too deeply"):
        fingerprint(made)
    while made:  # or Python would take it apart by recursion
        made = made.pop()


def test_cycles_end():
    made: list = [1]
    made.append(made)
    other: list = [2]
    other.append(other)
    assert fingerprint(made) != fingerprint(other)


USES = {
    "attribute": "import my_helpers\ndef f(x): return my_helpers.helper(x)",
    "imported inside": "def f(x):\n    import my_helpers\n    return my_helpers.helper(x)",
    "a name of it imported inside": "def f(x):\n    from my_helpers import helper\n    return helper(x)",
    "whole": "import my_helpers\ndef f(x): return getattr(my_helpers, 'helper')(x)",
}


@pytest.mark.parametrize("use", USES)
def test_modules_of_the_user_are_followed(use, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for body in ("x", "x", "x + 1"):
        (tmp_path / "my_helpers.py").write_text(f"def helper(x): return {body}\n")
        importlib.invalidate_caches()
        found.append(fingerprint(defined(USES[use])))
        del sys.modules["my_helpers"]
    assert found[0] == found[1] != found[2]


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from vitalfew.support.fingerprint import fingerprint
import my_models

class Local(my_models.Model):
    words = {{"a", "b", "c", "d"}}
    def predict(self, X):
        return super().predict(X) if X in {{"u", "v", "w"}} else my_models.helper(X)

print(fingerprint(my_models.Model(a={{"x", "y", "z"}}), Local(), make_pipeline(FunctionTransformer(my_models.helper))))
"""
MODULE = """
import functools
from dataclasses import dataclass
from enum import Enum
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

_missing = object()
names = {"p", "q", "r"}

class Color(Enum):
    RED = 1

@dataclass
class Options:
    depth: int = 3
    color: Color = Color.RED

def helper(x):
    return recurse(x) if x is not _missing else names

def recurse(x):
    return helper(x - 1) if x else (1, 2, (3, 4))

class Model(ClassifierMixin, TransformerMixin, BaseEstimator):
    options = Options()
    def __init__(self, a=1):
        self.a = a
    def fit(self, X, y, sample_weight=None):
        return self
    @functools.cached_property
    def deep(self):
        return (1, 2, (3, 4))
    @property
    def flat(self):
        return Options(4)
    def predict(self, X):
        return helper(X)
    def transform(self, X):
        return X
"""


def test_the_same_source_has_the_same_fingerprint_in_every_process(tmp_path):
    (tmp_path / "my_models.py").write_text(MODULE)
    found = set()
    for seed in ("0", "1", "2"):  # the first run compiles the module, the others read the compiled file
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path))],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1
    (tmp_path / "my_models.py").write_text(MODULE.replace("x - 1", "x - 2"))
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(folder=str(tmp_path))], capture_output=True, text=True, timeout=120
    )
    assert run.stdout not in found


def test_versions_are_part_of_it(monkeypatch):
    from vitalfew.support import fingerprint as module

    before = fingerprint(1)
    monkeypatch.setattr(module, "_versions", lambda: ("cpython", ("scikit-learn", "99")))
    assert fingerprint(1) != before


class Fitted(BaseEstimator):
    def __init__(self, scorer=None):
        self.scorer = scorer


def test_an_estimator_does_not_depend_on_what_it_was_fitted_to_once_it_is_cloned():
    assert fingerprint(clone(fitted(LinearRegression, 0))) == fingerprint(clone(fitted(LinearRegression, 1)))
    assert fingerprint(Fitted(make_scorer(mean_absolute_error))) == fingerprint(
        Fitted(make_scorer(mean_absolute_error))
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.set_axis(["b", "c", "a"]),
        lambda s: s.rename("other"),
        lambda s: s.rename_axis("named"),
        lambda s: s.to_frame().set_axis(pd.Index(["x"], name="columns"), axis=1)["x"].to_frame(),
    ],
)
def test_labels_of_a_series_count(change):
    series = pd.Series([1.0, 5.0, 2.0], index=["a", "b", "c"], name="x")
    assert fingerprint(series) == fingerprint(series.copy())
    assert fingerprint(series) != fingerprint(change(series))


def test_none_and_nan_are_not_the_same():
    assert fingerprint(pd.Series(["a", None], dtype=object)) != fingerprint(pd.Series(["a", np.nan], dtype=object))


@pytest.mark.parametrize(
    ("file", "body"),
    [
        ("profile.py", "import profile\nscoring = profile.score"),
        ("pkg/helper.py", "def scoring(*a):\n    from pkg import helper\n    return helper.score(*a)"),
    ],
)
def test_own_modules_count_under_any_name(tmp_path, file, body):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    (path.parent / "__init__.py").touch()
    script = f"{body}\nfrom vitalfew.support.fingerprint import fingerprint\nprint(fingerprint(scoring))"
    found = []
    for value in (1.0, 2.0, 1.0):
        path.write_text(f"def score(e, X, y):\n    return {value}\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] != found[1]
    assert found[0] == found[2]
