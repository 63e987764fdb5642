"""Cuts of numeric columns: MDL against the same recursion in NumPy, quantile bins against scikit-learn."""

from time import perf_counter

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer

from vitalfew import _core
from vitalfew.data.coding.discretize import Discretizer

N_ROWS, N_COLUMNS, N_CLASSES, REPEATS = 100_000, 50, 5, 3


def make_data(seed=0):
    """Return a table in which half of the columns are noise and half depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_CLASSES, N_ROWS).astype(np.int32)
    slope = rng.random(N_COLUMNS) * (np.arange(N_COLUMNS) % 2)
    return np.asfortranarray(rng.normal(size=(N_ROWS, N_COLUMNS)) + y[:, None] * slope), y


def numpy_mdl_cuts(x, y, n_classes):
    """Compute the recursion with cumulative counts, which evaluate all boundaries of a set at once."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    is_last = np.r_[x[1:] != x[:-1], True]
    values, end_of_value = x[is_last], np.flatnonzero(is_last) + 1
    counts = np.zeros((n_classes, len(values) + 1), dtype=np.int64)
    for k in range(n_classes):
        counts[k, 1:] = np.cumsum(y == k)[end_of_value - 1]
    steps = np.diff(counts, axis=1)
    is_pure = (steps > 0).sum(axis=0) == 1
    label = y[end_of_value - 1]
    # A cut between two values of one and the same class is never the best.
    boundary = np.flatnonzero(~(is_pure[1:] & is_pure[:-1] & (label[1:] == label[:-1]))) + 1
    x_log_x = np.arange(len(x) + 1) * np.log2(np.maximum(np.arange(len(x) + 1), 1))
    cuts, todo = [], [(0, len(values))]
    while todo:
        begin, end = todo.pop()
        at = _numpy_best_cut(counts, boundary, x_log_x, begin, end)
        if at is not None:
            cuts.append((values[at - 1] + values[at]) / 2)
            todo += [(begin, at), (at, end)]
    return np.sort(cuts)


def _numpy_best_cut(counts, boundary, x_log_x, begin, end):
    inner = boundary[np.searchsorted(boundary, begin, "right") : np.searchsorted(boundary, end)]
    if inner.size == 0:
        return None
    whole = counts[:, end] - counts[:, begin]
    left = counts[:, inner] - counts[:, [begin]]
    right = whole[:, None] - left
    cost_left, cost_right = (x_log_x[s.sum(axis=0)] - x_log_x[s].sum(axis=0) for s in (left, right))
    best = np.argmin(cost_left + cost_right)
    n, k = whole.sum(), (whole > 0).sum()
    cost = x_log_x[n] - x_log_x[whole].sum()
    parts = [(whole, cost), (left[:, best], cost_left[best]), (right[:, best], cost_right[best])]
    labels, labels_left, labels_right = ((s > 0).sum() * c / s.sum() for s, c in parts)
    penalty = np.log2(n - 1) + np.log2(3.0**k - 2) - (labels - labels_left - labels_right)
    return inner[best] if cost - cost_left[best] - cost_right[best] > penalty else None


def _time_both(ours, peer):
    """Return the medians of interleaved repetitions, and the last result of each."""
    seconds = np.empty((REPEATS, 2))
    results = [None, None]
    for repeat in range(REPEATS):
        for i, run in enumerate((ours, peer)):
            start = perf_counter()
            results[i] = run()
            seconds[repeat, i] = perf_counter() - start
    return np.median(seconds, axis=0), results


def _row(case, peer, seconds, is_equal):
    ours_s, peer_s = map(float, seconds)
    return {
        "case": case,
        "peer": peer,
        "ours_s": ours_s,
        "peer_s": peer_s,
        "ratio": ours_s / peer_s,
        "equal": bool(is_equal),
    }


def _compare_mdl(X, y, threads):
    seconds, (ours, peer) = _time_both(
        lambda: _core.mdl_cuts(X, y, None, N_CLASSES, threads),
        lambda: [numpy_mdl_cuts(column, y, N_CLASSES) for column in X.T],
    )
    is_equal = all(np.allclose(*pair) for pair in zip(np.split(ours.value, ours.start[1:-1]), peer, strict=True))
    return _row(f"mdl cuts 100,000 x 50, 5 classes, threads={threads}", "NumPy", seconds, is_equal)


def _compare_quantile(X):
    peer = KBinsDiscretizer(
        strategy="quantile", encode="ordinal", quantile_method="averaged_inverted_cdf", subsample=None
    )
    seconds, (ours, theirs) = _time_both(
        lambda: Discretizer("quantile").fit_transform(X), lambda: peer.fit_transform(X)
    )
    return _row("quantile bins 100,000 x 50", "KBinsDiscretizer", seconds, np.array_equal(ours, theirs))


def compare():
    """Return our time and the peer's in seconds, their ratio, and whether the results agree."""
    X, y = make_data()
    return [_compare_mdl(X, y, threads=1), _compare_mdl(X, y, threads=2), _compare_quantile(X)]


if __name__ == "__main__":
    for row in compare():
        print(row)
