"""The warning that a rule picked the smallest penalty of a default grid: rare, and gone once its remedy is used."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from vitalfew import Lasso, LogisticRegression, Ridge
from vitalfew.exceptions import GridEndWarning


def almost_noiseless(n=300, d=20):
    """Return samples that least squares fits much better than the smallest default penalty."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.001 * rng.normal(size=n)


@pytest.mark.parametrize("model", [Lasso("cv"), Lasso("1se"), Lasso("bic"), Ridge("loo"), Ridge("cv"), Ridge("bic")])
def test_it_warns_once_where_the_curve_still_falls(model):
    X, y = almost_noiseless()
    with pytest.warns(GridEndWarning, match=r"smallest penalty of the grid.*Use a smaller grid_ratio") as caught:
        model.fit(X, y)
    assert len(caught) == 1


@pytest.mark.parametrize("model", [Lasso("cv"), Ridge("loo")])
def test_the_remedy_helps(model):
    X, y = almost_noiseless()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        better = model.set_params(grid_ratio=1e-9).fit(X, y)
    assert 0 < better.selection_.index < len(better.selection_.grid)
    assert np.mean((better.predict(X) - y) ** 2) < 1.5e-6


def test_it_is_quiet_where_the_user_set_the_end():
    X, y = almost_noiseless()
    for model in (Lasso(0.1), Lasso("cv", grid=[1.0, 0.1]), Ridge("loo", grid=[10.0]), Ridge("loo", grid=1)):
        model.fit(X, y)


def test_it_is_quiet_where_the_path_fits_perfectly():
    X = np.random.default_rng(0).normal(size=(60, 90))
    Ridge("loo").fit(X, X @ np.ones(90))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("error")
def test_it_is_quiet_on_ordinary_data(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(40, 300)), int(rng.integers(2, 60))
    X = rng.normal(size=(n, d))
    X[:, 1:] += X[:, :-1]
    y = X @ rng.normal(size=d) * rng.integers(0, 2) + np.sqrt(d) * rng.normal(size=n)
    for rule in ("cv", "1se", "bic", "loo"):
        Lasso(rule).fit(X, y)
        if rule != "1se":
            Ridge(rule).fit(X, y)


@pytest.mark.parametrize("read", [load_breast_cancer, load_iris, load_wine])
def test_it_is_quiet_on_real_classes(read):
    X, y = read(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GridEndWarning)
        for options in ({}, {"penalty": "l2", "grid": 20}):
            LogisticRegression("cv", **options).fit(X, y)


def test_it_is_quiet_on_real_numbers():
    X, y = load_diabetes(return_X_y=True)
    for model in (Lasso("cv"), Lasso("bic"), Ridge("loo"), Ridge("cv")):
        model.fit(X, y)
