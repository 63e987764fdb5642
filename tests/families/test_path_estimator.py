"""Every estimator with a path sets its fitted attributes all at once or not at all, and drops the rows it read."""

import gc
import warnings
import weakref

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import vitalfew
from vitalfew.families.path_estimator import PathEstimator, unchanged_on_failure
from vitalfew.families.rows_path import RowsPath

ESTIMATORS = [
    found
    for name in vitalfew.__all__
    if isinstance(found := getattr(vitalfew, name), type) and issubclass(found, PathEstimator)
]


def make(kind):
    return kind(n_jobs=1, **({"rounds": 5} if "rounds" in kind().get_params() else {}))


def rows(model, n=60, d=4):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n, d)).astype(float) + np.linspace(0, 1e-3, n)[:, None]
    y = X[:, 0] + 0.1 * rng.normal(size=n)
    is_numeric = not is_classifier(model) and not isinstance(model, vitalfew.InformationRanking)
    return X, y if is_numeric else (y > np.median(y)).astype(int)


def test_all_estimators_with_a_path_are_found():
    assert len(ESTIMATORS) >= 15


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_fit_changes_nothing(kind, error, monkeypatch):
    model = make(kind)
    X, y = rows(model)
    model.fit(X, y)
    before = dict(vars(model))

    def fail(*_):
        raise error("late")

    monkeypatch.setattr(kind, "_attributes", fail)
    with pytest.raises(error, match="late"):
        model.fit(np.column_stack([X, X[:, :1]]), y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_the_path_of_a_fitted_model_holds_no_rows(kind):
    model = make(kind)
    X, y = rows(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    paths = [*getattr(model, "paths_", {}).values(), getattr(model, "path_", None)] if hasattr(model, "path_") else []
    for path in paths:
        if isinstance(path, RowsPath):
            assert all(getattr(path, name) is None for name in path.transient)


def test_attributes_of_an_earlier_fit_do_not_survive():
    model = vitalfew.InformationRanking(k="cv")
    X, y = rows(model)
    assert hasattr(model.fit(X, y), "selection_")
    assert not hasattr(model.set_params(k=2).fit(X, y), "selection_")


def test_the_state_is_restored_object_by_object():
    class Model:
        pass

    model = Model()
    model.kept = kept = [1]

    def fail():
        with unchanged_on_failure(model):
            model.kept, model.new = [2], 3
            raise RuntimeError("late")

    with pytest.raises(RuntimeError, match="late"):
        fail()
    assert vars(model) == {"kept": [1]}
    assert model.kept is kept


def test_rows_are_freed_after_the_fit():
    X, y = rows(vitalfew.Lasso())
    X = np.asfortranarray(X)
    seen = weakref.ref(X)
    model = clone(vitalfew.Lasso(0.1)).fit(X, y)
    del X
    gc.collect()
    assert seen() is None
    assert model.path_.grid.size == 1
