"""Slow twins of the kernels, straight from the formulas.

Codes are float arrays of shape (rows, features): value v of feature j is the number v below ``n_values[j]``, NaN is
missing. Labels are codes 0 .. n_classes - 1. Logarithms are natural, results in nats.
"""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import chi2


def ones_if_none(weight, n):
    return np.ones(n) if weight is None else np.asarray(weight, dtype=float)


def count(X, y, n_values, n_classes, weight=None):
    """N_j(v, c): one array of shape (values, classes) for each feature."""
    w = ones_if_none(weight, len(X))
    tables = [np.zeros((k, n_classes)) for k in n_values]
    for i, row in enumerate(X):
        for j, v in enumerate(row):
            if not np.isnan(v):
                tables[j][int(v), y[i]] += w[i]
    return tables


def class_count(y, n_classes, weight=None):
    w = ones_if_none(weight, len(y))
    return np.array([w[y == c].sum() for c in range(n_classes)])


# Information


def entropy(*variables, weight=None):
    """H of the joint distribution of some variables."""
    w = ones_if_none(weight, len(variables[0]))
    mass = {}
    for key, each in zip(zip(*variables), w):
        mass[key] = mass.get(key, 0.0) + each
    p = np.array([m for m in mass.values() if m > 0]) / w.sum()
    return float(-(p * np.log(p)).sum())


def conditional_entropy(x, z, weight=None):
    return entropy(x, z, weight=weight) - entropy(z, weight=weight)


def mutual_information(x, y, weight=None):
    """Sum over pairs of P(x, y) log P(x, y) / P(x) P(y)."""
    x, y = np.asarray(x), np.asarray(y)
    w = ones_if_none(weight, len(x))
    total = 0.0
    for v in set(x.tolist()):
        for c in set(y.tolist()):
            both = w[(x == v) & (y == c)].sum() / w.sum()
            if both > 0:
                total += both * np.log(both / (w[x == v].sum() / w.sum()) / (w[y == c].sum() / w.sum()))
    return total


def conditional_mutual_information(x, y, z, weight=None):
    """I(X; Y | Z) = mean over z of I(X; Y) among the rows with that z."""
    x, y, z = np.asarray(x), np.asarray(y), np.asarray(z)
    w = ones_if_none(weight, len(x))
    parts = [z == v for v in set(z.tolist())]
    return sum(w[s].sum() / w.sum() * mutual_information(x[s], y[s], w[s]) for s in parts if w[s].sum() > 0)


def interaction_information(x, y, z, weight=None):
    return conditional_mutual_information(x, y, z, weight) - mutual_information(x, y, weight)


def miller_madow(x, y):
    """I(X; Y) with (cells - 1) / 2n added to each entropy."""
    n, cells = len(x), (len(set(x)), len(set(y)), len(set(zip(x, y))))
    bias = (cells[0] - 1 + cells[1] - 1 - (cells[2] - 1)) / (2 * n)
    return mutual_information(x, y) + bias


def g_test(x, y):
    """p-value of 2 n I(X; Y) under independence."""
    freedom = (len(set(x)) - 1) * (len(set(y)) - 1)
    return float(chi2.sf(2 * len(x) * mutual_information(x, y), freedom)) if freedom else 1.0


def benjamini_hochberg(p, alpha):
    """Reject the r smallest p-values, r the largest with p_(r) <= alpha r / m."""
    p = np.asarray(p)
    order = np.argsort(p)
    below = np.flatnonzero(p[order] <= alpha * np.arange(1, len(p) + 1) / len(p))
    rejected = np.zeros(len(p), dtype=bool)
    rejected[order[: below[-1] + 1 if below.size else 0]] = True
    return rejected


# Naive Bayes


class NaiveBayes:
    """theta = (N(v, y) + n' p) / (N(y) + n'), for each feature over the rows in which it is known."""

    def __init__(
        self, X, y, n_values, n_classes, weight=None, strength=1.0, mean="pooled", unlabeled=None, occurs=None
    ):
        self.n_classes = n_classes
        self.class_count = class_count(y, n_classes, weight)
        self.tables = count(X, y, n_values, n_classes, weight)
        with np.errstate(divide="ignore"):
            self.log_prior = np.log(self.class_count / self.class_count.sum())
        extra = [np.zeros(k) for k in n_values]
        if unlabeled is not None:
            none = np.zeros(len(unlabeled), dtype=int)
            extra = [t[:, 0] for t in count(unlabeled, none, n_values, 1)]
        occurs = [np.ones(k, dtype=bool) for k in n_values] if occurs is None else occurs
        self.log_theta = [self._line(t, e, strength, mean, o) for t, e, o in zip(self.tables, extra, occurs)]

    def _line(self, table, extra, strength, mean, occurs):
        k = len(table)
        pooled = table.sum(axis=1) + extra
        if mean == "pooled":
            p = pooled / pooled.sum() if pooled.sum() > 0 else np.zeros(k)
        else:
            p = occurs / max(occurs.sum(), 2) if mean == "uniform" else np.array([1 - mean, mean])
        with np.errstate(divide="ignore", invalid="ignore"):
            log_theta = np.log((table + strength * p[:, None]) / (table.sum(axis=0) + strength))
        if isinstance(mean, str):
            log_theta[p == 0] = 0.0  # never seen: no evidence
        return log_theta

    def evidence(self, X, j):
        """log P(x_j | y) of each row and class; 0 where x_j is missing."""
        out = np.zeros((len(X), self.n_classes))
        known = ~np.isnan(X[:, j])
        out[known] = self.log_theta[j][X[known, j].astype(int)]
        return out

    def joint_log_proba(self, X, support=None):
        chosen = range(X.shape[1]) if support is None else support
        return self.log_prior + sum((self.evidence(X, j) for j in chosen), np.zeros((len(X), self.n_classes)))

    def predict_proba(self, X, support=None):
        joint = self.joint_log_proba(X, support)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


def loo_predict_proba(X, y, n_values, n_classes, weight=None, support=None, **prior):
    """One literal refit for each row."""
    out = np.empty((len(X), n_classes))
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        w = None if weight is None else weight[rest]
        model = NaiveBayes(X[rest], y[rest], n_values, n_classes, w, **prior)
        out[i] = model.predict_proba(X[i : i + 1], support)[0]
    return out


# Description length, lecture eqs. 10 - 15


def log_choose(n, k):
    """log of n over k for a whole k and any n."""
    return float(sum(np.log((n - i) / (k - i)) for i in range(k)))


def log_star(k):
    total, rest = 0.0, float(k)
    while rest > 1:
        rest = np.log(rest)
        total += max(rest, 0.0)
    return total


def data_nats(score, y, weight=None):
    """Eq. 10 from joint log-probabilities."""
    own = logsumexp(score, axis=1) - score[np.arange(len(y)), y]
    return float(ones_if_none(weight, len(y)) @ own)


def model_nats(class_count, d, n_values):
    """Eqs. 11 - 14; for k values and C classes the possible count vectors are counted."""
    n, C, k = sum(class_count), len(class_count), len(n_values)
    parameters = sum(log_choose(n_c + v - 1, v - 1) for v in n_values for n_c in class_count)
    return log_star(k) + log_choose(d, k) + log_choose(n + C - 1, C - 1) + parameters


def costs(n_values, class_count, has_missing=None):
    """Nats for the parameters of each feature; being missing is one more value."""
    extra = np.zeros(len(n_values), dtype=int) if has_missing is None else has_missing.astype(int)
    return np.array([sum(log_choose(n_c + v - 1, v - 1) for n_c in class_count) for v in n_values + extra])


def candidates(model, X, y, chosen, weight=None):
    """Data nats with each further feature, infinite for those that are in."""
    score = model.joint_log_proba(X, chosen)
    value = np.full(X.shape[1], np.inf)
    for j in set(range(X.shape[1])) - set(chosen):
        value[j] = data_nats(score + model.evidence(X, j), y, weight)
    return value


def greedy_path(model, X, y, cost, steps, weight=None):
    """Features in the order of eq. 15, each the one with the least data nats + cost, and the data nats after each."""
    chosen, trace = [], [data_nats(model.joint_log_proba(X, []), y, weight)]
    for _ in range(steps):
        value = candidates(model, X, y, chosen, weight)
        chosen.append(int(np.argmin(value + cost)))
        trace.append(value[chosen[-1]])
    return chosen, np.array(trace)


# Ridge regression


def ridge(X, y, alpha, weight=None, has_intercept=True):
    """Least Σ w (y - b - xᵀβ)² + alpha ‖β‖², of least norm if there are many: coefficients and intercept."""
    w = ones_if_none(weight, len(y))
    x_mean, y_mean = (np.average(z, axis=0, weights=w) if has_intercept else 0.0 for z in (X, y))
    A = np.vstack([(X - x_mean) * np.sqrt(w)[:, None], np.sqrt(alpha) * np.eye(X.shape[1])])
    b = np.append((y - y_mean) * np.sqrt(w), np.zeros(X.shape[1]))
    coef = np.linalg.lstsq(A, b, rcond=1e-11)[0]
    return coef, float(y_mean - np.sum(x_mean * coef))


def ridge_loo(X, y, alpha, weight=None, has_intercept=True):
    """Prediction of each row by one literal refit without it."""
    rows = np.arange(len(y))
    fits = [ridge(X[rows != i], y[rows != i], alpha, drop(weight, i), has_intercept) for i in rows]
    return np.array([X[i] @ coef + intercept for i, (coef, intercept) in enumerate(fits)])


def drop(weight, i):
    return None if weight is None else np.delete(weight, i)


def ridge_freedom(X, alpha, weight=None, has_intercept=True):
    """Trace of the hat matrix without the intercept."""
    w = ones_if_none(weight, len(X))
    A = (X - (np.average(X, axis=0, weights=w) if has_intercept else 0)) * np.sqrt(w)[:, None]
    s = np.linalg.svd(A, compute_uv=False) ** 2
    return float(np.sum(s / (s + alpha)))


def kernel_ridge(K, y, alpha, weight=None):
    """Dual coefficients: W^½ (W^½ K W^½ + alpha)⁻¹ W^½ y."""
    root = np.sqrt(ones_if_none(weight, len(y)))
    return root * np.linalg.solve(root[:, None] * K * root + alpha * np.eye(len(y)), root * y)


def kernel_ridge_loo(K, y, alpha, weight=None):
    """Prediction of each row by one literal refit without it."""
    rows = np.arange(len(y))
    fits = [kernel_ridge(K[rows != i][:, rows != i], y[rows != i], alpha, drop(weight, i)) for i in rows]
    return np.array([K[i, rows != i] @ dual for i, dual in enumerate(fits)])
