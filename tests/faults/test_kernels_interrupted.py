"""Ctrl-C in every kernel: it stops, no thread remains, and the same call works again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import kernels
import pytest

from vitalfew import _core

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def outcomes():
    """One process for all: each kernel also shows that the one before it left nothing behind."""
    done = subprocess.run(
        [sys.executable, kernels.__file__, *kernels.CALLS],
        capture_output=True,
        text=True,
        timeout=1200,  # only to notice that something hangs
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"},
        cwd=Path(kernels.__file__).parent,
    )
    assert done.returncode == 0, done.stderr
    found = map(json.loads, done.stdout.splitlines())
    return {one.pop("call"): one for one in found}


def test_every_kernel_is_here():
    compiled = {n for n in dir(_core) if callable(getattr(_core, n)) and not isinstance(getattr(_core, n), type)}
    assert compiled | {"WordRows", "WordTable"} == {call.split()[0] for call in (*kernels.CALLS, *kernels.SHORT)}


@pytest.mark.parametrize("call", kernels.CALLS)
def test_ctrl_c(outcomes, call):
    found = outcomes[call]
    assert "error" not in found, found
    assert found["heard"] < 5  # a few hundredths of a second, on a machine that is not busy
    assert found["threads"] <= 0
