"""Cross-validation paths, from second moments (those of all rows minus those of the fold) or fitted in threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.rules.path import Run
from vitalfew.summaries.moments import Moments, fold_moments
from vitalfew.support.deadline import Inheriting
from vitalfew.support.threads import limit_threads

# Up to this many columns, all second moments are computed at once instead of as columns enter.
MOST_COLUMNS = 4000


def pays_to_summarize(data: NumericData) -> bool:
    """Return True if computing all second moments costs less than the passes over the rows that it saves."""
    most = MOST_COLUMNS if not sparse.issparse(data.X) else MOST_COLUMNS // 4
    return data.n_features <= most and data.n_rows >= 2 * data.n_features


def squared_loss_folds(family, data: NumericData, splits, path, options) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over the path of each fold and the data to test it on.

    Paths come from moments if the family uses them for this data (``family.uses_moments(data)``), otherwise they are
    fitted in threads.
    """
    found = paths_from_moments(family, data, splits, path, options) if family.uses_moments(data) else None
    return paths_in_threads(family, data, splits, path) if found is None else found


def summarize_folds(data: NumericData, splits) -> None:
    """Compute the moments of each fold in one pass over the rows, and cache them and their sum in ``data.known``."""
    folds = fold_moments(data, splits)
    if folds is not None:
        data.known["folds"] = folds
        data.known["moments"] = sum(folds[1:], start=folds[0])


def paths_from_moments(family, data: NumericData, splits, path, options) -> Iterator[tuple[Any, Any]] | None:
    """Return pairs of a path and its test data after one pass over the rows, or None if folds do not partition them."""
    if "folds" not in data.known:
        summarize_folds(data, splits)
    return _paths(family, data, splits, path, options) if "folds" in data.known else None


def _paths(family, data, splits, path, options):
    total = Moments.of(data)
    for fold, (_, test) in zip(data.known["folds"], splits):
        yield family.path(total - fold, path.grid), fold if options.scoring is None else data.take(test)


def paths_in_threads(family, data, splits, path) -> Iterator[tuple[Any, Any]]:
    """Yield, in order, the path of each fold over the grid of `path` and the samples to test it on.

    The family is a dataclass with `threads` and `verbose`.
    """
    alone = replace(family, threads=1, verbose=False)
    stop = Event()

    def cancel(_done: float) -> None:
        if stop.is_set():
            raise InterruptedError

    def work(train, test):
        fitted, tested = data.split(train, test)
        return alone.path(fitted, path.grid, run=Run(cancel)), tested

    # Each fold has its own thread, so linear algebra inside it must not start more. The limit also applies to the
    # core, so its threads are counted before the limit is set.
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
