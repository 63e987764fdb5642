"""The parts of a report share its time: told by a clock that moves when a part says so, not by the time it takes."""

import json
from dataclasses import replace
from functools import partial, partialmethod
from importlib.resources import files
from types import SimpleNamespace

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

from vitalfew import DecisionTree, report, rules
from vitalfew.evaluation.compare import Outer, run_fold
from vitalfew.evaluation.metrics import Metric
from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting import affordable
from vitalfew.reporting.questions import card, how_many, together, which_model
from vitalfew.reporting.study import FOR_THE_CARD, Clock, Study
from vitalfew.reporting.table import read_study_table
from vitalfew.support.deadline import deadline, time_left

SCHEMA = json.loads(files("vitalfew.reporting.render").joinpath("schema.json").read_text())


class Stopped(Clock):
    """Clock that tests set by hand."""

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
    return Study.of(read_study_table(pd.DataFrame(X)), y, False, clock, 0, 1)


@pytest.mark.parametrize(("spent", "expected"), [(0, 30), (60, 25), (84, 1), (99, 0.2)])
def test_a_part_gets_its_share_or_what_is_left(spent, expected):
    assert Stopped(100, spent).share(0.3, keep=0.15) == pytest.approx(expected)


@pytest.mark.parametrize("spent", [0, 50, 80])
def test_both_rounds_of_the_comparison_share_one_limit(monkeypatch, spent):
    study = study_of(4, Stopped(100, spent))

    def take_all(work, *arguments, **options):
        """Takes all the time it is given."""
        study.clock.now += time_left()
        return work(*arguments, **options)

    few = which_model.candidates(study, study.n)[:3]
    monkeypatch.setattr(which_model, "candidates", lambda *_: few)
    monkeypatch.setattr(affordable, "run_fold", partial(take_all, run_fold))
    monkeypatch.setattr(Outer, "run", partialmethod(lambda self, *a, real: take_all(real, self, *a), real=Outer.run))
    which_model.which_model(study, 1)
    assert study.clock.now <= min(spent + 0.6 * 100, (1 - FOR_THE_CARD) * 100) + 1


@pytest.mark.parametrize(("seconds", "expected"), [(1e-6, 40), (0.05, 20), (10.0, 10)])
def test_pairs_are_screened_among_as_many_features_as_there_is_time_for(monkeypatch, seconds, expected):
    """Screening the pairs of 10 features takes the given seconds; 20 screenings may take at most 4."""
    times = iter([0.0, seconds])
    monkeypatch.setattr(together, "TRIED", 10)
    monkeypatch.setattr(together, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    assert together._affordable(study_of(40, Stopped(100)), 4.0) == expected


def loop_of(study, models) -> Outer:
    split = np.arange(40), np.arange(40, 60)
    metric = Metric.of(None, not study.is_numeric)
    return Outer(models, study.features.X, study.y, [split], metric, 0, None, None)


def test_no_model_takes_more_than_its_part_of_the_first_fold():
    study = study_of(4, Stopped(100))
    tree = DecisionTree(verbose=False)
    outer = loop_of(study, {"a": tree, "b": tree})
    known, left_out = affordable.first_fold(study, outer, (9.0, 5.0))
    assert (set(known), left_out) == ({"a", "b"}, {})
    assert np.isfinite(outer.without(["a"]).errors).all()
    known, left_out = affordable.first_fold(study, outer, (9.0, 1e-9))
    assert known == {}
    assert left_out["b"] == "stopped: a fold takes more than 1e-09 s"
    known, left_out = affordable.first_fold(study, outer, (0.0, 5.0))
    assert left_out["a"] == "not run: no time left for the first fold"


def test_a_forest_that_would_take_too_long_is_not_grown(monkeypatch):
    study = study_of(4, Stopped(100))
    grown = []

    def slow(m, j, model, *_):
        grown.append(model.n_estimators)
        return m, j, {"seconds": 1.0}

    monkeypatch.setattr(affordable, "run_fold", slow)
    found = affordable.first_fold(study, loop_of(study, {"a": RandomForestRegressor(100)}), (90.0, 20.0))
    assert found == ({}, {"a": "stopped: a fold takes more than 20 s"})
    assert grown == [affordable.FEW_TREES]


def test_a_comparison_without_time_is_no_finding(monkeypatch):
    """Random labels: no model helps, but the report must not say so while models are left out."""
    rng = np.random.default_rng(0)
    study = study_of(3, Stopped(1000))
    study = replace(study, y=rng.integers(0, 2, study.n))
    every = which_model.which_model(study, 1)
    assert every.facts["answer"].startswith("None: no model")
    late = {c.name: "stopped: a fold takes more than 1 s" for c in which_model.candidates(study, study.n)}
    del late["Naive Bayes"]
    known = {"Naive Bayes": 0.1, "most frequent class": 0.1}
    monkeypatch.setattr(which_model, "first_fold", lambda *_: (known, late))
    some = which_model.which_model(study, 1)
    assert some.facts["answer"].startswith("Not decided: ")
    assert not some.is_complete
    assert some.chosen is None


@pytest.mark.parametrize("is_numeric", [False, True])
@pytest.mark.parametrize("late", [["cv"], ["loo", "cv"]])
def test_criteria_that_ran_out_of_time_are_named(monkeypatch, late, is_numeric):
    study = study_of(4, Stopped(100))
    if is_numeric:
        study = Study.of(study.table, study.features.X @ [1, 0, 0, 0] + study.y, True, Stopped(100), 0, 1)
    real = rules.choose

    def choose(rule, *arguments):
        if rule in late:
            raise TimeBudgetError("too late")
        return real(rule, *arguments)

    monkeypatch.setattr(rules, "choose", choose)
    monkeypatch.setattr(rules.registry, "choose", choose)
    with deadline(1e6):
        facts = how_many.how_many(study)
    assert [c["rule"] for c in facts["criteria"]] == [r for r in ("mdl", "bic", "loo", "cv") if r not in late]
    assert "nested selection: not computed, stopped after" in facts["answer"]
    assert "5-fold" not in facts["answer"].split(" agree")[0]


def test_a_report_without_time_says_so_and_nothing_else(monkeypatch):
    """Every part gets no time at all: each says that it was stopped, none that there is nothing."""
    monkeypatch.setattr(Clock, "share", lambda *_, **__: 0.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    found = report(X, (X[:, 0] > 0).astype(int), progress=False)
    jsonschema.validate(json.loads(found.to_json()), SCHEMA)
    for part in ("how_many", "redundant", "together", "which_model"):
        assert "rerun with a larger time budget" in found.facts[part]["answer"], part
    assert not found.facts["nothing_here"]
    assert found.sealed.n_openings == 0
    for text in (found.to_html(), found.to_markdown()):
        assert "larger time budget" in text
        assert "do not help" not in text


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 1000), (1.0, 1000), (10.0, 500), (1000.0, 100)])
def test_the_model_is_fitted_to_as_many_rows_as_there_is_time_for(seconds, expected):
    """A fit to 100 rows takes the given seconds; there are 50."""
    rng = np.random.default_rng(0)
    study = Study.of(
        read_study_table(pd.DataFrame(rng.normal(size=(1000, 2)))), rng.integers(0, 2, 1000), False, Stopped(1), 0, 1
    )
    choice = which_model.ModelChoice({}, None, seconds=seconds, n_rows=100)
    assert len(card._affordable_rows(study, choice, 50.0)) == expected
    assert len(study.notes) == (expected < 1000)
