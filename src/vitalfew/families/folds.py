"""The paths of folds: from second moments (those of all rows minus those of the fold), or side by side in threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.summaries.moments import Moments, fold_moments
from vitalfew.support.deadline import Inheriting
from vitalfew.support.threads import limit_threads

# Up to so many columns second moments are computed once instead of as columns enter.
MOST_COLUMNS = 4000


def pays_to_summarise(data: NumericData) -> bool:
    """Whether all second moments cost less than the passes over rows that they save."""
    most = MOST_COLUMNS if not sparse.issparse(data.X) else MOST_COLUMNS // 4
    return data.n_features <= most and data.n_rows >= 2 * data.n_features


def squared_loss_folds(family, data: NumericData, splits, path, options) -> Iterator[tuple[Any, Any]]:
    """The path of each fold and what to test it on: from moments if the family uses them on such data, else in threads.

    The family has ``uses_moments(data)``.
    """
    found = paths_from_moments(family, data, splits, path, options) if family.uses_moments(data) else None
    return paths_in_threads(family, data, splits, path) if found is None else found


def summarise_folds(data: NumericData, splits) -> None:
    """Moments of each fold in one pass over the rows, and of all rows as their sum; both are kept with the data."""
    folds = fold_moments(data, splits)
    if folds is not None:
        data.known["folds"] = folds
        data.known["moments"] = sum(folds[1:], start=folds[0])


def paths_from_moments(family, data: NumericData, splits, path, options) -> Iterator[tuple[Any, Any]] | None:
    """Pairs of a path and what to test it on, after one pass over the rows; None if folds do not part the rows."""
    if "folds" not in data.known:
        summarise_folds(data, splits)
    return _paths(family, data, splits, path, options) if "folds" in data.known else None


def _paths(family, data, splits, path, options):
    total = Moments.of(data)
    for fold, (_, test) in zip(data.known["folds"], splits):
        yield family.path(total - fold, path.grid), fold if options.scoring is None else data.take(test)


def paths_in_threads(family, data, splits, path) -> Iterator[tuple[Any, Any]]:
    """The path of each fold over the grid of another path, in order, and the rows to test it on.

    The family is a dataclass with `threads` and `verbose`. Its ``path(rows, grid, heed)`` hands `heed` to a kernel as
    progress callback: it raises when the work is no longer wanted.
    """
    alone = replace(family, threads=1, verbose=False)
    stop = Event()

    def heed(_done: float) -> None:
        if stop.is_set():
            raise InterruptedError

    def work(train, test):
        fitted, tested = data.split(train, test)
        return alone.path(fitted, path.grid, heed), tested

    # Folds are the threads: linear algebra inside them must not start more. Once it is told so, the core too would hear
    # that there is only one.
    team = min(_core.thread_count(family.threads), len(splits))
    with limit_threads(1), ThreadPoolExecutor(team) as pool:
        jobs = [pool.submit(Inheriting(work), train, test) for train, test in splits]
        try:
            for job in jobs:
                yield job.result()
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise
