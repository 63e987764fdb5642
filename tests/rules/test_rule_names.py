"""Names of rules and options: in any case, with the closest one if there is none, and without types of NumPy."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    DecisionTree,
    Discretizer,
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
    WordPresence,
    loo_predict,
    mutual_information,
)

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (60, 4)).astype(float)
Y = (X[:, 0] + (RNG.random(60) < 0.2)).astype(int) % 2


@pytest.mark.parametrize(
    ("kind", "knob", "rule"),
    [
        (Lasso, "alpha", "bic"),
        (Lasso, "alpha", "1se"),
        (Ridge, "alpha", "loo"),
        (LogisticRegression, "alpha", "aic"),
        (KernelRidge, "alpha", "loo"),
        (KernelRidge, "gamma", "loo"),
        (GreedySubsetRegressor, "k", "bic"),
        (GreedySubsetClassifier, "k", "bic"),
        (BestSubsetRegressor, "k", "ebic"),
        (BestSubsetClassifier, "k", "bic"),
        (ForwardFittingRegressor, "steps", "cv"),
        (AdaBoost, "rounds", "cv"),
        (Bagging, "rounds", "oob"),
        (DecisionTree, "leaves", "cv"),
        (DecisionTree, "mdl_weight", "cv"),
        (NaiveBayes, "features", "mdl"),
        (NaiveBayes, "features", "1se"),
        (NaiveBayes, "prior_strength", "loo"),
        (NaiveBayes, "prior_strength", "auto"),
        (InformationRanking, "k", "fdr"),
        (InformationRanking, "k", "gain"),
        (InformationRanking, "k", "bic"),
        (SemiSupervisedNaiveBayes, "features", "mdl"),
        (SemiSupervisedNaiveBayes, "unlabeled_weight", "loo"),
    ],
)
def test_a_rule_in_any_case(kind, knob, rule):
    fixed = {"random_state": 0} if "random_state" in kind().get_params() else {}
    if kind in (AdaBoost, Bagging):
        fixed["max_rounds"] = 5
    lower, upper = (kind(**fixed, **{knob: spelled}).fit(X, Y) for spelled in (rule, np.str_(rule.upper())))
    assert getattr(upper, knob) == rule.upper()  # parameters stay as they were given
    if hasattr(lower, "predict"):
        np.testing.assert_array_equal(upper.predict(X), lower.predict(X))
    if hasattr(lower, "support_"):
        np.testing.assert_array_equal(upper.support_, lower.support_)
    if kind is not SemiSupervisedNaiveBayes and rule not in ("auto", "fdr", "gain"):
        selections = getattr(upper, "selections_", None) or {knob: upper.selection_}
        assert rule in {s.rule for s in selections.values()}


@pytest.mark.parametrize("rule", ["cv", "holdout", "1se"])
def test_a_rule_of_the_greedy_search_in_any_case(rule):
    lower, upper = (GreedySearch(GaussianNB(), s, random_state=0).fit(X, Y) for s in (rule, rule.upper()))
    assert upper.selection_.rule == lower.selection_.rule == rule
    np.testing.assert_array_equal(upper.subset_, lower.subset_)


def test_the_criterion_of_a_step_in_any_case():
    lower, upper = (GreedySearch(Ridge(1.0), 2, select_by=s).fit(X, Y) for s in ("training", "Training"))
    np.testing.assert_array_equal(upper.subset_, lower.subset_)


def test_a_column_is_not_a_list_of_columns():
    with pytest.raises(ValueError, match=r"start must be a list of columns, got 'ab'; use \['ab'\]"):
        GreedySearch(Ridge(1.0), 2, start="ab").fit(X, Y)


@pytest.mark.parametrize(
    ("run", "closest"),
    [
        (lambda: Lasso("bicc").fit(X, Y), "bic"),
        (lambda: Ridge("looo").fit(X, Y), "loo"),
        (lambda: GreedySubsetRegressor("ebicc").fit(X, Y), "ebic"),
        (lambda: AdaBoost("CVV").fit(X, Y), "cv"),
        (lambda: NaiveBayes("mdll").fit(X, Y), "mdl"),
        (lambda: NaiveBayes(prior_strength="holdot").fit(X, Y), "holdout"),
        (lambda: InformationRanking("fd").fit(X, Y), "fdr"),
        (lambda: GreedySearch(GaussianNB(), "hold-out").fit(X, Y), "holdout"),
        (lambda: NaiveBayes(order="greedyy").fit(X, Y), "greedy"),
        (lambda: NaiveBayes(numeric=np.str_("Quantile")).fit(X, Y), "quantile"),
        (lambda: NaiveBayes(prior_mean="uniformly").fit(X, Y), "uniform"),
        (lambda: DecisionTree(criterion="gain-ratio").fit(X, Y), "gain_ratio"),
        (lambda: DecisionTree(class_weight="ballanced").fit(X, Y), "balanced"),
        (lambda: LogisticRegression(penalty="L1").fit(X, Y), "l1"),
        (lambda: KernelRidge(kernel="RBF").fit(X, Y), "rbf"),
        (lambda: GreedySubsetRegressor(direction="foreward").fit(X, Y), "forward"),
        (lambda: AdaBoost(votes="confident").fit(X, Y), "confidence"),
        (lambda: Bagging("tre").fit(X, Y), "tree"),
        (lambda: Discretizer(strategy="uniforme").fit(X, Y), "uniform"),
        (lambda: WordPresence(weighting="idff").fit(["a b"]), "idf"),
        (lambda: mutual_information(X, Y, unit="bit"), "bits"),
        (lambda: loo_predict(Ridge(1.0), X, Y, method="Predict"), "predict"),
        (lambda: SemiSupervisedNaiveBayes(unlabeled_weight="lo").fit(X, Y), "loo"),
        (lambda: GreedySearch(Ridge(1.0), select_by="trainig").fit(X, Y), "training"),
    ],
)
def test_did_you_mean(run, closest):
    with pytest.raises(ValueError, match=f"did you mean {closest!r}") as caught:
        run()
    assert "np.str_" not in str(caught.value)


@pytest.mark.parametrize(
    "run",
    [
        lambda: Lasso(np.str_("best")).fit(X, Y),
        lambda: NaiveBayes(order=np.str_("zzz")).fit(X, Y),
        lambda: NaiveBayes(np.array(["a", "b"])).fit(X, Y),
        lambda: DecisionTree(categorical_features=np.array(["color"])).fit(X, Y),
        lambda: Lasso(feature_groups=[np.array(["color"])]).fit(X, Y),
        lambda: KernelRidge(kernel=np.str_("zzz")).fit(X, Y),
        lambda: NaiveBayes(prior_strength=np.str_("zzz")).fit(X, Y),
        lambda: SemiSupervisedNaiveBayes(unlabeled_weight=np.str_("zzz")).fit(X, Y),
    ],
)
def test_messages_show_no_types_of_numpy(run):
    with pytest.raises(ValueError) as caught:
        run()
    assert "np." not in str(caught.value)
