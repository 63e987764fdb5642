"""Parts that were fitted beforehand, on rows that are to test the model."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from vitalfew import Bagging, GreedySearch, Lasso, NaiveBayes, bias_variance, compare, loo_predict
from vitalfew.exceptions import PrefittedWarning
from vitalfew.rules.prefitted import fitted_parts, warn_if_prefitted

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 300)), RNG.permutation(np.repeat([0, 1], 30))
SELECTOR = SelectKBest(k=5).fit(X, Y)


def select(rows):
    return SELECTOR.transform(rows)


class Wrapper(ClassifierMixin, BaseEstimator):
    """Holds what is no estimator: a copy of it is as fitted as itself."""

    def __init__(self, tool=None):
        self.tool = tool

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.tool.chosen.predict(X)


class Tool:
    def __init__(self, chosen):
        self.chosen = chosen


FITTED = {
    "in a pipeline": (
        make_pipeline(FrozenEstimator(SELECTOR), GaussianNB()),
        "frozenestimator.estimator (SelectKBest)",
    ),
    "the model itself": (FrozenEstimator(GaussianNB().fit(X, Y)), "estimator (GaussianNB)"),
    "in a search": (
        GridSearchCV(make_pipeline(FrozenEstimator(SELECTOR), GaussianNB()), {}),
        "estimator.steps.frozenestimator.estimator",
    ),
    "prefit": (
        make_pipeline(SelectFromModel(FrozenEstimator(LogisticRegression().fit(X, Y)), prefit=True), GaussianNB()),
        "selectfrommodel.estimator.estimator (LogisticRegression)",
    ),
    "calibrated": (CalibratedClassifierCV(FrozenEstimator(GaussianNB().fit(X, Y))), "estimator.estimator (GaussianNB)"),
    "voting": (VotingClassifier([("a", GaussianNB()), ("b", FrozenEstimator(GaussianNB().fit(X, Y)))]), "b.estimator"),
    "union": (make_pipeline(FeatureUnion([("kept", FrozenEstimator(SELECTOR))]), GaussianNB()), "kept.estimator"),
    "columns": (
        make_pipeline(ColumnTransformer([("a", FrozenEstimator(SELECTOR), list(range(300)))]), GaussianNB()),
        "a",
    ),
    "method": (make_pipeline(FunctionTransformer(SELECTOR.transform), GaussianNB()), "func (SelectKBest)"),
    "partial": (
        make_pipeline(FunctionTransformer(partial(SelectKBest.transform, SELECTOR)), GaussianNB()),
        "SelectKBest",
    ),
    "function": (make_pipeline(FunctionTransformer(select), GaussianNB()), "func.SELECTOR (SelectKBest)"),
    "closure": (
        make_pipeline(FunctionTransformer((lambda s: lambda rows: s.transform(rows))(SELECTOR)), GaussianNB()),
        "func.s (SelectKBest)",
    ),
    "wrapper": (Wrapper(Tool(GaussianNB().fit(X, Y))), "tool.chosen (GaussianNB)"),
    "ours": (Bagging(FrozenEstimator(GaussianNB().fit(X, Y))), "estimator.estimator (GaussianNB)"),
}


@pytest.mark.parametrize("kind", FITTED)
def test_what_was_fitted_beforehand_is_named(kind):
    model, part = FITTED[kind]
    with pytest.warns(PrefittedWarning, match="is already fitted and will not be refitted: .*too optimistic") as caught:
        warn_if_prefitted(model, "the model")
    assert part in str(caught[0].message)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(SELECTOR, GaussianNB().fit(X, Y)),  # a clone of these is not fitted
        make_pipeline(StandardScaler(), FunctionTransformer(np.log1p), FunctionTransformer(lambda rows: rows), Lasso()),
        make_pipeline(FunctionTransformer(partial(np.clip, a_min=0)), NaiveBayes()),
        CalibratedClassifierCV(GaussianNB().fit(X, Y)),
        Bagging(GaussianNB()),
        SelectFromModel(LogisticRegression().fit(X, Y), prefit=True),
    ],
    ids=["pipeline", "functions", "partial", "calibrated", "bagging", "prefit"],
)
def test_what_is_fitted_anew_is_not(model):
    warn_if_prefitted(model, "the model")


def test_an_error_on_noise_comes_with_a_warning():
    frozen = make_pipeline(FrozenEstimator(SELECTOR), GaussianNB())
    with pytest.warns(PrefittedWarning, match="model 'frozen' contains a part") as caught:
        found = compare({"frozen": frozen, "anew": make_pipeline(SelectKBest(k=5), GaussianNB())}, X, Y, random_state=0)
    assert caught[0].filename == __file__
    errors = dict(zip(found.names, found.errors.mean(axis=1)))
    assert errors["frozen"] < 0.3 < errors["anew"]


def test_other_estimates_warn_too():
    frozen = make_pipeline(FrozenEstimator(SELECTOR), GaussianNB())
    for run in (
        lambda: loo_predict(frozen, X, Y),
        lambda: bias_variance(frozen, X, Y, n_sets=2, random_state=0),
        lambda: GreedySearch(FrozenEstimator(GaussianNB().fit(X[:, :1], Y)), 1).fit(X[:, :3], Y),
    ):
        with pytest.warns(PrefittedWarning, match="is already fitted") as caught:
            run()
        assert caught[0].filename == __file__


def test_a_model_that_cannot_be_cloned_says_so_elsewhere():
    class Changing(GaussianNB):
        def __init__(self, priors=None):
            self.priors = [0.5, 0.5]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_prefitted(Changing(), "the model")
    assert fitted_parts(Changing()) == []
