"""The paths of folds, side by side."""

from dataclasses import dataclass
from threading import Barrier

import numpy as np
import pytest
from sklearn.model_selection import KFold

from vitalfew import Lasso, _core, rules
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.samples.zero_weight import DroppedRows, drop_zero_weight, split_rows
from vitalfew.families.folds import paths_in_threads


@pytest.mark.skipif(_core.thread_count(0) < 2, reason="one thread is allowed here: nothing runs side by side")
def test_folds_run_side_by_side_by_default():
    rng = np.random.default_rng(0)
    data = NumericData.read(rng.normal(size=(20, 3)), rng.normal(size=20), None)
    splits = list(KFold(2).split(np.arange(20)))
    meet = Barrier(2, timeout=30)  # a fold that is alone waits in vain

    @dataclass(frozen=True)
    class Meeting:
        threads: int = 0
        verbose: bool = False
        grid: tuple = ()

        def path(self, rows, _grid, *, run):
            meet.wait()
            return rows.n_rows

    assert [n for n, _ in paths_in_threads(Meeting(), data, splits, Meeting())] == [10, 10]


class Bootstrap:
    """Splitter that draws rows with repetition, in any order, as scikit-learn allows."""

    def split(self, X, _y=None, _groups=None):
        rng = np.random.default_rng(0)
        for _ in range(3):
            rows = rng.integers(len(X), size=len(X))
            yield rows, np.setdiff1d(np.arange(len(X)), rows)


def test_repeated_rows_stay_repeated_beside_a_weight_of_zero():
    y = np.arange(12) % 2
    kept = np.array([0, 2, 3, 4, 5, 7, 8, 9, 10, 11])
    given = DroppedRows(y, kept)
    for (train, test), (all_train, all_test) in zip(
        split_rows(Bootstrap(), y[kept], given), Bootstrap().split(y), strict=True
    ):
        assert kept[train].tolist() == [row for row in all_train if row in kept]
        assert kept[test].tolist() == [row for row in all_test if row in kept]


def test_other_folds_of_the_same_samples_are_summarized_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 1] + rng.normal(size=60)
    model = Lasso("cv", grid=10)
    data = NumericData.read(X, y, None)
    family = model._family(data)
    path = family.path(data)
    for seed in (0, 1):
        options = rules.Options(cv=3, random_state=seed)
        expected = model.set_params(cv=3, random_state=seed).fit(X, y).selection_
        assert rules.choose("cv", path, family, data, options).score == pytest.approx(expected.score, rel=1e-12)


def test_zero_weights_are_dropped_with_their_classes():
    label, classes = np.array([0, 1, 2, 1], dtype=np.int32), np.array(["a", "b", "c"])
    kept = drop_zero_weight(label, classes, [0.0, 2.0, 2.0, 0.0])
    assert (kept.rows.tolist(), kept.target.tolist(), kept.classes.tolist()) == ([1, 2], [0, 1], ["b", "c"])
    assert kept.weight.tolist() == [2.0, 2.0]
    assert kept.given.y.tolist() == ["a", "b", "c", "b"]
    assert kept.target.dtype == np.int32
    assert drop_zero_weight(label, classes, [1, 1, 1, 1]).given is None
    numbers = drop_zero_weight(np.array([1.5, 2.5]), None, [0, 3])
    assert (numbers.target.tolist(), numbers.classes, numbers.given.y.tolist()) == ([2.5], None, [1.5, 2.5])
