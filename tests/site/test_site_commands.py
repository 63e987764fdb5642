"""Commands that pages show with their output print that."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="the command line needs the extra [cli]")

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"^-?[\d.,]+(e[-+]?\d+)?%?$")


def transcripts(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page and the output shown for them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^    \$ (.*)\n((?:(?!    \$ )(?:    .*)?\n)*)", text, flags=re.MULTILINE)
    return [(command, re.sub(r"^    ", "", said, flags=re.MULTILINE).strip()) for command, said in blocks]


def write_tables(page: str, folder: Path) -> None:
    """Run what a page says to make its files: its first lines, up to vitalfew, and those that write."""
    examples = doctest.DocTestParser().get_examples((DOCS / page).read_text(encoding="utf-8"))
    first = next((i for i, e in enumerate(examples) if "vitalfew" in e.source), len(examples))
    made = examples[:first] + [e for e in examples[first:] if ".to_csv(" in e.source]
    code = "".join(e.source for e in made)
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def words_and_numbers(text: str) -> tuple[list[str], list[float]]:
    """Return the output without times, the last number of each line in tables that have them."""
    words, numbers, is_timed = [], [], False
    for line in text.replace("within 1 SE", "within one se").splitlines():
        is_timed = (is_timed and not line.startswith("note")) or line.endswith("seconds")
        parts = re.split(r"[\s,]+" if line.startswith('"') else r"\s+", line.strip())
        own = [part for part in parts if NUMBER.match(part)]
        words += [part for part in parts if not NUMBER.match(part) and not part.startswith("──")]
        numbers += [float(part.strip("%").replace(",", "")) for part in (own[:-1] if is_timed else own)]
    return words, numbers


@pytest.mark.parametrize("page", ["cli.md", "start.md"])
def test_commands_print_what_is_shown(page, tmp_path):
    pytest.importorskip("pandas")
    write_tables(page, tmp_path)
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    for command, said in transcripts(page):
        if not said:
            continue  # a report: has its own tests
        run = command.replace("vitalfew", f'"{sys.executable}" -m vitalfew', 1)
        done = subprocess.run(run, shell=True, cwd=tmp_path, env=environment, capture_output=True, timeout=300)
        printed = (done.stdout + done.stderr).decode()
        words, numbers = words_and_numbers(printed)
        expected = words_and_numbers(said)
        assert words == expected[0], command
        assert numbers == pytest.approx(expected[1], rel=1e-3), command


def test_the_example_of_the_readme_runs():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    ((code, shown),) = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # Which words, and how many, is for the versions of the packages to say.
    assert words_and_numbers(done.stdout)[0][:4] == words_and_numbers(shown)[0][:4]
    assert re.search(r"words, test error \d+\.\d%$", done.stdout.strip())
