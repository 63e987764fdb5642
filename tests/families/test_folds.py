"""The paths of folds, side by side."""

from dataclasses import dataclass
from threading import Barrier

import numpy as np
import pytest
from sklearn.model_selection import KFold

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.samples.zero_weight import DroppedRows, split_rows
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
