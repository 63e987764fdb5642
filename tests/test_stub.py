"""The stub of the compiled module says what is in it."""

import ast
import re
from pathlib import Path

import vitalfew
from vitalfew import _core

STUB = ast.parse((Path(vitalfew.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
FOR_TESTS = {"helper_threads"}
NO_NAME = {"__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__"}


def parameters(signature):
    """Names and whether there is a default, from a line of nanobind, where defaults are numbered."""
    plain = re.sub(r"ndarray\[[^\]]*\]", "ndarray", signature).replace("\\", "d")
    function = ast.parse(f"{plain}: ...").body[0]
    return listed(function)


def listed(function):
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names, len(given.defaults) + sum(default is not None for default in given.kw_defaults)


def in_stub(body):
    """Overloads of every function."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(listed(node))
    return found


def compiled(holder, names):
    return {n: [parameters(line[0]) for line in getattr(holder, n).__nb_signature__] for n in names}


def test_every_name_is_in_the_stub():
    defined = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    constants = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert defined | constants == set(vars(_core)) - NO_NAME


def test_python_names_every_kernel_that_it_calls():
    """Searching the sources for ``_core.<name>`` finds each call; no name is put together from strings."""
    files = Path(vitalfew.__file__).parent.rglob("*.py")
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    named = set(re.findall(r"\b_core\.(\w+)", sources))
    functions = {name for name, value in vars(_core).items() if hasattr(value, "__nb_signature__")}
    made = {name for name, value in vars(_core).items() if hasattr(value.__init__, "__nb_signature__")}
    assert functions | made <= named | FOR_TESTS
    assert not re.search(r"getattr\(_core", sources)


def test_functions_have_the_parameters_of_the_stub():
    expected = in_stub(STUB.body)
    assert compiled(_core, expected) == expected


def test_methods_have_the_parameters_of_the_stub():
    for node in STUB.body:
        if isinstance(node, ast.ClassDef):
            holder = getattr(_core, node.name)
            expected = {n: v for n, v in in_stub(node.body).items() if hasattr(getattr(holder, n), "__nb_signature__")}
            assert compiled(holder, expected) == expected
            public = {n for n, v in vars(holder).items() if hasattr(v, "__nb_signature__") and not n.startswith("_")}
            assert public <= expected.keys()
