"""The entry point: the commands, or a sentence about what is missing for them."""

from __future__ import annotations

import io
import os
import sys

MISSING = "vitalfew: the command line needs typer and rich; install them with: pip install 'vitalfew[cli]'\n"


def app(arguments: list[str] | None = None) -> None:
    """Run the command line, with the arguments of the process unless others are given."""
    try:
        from vitalfew.cli.commands import commands
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich", "click"):
            raise
        sys.stderr.write(MISSING)
        raise SystemExit(1) from None
    speak_utf8()
    commands(arguments, prog_name="vitalfew")


def speak_utf8() -> None:
    """Files and pipes of Windows would get an old code page, which lacks most letters."""
    if sys.platform != "win32" or "PYTHONIOENCODING" in os.environ:
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")
