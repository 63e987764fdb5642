"""The public names and their documentation."""

import ast
import inspect
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

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
    assert set(vitalfew.__all__) == set(vitalfew._HOME_OF)
    assert set(vitalfew.__all__) <= set(dir(vitalfew))


def test_type_checkers_find_names_where_they_are_imported_from():
    tree = ast.parse(Path(vitalfew.__file__).read_text(encoding="utf-8"))
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    seen = {name.name: line.module for line in block.body for name in line.names}
    assert seen == {name: f"vitalfew.{module}" for name, module in vitalfew._HOME_OF.items()}


def test_the_version_is_the_same_everywhere():
    root = Path(__file__).parents[1]
    if not (root / "pyproject.toml").exists():
        pytest.skip("the project is not at hand")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == vitalfew.__version__
    assert f"\nversion: {vitalfew.__version__}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'Laso'"):
        vitalfew.Laso  # noqa: B018
    with pytest.raises(ImportError, match="Laso"):
        from vitalfew import Laso  # noqa: F401


def python(code, *options):
    """Return the output of a fresh interpreter."""
    command = [sys.executable, "-W", "error", *options, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_heavy_is_imported_before_it_is_asked_for():
    found = python(
        """
        import sys
        before = set(sys.modules) | sys.stdlib_module_names
        import vitalfew
        dir(vitalfew), vitalfew.__version__
        print(*(name for name in sys.modules if name.partition(".")[0] not in before))
        """
    )
    assert found.split() == ["vitalfew"]


# Not among them what scikit-learn imports by itself, where it is installed: pandas, pyarrow, rich, scipy.stats.
HEAVY = [
    "altair",
    "dask",
    "distributed",
    "duckdb",
    "jinja2",
    "typer",
    "vl_convert",
    "adbc_driver_manager",
    "sklearn.ensemble",
]


@pytest.mark.parametrize("name", ["Lasso", "NaiveBayes", "Counts", "WordPresence"])
def test_a_name_brings_no_more_than_it_needs(name):
    found = python(f"import sys, vitalfew; vitalfew.{name}; print(*(m for m in {HEAVY} if m in sys.modules))")
    assert found.split() == []


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "dask.dataframe", "duckdb"])
def test_imports_without_a_warning_beside_other_libraries(library):
    pytest.importorskip(library)
    assert python(f"import vitalfew; from vitalfew import *; import {library}; print(Lasso.__name__)") == "Lasso\n"


@pytest.mark.parametrize("name", [n for n in vitalfew.__all__ if inspect.isclass(getattr(vitalfew, n))])
def test_public_methods_have_a_docstring(name):
    thing = getattr(vitalfew, name)
    for attribute, value in vars(thing).items():
        if not attribute.startswith("_") and inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{attribute}"


def test_models_are_fitted_where_no_library_of_frames_is_installed():
    found = python(
        """
        import sys

        class Without:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("pandas", "polars", "pyarrow"):
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, Without())
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from vitalfew import BestSubsetClassifier, BestSubsetRegressor, GreedySearch
        X = np.random.default_rng(0).normal(size=(60, 4))
        print(BestSubsetRegressor(1).fit(X, X[:, 2]).near_ties_["columns"])
        print(BestSubsetClassifier(1).fit(X, X[:, 2] + X[:, 0] > 0).near_ties_["columns"].shape)
        print(sorted(GreedySearch(LinearRegression(), 1).fit(X, X[:, 2]).history_)[0])
        """
    )
    assert found.splitlines()[0] == "[(2,)]"
