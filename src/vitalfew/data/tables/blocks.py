"""Discrete data in memory, in two storage formats with the same operations.

Both formats number the values of all features as consecutive *slots*: value ``v`` of feature ``j`` has slot
``offsets[j] + v``. A table with one row per slot (counts, log-probabilities) then fits both, and code that uses
blocks does not need to know whether the data is sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core

Events = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8], int]


class Block(Protocol):
    """Interface of discrete data for families and summaries."""

    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def has_missing(self) -> NDArray[np.bool_]: ...

    def take(self, rows: NDArray[np.intp]) -> Block:
        """Return the block of the given rows."""

    def to_codes(self) -> CodesBlock:
        """Return the same data as dense codes."""

    def count(self, label, weight, n_classes: int, threads: int = 0) -> NDArray[np.float64]:
        """Return the weighted counts N(slot, class)."""

    def score(self, table: NDArray[np.float64], events: Events | None = None, threads: int = 0) -> NDArray[np.float64]:
        """Sum the table rows of each sample's values at each point of a path: (rows, points, classes)."""

    def search_mdl(self, search: _core.MdlSearch) -> _core.MdlTrace:
        """Run a greedy MDL search."""


@dataclass(frozen=True)
class BinaryBlock:
    """Binary features in compressed sparse row format without values; no value is missing."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    n_features: int

    @property
    def n_rows(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        return np.arange(0, 2 * self.n_features + 1, 2)

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        return np.zeros(self.n_features, dtype=bool)

    def take(self, rows):
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        source = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return BinaryBlock(indptr, self.indices[source], self.n_features)

    def count(self, label, weight, n_classes, threads=0):
        present = _core.count_binary(self.indptr, self.indices, self.n_features, label, weight, n_classes, threads)
        table = np.empty((2 * self.n_features, n_classes))
        total = class_totals(label, weight, n_classes, self.n_rows)
        absent = np.subtract(total, present, out=table[0::2])
        if weight is not None:  # other summation order: a full column leaves rounding errors
            absent[:] = without_rounding(absent, total)
        table[1::2] = present
        return table

    def score(self, table, events=None, threads=0):
        absent = table[0::2]
        evidence = _core.score_binary(self.indptr, self.indices, self.n_features, table[1::2] - absent, events, threads)
        if events is None:
            return evidence + absent.sum(axis=0)
        return evidence + _cumulate(absent, events)

    def to_codes(self) -> CodesBlock:
        """Return the same data as dense codes."""
        dense = np.zeros((self.n_rows, self.n_features), dtype=np.uint8)
        dense[np.repeat(np.arange(self.n_rows), np.diff(self.indptr)), self.indices] = 1
        return CodesBlock(dense, self.offsets)

    def search_mdl(self, search):
        return _core.mdl_binary(self.indptr, self.indices, self.n_features, search)


@dataclass(frozen=True)
class CodesBlock:
    """Dense codes; the largest value of the code type means missing or not seen in training."""

    codes: NDArray
    offsets: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        return self.codes.shape[0]

    @property
    def n_features(self) -> int:
        return self.codes.shape[1]

    @cached_property
    def has_missing(self) -> NDArray[np.bool_]:
        return (self.codes == np.iinfo(self.codes.dtype).max).any(axis=0)

    def to_codes(self) -> CodesBlock:
        return self

    def take(self, rows):
        return CodesBlock(self.codes[rows], self.offsets)

    def count(self, label, weight, n_classes, threads=0):
        return _core.count_codes(self.codes, self.offsets, label, weight, n_classes, threads)

    def score(self, table, events=None, threads=0):
        return _core.score_codes(self.codes, self.offsets, np.ascontiguousarray(table), events, threads)

    def search_mdl(self, search):
        # Candidates are read by column, many times. Copy them, since the codes may belong to the caller's table.
        return _core.mdl_codes(np.array(self.codes, order="F"), self.offsets, search)


def class_totals(label, weight, n_classes: int, n_rows: int) -> NDArray[np.float64]:
    """Return the sum of weights of each class; without labels, all samples form one class."""
    if label is None:
        return np.array([float(n_rows) if weight is None else weight.sum()])
    return np.bincount(label, weights=weight, minlength=n_classes).astype(float)


def without_rounding(difference: NDArray[np.float64], total) -> NDArray[np.float64]:
    """Set a difference of weighted sums to 0 where it does not exceed the rounding error of the sums."""
    return np.where(difference < 1e-11 * total, 0.0, difference)


def _cumulate(lines: NDArray[np.float64], events: Events) -> NDArray[np.float64]:
    """Sum the rows of the selected features at each point of a path: (points, classes)."""
    start, segment, sign, n_segments = events
    change = np.zeros((n_segments, lines.shape[1]))
    feature = np.repeat(np.arange(len(start) - 1), np.diff(start))
    np.add.at(change, segment, sign[:, None] * lines[feature])
    return change.cumsum(axis=0)


def stack(first: Block, second: Block) -> Block:
    """Concatenate the rows of two blocks with the same features."""
    if isinstance(first, BinaryBlock) and isinstance(second, BinaryBlock):
        indptr = np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]])
        return BinaryBlock(indptr, np.concatenate([first.indices, second.indices]), first.n_features)
    a, b = first.to_codes(), second.to_codes()
    wide = np.promote_types(a.codes.dtype, b.codes.dtype)
    return CodesBlock(np.concatenate([_widened(a.codes, wide), _widened(b.codes, wide)]), a.offsets)


def _widened(codes: NDArray, dtype) -> NDArray:
    """Convert codes to a wider type; the missing code becomes the largest value of the new type."""
    if codes.dtype == dtype:
        return codes
    return np.where(codes == np.iinfo(codes.dtype).max, np.iinfo(dtype).max, codes).astype(dtype)
