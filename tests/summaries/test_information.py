"""Entropies and mutual information against the formulas, scikit-learn and scipy."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from scipy.stats import power_divergence
from scipy.stats.contingency import crosstab
from sklearn.metrics import mutual_info_score

import oracles
from strategies import ALL_WEIGHTS, binary_problems, kary_problems, problems
from vitalfew import (
    conditional_entropy,
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
)
from vitalfew.exceptions import DiscretizationWarning

NATS = {"unit": "nats"}
# The lecture's table: label, then three features.
LECTURE = np.array(
    [
        [-1, 1, 1, 1],
        [-1, 1, 2, 1],
        [-1, 2, 2, 1],
        [-1, 2, 3, 2],
        [+1, 1, 1, 2],
        [+1, 1, 1, 2],
        [+1, 1, 3, 2],
        [+1, 2, 3, 2],
    ]
)


def known_rows(problem, j):
    """Values, labels and weights of the rows in which feature j is not missing."""
    known = ~np.isnan(problem.X[:, j])
    weight = None if problem.weight is None else problem.weight[known]
    return problem.X[known, j], problem.label[known], weight


def test_worked_example_of_the_lecture():
    by_hand = (
        1 / 8 * np.log((1 / 8) / (4 / 8 * 3 / 8))
        + 2 / 8 * np.log((2 / 8) / (4 / 8 * 2 / 8))
        + 1 / 8 * np.log((1 / 8) / (4 / 8 * 3 / 8))
        + 2 / 8 * np.log((2 / 8) / (4 / 8 * 3 / 8))
        + 2 / 8 * np.log((2 / 8) / (4 / 8 * 3 / 8))
    )
    found = mutual_information(LECTURE[:, 1:], LECTURE[:, 0], unit="nats")
    assert found[1] == pytest.approx(by_hand, abs=1e-15)
    assert found[1] == pytest.approx(1.5 * np.log(2) - 0.75 * np.log(3), abs=1e-15)
    assert np.argsort(-found).tolist() == [2, 1, 0]


@given(problems(weight=ALL_WEIGHTS))
def test_mutual_information_is_that_of_the_formula(problem):
    found = mutual_information(problem.X, problem.y, sample_weight=problem.weight, **NATS)
    for j in range(problem.X.shape[1]):
        x, y, w = known_rows(problem, j)
        assert found[j] == pytest.approx(oracles.mutual_information(x, y, w) if len(x) else 0, abs=1e-12)


@given(binary_problems(weight=ALL_WEIGHTS))
def test_sparse_is_dense(problem):
    for options in ({}, {"correction": "miller-madow"}):
        dense = mutual_information(problem.X, problem.y, sample_weight=problem.weight, **options)
        np.testing.assert_allclose(
            mutual_information(problem.csr, problem.y, sample_weight=problem.weight, **options), dense, atol=1e-12
        )
    np.testing.assert_allclose(entropy(problem.csr), entropy(problem.X), atol=1e-12)


@given(kary_problems(missing=False))
def test_mutual_information_is_scikit_learns(problem):
    expected = [mutual_info_score(problem.label, x) for x in problem.X.T]
    np.testing.assert_allclose(mutual_information(problem.X, problem.y, **NATS), expected, atol=1e-12)


@given(kary_problems(weight=ALL_WEIGHTS))
def test_entropy_is_that_of_the_formula(problem):
    found = entropy(problem.X, sample_weight=problem.weight, **NATS)
    for j in range(problem.X.shape[1]):
        x, _, w = known_rows(problem, j)
        assert found[j] == pytest.approx(oracles.entropy(x, weight=w) if len(x) else 0, abs=1e-12)


@given(kary_problems(weight=ALL_WEIGHTS, missing=False))
def test_identities(problem):
    w = {"sample_weight": problem.weight}
    information, H = mutual_information(problem.X, problem.y, **w), entropy(problem.X, **w)
    np.testing.assert_allclose(information, H - conditional_entropy(problem.X, problem.y, **w), atol=1e-12)
    assert (information >= 0).all()
    assert (information <= np.minimum(H, entropy(problem.label, **w)) + 1e-12).all()
    for j, x in enumerate(problem.X.T):
        assert mutual_information(problem.label, x, **w) == pytest.approx(information[j], abs=1e-12)


@given(kary_problems(max_features=3, weight=ALL_WEIGHTS, missing=False))
def test_three_variables_are_those_of_the_formulas(problem):
    X, y, z = problem.X, problem.label, problem.X[:, -1]
    w = {"sample_weight": problem.weight, **NATS}
    found = conditional_mutual_information(X, y, z, **w), interaction_information(X, y, z, **w)
    for j, x in enumerate(X.T):
        assert found[0][j] == pytest.approx(oracles.conditional_mutual_information(x, y, z, problem.weight), abs=1e-11)
        assert found[1][j] == pytest.approx(oracles.interaction_information(x, y, z, problem.weight), abs=1e-11)


@given(kary_problems(max_features=2, missing=False))
def test_chain_rule(problem):
    x, z, y = problem.X[:, 0], problem.X[:, -1], problem.label
    pair = np.unique(np.column_stack([x, z]), axis=0, return_inverse=True)[1].ravel()
    whole = mutual_information(pair, y)
    assert whole == pytest.approx(mutual_information(z, y) + conditional_mutual_information(x, y, z), abs=1e-12)


def test_given_several_variables():
    rng = np.random.default_rng(0)
    x, y, z = rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.integers(0, 3, (300, 2))
    joined = [f"{a},{b}" for a, b in z]
    for function in (conditional_mutual_information, interaction_information):
        assert function(x, y, given=z) == pytest.approx(function(x, y, given=joined), abs=1e-12)
    assert conditional_entropy(x, z) == pytest.approx(oracles.conditional_entropy(x, joined) / np.log(2), abs=1e-12)


def test_xor_is_synergy_and_a_copy_is_redundancy():
    x, z = np.repeat([0, 1], 2), np.tile([0, 1], 2)
    assert interaction_information(x, x ^ z, given=z) == pytest.approx(1.0, abs=1e-15)
    assert interaction_information(x, x, given=x) == pytest.approx(-entropy(x), abs=1e-15)
    assert mutual_information(x, x ^ z) == 0


@given(kary_problems(missing=False))
def test_miller_madow(problem):
    found = mutual_information(problem.X, problem.y, correction="miller-madow", **NATS)
    expected = [oracles.miller_madow(x.tolist(), problem.label.tolist()) for x in problem.X.T]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    n, seen = len(problem.y), [len(set(x)) for x in problem.X.T]
    plain = entropy(problem.X, **NATS)
    np.testing.assert_allclose(
        entropy(problem.X, correction="miller-madow", **NATS), plain + (np.array(seen) - 1) / (2 * n), atol=1e-12
    )


@given(kary_problems(missing=False))
def test_p_values(problem):
    _, p = mutual_information(problem.X, problem.y, return_p_value=True)
    expected = [oracles.g_test(x.tolist(), problem.label.tolist()) for x in problem.X.T]
    np.testing.assert_allclose(p, expected, rtol=1e-9, atol=1e-15)


@given(kary_problems(missing=False, max_features=2, min_classes=2))
def test_p_value_is_scipys_g_test(problem):
    table = crosstab(problem.X[:, 0], problem.label).count
    assume(min(table.shape) > 1)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    ddof = table.size - 1 - (table.shape[0] - 1) * (table.shape[1] - 1)
    known = power_divergence(table, expected, ddof=ddof, axis=None, lambda_="log-likelihood").pvalue
    assert mutual_information(problem.X[:, 0], problem.y, return_p_value=True)[1] == pytest.approx(known, rel=1e-9)


def test_p_values_ignore_unit_and_correction():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (50, 3)), rng.integers(0, 2, 50)
    plain = mutual_information(X, y, return_p_value=True)[1]
    for options in ({"unit": "nats"}, {"correction": "miller-madow"}):
        np.testing.assert_array_equal(mutual_information(X, y, return_p_value=True, **options)[1], plain)


@given(kary_problems())
def test_rows_with_a_missing_value_are_left_out(problem):
    found = mutual_information(problem.X, problem.y)
    for j in range(problem.X.shape[1]):
        x, y, _ = known_rows(problem, j)
        assert found[j] == pytest.approx(mutual_information(x, y) if len(x) else 0, abs=1e-12)


def test_units():
    x = [0, 1, 2, 2]
    assert entropy(x) == pytest.approx(1.5)
    assert entropy(x, unit="nats") == pytest.approx(1.5 * np.log(2))


@pytest.mark.filterwarnings("ignore::vitalfew.exceptions.DiscretizationWarning")
def test_many_distinct_whole_numbers_are_values():
    x = np.arange(1000)
    assert entropy(x) == pytest.approx(np.log2(1000))
    assert mutual_information(x, x % 7) == pytest.approx(entropy(x % 7))


@pytest.mark.parametrize("unit", [1, 0.1])
def test_measurements_as_categories_warn(unit):
    x = (np.arange(77) % 70 + 10) * unit
    y = np.arange(77) % 2
    kind = "whole" if unit == 1 else "fractional"
    with pytest.warns(DiscretizationWarning, match=f"'x0' has 70 distinct {kind} numbers"):
        mutual_information(x, y)
    with pytest.warns(DiscretizationWarning, match=f"'size' has 70 distinct {kind} numbers"):
        mutual_information(pd.DataFrame({"size": x, "color": "red"}), y)
    mutual_information(x.astype(str), y)  # names
    conditional_mutual_information(y, np.arange(77), given=y)  # a label may have many classes


def test_variables_of_any_kind():
    y, x = ["b", "a", "b", "a"], ["u", "v", "v", "v"]
    expected = mutual_information(x, y)
    for kind in (
        np.array,
        pd.Series,
        pl.Series,
        tuple,
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pd.Series(v, dtype="string"),
    ):
        assert mutual_information(kind(x), kind(y)) == expected
    for frame in (pd.DataFrame({"x": x}), pl.DataFrame({"x": x}), pa.table({"x": x})):
        np.testing.assert_array_equal(mutual_information(frame, y), [expected])


def test_missing_values_of_any_kind():
    assert entropy(["a", "b", None, np.nan]) == 1
    assert entropy([0, 1, np.nan]) == 1
    assert entropy(pd.Series(["a", "b", pd.NA], dtype="string")) == 1
    assert entropy(pd.Series([0, 1, pd.NA], dtype="Int64")) == 1
    assert entropy(pl.Series(["a", "b", None])) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy([0, 1], unit="bit"), "unit must be one of 'bits', 'nats', got 'bit'"),
        (lambda: entropy([0, 1], correction="mm"), "correction must be one of None, 'miller-madow'"),
        (lambda: entropy([]), "minimum of 1 is required"),
        (lambda: mutual_information([0, 1], [0]), "inconsistent numbers of samples"),
        (lambda: mutual_information([0, 1], ["a", None]), "row 1 has no label"),
        (lambda: mutual_information([0, np.inf], [0, 1]), "infinity: column 'x0', row 1"),
        (lambda: mutual_information([0, 1], [0, 1], sample_weight=[1, -2]), "got -2 at row 1"),
        (lambda: conditional_entropy([0, 1], [[0, np.nan], [1, 1]]), "given: column 'x1' has missing values"),
        (lambda: conditional_mutual_information([0, 1], [0, 1], given=[0]), "inconsistent numbers of samples"),
        (lambda: interaction_information([0, 1], [0], given=[0, 1]), "inconsistent numbers of samples"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
