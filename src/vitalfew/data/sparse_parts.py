"""Whether the parts of a sparse matrix fit together: SciPy follows its indices without a look at where they lead."""

from __future__ import annotations

import numpy as np


def check_sparse(X) -> None:
    """Raises a ValueError for a matrix that would be read beyond its arrays. O(stored entries), without a copy.

    Of the forms that hold positions only; the others hold values by place, as DIA, or are no arrays, as LIL and DOK.
    """
    if X.format == "coo":
        for axis, at in enumerate(X.coords if hasattr(X, "coords") else (X.row, X.col)):  # SciPy has coords since 1.13
            _require(len(at) == len(X.data), f"it has {len(at)} positions for {len(X.data)} values")
            _require_within(at, X.shape[axis])
    elif X.format in ("csr", "csc", "bsr"):
        high, wide = X.blocksize if X.format == "bsr" else (1, 1)
        lines, width = X.shape[0] // high, X.shape[1] // wide
        if X.format == "csc":
            lines, width = width, lines
        start = X.indptr
        _require(len(start) == lines + 1, f"indptr has {len(start)} entries for {lines} rows or columns")
        _require(start[0] == 0 and bool((start[1:] >= start[:-1]).all()), "indptr does not rise from 0")
        _require(start[-1] <= len(X.indices) == len(X.data), "there are not as many indices and values as indptr says")
        _require_within(X.indices[: start[-1]], width)


def _require_within(at: np.ndarray, n: int) -> None:
    if at.size:
        low, high = at.min(), at.max()
        _require(low >= 0 and high < n, f"an index is out of bounds, {low if low < 0 else high} of {n} rows or columns")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(f"sparse X is broken: {reason}. Make it again from its rows, columns and values.")
