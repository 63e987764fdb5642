"""The harnesses of ``fuzz/`` on fixed bytes, and on every input that ever failed: without a fuzzer, in seconds."""

import os
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
if not FUZZ.is_dir():
    pytest.skip("the harnesses are beside the sources, which are not here", allow_module_level=True)

INPUTS = {"words": 150, "tables": 250, "models": 250, "sealed": 150, "reports": 60, "files": 80}
FAILED = sorted(path for path in (FUZZ / "corpus").glob("*/*") if path.parent.name != "core")
# The harness of the compiled module limits the memory of its process, which is not one of other tests then.
ALONE = """
import random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from core import one_input
source = random.Random(7)
for _ in range(1500):
    one_input(source.randbytes(source.randrange(300)))
for path in sorted(Path(sys.argv[1]).glob("corpus/core/*")):
    one_input(path.read_bytes())
"""


@pytest.fixture
def harness(monkeypatch):
    def of(name):
        monkeypatch.setattr(sys, "path", [*sys.path, str(FUZZ)])
        return import_module(name).one_input

    return of


@pytest.mark.parametrize("name", INPUTS)
def test_fixed_bytes(harness, name):
    source, one_input = random.Random(7), harness(name)
    for _ in range(INPUTS[name]):
        one_input(source.randbytes(source.randrange(300)))


@pytest.mark.parametrize("path", FAILED, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_what_failed_once(harness, path):
    harness(path.parent.name)(path.read_bytes())


@pytest.mark.skipif(sys.platform == "win32", reason="time and memory are limited by means of POSIX")
@pytest.mark.skipif(
    "san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer ends a process that asks for too much"
)
def test_the_compiled_module():
    done = subprocess.run([sys.executable, "-c", ALONE, str(FUZZ)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
