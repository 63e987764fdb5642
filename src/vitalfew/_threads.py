"""How many threads linear algebra may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController


def limit_threads(threads: int) -> AbstractContextManager:
    """At most so many threads inside; 0 stands for all that are allowed."""
    return nullcontext() if threads == 0 else _limits().hold(threads)


class _Limits:
    """OpenMP has a limit for each thread that calls it, but BLAS one for the process: where several threads hold it at the
    same time the lowest counts, and who leaves last puts back what the first has found."""

    def __init__(self) -> None:
        # To look for the libraries takes milliseconds. Those of NumPy, SciPy and the core are loaded by now.
        found = ThreadpoolController()
        self._openmp, self._blas = found.select(user_api="openmp"), found.select(user_api="blas")
        self._lock = Lock()
        self._held: list[int] = []

    @contextmanager
    def hold(self, threads: int) -> Iterator[None]:
        with self._lock:
            self._held.append(threads)
            changed = self._blas.limit(limits=min(self._held))
            if len(self._held) == 1:
                self._original = changed
        try:
            with self._openmp.limit(limits=threads):
                yield
        finally:
            with self._lock:
                self._held.remove(threads)
                if self._held:
                    self._blas.limit(limits=min(self._held))
                else:
                    self._original.restore_original_limits()


_limits = cache(_Limits)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limits.cache_clear)  # the lock may be held by a thread that the child has not
