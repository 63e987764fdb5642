"""Best subsets that textbooks have published, found again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from vitalfew import BestSubsetRegressor, GreedySubsetRegressor

WIDE = Path(__file__).resolve().parents[4] / "shared" / "data" / "wide"
# The training rows of the book come first.
PROSTATE_TRAINING = 67


def table(name):
    path = WIDE / name
    if not path.exists():
        pytest.skip(f"{name} is not here: it is not part of the project")
    return pd.read_csv(path)


def test_prostate_as_in_the_elements_of_statistical_learning():
    """Table 3.3: the best subset of two, with its coefficients on standardized columns."""
    frame = table("prostate.csv")
    X, y = frame.drop(columns="target"), frame["target"]
    X = (X - X.mean()) / X.std()
    is_test = np.arange(len(frame)) >= PROSTATE_TRAINING
    model = BestSubsetRegressor(8).fit(X[~is_test], y[~is_test])
    path = model.path_
    names = [[X.columns[j] for j in path.subset(k)] for k in range(9)]
    assert names[1] == ["lcavol"]
    assert names[2] == ["lcavol", "lweight"]
    assert names[3] == ["lcavol", "lweight", "svi"]
    assert (path.gap == 0).all()
    np.testing.assert_allclose(path.coef[2][path.subset(2)], [0.740, 0.316], atol=5e-4)
    np.testing.assert_allclose(path.intercept[2], 2.477, atol=5e-4)
    predicted = X[is_test] @ path.coef[2] + path.intercept[2]
    np.testing.assert_allclose(np.mean((y[is_test] - predicted) ** 2), 0.492, atol=5e-4)


def hitters():
    frame = table("hitters.csv").dropna()
    X = pd.get_dummies(frame.drop(columns="target"), drop_first=True, dtype=float)
    return X, frame["target"]


def test_hitters_as_in_an_introduction_to_statistical_learning():
    """Section 6.5.1: the best subsets of one to seven variables; BIC takes six."""
    X, y = hitters()
    path = BestSubsetRegressor("bic", max_features=8).fit(X, y).path_
    expected = {
        1: {"CRBI"},
        2: {"Hits", "CRBI"},
        3: {"Hits", "CRBI", "PutOuts"},
        4: {"Hits", "CRBI", "PutOuts", "Division_W"},
        5: {"AtBat", "Hits", "CRBI", "PutOuts", "Division_W"},
        6: {"AtBat", "Hits", "Walks", "CRBI", "PutOuts", "Division_W"},
        7: {"Hits", "Walks", "CAtBat", "CHits", "CHmRun", "PutOuts", "Division_W"},
    }
    for k, names in expected.items():
        assert {X.columns[j] for j in path.subset(k)} == names
    assert (path.gap == 0).all()
    assert BestSubsetRegressor("bic", max_features=12).fit(X, y).k_ == 6


def test_hitters_forward_and_backward_differ_at_seven():
    """Section 6.5.1: with seven variables the three searches disagree."""
    X, y = hitters()
    forward = GreedySubsetRegressor(7).fit(X, y)
    backward = GreedySubsetRegressor(7, direction="backward").fit(X, y)
    assert set(forward.get_feature_names_out()) == {
        "AtBat", "Hits", "Walks", "CRBI", "CWalks", "Division_W", "PutOuts"
    }  # fmt: skip
    assert set(backward.get_feature_names_out()) == {
        "AtBat", "Hits", "Walks", "CRuns", "CWalks", "Division_W", "PutOuts"
    }  # fmt: skip
