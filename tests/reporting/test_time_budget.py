"""The parts of a report share its time: told by a clock that moves when a part says so, not by the time it takes."""

import json
from importlib.resources import files
from types import SimpleNamespace

import jsonschema
import numpy as np
import pandas as pd
import pytest

from vitalfew import report, rules
from vitalfew.answers import engine, out_of_fold_table
from vitalfew.answers.out_of_fold_table import Race
from vitalfew.answers.recipes import Recipes, Task
from vitalfew.exceptions import TimeBudgetError
from vitalfew.reporting.questions import how_many, together
from vitalfew.reporting.study import Clock, Study
from vitalfew.reporting.table import read_study_table
from vitalfew.support.deadline import deadline

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


@pytest.mark.parametrize(("seconds", "expected"), [(1e-6, 40), (0.05, 20), (10.0, 10)])
def test_pairs_are_screened_among_as_many_features_as_there_is_time_for(monkeypatch, seconds, expected):
    """Screening the pairs of 10 features takes the given seconds; 20 screenings may take at most 4."""
    times = iter([0.0, seconds])
    monkeypatch.setattr(together, "TRIED", 10)
    monkeypatch.setattr(together, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    assert together._affordable(study_of(40, Stopped(100)), 4.0) == expected


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


@pytest.mark.parametrize("is_numeric", [False, True])
def test_a_report_without_time_says_so_and_has_a_model(monkeypatch, is_numeric):
    """Every part gets no time at all: each says that it was stopped, none that there is nothing."""
    monkeypatch.setattr(Clock, "share", lambda *_, **__: 0.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    found = report(X, X[:, 0] + rng.normal(size=200) if is_numeric else (X[:, 0] > 0).astype(int), progress=False)
    facts = json.loads(found.to_json())
    jsonschema.validate(facts, SCHEMA)
    for part in ("how_many", "redundant", "together"):
        assert "rerun with a larger time budget" in facts[part].get("skipped", ""), part
    assert not facts["recommended"]["is_complete"]
    assert facts["recommended"]["p_value"] is None
    assert any("no time for the permutation test" in note for note in facts["notes"])
    assert len(found.features) == 5
    assert found.model.predict(X).shape == found.best.predict(X).shape == (200,)
    assert len(facts["recommended"]["not_run"]) > 5
    for text in (found.to_html(), found.to_markdown()):
        assert "larger time budget" in text
        assert "finds no signal" not in text
    for sentence in facts["headline"][1:3]:
        assert sentence.startswith("Not answered: ")


def test_the_folds_leave_time_for_the_final_models(monkeypatch):
    """Time passes only where a fold is scored; a race gets what is left, and models that are too dear are left out."""
    given = []

    class Recorded(Race):
        def __init__(self, problem, recipes, splits, seconds):
            given.append(seconds)
            super().__init__(problem, recipes, splits, 0.0)

    monkeypatch.setattr(engine, "Race", Recorded)
    monkeypatch.setattr(engine.time, "perf_counter", lambda: 0.0)
    study = study_of(4, Stopped(100, 20))
    found = engine.answer(study.table, study.y, is_numeric=False, seconds=70.0)
    assert given == [pytest.approx(engine.FOR_THE_FOLDS * 70)]
    choice = found.choice
    assert len(choice.table.candidates) >= 1
    choice.__dict__["best"] = {0: 0.3, 1: 0.7}  # in place of the cached one
    monkeypatch.setattr(type(choice), "candidate", lambda self, at: self.table.candidates[0])
    choice.table.seconds[choice.table.candidates[0].task] = 1.0
    assert len(engine._affordable(choice, 1e6)) == 2
    assert list(engine._affordable(choice, 0.0)) == [1]


def test_work_that_does_not_fit_into_the_remaining_folds_is_left_out(monkeypatch):
    """The best of each size and learner comes first; what costs more than is left is named."""
    study = study_of(4, Stopped(100))
    race = Race.__new__(Race)
    race.problem = SimpleNamespace(threads=1)
    race.seconds, race.start, race.not_run = 100.0, 0.0, {}
    monkeypatch.setattr(out_of_fold_table.time, "perf_counter", lambda: 0.0)
    quick, slow = Recipes.of(engine.view_of(study.table), study.y, 2, 0).learners[:2]
    tasks = [Task("a", quick, 1), Task("b", quick, 1), Task("a", slow, 1), Task("a", quick, 3)]
    race.cost = dict(zip(tasks, (30.0, 40.0, 20.0, 30.0)))
    kept = race._affordable(tasks, 1)
    assert set(kept) == {tasks[0], tasks[2], tasks[3]}
    assert [race.cost[task] for task in kept] == sorted((race.cost[task] for task in kept), reverse=True)
    assert race.not_run == {str(tasks[1]): "a fold takes 40 s"}
    assert race._affordable(tasks[:1], 1000) == tasks[:1]  # the best always goes on
