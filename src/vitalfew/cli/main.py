"""Entry point of the command line, with a message if its dependencies are missing.

It imports nothing heavy before it handles Ctrl-C.
"""

from __future__ import annotations

import io
import os
import signal
import sys

from vitalfew.cli.interrupts import leave

MISSING = "vitalfew: the command line requires typer and rich; install them with: pip install 'vitalfew[cli]'\n"


def app(arguments: list[str] | None = None) -> None:
    """Run the command line with the arguments of the process, unless others are given."""
    if arguments is not None or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        _run(arguments)
        return
    signal.signal(signal.SIGINT, leave)
    try:
        _run(None)
    finally:
        # The work is done or an error has been reported: let the interpreter exit undisturbed.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(arguments: list[str] | None) -> None:
    try:
        from vitalfew.cli.app import commands
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich", "click"):
            raise
        sys.stderr.write(MISSING)
        raise SystemExit(1) from None
    speak_utf8()
    commands(arguments, prog_name="vitalfew")


def speak_utf8() -> None:
    """Write UTF-8 to files and pipes on Windows, instead of a legacy code page that lacks most letters."""
    if sys.platform != "win32" or "PYTHONIOENCODING" in os.environ:
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")
