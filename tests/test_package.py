"""The public names and their documentation."""

import inspect

import pytest

import vitalfew


@pytest.mark.parametrize("name", vitalfew.__all__)
def test_public_names_are_documented_with_an_example(name):
    thing = getattr(vitalfew, name)
    text = inspect.getdoc(thing)
    assert text
    assert text.splitlines()[0].endswith(".")
    if callable(thing):
        assert "Examples\n--------\n" in text
        assert ">>> " in text


def test_public_names_are_sorted_and_complete():
    assert vitalfew.__all__ == sorted(vitalfew.__all__)
    public = [n for n, v in vars(vitalfew).items() if not n.startswith("_") and not inspect.ismodule(v)]
    assert sorted(public) == vitalfew.__all__


@pytest.mark.parametrize("name", [n for n in vitalfew.__all__ if inspect.isclass(getattr(vitalfew, n))])
def test_public_methods_have_a_docstring(name):
    thing = getattr(vitalfew, name)
    for attribute, value in vars(thing).items():
        if not attribute.startswith("_") and inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{attribute}"
