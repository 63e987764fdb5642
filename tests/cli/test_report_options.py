"""Arguments and output files of ``vitalfew report``, with a stub for the report itself."""

import json

import pytest

from vitalfew.cli.commands import report as command
from vitalfew.data.tables.column_kinds import recognize


class Stub:
    def to_html(self):
        return "<!doctype html><p>page"

    def to_json(self):
        return '{"schema": "stub"}'

    def to_markdown(self):
        return "# text\n"

    def __repr__(self):
        return "Keep    2 of 3 features: a and b\nPage    save('report.html') writes the page"


@pytest.fixture
def asked(monkeypatch):
    """Record the arguments of the function `report`."""
    given = {}

    def make(X, y, **options):
        given.update(options, X=X, y=y)
        return Stub()

    monkeypatch.setattr(command, "report_function", lambda: make)
    return given


def test_defaults(run, hotel, asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("report", hotel, "-t", "came")
    assert (tmp_path / "report.html").read_text() == "<!doctype html><p>page"
    assert shown.stderr.endswith("note: Keep: 2 of 3 features: a and b\nnote: Page: written to 'report.html'\n")
    assert shown.stdout == ""
    assert len(asked["X"]) == len(asked["y"]) == 160
    assert "came" not in asked["X"].columns
    assert asked.pop("kinds") == recognize(asked["X"])  # once, by the command
    del asked["X"], asked["y"]
    assert asked == {
        "target": "came",
        "task": "classes",
        "time_budget": 60.0,
        "random_state": 0,
        "test_size": None,
        "progress": "auto",
        "source": hotel,
    }


def test_options_are_handed_on(run, hotel, asked, tmp_path):
    options = ["--time-budget", "5", "--seed", "7", "--test-size", "0.4", "--kind", "grade=category", "--drop", "id"]
    run("report", hotel, "-t", "price", *options, "--quiet", "-o", tmp_path / "r.html")
    assert (asked["time_budget"], asked["random_state"], asked["test_size"]) == (5.0, 7, 0.4)
    assert {c.name: c.kind for c in asked["kinds"]}["grade"] == "category"
    assert (asked["task"], asked["progress"]) == ("numeric", False)
    assert "id" not in asked["X"].columns


def test_facts_to_a_pipe_and_text_to_a_file(run, hotel, asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("report", hotel, "-t", "came", "--json", "-", "--markdown", "r.md")
    assert json.loads(shown.stdout) == {"schema": "stub"}
    assert "note: Page: not written; use -o report.html" in shown.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["r.md"]


@pytest.mark.usefixtures("asked")
def test_places_that_make_no_sense(run, hotel, tmp_path):
    assert "only one of" in run("report", hotel, "-t", "came", "--json", "-", "--markdown", "-", code=1).stderr
    shown = run("report", hotel, "-t", "came", "-o", tmp_path / "no" / "r.html", code=1)
    assert "does not exist; create it first" in shown.stderr
