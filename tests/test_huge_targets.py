"""Targets near the largest number: a clear error or a finite result, and no warning of NumPy."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils import get_tags

from test_estimators import MAKERS, MODELS
from vitalfew import (
    GreedySearch,
    Moments,
    Ridge,
    bias_variance,
    compare,
    loo_predict,
    mutual_information,
    report,
    sealed_split,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
TARGETS = {
    "1e308": np.where(np.arange(60) % 2, 1e308, -1e308),
    "largest": np.where(np.arange(60) % 2, 1.7e308, -1.7e308),
    "one side": np.where(np.arange(60) % 3, 1e308, 1.0),
    "objects": np.array([1e308, -1e308] * 30, dtype=object),
    "squares overflow": 1e160 * RNG.normal(size=60),
    "squares of squares overflow": 1e100 * RNG.normal(size=60),
}
REFUSED = "so large that their sum of squares overflows|Unknown label type|Unsupported label type|documents must be"


def result_or_refusal(run):
    try:
        return run()
    except ValueError as problem:
        assert any(part in str(problem) for part in REFUSED.split("|")), problem  # noqa: PT017
        return None


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("model", [*MODELS, *MAKERS], ids=lambda m: repr(m)[:60])
def test_estimators(model, target):
    rows, y = X @ X.T if get_tags(model).input_tags.pairwise else X, TARGETS[target]

    def run():
        fitted = clone(model).fit(rows, y)
        if is_classifier(model) or is_regressor(model):
            assert np.isfinite(fitted.predict(rows)).all()

    result_or_refusal(run)


EVALUATIONS = {
    "compare": lambda y: compare([LinearRegression(), Ridge()], X, y, cv=3, random_state=0).errors,
    "compare classes": lambda y: compare([GaussianNB()], X, y, cv=3, random_state=0).errors,
    "loo_predict": lambda y: [
        loo_predict(Ridge(1.0), X, y).standard_error,
        loo_predict(KNeighborsRegressor(), X, y).error,
    ],
    "loo_predict of classes": lambda y: loo_predict(GaussianNB(), X, y).error,
    "bias_variance": lambda y: bias_variance(KNeighborsRegressor(), X, y, n_sets=3, random_state=0).error,
    "bias_variance of classes": lambda y: bias_variance(GaussianNB(), X, y, n_sets=3, random_state=0).error,
    "GreedySearch": lambda y: GreedySearch(KNeighborsRegressor(), 1).fit(X, y).path_.scores[1:],
    "GreedySearch of classes": lambda y: GreedySearch(GaussianNB(), 1).fit(X, y).path_.scores,
    "Moments": lambda y: Moments.from_data(X, y).scatter,
    "mutual_information": lambda y: mutual_information((X > 0).astype(int), y),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", EVALUATIONS)
def test_evaluations(kind, target):
    found = result_or_refusal(lambda: EVALUATIONS[kind](TARGETS[target]))
    assert found is None or np.isfinite(found).all()


@pytest.mark.parametrize("task", [None, "numeric"])
def test_reports(task):
    assert result_or_refusal(lambda: report(X, TARGETS["1e308"], task=task, progress=False)) is None


def test_a_sealed_score():
    y = TARGETS["1e308"]
    *_, sealed = sealed_split(X, y, random_state=0)
    model = LinearRegression().fit(X, y / 1e308)
    with pytest.raises(ValueError, match="so large that their sum of squares overflows"):
        sealed.score(model)
    assert sealed.n_openings == 0


class Exploding(LinearRegression):
    def predict(self, X):
        return np.full(len(X), 1.7e308)


def test_predictions_that_explode():
    y = RNG.normal(size=60)
    found = compare({"m": Exploding()}, X, y, cv=3, random_state=0)
    assert "whose squares overflow" in {line["name"]: line["status"] for line in found.rows}["m"]
    assert loo_predict(Exploding(), X, y).error == np.inf
    assert bias_variance(Exploding(), X, y, n_sets=3, random_state=0).error == np.inf
    X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    assert sealed.score(Exploding().fit(X_train, y_train)).error == np.inf
