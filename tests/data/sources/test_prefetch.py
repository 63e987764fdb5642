"""Reading ahead: the same items in order, errors where they belong, and no thread left behind."""

import threading
from contextlib import closing

import pytest

from vitalfew.data.sources.prefetch import read_ahead


def test_same_items_and_no_thread_left():
    n_threads = threading.active_count()
    assert list(read_ahead(range(50))) == list(range(50))
    assert list(read_ahead([])) == []
    assert threading.active_count() == n_threads


def test_errors_come_through():
    def broken():
        yield 1
        raise OSError("gone")

    items = read_ahead(broken())
    assert next(items) == 1
    with pytest.raises(OSError, match="gone"):
        next(items)


def test_it_ends_when_it_is_closed():
    n_threads = threading.active_count()
    is_closed = []

    def endless():
        try:
            while True:
                yield 0
        finally:
            is_closed.append(True)

    with closing(read_ahead(endless())) as items:
        next(items)
    assert is_closed == [True]
    assert threading.active_count() == n_threads
