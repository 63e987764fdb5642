"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import threadpool_limits


def limit_threads(threads: int) -> AbstractContextManager:
    """At most so many threads inside; 0 stands for all that are allowed."""
    return nullcontext() if threads == 0 else threadpool_limits(threads)
