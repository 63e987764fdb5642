"""The tables of docs/performance.md are those of the measurements."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(monkeypatch):
    if not (ROOT / "benchmarks" / "performance_page.py").exists():
        pytest.skip("benchmarks are not here: this is an installed package")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import performance_page

    yield performance_page
    for name in ("performance_page", "run", "judge"):
        sys.modules.pop(name, None)


def test_tables_are_up_to_date(page):
    text = page.PAGE.read_text()
    assert page.fill(text) == text, "run `python benchmarks/performance_page.py` after new measurements"


def test_losses_come_first_and_are_complete(page):
    rows = page.speed_rows()
    assert len(rows) > 100
    lost = page.losses(rows)
    assert {r["case"] for r in rows if page.ratio(r) < 1} <= {r["case"] for r in lost}
    assert [page.ratio(r) for r in lost] == sorted(page.ratio(r) for r in lost)


def test_tables_are_read_cell_by_cell(page):
    text = "words\n\n| case | peer |\n| --- | --- |\n| a, b | 1,234 |\n| c | **no** |\n"
    assert list(page.tables_of(text)) == [[{"case": "a, b", "peer": "1,234"}, {"case": "c", "peer": "**no**"}]]
    assert page.as_number("1,234") == 1234
    assert page.as_number("") is None
