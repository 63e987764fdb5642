"""Formulas of the documentation become the MathML that their TeX means."""

import importlib.util
import re
from pathlib import Path

import pytest

nodes = pytest.importorskip("docutils.nodes", reason="pip install 'vitalfew[docs]'")
pytest.importorskip("sphinx", reason="pip install 'vitalfew[docs]'")

SCRIPT = Path(__file__).parents[2] / "docs" / "_ext" / "mathml.py"


@pytest.fixture(scope="module")
def mathml():
    spec = importlib.util.spec_from_file_location("mathml", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda code: re.sub(r"\s+", "", module._mathml(nodes.math(code, code), as_block=False))


@pytest.mark.parametrize("code", [r"\hat y_i", r"\hat{y}_{-i}(x)", r"\bar x^2", r"\hat\theta_j"])
def test_the_index_of_a_letter_with_an_accent_stands_beside_it(mathml, code):
    found = mathml(code)
    assert "munderover" not in found
    assert "<mover" in found
    assert "<msub" in found or "<msup" in found
