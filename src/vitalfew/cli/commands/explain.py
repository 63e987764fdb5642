"""``vitalfew explain``: the contents of a model file."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Annotated, Any

import typer

from vitalfew.cli import options

DIALECTS = ("duckdb", "sqlite", "postgres")
COLUMNS = {
    "feature": "feature",
    "information": "information (bits)",
    "weight": "weight",
    "speaks_for": "evidence for",
}


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file written by fit; - reads standard input.")],
    sql: Annotated[
        str | None,
        typer.Option("--sql", metavar="DIALECT", help="Write the model as an SQL query: duckdb, sqlite or postgres."),
    ] = None,
    table: Annotated[str, typer.Option("--table", metavar="NAME", help="Table that the query reads.")] = "data",
    python: Annotated[
        bool, typer.Option("--python", help="Write the model as Python source without dependencies.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the description as JSON.")] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - writes to standard output.")
    ] = "-",
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Describe a model: its features and weights, its rules, and the curve from which it was selected.

    Example: vitalfew explain model.json

    Example: vitalfew explain model.json --sql duckdb --table people -o score.sql
    """
    del quiet, debug
    from vitalfew.cli.model_files import read_model
    from vitalfew.support.checks import check_choice
    from vitalfew.support.outputs import check_outputs, check_suffix

    if (sql is not None) + python + as_json > 1:
        raise ValueError("use only one of --sql, --python and --json.")
    if sql is not None:
        check_choice("--sql", sql, DIALECTS)
    check_outputs({"--output": output}, [model])
    suffixes = (".sql", ".txt") if sql else (".py",) if python else (".json",) if as_json else (".txt", ".md")
    check_suffix("--output", output, suffixes)
    fitted = read_model(model)
    if sql is not None:
        from vitalfew import to_sql

        _put(to_sql(fitted, dialect=sql, table=table), output)
    elif python:
        from vitalfew import to_python

        _put(to_python(fitted), output)
    elif as_json:
        _put(json.dumps(facts(fitted), ensure_ascii=False, indent=1, allow_nan=False), output)
    else:
        _put("\n".join(in_words(fitted)), output)


def facts(fitted: Any) -> dict[str, Any]:
    """Return the facts about a model as plain lists, numbers and text."""
    from vitalfew.encoding.describe import (
        chosen_features,
        features_of,
        model_of,
        rules_of,
        selection_facts,
        selection_of,
    )

    inner = model_of(fitted)
    classes = getattr(inner, "classes_", None)
    return {
        "model": type(inner).__name__,
        "parameters": {k: _plain(v) for k, v in inner.get_params(deep=False).items()},
        "classes": None if classes is None else [_plain(c) for c in classes.tolist()],
        "n_features": len(features_of(fitted)),
        "features": chosen_features(fitted),
        "rules": rules_of(fitted),
        "selection": selection_facts(selection_of(fitted)),
    }


def in_words(fitted: Any) -> list[str]:
    """Return the facts as readable text."""
    from vitalfew.cli.command_runner import shown
    from vitalfew.cli.tables import table_lines
    from vitalfew.encoding.describe import curve_lines, model_of, selection_of

    found = facts(fitted)
    signature = inspect.signature(type(model_of(fitted)))
    defaults = {name: repr(parameter.default) for name, parameter in signature.parameters.items()}
    given = {name: repr(value) for name, value in found["parameters"].items() if name != "random_state"}
    changed = [f"{name}={value}" for name, value in given.items() if defaults.get(name) != value]
    lines = [f"{found['model']}({', '.join(changed)})"]
    if found["classes"] is not None:
        lines.append(f"predicts {len(found['classes'])} classes: {', '.join(map(str, found['classes'][:20]))}")
    else:
        lines.append("predicts a number")
    lines += [f"uses {len(found['features']):,} of {found['n_features']:,} features", ""]
    lines = [shown(text) for text in lines]
    if found["features"]:
        lines += [*table_lines(found["features"], COLUMNS), ""]
    if found["rules"]:
        lines += [*(shown(text) for text in found["rules"].split("\n")), ""]
    selection = selection_of(fitted)
    if selection is not None:
        is_plain = "utf" not in (sys.stdout.encoding or "").lower()
        lines += curve_lines(selection, mark="#" if is_plain else "█")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _put(text: str, output: str) -> None:
    from vitalfew.support.atomic_write import written_output

    with written_output(output, "w") as file:
        file.write(text.rstrip("\n") + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
