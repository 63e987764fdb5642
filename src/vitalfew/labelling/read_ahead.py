"""Batches that are read while others are worked on."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
_END = object()


def read_ahead(items: Iterable[Item], n_ahead: int = 2) -> Generator[Item, None, None]:
    """The same items, of which another thread makes up to `n_ahead` beforehand.

    What goes wrong there is raised here. The thread has ended when the iterator is closed, by an error or Ctrl-C too.
    """
    queue: Queue = Queue(maxsize=n_ahead)
    is_over = Event()

    def put(item) -> bool:
        while not is_over.is_set():
            try:
                queue.put(item, timeout=0.1)
                return True
            except Full:
                continue
        return False

    def read() -> None:
        iterator = iter(items)
        try:
            for item in iterator:
                if not put((item, None)):
                    break
            else:
                put((_END, None))
        except BaseException as error:
            put((_END, error))
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()

    thread = Thread(target=read, name="vitalfew reads ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = _next(queue)
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        is_over.set()
        thread.join()


def _next(queue: Queue):
    """Waits in short turns, so that Ctrl-C is heard."""
    while True:
        try:
            return queue.get(timeout=0.5)
        except Empty:
            continue
