"""``vitalfew report``: the four questions answered on one page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from vitalfew.cli import options


def report(
    data: options.Data,
    target: options.Target,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="HTML page to write; default: report.html, unless --json or --markdown is used.",
        ),
    ] = None,
    as_json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the facts as JSON; - writes to standard output.")
    ] = None,
    as_markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write the report as Markdown; - writes to standard output."),
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(
            "--test-size",
            metavar="FRACTION",
            min=0.01,
            max=0.9,
            help="Fraction of the rows sealed for the test; by default a quarter if the rows are many.",
        ),
    ] = None,
    table: options.Table = None,
    query: options.Query = None,
    format: options.Format = None,
    na: options.Na = None,
    encoding: options.Encoding = "utf-8",
    kind: options.Kind = None,
    drop: options.Drop = None,
    task: options.Task = None,
    time_budget: options.TimeBudget = 60.0,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Answer how many features are needed, which are redundant, which only work together, and which model fits best.

    Columns are recognized as numbers, categories, text, dates and identifiers; --kind overrides this. The error is
    estimated on rows that the model has not seen: on a sealed part if the rows are many, otherwise on folds.

    Example: vitalfew report adult.csv --target income -o report.html --time-budget 60
    """
    del debug
    from vitalfew.cli.command_runner import note
    from vitalfew.cli.task import TableInput, read_problem
    from vitalfew.support.outputs import check_outputs, check_suffix

    make = report_function()
    if output is None and as_json is None and as_markdown is None:
        output = "report.html"
    places = {"html": output, "json": as_json, "markdown": as_markdown}
    if sum(place == "-" for place in places.values()) > 1:
        raise ValueError("only one of --output, --json and --markdown can be standard output.")
    check_outputs({"--output": output, "--json": as_json, "--markdown": as_markdown}, [data])
    check_suffix("--output", output, (".html", ".htm"))
    check_suffix("--json", as_json, (".json",))
    check_suffix("--markdown", as_markdown, (".md", ".markdown", ".txt"))
    source = TableInput(data, table, query, format, na, encoding)
    problem = read_problem(source, target, kind=kind, drop=drop, task=task)
    made = make(
        problem.frame,
        problem.y,
        target=problem.target,
        kinds=problem.kinds,
        task=problem.task,
        time_budget=time_budget,
        random_state=seed,
        test_size=test_size,
        progress=False if quiet else "auto",
        source=source.name,
    )
    for form, place in places.items():
        if place is not None:
            _put(getattr(made, f"to_{form}")(), place)
    where = "not written; use -o report.html" if output is None else f"written to {output!r}"
    for line in [*repr(made).splitlines()[:-1], f"Page {where}"]:
        note(": ".join(line.split(maxsplit=1)))


def report_function() -> Callable[..., Any]:
    """Return the function `report`, imported on demand."""
    from vitalfew.reporting.report import report as make

    return make


def _put(text: str, place: str) -> None:
    from vitalfew.support.atomic_write import written_output

    with written_output(place, "w") as file:
        file.write(text.rstrip("\n") + "\n" if place == "-" else text)
