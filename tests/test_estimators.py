"""scikit-learn's checks of every estimator, the few exceptions in one table.

`Discretizer` has its own, `WordPresence` takes text."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

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
)

MODELS = [
    NaiveBayes(),
    NaiveBayes(features="mdl"),
    NaiveBayes(features="cv", order="information", prior_strength="loo"),
    NaiveBayes(features=2, backward=True),
    NaiveBayes(features="1se", order="information", numeric="quantile", prior_mean="uniform"),
    SemiSupervisedNaiveBayes(),
    SemiSupervisedNaiveBayes(features="mdl", unlabeled_weight=0.5),
    InformationRanking(),
    InformationRanking(k=2),
    InformationRanking(k="mdl"),
    InformationRanking(k="1se"),
    Ridge(),
    Ridge(1.0),
    Ridge(0.0),
    Ridge("cv", fit_intercept=False),
    Ridge("bic", grid=20),
    Lasso(0.1),
    Lasso("bic", l1_ratio=0.5, positive=True, grid=10),
    Lasso("cv", cv=3, grid=10),
    LogisticRegression(0.01),
    LogisticRegression(0.01, penalty="l2", tol=1e-12),
    LogisticRegression("bic", grid=6),
    LogisticRegression("cv", penalty="elasticnet", cv=3, grid=6),
    GreedySubsetRegressor(2),
    GreedySubsetRegressor("bic", direction="both"),
    GreedySubsetRegressor("cv", cv=3),
    GreedySubsetClassifier(2),
    GreedySubsetClassifier("bic", direction="both", max_features=2),
    GreedySubsetClassifier("cv", cv=3, max_features=2),
    ForwardFittingRegressor(5),
    ForwardFittingRegressor("cv", cv=3, max_steps=20, myopic=True),
    ForwardFittingClassifier(5),
    ForwardFittingClassifier("cv", cv=3, max_steps=10, myopic=True, learning_rate=0.5),
    BestSubsetClassifier(2),
    BestSubsetRegressor(2),
    BestSubsetRegressor("bic", max_features=4),
    KernelRidge(),
    KernelRidge(1.0),
    KernelRidge("cv", kernel="poly", grid=20),
    KernelRidge("bic", gamma="bic", grid=20),
    KernelRidge(n_components=100, random_state=0),
    KernelRidge(1.0, kernel="precomputed"),
    AdaBoost(20),
    AdaBoost("cv", cv=3, max_rounds=10, votes="confidence"),
    AdaBoost(5, loss="logistic"),
    AdaBoost(10, multiclass="samme"),
    AdaBoost(5, estimator=NaiveBayes()),
    AdaBoost(4, estimator="tree"),
    Bagging(rounds=5),
    Bagging("stump", "oob", max_rounds=5, votes="probability"),
    Bagging(GaussianNB(), "cv", cv=3, max_rounds=3),
    DecisionTree(),
    DecisionTree(max_p_chance=0.05, mdl_weight=None),
    DecisionTree(leaves="cv", mdl_weight=None, criterion="gain", cv=3),
    DecisionTree(mdl_weight=None, min_leaf=1),
    DecisionTree(max_depth="bic", mdl_weight="mdl", code="exceptions"),
]
# Models that make features of their own rather than select some.
MAKERS = [Stump(), Stump(n_stumps=3), Stump(n_stumps=4, per_feature=2)]
# Averages of models: classifiers if their members are.
BLENDS = [
    Blend([("bayes", GaussianNB()), ("linear", LogisticRegression(0.01))], cv=3),
    Blend([("linear", LogisticRegression(0.01)), ("tree", DecisionTree())], weights=[1, 2]),
    Blend([("ridge", Ridge(1.0)), ("lasso", Lasso(0.1))], cv=3),
]

# Checks that a model cannot pass, each with the reason.
DRAWN = "bags are drawn at random: a row of weight two is as likely in them as two rows, but the draws differ"
MARKED = "-1 marks a row without a label here, as in scikit-learn's own semi-supervised classifiers"
EXPECTED_FAILURES = {
    SemiSupervisedNaiveBayes: {"check_classifiers_classes": MARKED},
    Bagging: {f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")},
}

CLASSIFIERS = (
    NaiveBayes,
    SemiSupervisedNaiveBayes,
    LogisticRegression,
    GreedySubsetClassifier,
    ForwardFittingClassifier,
    BestSubsetClassifier,
    AdaBoost,
    Bagging,
    DecisionTree,
)
REGRESSORS = (KernelRidge, Lasso, Ridge, GreedySubsetRegressor, ForwardFittingRegressor, BestSubsetRegressor)
NO_SELECTORS = (Bagging,)  # which features its learners use is their own affair


@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SeparationWarning")
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.SmallerModelWarning")
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GuessingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [*MODELS, *MAKERS, *BLENDS], expected_failed_checks=lambda model: EXPECTED_FAILURES.get(type(model), {})
)
@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.GridEndWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_kinds(model):
    assert isinstance(model, SelectorMixin) != isinstance(model, NO_SELECTORS)
    assert is_classifier(model) == isinstance(model, CLASSIFIERS)
    assert is_regressor(model) == isinstance(model, REGRESSORS)


@pytest.mark.parametrize("model", BLENDS, ids=repr)
def test_a_blend_is_of_the_kind_of_its_members(model):
    for _, member in model.estimators:
        assert is_classifier(model) == is_classifier(member)
        assert is_regressor(model) == is_regressor(member)
    assert hasattr(model, "predict_proba") == is_classifier(model)


def predicted(model, X):
    """Whatever a model tells about samples, as numbers."""
    for name in ("predict_proba", "predict", "transform"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(X), dtype=float)
    raise AssertionError(f"{model} makes no predictions")


@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.VitalfewWarning")
@pytest.mark.parametrize("are_equal", [False, True])
@pytest.mark.parametrize("model", [*MODELS, *MAKERS, *BLENDS, Discretizer()], ids=repr)
def test_weights_are_shares_or_counts(model, are_equal):
    """Weights that sum to less than the number of rows are scaled to this number; larger ones are counts."""
    if is_regressor(model):
        X, y = load_diabetes(return_X_y=True)
    else:
        X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:120, :5], y[:120]
    if getattr(model, "kernel", None) == "precomputed":
        X = X @ X.T
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    weight[::10] = 0
    weight *= np.count_nonzero(weight) / weight.sum()
    weight = np.ones(len(y)) if are_equal else weight
    model = clone(model)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    expected = predicted(model.fit(X, y, sample_weight=weight), X)
    for scale in (1 / weight.sum(), 1e-9):
        found = predicted(model.fit(X, y, sample_weight=scale * weight), X)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
