"""Samples on the workers of a Dask cluster: labeled ones are collected, the others stay and only their sums travel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, column_or_1d

from vitalfew.data.samples.partly_labeled import are_labeled
from vitalfew.data.tables.frames import as_frame
from vitalfew.data.tables.partitions import (
    add_all,
    aligned_partitions,
    compute,
    merge_tree,
    on_each,
    partitions_of,
    persist,
    sent_to_all,
    worker_threads,
)
from vitalfew.families.bayes.mixture import Parameters, Sums
from vitalfew.support.arrow import check_given

# Reads a partition into rows that can be summed, with the given number of threads.
Reader = Callable[[Any, int], Any]


@dataclass(frozen=True)
class ClusterRows:
    """Unlabeled rows kept by the workers, as blocks that are built from the partitions once.

    Each EM step sends the parameters to every worker and returns one pair of sums, merged in a tree whose shape depends
    only on the number of partitions. Blocks that are lost with a worker are rebuilt from their partitions.
    """

    partitions: list[Any]
    blocks: list[Any]
    n_rows: int
    total: NDArray[np.float64]

    @classmethod
    def read(cls, data: Any, reader: Reader) -> ClusterRows | None:
        """Read the rows of a collection, or of a list of partitions, with `reader`; return None if there are none."""
        partitions = partitions_of(data)
        blocks = persist(on_each(_read, partitions, reader=reader))
        n_rows, total = compute(merge_tree(on_each(_describe, blocks), _add_pairs))
        return cls(partitions, blocks, n_rows, total) if n_rows else None

    def again(self, reader: Reader) -> ClusterRows | None:
        """Read the same rows with another reader."""
        return ClusterRows.read(self.partitions, reader)

    def lines(self) -> NDArray[np.float64]:
        return self.total

    def expect(self, parameters: Parameters) -> tuple[Sums, float]:
        def work(sent: Any) -> Any:
            return merge_tree([_expect_later(block, sent) for block in self.blocks], _add_expected)

        return sent_to_all(parameters, work)


class Gathered(NamedTuple):
    """Labeled rows in local memory, and partitions of unlabeled rows on the workers."""

    X: Any
    y: NDArray
    weight: NDArray[np.float64] | None
    unlabeled: list[Any]


def gather_labeled(X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Gathered:
    """Split a collection into labeled and unlabeled rows; the partitions of `X`, `y` and weights must match."""
    parts = persist(on_each(_part, *aligned_partitions(X=X, y=y, sample_weight=sample_weight)))
    with_labels = [part for part in compute(on_each(itemgetter(0), parts)) if part is not None]
    if not with_labels:
        raise ValueError("y has no labels: every entry is missing or -1; label some rows of each class first.")
    rows, labels, weights = zip(*with_labels)
    weight = None if sample_weight is None else np.concatenate(weights)
    return Gathered(stack_rows(rows), np.concatenate(labels), weight, on_each(itemgetter(1), parts))


def stack_rows(parts: Any) -> Any:
    """Stack data frames, arrays or sparse matrices vertically."""
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    if as_frame(parts[0]) is None:
        return np.concatenate(parts)
    return nw.to_native(nw.concat([nw.from_native(part) for part in parts]))


def _part(X: Any, y: Any, weight: NDArray[np.float64] | None) -> tuple[Any, Any]:
    """Split a partition into labeled rows, with labels and weights, and unlabeled ones; None where there are none."""
    check_given(y, "y")
    check_given(weight, "sample_weight")
    labels = column_or_1d(y, warn=True)
    if len(labels) != X.shape[0]:
        raise ValueError(
            f"partitions of X and y must have the same number of rows, got {X.shape[0]} and {len(labels)}."
        )
    has_label = are_labeled(labels)
    known, unknown = np.flatnonzero(has_label), np.flatnonzero(~has_label)
    own = None if weight is None else np.asarray(weight, dtype=float)[known]
    labeled = (_safe_indexing(X, known), labels[known], own) if len(known) else None
    return labeled, _safe_indexing(X, unknown) if len(unknown) else None


def _read(part: Any, reader: Reader) -> Any:
    return None if part is None or part.shape[0] == 0 else reader(part, worker_threads())


def _describe(block: Any) -> tuple[int, Any]:
    return (0, None) if block is None else (block.n_rows, replace(block, threads=worker_threads()).lines())


def _add_pairs(parts: list) -> tuple[int, Any]:
    counts, lines = zip(*parts)
    return sum(counts), add_all(lines)


def _expect_later(block: Any, parameters: Any) -> Any:
    from dask import delayed

    return delayed(_expect, pure=False)(block, parameters)


def _expect(block: Any, parameters: Parameters) -> tuple[Sums, float] | None:
    return None if block is None else replace(block, threads=worker_threads()).expect(parameters)


def _add_expected(parts: list) -> tuple[Sums, float] | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    sums, log_likelihoods = zip(*known)
    tables, totals = zip(*sums)
    return Sums(add_all(tables), add_all(totals)), sum(log_likelihoods)
