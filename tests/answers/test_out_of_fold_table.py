"""Out-of-fold predictions equal those of plain models in a loop, and no row is predicted by a model that saw it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import f_regression
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC

from small_answers import PLENTY, answers_of, signal, with_few_learners
from vitalfew.answers import out_of_fold_table
from vitalfew.answers.learners import Learner
from vitalfew.answers.out_of_fold_table import Problem, Race
from vitalfew.answers.recipes import Recipes, Task
from vitalfew.answers.views import SparseView, TableView, WordView
from vitalfew.evaluation.calibration import as_log, scores_of
from vitalfew.evaluation.plan import make_plan
from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting.table import read_study_table


def view_of(X) -> TableView:
    table = read_study_table(X)
    return TableView.of(table.frame, table.used)


def by_name(table) -> dict:
    """Predictions by the name and setting of the candidate; estimators of two runs are never equal."""
    return {(str(c), c.size, c.setting): found for c, found in table.predictions.items()}


def race_of(X, y, learners, selectors, sizes, n_classes=2, seconds=PLENTY, threads=1) -> Race:
    view = X if isinstance(X, WordView | SparseView) else view_of(X)
    recipes = Recipes(selectors, learners, sizes, len(view.names), len(y), next(iter(selectors)))
    plan = make_plan(y, is_numeric=n_classes == 0)
    return Race(Problem(view, y, n_classes, 0, threads), recipes, plan.splits, seconds)


def by_difference(fold, target, is_numeric, seed):
    """Rank columns by the difference of the means of two classes."""
    train, _ = fold.parts("trees")
    return np.argsort(-np.abs(train[target == 1].mean(axis=0) - train[target == 0].mean(axis=0)), kind="stable")


def kinds_of_learners(seed=0) -> list[Learner]:
    return [
        Learner("near", "linear", (KNeighborsClassifier(3), KNeighborsClassifier(7)), is_quick=True),
        Learner("bayes", "trees", (GaussianNB(),), is_quick=True),
        Learner("trees", "trees", (ExtraTreesClassifier(8, random_state=seed),)),
        Learner("vectors", "linear", (SVC(),)),
    ]


@pytest.fixture
def no_drops(monkeypatch):
    monkeypatch.setattr(out_of_fold_table, "LOST", 1.0)


@pytest.mark.usefixtures("no_drops")
def test_predictions_are_those_of_a_plain_loop():
    X, y = signal()
    race = race_of(X, y, kinds_of_learners(), {"difference": by_difference}, (1, 3))
    table = race.run()
    assert len(table.candidates) == 3 * 5
    assert (table.rows == np.arange(80)).all()
    assert table.is_complete
    for candidate, predicted in table.predictions.items():
        expected = np.zeros((80, 2))
        for train, test in race.splits:
            apart = np.abs(X[train][y[train] == 1].mean(axis=0) - X[train][y[train] == 0].mean(axis=0))
            size = candidate.size
            columns = np.sort(np.argsort(-apart)[:size]) if candidate.task.selector else np.arange(6)
            steps = [StandardScaler()] if candidate.task.learner.form == "linear" else []
            model = make_pipeline(*steps, candidate.estimator).fit(X[train][:, columns], y[train])
            expected[test] = scores_of(model, X[test][:, columns])
        np.testing.assert_allclose(predicted, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("no_drops")
def test_predictions_for_a_sparse_matrix_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.4, (60, 12)).astype(float))
    y = X[:, [2]].toarray()[:, 0] + X[:, [5]].toarray()[:, 0] + 0.3 * rng.normal(size=60)

    def by_correlation(fold, target, is_numeric, seed):
        return np.argsort(-f_regression(fold.parts("counts")[0], target)[0], kind="stable")

    view = SparseView(X, [f"x{j}" for j in range(12)])
    learners = [Learner("ridge", "scaled", (Ridge(1.0), Ridge(10.0)), is_quick=True)]
    race = race_of(view, y, learners, {"f": by_correlation}, (2,), n_classes=0)
    for candidate, predicted in race.run().predictions.items():
        expected = np.zeros(60)
        for train, test in race.splits:
            columns = np.arange(12)
            if candidate.task.selector:
                columns = np.sort(np.argsort(-f_regression(X[train], y[train])[0], kind="stable")[:2])
            model = make_pipeline(MaxAbsScaler(), candidate.estimator).fit(X[train][:, columns], y[train])
            expected[test] = model.predict(X[test][:, columns])
        np.testing.assert_allclose(predicted, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("no_drops")
def test_targets_of_a_fold_do_not_change_its_predictions(monkeypatch):
    """All selectors and learners for tables; two values of the target change places inside the first test part."""
    with_few_learners(monkeypatch, "logistic regression", "Naive Bayes", "extra trees", "support vectors", sizes=(1, 3))
    X, y = signal(60, 5)
    splits = make_plan(y, is_numeric=False).splits[:2]
    test = splits[0][1]
    other = y.copy()
    other[test] = 1 - other[test]

    def predictions(target):
        view = view_of(X)
        recipes = Recipes.of(view, target, 2, 0)
        assert set(recipes.selectors) == {"information", "L1 path", "trees", "description length"}
        # Tasks whose first fold has the lower loss are tried with more selectors, so this fold comes second.
        race = Race(Problem(view, target, 2), recipes, splits[::-1], PLENTY)
        return by_name(race.run())

    before, after = predictions(y), predictions(other)
    rows = np.sort(np.concatenate([s[1] for s in splits]))
    at = np.isin(rows, test)
    assert len(before) > 10
    for candidate in before.keys() & after.keys():
        np.testing.assert_array_equal(before[candidate][at], after[candidate][at])
    changed = [not np.array_equal(before[c][~at], after[c][~at]) for c in before.keys() & after.keys()]
    assert np.mean(changed) > 0.5  # the other part was predicted by models that did learn from these rows


def test_threads_and_a_larger_budget_change_nothing(monkeypatch):
    with_few_learners(monkeypatch, "logistic regression", "Naive Bayes", "extra trees", sizes=(1, 3))
    X, y = signal(60, 5)
    found = [answers_of(X, y, threads=t, seconds=s) for t, s in ((1, PLENTY), (2, PLENTY), (1, 10 * PLENTY))]
    first = found[0].choice
    assert first.table.is_complete
    for other in (own.choice for own in found[1:]):
        a, b = by_name(first.table), by_name(other.table)
        assert list(a) == list(b)
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])
        assert (first.few, first.best, first.few_error, first.best_error) == (
            other.few,
            other.best,
            other.few_error,
            other.best_error,
        )


def test_racing_drops_the_hopeless_and_never_the_best():
    """The same race with and without drops ends with the same best, and with fewer candidates."""
    X, y = signal(120)

    def upside_down(fold, target, is_numeric, seed):
        return by_difference(fold, target, is_numeric, seed)[::-1]

    selectors = {"difference": by_difference, "worst first": upside_down}
    raced = race_of(X, y, kinds_of_learners(), selectors, (1, 2, 3)).run()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(out_of_fold_table, "LOST", 1.0)
        whole = race_of(X, y, kinds_of_learners(), selectors, (1, 2, 3)).run()
    assert raced.n_dropped > 0
    assert len(raced.candidates) < len(whole.candidates)
    names, left = list(by_name(whole)), list(by_name(raced))
    mean = whole.loss.mean(axis=0)
    assert names[int(mean.argmin())] == left[int(raced.loss.mean(axis=0).argmin())]
    assert set(left) < set(names)
    assert {size for _, size, _ in left} == {size for _, size, _ in names}


def run_out(*_):
    raise TimeBudgetError("no time")


def test_rankings_that_run_out_of_time_in_a_later_fold():
    """What was predicted before counts."""
    X, y = signal()
    calls = []

    def once(fold, target, is_numeric, seed):
        calls.append(1)
        return by_difference(fold, target, is_numeric, seed) if len(calls) == 1 else run_out()

    learners = [Learner("bayes", "trees", (GaussianNB(),), is_quick=True, most_features=3)]
    race = race_of(X, y, learners, {"once": once}, (1, 3))
    table = race.run()
    assert len(table.candidates) == 2
    assert (table.rows == np.sort(race.splits[0][1])).all()
    assert not table.is_complete


class OutOfTime(GaussianNB):
    def fit(self, X, y):
        run_out()


class Failing(GaussianNB):
    def fit(self, X, y):
        raise ValueError("it does not converge")


def test_models_that_fail_are_named():
    X, y = signal()
    learners = [
        Learner("bayes", "trees", (GaussianNB(),), is_quick=True),
        Learner("broken", "trees", (Failing(),), is_quick=True),
        Learner("late", "trees", (OutOfTime(),)),
    ]
    table = race_of(X, y, learners, {"difference": by_difference, "failing": lambda *_: 1 // 0}, (1,)).run()
    assert {c.task.learner.name for c in table.candidates} == {"bayes"}
    assert table.not_run["broken"] == "failed: it does not converge"
    assert table.not_run["late"] == "no time left"
    assert table.not_run["features by failing"].startswith("failed: ")
    assert not table.is_complete
    learners = learners[1:2]
    with pytest.raises(ValueError, match="no model could be fitted"):
        race_of(X, y, learners, {"difference": by_difference}, (1,)).run()


def test_without_time_there_is_one_model():
    X, y = signal()
    table = race_of(X, y, kinds_of_learners()[1:], {"difference": by_difference}, (1,), seconds=0.0).run()
    assert [str(c) for c in table.candidates] == ["bayes"]
    assert not table.is_complete


def test_losses_are_calibrated_log_loss_and_squared_error():
    X, y = signal()
    table = race_of(X, y, kinds_of_learners(), {"difference": by_difference}, (1,)).run()
    for i, predicted in enumerate(table.predictions.values()):
        p = np.exp(table.temperatures[i] * predicted.astype(float))
        p /= p.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(table.loss[:, i], -np.log(p[np.arange(80), y]), rtol=1e-6)
        np.testing.assert_array_equal(table.error[:, i], p.argmax(axis=1) != y)


def test_tasks_are_equal_by_what_they_do():
    bayes, trees = kinds_of_learners()[1:3]
    assert hash(Task("a", bayes, 3)) == hash(Task("a", bayes, 3))
    assert Task("a", bayes, 3) != Task("a", trees, 3)
    assert str(Task("a", bayes, 3)) == "bayes, 3 features by a"
    assert str(Task(None, bayes, 3)) == "bayes"


def test_texts_and_their_sizes():
    said = [f"{'win cash' if i % 3 == 0 else 'bring bread'} {['now', 'today'][i % 4 % 2]}" for i in range(60)]
    y = (np.arange(60) % 3 == 0).astype(int)
    view = WordView.of(said, "text")
    recipes = Recipes.of(view, y, 2, 0)
    assert set(recipes.selectors) == {"word scores", "scores of single words"}
    assert all(task.size <= len(view.names) for task in [*recipes.quick(), *recipes.slow()])
    table = Race(Problem(view, y, 2), recipes, make_plan(y, is_numeric=False).splits, PLENTY).run()
    assert table.error.mean(axis=0).min() == 0
    train, test = make_plan(y, is_numeric=False).splits[0]
    plain = MultinomialNB(alpha=1.0).fit(view.counts[train], y[train]).predict_proba(view.counts[test])
    at = next(c for c in table.candidates if c.task.learner.form == "counts" and c.task.selector is None)
    if at.setting == 0:
        np.testing.assert_allclose(table.predictions[at][test], as_log(plain), rtol=1e-5)
