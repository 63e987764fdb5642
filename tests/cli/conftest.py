"""A table of every kind of column, and the command line as a function."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("typer")

from pyarrow import csv
from typer.testing import CliRunner

N = 160


def make_table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    age = (40 + 10 * rng.normal(size=n) + 8 * y).round(1)
    said = np.where(y ^ (rng.random(n) < 0.15), "lovely quiet place to stay", "dirty loud place to stay")
    return pa.table(
        {
            "id": np.arange(n),
            "age": pa.array(age, mask=np.arange(n) % 9 == 0),
            "color": pa.array(np.where(rng.random(n) < 0.15 + 0.7 * y, "red", "blue"), mask=np.arange(n) % 11 == 0),
            "noise": rng.normal(size=n).round(3),
            "review": [f"{s}, day {i % 40}" for i, s in enumerate(said)],
            "grade": rng.integers(1, 4, n),
            "price": (3 * age + rng.normal(size=n)).round(2),
            "came": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture(scope="session")
def hotel(tmp_path_factory):
    """A CSV file; predict `came` (classes) or `price` (a number)."""
    path = tmp_path_factory.mktemp("hotel") / "hotel.csv"
    csv.write_csv(make_table(), path)
    return str(path)


@pytest.fixture(scope="session")
def run():
    """Runs a command; the result has exit_code, stdout and stderr."""
    from vitalfew.cli.app import commands

    runner = CliRunner()

    def invoke(*arguments, input=None, code=0):
        result = runner.invoke(commands, [str(a) for a in arguments], input=input)
        assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr, result.exception)
        if code == 1:  # one sentence, no traceback
            assert result.stderr.strip().splitlines()[-1].startswith("error: "), result.stderr
            assert "Traceback" not in result.stderr
        return result

    return invoke


@pytest.fixture(scope="session")
def model_file(hotel, run, tmp_path_factory):
    """A model of `came`, by short name."""
    made = {}

    def make(name="nb", target="came", *more):
        key = (name, target, *more)
        if key not in made:
            made[key] = str(tmp_path_factory.mktemp("models") / f"{name}.json")
            other = "price" if target == "came" else "came"
            more = (*more, "--set", "time_budget=1") if name == "best" else more
            run("fit", hotel, "-t", target, "-m", name, "--drop", other, "-o", made[key], *more)
            assert json.loads(Path(made[key]).read_text())["format"] == "vitalfew.model"
        return made[key]

    return make
