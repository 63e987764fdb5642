"""A thread that writes to the inputs of a call may spoil its result, never the process."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("races.py")
SECONDS = 3
PATIENCE_S = 300  # sanitizers are slow; a call that never ends is a fault


@pytest.mark.parametrize(
    "group",
    ["NaiveBayes", "codes", "information", "linear", "formats", "dense", "searches", "trees", "options", "mixture"],
)
def test_a_thread_that_writes_to_the_inputs(group):
    ended = subprocess.run(
        [sys.executable, "-X", "faulthandler", SCRIPT, group, str(SECONDS)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    assert "'returned'" in ended.stdout
