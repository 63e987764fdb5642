"""Entropy and mutual information of discrete data, computed from counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from scipy.stats import chi2

from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.data.tables.frames import read_table
from vitalfew.summaries.counts import sum_by_feature
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_consistent_length, check_threads, check_weight, encode_labels

UNITS = {"bits": 1 / np.log(2), "nats": 1.0}
CORRECTIONS = (None, "miller-madow")


class Information(NamedTuple):
    """Entropies of each feature and the label, in nats, computed from a table of counts."""

    entropy: NDArray[np.float64]  # H(X)
    label_entropy: NDArray[np.float64]  # H(Y) over the samples in which X is not missing
    joint_entropy: NDArray[np.float64]  # H(X, Y)
    n: NDArray[np.float64]  # weight of these samples
    values_seen: NDArray[np.int64]
    labels_seen: NDArray[np.int64]
    pairs_seen: NDArray[np.int64]
    is_corrected: bool = False

    @property
    def mutual(self) -> NDArray[np.float64]:
        """Mutual information I(X; Y) = H(X) + H(Y) - H(X, Y), at least 0 unless corrected for bias."""
        plain = self.entropy + self.label_entropy - self.joint_entropy
        return plain if self.is_corrected else np.maximum(plain, 0.0)

    @property
    def p_value(self) -> NDArray[np.float64]:
        """p-value of the G-test: under independence 2 n I is chi-square with (values - 1)(classes - 1) dof."""
        freedom = (self.values_seen - 1) * (self.labels_seen - 1)
        return np.where(freedom > 0, chi2.sf(2 * self.n * self.mutual, np.maximum(freedom, 1)), 1.0)

    def corrected(self) -> Information:
        """Apply the Miller-Madow correction: the plug-in entropy of n samples is too low by about (cells - 1) / 2n."""
        each = 2 * np.maximum(self.n, 1e-300)
        return self._replace(
            entropy=self.entropy + np.maximum(self.values_seen - 1, 0) / each,
            label_entropy=self.label_entropy + np.maximum(self.labels_seen - 1, 0) / each,
            joint_entropy=self.joint_entropy + np.maximum(self.pairs_seen - 1, 0) / each,
            is_corrected=True,
        )


def information(table: NDArray[np.float64], offsets: NDArray[np.int64]) -> Information:
    """Compute the entropies of each feature, of the label and of both jointly, from counts N(slot, class).

    O(slots x classes). Samples in which a feature is missing are in no row and do not count for that feature.
    """
    ones = np.ones(table.shape[1])
    lines = table @ ones
    labels = sum_by_feature(table, offsets)
    n = labels @ ones
    safe_n = np.where(n > 0, n, 1.0)
    log_n = np.log(safe_n)
    return Information(
        np.maximum(log_n - sum_by_feature(xlogy(lines, lines), offsets) / safe_n, 0),
        np.maximum(log_n - xlogy(labels, labels) @ ones / safe_n, 0),
        np.maximum(log_n - sum_by_feature(xlogy(table, table) @ ones, offsets) / safe_n, 0),
        n,
        sum_by_feature((lines > 0).astype(np.int64), offsets),
        ((labels > 0) @ ones).astype(np.int64),
        sum_by_feature(((table > 0) @ ones).astype(np.int64), offsets),
    )


def entropy(x, *, sample_weight=None, unit="bits", correction=None, n_jobs=None) -> Any:
    r"""Compute the entropy :math:`H(X) = -\sum_v P(v) \log P(v)` of a discrete variable, or of each table column.

    Parameters
    ----------
    x : 1-D array-like, or 2-D table or sparse 0/1 matrix
        Data; missing values are ignored.
    sample_weight : array-like of shape (n,), optional
    unit : {"bits", "nats"}, default "bits"
    correction : {None, "miller-madow"}, default None
        The plug-in estimate is too low by about (values - 1) / 2n nats; "miller-madow" adds that.
    n_jobs : int, optional
        Number of threads; all by default.

    Returns
    -------
    float for a variable, ndarray of shape (n_features,) for a table

    Examples
    --------
    >>> from vitalfew import entropy
    >>> entropy(["head", "tail", "tail", "head"])
    1.0
    """
    measured = _measure(x, None, sample_weight, unit, correction, n_jobs)
    return measured.give(measured.found.entropy)


def conditional_entropy(x, given, *, sample_weight=None, unit="bits", correction=None, n_jobs=None) -> Any:
    r"""Compute the conditional entropy :math:`H(X \mid Z) = H(X, Z) - H(Z)`, the uncertainty in X given Z.

    Parameters
    ----------
    x : 1-D array-like, or 2-D table or sparse 0/1 matrix
    given : array-like of shape (n,) or (n, k)
        The variable Z, or several variables taken jointly.
    sample_weight, unit, correction, n_jobs
        See :func:`entropy`.

    Examples
    --------
    >>> from vitalfew import conditional_entropy
    >>> conditional_entropy([0, 1, 0, 1], given=["a", "a", "b", "b"])
    1.0
    >>> conditional_entropy([0, 0, 1, 1], given=["a", "a", "b", "b"])
    0.0
    """
    measured = _measure(x, _joint(given), sample_weight, unit, correction, n_jobs)
    return measured.give(np.maximum(measured.found.joint_entropy - measured.found.label_entropy, 0.0))


def mutual_information(
    X, y, *, sample_weight=None, unit="bits", correction=None, return_p_value=False, n_jobs=None
) -> Any:
    r"""Compute the mutual information of each feature with the label.

    .. math:: I(X; Y) = \sum_{v, c} P(v, c) \log \frac{P(v, c)}{P(v) P(c)}

    Features and label are discrete; discretize numeric columns with :class:`~vitalfew.Discretizer` first. A column of
    more than 32 distinct numbers raises a warning, because nearly every value of a measurement is different and seems
    to determine the label. Samples in which a feature is missing are ignored for that feature.

    Parameters
    ----------
    X : 2-D table or sparse 0/1 matrix, or 1-D array-like
    y : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional
    unit : {"bits", "nats"}, default "bits"
    correction : {None, "miller-madow"}, default None
        With "miller-madow" the bias of the plug-in estimate is subtracted; the result can then be negative.
    return_p_value : bool, default False
        Also return the p-value of the G-test of independence.
    n_jobs : int, optional
        Number of threads; all by default.

    Returns
    -------
    information : ndarray of shape (n_features,), or float for one variable
    p_value : same shape, only if `return_p_value` is True

    References
    ----------
    Miller (1955), "Note on the bias of information estimates", in Information Theory in Psychology.
    Honorio, CS 578 Statistical Machine Learning, lecture 7.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import mutual_information
    >>> X = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    >>> mutual_information(X, ["a", "a", "b", "b"])
    array([1., 0.])
    """
    measured = _measure(X, y, sample_weight, unit, correction, n_jobs)
    values = measured.give(measured.found.mutual)
    return (values, measured.give(measured.plain.p_value, scale=1.0)) if return_p_value else values


def conditional_mutual_information(
    X, y, given, *, sample_weight=None, unit="bits", correction=None, n_jobs=None
) -> Any:
    r"""Compute the conditional mutual information :math:`I(X; Y \mid Z) = I(X; (Y, Z)) - I(X; Z)` of each feature.

    This is the information of a feature about the label beyond that of Z.

    Parameters
    ----------
    X : 2-D table or sparse 0/1 matrix, or 1-D array-like
    y : array-like of shape (n,)
    given : array-like of shape (n,) or (n, k)
        The variable Z, or several variables taken jointly.
    sample_weight, unit, correction, n_jobs
        See :func:`mutual_information`.

    Examples
    --------
    >>> from vitalfew import conditional_mutual_information
    >>> x, z = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> round(conditional_mutual_information(x, [0, 1, 1, 0], given=z), 9)  # y = x XOR z
    1.0
    """
    z = _joint(given)
    check_consistent_length(y, z)
    options = {"sample_weight": sample_weight, "unit": unit, "correction": correction, "n_jobs": n_jobs}
    both = mutual_information(X, _combined(_stack(y, z)), **options)
    found = both - mutual_information(X, z, **options)
    if correction is None:
        found = np.maximum(found, 0.0)
    return float(found) if np.ndim(found) == 0 else found


def interaction_information(X, y, given, *, sample_weight=None, unit="bits", correction=None, n_jobs=None) -> Any:
    r"""Compute the interaction information :math:`I(X; Y \mid Z) - I(X; Y)` of each feature.

    It is positive if X and Z jointly carry more information about Y than the sum of each alone (synergy), and negative
    if their information overlaps (redundancy). It equals :math:`I((X, Z); Y) - I(X; Y) - I(Z; Y)`.

    Parameters
    ----------
    X : 2-D table or sparse 0/1 matrix, or 1-D array-like
    y : array-like of shape (n,)
    given : array-like of shape (n,) or (n, k)
    sample_weight, unit, correction, n_jobs
        See :func:`mutual_information`.

    Examples
    --------
    >>> from vitalfew import interaction_information
    >>> x, z = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> round(interaction_information(x, [0, 1, 1, 0], given=z), 9)  # XOR: only together
    1.0
    >>> interaction_information(x, x, given=x)  # a copy: nothing new
    -1.0
    """
    options = {"sample_weight": sample_weight, "unit": unit, "correction": correction, "n_jobs": n_jobs}
    return conditional_mutual_information(X, y, given, **options) - mutual_information(X, y, **options)


class _Measured(NamedTuple):
    """Information of a table or variable, and its conversion to results."""

    plain: Information
    correction: str | None
    scale: float
    is_variable: bool

    @property
    def found(self) -> Information:
        return self.plain if self.correction is None else self.plain.corrected()

    def give(self, values, scale=None):
        values = values * (self.scale if scale is None else scale)
        return float(values[0]) if self.is_variable else values


def _measure(X, y, sample_weight, unit, correction, n_jobs) -> _Measured:
    check_choice("unit", unit, UNITS)
    check_choice("correction", correction, CORRECTIONS)
    check_given(X)
    is_variable = not hasattr(X, "columns") and np.ndim(X) == 1
    threads = check_threads(n_jobs)
    table = read_table(_as_column(X) if is_variable else X, threads=threads)
    classes, label = (np.zeros(1), None) if y is None else encode_labels(y)
    if label is not None:
        check_consistent_length(np.empty(table.n_rows), label)
    weight = check_weight(sample_weight, table.n_rows)
    coder = TableCoder("distinct", threads)
    block = coder.fit(table, label, len(classes), weight, presence=False)
    found = information(block.count(label, weight, len(classes), coder.threads), block.offsets)
    return _Measured(found, correction, UNITS[unit], is_variable)


def _as_column(x):
    values = np.asarray(x)
    return values.reshape(-1, 1) if values.dtype.kind in "fiub" else np.array(values, dtype=object).reshape(-1, 1)


def _stack(*variables):
    return np.column_stack([encode_labels(v)[1] for v in variables])


def _joint(given) -> NDArray[np.int32]:
    """Combine several variables into one, with a code for each combination that occurs."""
    check_given(given, "given")
    if not hasattr(given, "columns") and np.ndim(given) == 1:
        return encode_labels(given)[1]
    table = read_table(given)
    block = TableCoder("distinct").fit(table, presence=False)
    if block.has_missing.any():
        name = table.names[int(np.argmax(block.has_missing))]
        raise ValueError(f"given: column {name!r} has missing values; fill them or drop these rows.")
    return _combined(block.to_codes().codes)


def _combined(codes: NDArray) -> NDArray[np.int32]:
    """Return a code for each combination of the columns that occurs."""
    return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
