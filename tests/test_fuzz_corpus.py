"""The harnesses of ``fuzz/`` on fixed bytes, and on every input that ever failed: without a fuzzer, in seconds."""

import random
import sys
from importlib import import_module
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
if not FUZZ.is_dir():
    pytest.skip("the harnesses are beside the sources, which are not here", allow_module_level=True)

INPUTS = {"words": 150, "tables": 250, "models": 250, "reports": 40, "files": 80}
FAILED = sorted(path for path in (FUZZ / "corpus").glob("*/*"))


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
