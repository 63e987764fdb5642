"""The paths of folds, side by side."""

from dataclasses import dataclass
from threading import Barrier

import numpy as np
import pytest
from sklearn.model_selection import KFold

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
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
