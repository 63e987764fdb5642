"""Memory that runs out is a MemoryError in the caller, from helper threads too; never the end of the process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import little_memory
import pytest

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="limits of memory as Linux has them"),
    pytest.mark.skipif("san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer takes more than any limit"),
]

# One kernel of each kind, which allocates memory while it runs.
KERNELS = (
    "count_codes",
    "mdl_codes",
    "code_bins",
    "grow_tree",
    "greedy_path sparse",
    "lasso_path dense",
    "expect_rows",
    "WordRows",
)


@pytest.fixture(scope="module")
def outcomes():
    done = subprocess.run(
        [sys.executable, little_memory.__file__, *KERNELS],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "3"},
        cwd=Path(little_memory.__file__).parent,
    )
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]} {done.stderr}"
    found = map(json.loads, done.stdout.splitlines())
    return {one["kernel"]: one["found"] for one in found if "found" in one}


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_works_or_says_so(outcomes, kernel):
    assert set(outcomes[kernel].values()) <= {"worked", "MemoryError"}, outcomes[kernel]


def test_memory_did_run_out(outcomes):
    assert sum("MemoryError" in found.values() for found in outcomes.values()) > 1, outcomes
