"""Text tables: as wide as the terminal, or as wide as necessary in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vitalfew.cli.command_runner import shown
from vitalfew.support.atomic_write import written_output

# Wide enough for any table in a pipe.
PIPE_WIDTH = 10_000


def table_lines(rows: Sequence[dict[str, Any]], columns: dict[str, str]) -> list[str]:
    """Format rows as text; `columns` maps keys to headings. A column without any value is left out."""
    present = {key: title for key, title in columns.items() if any(row.get(key) is not None for row in rows)}
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False)
    for key, title in present.items():
        is_number = all(
            isinstance(row.get(key), int | float | None) and not isinstance(row.get(key), bool) for row in rows
        )
        table.add_column(title, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(key))) for key in present))
    # No colors: the same text may go to a file.
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    console = Console(file=sys.stdout, color_system=None, force_terminal=False, highlight=False, width=width)
    with console.capture() as printed:
        console.print(table)
    return [text.rstrip() for text in printed.get().rstrip().splitlines()]


def show(text: str) -> None:
    """Write text unchanged to standard output."""
    with written_output("-", "w") as file:
        file.write(text + "\n")


def line(text: str) -> None:
    """Write text as one line, with control characters escaped."""
    show(shown(text))


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return shown(value)
