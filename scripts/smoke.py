"""Smoke test of an installed vitalfew with only its required dependencies."""

import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

import vitalfew
from vitalfew import _core

rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 60))
y = X[:, [3, 7]] @ [2.0, -1.0] + 0.1 * rng.normal(size=2000)

for name in vitalfew.__all__:
    getattr(vitalfew, name)

# Each part of the core is called at least once.
lasso = vitalfew.Lasso("bic").fit(X, y)
assert {3, 7} <= set(np.flatnonzero(lasso.coef_)), lasso.coef_
assert vitalfew.BestSubsetRegressor(2).fit(X, y).subset_.tolist() == [3, 7]
assert vitalfew.GreedySubsetRegressor(2).fit(X, y).subset_.tolist() == [3, 7]
assert vitalfew.ForwardFittingRegressor(50).fit(X, y).score(X, y) > 0.9
assert vitalfew.LogisticRegression(0.01).fit(X, y > 0).score(X, y > 0) > 0.9
assert vitalfew.AdaBoost(60).fit(X, y > 0).score(X, y > 0) > 0.8
assert vitalfew.DecisionTree().fit(X, y > 0).score(X, y > 0) > 0.8
assert len(vitalfew.Discretizer().fit(X, y > 0).transform(X)) == len(X)
words = sparse.csr_array(X > 1)
assert vitalfew.NaiveBayes(features="mdl").fit(words, y > 0).score(words, y > 0) > 0.6
assert vitalfew.WordPresence().fit_transform(["one two", "two three"]).shape == (2, 3)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.json"
    vitalfew.save(lasso, path)
    assert (vitalfew.load(path).predict(X) == lasso.predict(X)).all()

one, four = (vitalfew.Lasso("bic", n_jobs=n).fit(X, y).coef_ for n in (1, 4))
assert (one == four).all()
print(f"vitalfew {vitalfew.__version__} works, with {_core.thread_count()} threads")
