"""Common environment of all commands: errors in one sentence, exit codes, notes and progress on standard error."""

from __future__ import annotations

import functools
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import typer

from vitalfew.cli.interrupts import INTERRUPTED, NOTHING, interruptible
from vitalfew.exceptions import VitalfewWarning
from vitalfew.support.outputs import STDOUT, OutputRecord, recording
from vitalfew.support.progress import bars_by

STYLES = {"error": "bold red", "internal error": "bold red", "note": "dim"}
WRONG, INTERNAL, BROKEN_PIPE = 1, 70, 141


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that every failure becomes a sentence and an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        # Import what every command needs while Ctrl-C still ends the process; --help does not need it.
        import_module("vitalfew.cli.task")
        debug, quiet = bool(options.get("debug")), bool(options.get("quiet"))
        with recording() as record:
            try:
                with interruptible() as interrupts, _notes(quiet, debug), bars_by(_bars(quiet)):
                    command(*args, **options)
                    sys.stdout.flush()
            except (typer.Exit, typer.Abort):
                raise
            except BaseException as error:
                if debug and not isinstance(error, BrokenPipeError):
                    traceback.print_exc()
                if interrupts.came and not isinstance(error, KeyboardInterrupt):
                    error = KeyboardInterrupt()
                raise typer.Exit(_explain(error, record)) from None

    return run


def _explain(error: BaseException, record: OutputRecord) -> int:
    """Report an error, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        _silence_stdout()
        return BROKEN_PIPE
    if isinstance(error, KeyboardInterrupt):
        say(interrupted(record))
        return INTERRUPTED
    done = [name for name in record.done() if name != STDOUT]
    also = f" Before that {_listed(done)} written." if done else ""
    if isinstance(error, MemoryError):
        say(f"error: not enough memory; use fewer rows or columns (--query, --drop).{also}")
        return WRONG
    if isinstance(error, OSError | ValueError | ImportError):
        say(f"error: {_sentence(error)}{also}")
        if isinstance(error, OSError):
            _silence_stdout()
        return WRONG
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else INTERNAL
    say(
        f"internal error: {type(error).__name__}: {_sentence(error)} This is a bug in vitalfew: "
        f"run again with --debug and report the output.{also}"
    )
    return INTERNAL


def interrupted(record: OutputRecord) -> str:
    """Return what was written before Ctrl-C, and what was not."""
    done, missing = record.done(), record.missing()
    if record.in_doubt is not None:
        return (
            f"interrupted while {record.in_doubt} was being completed; check whether it exists before you start again."
        )
    if not done:
        return NOTHING
    rest = f"; {_listed(missing, 'not ')} written" if missing else ""
    return f"interrupted after writing {' and '.join(done)}{rest}."


def _listed(names: list[str], negation: str = "") -> str:
    return f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} {negation}".rstrip()


def _sentence(error: BaseException) -> str:
    """Return the message on one line, with a period."""
    if isinstance(error, OSError) and error.strerror and error.errno is not None:
        place = f"{error.filename!r}: " if error.filename is not None else ""
        text = f"{place}{error.strerror}"
        text += "; free disk space and run it again" if error.errno == 28 else ""
    else:
        text = str(error).strip() or type(error).__name__
    text = " ".join(text.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _silence_stdout() -> None:
    """Redirect standard output to the null device after a failed write, so that the final flush does not fail."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def say(text: str) -> None:
    """Print a line on standard error."""
    from rich.console import Console
    from rich.text import Text

    head, colon, rest = shown(text).partition(":")
    line = Text(head + colon, style=STYLES.get(head, "")) + Text(rest) if colon else Text(head)
    with suppress(OSError):
        Console(stderr=True, soft_wrap=True, highlight=False).print(line)


def note(text: str) -> None:
    """Print a line on standard error unless --quiet is given."""
    warnings.warn(text, VitalfewWarning, stacklevel=2)


def shown(text: Any) -> str:
    """Escape characters that would move the cursor or change colors of a terminal."""
    return "".join(c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in str(text))


@contextmanager
def _notes(quiet: bool, debug: bool) -> Iterator[None]:
    """Show warnings of this package as notes, each once; other warnings only with --debug."""
    with warnings.catch_warnings():
        warnings.simplefilter("default" if debug else "ignore")
        warnings.filterwarnings("ignore" if quiet else "always", category=VitalfewWarning)
        said: set[str] = set()

        def show(message, category, *_: Any, **__: Any) -> None:
            text = str(message) if issubclass(category, VitalfewWarning) else f"{category.__name__}: {message}"
            if text not in said:
                said.add(text)
                say(f"note: {' '.join(text.split())}")

        warnings.showwarning = show
        yield


def _bars(quiet: bool):
    from vitalfew.cli.progress_bars import RichBars, silent

    return RichBars() if sys.stderr.isatty() and not quiet else silent
