"""`summarize`: sufficient statistics of any source in one pass, without keeping the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vitalfew.data.coding.table_coder import NUMERIC
from vitalfew.data.source import open_source
from vitalfew.data.sources.partition_source import PartitionSource
from vitalfew.data.sources.protocol import Source
from vitalfew.data.sources.source_files import DatasetSource
from vitalfew.data.tables.column_kinds import MAX_CLASSES
from vitalfew.summaries.arrow_columns import kind_of, numbers_of
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.summaries.moments import Moments
from vitalfew.summaries.partition_counts import PartitionedCounts
from vitalfew.summaries.partition_moments import partitioned_moments
from vitalfew.summaries.push_down import pushes_down
from vitalfew.summaries.row_folds import RowFolds
from vitalfew.summaries.stream_counts import CountsStream
from vitalfew.summaries.stream_moments import stream_moments
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_threads
from vitalfew.support.suggest import check_names

KINDS = (None, "counts", "moments")
MEMORY = 2**30


def summarize(
    source: Any,
    target: str,
    *,
    columns: Sequence[str] | None = None,
    kind: str | None = None,
    weight: str | None = None,
    table: str | None = None,
    query: str | None = None,
    numeric: str = "mdl",
    memory: int = MEMORY,
    push_down: bool | str = "auto",
    folds: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> Counts | Moments | Summaries:
    """Compute counts or second moments of a table that may be larger than memory.

    The source is read in batches; each is counted or multiplied while the next ones are prefetched.
    :class:`~vitalfew.Counts` are the input of ``NaiveBayes.fit_counts`` and ``InformationRanking.fit_counts``,
    :class:`~vitalfew.Moments` of ``fit_moments`` of ``Ridge``, ``Lasso``, ``GreedySubsetRegressor``,
    ``BestSubsetRegressor`` and ``ForwardFittingRegressor``. The models equal those fitted on the samples. With `folds`,
    the same pass also summarizes each fold, for the rules ``"cv"`` and ``"1se"``.

    Parameters
    ----------
    source : data frame, file names, database, address, Dask collection or Source
        Anything that :func:`~vitalfew.data.source.open_source` accepts. Workers summarize the partitions of a Dask
        DataFrame, and the summaries are merged in a tree.
    target : str
        Column to predict. Rows in which it is null are unlabeled samples in counts, and ignored in moments.
    columns : list of str, optional
        Features; by default all columns except target and weight.
    kind : {"counts", "moments"}, optional
        By default moments if the target is a number, and counts if it is a class (text, boolean, two distinct numbers,
        or up to ten distinct integers).
    weight : str, optional
        Column of weights; a sample of weight 2 counts as two samples.
    table, query : str, optional
        Table of a database to read, or query to run.
    numeric : {"mdl", "quantile", "uniform", "distinct"}, default "mdl"
        Method by which counts cut numbers with many distinct values, see :class:`~vitalfew.NaiveBayes`.
    memory : int, default 2**30
        Bytes that batches and summaries may take together, on a cluster per task. Memory used by the source for
        reading is not included: Parquet files keep up to about 250 MB of row groups, and in proportion less if
        `memory` is below 1 GiB; Arrow files keep the batches in which they were written.
    push_down : bool or "auto", default "auto"
        Whether a database counts text, booleans and integers itself (``GROUP BY``); "auto" does so where it was
        measured to be faster, which is for DuckDB tables. Weighted rows, moments and folds are streamed.
    folds : int, optional
        Number of folds. A row goes to a fold by a hash of `random_state` and its number, counted from 0 over all rows
        of the source.
    random_state : int, default 0
        Seed of the hash.
    n_jobs : int, optional
        Number of threads; all by default. The result does not depend on it.
    verbose : bool, optional
        Whether to show a progress bar; by default on a terminal, for long work.

    Returns
    -------
    Counts, Moments, or Summaries of them if `folds` is given

    Notes
    -----
    *Folds.* Frames, files, Dask collections, and tables of DuckDB and SQLite return their rows in a fixed order. Their
    folds depend on nothing but `random_state`: not on batches, threads, partitions or workers. Elsewhere (PostgreSQL, a
    query without ``ORDER BY``) the order is that in which the rows happen to arrive: folds are still drawn at random
    and independently of the values, but may differ the next time. If columns must be read twice and the order has
    changed in between, an error says so. Hashed folds have almost, not exactly, equal sizes.

    *Counts.* Values need not be known in advance. Numbers with up to 1,024 distinct values are cut exactly as in
    memory. Those with more are read twice: a random sample of 65,536 rows gives 1,024 bins, all rows are counted in
    these bins, and cuts lie between bins. Such cuts are exact to about a thousandth of the rows, and the counts are
    exact. With at most 65,536 labeled rows, and with ``"uniform"``, cuts are exact. ``Counts.note`` names the columns
    that were binned. Values that occur only in unlabeled rows carry no evidence, as in ``NaiveBayes.fit``.

    *Moments.* Numbers and booleans are used directly. A column of text or categories becomes a 0/1 column for each of
    its values (``color=red``; missing is one of them), up to 1,000, which are found in a first pass over such columns.
    A missing or infinite number raises an error that names the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from vitalfew import InformationRanking, summarize
    >>> table = pd.DataFrame({"wet": [1, 1, 0, 0, 1], "day": [1, 2, 3, 1, 2], "rain": ["yes", "yes", "no", "no", None]})
    >>> counts = summarize(table, "rain")
    >>> counts.class_count, counts.n_unlabeled
    (array([2., 2.]), 1.0)
    >>> InformationRanking(k=1).fit_counts(counts).get_feature_names_out()
    array(['wet'], dtype=object)
    >>> summarize(table, "day", columns=["wet"], kind="moments")
    Moments(n_rows=5, n_features=1, weight_sum=5)
    >>> summarize(table, "day", columns=["wet"], kind="moments", folds=2)
    Summaries(n_folds=2, total=Moments(n_rows=5, n_features=1, weight_sum=5))
    """
    check_choice("kind", kind, KINDS)
    check_choice("numeric", numeric, NUMERIC)
    check_choice("push_down", push_down, (True, False, "auto"))
    threads = check_threads(n_jobs)
    drawn = None if folds is None else RowFolds.check(folds, random_state)
    opened = open_source(source, table=table, query=query)
    if isinstance(opened, DatasetSource):
        opened = opened.within(int(memory))
    names = _check_columns(opened, target, columns, weight)
    kind = kind or ("moments" if is_number(opened, target) else "counts")
    if kind == "moments":
        if kind_of(opened.schema().field(target)) == "words":
            raise ValueError(f"Moments require a numeric target, but {target!r} is text; use kind='counts'.")
        if isinstance(opened, PartitionSource):
            return partitioned_moments(opened, target, names, weight, int(memory), drawn)
        return stream_moments(opened, target, names, weight, int(memory), threads, verbose, drawn)
    kind_of_stream = PartitionedCounts if isinstance(opened, PartitionSource) else CountsStream
    stream = kind_of_stream(opened, target, names, weight, numeric, int(memory), threads, verbose, drawn)
    stream.tally(in_database=drawn is None and pushes_down(opened, push_down, weight))
    stream.bin_numbers()
    return stream.finish()


def is_number(source: Source, target: str) -> bool:
    """Return True if a target is numeric by the rule of `recognize_task`; reads only as much as necessary."""
    if kind_of(source.schema().field(target)) != "numbers":
        return False
    distinct: set[float] = set()
    for batch in source.batches([target]):
        values = np.unique(numbers_of(batch.column(0), target).astype(float))
        distinct.update(values[~np.isnan(values)].tolist())
        is_whole = all(v.is_integer() for v in distinct)
        if len(distinct) > (MAX_CLASSES if is_whole else 2):
            return True
    return False


def _check_columns(source: Source, target: str, columns: Sequence[str] | None, weight: str | None) -> list[str]:
    check_given(columns, "columns")
    schema = source.schema()
    own = [target, *([] if weight is None else [weight])]
    check_names([*own, *(columns or ())], schema.names)
    names = [n for n in schema.names if n not in own] if columns is None else list(columns)
    if not names:
        raise ValueError(f"{source.name!r} has no columns other than {' and '.join(map(repr, own))}.")
    for name in own:
        if columns is not None and name in columns:
            raise ValueError(f"column {name!r} is the {'target' if name == target else 'weight'}, not a feature.")
    if len(set(names)) < len(names):
        raise ValueError("columns contains a column twice.")
    if weight is not None and kind_of(schema.field(weight)) == "words":
        raise ValueError(f"weights must be numbers, but column {weight!r} is text.")
    return names
