"""Paths of folds side by side: each on one thread, all stopped together when one fails or the user interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from vitalfew import _core


def paths_in_threads(fit: Callable[[Any, Callable], Any], data, splits, threads: int) -> Iterator[tuple[Any, Any]]:
    """The path of each fold, in order, and the rows to test it on.

    ``fit(rows, heed)`` fits one path on one thread and hands `heed` to its kernel as progress callback: it raises when
    the work is no longer wanted.
    """
    stop = Event()

    def heed(_done: float) -> None:
        if stop.is_set():
            raise InterruptedError

    def work(train, test):
        fitted, tested = data.split(train, test)
        return fit(fitted, heed), tested

    with ThreadPoolExecutor(min(_core.thread_count(threads), len(splits))) as pool:
        jobs = [pool.submit(work, train, test) for train, test in splits]
        try:
            for job in jobs:
                yield job.result()
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise
