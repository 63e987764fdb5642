"""Every script of the gallery runs, keeps what it asserts about its figures, and draws charts that have data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
# Blocks are run as a gallery runs them: one after the other, in the folder of the script, without a __file__.
RUNNER = """
import json, re, sys
from pathlib import Path

script = Path(sys.argv[1])
sys.path.insert(0, str(script.parent))
names, charts, last = {"__name__": "__main__"}, [], None
for block in re.split(r"^# %%.*$", script.read_text(encoding="utf-8"), flags=re.MULTILINE):
    exec(compile(block, str(script), "exec"), names)
    if names.get("chart") is not last:
        last = names["chart"]
        charts.append(last.to_dict())
sys.__stdout__.write("\\n" + json.dumps(charts))
"""


def _rows(spec) -> list[dict]:
    """All rows of data in a chart, whether they are in it or in a table beside it."""
    tables = list(spec.get("datasets", {}).values())

    def walk(node):
        if isinstance(node, dict):
            values = node.get("data", {}).get("values") if isinstance(node.get("data"), dict) else None
            if isinstance(values, list):
                tables.append(values)
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk({key: value for key, value in spec.items() if key != "datasets"})
    return [row for table in tables for row in table]


def _run(script: Path, folder: Path) -> list[dict]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", RUNNER, str(script)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.rsplit("\n", 1)[1])


def test_gallery_is_complete():
    if not (ROOT / "examples").exists():
        pytest.skip("examples are not here")
    numbers = [script.stem.split("_")[1] for script in SCRIPTS]
    assert numbers == [f"{k:02d}" for k in range(1, len(SCRIPTS) + 1)]
    assert len(SCRIPTS) >= 18


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_draws(script, tmp_path):
    pytest.importorskip("altair")
    charts = _run(script, tmp_path)
    assert charts
    for chart in charts:
        assert _rows(chart)
        assert chart.get("title") or chart.get("description"), "a chart needs words for those who cannot see it"
