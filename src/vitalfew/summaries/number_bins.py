"""Binning of numeric columns in a stream: bins from a sample, exact counts per bin, cuts between bins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.discretize import cut_columns
from vitalfew.data.coding.table_coder import MAX_CATEGORIES, Categories, Coding, Cuts, OwnCodes

# Bins of a column, with about equally many samples each.
BINS = 1024
# Number of sampled rows from which bins are made.
SAMPLE_ROWS = 65_536
SMALLEST_SAMPLE = 8192
SEED = 20261
# Number of intervals for "quantile" and "uniform".
INTERVALS = 5


@dataclass
class RowSample:
    """Sample of rows without replacement: the rows with the smallest random keys, independent of the batches."""

    most: int = SAMPLE_ROWS
    limit: float = 1.0
    n_seen: int = 0
    parts: list[tuple[NDArray, ...]] = field(default_factory=list)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(SEED))

    @property
    def is_complete(self) -> bool:
        """True if all rows are in the sample."""
        return self.n_seen <= self.most

    def add(self, n: int, take: Callable[[NDArray[np.intp]], tuple[NDArray, ...]]) -> None:
        """Add n rows; `take` returns some of them, as arrays of equal length."""
        keys = self.rng.random(n)
        self.n_seen += n
        taken = np.flatnonzero(keys < self.limit)
        self.parts.append((keys[taken], *take(taken)))
        if sum(len(p[0]) for p in self.parts) > 2 * self.most:
            self._shrink()

    def _shrink(self) -> None:
        joined = tuple(np.concatenate(c) for c in zip(*self.parts))
        if len(joined[0]) > self.most:
            smallest = np.sort(np.argpartition(joined[0], self.most)[: self.most])
            joined = tuple(c[smallest] for c in joined)
            self.limit = float(joined[0].max())
        self.parts = [joined]

    def rows(self) -> tuple[NDArray, ...]:
        """Return the columns of the sample."""
        self._shrink()
        return self.parts[0][1:]


def easy_coding(values: NDArray[np.float64], numeric: str) -> Coding | None:
    """Return the coding of a column with these distinct numbers if they are categories; None if it needs cuts.

    The rules are those of `TableCoder`.
    """
    is_whole = bool((values == np.floor(values)).all())
    top = int(values.max(initial=-1)) + 1 if is_whole and values.min(initial=0) >= 0 else None
    if top is not None and (top <= MAX_CATEGORIES + 1 or (numeric == "distinct" and top <= 255)):
        return OwnCodes(max(2, top))
    if numeric == "distinct" or len(values) <= 2 or (is_whole and len(values) <= MAX_CATEGORIES):
        return Categories(tuple(values.tolist()))
    return None


def cut_values(values: NDArray[np.float64], table: NDArray[np.float64], numeric: str, threads: int) -> NDArray:
    """Cut a column with known counts N(value, class); the result equals that on the samples themselves."""
    row, label = np.nonzero(table)
    weight = table[row, label]
    is_plain = bool((weight == 1).all())
    return cut_columns(
        values[row][:, None],
        label.astype(np.int32),
        table.shape[1],
        None if is_plain else np.ascontiguousarray(weight),
        numeric,
        INTERVALS,
        threads,
    )[0]


@dataclass(frozen=True)
class NumberBins:
    """Bins of a column: edges, and whether these are already its cuts."""

    edges: NDArray[np.float64]
    is_final: bool

    def finish(self, table: NDArray[np.float64], numeric: str, threads: int) -> tuple[Cuts, NDArray[np.float64]]:
        """Return the cuts, and the counts of the intervals between them, from counts N(bin, 0 and classes, fold)."""
        if self.is_final:
            kept = np.arange(len(self.edges))
        else:
            # Any edge between adjacent occupied bins separates the same samples; take the first.
            found = cut_values(np.arange(len(table), dtype=float), table[:, 1:].sum(axis=2), numeric, threads)
            kept = np.floor(found).astype(np.intp)
        lines = np.add.reduceat(table, np.concatenate([[0], kept + 1]).astype(np.intp), axis=0)
        if len(lines) < 2:
            lines = np.vstack([lines, np.zeros_like(lines)])
        return Cuts(tuple(self.edges[kept].tolist())), lines


def make_bins(
    values: NDArray[np.float64],
    label: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    n_classes: int,
    span: tuple[float, float],
    numeric: str,
    is_complete: bool,
    threads: int,
) -> NumberBins:
    """Compute the bins of a column from a sample; cuts are exact if the sample is complete or with "uniform"."""
    if numeric == "uniform":
        ends = np.array(span)[:, None]
        return NumberBins(cut_columns(ends, None, 1, None, numeric, INTERVALS, threads)[0], True)
    if is_complete:
        found = cut_columns(values[:, None], label, n_classes, weight, numeric, INTERVALS, threads)[0]
        return NumberBins(found, True)
    edges = _core.bin_cuts(np.ascontiguousarray(values[:, None]), BINS, threads).value
    return NumberBins(np.asarray(edges), False)
