"""Prefetching of batches in a thread, and parallel processing of them in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

from vitalfew import _core
from vitalfew.support.deadline import Inheriting
from vitalfew.support.threads import limit_threads

Item = TypeVar("Item")
Result = TypeVar("Result")

# Maximum number of prefetched batches in the queue.
WAITING = 2
# A batch of more bytes waits until the queue is empty.
LARGE = 64 << 20


def batches_in_memory(threads: int) -> int:
    """Return the number of batches that `work_ahead` may hold at once: queued, being read, and being processed."""
    return WAITING + 1 + _core.thread_count(threads) + 1


def read_ahead(items: Iterable[Item], most: int = WAITING) -> Generator[Item, None, None]:
    """Yield the same items in order, prefetched in a thread; an error is raised at the position where it occurred.

    Closing the iterator, also after an error or Ctrl-C, ends the thread and closes the items.
    """
    queue: Queue[tuple[str, Any]] = Queue(most)
    is_over = Event()

    def put(kind: str, value: Any) -> bool:
        if getattr(value, "nbytes", 0) > LARGE:
            while not queue.empty() and not is_over.wait(0.01):
                continue
        while not is_over.is_set():
            try:
                queue.put((kind, value), timeout=0.1)
                return True
            except Full:
                continue
        return False

    def fetch() -> None:
        iterator = iter(items)
        try:
            for item in iterator:
                if not put("item", item):
                    break
            else:
                put("end", None)
        except BaseException as error:
            put("error", error)
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()

    thread = Thread(target=Inheriting(fetch), name="vitalfew-read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = _next(queue)
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        is_over.set()
        thread.join()


def _next(queue: Queue) -> tuple[str, Any]:
    """Return the next entry; wait in short intervals, so that Ctrl-C is handled."""
    while True:
        try:
            return queue.get(timeout=0.5)
        except Empty:
            continue


def work_ahead(work: Callable[[Item], Result], items: Iterable[Item], threads: int = 0) -> Iterator[Result]:
    """Yield ``work(item)`` for each item, in order, computed in parallel threads; the items should be prefetched.

    Linear algebra uses one thread in each worker, because nested threads that wait for each other are slow on a busy
    machine.
    """
    team = _core.thread_count(threads)
    pending: deque[Future[Result]] = deque()
    with limit_threads(1), ThreadPoolExecutor(team) as pool:
        try:
            for item in items:
                pending.append(pool.submit(Inheriting(work), item))
                while len(pending) > team:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for job in pending:
                job.cancel()
