"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController


def limit_threads(threads: int) -> AbstractContextManager:
    """At most so many threads inside; 0 stands for all that are allowed."""
    return nullcontext() if threads == 0 else _controller().limit(limits=threads)


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes milliseconds. Those of NumPy, SciPy and the core are loaded by now.
    return ThreadpoolController()
