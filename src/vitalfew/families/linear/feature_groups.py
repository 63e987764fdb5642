"""Columns that enter and leave a model together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.support.suggest import plain


def check_groups(groups: Any, n_features: int, names: Sequence[str]) -> NDArray[np.int32] | None:
    """Return the group index of each column, given column labels or lists of columns; None if there are no groups.

    Lists hold column numbers or names; a column in no list forms its own group.
    """
    if groups is None:
        return None
    groups = list(groups)
    if len(groups) == n_features and not any(isinstance(g, list | tuple | set | np.ndarray) for g in groups):
        return np.unique(np.array([str(g) for g in groups]), return_inverse=True)[1].astype(np.int32)
    number = {str(name): j for j, name in enumerate(names)}
    of = np.full(n_features, -1, dtype=np.int64)
    for g, members in enumerate(groups):
        if not isinstance(members, list | tuple | set | np.ndarray):
            raise ValueError(
                f"feature_groups must be one label for each of the {n_features} columns, or lists of columns; "
                f"got {len(groups)} entries such as {members!r}."
            )
        for member in members:
            j = number.get(member, -1) if isinstance(member, str) else int(member)
            if not 0 <= j < n_features:
                raise ValueError(f"feature_groups contains column {plain(member)!r}, which is not in X.")
            if of[j] >= 0:
                raise ValueError(
                    f"feature_groups contains column {plain(member)!r} twice; a column can only be in one group."
                )
            of[j] = g
    alone = np.flatnonzero(of < 0)
    of[alone] = len(groups) + np.arange(len(alone))
    return np.unique(of, return_inverse=True)[1].astype(np.int32)


def group_factors(factor: NDArray | None, group: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the penalty factor of each group: the square root of its size times the factor its columns share."""
    size = np.bincount(group).astype(float)
    if factor is None:
        return np.sqrt(size)
    shared = np.empty(len(size))
    shared[group] = factor
    if not np.array_equal(shared[group], factor):
        raise ValueError("penalty_factors must be equal for all columns of a group.")
    return np.sqrt(size) * shared
