"""Collections of Dask: their partitions, what is done to each on its worker, and merging in a tree.

Dask is imported when a collection is met, not before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

# Results merged at once: few enough to fit on a worker, many enough to keep the tree low.
SPLIT_EVERY = 8
# Seconds before work is begun anew that was lost with workers: these are noticed, and replaced, meanwhile.
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)


def is_partitioned(data) -> bool:
    """Whether it is a collection of Dask, or a list of these, such as delayed frames."""
    if isinstance(data, list | tuple):
        return len(data) > 0 and all(hasattr(type(part), "__dask_graph__") for part in data)
    return hasattr(type(data), "__dask_graph__")


def partitions_of(data) -> list[Any]:
    """The partitions of a collection as delayed objects, in order. A partition of an array is a block of whole rows."""
    if isinstance(data, list | tuple):
        return [part for one in data for part in partitions_of(one)]
    if not hasattr(type(data), "to_delayed"):  # delayed objects have any attribute one asks for
        return [data]
    if hasattr(data, "numblocks") and data.ndim == 2 and data.numblocks[1] > 1:
        data = data.rechunk({1: -1})
    delayed = data.to_delayed()
    return list(delayed.ravel()) if hasattr(delayed, "ravel") else list(delayed)


def aligned_partitions(**collections) -> list[list[Any]]:
    """Partitions of several collections side by side; those that are None stay None."""
    first, *_ = collections
    found = {}
    for name, data in collections.items():
        if data is not None and not is_partitioned(data):
            raise TypeError(
                f"{first} is a collection of Dask and {name} is {type(data).__name__}: give {name} as a collection "
                "with the same partitions, such as another column of the same frame."
            )
        found[name] = None if data is None else partitions_of(data)
    n = len(found[first] or ())
    for name, parts in found.items():
        if parts is not None and len(parts) != n:
            raise ValueError(
                f"{first} has {n} partitions and {name} {len(parts)}: they must be the same rows, in order."
            )
    return [[None] * n if parts is None else parts for parts in found.values()]


def on_each(function: Callable, *partitions: Sequence, **arguments) -> list[Any]:
    """`function` of each partition (or of several side by side), as delayed objects. Arguments are sent once."""
    from dask import delayed

    call = delayed(function, pure=False)
    shared = {name: delayed(value, pure=False, traverse=False) for name, value in arguments.items()}
    return [call(*parts, **shared) for parts in zip(*partitions)]


def merge_tree(parts: Sequence, merge: Callable[[list], Any], split_every: int = SPLIT_EVERY) -> Any:
    """One delayed result of many: neighbours are merged, `split_every` at a time, until one is left.

    The tree depends on the number of parts alone, so that results do not depend on which worker is faster.
    """
    from dask import delayed

    call = delayed(merge, pure=False)
    while len(parts) > 1:
        parts = [call(list(parts[i : i + split_every])) for i in range(0, len(parts), split_every)]
    return parts[0]


def compute(*delayed) -> Any:
    """What delayed objects give, brought here."""
    import dask

    found = dask.compute(*delayed)
    return found[0] if len(delayed) == 1 else found


def persist(delayed: Sequence) -> list[Any]:
    """The same objects, computed and kept where they are. What is lost with a worker is computed again when needed."""
    import dask

    return list(dask.persist(*delayed))


def sent_to_all(value, work: Callable[[Any], Any]) -> Any:
    """What the delayed object ``work(value)`` gives, `value` being copied to every worker before.

    With a copy everywhere, work is done where the data is, however large the value. But copies have no history from
    which they could be made again: where workers die while they are sent, or all that have one die, it is done anew.
    """
    client = _client()
    if client is None:
        return compute(work(value))
    from distributed.client import FutureCancelledError

    for pause in (*PAUSES, None):
        try:
            (copied,) = client.scatter([value], broadcast=True, hash=False)
        except (OSError, KeyError):  # a worker that is addressed is no longer there
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
    """The client of the cluster on which Dask would compute, if it would on one."""
    from dask.base import get_scheduler

    return getattr(get_scheduler(), "__self__", None) if "distributed" in sys.modules else None


def worker_threads() -> int:
    """Threads for a kernel inside a task: the worker's, shared by the tasks that it runs now; one elsewhere."""
    distributed = sys.modules.get("distributed")
    try:
        worker = distributed.get_worker() if distributed else None
    except ValueError:
        worker = None
    if worker is None:
        return 1
    return max(1, worker.state.nthreads // max(1, worker.state.executing_count))


def add_all(parts: Iterable) -> Any:
    """Their sum, from left to right; None is nothing."""
    known = [part for part in parts if part is not None]
    return reduce(add, known) if known else None
