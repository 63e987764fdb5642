"""Numbers at addresses that are no multiple of their size, as in the bytes of a message (sanitizers see reads)."""

import numpy as np
import pytest
from scipy import sparse

from vitalfew import (
    AdaBoost,
    Counts,
    DecisionTree,
    Discretizer,
    GreedySubsetRegressor,
    Lasso,
    LogisticRegression,
    Moments,
    NaiveBayes,
    Ridge,
    SemiSupervisedNaiveBayes,
    _core,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 6))
y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)


def at_odd_address(values: np.ndarray) -> np.ndarray:
    held = np.frombuffer(b"\0" + values.tobytes(order="A"), dtype=np.uint8)[1:]
    moved = held.view(values.dtype).reshape(values.shape, order="F" if values.flags.fnc else "C")
    assert not moved.flags.aligned
    np.testing.assert_array_equal(moved, values)
    return moved


def sparse_at_odd_addresses(values: np.ndarray) -> sparse.csr_array:
    moved = sparse.csr_array(values)
    moved.data, moved.indices, moved.indptr = map(at_odd_address, (moved.data, moved.indices, moved.indptr))
    return moved


MODELS = [
    NaiveBayes(),
    SemiSupervisedNaiveBayes(),
    LogisticRegression(0.01),
    Lasso(0.01),
    Ridge(1.0),
    GreedySubsetRegressor(2),
    AdaBoost(5),
    DecisionTree(),
    Discretizer(),
]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_models_do_not_mind(model, kind, order):
    rows = np.array(X, dtype=kind, order=order)
    weight = np.arange(1.0, 81.0)
    odd = model.fit(at_odd_address(rows), at_odd_address(y), sample_weight=at_odd_address(weight))
    apply = "predict" if hasattr(model, "predict") else "transform"
    found = getattr(odd, apply)(at_odd_address(rows))
    # NumPy multiplies what lies at odd addresses in another order.
    np.testing.assert_allclose(found, getattr(model.fit(rows, y, sample_weight=weight), apply)(rows), rtol=1e-10)


@pytest.mark.parametrize("model", MODELS[:7], ids=lambda m: type(m).__name__)
def test_sparse_rows_neither(model):
    words = (X > 0.5).astype(float)
    found = model.fit(sparse_at_odd_addresses(words), y).predict(sparse_at_odd_addresses(words))
    np.testing.assert_array_equal(found, model.fit(sparse.csr_array(words), y).predict(sparse.csr_array(words)))


def test_summaries_neither():
    odd, even = Moments.from_data(at_odd_address(X), y), Moments.from_data(X, y)
    np.testing.assert_array_equal(odd.scatter, even.scatter)
    codes = (X > 0).astype(np.int64)
    np.testing.assert_array_equal(Counts.from_data(at_odd_address(codes), y).table, Counts.from_data(codes, y).table)


def test_kernels_copy_such_numbers():
    column = at_odd_address(np.arange(9.0))
    found = _core.column_products([column], at_odd_address(np.zeros(1)), at_odd_address(np.ones(9)), 1)
    assert found.first.tolist() == [36.0]
    assert found.second.tolist() == [[204.0]]
