"""Number of features to use: one greedy path judged by four criteria, and the stability of the set over resamples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from vitalfew import rules
from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.exceptions import TimeBudgetError, UnfinishedWarning
from vitalfew.families.bayes.evidence import default_strength
from vitalfew.families.bayes.naive_bayes import NaiveBayes
from vitalfew.families.bayes.naive_bayes_path import FeatureFamily
from vitalfew.families.linear.feature_groups import check_groups
from vitalfew.families.subsets.greedy import GreedyFamily, GreedySubsetRegressor
from vitalfew.reporting.phrases import listing, plural
from vitalfew.reporting.study import Study
from vitalfew.rules.criteria import subset_cost
from vitalfew.support.deadline import check_deadline, deadline, time_left

MOST_FEATURES = 60
MOST_ROWS = 50_000
THRESHOLD = 0.75
MOST_PAIRS = 50
LEAST_PAIRS = 5
# Smaller differences are no evidence: Kass and Raftery's "positive", and twenty to one in bits.
BIC_EVEN = 6.0
BITS_EVEN = float(np.log2(20))
# Shares of the remaining time: for the path itself, and for each rule that resamples.
FOR_THE_PATH, FOR_A_RULE = 0.5, 0.6
SHORT = {"mdl": "description length", "bic": "BIC", "loo": "leave-one-out", "cv": "5-fold error"}
LABELS = {"loo": "leave-one-out {}", "cv": "5-fold {}, nested selection"}


@dataclass(frozen=True)
class Criterion:
    """Values of one criterion for every size."""

    rule: str
    label: str
    unit: str
    value: NDArray[np.float64]
    se: NDArray[np.float64] | None
    slack: float  # how much worse a size may be without evidence against it

    @property
    def best(self) -> int:
        return int(np.nanargmin(self.value))

    @property
    def even(self) -> NDArray[np.intp]:
        """Sizes that the criterion cannot distinguish from the best."""
        return np.flatnonzero(self.value <= self.value[self.best] + self.slack)


def how_many(study: Study) -> dict:
    """Return the facts of the first question."""
    rows, began = study.sample(MOST_ROWS, 1), study.clock.spent
    k, added, criteria, missing = _numeric_path(study, rows) if study.is_numeric else _class_path(study, rows)
    low = [int(k[c.even[0]]) for c in criteria]
    high = [int(k[c.even[-1]]) for c in criteria]
    agree = max(low) <= min(high)
    chosen = [int(k[c.best]) for c in criteria]
    span = [max(low), min(high)] if agree else [min(chosen), max(chosen)]
    by_rule = {c.rule: lo for c, lo in zip(criteria, low)}
    size = span[0] if agree else by_rule.get("cv", low[0])
    stability = None
    if size > 0:
        try:
            stability = _stability(study, size)
        except TimeBudgetError:
            missing.append("stability of the selected features")
    answer = _answer(span, agree, chosen, criteria, stability, study.d)
    if missing:
        answer += f" {listing(missing).capitalize()}: not computed, {study.clock.stopped(began)}."
    return {
        "answer": answer,
        "method": "greedy forward search, " + ("least squares" if study.is_numeric else "Naive Bayes"),
        "k": [int(v) for v in k],
        "feature": [None if j is None else study.name(j) for j in added],
        "criteria": [
            {
                "rule": c.rule,
                "label": c.label,
                "unit": c.unit,
                "value": [_finite(v) for v in c.value],
                "se": None if c.se is None else [_finite(v) for v in c.se],
                "chosen": int(k[c.best]),
                "low": lo,
                "high": hi,
            }
            for c, lo, hi in zip(criteria, low, high)
        ],
        "range": span,
        "agree": agree,
        "size": size,
        "stability": stability,
    }


def _finite(v) -> float | None:
    return float(v) if np.isfinite(v) else None


def _class_path(study: Study, rows):
    """Fit Naive Bayes with features in the order in which they shorten the description of the labels most."""
    X, y = study.features.take(rows).X, study.y[rows]
    most = min(MOST_FEATURES, study.d)
    data = DiscreteData.read(X, y, None, TableCoder(threads=study.threads))
    strength = default_strength(min(most, data.block.n_features))
    family = FeatureFamily(strength, "pooled", max_features=most, verbose=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path, is_whole = _path_in_time(lambda: family.path(data))
        options = rules.Options(random_state=study.seed, verbose=False)
        resampled, missing = _in_time(lambda rule: rules.choose(rule, path, family, data, options))
    if not is_whole:
        missing.append(f"sizes above {path.grid[-1]}")
    mdl = rules.choose("mdl", path, None, data, rules.Options())
    described = path.description_length()
    counts = path.evidence.counts
    each = counts.n_classes * (counts.n_values - 1)
    members = [path.at(i) for i in range(len(path.grid))]
    freedom = np.array([each[m].sum() for m in members]) + counts.n_classes - 1
    bic = 2 * described.data + freedom * np.log(len(y))
    added = [None, *[_newcomer(a, b) for a, b in pairwise(members)]]
    return (
        path.grid,
        added,
        [
            Criterion("mdl", "description length", "bits", mdl.score, None, BITS_EVEN),
            Criterion("bic", "BIC of the labels", "BIC", bic, None, BIC_EVEN),
            *(_resampled(rule, LABELS[rule].format("error"), found) for rule, found in resampled.items()),
        ],
        missing,
    )


def _in_time(choose: Callable[[str], rules.Selection]) -> tuple[dict[str, rules.Selection], list[str]]:
    """Run each rule that resamples in its share of the remaining time; return results, and labels of missing ones."""
    found, missing = {}, []
    for rule in LABELS:
        try:
            with deadline(FOR_A_RULE * time_left()):
                found[rule] = choose(rule)
        except TimeBudgetError:
            missing.append(LABELS[rule].format("error"))
    return found, missing


def _newcomer(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> int | None:
    new = np.flatnonzero(after & ~before)
    return int(new[0]) if len(new) else None


def _resampled(rule: str, label: str, found: rules.Selection) -> Criterion:
    score = -found.score if found.greater_is_better else found.score
    best = int(np.nanargmin(score))
    slack = found.standard_error[best]
    return Criterion(rule, label, found.measure, score, found.standard_error, float(slack) if slack == slack else 0.0)


def _numeric_path(study: Study, rows):
    """Fit least squares with variables in the order in which they lower the squared error most."""
    X, group, owner = numbers_of(study, rows)
    y = study.y[rows]
    most = min(MOST_FEATURES, study.d)

    data = NumericData.read(X, y, None, threads=study.threads)
    groups = check_groups(group, data.n_features, data.names)
    family = GreedyFamily("bic", most, "forward", True, groups, study.threads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path, is_whole = _path_in_time(lambda: family.path(data))
        # The folds of a truncated path would end elsewhere.
        resampled: dict[str, rules.Selection] = {}
        missing = [label.format("squared error") for label in LABELS.values()]
        if is_whole:
            options = rules.Options(random_state=study.seed, verbose=False)
            resampled, missing = _in_time(lambda rule: rules.choose(rule, path, family, data, options))
    if not is_whole:
        missing.append(f"sizes above {path.grid[-1]}")
    bic = rules.choose("bic", path, None, data, rules.Options()).score
    k = np.asarray(path.grid)
    # Half of BIC, which is infinite for perfect fits, and the subset.
    bits = (0.5 * bic + subset_cost(k, study.d)) / np.log(2)
    members = [set(owner[path.subset(i)].tolist()) for i in range(len(k))]
    added = [None, *[next(iter(b - a), None) for a, b in pairwise(members)]]
    return (
        k,
        added,
        [
            Criterion("mdl", "description length", "bits", bits, None, BITS_EVEN),
            Criterion("bic", "BIC", "BIC", bic, None, BIC_EVEN),
            *(_resampled(rule, LABELS[rule].format("squared error"), found) for rule, found in resampled.items()),
        ],
        missing,
    )


def _path_in_time(fit: Callable[[], Any]) -> tuple[Any, bool]:
    """Fit a path in its share of the remaining time. Return it, and True if it is complete."""
    with warnings.catch_warnings(record=True) as told, deadline(FOR_THE_PATH * time_left()):
        warnings.simplefilter("always", UnfinishedWarning)
        path = fit()
    return path, not any(issubclass(one.category, UnfinishedWarning) for one in told)


def numbers_of(study: Study, rows) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return features as numeric columns, a category as several: the columns, the group of each, and its feature."""
    features = study.features.take(rows)
    if features.is_sparse:
        return features.X, np.arange(features.d), np.arange(features.d)
    if isinstance(features.X, np.ndarray) and not features.is_category.any():
        X = np.array(features.X, dtype=float)
        for j in np.flatnonzero(np.isnan(X).any(axis=0)).tolist():
            X[:, j] = _filled(np.ascontiguousarray(X[:, j]))
        return X, np.arange(features.d), np.arange(features.d)
    columns, owner = [], []
    for j in range(features.d):
        check_deadline()
        values = features.values(j)
        if features.is_category[j]:
            text = np.array([["(missing)" if v is None or v != v else v] for v in values], dtype=object)
            found = OneHotEncoder(drop="first", max_categories=20, sparse_output=False).fit_transform(text)
        else:
            found = _filled(np.asarray(values, dtype=float))[:, None]
        columns.append(found)
        owner += [j] * found.shape[1]
    at = np.array(owner, dtype=np.int64)
    return np.hstack(columns), at, at


def _filled(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace missing values of a column by its mean."""
    return np.where(np.isnan(column), np.nanmean(column) if np.isfinite(column).any() else 0.0, column)


def _stability(study: Study, size: int) -> dict | None:
    """Compute selection frequencies over complementary halves of the rows, with a bound on false selections."""
    limit, began = study.clock.share(0.15), time.perf_counter()
    rng, rows = study.rng(2), study.sample(MOST_ROWS, 2)
    chosen = np.zeros(study.d)
    sets = []
    for pair in range(MOST_PAIRS):
        order = rng.permutation(rows)
        for half in (order[: len(rows) // 2], order[len(rows) // 2 : len(rows) // 2 * 2]):
            found = _select(study, np.sort(half), size)
            if found is None:
                return None
            chosen[found] += 1
            sets.append(found)
        if pair + 1 >= LEAST_PAIRS and (time.perf_counter() - began) * (pair + 2) / (pair + 1) > limit:
            break
    frequency = chosen / len(sets)
    top = np.flatnonzero(frequency > 0)
    top = top[np.lexsort((study.alone.rank[top], -frequency[top]))][:200]
    return {
        "n_resamples": len(sets),
        "size": size,
        "threshold": THRESHOLD,
        "n_stable": int((frequency >= THRESHOLD).sum()),
        "false_bound": false_bound(size, study.d, THRESHOLD, len(sets) // 2),
        "similarity": similarity(frequency, len(sets)),
        "names": [study.name(int(j)) for j in top],
        "frequency": [float(f) for f in frequency[top]],
    }


def _select(study: Study, rows, size: int) -> NDArray[np.intp] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if study.is_numeric:
            X, group, owner = numbers_of(study, rows)
            model = GreedySubsetRegressor(min(size, len(rows) - 2), feature_groups=group, verbose=False)
            return np.unique(owner[model.fit(X, study.y[rows]).subset_])
        if len(np.unique(study.y[rows])) < 2:
            return None
        found = NaiveBayes(features=size, verbose=False).fit(study.features.take(rows).X, study.y[rows])
        return np.flatnonzero(found.support_)


def false_bound(size: int, d: int, threshold: float, pairs: int) -> float:
    """Bound the expected number of features of low selection probability (below size / d) that reach the threshold.

    Shah and Samworth (2013), "Variable selection with error control", theorem 2 with the unimodal constant.
    """
    theta = size / d
    low = min(0.5 + theta**2, 0.5 + 1 / (2 * pairs) + 0.75 * theta**2)
    if low < threshold <= 0.75 and 2 * threshold - 1 - 1 / (2 * pairs) > 0:
        constant = 1 / (2 * (2 * threshold - 1 - 1 / (2 * pairs)))
    elif threshold > 0.75:
        constant = 4 * (1 - threshold + 1 / (2 * pairs)) / (1 + 1 / pairs)
    else:
        constant = 1 / (2 * threshold - 1)
    return float(min(constant * theta * size, size))


def similarity(frequency: NDArray[np.float64], n_sets: int) -> float | None:
    """Compute Nogueira, Sechidis and Brown's stability (2018): 1 for identical sets, 0 for random sets."""
    d, mean = len(frequency), frequency.sum()
    expected = mean / d * (1 - mean / d)
    if expected <= 0:
        return None
    return float(1 - (n_sets / (n_sets - 1) * frequency * (1 - frequency)).mean() / expected)


def _answer(span, agree, chosen, criteria, stability, d) -> str:
    if max(chosen) == 0 and len(criteria) < len(SHORT):
        return f"Not decided: {listing([SHORT[c.rule] for c in criteria])} prefer the model without features."
    if max(chosen) == 0:
        return "None: every criterion prefers the model without features."
    if agree:
        size = f"{span[0]}" if span[0] == span[1] else f"{span[0]} to {span[1]}"
        text = f"{size} of {d:,} features: {listing([SHORT[c.rule] for c in criteria])} agree."
    else:
        each = listing([f"{c.label} {k}" for c, k in zip(criteria, chosen)])
        text = f"The criteria do not agree: between {span[0]} and {span[1]} of {d:,} features ({each})."
    if stability is not None:
        stable = stability["n_stable"]
        text += (
            f" {plural(stable, 'feature is', 'features are').capitalize()} selected in at least {THRESHOLD:.0%} of "
            f"random halves of the rows (sets of {stability['size']})."
        )
    return text
