"""Truths planted in tables and texts are found, and odd tables are answered too."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info

from small_answers import answers_of, mixed, with_few_learners
from vitalfew.answers import selectors
from vitalfew.answers.exchange import exchanges
from vitalfew.evaluation.table_model import TableModel

FAST = ("logistic regression", "Naive Bayes", "ridge regression")


def few_of(answers) -> set[str]:
    return set(answers.features(answers.choice.few))


def test_a_pair_that_only_works_together(monkeypatch):
    with_few_learners(monkeypatch, "nearest neighbors", "extra trees", "Naive Bayes", sizes=(1, 2, 3))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 7))
    y = ((X[:, 2] > 0) ^ (X[:, 5] > 0)).astype(int)
    found = answers_of(X, y)
    assert {"x2", "x5"} <= few_of(found)
    assert len(few_of(found)) <= 3
    assert found.choice.few_error.high < 0.35
    assert np.mean(found.few.predict(X) == y) > 0.8
    clear = {e.feature: e.is_clear for e in exchanges(found)}
    assert clear["x2"]
    assert clear["x5"]


def test_one_of_two_copies_is_enough(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2, 3, 5))
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 6))
    X[:, 4] = X[:, 1]
    y = (X[:, 1] + 0.3 * rng.normal(size=150) > 0).astype(int)
    found = answers_of(X, y)
    assert found.choice.candidate(found.choice.few).size == 1
    assert few_of(found) <= {"x1", "x4"}


def test_three_informative_of_thirty(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2, 3, 5, 8))
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 30))
    y = 3 * X[:, 4] - 3 * X[:, 11] + 3 * X[:, 20] + rng.normal(size=150)
    found = answers_of(X, y)
    assert few_of(found) == {"x4", "x11", "x20"}
    assert found.choice.few_error.low < 1.1
    assert found.choice.few_error.high < 1.5
    stable = found.stability(found.choice.few)
    assert stable == {"x4": 1.0, "x11": 1.0, "x20": 1.0}
    lines = {e.feature: e for e in exchanges(found)}
    assert all(e.is_clear and e.without > 0.5 for e in lines.values())


@pytest.mark.parametrize("seed", range(2))
def test_the_error_on_noise_is_that_without_features(monkeypatch, seed):
    """More columns than rows: a selection made before the folds would look perfect."""
    with_few_learners(monkeypatch, *FAST, sizes=(1, 3, 20))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 150))
    found = answers_of(X, rng.permutation(np.repeat([0, 1], 30)), seed=seed)
    assert found.baseline == 0.5
    assert found.choice.few_error.low < 0.5 < found.choice.few_error.high
    assert found.choice.few_error.error > 0.4
    found = answers_of(X, rng.normal(size=60), seed=seed)
    assert found.choice.few_error.low < found.baseline < found.choice.few_error.high * 1.05


def test_one_gene_of_many(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 3, 20))
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 400))
    y = np.where(X[:, 77] > 0, "ill", "well")
    found = answers_of(X, y)
    assert "x77" in few_of(found)
    assert len(few_of(found)) <= 3
    assert set(found.few.predict(X)) == {"ill", "well"}


def test_twenty_rows(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2))
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 3))
    for y in (np.repeat([0, 1], [15, 5]), X[:, 0] + 0.1 * rng.normal(size=20)):
        found = answers_of(X, y)
        assert found.choice.few_error.low <= found.choice.few_error.error <= found.choice.few_error.high
        assert found.few.predict(X).shape == found.best.predict(X).shape == (20,)


def test_two_hundred_classes(monkeypatch):
    with_few_learners(monkeypatch, "nearest neighbors", sizes=(1, 2))
    ranked = {name: selectors.table_selectors(False)[name] for name in ("information", "trees")}
    monkeypatch.setattr(selectors, "table_selectors", lambda _: ranked)
    monkeypatch.setattr(selectors, "N_TREES", 3)
    rng = np.random.default_rng(6)
    y = np.repeat(np.arange(200), 5)
    X = np.column_stack([y % 20 + 0.1 * rng.normal(size=1000), y // 20 + 0.1 * rng.normal(size=1000), rng.random(1000)])
    found = answers_of(X, np.array([f"class {i}" for i in y]))
    assert {"x0", "x1"} <= few_of(found)
    assert found.choice.few_error.high < 0.2
    assert found.few.predict_proba(X[:7]).shape == (7, 200)


def test_missing_values_and_categories(monkeypatch):
    with_few_learners(monkeypatch, *FAST, "extra trees", "gradient boosting", sizes=(1, 2))
    frame, _, score = mixed(120)
    frame["empty"] = np.where(np.arange(120) < 3, 1.5, np.nan)  # no values in the training rows of some folds
    y = np.where(score > np.median(score), "high", "low")
    found = answers_of(frame, y, kinds={"empty": "numeric", "same": "numeric"})
    assert few_of(found) <= {*frame.columns}
    assert few_of(found) & {"size", "weight"}
    unseen = frame.assign(color="violet", weight=np.nan)
    assert set(found.best.predict(unseen)) <= {"high", "low"}
    assert np.isfinite(found.few.predict_proba(unseen)).all()
    for point in found.choice.frontier:
        model = found.fit(point.candidate)
        assert model.support_.sum() == point.size
        np.testing.assert_array_equal(model.predict(frame.iloc[:, ::-1]), model.predict(frame))


def test_a_column_whose_values_are_all_missing(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2))
    frame, _, score = mixed(80)
    frame["nothing"] = np.nan
    found = answers_of(frame, (score > 0).astype(int))
    assert "nothing" not in found.maker.problem.view.names
    assert found.few.predict(frame).shape == (80,)


def test_text_of_few_words(monkeypatch):
    with_few_learners(monkeypatch, *FAST, "Naive Bayes of counts")
    y = np.arange(60) % 2
    found = answers_of(["yes" if v else "no no" for v in y], y)
    assert (found.few.predict(["no no", "yes", "never heard"])[:2] == [0, 1]).all()
    assert found.choice.few_error.error == 0


def test_text_and_columns(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2, 3))
    rng = np.random.default_rng(8)
    y = np.where(np.arange(120) % 3 == 0, "spam", "ham")
    said = [f"{'win cash' if v == 'spam' else 'bring bread'} number {i} at {i % 7} o'clock" for i, v in enumerate(y)]
    frame = pd.DataFrame({"size": rng.normal(size=120), "said": said})
    found = answers_of(frame, y)
    names = few_of(found)
    assert names & {"said: cash", "said: win", "said: bread", "said: bring"}
    assert found.few.columns_ == ["said"]
    assert (found.few.predict(frame[["said"]]) == y).all()
    assert (found.best.predict(frame) == y).all()


def test_sparse_matrix_of_numbers(monkeypatch):
    with_few_learners(monkeypatch, "logistic regression", "Naive Bayes of counts", sizes=(1, 2, 3))
    rng = np.random.default_rng(9)
    X = sparse.csr_array((rng.random((100, 12)) < 0.3).astype(float))
    y = X[:, [3]].toarray()[:, 0].astype(int)
    found = answers_of(X, y)
    assert few_of(found) == {"x3"}
    assert (found.few.predict(X) == y).all()
    assert (found.few.predict(X.toarray()) == y).all()


def test_a_price_is_paid_in_loss(monkeypatch):
    with_few_learners(monkeypatch, *FAST, sizes=(1, 2, 3))
    rng = np.random.default_rng(10)
    X = rng.normal(size=(150, 6))
    y = 2 * X[:, 0] + X[:, 1] + 0.2 * X[:, 2] + 0.3 * rng.normal(size=150)
    sizes = [answers_of(X, y, price=p) for p in (0.0, 0.2, 3.0, 1e6)]
    chosen = [own.choice.candidate(own.choice.few).size for own in sizes]
    assert chosen == sorted(chosen, reverse=True)
    assert chosen[0] >= 3
    assert chosen[-1] == 1


def test_the_blend_is_an_average_of_its_members(monkeypatch):
    with_few_learners(monkeypatch, *FAST, "extra trees", sizes=(1, 3))
    frame, _, score = mixed(100)
    found = answers_of(frame, np.digitize(score, [-1, 1]))
    weights = dict(zip(range(3), (0.5, 0.2, 0.3)))
    found.choice.__dict__["best"] = weights  # in place of the cached one
    blend = found.maker.best(found.choice, 1e6)
    members = [found.fit(at).predict_proba(frame) for at in weights]
    expected = np.tensordot(np.array(list(weights.values())), np.array(members), axes=1)
    assert len(blend.pipeline_[-1].estimators_) == 3
    np.testing.assert_allclose(blend.predict_proba(frame.assign(more=1)), expected, atol=1e-3)  # a floor of 1e-4


def test_final_models_are_fitted_with_one_thread(monkeypatch):
    """As many threads as in the folds: on a busy machine, several would exceed the time that the folds took."""
    with_few_learners(monkeypatch, "gradient boosting", sizes=(1, 3))
    seen = []
    real = TableModel.fit

    def fit(self, X, y):
        seen.append({pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"})
        return real(self, X, y)

    monkeypatch.setattr(TableModel, "fit", fit)
    frame, _, score = mixed(60)
    answers_of(frame, (score > 0).astype(int))
    assert seen
    assert all(own <= {1} for own in seen)
