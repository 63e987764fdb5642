"""Dask collections: partitions, tasks on each partition, and tree reduction.

Dask is imported only when a collection is used.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

# Results merged at once: few enough to fit on a worker, enough to keep the tree shallow.
SPLIT_EVERY = 8
# Seconds to wait before work lost with workers is repeated, so that the loss is noticed and workers are replaced.
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)


def is_partitioned(data) -> bool:
    """Return True for a Dask collection, or a list of them, such as delayed frames."""
    if isinstance(data, list | tuple):
        return len(data) > 0 and all(hasattr(type(part), "__dask_graph__") for part in data)
    return hasattr(type(data), "__dask_graph__")


def partitions_of(data) -> list[Any]:
    """Return the partitions as delayed objects, in order; a partition of an array is a block of complete rows."""
    if isinstance(data, list | tuple):
        return [part for one in data for part in partitions_of(one)]
    if not hasattr(type(data), "to_delayed"):  # delayed objects have any attribute
        return [data]
    if hasattr(data, "numblocks") and data.ndim == 2 and data.numblocks[1] > 1:
        data = data.rechunk({1: -1})
    delayed = data.to_delayed()
    return list(delayed.ravel()) if hasattr(delayed, "ravel") else list(delayed)


def aligned_partitions(**collections) -> list[list[Any]]:
    """Return the aligned partitions of several collections; a collection that is None gives a list of None."""
    first, *_ = collections
    found = {}
    for name, data in collections.items():
        if data is not None and not is_partitioned(data):
            raise TypeError(
                f"{first} is a Dask collection, but {name} is {type(data).__name__}; pass {name} as a collection "
                "with the same partitions, such as another column of the same frame."
            )
        found[name] = None if data is None else partitions_of(data)
    n = len(found[first] or ())
    for name, parts in found.items():
        if parts is not None and len(parts) != n:
            raise ValueError(f"{first} and {name} must be partitioned alike, got {n} and {len(parts)} partitions.")
    return [[None] * n if parts is None else parts for parts in found.values()]


def on_each(function: Callable, *partitions: Sequence, **arguments) -> list[Any]:
    """Apply `function` lazily to each partition, or to aligned ones; the arguments are sent once."""
    from dask import delayed

    call = delayed(function, pure=False)
    shared = {name: delayed(value, pure=False, traverse=False) for name, value in arguments.items()}
    return [call(*parts, **shared) for parts in zip(*partitions)]


def merge_tree(parts: Sequence, merge: Callable[[list], Any], split_every: int = SPLIT_EVERY) -> Any:
    """Reduce many delayed results to one: neighbors are merged, `split_every` at a time, until one is left.

    The tree depends only on the number of parts, so results do not depend on which worker is faster.
    """
    from dask import delayed

    call = delayed(merge, pure=False)
    while len(parts) > 1:
        parts = [call(list(parts[i : i + split_every])) for i in range(0, len(parts), split_every)]
    return parts[0]


def compute(*delayed) -> Any:
    """Compute delayed objects and return their results."""
    import dask

    found = dask.compute(*delayed)
    return found[0] if len(delayed) == 1 else found


def persist(delayed: Sequence) -> list[Any]:
    """Compute objects and keep them on their workers; results lost with a worker are recomputed when needed."""
    import dask

    return list(dask.persist(*delayed))


def sent_to_all(value, work: Callable[[Any], Any]) -> Any:
    """Compute the delayed object ``work(value)`` after copying `value` to every worker.

    With a copy on every worker, tasks run where their data is, however large the value. But copies cannot be
    recomputed: if workers die during the transfer, or all workers with a copy die, the work is repeated.
    """
    client = _client()
    if client is None:
        return compute(work(value))
    from distributed.client import FutureCancelledError

    for pause in (*PAUSES, None):
        try:
            (copied,) = client.scatter([value], broadcast=True, hash=False)
        except (OSError, KeyError):  # an addressed worker no longer exists
            if pause is None:
                raise
        else:
            try:
                return compute(work(copied))
            except FutureCancelledError:
                if pause is None:
                    raise
        time.sleep(pause)
    raise AssertionError("unreachable")


def _client():
    """Return the client of the cluster on which Dask would compute, or None."""
    from dask.base import get_scheduler

    return getattr(get_scheduler(), "__self__", None) if "distributed" in sys.modules else None


def worker_threads() -> int:
    """Return the threads for a kernel in a task: the worker's, divided by its running tasks; 1 elsewhere."""
    distributed = sys.modules.get("distributed")
    try:
        worker = distributed.get_worker() if distributed else None
    except ValueError:
        worker = None
    if worker is None:
        return 1
    return max(1, worker.state.nthreads // max(1, worker.state.executing_count))


def add_all(parts: Iterable) -> Any:
    """Sum the parts from left to right, ignoring None."""
    known = [part for part in parts if part is not None]
    return reduce(add, known) if known else None
