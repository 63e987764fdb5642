import numpy as np
import pytest

from vitalfew.families.linear.logistic_ridge import solve_symmetric

RNG = np.random.default_rng(0)


def with_unit_diagonal(matrix):
    scale = np.sqrt(np.diag(matrix))
    return matrix / np.outer(scale, scale)


@pytest.mark.parametrize("rank", [6, 5, 3])
@pytest.mark.parametrize("ridge", [0.0, 1e-13, 1e-6, 0.1])
def test_systems_are_solved_as_by_the_pseudo_inverse(rank, ridge):
    """Also singular ones, and those that are singular but for rounding: of their solutions it is the shortest."""
    X = RNG.normal(size=(40, rank)) @ RNG.normal(size=(rank, 6))
    matrix = with_unit_diagonal(X.T @ X + ridge * np.eye(6))
    right = matrix @ RNG.normal(size=6)
    found = solve_symmetric(matrix, right)
    np.testing.assert_allclose(matrix @ found, right, atol=1e-9)
    if ridge == 0:
        np.testing.assert_allclose(found, np.linalg.pinv(matrix, rcond=1e-12, hermitian=True) @ right, atol=1e-6)
