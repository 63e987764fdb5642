"""Fuzz estimators and summaries with unusual tables, labels and weights: a finite result, or a clear error.

Arrays of any kind and shape, frames of mixed columns, sparse matrices whose indices do not fit.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from inputs import Inputs
from scipy import sparse

from vitalfew import (
    AdaBoost,
    Bagging,
    BestSubsetClassifier,
    BestSubsetRegressor,
    Blend,
    Counts,
    DecisionTree,
    Discretizer,
    ForwardFittingRegressor,
    GreedySubsetClassifier,
    GreedySubsetRegressor,
    InformationRanking,
    KernelRidge,
    Lasso,
    LogisticRegression,
    Moments,
    NaiveBayes,
    Ridge,
    SemiSupervisedNaiveBayes,
    Stump,
    mutual_information,
)

MAKERS = [
    NaiveBayes,
    lambda: NaiveBayes(numeric="distinct", features="mdl"),
    SemiSupervisedNaiveBayes,
    lambda: Lasso(0.1),
    lambda: LogisticRegression(0.1),
    lambda: LogisticRegression(0.1, penalty="l2"),
    lambda: Ridge(1.0),
    lambda: KernelRidge(1.0),
    DecisionTree,
    Stump,
    lambda: AdaBoost(3),
    lambda: Bagging("stump", 2, random_state=0),
    lambda: Blend([("stump", Stump()), ("tree", DecisionTree())], cv=2),
    lambda: GreedySubsetRegressor(1),
    lambda: GreedySubsetClassifier(1),
    lambda: BestSubsetRegressor(1),
    lambda: BestSubsetClassifier(1),
    lambda: ForwardFittingRegressor(3),
    lambda: InformationRanking(1),
    Discretizer,
]
NUMBERS = [0, 1, 2, 0.5, -1, 3, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e200, 2**31, 2**53 + 1, 1e-200, -0.0]
THINGS = [None, "", "a", "b", "\ud800", "1", 1, 2.5, np.nan, True, b"x", "é" * 3, 10**30, float("inf"), (1,), pd.NaT]
DTYPES = ["f8", "f4", "f2", "i8", "i4", "i1", "u8", "u1", "?", "c16", "S3", "U3", "M8[s]", "m8[s]", "O", "g", ">f8"]
# A weight may be as large as this before sums of weights and their squares leave the range of floats.
WEIGHTS = [1, 0, 2, 0.5, 1e-300, 1e150, -1, np.nan, np.inf, 1e308, 5e-324]


def numbers(inputs: Inputs, shape: tuple[int, ...]) -> np.ndarray:
    calm = inputs.below(3) > 0
    pool = NUMBERS[:6] if calm else NUMBERS
    return np.array([inputs.choice(pool) for _ in range(int(np.prod(shape)))], dtype=float).reshape(shape)


def array(inputs: Inputs, shape: tuple[int, ...]) -> np.ndarray:
    kind = inputs.below(4)
    if kind < 2:
        return numbers(inputs, shape)
    if kind == 2:
        things = np.empty(int(np.prod(shape)), dtype=object)
        things[:] = [inputs.choice(THINGS) for _ in range(things.size)]
        return things.reshape(shape)
    with np.errstate(all="ignore"):
        made = (
            np.nan_to_num(numbers(inputs, shape), posinf=9, neginf=-9)
            .clip(-1e4, 1e4)
            .astype(inputs.choice(DTYPES[:-1]))
        )
    return np.asfortranarray(made) if inputs.below(2) else made


def frame(inputs: Inputs, n: int, d: int):
    names = [
        inputs.choice(["a", "b", "c", "", "a", 7, None, "\ud800"]) if inputs.below(4) == 0 else f"c{j}"
        for j in range(d)
    ]
    columns = [array(inputs, (n,)) for _ in range(d)]
    kind = inputs.below(4)
    try:
        if kind == 0:
            table = pd.concat([pd.Series(c) for c in columns], axis=1) if columns else pd.DataFrame(index=range(n))
            table.columns = names
            return table
        if kind == 1:
            return pl.DataFrame({str(name): c for name, c in zip(names, columns)}, strict=False)
        if kind == 2:
            return pa.table({str(name): pa.array(c) for name, c in zip(names, columns)})
        return pd.DataFrame({str(name): pd.Categorical(c) for name, c in zip(names, columns)})
    except (ValueError, TypeError, OverflowError, NotImplementedError, pa.ArrowException, pl.exceptions.PolarsError):
        return numbers(inputs, (n, d))  # such a column cannot be made


def matrix(inputs: Inputs, n: int, d: int):
    """Return a sparse matrix whose arrays are corrupted after construction."""
    form = inputs.choice([sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.csr_matrix])
    made = form(numbers(inputs, (n, d)))
    if inputs.below(3) == 0 or made.format == "coo":
        return made
    for _ in range(1 + inputs.below(2)):
        part = inputs.choice([made.indices, made.indptr, made.data])
        if part.size:
            part[inputs.below(part.size)] = inputs.choice([-1, 99, 0, 1, 2**31 - 1, -(2**31), 3])
    if inputs.below(4) == 0:
        made.indices = made.indices[:-1]
    elif inputs.below(4) == 0:
        made.indptr = made.indptr.astype(np.int64)[: len(made.indptr) - 1]
    return made


def table(inputs: Inputs, n: int, d: int):
    kind = inputs.below(8)
    if kind < 3:
        return array(inputs, (n, d))
    if kind < 5:
        return frame(inputs, n, d)
    if kind < 7:
        return matrix(inputs, n, d)
    return inputs.choice(
        [None, [], [[]], 1.0, "text", [[1], [2, 3]], array(inputs, (n,)), array(inputs, (n, d, 1)), {}]
    )


def labels(inputs: Inputs, n: int):
    kind = inputs.below(4)
    if kind == 0:
        return np.arange(n) % 2
    if kind == 1:
        return array(inputs, (n if inputs.below(8) else n + 1,))
    if kind == 2:
        return np.array([inputs.choice(["a", "b", "c"]) for _ in range(n)])
    return inputs.choice(
        [numbers(inputs, (n,)), numbers(inputs, (n, 2)), pd.Series(numbers(inputs, (n,))), None, "a", [1]]
    )


def is_finite(found) -> bool:
    values = found.toarray() if sparse.issparse(found) else np.asarray(found)
    return values.dtype.kind not in "fc" or bool(np.isfinite(values).all())


def use(inputs: Inputs, X, y, weight) -> None:
    which = inputs.below(len(MAKERS) + 3)
    if which == len(MAKERS):
        assert is_finite(Counts.from_data(X, y, sample_weight=weight).table), "counts are not finite"
        return
    if which == len(MAKERS) + 1:
        Moments.from_data(X, y, sample_weight=weight)
        return
    if which == len(MAKERS) + 2:
        assert is_finite(mutual_information(X, y)), "the information is not finite"
        return
    model = MAKERS[which]()
    model = model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
    found = (model.predict if hasattr(model, "predict") else model.transform)(X)
    assert hasattr(model, "transform") or is_finite(found), f"{model} predicts {found}"
    if hasattr(model, "predict_proba"):
        assert is_finite(model.predict_proba(X)), f"{model} has probabilities {model.predict_proba(X)}"


def one_input(data: bytes) -> None:
    inputs = Inputs(data)
    n, d = inputs.below(13), inputs.below(6)
    X, y = table(inputs, n, d), labels(inputs, n)
    weight = None if inputs.below(3) else np.array([inputs.choice(WEIGHTS) for _ in range(n)], dtype=float)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            use(inputs, X, y, weight)
        except (ValueError, TypeError) as error:
            assert str(error), "an error without a message"
