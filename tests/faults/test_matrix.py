"""Every test that the matrix of faults names exists."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAMED = re.findall(r"`([\w/.]+)::(\w+)`", (HERE / "README.md").read_text("utf-8"))


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_it_is_there(path, name):
    if path.startswith("cpp/") and not (ROOT / "cpp").is_dir():
        pytest.skip("the sources of the core are not here")
    assert re.search(rf"\b(def|void) {name}\(", (ROOT / path).read_text("utf-8"))


def test_no_file_of_this_folder_is_left_out():
    here = {path.name for path in HERE.glob("test_*.py")} - {Path(__file__).name}
    assert here == {Path(path).name for path, _ in NAMED if path.startswith("tests/faults/")}
