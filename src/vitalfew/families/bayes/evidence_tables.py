"""Fitted parameters of Naive Bayes in readable form: the linear form, and tables of values, features and words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.table_coder import numeric_values, value_names
from vitalfew.families.bayes.evidence import Evidence, used_table
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.information import information


def linear_form(evidence: Evidence, support: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return coef and intercept such that P(y | x) is the logistic function or softmax of coef @ x + intercept.

    A feature with the values a and b contributes :math:`\log P(a \mid y)` or :math:`\log P(b \mid y)`, which is linear
    in x; with a = -1 and b = 1 this is eq. 8 of lecture 12.
    """
    counts = evidence.counts
    if not (counts.n_occurring == 2).all():
        raise AttributeError(
            "coef_ and intercept_ are only defined for two-valued features; some features have more than two values."
        )
    table = used_table(evidence.log_table, counts.n_values, support)
    codes = np.array([[0, 1]] * counts.n_features) if counts.is_binary else _two_codes(counts)
    low, high = table[counts.offsets[:-1] + codes[:, 0]], table[counts.offsets[:-1] + codes[:, 1]]
    if counts.codings is None:
        slope, base = high - low, low
    else:  # the line through (x0, low) and (x1, high)
        x0, x1 = np.array([numeric_values(c, *own) for c, own in zip(counts.codings, codes.tolist())]).T[:, :, None]
        slope = np.where(np.isnan(x1), 0.0, (high - low) / np.where(np.isnan(x1), 1.0, x1 - x0))
        base = low - slope * x0
    coef, intercept = slope.T, base.sum(axis=0) + evidence.log_prior
    if evidence.counts.n_classes == 2:
        return coef[1:] - coef[:1], intercept[1:] - intercept[:1]
    return coef, intercept


def describe_theta(evidence: Evidence, support: NDArray[np.bool_], names: Any) -> dict[str, NDArray]:
    """Return P(value | class) and P(value), with a line for each value of each feature."""
    counts = evidence.counts
    of_feature = [["0", "1"]] * counts.n_features if counts.codings is None else [*map(value_names, counts.codings)]
    owner = np.repeat(np.arange(counts.n_features), [len(values) for values in of_feature])
    slot = np.concatenate([start + np.arange(len(v)) for start, v in zip(counts.offsets[:-1], of_feature)])
    value = np.array([v for values in of_feature for v in values], dtype=object)
    known = counts.occurs[slot]
    owner, slot, value = owner[known], slot[known], value[known]
    columns = {
        "feature": np.array([str(names[j]) for j in owner], dtype=object),
        "value": value,
        "selected": support[owner],
        "P(value)": evidence.frequency[slot],
    }
    given = {f"P(value | {c})": evidence.theta[slot, i] for i, c in enumerate(counts.classes.tolist())}
    return columns | given


def describe_features(evidence: Evidence, support: NDArray[np.bool_], names: Any) -> dict[str, NDArray]:
    """Return the information of each feature in the set and, for 0/1 features, the class it favors when present."""
    counts, used = evidence.counts, np.flatnonzero(support)
    bits = information(counts.table, counts.offsets).mutual / np.log(2)
    used = used[np.argsort(-bits[used], kind="stable")]
    columns = {"feature": np.array([str(names[j]) for j in used], dtype=object), "information": bits[used]}
    if counts.is_binary and counts.n_classes > 1:
        present = counts.offsets[used] + 1
        best, weight = _speaks_for(evidence.log_table[present] - evidence.log_table[present - 1])
        columns["speaks_for"], columns["weight"] = counts.classes[best].astype(str), weight
    return columns


def describe_lines(
    table: NDArray[np.float64],
    amount: NDArray[np.float64],
    support: NDArray[np.bool_],
    names: Any,
    classes: NDArray,
) -> dict[str, NDArray]:
    """Tabulate words, most informative first: favored class, its log-odds against the others in bits, and amount."""
    best, weight = _speaks_for(table)
    used = np.flatnonzero(support & (amount > 0))
    used = used[np.argsort(-(weight * amount)[used], kind="stable")]
    return {
        "feature": np.array([str(names[j]) for j in used], dtype=object),
        "speaks_for": np.asarray(classes)[best[used]].astype(str),
        "weight": weight[used],
        "amount": amount[used],
    }


def _speaks_for(table: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the class that each line favors most, and its log-odds against the mean of the others in bits."""
    odds = table - (table.sum(axis=1, keepdims=True) - table) / max(table.shape[1] - 1, 1)
    best = odds.argmax(axis=1)
    return best, odds[np.arange(len(table)), best] / np.log(2)


def _two_codes(counts: Counts) -> NDArray[np.int64]:
    """Return the codes of the lowest and the highest value of each feature that occur; a single one is repeated."""
    code = np.arange(len(counts.table)) - np.repeat(counts.offsets[:-1], counts.n_values)
    start = counts.offsets[:-1]
    lowest = np.minimum.reduceat(np.where(counts.occurs, code, len(code)), start)
    return np.column_stack([lowest, np.maximum.reduceat(np.where(counts.occurs, code, 0), start)])
