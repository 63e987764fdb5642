"""Split into training data and a sealed test set: at random, stratified, by groups, or by time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state, column_or_1d

from vitalfew.data.tables.frames import as_frame
from vitalfew.evaluation.indexing import as_rows, looks_like_classes, n_rows, take
from vitalfew.evaluation.sealed.sealed_test import SealedTest
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_consistent_length, check_known, check_weight, encode_labels, is_missing

# Draws of groups, of which the one with the most balanced classes is used.
N_DRAWS = 100


def sealed_split(
    X,
    y,
    *,
    test_size: float | int = 0.25,
    validation_size: float | int | None = None,
    stratify="auto",
    groups=None,
    time=None,
    random_state=None,
    sample_weight=None,
) -> tuple[Any, ...]:
    """Split data into a training set, optionally a validation set, and a sealed test set.

    The sealed set scores finished models, counts how often it did so, logs the scores, and does not expose its labels:
    "never learn on test data" becomes a property of the object.

    Parameters
    ----------
    X : array, sparse matrix, data frame, series or list of texts
    y : array-like of shape (n_samples,)
        Labels or numbers, none missing.
    test_size : float or int, default 0.25
        Share or number of samples to seal. Whole groups, and samples with the same time, may change it slightly.
    validation_size : float or int, optional
        Share or number of samples of a validation set, which chooses between models that were fitted to the training
        set, so that the sealed set is opened only once: ``fit(X_train, y_train, validation=(X_valid, y_valid))`` with
        the rule ``"holdout"``. None: no such set.
    stratify : "auto", bool or array-like, default "auto"
        Keep class proportions equal in all parts, if y has classes with at least two samples each; or those of the
        values of an array. Not with `time`.
    groups : array-like of shape (n_samples,) or column name, optional
        Samples of a group are all sealed or all used for training: for errors on new patients, sites, authors.
    time : array-like of shape (n_samples,) or column name, optional
        The last samples are sealed, and training samples are ordered by time; samples with the same time stay
        together. For errors on future data.
    random_state : int, RandomState or None
    sample_weight : array-like of shape (n_samples,), optional
        Sample weights for scores.

    Returns
    -------
    X_train, y_train
        Training data, of the same type as the input.
    X_valid, y_valid
        Validation data; only if `validation_size` is given.
    sealed : SealedTest
        ``score(model)``, ``n_openings``, ``log``, ``save(path)``; ``train_rows`` holds the row numbers of the training
        samples, and ``train_groups``, ``train_time`` and ``train_weight`` their groups, times and weights.

    References
    ----------
    Guestrin, 10-701 Machine Learning, February 8, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from vitalfew import LogisticRegression, sealed_split
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> X_train, y_train, sealed = sealed_split(X, y, random_state=0)
    >>> model = LogisticRegression(alpha="1se", random_state=0).fit(X_train, y_train)
    >>> print(sealed.score(model))
    LogisticRegression: error rate 0.05594 (0.02862 to 0.1065) on 143 rows, opening 1
    >>> sealed
    SealedTest(143 rows, opened 1 time)
    >>> sealed.y
    Traceback (most recent call last):
    ...
    AttributeError: the test set is sealed and does not expose 'y': ...
    """
    X = as_rows(X)
    target = _read(y)
    check_consistent_length(X, target)
    n = len(target)
    if n < 2:
        raise ValueError(f"a split requires at least two rows, got n_samples = {n}.")
    if len(np.unique(target)) < 2:
        raise ValueError(f"y has a single value, {target.tolist()[0]!r}; at least two are required.")
    weight = check_weight(sample_weight, n)
    if groups is not None and time is not None:
        raise ValueError(
            "pass either groups or time, not both: new rows come either from new groups or from a later time."
        )
    n_test = _count_rows("test_size", test_size, n)
    n_valid = 0 if validation_size is None else _count_rows("validation_size", validation_size, n)
    if n_test + n_valid >= n:
        raise ValueError(f"test_size and validation_size leave no rows for training: {n_test} + {n_valid} of {n}.")
    when, strata = _column(X, time, "time"), _strata(stratify, target)
    groups = _column(X, groups, "groups")
    code = None if groups is None else _codes(groups)
    part = _Parts(code, when, strata, isinstance(stratify, str), check_random_state(random_state))
    train, test = part.split(np.arange(n), n_test)
    valid = None
    if n_valid:
        train, valid = part.split(train, n_valid)
    parts = {
        "rows": train,
        "groups": None if groups is None else groups[train],
        "time": None if when is None else when[train],
        "weight": None if weight is None else weight[train],
    }
    sealed = SealedTest(
        take(X, test),
        target[test],
        None if weight is None else weight[test],
        None if code is None else code[test],
        parts,
    )
    kept = y if n_rows(y) == n and hasattr(y, "shape") and np.ndim(y) == 1 else target
    chosen = () if valid is None else (take(X, valid), take(kept, valid))
    return take(X, train), take(kept, train), *chosen, sealed


@dataclass(frozen=True)
class _Parts:
    """Division of rows: by whole groups, by time, or at random within strata."""

    code: NDArray[np.intp] | None
    when: NDArray | None
    strata: NDArray[np.intp] | None
    is_optional: bool  # whether to divide without strata if there are fewer rows than strata
    rng: np.random.RandomState

    def split(self, rows: NDArray[np.intp], n_second: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Divide rows into two parts, the second of about `n_second` rows."""
        strata = None if self.strata is None else self.strata[rows]
        if self.code is not None:
            first, second = _by_groups(np.unique(self.code[rows], return_inverse=True)[1], n_second, strata, self.rng)
        elif self.when is not None:
            first, second = _by_time(self.when[rows], n_second)
        else:
            first, second = _by_chance(len(rows), n_second, strata, self.is_optional, self.rng)
        return rows[first], rows[second]


def _read(y) -> NDArray:
    """Return labels or numbers as an array, none missing."""
    check_given(y, "y")
    values = column_or_1d(y, warn=True)
    if values.dtype.kind in "OUSTb":
        numbers = _numbers(values)
        if numbers is not None:
            check_known(numbers)
            return numbers
        classes, codes = encode_labels(values)
        return classes[codes]
    check_known(values)
    return values


def _numbers(values: NDArray) -> NDArray | None:
    """Convert an object array that holds only numbers to a numeric array; None for other arrays."""
    if values.dtype.kind != "O" or not all(isinstance(v, int | float | np.number) for v in values.tolist()):
        return None
    return values.astype(np.float64 if any(isinstance(v, float) for v in values.tolist()) else np.int64)


def _count_rows(name: str, size, n: int) -> int:
    is_share = isinstance(size, float | np.floating) and 0 < size < 1
    is_number = isinstance(size, int | np.integer) and not isinstance(size, bool) and 0 < size < n
    if not is_share and not is_number:
        raise ValueError(f"{name} must be a fraction between 0 and 1, or a number of rows below {n}, got {size!r}.")
    rows = int(size) if is_number else int(np.ceil(size * n))
    return min(rows, n - 1)


def _column(X, given, name: str) -> NDArray | None:
    """Return groups or times, one for each row."""
    if given is None:
        return None
    if isinstance(given, str):
        frame = as_frame(X)
        if frame is None or given not in frame.columns:
            raise ValueError(f"{name}={given!r} is not a column of X; pass the name of a column, or one value per row.")
        given = frame[given].to_native()
    check_given(given, name)
    values = np.asarray(given)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {values.shape}.")
    check_consistent_length(X, values)
    missing = np.isnat(values) if values.dtype.kind in "mM" else np.array([is_missing(v) for v in values.tolist()])
    if missing.any():
        raise ValueError(f"{name} is missing in row {int(np.argmax(missing))}; drop such rows or fill in the value.")
    return _as_times(values) if name == "time" else values


def _as_times(values: NDArray) -> NDArray:
    """Convert pandas and Python times to NumPy times, which files can hold."""
    if values.dtype.kind == "O" and all(hasattr(v, "to_datetime64") for v in values.tolist()):
        return np.array([v.to_datetime64() for v in values.tolist()])
    if values.dtype.kind == "O" and all(isinstance(v, date) for v in values.tolist()):
        return np.array([np.datetime64(v.isoformat()[:26]) for v in values.tolist()])
    return values


def _codes(values: NDArray) -> NDArray[np.intp]:
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError:
        return np.unique(values.astype(str), return_inverse=True)[1]


def _strata(stratify, y: NDArray) -> NDArray[np.intp] | None:
    """Return the codes of the strata, None without stratification."""
    if stratify is None or stratify is False:
        return None
    if stratify is True:
        return _codes(y)
    if not (isinstance(stratify, str) and stratify == "auto"):
        check_given(stratify, "stratify")
        values = np.asarray(stratify)
        if values.ndim != 1:
            raise ValueError(f"stratify must be 'auto', True, False or one value per row, got {stratify!r}.")
        check_consistent_length(y, values)
        return _codes(values)
    return _codes(y) if looks_like_classes(y) and np.unique(y, return_counts=True)[1].min() > 1 else None


def _by_chance(n: int, n_test: int, strata, is_optional: bool, rng) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    rows = np.arange(n)
    if strata is not None and is_optional:
        sizes = np.unique(strata, return_counts=True)[1]
        if min(n_test, n - n_test) < len(sizes) or sizes.min() < 2:
            strata = None  # too few rows to stratify
    train, test = train_test_split(rows, test_size=n_test, random_state=rng, stratify=strata)
    return np.sort(train), np.sort(test)


def _by_groups(code, n_test: int, strata, rng) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw random sets of groups near the requested size, and keep the one with the most balanced strata."""
    size = np.bincount(code)
    if len(size) < 2:
        raise ValueError("at least two groups are required, because a group is never split; got one.")
    kind = np.zeros(len(code), dtype=np.intp) if strata is None else strata
    table = np.zeros((len(size), kind.max() + 1))
    np.add.at(table, (code, kind), 1)
    wanted = table.sum(axis=0) * n_test / len(code)
    best, least = np.arange(0), np.inf
    for _ in range(N_DRAWS):
        order = rng.permutation(len(size))
        # The number of groups whose size is nearest to `n_test`, with at least one group in either part.
        count = 1 + int(np.argmin(np.abs(np.cumsum(size[order])[:-1] - n_test)))
        gap = float(np.abs(table[order[:count]].sum(axis=0) - wanted).sum())
        if gap < least:
            best, least = order[:count], gap
    is_test = np.isin(code, best)
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _by_time(when: NDArray, n_test: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Put the last rows, about `n_test` of them, into the test set; rows with the same time stay together."""
    try:
        order = np.argsort(when, kind="stable")
    except TypeError:
        raise TypeError("time contains values that cannot be compared; pass numbers, dates or strings.") from None
    sorted_ = when[order]
    cuts = 1 + np.flatnonzero(sorted_[1:] != sorted_[:-1])
    if len(cuts) == 0:
        raise ValueError("time must have at least two distinct values, got one.")
    cut = int(cuts[np.argmin(np.abs(len(when) - cuts - n_test))])
    return order[:cut], order[cut:]
