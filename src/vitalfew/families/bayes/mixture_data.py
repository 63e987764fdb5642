"""Labeled and unlabeled samples, read for one kind of events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from vitalfew.data.coding.table_coder import TableCoder
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.blocks import BinaryBlock, stack
from vitalfew.data.tables.frames import NumberedNames, RawTable, read_table
from vitalfew.data.tables.partitions import is_partitioned
from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.families.bayes.cluster_rows import ClusterRows
from vitalfew.families.bayes.evidence import check_prior_fits, default_strength, normalize
from vitalfew.families.bayes.mixture import Model, PresenceModel, PresenceRows, Rows, Run, Sums, WeightModel, WeightRows
from vitalfew.rules import rule_name
from vitalfew.summaries.counts import Counts
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_consistent_length

EVENTS = ("auto", "presence", "weights")


class MixtureData(Protocol):
    """Labeled and unlabeled rows of one kind of events."""

    @property
    def label(self) -> NDArray[np.int32]: ...
    @property
    def classes(self) -> NDArray: ...
    @property
    def weight(self) -> NDArray[np.float64] | None: ...
    @property
    def unlabeled(self) -> Rows | None: ...
    @property
    def coder(self) -> TableCoder: ...

    @property
    def rows(self) -> Any:
        """Labeled rows."""

    @property
    def n_features(self) -> int: ...

    def sums(self) -> Sums:
        """Return the sufficient statistics of the labeled rows for the M-step."""

    def restricted(self, support: NDArray[np.bool_]) -> MixtureData:
        """Return the same rows, restricted to these features if that makes a difference."""

    def start(self, before: MixtureData, found: Run, weight: float) -> Sums:
        """Return the sums of these rows with the labels that EM found for them with all features."""

    def model(self, strength: float | str, prior_mean: float | str, support: NDArray[np.bool_]) -> Model:
        """Return the model of such rows, with a prior worth `strength` rows."""

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[MixtureData, Any]:
        """Return the data without the labeled rows `test`, and those rows."""

    def discrete(self, share: NDArray[np.float64] | None, weight: float) -> DiscreteData:
        """Return all rows as discrete data, with the most probable class as the label of unlabeled ones."""


def is_weighted(X: Any, events: str) -> bool:
    """Return True if entries are word weights, as given or inferred from sparse data with values other than 0 and 1."""
    if events != "auto":
        return events == "weights"
    return sparse.issparse(X) and X.dtype.kind == "f" and bool(((X.data != 1) & (X.data != 0)).any())


@dataclass(frozen=True)
class PresenceData:
    """Samples with discrete features: words that are present or absent, or the columns of a table."""

    data: DiscreteData
    unlabeled: Rows | None

    @classmethod
    def read(
        cls, X: Any, y: Any, weight: NDArray[np.float64] | None, X_unlabeled: Any, coder: TableCoder
    ) -> PresenceData:
        """Read samples; `X_unlabeled` is like `X`, in memory or partitioned, or :class:`Rows` stored elsewhere."""
        here = None if is_elsewhere(X_unlabeled) or is_partitioned(X_unlabeled) else X_unlabeled
        data = DiscreteData.read(X, y, weight, coder, here)
        if data.unlabeled is not None:
            return cls(data, PresenceRows(data.unlabeled, coder.threads))
        return cls(data, _kept_there(X_unlabeled, data.block.n_features, False, coder))

    @property
    def label(self) -> NDArray[np.int32]:
        return self.data.label

    @property
    def classes(self) -> NDArray:
        return self.data.classes

    @property
    def weight(self) -> NDArray[np.float64] | None:
        return self.data.weight

    @property
    def coder(self) -> TableCoder:
        return self.data.coder

    @property
    def rows(self) -> PresenceRows:
        return PresenceRows(self.data.block, self.coder.threads)

    @property
    def n_features(self) -> int:
        return self.data.block.n_features

    def sums(self) -> Sums:
        return self.rows.sums(self.label, self.weight, len(self.classes))

    def restricted(self, support: NDArray[np.bool_]) -> PresenceData:
        del support  # features that do not depend on the class have no effect
        return self

    def start(self, before: MixtureData, found: Run, weight: float) -> Sums:
        del before, weight
        return found.sums

    def model(self, strength: Any, prior_mean: Any, support: NDArray[np.bool_]) -> PresenceModel:
        sums = self.sums()
        everything = sums.table.sum(axis=1) + (0.0 if self.unlabeled is None else self.unlabeled.lines())
        form = Counts(
            np.zeros_like(sums.table),
            self.data.block.offsets,
            np.zeros_like(sums.total),
            self.classes,
            self.coder.names,
            None if self.coder.is_sparse else self.coder.codings,
            everything,
        )
        check_prior_fits(prior_mean, form.n_values, form.names)
        chosen = default_strength(int(support.sum())) if rule_name(strength) == "auto" else float(strength)
        return PresenceModel(form, chosen, prior_mean, support)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
        fitted, tested = self.data.split(train, test)
        unlabeled = self.unlabeled
        if fitted.unlabeled is not None:
            unlabeled = PresenceRows(fitted.unlabeled, self.coder.threads)
        elif isinstance(unlabeled, ClusterRows) and fitted.coder is not self.coder:
            unlabeled = unlabeled.again(_reader(self.n_features, False, fitted.coder))
        return PresenceData(fitted, unlabeled), PresenceRows(tested.block, self.coder.threads)

    def discrete(self, share: NDArray[np.float64] | None, weight: float) -> DiscreteData:
        return _with_guesses(self.data, share, weight)


@dataclass(frozen=True)
class WeightData:
    """Samples as sparse rows of words with weights."""

    rows: WeightRows
    label: NDArray[np.int32]
    classes: NDArray
    weight: NDArray[np.float64] | None
    unlabeled: Rows | None
    coder: TableCoder

    @classmethod
    def read(
        cls,
        X: Any,
        label: NDArray[np.int32],
        classes: NDArray,
        weight: NDArray[np.float64] | None,
        X_unlabeled: Any,
        coder: TableCoder,
    ) -> WeightData:
        rows = WeightRows(_as_weights(X, "X"), coder.threads)
        check_consistent_length(rows.X, label)
        coder.names, coder.is_sparse = NumberedNames(rows.X.shape[1]), True
        if not is_elsewhere(X_unlabeled) and not is_partitioned(X_unlabeled):
            X_unlabeled = WeightRows(_as_weights(X_unlabeled, "X_unlabeled"), coder.threads)
        X_unlabeled = _kept_there(X_unlabeled, rows.X.shape[1], True, coder)
        return cls(rows, label, classes, weight, X_unlabeled, coder)

    @property
    def n_features(self) -> int:
        return self.rows.X.shape[1]

    def sums(self) -> Sums:
        return self.rows.sums(self.label, self.weight, len(self.classes))

    def restricted(self, support: NDArray[np.bool_]) -> WeightData:
        unlabeled = self.unlabeled
        if isinstance(unlabeled, WeightRows):
            unlabeled = unlabeled.restricted(support)
        elif unlabeled is not None and not support.all():
            raise ValueError(
                "feature selection is not supported for weighted words in a Dask collection; use features=None."
            )
        return replace(self, rows=self.rows.restricted(support), unlabeled=unlabeled)

    def start(self, before: Any, found: Run, weight: float) -> Sums:
        own = self.sums()
        if not isinstance(self.unlabeled, WeightRows):
            return own
        share = weight * normalize(before.unlabeled.score(found.parameters))
        return Sums(own.table + np.asarray(self.unlabeled.X.T @ share), own.total + share.sum(axis=0))

    def model(self, strength: Any, prior_mean: Any, support: NDArray[np.bool_]) -> WeightModel:
        if not (isinstance(prior_mean, str) and prior_mean == "pooled"):
            raise ValueError(f"prior_mean must be 'pooled' with events='weights', got {prior_mean!r}.")
        own = self.sums()
        pooled, n = own.table.sum(axis=1), float(own.total.sum())
        if self.unlabeled is not None:
            pooled, n = pooled + self.unlabeled.lines(), n + self.unlabeled.n_rows
        chosen = default_strength(int(support.sum())) if rule_name(strength) == "auto" else float(strength)
        return WeightModel(pooled, chosen * float(pooled[support].sum()) / n, support)

    def split(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Any, Any]:
        weight = None if self.weight is None else self.weight[train]
        rest = replace(self, rows=self.rows.take(train), label=self.label[train], weight=weight)
        return rest, self.rows.take(test)

    def discrete(self, share: NDArray[np.float64] | None, weight: float) -> DiscreteData:
        block = _pattern_of(self.rows.X)
        unlabeled = _pattern_of(self.unlabeled.X) if isinstance(self.unlabeled, WeightRows) else None
        raw = RawTable(block.n_rows, self.coder.names, sparse_block=block)
        own = DiscreteData(block, self.label, self.classes, self.weight, self.coder, raw, unlabeled)
        return _with_guesses(own, share, weight)


def read_mixture(
    X: Any, y: Any, weight: NDArray[np.float64] | None, X_unlabeled: Any, events: str, coder: TableCoder
) -> MixtureData:
    """Read labeled samples and, if there are any, unlabeled ones; `y` holds the class codes and the classes."""
    if is_weighted(X, events):
        return WeightData.read(X, y[0], y[1], weight, X_unlabeled, coder)
    return PresenceData.read(X, y[1][y[0]], weight, X_unlabeled, coder)


def read_rows(X: Any, is_weights: bool, coder: TableCoder, threads: int) -> Any:
    """Read new samples of the same kind."""
    if is_weights:
        return WeightRows(_as_weights(X, "X"), threads)
    return PresenceRows(coder.transform(read_table(X, threads=threads)), threads)


def _kept_there(rows: Any, n_features: int, is_weights: bool, coder: TableCoder) -> Rows | None:
    """Return partitioned rows as rows that can be summed, and others unchanged."""
    return ClusterRows.read(rows, _reader(n_features, is_weights, coder)) if is_partitioned(rows) else rows


def _reader(n_features: int, is_weights: bool, coder: TableCoder) -> Callable[[Any, int], Any]:
    return partial(_read_partition, n_features, is_weights, coder)


def _read_partition(n_features: int, is_weights: bool, coder: TableCoder, part: Any, threads: int) -> Any:
    if part.shape[1] != n_features:
        raise ValueError(
            f"X_unlabeled must have the {n_features} columns of X, but one of its partitions has {part.shape[1]}."
        )
    return read_rows(part, is_weights, replace(coder, threads=threads), threads)


def is_elsewhere(rows: Any) -> bool:
    """Return True if there are no rows, or if they are given as an object that can only be summed."""
    return rows is None or (hasattr(rows, "expect") and hasattr(rows, "lines"))


def _with_guesses(data: DiscreteData, share: NDArray[np.float64] | None, weight: float) -> DiscreteData:
    if data.unlabeled is None or share is None or weight == 0:
        return data
    own = np.ones(data.n_rows) if data.weight is None else data.weight
    guess = share.argmax(axis=1).astype(np.int32)
    block = stack(data.block, data.unlabeled)
    return replace(
        data,
        block=block,
        raw=RawTable(block.n_rows, data.coder.names, sparse_block=block if isinstance(block, BinaryBlock) else None),
        label=np.concatenate([data.label, guess]),
        weight=np.concatenate([own, weight * share.max(axis=1)]),
        unlabeled=None,
        raw_unlabeled=None,
        given=None,
    )


def _as_weights(X: Any, name: str) -> sparse.csr_matrix:
    if sparse.issparse(X):
        X = check_sparse(X)
    check_given(X, name)
    X = check_array(X, accept_sparse="csr", dtype=np.float64, input_name=name)
    X = sparse.csr_matrix(X)
    if X.nnz and X.data.min() < 0:
        at = int(X.data.argmin())
        raise ValueError(
            f"Negative values in data passed to SemiSupervisedNaiveBayes: {name} has {X.data[at]:g} in column "
            f"{int(X.indices[at])}, but word weights must be >= 0; use events='presence'."
        )
    return X


def _pattern_of(X: sparse.csr_matrix) -> BinaryBlock:
    block = read_table(X).sparse_block
    assert block is not None
    return block
