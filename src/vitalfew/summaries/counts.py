"""`Counts` of the values of each feature by class, computed in one pass and merged by addition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.coding.table_coder import Categories, Coding, Cuts, OwnCodes, TableCoder
from vitalfew.data.tables.blocks import Block, class_totals
from vitalfew.data.tables.frames import read_table
from vitalfew.summaries.aligned_counts import aligned, sum_by_feature, with_presence, without_presence
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_consistent_length, check_threads, check_weight, encode_labels

SCHEMA = "vitalfew.counts/1"
_CODINGS: dict[str, Any] = {"own": OwnCodes, "categories": Categories, "cuts": Cuts}


@dataclass(frozen=True, eq=False)
class Counts:
    """Weighted counts :math:`N_j(v, c)` of value v of feature j with class c, and the class counts.

    They are sufficient for Naive Bayes, mutual information and their criteria. Counts of disjoint samples add up
    (``a + b``), and samples are removed by subtraction (``total - fold``), so that counts can be computed in parallel,
    in batches or on a cluster. A missing value is counted in no row of the table: for each feature and class, the
    number of missing values is the class count minus the sum over the rows of the feature. The exception is a feature
    with a single value and missing ones, whose two values are missing and present.

    Attributes
    ----------
    table : ndarray of shape (n_slots, n_classes)
        Row ``offsets[j] + v`` holds value v of feature j.
    offsets : ndarray of shape (n_features + 1,)
    class_count : ndarray of shape (n_classes,)
    classes : ndarray of shape (n_classes,)
    names : list of str
    codings : list or None
        Codings of the features, from values to codes; None for sparse 0/1 data.
    unlabeled : ndarray of shape (n_slots,)
        Counts over samples without a label.
    n_unlabeled : float
    note : str
        Remarks, for instance which columns were cut at the edges of bins.

    Examples
    --------
    >>> import numpy as np
    >>> from vitalfew import Counts
    >>> X, y = np.array([[0, 1], [1, 1], [1, 0]]), np.array(["ham", "spam", "spam"])
    >>> counts = Counts.from_data(X, y)
    >>> counts.table[2:4]  # feature 1: value 0, then value 1, with ham and spam
    array([[0., 1.],
           [1., 1.]])
    >>> a, b = Counts.from_data(X[:2], y[:2]), Counts.from_data(X[2:], y[2:])
    >>> bool(((a + b).table == counts.table).all())
    True
    """

    table: NDArray[np.float64]
    offsets: NDArray[np.int64]
    class_count: NDArray[np.float64]
    classes: NDArray
    names: Sequence[str]
    codings: list[Coding] | None = None
    unlabeled: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    n_unlabeled: float = 0.0
    note: str = ""

    def __post_init__(self):
        if not self.unlabeled.size:
            object.__setattr__(self, "unlabeled", np.zeros(len(self.table)))

    @classmethod
    def from_data(
        cls, X, y, *, sample_weight=None, X_unlabeled=None, numeric: str = "mdl", n_jobs: int | None = None
    ) -> Counts:
        """Count a table or sparse matrix `X` with labels `y`, and optionally unlabeled samples."""
        threads = check_threads(n_jobs)
        table = read_table(X, threads=threads)
        classes, label = encode_labels(y)
        check_consistent_length(np.empty(table.n_rows), label)
        weight = check_weight(sample_weight, table.n_rows)
        coder = TableCoder(numeric, threads)
        block = coder.fit(table, label, len(classes), weight)
        counts = cls.of_block(block, label, weight, classes, coder)
        return (
            counts
            if X_unlabeled is None
            else counts.with_unlabeled(coder.transform(read_table(X_unlabeled, threads=threads)))
        )

    @classmethod
    def of_block(cls, block: Block, label, weight, classes: NDArray, coder: TableCoder) -> Counts:
        """Count data that is already encoded."""
        n_classes = len(classes)
        return cls(
            block.count(label, weight, n_classes, coder.threads),
            block.offsets,
            class_totals(label, weight, n_classes, block.n_rows),
            classes,
            coder.names,
            None if coder.is_sparse else coder.codings,
        )

    def with_unlabeled(self, block: Block, weight=None, threads: int = 0) -> Counts:
        """Return these counts with the counts of unlabeled samples added."""
        line = block.count(None, weight, 1, threads)[:, 0]
        extra = class_totals(None, weight, 1, block.n_rows)[0]
        return self._replace(unlabeled=self.unlabeled + line, n_unlabeled=self.n_unlabeled + extra)

    @property
    def n(self) -> float:
        """Sum of the weights of the labeled samples."""
        return float(self.class_count.sum())

    @property
    def n_features(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_values(self) -> NDArray[np.int64]:
        """Number of values of each feature."""
        return np.diff(self.offsets)

    @property
    def occurs(self) -> NDArray[np.bool_]:
        """Mask of the slots whose value occurs. Both values of a feature with two count, whether they occur or not.

        Small integers are their own codes, so that a feature with the values 1 and 2 has a slot for 0.
        """
        return (self.line_count + self.unlabeled > 0) | np.repeat(self.n_values == 2, self.n_values)

    @property
    def n_occurring(self) -> NDArray[np.int64]:
        """Number of values of each feature that occur, at least two."""
        if self.is_binary:
            return self.n_values
        return np.maximum(sum_by_feature(self.occurs.astype(np.int64), self.offsets), 2)

    @property
    def is_binary(self) -> bool:
        """True if every feature has two values."""
        return bool((self.n_values == 2).all())

    @property
    def line_count(self) -> NDArray[np.float64]:
        """Weight of the labeled samples with each value."""
        return self.table @ np.ones(self.n_classes)

    @property
    def feature_of_slot(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_features), self.n_values)

    @property
    def observed(self) -> NDArray[np.float64]:
        """Weight of the samples in which each feature is not missing, by class: (n_features, n_classes)."""
        return sum_by_feature(self.table, self.offsets)

    @property
    def observed_or_all(self) -> NDArray[np.float64]:
        """Same as `observed`, but a single row if nothing can be missing."""
        return self.class_count[None, :] if self.codings is None else self.observed

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        if self.codings is None:
            return np.zeros(self.n_features, dtype=bool)
        is_short = self.class_count - self.observed > 1e-9 * max(self.n, 1)
        return np.asarray(is_short.any(axis=1))

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.has_form_of(other):
            return with_presence(self._combined(other, +1))
        a, b = aligned(without_presence(self), without_presence(other))
        return with_presence(a._combined(b, +1))

    def __radd__(self, other):
        return self if other == 0 else NotImplemented  # so that sum() works

    def __sub__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        whole, part = without_presence(self), without_presence(other)
        if not whole.has_form_of(part):  # an earlier subtraction left values or classes without rows
            whole, part = aligned(whole, part)
        return with_presence(whole.without(part))

    def without(self, part: Counts) -> Counts:
        """Subtract a part that has the same classes and values; the result has them too, even those that it lacks."""
        if not self.has_form_of(part):
            raise ValueError("cannot subtract counts with classes or values that the total does not have.")
        rest = self._combined(part, -1)
        tolerance = 1e-9 * max(self.n + self.n_unlabeled, 1)
        if min(rest.table.min(initial=0), rest.class_count.min(initial=0), rest.unlabeled.min(initial=0)) < -tolerance:
            raise ValueError("cannot subtract counts that are not part of the total.")
        return rest._replace(
            table=np.maximum(rest.table, 0),
            class_count=np.maximum(rest.class_count, 0),
            unlabeled=np.maximum(rest.unlabeled, 0),
        )

    def __repr__(self) -> str:
        more = f", n_unlabeled={self.n_unlabeled:g}" if self.n_unlabeled else ""
        return f"Counts(n={self.n:g}, n_features={self.n_features}, n_classes={self.n_classes}{more})"

    def _check_consistent(self) -> None:
        fits = (
            self.offsets[-1] == len(self.table) == len(self.unlabeled)
            and len(self.names) == self.n_features
            and len(self.class_count) == self.n_classes
            and (self.codings is None or [c.n_values for c in self.codings] == self.n_values.tolist())
        )
        if not fits:
            raise ValueError("the counts are inconsistent: offsets, names, classes and table do not match.")

    def _replace(self, **changes) -> Counts:
        return Counts(**{**self.__dict__, **changes})

    def _combined(self, other: Counts, sign: int) -> Counts:
        return self._replace(
            table=self.table + sign * other.table,
            class_count=self.class_count + sign * other.class_count,
            unlabeled=self.unlabeled + sign * other.unlabeled,
            n_unlabeled=self.n_unlabeled + sign * other.n_unlabeled,
            note=self.note if other.note in self.note else f"{self.note} {other.note}".strip(),
        )

    def has_form_of(self, other: Counts) -> bool:
        """Return True if both have the same classes, columns and values, so that their tables can be added."""
        return (
            self.codings == other.codings
            and (self.names == other.names or list(self.names) == list(other.names))
            and np.array_equal(self.classes, other.classes)
        )

    def to_json(self) -> str:
        """Return the counts as a JSON document for :meth:`from_json`."""
        codings = None
        if self.codings is not None:
            kinds = {kind: name for name, kind in _CODINGS.items()}
            codings = [{"kind": kinds[type(c)], **vars(c)} for c in self.codings]
        return json.dumps(
            {
                "schema": SCHEMA,
                "names": list(self.names),
                "classes": self.classes.tolist(),
                "codings": codings,
                "offsets": self.offsets.tolist(),
                "class_count": self.class_count.tolist(),
                "table": self.table.tolist(),
                "unlabeled": self.unlabeled.tolist(),
                "n_unlabeled": self.n_unlabeled,
                "note": self.note,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Counts:
        """Read a document written by :meth:`to_json`."""
        try:
            document = json.loads(text)
            if document["schema"] != SCHEMA:
                raise ValueError(f"expected a document of schema {SCHEMA!r}, got {document['schema']!r}.")
            counts = cls(
                np.array(document["table"], dtype=float).reshape(-1, len(document["classes"])),
                np.array(document["offsets"], dtype=np.int64),
                np.array(document["class_count"], dtype=float),
                np.array(document["classes"]),
                document["names"],
                None if document["codings"] is None else [_read_coding(c) for c in document["codings"]],
                np.array(document["unlabeled"], dtype=float),
                float(document["n_unlabeled"]),
                document.get("note", ""),
            )
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(
                f"expected a JSON document of counts, got an invalid or truncated one: {error!r}."
            ) from error
        counts._check_consistent()
        return counts

    def to_arrow(self):
        """Return an Arrow table with one row per value: feature, value, unlabeled, and one column per class."""
        import pyarrow as pa

        header = json.loads(self.to_json())
        for large in ("table", "unlabeled"):
            del header[large]
        columns = {
            "feature": np.asarray(list(self.names), dtype=object)[self.feature_of_slot],
            "value": np.arange(len(self.table)) - np.repeat(self.offsets[:-1], self.n_values),
            "unlabeled": self.unlabeled,
            **{f"class {i}": self.table[:, i] for i in range(self.n_classes)},
        }
        return pa.table(columns).replace_schema_metadata({"vitalfew": json.dumps(header)})

    @classmethod
    def from_arrow(cls, table) -> Counts:
        """Read a table created by :meth:`to_arrow`."""
        check_given(table, "table")
        metadata = (table.schema.metadata or {}).get(b"vitalfew")
        if metadata is None:
            raise ValueError("the Arrow table does not contain counts: its schema has no 'vitalfew' entry.")
        document = json.loads(metadata)
        lines = [table.column(f"class {i}").to_numpy() for i in range(len(document["classes"]))]
        document["table"] = np.column_stack(lines).tolist()
        document["unlabeled"] = table.column("unlabeled").to_pylist()
        return cls.from_json(json.dumps(document))


def _read_coding(entry: dict) -> Coding:
    arguments = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items() if k != "kind"}
    return _CODINGS[entry["kind"]](**arguments)
