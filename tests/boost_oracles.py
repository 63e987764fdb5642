"""Slow, obvious stumps and AdaBoost in NumPy, straight from the formulas."""

import numpy as np


def stump_outputs(x, is_category=False):
    """Every way to part the known values of a column in two: True is on the right. The left side may be empty."""
    known = np.unique(x[~np.isnan(x)])
    if not is_category:
        return [x >= v for v in known] or [np.zeros(len(x), dtype=bool)]
    sets = range(2 ** len(known))
    return [np.isin(x, [v for k, v in enumerate(known) if code >> k & 1]) for code in sets]


def stump_errors(X, y, w, is_category=None):
    """The least weighted error of the stumps of each column; y is -1 or 1. Missing values may vote either way."""
    errors = []
    for j, x in enumerate(X.T):
        lost = np.isnan(x)
        least = np.inf
        for right in stump_outputs(x, bool(is_category is not None and is_category[j])):
            for sign in (1, -1):
                for vote_lost in (1, -1):
                    h = np.where(lost, vote_lost, np.where(right, sign, -sign))
                    least = min(least, w[h != y].sum())
        errors.append(least)
    return np.array(errors)


def stump_sides(x):
    """The two sides of every stump of a column, as masks. Missing values may be on either."""
    for right in stump_outputs(x):
        for lost_right in (True, False):
            side = np.where(np.isnan(x), lost_right, right)
            yield side, ~side


def confidence_z(X, y, w):
    """The least Z = 2 Σ sqrt(W₊ W₋) over the two sides of the stumps of each column."""

    def z(side):
        return 2 * np.sqrt(w[side & (y > 0)].sum() * w[side & (y < 0)].sum())

    return np.array([min(sum(map(z, sides)) for sides in stump_sides(x)) for x in X.T])


def class_errors(X, label, w, n_classes):
    """The least weighted error of stumps that vote for a class on each side."""

    def error(side):
        return w[side].sum() - max(w[side & (label == c)].sum() for c in range(n_classes))

    return np.array([min(sum(map(error, sides)) for sides in stump_sides(x)) for x in X.T])


def adaboost_weights(y, votes, alpha, weight):
    """Weights before each round and after the last, eq. 34, given what each learner says of the rows."""
    w = weight / weight.sum()
    found = [w]
    for h, a in zip(votes, alpha):
        w = w * np.exp(-a * y * h)
        w = w / w.sum()
        found.append(w)
    return found
