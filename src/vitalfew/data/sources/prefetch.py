"""Reading while others work: batches are fetched in a thread of their own, and worked on side by side, in order."""

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

# Batches that wait for whoever works on them.
WAITING = 2
# A batch of more bytes waits alone.
LARGE = 64 << 20


def batches_in_memory(threads: int) -> int:
    """How many batches `work_ahead` may hold at once: those waiting, one being read, those being worked on."""
    return WAITING + 1 + _core.thread_count(threads) + 1


def read_ahead(items: Iterable[Item], most: int = WAITING) -> Generator[Item, None, None]:
    """The same items in the same order, fetched in a thread while those before are used; errors come at their place.

    The thread has ended and the items are closed when the iterator is, by an error or Ctrl-C too.
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
    """Waits in short turns, so that Ctrl-C is heard."""
    while True:
        try:
            return queue.get(timeout=0.5)
        except Empty:
            continue


def work_ahead(work: Callable[[Item], Result], items: Iterable[Item], threads: int = 0) -> Iterator[Result]:
    """What `work` makes of each item, in order, side by side in threads; give it items that are read ahead.

    Linear algebra keeps to one thread in each of them: several that wait for one another are slow on a busy machine.
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
