"""`to_sql` and `to_python` on every data set: the largest difference from `predict` in each engine.

    python benchmarks/export_check.py [folder or data set ...] [--rows N] [--write]

Data sets are those of ../shared/data: uci, wide and text. PostgreSQL takes part where it can be started. With --write,
the table goes into RESULTS.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "export")]

import engines  # noqa: E402
import pytest  # noqa: E402
import real_data  # noqa: E402

import postgres  # noqa: E402
from run import table, write_section  # noqa: E402

FOLDERS = ("uci", "wide", "text")
COLUMNS = {"data": "data", "model": "model", "rows": "rows", "columns": "columns"}


def lines(wanted: list[str], names: tuple[str, ...], n_rows: int) -> list[dict]:
    found = []
    for path in real_data.files(*FOLDERS):
        if not wanted or {path.parent.name, real_data.title(path)} & set(wanted):
            for line in real_data.measured(path, names, n_rows):
                found.append({**line, **{n: f"{line[n]:.0e}" for n in names if n in line}})
                print(*found[-1].values(), sep="\t", flush=True)
    return found


def summary(found: list[dict], names: tuple[str, ...]) -> list[dict]:
    """Return one line per model: number of data sets, total number of rows, and the largest differences."""
    out = []
    for model in dict.fromkeys(line["model"] for line in found):
        of_model = [line for line in found if line["model"] == model]
        largest = {n: max((float(line[n]) for line in of_model if n in line), default=None) for n in names}
        shown = {n: "–" if v is None else f"{v:.0e}" for n, v in largest.items()}
        rows, wrong = (sum(line[key] for line in of_model) for key in ("rows", "wrong"))
        out.append({"model": model, "sets": len(of_model), "rows": rows, **shown, "wrong": wrong})
    return out


def explained(n_rows: int, short: str, whole: str) -> str:
    return (
        "`to_sql` and `to_python` (benchmarks/export_check.py): the largest difference of a probability from "
        "`predict_proba`, or the largest relative difference of a predicted number, on the given rows (at most "
        f"{n_rows:,} drawn from each data set). Models were fitted on two thirds of them. For tables of more than "
        f"{real_data.WIDE} columns, only models that select features were exported, with the columns they use. Text "
        "was scored as text in DuckDB and Python, and (0/1) as a table with a column for each word.\n\n"
        f"{short}\n\n{whole}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("wanted", nargs="*")
    arguments.add_argument("--rows", type=int, default=2000)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    try:
        server = postgres._new_server()
    except pytest.skip.Exception as why:
        print(why)
        server = None
    names = ("duckdb", "sqlite", *(["postgres"] if server else []), "python")
    try:
        if server:
            engines.POSTGRES["address"] = server.address
        found = lines(given.wanted, names, given.rows)
    finally:
        if server:
            server.remove()
    said = {n: n for n in names} | {"wrong": "other predictions"}
    short = table(summary(found, names), {"model": "model", "sets": "data sets", "rows": "rows", **said})
    whole = table(found, COLUMNS | said)
    print(short)
    if given.write:
        write_section("Export", explained(given.rows, short, whole))


if __name__ == "__main__":
    main()
