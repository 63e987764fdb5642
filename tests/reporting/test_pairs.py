"""Synergy of pairs: counted on bits, from tables, and as the formula says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vitalfew import _core, conditional_mutual_information, interaction_information
from vitalfew.data.tables.blocks import CodesBlock
from vitalfew.reporting.coarse_codes import Coded
from vitalfew.reporting.questions.pairs import halves, pack, pair_table, screen


def coded_of(codes, label):
    sizes = np.maximum(codes.max(axis=0).astype(np.int64) + 1, 2)
    block = CodesBlock(np.asfortranarray(codes.astype(np.uint8)), np.concatenate([[0], np.cumsum(sizes)]))
    return Coded(block, label.astype(np.int32), int(label.max()) + 1)


@st.composite
def tables(draw, values=2):
    n, d, classes = draw(st.integers(2, 150)), draw(st.integers(2, 7)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    label = rng.integers(0, classes, n)
    label[:classes] = np.arange(min(classes, n))
    codes = rng.integers(0, values, (n, d))
    codes[:, 0] = (codes[:, 1] + label) % values
    return codes, np.unique(label, return_inverse=True)[1]


@given(tables())
@settings(max_examples=60, deadline=None)
def test_all_pairs_of_bits_have_the_synergy_of_the_formula(data):
    codes, label = data
    d = codes.shape[1]
    found = screen(codes.astype(np.uint8), label.astype(np.int32), d * d)
    assert len(found.pair) == d * (d - 1) // 2
    expected = np.full((d, d), -np.inf)
    for (i, j), synergy in zip(found.pair, found.synergy):
        expected[i, j] = expected[j, i] = interaction_information(codes[:, i], label, given=codes[:, j])
        assert synergy == pytest.approx(expected[i, j], abs=1e-9)
    assert found.most == pytest.approx(expected.max(axis=1), abs=1e-9)
    assert (np.diff(found.synergy) <= 1e-12).all()


@given(tables(values=4))
@settings(max_examples=30, deadline=None)
def test_tables_of_pairs_agree_with_the_public_functions(data):
    codes, label = data
    pairs = pair_table(coded_of(codes, label))
    for i in range(codes.shape[1]):
        for j in range(codes.shape[1]):
            if i != j:
                expected = conditional_mutual_information(codes[:, i], label, codes[:, j], correction="miller-madow")
                assert pairs.given[i, j] == pytest.approx(expected, abs=1e-9)
    assert np.allclose(np.triu(pairs.synergy, 1), np.triu(pairs.synergy.T, 1), atol=1e-9)


def test_the_best_pairs_do_not_depend_on_threads_or_on_how_many_are_kept():
    rng = np.random.default_rng(0)
    bits, label = rng.integers(0, 2, (700, 200)).astype(np.uint8), rng.integers(0, 3, 700).astype(np.int32)
    whole = screen(bits, label, 500, threads=1)
    few = screen(bits, label, 7, threads=2)
    assert np.array_equal(whole.pair[:7], few.pair)
    assert np.array_equal(whole.synergy[:7], few.synergy)
    assert np.array_equal(whole.partner, few.partner)


def test_words_that_do_not_fit_the_classes_are_refused():
    words, start, size = pack(np.ones((70, 3), dtype=np.uint8), np.repeat([0, 1], 35).astype(np.int32))
    assert _core.best_pairs(words, start, size, 3).pair.shape == (3, 2)
    with pytest.raises(ValueError, match="words do not match"):
        _core.best_pairs(words, start, size + 64, 3)
    with pytest.raises(ValueError, match="same number of bit words"):
        _core.best_pairs(words[:, :1].copy(), start, size, 3)
    with pytest.raises(ValueError, match="must be zero"):
        _core.best_pairs(words | np.uint64(1 << 63), start, size, 3)
    with pytest.raises(ValueError, match="number of rows must be between"):
        _core.best_pairs(np.zeros((3, 0), dtype=np.uint64), np.zeros(3, np.int64), np.zeros(2, np.int64), 3)


def test_halves_are_as_equal_as_codes_allow():
    codes = np.array([[0, 0], [1, 0], [2, 0], [3, 1]])
    assert halves(coded_of(codes, np.array([0, 1, 0, 1]))).tolist() == [[0, 0], [0, 0], [1, 0], [1, 1]]
