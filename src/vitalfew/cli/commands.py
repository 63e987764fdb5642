"""All commands, with a help text that shows an example of each."""

from __future__ import annotations

from typing import Annotated

import typer

from vitalfew.cli.compare import compare
from vitalfew.cli.explain import explain
from vitalfew.cli.fit import fit
from vitalfew.cli.label import label
from vitalfew.cli.predict import predict
from vitalfew.cli.report import report
from vitalfew.cli.select import select
from vitalfew.cli.session import guarded

commands = typer.Typer(
    help="Find the vital few features of your data: how many, which, for which model, and with what error.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        from vitalfew import __version__

        typer.echo(f"vitalfew {__version__}")
        raise typer.Exit


@commands.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    del version


for _command in (report, select, compare, fit, predict, explain, label):
    commands.command(_command.__name__)(guarded(_command))
