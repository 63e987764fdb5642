"""What two features tell together: from tables of counts of both with the label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.reporting.coarse_codes import BITS, Coded
from vitalfew.summaries.information import information


class PairTable(NamedTuple):
    """Of features i (lines) given features j (columns), in bits and corrected for bias; the diagonal means nothing."""

    alone: NDArray[np.float64]  # I(X_i; Y)
    given: NDArray[np.float64]  # I(X_i; Y | X_j)
    shared: NDArray[np.float64]  # I(X_i; X_j)
    entropy: NDArray[np.float64]  # H(X_i)
    freedom: NDArray[np.float64]  # degrees of freedom of the interaction
    n: int

    @property
    def synergy(self) -> NDArray[np.float64]:
        """I(X_i, X_j; Y) - I(X_i; Y) - I(X_j; Y)."""
        return self.given - self.alone[:, None]

    @property
    def surprise(self) -> NDArray[np.float64]:
        """Synergy in units of what chance gives tables of its size."""
        return surprise_of(self.synergy, self.freedom, self.n)


def surprise_of(synergy: NDArray[np.float64], freedom: NDArray, n: int) -> NDArray[np.float64]:
    """Synergy in bits, in units of what chance gives tables with so many degrees of freedom; 0 where there are none."""
    scale = np.sqrt(2 * np.maximum(freedom, 1)) / (2 * n) * BITS
    return np.where(freedom > 0, synergy / scale, 0.0)


def pair_table(coded: Coded, threads: int = 0) -> PairTable:
    """All pairs of features: a counting pass for each feature. O(n d²)."""
    d = coded.block.n_features
    given, shared, freedom = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    plain = information(coded.block.count(coded.label, None, coded.n_classes, threads), coded.block.offsets)
    for j in range(d):
        given[:, j], shared[:, j], freedom[:, j] = given_one(coded, coded.codes(j), threads)
    return PairTable(plain.corrected().mutual * BITS, given, shared, plain.entropy * BITS, freedom, coded.n)


def given_one(coded: Coded, other: NDArray[np.int64], threads: int = 0):
    """I(X; Y | Z) and I(X; Z) of all features X with one variable Z, in bits; degrees of freedom of the interaction."""
    values, z = np.unique(other, return_inverse=True)
    joint = (z * coded.n_classes + coded.label).astype(np.int32)
    cells = len(values) * coded.n_classes
    table = coded.block.count(joint, None, cells, threads)
    both = information(table, coded.block.offsets)
    with_z = information(table.reshape(-1, len(values), coded.n_classes).sum(axis=2), coded.block.offsets)
    shared = with_z.corrected().mutual
    freedom = (both.values_seen - 1) * (len(values) - 1) * (coded.n_classes - 1)
    return (both.corrected().mutual - shared) * BITS, shared * BITS, freedom


class Screen(NamedTuple):
    """The pairs with most synergy among 0/1 features, and each feature's best partner."""

    pair: NDArray[np.int32]
    synergy: NDArray[np.float64]  # bits
    most: NDArray[np.float64]
    partner: NDArray[np.int32]


def screen(bits: NDArray[np.uint8], label: NDArray[np.int32], keep: int, threads: int = 0) -> Screen:
    """All pairs of columns of 0 and 1. O(n d² / 64)."""
    words, start, size = pack(bits, label)
    pair, synergy, most, partner = _core.best_pairs(words, start, size, keep, threads)
    return Screen(pair, synergy * BITS, most * BITS, partner)


def pack(bits: NDArray[np.uint8], label: NDArray[np.int32]):
    """Bits of each feature, rows sorted by class, each class in words of its own: words, where classes begin, sizes."""
    order = np.argsort(label, kind="stable")
    size = np.bincount(label).astype(np.int64)
    start = np.concatenate([[0], np.cumsum((size + 63) // 64)]).astype(np.int64)
    packed = np.zeros((bits.shape[1], int(start[-1]) * 8), dtype=np.uint8)
    by_class = np.ascontiguousarray(bits[order].T)
    for c, (begin, end) in enumerate(zip(np.cumsum(size) - size, np.cumsum(size))):
        line = np.packbits(by_class[:, begin:end], axis=1, bitorder="little")
        packed[:, start[c] * 8 : start[c] * 8 + line.shape[1]] = line
    return packed.view(np.uint64), start, size


def halves(coded: Coded) -> NDArray[np.uint8]:
    """Each feature as 0 or 1: codes below and above the middle, so that halves are as equal as can be."""
    block = coded.block.to_codes()
    out = np.empty(block.codes.shape, dtype=np.uint8)
    for j in range(block.n_features):
        count = np.bincount(block.codes[:, j])
        cut = int(np.argmin(np.abs(np.cumsum(count)[:-1] - coded.n / 2))) if len(count) > 1 else 0
        out[:, j] = block.codes[:, j] > cut
    return out
