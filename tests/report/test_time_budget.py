"""The parts of a report share its time: told by a clock that moves when a part says so, not by the time it takes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from vitalfew.evaluation.compare import compare
from vitalfew.reporting import together, which_model
from vitalfew.reporting.rows import read_table
from vitalfew.reporting.study import Clock, Study


class Stopped(Clock):
    """A clock that somebody moves."""

    def __init__(self, budget: float, now: float = 0.0):
        super().__init__(budget)
        self.now = now

    @property
    def spent(self) -> float:
        return self.now


def study_of(d: int, clock: Clock) -> Study:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, d))
    X[:, 0] += y
    return Study.of(read_table(pd.DataFrame(X)), y, False, clock, 0, 1)


@pytest.mark.parametrize(("spent", "expected"), [(0, 30), (60, 25), (84, 1), (99, 0.2)])
def test_a_part_gets_its_share_or_what_is_left(spent, expected):
    assert Stopped(100, spent).share(0.3, keep=0.15) == pytest.approx(expected)


@pytest.mark.parametrize("spent", [0, 50, 80])
def test_both_rounds_of_the_comparison_share_one_limit(monkeypatch, spent):
    study = study_of(4, Stopped(100, spent))

    def slow(models, **options):
        """Takes all the time it is given."""
        study.clock.now += options["time_budget"]
        return compare(models, **{**options, "time_budget": None})

    few = which_model.candidates(study, study.n)[:3]
    monkeypatch.setattr(which_model, "candidates", lambda *_: few)
    monkeypatch.setattr(which_model, "compare", slow)
    which_model.which_model(study, 1)
    assert study.clock.now <= min(spent + 0.6 * 100, (1 - which_model.FOR_THE_CARD) * 100) + 1e-9


@pytest.mark.parametrize(("seconds", "expected"), [(1e-6, 40), (0.05, 20), (10.0, 10)])
def test_pairs_are_screened_among_as_many_features_as_there_is_time_for(monkeypatch, seconds, expected):
    """A look at the pairs of 10 features takes so many seconds; 20 looks at most may take 4."""
    times = iter([0.0, seconds])
    monkeypatch.setattr(together, "TRIED", 10)
    monkeypatch.setattr(together, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    assert together._affordable(study_of(40, Stopped(100)), 4.0) == expected


def test_a_model_is_tried_even_if_there_was_no_time_for_a_first_fold():
    first = SimpleNamespace(rows=[{"name": "a", "seconds": float("nan")}], failures={})
    kept, left_out = which_model._affordable(first, {"a": "quick", "b": "slow"}, 4, 0.0)
    assert kept == {"a": "quick"}
    assert list(left_out) == ["b"]
