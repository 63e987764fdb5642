"""Counts in a common form, so that they can be added: the same classes, and the same values of each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.table_coder import MAX_CATEGORIES, Categories, Coding, Cuts, OwnCodes

if TYPE_CHECKING:
    from vitalfew.summaries.counts import Counts


def sum_by_feature(lines: NDArray, offsets: NDArray[np.int64]) -> NDArray:
    """Sum the rows of `lines` over the slots of each feature."""
    k = int(offsets[1])
    if len(lines) == k * (len(offsets) - 1) and k <= 16 and offsets[-1] == len(lines) and (np.diff(offsets) == k).all():
        total = lines[0::k].copy()
        for v in range(1, k):
            total += lines[v::k]
        return total
    return np.add.reduceat(lines, offsets[:-1], axis=0)


def aligned(a: Counts, b: Counts) -> tuple[Counts, Counts]:
    """Return both counts over the union of their classes and values."""
    if a.n_features != b.n_features:
        raise ValueError(f"cannot add counts of {a.n_features} and {b.n_features} features.")
    if list(a.names) != list(b.names):
        raise ValueError("cannot add counts of different columns; they must have the same names in the same order.")
    if (a.codings is None) != (b.codings is None):
        raise ValueError(
            "cannot add counts of sparse 0/1 data and of a dense table; compute both from the same kind of data."
        )
    if (a.classes.dtype.kind in "OUS") != (b.classes.dtype.kind in "OUS"):
        raise ValueError("cannot add counts: the classes are numbers in one part and strings in the other.")
    classes = np.unique(np.concatenate([a.classes, b.classes]))
    codings = None
    if a.codings is not None and b.codings is not None:
        codings = [_union(a, b, j) for j in range(a.n_features)]
    return _moved(a, classes, codings), _moved(b, classes, codings)


def with_presence(counts: Counts) -> Counts:
    """Return the counts with two values, missing and present, for features of one value with missing ones.

    `TableCoder` codes them in the same way.
    """
    if counts.codings is None:
        return counts
    least = 1e-9 * max(counts.n, 1)
    is_single = sum_by_feature((counts.line_count > least).astype(np.int64), counts.offsets) == 1
    is_cut = np.array([isinstance(c, Cuts) for c in counts.codings], dtype=bool)
    wanted = np.flatnonzero(is_single & counts.has_missing & ~is_cut & ~_presence_of(counts))
    if not wanted.size:
        return counts
    codings, parts = list(counts.codings), _parts(counts)
    for j in wanted.tolist():
        lines, unlabeled = parts[j]
        seen = _seen(counts, j)
        value, code = max(seen.items(), key=lambda item: lines[item[1]].sum())
        codings[j] = Categories.of((value,), True)
        absent = np.maximum(counts.class_count - lines.sum(axis=0), 0.0)
        parts[j] = (
            np.vstack([absent, lines[code]]),
            np.array([max(counts.n_unlabeled - unlabeled.sum(), 0.0), unlabeled[code]]),
        )
    return _joined(counts, codings, parts)


def without_presence(counts: Counts) -> Counts:
    """Return the counts with missing values in no row of any feature."""
    wanted = np.flatnonzero(_presence_of(counts))
    if not wanted.size:
        return counts
    assert counts.codings is not None
    codings, parts = list(counts.codings), _parts(counts)
    for j in wanted.tolist():
        value = counts.codings[j].values[1]  # type: ignore[attr-defined]
        is_own = not isinstance(value, str) and value.is_integer() and 0 <= value <= MAX_CATEGORIES
        codings[j] = OwnCodes(max(2, int(value) + 1)) if is_own else Categories((value,))
        code = int(value) if is_own else 0
        lines, unlabeled = parts[j]
        parts[j] = np.zeros((codings[j].n_values, counts.n_classes)), np.zeros(codings[j].n_values)
        parts[j][0][code], parts[j][1][code] = lines[1], unlabeled[1]
    return _joined(counts, codings, parts)


def _presence_of(counts: Counts) -> NDArray[np.bool_]:
    """Return a mask of the features whose values are missing and present."""
    codings = counts.codings or []
    found = [isinstance(c, Categories) and c.is_presence for c in codings]
    return np.array(found, dtype=bool) if codings else np.zeros(counts.n_features, dtype=bool)


def _parts(counts: Counts) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the rows of the table and the unlabeled counts of each feature."""
    inner = counts.offsets[1:-1]
    return list(zip(np.split(counts.table, inner), np.split(counts.unlabeled, inner)))


def _joined(counts: Counts, codings: list[Coding], parts) -> Counts:
    offsets = np.concatenate([[0], np.cumsum([c.n_values for c in codings])]).astype(np.int64)
    table, unlabeled = (np.concatenate(lines) for lines in zip(*parts))
    return counts._replace(table=table, unlabeled=unlabeled, offsets=offsets, codings=codings)


def _union(a: Counts, b: Counts, j: int) -> Coding:
    assert a.codings is not None
    assert b.codings is not None
    x, y, name = a.codings[j], b.codings[j], a.names[j]
    if x == y:
        return x
    if not _seen(a, j) or not _seen(b, j):  # all values are missing in one part
        return y if _seen(b, j) else x
    if isinstance(x, Cuts) or isinstance(y, Cuts):
        raise ValueError(
            f"cannot add counts: column {name!r} was cut into different intervals; "
            "use the same Discretizer before counting."
        )
    if isinstance(x, OwnCodes) and isinstance(y, OwnCodes):
        return OwnCodes(max(x.n_values, y.n_values))
    values = set(_seen(a, j)) | set(_seen(b, j))
    if len({isinstance(v, str) for v in values}) > 1:
        raise ValueError(f"cannot add counts: column {name!r} contains numbers in one part and strings in the other.")
    return Categories(tuple(sorted(values)))


def _seen(counts: Counts, j: int) -> dict:
    """Return the values of a feature that occur, with their codes."""
    assert counts.codings is not None
    coding = counts.codings[j]
    if isinstance(coding, Categories):
        return {v: i for i, v in enumerate(coding.values)}
    first, last = counts.offsets[j], counts.offsets[j + 1]
    occurs = counts.table[first:last].any(axis=1) | (counts.unlabeled[first:last] > 0)
    return {float(i): int(i) for i in np.flatnonzero(occurs)}


def _moved(counts: Counts, classes: NDArray, codings: list[Coding] | None) -> Counts:
    """Return the same counts over a larger set of classes and values."""
    column = np.searchsorted(classes, counts.classes)
    if codings is None or counts.codings is None:
        slot, offsets = np.arange(len(counts.table)), counts.offsets
    else:
        offsets = np.concatenate([[0], np.cumsum([c.n_values for c in codings])])
        slot = np.arange(len(counts.table)) - np.repeat(counts.offsets[:-1] - offsets[:-1], counts.n_values)
        for j, (old, new) in enumerate(zip(counts.codings, codings)):
            if old != new:
                place = {v: i for i, v in enumerate(new.values)} if isinstance(new, Categories) else None
                first = counts.offsets[j]
                slot[first : counts.offsets[j + 1]] = offsets[j]  # values that never occur have zero counts
                for v, code in _seen(counts, j).items():
                    slot[first + code] = offsets[j] + (code if place is None else place[v])
    table = np.zeros((offsets[-1], len(classes)))
    class_count = np.zeros(len(classes))
    unlabeled = np.zeros(offsets[-1])
    np.add.at(table, (slot[:, None], column[None, :]), counts.table)
    class_count[column] = counts.class_count
    np.add.at(unlabeled, slot, counts.unlabeled)
    return counts._replace(
        table=table, class_count=class_count, unlabeled=unlabeled, offsets=offsets, classes=classes, codings=codings
    )
