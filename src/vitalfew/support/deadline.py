"""Deadlines for the computations of a thread.

The core keeps one deadline per thread. Its kernels check the deadline wherever they check for Ctrl-C. Python loops
that call no kernel call :func:`check_deadline`. A BLAS or LAPACK call cannot be stopped: where one may take seconds,
``check_deadline(needs=...)`` refuses to start it.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from vitalfew import _core
from vitalfew.exceptions import TimeBudgetError, UnfinishedWarning

REMEDY = "Increase the time limit, or use fewer rows or columns."


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise a TimeBudgetError in the block after `seconds`; the earliest of nested deadlines applies."""
    before = _core.deadline()
    _core.set_deadline(min(before, _core.steady_time() + seconds))
    try:
        yield
    finally:
        _core.set_deadline(before)


def time_left() -> float:
    """Return the seconds until the deadline of this thread, or infinity if there is none."""
    return _core.deadline() - _core.steady_time()


def check_deadline(needs: float = 0.0) -> None:
    """Raise a TimeBudgetError if less time is left than the seconds the next step needs."""
    if (left := time_left()) <= needs:
        raise TimeBudgetError(
            f"stopped before the deadline: {max(left, 0):.2g} s are left, but the next step takes about {needs:.2g} "
            f"s. {REMEDY}"
        )


def accept_prefix(is_usable: bool, what: str) -> None:
    """Warn that a kernel was stopped early; raise if the caller cannot use the partial result."""
    if not is_usable:
        raise TimeBudgetError(f"the deadline was reached before all {what} were computed. {REMEDY}")
    warnings.warn(
        f"the deadline was reached before all {what} were computed; the model is chosen among those computed so far.",
        UnfinishedWarning,
        stacklevel=3,
    )


class Inheriting:
    """Function that runs, in another thread or process, under the deadline of the thread that created it."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        left = time_left()
        # Steady clocks are not comparable between processes.
        self.end = math.inf if left == math.inf else time.time() + left

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        with deadline(self.end - time.time()):
            return self.function(*arguments, **named)
