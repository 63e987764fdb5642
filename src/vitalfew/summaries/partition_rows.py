"""`Counts` of partitions of rows, with labels in the partitions of another collection."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d

from vitalfew.data.samples.partly_labeled import are_labeled, as_whole
from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.tables.blocks import class_totals
from vitalfew.data.tables.frames import NumberedNames, as_frame, read_table
from vitalfew.data.tables.partitions import add_all, aligned_partitions, compute, merge_tree, on_each, worker_threads
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.summarize import summarize
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_weight, encode_labels


class Part(NamedTuple):
    """Sums for counts: table and total by class, and table and total of unlabeled rows."""

    table: NDArray[np.float64]
    total: NDArray[np.float64]
    unlabeled: NDArray[np.float64]
    n_unlabeled: float


def count_partitions(X, y, sample_weight=None, numeric: str = "mdl") -> Counts:
    """Count partitions of sparse blocks, arrays or frames; a sample with a missing label is unlabeled."""
    rows, labels, weights = aligned_partitions(X=X, y=y, sample_weight=sample_weight)
    is_sparse, names = compute(on_each(_form, rows[:1])[0])
    if is_sparse:
        return _count_sparse(rows, labels, weights, len(names))
    target, weight = _new_name("y", names), _new_name("weight", names)
    tables = on_each(partial(_joined, names=names, target=target, weight=weight), rows, labels, weights)
    own = None if sample_weight is None else weight
    counts = summarize(tables, target, columns=list(names), kind="counts", weight=own, numeric=numeric)
    assert isinstance(counts, Counts)
    return counts._replace(names=names)


def _form(part) -> tuple[bool, Any]:
    """Return whether a partition is sparse, and its column names."""
    frame = as_frame(part)
    return sparse.issparse(part), NumberedNames(part.shape[1]) if frame is None else list(frame.columns)


def _new_name(name: str, names) -> str:
    return name if name not in names else _new_name(name + "_", names)


def _joined(part, y, weight_of_row, names, target: str, weight: str):
    """Return a partition with its labels and weights as an Arrow table."""
    import pyarrow as pa

    if as_frame(part) is None:
        table = pa.table({name: np.ascontiguousarray(part[:, j]) for j, name in enumerate(names)})
    else:
        table = FrameSource(part).table
    _check_rows(table.num_rows, y)
    table = table.append_column(target, _as_arrow(y, "y"))
    if weight_of_row is None:
        return table
    return table.append_column(weight, _as_arrow(weight_of_row, "sample_weight"))


def _as_arrow(values, name: str):
    import pyarrow as pa

    check_given(values, name)
    array = pa.array(values, from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _check_rows(n_rows: int, y) -> None:
    if len(y) != n_rows:
        raise ValueError(f"partitions of X and y must have the same number of rows, got {n_rows} and {len(y)}.")


def _count_sparse(rows, labels, weights, n_features: int) -> Counts:
    classes = compute(merge_tree(on_each(_classes, labels), _union))
    if classes is None:
        raise ValueError("y has no labels: every entry is missing; label some rows of each class first.")
    found = compute(merge_tree(on_each(_count, rows, labels, weights, classes=classes), _add))
    if found.n_unlabeled:
        classes = as_whole(classes)
    offsets = np.arange(0, 2 * n_features + 1, 2)
    return Counts(
        found.table, offsets, found.total, classes, NumberedNames(n_features), None, found.unlabeled, found.n_unlabeled
    )


def _classes(y) -> NDArray | None:
    check_given(y, "y")
    labels = column_or_1d(y, warn=True)
    known = labels[are_labeled(labels, minus_one=False)]
    return encode_labels(known)[0] if len(known) else None


def _union(parts: list) -> NDArray | None:
    known = [part for part in parts if part is not None]
    return encode_labels(np.concatenate(known))[0] if known else None


def _count(X, y, weight, classes: NDArray) -> Part:
    check_given(y, "y")
    check_given(weight, "sample_weight")
    labels = column_or_1d(y, warn=True)
    _check_rows(X.shape[0], labels)
    has_label = are_labeled(labels, minus_one=False)
    own = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    if own.any():
        check_weight(own, len(labels))
    threads, width = worker_threads(), len(classes)
    found: list[Any] = []
    for rows, label in ((has_label, np.searchsorted(classes, labels[has_label]).astype(np.int32)), (~has_label, None)):
        n_classes = width if label is not None else 1
        taken = None if weight is None else np.ascontiguousarray(own[rows])
        if not rows.any():
            found += [np.zeros((2 * X.shape[1], n_classes)), np.zeros(n_classes)]
            continue
        block = read_table(X[np.flatnonzero(rows)], threads=threads).sparse_block
        assert block is not None
        found += [block.count(label, taken, n_classes, threads), class_totals(label, taken, n_classes, block.n_rows)]
    return Part(found[0], found[1], found[2][:, 0], float(found[3][0]))


def _add(parts: list[Part]) -> Part:
    return Part(*(add_all(one) for one in zip(*parts)))
