"""Cross-validation paths, from second moments (those of all rows minus those of the fold) or fitted in threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.rules import Options
from vitalfew.rules.path import Run
from vitalfew.summaries.fold_summaries import Summaries, summarize_folds
from vitalfew.summaries.moments import Moments
from vitalfew.support.deadline import Inheriting
from vitalfew.support.threads import limit_threads

# Up to this many columns, all second moments are computed at once instead of as columns enter.
MOST_COLUMNS = 4000


def pays_to_summarize(data: NumericData) -> bool:
    """Return True if computing all second moments costs less than the passes over the rows that it saves."""
    most = MOST_COLUMNS if not sparse.issparse(data.X) else MOST_COLUMNS // 4
    return data.n_features <= most and data.n_rows >= 2 * data.n_features


def squared_loss_folds(
    family: Any, data: NumericData | Summaries[Moments], splits: Any, path: Any, options: Options
) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over the path of each fold and the data to test it on.

    Paths come from moments if there are no rows, or if the family uses moments for this data
    (``family.uses_moments(data)``), otherwise they are fitted in threads.
    """
    has_moments = isinstance(data, Summaries) or family.uses_moments(data)
    found = paths_from_moments(family, data, splits, path, options) if has_moments else None
    return paths_in_threads(family, data, splits, path) if found is None else found


def paths_from_moments(
    family: Any, data: NumericData | Summaries[Moments], splits: Any, path: Any, options: Options
) -> Iterator[tuple[Any, Any]] | None:
    """Return pairs of a path and its test data after one pass over the rows, or None if folds do not partition them."""
    summaries = data if isinstance(data, Summaries) else options.summaries
    if summaries is None:
        summaries = summarize_folds(data, splits)  # type: ignore[arg-type]
    return None if summaries is None else _paths(family, data, summaries, splits, path, options)


def _paths(
    family: Any, data: Any, summaries: Summaries[Moments], splits: Any, path: Any, options: Options
) -> Iterator[tuple[Any, Any]]:
    for (train, fold), split in zip(summaries.splits(), splits):
        yield family.path(train, path.grid), fold if options.scoring is None else data.take(split[1])


def paths_in_threads(family: Any, data: Any, splits: Any, path: Any) -> Iterator[tuple[Any, Any]]:
    """Yield, in order, the path of each fold over the grid of `path` and the samples to test it on.

    The family is a dataclass with `threads` and `verbose`.
    """
    alone = replace(family, threads=1, verbose=False)
    stop = Event()

    def cancel(_done: float) -> None:
        if stop.is_set():
            raise InterruptedError

    def work(train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
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
