"""``vitalfew fit``: fit one model on all rows and write it to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from vitalfew.cli import options


def fit(
    data: options.Data,
    target: options.Target,
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="One of nb, logistic, lasso, ridge, tree, adaboost, stump, greedy, best."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Model file to write; - writes to standard output.")
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Set a parameter of the model, for instance alpha=0.1; may be repeated."
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
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Fit a model on all rows and write it to a file.

    Rules select features or a penalty on these rows. To estimate the error on new rows, use compare.

    Example: vitalfew fit adult.csv --target income --model nb -o model.json
    """
    del quiet, debug
    from vitalfew.cli.command_runner import note
    from vitalfew.cli.model_files import write_model
    from vitalfew.cli.models import make_model
    from vitalfew.cli.progress_bars import working
    from vitalfew.cli.task import TableInput, read_problem
    from vitalfew.encoding.encoding import chosen_mask, make_encoded
    from vitalfew.support.outputs import check_outputs, check_suffix

    check_outputs({"--output": output}, [data])
    check_suffix("--output", output, (".json",))
    source = TableInput(data, table, query, format, na, encoding)
    problem = read_problem(source, target, kind=kind, drop=drop, task=task)
    encoded = make_encoded(make_model(model, problem.task, seed=seed, settings=settings), problem.kinds)
    frame = problem.frame
    with working(f"fitting {model}"):
        encoded.fit(frame, problem.y)
    write_model(encoded, output)
    fitted = encoded.named_steps["model"]
    mask = chosen_mask(fitted)
    used = "" if mask is None else f" with {int(mask.sum()):,} of {len(mask):,} features"
    note(f"{type(fitted).__name__} fitted on {len(problem.y):,} rows{used}; written to {output!r}.")
