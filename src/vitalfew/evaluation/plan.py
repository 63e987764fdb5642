"""Plan of an evaluation, decided once from the data: the sealed part and the folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

# Rows, and rows of the rarest class in the sealed part, from which on a part is sealed.
LEAST_SEALED, LEAST_OF_A_CLASS = 1000, 50
# Below this number of rows there are ten folds instead of five; above the other, three.
FEW_ROWS, MANY_ROWS = 300, 20_000


@dataclass(frozen=True)
class Plan:
    """Folds of the training rows, and a sentence that states the plan.

    Attributes
    ----------
    splits : list of (train, test)
        Row numbers of each fold. Every row is tested once, except with `time`, where the first rows are never tested.
    sentence : str
    """

    splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    sentence: str


def seals(label: NDArray, is_numeric: bool, test_size: float) -> bool:
    """Return True if there are enough rows to seal this share of them.

    The error of the sealed part would be too uncertain otherwise, and its rows are better used for learning.
    """
    n = len(label)
    if n < LEAST_SEALED:
        return False
    return is_numeric or float(np.unique(label, return_counts=True)[1].min()) * test_size >= LEAST_OF_A_CLASS


def make_plan(target: NDArray, *, is_numeric: bool, groups=None, time=None, seed: int = 0) -> Plan:
    """Divide the training rows into folds: at random, stratified by class, by groups, or in the order of time.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        Class codes or numbers.
    is_numeric : bool
    groups : array-like, optional
        Rows of a group are in one fold.
    time : array-like, optional
        Each fold is tested by models of earlier rows.
    seed : int, default 0

    Returns
    -------
    Plan

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew.evaluation.plan import make_plan
    >>> make_plan(np.arange(40) % 2, is_numeric=False).sentence
    '40 rows in 10 folds, stratified by class.'
    """
    n = len(target)
    most = 10 if n < FEW_ROWS else 5 if n < MANY_ROWS else 3
    if time is not None:
        order = np.argsort(np.asarray(time), kind="stable")
        splits = [(order[a], order[b]) for a, b in TimeSeriesSplit(min(most, 5, n - 1)).split(order)]
        return Plan(splits, f"{n:,} rows in {len(splits)} folds, each tested by models of earlier rows.")
    if groups is not None:
        _, code = np.unique(np.asarray(groups), return_inverse=True)
        folds = int(min(most, code.max() + 1))
        if is_numeric:
            splitter = GroupKFold(folds, shuffle=True, random_state=seed)
        else:
            splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
        return Plan(_splits(splitter, target, code), f"{n:,} rows in {folds} folds that keep groups together.")
    if is_numeric:
        folds = min(most, n)
        return Plan(_splits(KFold(folds, shuffle=True, random_state=seed), target), f"{n:,} rows in {folds} folds.")
    folds = int(max(2, min(most, np.unique(target, return_counts=True)[1].min())))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return Plan(_splits(splitter, target), f"{n:,} rows in {folds} folds, stratified by class.")


def _splits(splitter, target: NDArray, groups=None) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    return [(train, test) for train, test in splitter.split(np.zeros(len(target)), target, groups)]
