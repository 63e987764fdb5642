"""Coarse discrete codes of features, made without using the target; information is estimated from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from vitalfew.data.coding.bins import BinCoder, DenseBins
from vitalfew.data.tables.blocks import BinaryBlock, Block, CodesBlock
from vitalfew.data.tables.frames import read_table
from vitalfew.reporting.table import Features
from vitalfew.summaries.information import UNITS, information

BITS = UNITS["bits"]
# Maximum number of values of a category; the rarest share one code.
MOST_VALUES = 12
MOST_BINS = 8


@dataclass(frozen=True)
class Coded:
    """Codes of features, and labels: classes, or the quarters of a numeric target."""

    block: Block
    label: NDArray[np.int32]
    n_classes: int

    @property
    def n(self) -> int:
        return self.block.n_rows

    def take(self, rows: NDArray[np.intp]) -> Coded:
        return Coded(self.block.take(rows), self.label[rows], self.n_classes)

    def codes(self, j: int) -> NDArray[np.int64]:
        """Return the codes of one feature."""
        if isinstance(self.block, BinaryBlock):
            own = np.zeros(self.n, dtype=np.int64)
            at = np.flatnonzero(self.block.indices == j)
            own[np.searchsorted(self.block.indptr, at, side="right") - 1] = 1
            return own
        assert isinstance(self.block, CodesBlock)
        return self.block.codes[:, j].astype(np.int64)

    def select(self, features: NDArray[np.intp]) -> Coded:
        """Return these features alone, as dense codes."""
        sizes = np.diff(self.block.offsets)[features]
        codes = np.column_stack([self.codes(int(j)) for j in features]).astype(np.uint8)
        block = CodesBlock(np.asfortranarray(codes), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        return Coded(block, self.label, self.n_classes)


def label_of(y: NDArray, is_numeric: bool) -> tuple[NDArray[np.int32], list[str]]:
    """Return the codes of the target and their meanings."""
    if not is_numeric:
        classes, label = np.unique(y, return_inverse=True)
        return label.astype(np.int32), [str(c) for c in classes]
    cuts = np.unique(np.quantile(y, [0.25, 0.5, 0.75]))
    label = np.searchsorted(cuts, y, side="left")
    present, label = np.unique(label, return_inverse=True)
    return label.astype(np.int32), [f"quarter {p + 1}" for p in present]


def code(features: Features, label: NDArray[np.int32], n_classes: int, threads: int = 0) -> Coded:
    """Code numbers in about equal bins, so few that a table of two features and the label has five rows per cell."""
    if features.is_sparse:
        block = read_table(features.X, threads=threads).sparse_block
        assert block is not None
        return Coded(block, label, n_classes)
    bins = int(np.clip(np.sqrt(features.n / (5 * n_classes)), 2, MOST_BINS))
    found = BinCoder(max_bins=bins, threads=threads).fit(features.X)
    assert isinstance(found, DenseBins)
    return Coded(_few_values(found), label, n_classes)


def _few_values(bins: DenseBins) -> CodesBlock:
    codes = np.empty(bins.codes.shape, dtype=np.uint8, order="F")
    sizes = np.empty(bins.codes.shape[1], dtype=np.int64)
    for j, width in enumerate(np.diff(bins.offsets)):
        count = np.bincount(bins.codes[:, j], minlength=width)
        place = np.zeros(width, dtype=np.uint8)
        seen = np.flatnonzero(count)
        if len(seen) > MOST_VALUES:
            by_count = seen[np.argsort(-count[seen], kind="stable")]
            place[by_count] = np.minimum(np.arange(len(by_count)), MOST_VALUES - 1)
        else:
            place[seen] = np.arange(len(seen))
        codes[:, j] = place[bins.codes[:, j]]
        sizes[j] = max(2, int(codes[:, j].max()) + 1)
    return CodesBlock(codes, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


@dataclass(frozen=True)
class Alone:
    """Information of each feature on its own."""

    information: NDArray[np.float64]  # bits, bias-corrected, at least 0
    p_value: NDArray[np.float64]
    q_value: NDArray[np.float64]
    rank: NDArray[np.int64]  # from 1
    order: NDArray[np.intp]

    @property
    def is_clear(self) -> NDArray[np.bool_]:
        """Mask of the features that beat chance: false discovery rate below 5%."""
        return self.q_value < 0.05


def alone(coded: Coded, threads: int = 0) -> Alone:
    """Compute the information of each feature about the label, and its p-value under independence."""
    found = information(coded.block.count(coded.label, None, coded.n_classes, threads), coded.block.offsets)
    bits = np.maximum(found.corrected().mutual, 0) * BITS
    p = np.clip(found.p_value, 0, 1)
    order = np.lexsort((np.arange(len(bits)), p, -bits))
    rank = np.empty(len(bits), dtype=np.int64)
    rank[order] = np.arange(1, len(bits) + 1)
    return Alone(bits, p, false_discovery_control(p), rank, order)
