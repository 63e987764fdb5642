"""Handling of Ctrl-C while a command runs."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NOTHING = "interrupted; nothing was written."
INTERRUPTED = 130
# Python also ignores exceptions raised inside the unraisable hook: the hook has to return first.
AGAIN_S = 0.05


class Interrupts:
    """Record of whether Ctrl-C was pressed, whatever became of the exception it raised."""

    came = False

    def raise_it(self, *_: Any) -> None:
        """Record Ctrl-C and raise KeyboardInterrupt; a signal handler."""
        self.came = True
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interrupts]:
    """Raise KeyboardInterrupt on Ctrl-C inside the context, and record it.

    Packages that are interrupted during import, or in a callback, raise other errors or ignore the exception with a
    traceback: the former are identified by the record, and ignored exceptions are raised again.
    """
    found = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before not in (leave, signal.default_int_handler):
        yield found
        return
    report = sys.unraisablehook

    def raise_again(problem: Any) -> None:
        if issubclass(problem.exc_type, KeyboardInterrupt):
            later = threading.Timer(AGAIN_S, _thread.interrupt_main)
            later.daemon = True
            later.start()
        else:
            report(problem)

    sys.unraisablehook = raise_again
    signal.signal(signal.SIGINT, found.raise_it)
    try:
        yield found
    finally:
        # If `leave` was installed, the process ends after this command.
        signal.signal(signal.SIGINT, signal.SIG_IGN if before is leave else before)
        sys.unraisablehook = report


def leave(*_: object) -> None:
    """End the process on Ctrl-C before a command has started.

    An exception would be raised in the middle of an import, where other packages turn it into errors of their own.
    """
    os.write(2, f"{NOTHING}\n".encode())
    os._exit(INTERRUPTED)
