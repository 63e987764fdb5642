"""Validation of sparse matrices, because SciPy and compiled kernels trust their indices."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew import _core

MOST_INT32 = np.iinfo(np.int32).max


def check_sparse(X, threads: int = 0) -> Any:
    """Return the same matrix with its own copy of the positions; raise ValueError if they are out of bounds.

    Positions (indices, indptr, coordinates, offsets) are copied before they are checked, so that no other thread can
    change them between the check and their use. Values are not copied, so the result must not be sorted in place. LIL
    matrices become CSR and DOK matrices COO; other formats are kept. O(stored entries).
    """
    if len(X.shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(X.shape)}D array instead (shape={X.shape}).")
    return _OWN[X.format](X, threads)


def sparse_rows(X) -> Any:
    """Return a checked CSR or CSC matrix for any learner, which may sort it in place."""
    X = check_sparse(X)
    X = X if X.format in ("csr", "csc") else X.tocsr()
    return X if X.has_canonical_format else X.copy()


def _own_lines(X, threads: int) -> Any:
    """Check and copy CSR, CSC and BSR matrices."""
    data = X.data
    if X.format == "bsr":
        _require(data.ndim == 3 and min(data.shape[1:]) > 0, f"its blocks have the invalid shape {data.shape[1:]}")
        high, wide = data.shape[1:]
        _require(X.shape[0] % high == X.shape[1] % wide == 0, f"blocks of {high} x {wide} do not fill shape {X.shape}")
    else:
        _require(data.ndim == 1, f"its values have {data.ndim} dimensions instead of one")
        high, wide = 1, 1
    lines, width = X.shape[0] // high, X.shape[1] // wide
    if X.format == "csc":
        lines, width = width, lines
    start = _own_whole(X.indptr, "indptr")
    _require(len(start) == lines + 1, f"indptr has {len(start)} entries for {lines} rows or columns")
    _require(start[0] == 0 and bool((start[1:] >= start[:-1]).all()), "indptr must start at 0 and not decrease")
    index = X.indices
    _require(start[-1] <= len(index) == len(data), "the number of indices or values does not match indptr")
    end = int(start[-1])
    return _kind(X)((data[:end], _own_positions(index[:end], width, threads), start), shape=X.shape)


def _own_coo(X, threads: int) -> Any:
    data = X.data
    given = X.coords if hasattr(X, "coords") else (X.row, X.col)  # SciPy has coords since 1.13
    for at in given:
        _require(len(at) == len(data), f"it has {len(at)} positions for {len(data)} values")
    row, col = (_own_positions(at, n, threads) for at, n in zip(given, X.shape, strict=True))
    return _kind(X)((data, (row, col)), shape=X.shape)


def _own_dia(X, threads: int) -> Any:  # noqa: ARG001
    data, offsets = X.data, _own_whole(X.offsets, "offsets")
    _require(data.ndim == 2 and len(offsets) == len(data), f"it has {len(offsets)} offsets for values {data.shape}")
    _require(len(np.unique(offsets)) == len(offsets), "an offset occurs twice")
    low, high = (offsets.min(), offsets.max()) if offsets.size else (0, 0)
    is_within = offsets.size == 0 or (low > -X.shape[0] and high < X.shape[1])
    _require(is_within, f"offsets from {low} to {high} are outside the shape {X.shape}")
    return _kind(X)((data, offsets), shape=X.shape)


def _own_lil(X, threads: int) -> Any:
    rows, values = [list(row) for row in X.rows], [list(row) for row in X.data]
    _require(
        len(rows) == len(values) == X.shape[0], f"it has {len(rows)} and {len(values)} lists for {X.shape[0]} rows"
    )
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    for i, (row, own) in enumerate(zip(rows, values)):
        _require(len(row) == len(own), f"row {i} has {len(row)} positions for {len(own)} values")
    index = _own_positions(_whole_numbers(list(chain.from_iterable(rows))), X.shape[1], threads)
    data = np.array(list(chain.from_iterable(values)), dtype=X.dtype)
    return _kind(X, "csr")((data, index, start), shape=X.shape)


def _own_dok(X, threads: int) -> Any:
    items = list(X.items())
    keys = _whole_numbers([key for key, _ in items]).reshape(-1, 2)
    row, col = (_own_positions(at, n, threads) for at, n in zip(keys.T, X.shape))
    return _kind(X, "coo")((np.array([value for _, value in items], dtype=X.dtype), (row, col)), shape=X.shape)


_OWN = {
    **dict.fromkeys(("csr", "csc", "bsr"), _own_lines),
    "coo": _own_coo,
    "dia": _own_dia,
    "lil": _own_lil,
    "dok": _own_dok,
}


def _kind(X, form: str | None = None) -> Any:
    """Return the class of a format, for sparse arrays or sparse matrices depending on X."""
    return getattr(sparse, f"{form or X.format}_{'array' if isinstance(X, sparse.sparray) else 'matrix'}")


def _own_whole(numbers, name: str) -> NDArray:
    found = np.array(numbers)
    is_whole = found.ndim == 1 and found.dtype.kind in "iu"
    _require(
        is_whole, f"{name} must be a one-dimensional array of integers, got {found.dtype} in {found.ndim} dimensions"
    )
    return found


def _whole_numbers(listed: list) -> NDArray[np.int64]:
    try:
        return np.array(listed, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        _require(False, "a position is not an integer")
        raise


def _own_positions(given, n: int, threads: int) -> NDArray:
    """Return a copy of positions after checking that they are at least 0 and below n."""
    given = np.asarray(given)
    if given.dtype not in (np.int32, np.int64) or not given.flags.c_contiguous or n > MOST_INT32:
        given = _own_whole(given, "indices").astype(np.int64)
    if n <= MOST_INT32:
        own = np.empty(len(given), dtype=np.int32)
        is_within = not own.size or _core.copy_indices(given, own, threads) < n
    else:
        own = given
        is_within = not own.size or (own.min() >= 0 and own.max() < n)
    if not is_within:
        low, high = int(given.min()), int(given.max())
        _require(False, f"an index is out of bounds, {low if low < 0 else high} of {n} rows or columns")
    return own


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(f"sparse X is invalid: {reason}. Rebuild it from its rows, columns and values.")
