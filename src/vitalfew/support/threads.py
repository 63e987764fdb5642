"""Limits on the number of threads for linear algebra."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController


def limit_threads(threads: int) -> AbstractContextManager:
    """Limit linear algebra to `threads` threads in the context; 0 means all that are allowed."""
    return nullcontext() if threads == 0 else _controller().limit(limits=threads)


@cache
def _controller() -> ThreadpoolController:
    # Finding the libraries takes milliseconds. Those of NumPy, SciPy and the core are loaded by now.
    return ThreadpoolController()
