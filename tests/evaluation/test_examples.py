"""The simulation of the examples shows what it says: leave-one-out has the mean of true errors with a row less."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "examples" / "loo_unbiased.py"


@pytest.fixture(scope="module")
def example():
    if not FILE.exists():
        pytest.skip("examples are not here")
    spec = importlib.util.spec_from_file_location("loo_unbiased", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_leave_one_out_is_unbiased(example, capsys):
    tables = example.main(n_sets=150)
    assert len(tables) == 2
    for table in tables.values():
        (loo, loo_se), (less, less_se), (full, _) = table.values()
        assert abs(loo - less) < 3.5 * (loo_se**2 + less_se**2) ** 0.5
        assert less > full  # a row less teaches less
    assert "leave-one-out, m rows" in capsys.readouterr().out
