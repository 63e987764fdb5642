"""Batch queue: the consumer gets all batches, or both sides get an error and neither waits forever."""

import threading
from contextlib import suppress
from threading import Event, Thread

import pyarrow as pa
import pytest

from vitalfew.data.databases.batch_queue import Handed

BATCH = pa.record_batch({"x": [1, 2]})


def test_all_is_taken():
    taken = []
    with Handed(BATCH.schema) as handed:
        handed.to(lambda: taken.extend(handed.reader))
        for _ in range(5):
            handed.put(BATCH)
    assert [batch.num_rows for batch in taken] == [2] * 5


def test_the_taker_hears_of_an_error():
    heard = []

    def take():
        try:
            list(handed.reader)
        except Exception as error:
            heard.append(str(error))

    with pytest.raises(ValueError, match="mine"), Handed(BATCH.schema) as handed:  # noqa: PT012
        handed.to(take)
        handed.put(BATCH)
        raise ValueError("mine")
    assert "source of the batches to write failed" in heard[0]


@pytest.mark.parametrize("n_more", [0, 3])
def test_a_taker_that_gives_up_leaves_nobody_waiting(n_more):
    """DuckDB before version 2 reads from threads of Arrow's, which outlive its own error and would keep the process."""
    helper: list[Thread] = []

    def read():
        with suppress(RuntimeError):  # an error or an end, by who came first: what counts is that it comes back
            list(handed.reader)

    def take():
        helper.append(Thread(target=read, daemon=True))
        helper[0].start()
        raise OSError("no room")

    handed = Handed(BATCH.schema)
    with pytest.raises(OSError, match="no room"), handed:  # noqa: PT012
        handed.to(take)
        for _ in range(n_more):
            handed.put(BATCH)
    helper[0].join(timeout=30)
    assert not helper[0].is_alive()


def test_the_taker_hears_of_an_interrupt_while_it_is_waited_for(monkeypatch):
    heard = []

    def take():
        wait.wait(30)
        try:
            list(handed.reader)
        except Exception as error:
            heard.append(str(error))

    def interrupted(thread, timeout=None):
        raise KeyboardInterrupt

    wait = Event()
    with pytest.raises(KeyboardInterrupt), Handed(BATCH.schema) as handed:  # noqa: PT012
        handed.to(take)
        handed.put(BATCH)
        taker = next(thread for thread in threading.enumerate() if thread.name == "vitalfew-writer")
        monkeypatch.setattr(taker, "join", interrupted.__get__(taker))
    wait.set()
    monkeypatch.undo()
    taker.join(30)
    assert "source of the batches to write failed" in heard[0]
