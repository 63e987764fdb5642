"""Data for property tests: small, and with what breaks things in it."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

SEEDS = st.integers(0, 2**32 - 1)
LABEL_KINDS = ("int", "str", "bool")


@dataclass(frozen=True)
class Problem:
    """Codes (NaN: missing), labels, weights or None."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None

    @property
    def n_values(self):
        """At least 2, else one more than the largest code."""
        tops = [0 if np.isnan(c).all() else int(np.nanmax(c)) + 1 for c in self.X.T]
        return np.maximum(tops, 2)

    @property
    def occurs(self):
        """Mask of the codes of each feature that occur; both of a feature with two count."""
        return [np.isin(np.arange(k), column) | (k == 2) for k, column in zip(self.n_values, self.X.T)]

    @property
    def n_occurring(self):
        return np.array([max(int(mask.sum()), 2) for mask in self.occurs])

    @property
    def classes(self):
        return np.unique(self.y)

    @property
    def label(self):
        return np.unique(self.y, return_inverse=True)[1]

    @property
    def csr(self):
        return sparse.csr_array(self.X)

    def take(self, rows):
        return replace(self, X=self.X[rows], y=self.y[rows], weight=None if self.weight is None else self.weight[rows])


def as_labels(codes, kind):
    """Class codes as labels of a kind."""
    if kind == "int":
        return codes * 7 - 3
    return np.array(["a", "beta", "c'c", "ü", "<e>"])[codes] if kind == "str" else codes > 0


@st.composite
def weights(draw, n, kinds=(None, "integer", "fractional")):
    """Counts of rows; their sum is at least n, since smaller weights are shares."""
    kind = draw(st.sampled_from(kinds))
    if kind is None:
        return None
    rng = np.random.default_rng(draw(SEEDS))
    if kind == "integer":
        return rng.integers(1, 4, n).astype(float)
    fractional = rng.uniform(0.1, 3.0, n)
    return fractional * max(1.0, n / fractional.sum())


@st.composite
def binary_problems(draw, max_rows=25, max_features=8, max_classes=5, min_classes=1, weight=(None,)):
    """0/1 features: rare and frequent ones, all-zero and all-one columns, duplicates, empty rows."""
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, max_features))
    n_classes = draw(st.integers(min_classes, max_classes))
    rng = np.random.default_rng(draw(SEEDS))
    y = rng.integers(0, n_classes, n)
    y[: min(n, n_classes)] = np.arange(n_classes)[:n]
    lift = rng.uniform(-0.3, 0.3, (n_classes, d))
    X = (rng.random((n, d)) < rng.uniform(0.05, 0.8, d) + lift[y]).astype(float)
    X[rng.random(n) < 0.1] = 0
    for j, fate in enumerate(rng.integers(0, 8, d)):
        if fate < 2:
            X[:, j] = fate
        elif fate == 2:
            X[:, j] = X[:, rng.integers(0, d)]
    kind = draw(st.sampled_from(LABEL_KINDS if n_classes == 2 else LABEL_KINDS[:2]))
    return Problem(X, as_labels(y, kind), draw(weights(n, weight)))


@st.composite
def kary_problems(draw, max_rows=25, max_features=6, max_classes=5, min_classes=1, missing=True, weight=(None,)):
    """k-ary features with missing values, constant columns, duplicates and columns that are missing throughout."""
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, max_features))
    n_classes = draw(st.integers(min_classes, max_classes))
    rng = np.random.default_rng(draw(SEEDS))
    y = rng.integers(0, n_classes, n)
    y[: min(n, n_classes)] = np.arange(n_classes)[:n]
    X = np.column_stack([(rng.integers(0, k, n) + y * rng.integers(0, 2)) % k for k in rng.integers(1, 6, d)]).astype(
        float
    )
    if d > 1 and rng.random() < 0.3:
        X[:, 0] = X[:, -1]
    if missing:
        X[rng.random((n, d)) < rng.choice([0.0, 0.2])] = np.nan
        X[:, rng.random(d) < 0.05] = np.nan
        for column in X.T:  # one value and missing ones are two values, which has its own tests
            known = column[~np.isnan(column)]
            if len(set(known)) == 1:
                column[:] = known[0]
    kind = draw(st.sampled_from(LABEL_KINDS if n_classes == 2 else LABEL_KINDS[:2]))
    return Problem(X, as_labels(y, kind), draw(weights(n, weight)))


def problems(**options):
    """Binary or k-ary."""
    return st.one_of(binary_problems(**options), kary_problems(**options))


ALL_WEIGHTS = (None, "integer", "fractional")


@st.composite
def partitions(draw, n, max_parts=4):
    """Rows dealt into at most `max_parts` parts, none of them empty."""
    part = np.random.default_rng(draw(SEEDS)).integers(0, draw(st.integers(1, max_parts)), n)
    return [np.flatnonzero(part == p) for p in np.unique(part)]


@st.composite
def numeric_tables(draw, min_rows=1, max_rows=25, max_features=7):
    """Columns of numbers: plain, constant, doubled, a sum of others, mostly zero, off center, and of another scale."""
    n, d = draw(st.integers(min_rows, max_rows)), draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.normal(size=(n, d))
    for j, fate in enumerate(rng.integers(0, 12, d)):
        if fate == 0:
            X[:, j] = rng.normal()
        elif fate == 1:
            X[:, j] = X[:, rng.integers(0, d)]
        elif fate == 2:
            X[:, j] = X.sum(axis=1)
        elif fate == 3:
            X[rng.random(n) < 0.7, j] = 0
        elif fate == 4:
            X[:, j] += 10
        elif fate == 5:
            X[:, j] *= rng.choice([0.1, 10])
    return X, rng


@dataclass(frozen=True)
class Regression:
    """Rows of numbers, a numeric target, weights or None."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None


@st.composite
def regressions(draw, min_rows=2, max_rows=20, max_features=8, weight=(None, "integer", "fractional"), is_sound=False):
    """Numbers far from zero, more columns than rows, duplicated rows; constant and duplicated columns unless sound."""
    n, d = draw(st.integers(min_rows, max_rows)), draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.normal(size=(n, d)) * rng.choice([0.1, 1.0, 10.0], d) + rng.choice([0.0, 0.0, 30.0], d)
    y = X @ rng.normal(size=d) + rng.normal(size=n) + rng.choice([0.0, 100.0])
    for j, fate in enumerate(rng.integers(2 if is_sound else 0, 10, d)):
        if fate == 0:
            X[:, j] = rng.normal()
        elif fate == 1:
            X[:, j] = X[:, rng.integers(0, d)]
    if n > 2 and rng.random() < 0.2:
        X[0] = X[-1]
    return Regression(X, y, draw(weights(n, weight)))


@st.composite
def tied_tables(draw, missing=True, max_rows=20, max_features=4, max_classes=2):
    """Few distinct numbers, so that there are ties; constant and duplicated columns, missing values."""
    n, d = draw(st.integers(2, max_rows)), draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.integers(-2, 4, size=(n, d)) * rng.choice([0.5, 1e6, 1e-6], d)
    X[:, rng.random(d) < 0.2] = 7.0
    if missing:
        X[rng.random((n, d)) < rng.choice([0.0, 0.3])] = np.nan
    label = rng.integers(0, max_classes, n)
    label[:max_classes] = np.arange(max_classes)[:n]
    return X, label, draw(weights(n))
