"""Formulas of the documentation become the MathML that their TeX means."""

import importlib.util
import re
from pathlib import Path

import pytest

nodes = pytest.importorskip("docutils.nodes", reason="pip install 'vitalfew[docs]'")
pytest.importorskip("sphinx", reason="pip install 'vitalfew[docs]'")

SCRIPT = Path(__file__).parents[1] / "docs" / "_ext" / "mathml.py"


@pytest.fixture(scope="module")
def mathml():
    spec = importlib.util.spec_from_file_location("mathml", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda code: re.sub(r"\s+", "", module._mathml(nodes.math(code, code), as_block=False))


@pytest.mark.parametrize("short", [r"\tfrac12 (x)", r"\tfrac 1 2 (x)", r"\tfrac{1}2 (x)"])
def test_a_fraction_of_two_digits_needs_no_braces(mathml, short):
    assert mathml(short) == mathml(r"\tfrac{1}{2} (x)")
