"""``vitalfew label``: label all documents of a table, given a few labeled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from vitalfew.cli import options

if TYPE_CHECKING:
    from vitalfew.labeling.label_report import LabelReport

DATABASE = "DuckDB or SQLite file, postgresql://user@host/name, or Parquet, CSV or Arrow file."
MODEL = "One of em, logistic-l2, nb-idf, nb, logistic-l1; auto chooses among them on held-out labeled documents."
CANDIDATES = {
    "name": "model",
    "error": "error",
    "standard_error": "standard error",
    "excess": "excess over lowest",
    "excess_error": "standard error of excess",
}


def label(
    database: Annotated[str, typer.Argument(metavar="DATABASE", help=DATABASE, show_default=False)],
    text: Annotated[str, typer.Option("--text", metavar="COLUMN", help="Column of the documents.")],
    label: Annotated[
        str, typer.Option("--label", metavar="COLUMN", help="Column of the labels; null if a document is unlabeled.")
    ],
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="Table of the documents.")] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="Column that identifies rows; default: the primary key or the row number; may be repeated.",
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--into",
            metavar="NAME",
            help="New table for the labels; default: the table of the documents + _predicted.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file if the documents are in a file: .parquet, .arrow, .csv or .tsv.",
        ),
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help=MODEL)] = "auto",
    semi_supervised: Annotated[
        bool, typer.Option("--semi-supervised", help="Same as --model em: also learn from unlabeled documents.")
    ] = False,
    unlabeled: Annotated[
        str | None,
        typer.Option("--unlabeled", metavar="TEXT", help="Label that marks unlabeled documents, besides null."),
    ] = None,
    unlabelled: Annotated[str | None, typer.Option("--unlabelled", metavar="TEXT", hidden=True)] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing table or file of that name.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only read and count; write nothing.")] = False,
    memory: Annotated[str, typer.Option("--memory", metavar="SIZE", help="Approximate memory limit.")] = "2GB",
    as_json: Annotated[bool, typer.Option("--json", help="Write a summary as JSON.")] = False,
    format: options.Format = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Label all documents of a table in which a few are labeled.

    The new table has the key, the label, its probability and the three most decisive words. It is written completely or
    not at all, and the table of the documents is never changed.

    Example: vitalfew label news.duckdb --table documents --text body --label topic --key id
    """
    del quiet, debug
    import json

    from vitalfew.cli.command_runner import note
    from vitalfew.cli.tables import show
    from vitalfew.labeling.endpoints import is_database
    from vitalfew.labeling.label import label_documents
    from vitalfew.support.outputs import STANDARD, check_outputs

    if into is not None and output is not None:
        raise ValueError("use either --into (a table) or --output (a file), not both.")
    check_outputs({"--output": output, "the report": STANDARD}, [database])
    if output is not None and is_database(database, format):
        raise ValueError(f"--output is a file, but {database!r} is a database; use --into for the new table.")
    if unlabelled is not None:
        note("--unlabelled was renamed to --unlabeled and will be removed in the next release.")
        unlabeled = unlabelled if unlabeled is None else unlabeled
    if semi_supervised:
        if model not in ("auto", "em"):
            raise ValueError(
                f"--semi-supervised means --model em and conflicts with --model {model}; omit one of them."
            )
        model = "em"
    report = label_documents(
        database,
        table,
        text,
        label,
        key=key,
        into=into if into is not None else output,
        model=model,
        unlabeled=unlabeled,
        replace=replace,
        dry_run=dry_run,
        memory=memory,
        format=format,
        random_state=seed,
    )
    for sentence in report.notes:
        note(sentence)
    show(json.dumps(report.to_dict(), ensure_ascii=False, indent=1, default=str) if as_json else _told(report, label))


def _told(report: LabelReport, label: str) -> str:
    """Return the report as readable text."""
    from vitalfew.cli.command_runner import shown
    from vitalfew.cli.tables import table_lines

    n_labeled = report.n_documents - report.n_unlabeled
    lines = [
        f"{report.n_documents:,} documents, {n_labeled:,} of them labeled; {report.n_words:,} words.",
        "",
    ]
    rows = [
        {"class": str(c), "labeled": n, "predicted": report.n_predicted.get(c)} for c, n in report.n_labeled.items()
    ]
    lines += table_lines(rows, {"class": label, "labeled": "labeled", "predicted": "predicted"})
    into = f"{report.into!r} ({', '.join(report.columns)})"
    if report.is_dry_run:
        models = ", ".join(report.models)
        lines += ["", f"Would validate {models} and write {report.n_unlabeled:,} rows to {into}. Nothing was written."]
        return "\n".join(shown(line) for line in lines)
    if report.candidates:
        lines += ["", f"Errors on {report.n_tried:,} labeled documents, each held out once:", ""]
        lines += table_lines(sorted(report.candidates, key=lambda c: c["error"]), CANDIDATES)
    lines += [
        "",
        f"Labeled by {report.model}: {report.why}",
        f"{report.n_unlabeled:,} rows written to {into}.",
        f"{report.seconds:.1f} s, {report.documents_per_second:,.0f} documents per second.",
    ]
    return "\n".join(shown(line) for line in lines)
