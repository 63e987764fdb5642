"""Docstrings: the first line says what a function does, and does not continue its name."""

import ast
from pathlib import Path

import pytest

import vitalfew

ROOT = Path(vitalfew.__file__).parent
NOT_FIRST = {"Of", "As", "Those", "That", "Whether", "What", "How", "By", "From", "In", "Where", "With"}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_first_word_of_a_docstring(path):
    wrong = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = (ast.get_docstring(node) or "").split()
            if text and text[0].strip("`.,:;") in NOT_FIRST:
                wrong.append((getattr(node, "name", "module"), " ".join(text[:8])))
    assert not wrong
