"""``vitalfew report``."""

import json


def test_a_page(run, hotel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("report", hotel, "-t", "came", "--drop", "price", "--time-budget", "15")
    assert "written to 'report.html'" in shown.stderr
    page = (tmp_path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "came" in page
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_facts_and_text(run, hotel, tmp_path):
    common = (
        "report",
        hotel,
        "-t",
        "came",
        "--drop",
        "price",
        "--time-budget",
        "10",
        "--seed",
        "3",
        "--test-size",
        "0.2",
    )
    run(*common, "--json", tmp_path / "r.json", "--markdown", tmp_path / "r.md", "--kind", "grade=category")
    facts = json.loads((tmp_path / "r.json").read_text())
    assert facts["schema"] == "vitalfew.report/1"
    assert facts["made"]["seed"] == 3
    assert facts["data"]["n_test"] == 32
    assert facts["data"]["source"] == hotel
    assert facts["target"]["name"] == "came"
    kinds = {c["name"]: c["kind"] for c in facts["data"]["columns"]}
    assert kinds["grade"] == "category"
    assert kinds["id"] == "identifier"
    assert "came" in (tmp_path / "r.md").read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.json", "r.md"]


def test_a_number_to_a_pipe(run, hotel):
    facts = json.loads(
        run("report", hotel, "-t", "price", "--drop", "came", "--time-budget", "10", "--json", "-").stdout
    )
    assert facts["target"]["kind"] == "numeric"


def test_several_classes(run, hotel, tmp_path):
    run("report", hotel, "-t", "grade", "--time-budget", "10", "--json", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["target"]["kind"] == "classes"


def test_one_pipe_only(run, hotel):
    assert "only one of" in run("report", hotel, "-t", "came", "--json", "-", "--markdown", "-", code=1).stderr


def test_places_that_cannot_be_written(run, hotel, tmp_path):
    shown = run("report", hotel, "-t", "came", "--time-budget", "5", "-o", tmp_path / "no" / "r.html", code=1)
    assert "does not exist; create it first" in shown.stderr
