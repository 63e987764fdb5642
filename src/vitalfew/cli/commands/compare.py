"""``vitalfew compare``: estimated errors of several models on the same folds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from vitalfew.cli import options

COLUMNS = {
    "name": "model",
    "error": "error",
    "se": "± SE",
    "n_features": "features",
    "difference": "vs. best",
    "p_value": "p-value",
    "seconds": "seconds",
    "mark": "",
}


def compare(
    data: options.Data,
    target: options.Target,
    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            metavar="NAME,NAME",
            help="Models to compare, among nb, logistic, lasso, ridge, tree, adaboost, stump, greedy and best; "
            "default: nb, lasso, ridge, tree and adaboost, if they support the target.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", metavar="N", min=2, help="Number of outer folds.")] = 5,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="Number of times to repeat with new folds.")
    ] = 1,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="FILE", help="Store results in FILE and resume from it.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the table as .csv, .json or .parquet; - writes CSV to standard output.",
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
    time_budget: options.TimeBudget = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Compare models by nested cross-validation: all selection happens inside each fold.

    Each model has a standard error and a paired difference to the best one. A baseline without features is
    always included.

    Example: vitalfew compare adult.csv --target income --models nb,lasso,tree --folds 5 --time-budget 60
    """
    del debug
    import pyarrow as pa

    from vitalfew.cli.command_runner import note
    from vitalfew.cli.models import MODELS, make_model
    from vitalfew.cli.tables import show, table_lines
    from vitalfew.cli.task import TableInput, read_problem
    from vitalfew.data.files import check_written, write_table
    from vitalfew.encoding.encoding import make_encoded
    from vitalfew.evaluation.compare import compare as compare_models
    from vitalfew.support.atomic_write import written_output
    from vitalfew.support.outputs import STANDARD, check_outputs

    check_outputs({"--output": output or STANDARD, "--checkpoint": checkpoint}, [data])
    check_written(output)
    problem = read_problem(
        TableInput(data, table, query, format, na, encoding), target, kind=kind, drop=drop, task=task
    )
    default = ",".join(n for n in ("nb", "lasso", "ridge", "tree", "adaboost") if getattr(MODELS[n], problem.task))
    names = [name.strip() for name in (models or default).split(",") if name.strip()]
    if not names:
        raise ValueError("--models is empty; list some models, for instance nb,lasso,tree.")
    named = {name: make_encoded(make_model(name, problem.task, seed=seed), problem.kinds) for name in names}
    if len(problem.y) < 2 * folds:
        raise ValueError(f"{len(problem.y)} rows are too few for {folds} folds; use fewer folds (--folds 2).")
    found = compare_models(
        named,
        problem.frame,
        problem.y,
        cv=folds,
        repeats=repeats,
        time_budget=time_budget,
        checkpoint=checkpoint,
        random_state=seed,
        progress=False if quiet else "auto",
    )
    failed = [row for row in found.rows if str(row["status"]).startswith("failed")]
    for row in failed:
        note(f"model {row['name']!r} {row['status']}")
    if len(failed) == len(named):
        raise ValueError(f"no model could be fitted; {failed[0]['name']!r} {failed[0]['status']}")
    facts = found.to_dict()
    marked = [{**row, "mark": _mark(row, found)} for row in facts["rows"]]
    if output is not None and output.endswith(".json"):
        with written_output(output, "w") as file:
            json.dump(facts, file, ensure_ascii=False, indent=1, allow_nan=False)
            file.write("\n")
    elif output is not None:
        write_table(pa.Table.from_pylist(facts["rows"]), output)
    else:
        show("\n".join(table_lines(marked, COLUMNS)))
    note(
        f"{found.metric} on {found.n_folds} folds of {len(problem.y):,} rows, with selection inside each fold; "
        f"simplest within one standard error of the best: {found.simplest}."
    )


def _mark(row, found) -> str | None:
    marks = [
        "best" if row["name"] == found.best else "",
        "simplest within 1 SE" if row["name"] == found.simplest else "",
        "" if row["status"] == "ok" else str(row["status"]),
    ]
    return ", ".join(filter(None, marks)) or None
