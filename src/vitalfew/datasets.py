"""Real text that every machine with scientific Python has."""

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
    """Docstrings of installed packages, labelled by the package they come from.

    Built at run time from the sources on this machine; nothing is downloaded or shipped, and nothing is imported.
    Texts that occur more than once are kept once.

    Parameters
    ----------
    libraries : sequence of str
        Packages; those that are not installed are left out, but two are needed.
    max_per_library : int, default 1000
        Files are read in alphabetical order until so many docstrings are found.
    min_words : int, default 20
        Shorter docstrings are left out.
    remove : sequence, default ("examples",)
        With "examples", interactive examples (``>>>``) are cut out: their imports would give the answer away.

    Returns
    -------
    Bunch with `data` (list of str), `target` (ndarray of str), `names` (list of str: where each comes from)

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
            f"need docstrings of two packages at least; of {list(libraries)}, {sorted(set(target))} were found."
        )
    return Bunch(data=texts, target=np.array(target), names=names)


def _docstrings_of(library: str):
    """Qualified name and docstring of everything documented in the sources of a package, tests left out."""
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
            continue  # a file this interpreter cannot read documents nothing to it
        yield from _documented(tree, ".".join((library, *parts)))


def _documented(node, name: str):
    """A module or class and what it defines; what is inside functions is nobody's to read."""
    if text := ast.get_docstring(node):
        yield name, text
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _documented(child, f"{name}.{child.name}")


def _without_examples(text: str) -> str:
    """Cuts interactive examples with their output: from a prompt to the next blank line."""
    return re.sub(r"^[ \t]*>>>.*(?:\n(?![ \t]*$).*)*", "", text, flags=re.MULTILINE)
