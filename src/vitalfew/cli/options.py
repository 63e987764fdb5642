"""Options shared by several commands."""

from __future__ import annotations

from typing import Annotated

import typer

DATA = "CSV, TSV (also .gz, .bz2, .zst), Parquet, Arrow, DuckDB or SQLite file; - reads standard input."
Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA, show_default=False)]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.")]
Table = Annotated[str | None, typer.Option("--table", metavar="NAME", help="Table of a database.")]
Query = Annotated[
    str | None, typer.Option("--query", metavar="SQL", help="Query to run on a database, which is opened read-only.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="File format, if the suffix of the file does not show it: csv, tsv, parquet, arrow, duckdb or sqlite.",
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="TEXT",
        help='Marker of missing values in CSV, instead of "", NA, NaN, null and ?; may be repeated.',
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", metavar="NAME", help="Encoding of CSV.")]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="Treat a column as numeric, category, text, identifier, date or constant; may be repeated.",
    ),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Column to ignore; may be repeated.")]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="classes|numeric",
        help="Type of target; default: numeric for numbers, unless they have two values or up to 10 distinct integers.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="Random seed.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress bars and notes.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]
TimeBudget = Annotated[
    float | None,
    typer.Option("--time-budget", metavar="SECONDS", min=0.001, help="Stop after this time with the results so far."),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read the rows in batches and select from summaries; the default for a directory, a pattern such as "
        "'part-*.parquet', a postgresql:// address and files of more than 1 GB.",
    ),
]
