"""The check of the built documentation finds the faults it is for."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "_ext" / "check_pages.py"


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("check_pages", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check


@pytest.mark.parametrize(
    ("element", "fault"),
    [
        ('<a href="other.html#part">', None),
        ('<a href="folder/">', None),
        ('<a href="https://example.org/gone">', None),
        ('<a href="gone.html">', "page.html:1: gone.html: no such file"),
        ('<a href="other.html#gone">', "page.html:1: other.html#gone: no such place on that page"),
        ('<a href="#gone">', "page.html:1: #gone: no such place on that page"),
        ('<img src="gone.svg">', "page.html:1: gone.svg: no such file"),
        (
            '<script src="https://example.org/a.js">',
            "page.html:1: loads https://example.org/a.js from elsewhere",
        ),
        ('<link rel="stylesheet" href="//example.org/a.css">', "page.html:1: loads //example.org/a.css from elsewhere"),
    ],
)
def test_faults(check, tmp_path, element, fault):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("<p>")
    (tmp_path / "other.html").write_text('<p id="part">')
    (tmp_path / "page.html").write_text(element)
    assert check(tmp_path) == ([] if fault is None else [fault])


def test_a_folder_without_pages_is_a_fault(check, tmp_path):
    assert len(check(tmp_path)) == 1
