"""Labeled discrete data for Naive Bayes models, and its split into folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.data.samples.labeled import encode_held_out
from vitalfew.data.samples.zero_weight import DroppedRows, drop_zero_weight, split_rows
from vitalfew.data.tables.blocks import Block
from vitalfew.data.tables.frames import RawTable, read_table
from vitalfew.support.checks import check_consistent_length, count_weight, encode_labels


@dataclass(frozen=True)
class DiscreteData:
    """Encoded samples with labels and weights, and optionally unlabeled samples."""

    block: Block
    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    coder: TableCoder
    raw: RawTable
    unlabeled: Block | None = None
    raw_unlabeled: RawTable | None = None
    given: DroppedRows | None = None
    validation: DiscreteData | None = None

    @classmethod
    def read(cls, X, y, sample_weight, coder: TableCoder, X_unlabeled=None) -> DiscreteData:
        """Read, check and encode data; samples of weight zero are dropped, as if they had not been given."""
        table = read_table(X, threads=coder.threads)
        classes, label = encode_labels(y)
        check_consistent_length(np.empty(table.n_rows), label)
        kept = drop_zero_weight(label, classes, sample_weight)
        table = table if kept.rows is None else table.take(kept.rows)
        raw_unlabeled = None if X_unlabeled is None else read_table(X_unlabeled, threads=coder.threads)
        data = cls._coded(table, kept.target, kept.classes, count_weight(kept.weight), coder, raw_unlabeled)
        return replace(data, given=kept.given)

    @classmethod
    def _coded(cls, table, label, classes, weight, coder, raw_unlabeled) -> DiscreteData:
        block = coder.fit(table, label, len(classes), weight)
        unlabeled = None if raw_unlabeled is None else coder.transform(raw_unlabeled)
        return cls(block, label, classes, weight, coder, table, unlabeled, raw_unlabeled)

    @property
    def y(self) -> NDArray:
        return self.classes[self.label]

    @property
    def n_rows(self) -> int:
        return self.block.n_rows

    def folds(self, splitter) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[DiscreteData, DiscreteData]:
        """Return the training and test parts; a supervised coding is learned again from the training part."""
        if not self.coder.is_supervised:
            return self.take(train), self.take(test)
        coder = TableCoder(self.coder.numeric, self.coder.threads)
        weight = None if self.weight is None else self.weight[train]
        fitted = self._coded(self.raw.take(train), self.label[train], self.classes, weight, coder, self.raw_unlabeled)
        tested = self.take(test)
        return fitted, replace(tested, block=coder.transform(tested.raw), coder=coder)

    def take(self, rows: NDArray[np.intp]) -> DiscreteData:
        """Return the samples at the given row indices, with the same codes."""
        return replace(
            self,
            block=self.block.take(rows),
            label=self.label[rows],
            weight=None if self.weight is None else self.weight[rows],
            raw=self.raw.take(rows) if self.coder.is_supervised else self.raw,
        )

    def like(self, X, y) -> DiscreteData:
        """Return other samples, such as a validation set, with the same codes."""
        table = read_table(X, threads=self.coder.threads)
        label = encode_held_out(y, table.n_rows, self.classes)
        return replace(self, block=self.coder.transform(table), label=label, weight=None, raw=table, given=None)
