"""All commands, with a help text that shows an example of each."""

from __future__ import annotations

from typing import Annotated

import typer

from vitalfew.cli.command_runner import guarded
from vitalfew.cli.commands.compare import compare
from vitalfew.cli.commands.explain import explain
from vitalfew.cli.commands.fit import fit
from vitalfew.cli.commands.label import label
from vitalfew.cli.commands.predict import predict
from vitalfew.cli.commands.report import report
from vitalfew.cli.commands.select import select

commands = typer.Typer(
    help="Find the vital few features of your data: how many, which ones, for which model, and with what error.",
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
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    del version


for _command in (report, select, compare, fit, predict, explain, label):
    commands.command(_command.__name__)(guarded(_command))
