"""Joint information of two features about the label, from tables of counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.reporting.coarse_codes import BITS, Coded
from vitalfew.summaries.information import information


class PairTable(NamedTuple):
    """Information of features i (rows) given features j (columns), bias-corrected, in bits; ignore the diagonal."""

    alone: NDArray[np.float64]  # I(X_i; Y)
    given: NDArray[np.float64]  # I(X_i; Y | X_j)
    shared: NDArray[np.float64]  # I(X_i; X_j)
    entropy: NDArray[np.float64]  # H(X_i)
    freedom: NDArray[np.float64]  # degrees of freedom of the interaction
    n: int

    @property
    def synergy(self) -> NDArray[np.float64]:
        """Interaction information I(X_i, X_j; Y) - I(X_i; Y) - I(X_j; Y)."""
        return self.given - self.alone[:, None]

    @property
    def surprise(self) -> NDArray[np.float64]:
        """Synergy in units of its standard deviation under independence."""
        return surprise_of(self.synergy, self.freedom, self.n)


def surprise_of(synergy: NDArray[np.float64], freedom: NDArray, n: int) -> NDArray[np.float64]:
    """Return synergy in bits over its standard deviation by chance at these degrees of freedom; 0 without any."""
    scale = np.sqrt(2 * np.maximum(freedom, 1)) / (2 * n) * BITS
    return np.where(freedom > 0, synergy / scale, 0.0)


def pair_table(coded: Coded, threads: int = 0) -> PairTable:
    """Compute the table of all pairs of features, with a counting pass for each feature. O(n d²)."""
    d = coded.block.n_features
    given, shared, freedom = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    plain = information(coded.block.count(coded.label, None, coded.n_classes, threads), coded.block.offsets)
    for j in range(d):
        given[:, j], shared[:, j], freedom[:, j] = given_one(coded, coded.codes(j), threads)
    return PairTable(plain.corrected().mutual * BITS, given, shared, plain.entropy * BITS, freedom, coded.n)


def given_one(coded: Coded, other: NDArray[np.int64], threads: int = 0):
    """Compute I(X; Y | Z) and I(X; Z) of all features X for one Z, in bits, and the interaction degrees of freedom."""
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
    """Pairs with the most synergy among 0/1 features, and the best partner of each feature."""

    pair: NDArray[np.int32]
    synergy: NDArray[np.float64]  # bits
    most: NDArray[np.float64]
    partner: NDArray[np.int32]


def screen(bits: NDArray[np.uint8], label: NDArray[np.int32], keep: int, threads: int = 0) -> Screen:
    """Screen all pairs of 0/1 columns. O(n d² / 64)."""
    words, start, size = pack(bits, label)
    found = _core.best_pairs(words, start, size, keep, threads)
    return Screen(found.pair, found.synergy * BITS, found.most * BITS, found.partner)


def pack(bits: NDArray[np.uint8], label: NDArray[np.int32]):
    """Pack the bits of each feature with rows sorted by class and classes word-aligned: words, class starts, sizes."""
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
    """Binarize each feature at the cut of its codes that makes the halves as equal as possible."""
    block = coded.block.to_codes()
    out = np.empty(block.codes.shape, dtype=np.uint8)
    for j in range(block.n_features):
        count = np.bincount(block.codes[:, j])
        cut = int(np.argmin(np.abs(np.cumsum(count)[:-1] - coded.n / 2))) if len(count) > 1 else 0
        out[:, j] = block.codes[:, j] > cut
    return out
