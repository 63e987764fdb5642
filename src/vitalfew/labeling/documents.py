"""Documents with their labels and keys, as batches of a source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from vitalfew.data.sources.decoded import decoded
from vitalfew.data.sources.prefetch import read_ahead
from vitalfew.data.sources.protocol import PIECE_ROWS, Source, joined
from vitalfew.labeling.keys import KeyCheck
from vitalfew.support.suggest import check_names

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of a batch; they are fetched in smaller pieces, and fewer pieces are combined if documents are long.
BATCH_ROWS = 32_768


@dataclass(frozen=True)
class Documents:
    """A table of documents, some of which are labeled.

    A row is unlabeled if its label is null, or equal to `marker` as text. The columns `keys` identify the rows.
    """

    source: Source
    text: str
    label: str
    keys: tuple[str, ...] = ()
    marker: str | None = None
    can_read_ahead: bool = True
    has_row_numbers: bool = False  # keys are row numbers assigned by the database

    def check(self) -> None:
        """Check that the columns exist, and that the text column holds text."""
        pa = import_module("pyarrow")
        schema = self.source.schema()
        check_names([self.text, self.label, *self.keys], schema.names)
        if self.text == self.label:
            raise ValueError(f"column {self.text!r} cannot be both the text and the label.")
        if self.label in self.keys:
            raise ValueError(f"column {self.label!r} cannot be both the label and the key.")
        texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
        kind = schema.field(self.text).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not any(is_text(kind) for is_text in texts):
            raise ValueError(f"column {self.text!r} must be text, got {kind}; specify the column of the documents.")
        if pa.types.is_nested(self.label_type):
            raise ValueError(f"column {self.label!r} must contain strings or numbers as labels, got {self.label_type}.")

    @property
    def label_type(self) -> pa.DataType:
        kind = self.source.schema().field(self.label).type
        return kind.value_type if import_module("pyarrow").types.is_dictionary(kind) else kind

    @property
    def _may_be_nan(self) -> bool:
        """True if labels may be NaN, which sources do not treat as null, so that they cannot filter rows."""
        return import_module("pyarrow").types.is_floating(self.label_type)

    def everything(self) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield the texts and labels of all rows; the label of an unlabeled row is null.

        Keys are checked along the way: a null or duplicate key is an error.
        """
        keys = () if self.has_row_numbers else self.keys
        check = KeyCheck(keys)
        for batch in self._read(list(dict.fromkeys([self.text, self.label, *keys])), None):
            if keys:
                check.add(batch)
            yield plain_text(batch.column(self.text)), self._labels(batch)
        check.finish(self._read(list(keys), None))

    def unlabeled(self) -> Iterator[tuple[pa.RecordBatch, pa.Array]]:
        """Yield the keys and texts of the unlabeled rows."""
        compute = import_module("pyarrow.compute")
        columns = list(dict.fromkeys([*self.keys, self.text]))
        if self.marker is None and not self._may_be_nan:
            for batch in self._read(columns, self.label):
                yield batch.select(list(self.keys)), plain_text(batch.column(self.text))
            return
        for batch in self._read([*columns, self.label], None):
            kept = batch.filter(compute.is_null(self._labels(batch)))
            yield kept.select(list(self.keys)), plain_text(kept.column(self.text))

    def _read(self, columns: list[str], missing: str | None) -> Iterator[pa.RecordBatch]:
        rows = min(PIECE_ROWS, BATCH_ROWS)
        pieces = self.source.batches(columns, missing=missing, batch_rows=rows)
        batches = joined(decoded(pieces), BATCH_ROWS)
        if not self.can_read_ahead:
            yield from batches
            return
        with closing(read_ahead(batches)) as ahead:
            yield from ahead

    def _labels(self, batch: pa.RecordBatch) -> pa.Array:
        pa, compute = import_module("pyarrow"), import_module("pyarrow.compute")
        labels = batch.column(self.label)
        if self._may_be_nan:
            labels = compute.if_else(compute.is_nan(labels), pa.scalar(None, labels.type), labels)
        if self.marker is None:
            return labels
        is_marked = compute.equal(labels.cast(pa.string()), self.marker)
        return compute.if_else(compute.fill_null(is_marked, False), pa.scalar(None, labels.type), labels)


def plain_text(texts: pa.Array) -> pa.Array:
    """Replace null documents by empty ones."""
    pa = import_module("pyarrow")
    if pa.types.is_null(texts.type):
        texts = texts.cast(pa.string())
    return texts.fill_null("") if texts.null_count else texts
