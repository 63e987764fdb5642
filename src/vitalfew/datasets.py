"""Real text available on every machine with scientific Python."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

LIBRARIES = ("numpy", "pandas", "scipy", "sklearn")


def load_docstrings(
    libraries=LIBRARIES, *, max_per_library: int = 1000, min_words: int = 20, remove=("examples",)
) -> Bunch:
    """Load the docstrings of installed packages, labeled by package.

    The corpus is built at run time from the sources on this machine: nothing is downloaded, shipped or imported.
    Duplicate texts are kept once.

    Parameters
    ----------
    libraries : sequence of str
        Packages to read. Packages that are not installed are skipped, but at least two must be installed.
    max_per_library : int, default 1000
        Maximum number of docstrings per package; files are read in alphabetical order until it is reached.
    min_words : int, default 20
        Shorter docstrings are skipped.
    remove : sequence, default ("examples",)
        If it contains "examples", interactive examples (``>>>``) are removed: their imports would give the answer away.

    Returns
    -------
    Bunch with `data` (list of str), `target` (ndarray of str), `names` (list of str: qualified names)

    Examples
    --------
    >>> from vitalfew.datasets import load_docstrings
    >>> corpus = load_docstrings(["numpy", "scipy"], max_per_library=50)
    >>> sorted(set(corpus.target.tolist()))
    ['numpy', 'scipy']
    """
    texts: list[str] = []
    target: list[str] = []
    names: list[str] = []
    seen: set[str] = set()
    for library in libraries:
        found = 0
        for name, text in _docstrings_of(library):
            text = _without_examples(text) if "examples" in remove else text
            if len(text.split()) < min_words or text in seen:
                continue
            seen.add(text)
            texts.append(text)
            target.append(library)
            names.append(name)
            found += 1
            if found == max_per_library:
                break
    if len(set(target)) < 2:
        raise ValueError(
            f"docstrings of at least two of {list(libraries)} are required, but only {sorted(set(target))} is "
            "installed."
        )
    return Bunch(data=texts, target=np.array(target), names=names)


def _docstrings_of(library: str):
    """Yield the qualified name and docstring of everything documented in a package's sources, except its tests."""
    spec = find_spec(library)
    if spec is None or spec.origin is None:
        return
    root = Path(spec.origin).parent
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if any(p in ("tests", "testing", "conftest") or p.startswith("_vendor") for p in parts):
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue  # this interpreter cannot parse the file
        yield from _documented(tree, ".".join((library, *parts)))


def _documented(node, name: str):
    """Yield the docstrings of a module or class and of its members; functions are not searched further."""
    if text := ast.get_docstring(node):
        yield name, text
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _documented(child, f"{name}.{child.name}")


def _without_examples(text: str) -> str:
    """Remove interactive examples and their output: from a prompt to the next blank line."""
    return re.sub(r"^[ \t]*>>>.*(?:\n(?![ \t]*$).*)*", "", text, flags=re.MULTILINE)
