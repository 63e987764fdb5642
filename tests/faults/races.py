"""Runs a call again and again while another thread writes to the arrays it was given.

``python races.py NAME SECONDS`` prints how many calls returned and how many raised. Results may be wrong and errors may
be of any kind, since the input changes at any time; but the process must live on, and every call must end. It is meant
to be run with the address sanitizer, too.
"""

import random
import sys
import threading
import time
import warnings
from functools import partial
from itertools import product

import numpy as np
from scipy import sparse

import vitalfew as vf

N, D = 6000, 60
# What is written: indices far outside or near it, codes above the number of values, numbers that no loop expects.
WILD = {
    "i": (-1, 2**31 - 1, 10**6, -(2**31), 10**7),
    "u": (255, 254, 200, 4),
    "f": (np.nan, np.inf, -np.inf, 1e308, -1.0),
}


def spoil(arrays, is_over):
    """Writes wild values to random places, puts the old ones back, and begins again."""
    chance = random.Random(1)
    kept = [array.copy() for array in arrays]
    while not is_over.is_set():
        array, old = chance.choice(list(zip(arrays, kept)))
        wild = chance.choice([v for v in WILD[array.dtype.kind] if array.dtype.kind == "f" or fits(v, array.dtype)])
        begin = chance.randrange(array.size)
        flat = array.reshape(-1, order="A")
        flat[begin : begin + chance.choice((1, 50, 5000))] = wild
        time.sleep(chance.random() * 1e-3)
        array[...] = old
        time.sleep(chance.random() * 4e-3)


def fits(value, dtype):
    return np.iinfo(dtype).min <= value <= np.iinfo(dtype).max


def words(form="csr", kind=np.float64):
    rng = np.random.default_rng(0)
    X = sparse.random(N, D, 0.15, "csr", random_state=rng)
    X.data[:] = rng.integers(1, 4, X.nnz) if kind is np.float64 else 1
    return X.asformat(form)


def numbers(order="F"):
    return np.array(np.random.default_rng(0).normal(size=(N, D)).round(2), order=order)


def codes(order="C"):
    return np.array(np.random.default_rng(0).integers(0, 4, (N, D)), dtype=np.uint8, order=order)


def parts(X):
    if isinstance(X, np.ndarray):
        return [X]
    if X.format == "coo":
        return [X.row, X.col, X.data]
    return [X.offsets, X.data] if X.format == "dia" else [X.indices, X.indptr, X.data]


def classes(X):
    return (np.asarray(X[:, :3].sum(axis=1)).ravel() > np.asarray(X[:, 3:6].sum(axis=1)).ravel()).astype(np.int64)


def fit(model, make, **options):
    """Fits, with labels and weights that change too."""
    X = make(**options)
    y = classes(X.tocsr() if sparse.issparse(X) else X)
    weight = np.random.default_rng(1).random(N) + 0.5

    def call():
        model.fit(X, y, sample_weight=weight) if random.random() < 0.5 else model.fit(X, y)

    return call, [*parts(X), y, weight]


def predict(model, make, method="predict", **arguments):
    X = make()
    model.fit(X, classes(X))
    held = X.copy() if isinstance(X, np.ndarray) else sparse.csr_matrix(X, copy=True)
    return lambda: getattr(model, method)(held, **arguments), parts(held)


def measure(function, make, **options):
    X = make(**options)
    y = classes(X)
    return lambda: function(X, y), [*parts(X), y]


CASES = {
    "NaiveBayes": [
        lambda: fit(vf.NaiveBayes(), words),
        lambda: fit(vf.NaiveBayes(), words, form="csc"),
        lambda: fit(vf.NaiveBayes(features="mdl", max_features=5), words, kind=bool),
        lambda: predict(vf.NaiveBayes(), words),
    ],
    "codes": [
        lambda: fit(vf.NaiveBayes(), codes),
        lambda: fit(vf.NaiveBayes(), codes, order="F"),
        lambda: fit(vf.NaiveBayes(features="mdl", max_features=5), codes, order="F"),
        lambda: predict(vf.NaiveBayes(), codes),
    ],
    "information": [
        lambda: measure(vf.mutual_information, words),
        lambda: measure(vf.mutual_information, codes),
        lambda: measure(vf.mutual_information, codes, order="F"),
        lambda: measure(vf.Counts.from_data, words),
        lambda: measure(vf.Moments.from_data, words),
    ],
    "linear": [
        lambda: fit(vf.Lasso(0.01), words, form="csc"),
        lambda: fit(vf.LogisticRegression(0.01), words, form="csc"),
        lambda: fit(vf.GreedySubsetRegressor(3), words, form="csc"),
        lambda: fit(vf.Ridge(1.0), words, form="csc"),
        lambda: predict(vf.Lasso(0.01), words),
    ],
    "dense": [
        lambda: fit(vf.Lasso(0.01), numbers),
        lambda: fit(vf.LogisticRegression(0.01), numbers),
        lambda: fit(vf.GreedySubsetRegressor(3), numbers),
        lambda: fit(vf.ForwardFittingRegressor(5), numbers),
        lambda: fit(vf.BestSubsetRegressor(3), numbers),
    ],
    "searches": [
        lambda: fit(vf.GreedySubsetClassifier(2), numbers),
        lambda: fit(vf.BestSubsetClassifier(2), numbers),
        lambda: fit(vf.ForwardFittingClassifier(3), numbers),
        lambda: fit(vf.GreedySubsetClassifier(2), words, form="csc"),
    ],
    "trees": [
        lambda: fit(vf.AdaBoost(5), numbers),
        lambda: fit(vf.AdaBoost(5), words),
        lambda: fit(vf.DecisionTree(), numbers),
        lambda: fit(vf.Stump(), numbers, order="C"),
        lambda: fit(vf.Discretizer(), numbers),
    ],
    "options": [
        lambda: fit(vf.NaiveBayes([0, 3, 7], prior_strength="loo", grid=3), codes),
        lambda: fit(vf.NaiveBayes(np.arange(D) % 2 == 0), words),
        lambda: predict(vf.NaiveBayes([1, 2]), words, "predict_joint_log_proba", marginals=True),
        lambda: fit(vf.InformationRanking(5, prior_strength=20), codes),
        lambda: fit(vf.AdaBoost(3, resample=True, random_state=0), numbers),
        lambda: fit(vf.DecisionTree(code="exceptions", mdl_weight="mdl", max_depth=3), numbers),
        lambda: fit(vf.GreedySearch(vf.Ridge(1.0), 3, start=[0, 1], select_by="training"), numbers),
        lambda: measure(partial(vf.sealed_split, validation_size=0.2, random_state=0), numbers),
        lambda: measure(partial(vf.compare, {"a": vf.NaiveBayes([0]), "b": vf.NaiveBayes()}, criterion="bic"), codes),
    ],
    "mixture": [
        lambda: fit(vf.SemiSupervisedNaiveBayes(), words),
    ],
    "formats": [
        partial(fit, model, words, form=form)
        for form, model in product(("csr", "coo", "bsr", "dia"), (vf.Lasso(0.01), vf.NaiveBayes()))
    ],
}


def race(call, arrays, seconds):
    outcomes = {"returned": 0, "raised": 0}
    is_over = threading.Event()
    writer = threading.Thread(target=spoil, args=(arrays, is_over))
    writer.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            try:
                call()
                outcomes["returned"] += 1
            except Exception:
                outcomes["raised"] += 1
    finally:
        is_over.set()
        writer.join()
    return outcomes


def main(name, seconds):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.setswitchinterval(1e-4)
    for make in CASES[name]:
        print(race(*make(), seconds / len(CASES[name])), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
