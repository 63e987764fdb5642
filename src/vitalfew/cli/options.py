"""Options shared by several commands."""

from __future__ import annotations

from typing import Annotated

import typer

DATA = "CSV, TSV (also .gz, .bz2, .zst), Parquet, Arrow, a DuckDB or SQLite file; - is standard input."
Data = Annotated[str, typer.Argument(metavar="DATA", help=DATA, show_default=False)]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Table = Annotated[str | None, typer.Option("--table", metavar="NAME", help="Which table of a database.")]
Query = Annotated[str | None, typer.Option("--query", metavar="SQL", help="What to ask a database; it is read only.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="csv, tsv, parquet, arrow, duckdb or sqlite, if the name misleads."),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="TEXT",
        help='What means a missing value in CSV, instead of "", NA, NaN, null and ?; may be repeated.',
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", metavar="NAME", help="Of CSV.")]
Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="Take a column as numeric, category, text, identifier, date or constant; may be repeated.",
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Leave a column out; may be repeated.")
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="classes|numeric",
        help="What the target is; by default numbers are numeric unless they are whole and at most 10 distinct ones.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="For everything random.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars and no notes.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]
TimeBudget = Annotated[
    float | None,
    typer.Option("--time-budget", metavar="SECONDS", min=0.001, help="Stop there with what has been found."),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Go by summaries, a batch of rows in memory at a time; done anyway for a folder, a pattern such as "
        "'part-*.parquet', a postgresql:// address and files of more than 1 GB.",
    ),
]
