"""Last pass: the label of each unlabeled document, its probability, and the words that decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from vitalfew import _core
from vitalfew.data.sources.decoded import plain_type
from vitalfew.labeling.candidates import LinearModel
from vitalfew.labeling.documents import Documents
from vitalfew.labeling.vocabulary import Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

N_REASONS = 3


@dataclass(frozen=True)
class Classifier:
    """A model with its vocabulary and classes."""

    model: LinearModel
    vocabulary: Vocabulary
    classes: pa.Array

    @cached_property
    def _words(self) -> pa.Array:
        return self.vocabulary.words.cast(import_module("pyarrow").string())

    def answer(self, texts: pa.Array) -> tuple[np.ndarray, list[pa.Array]]:
        """Classify texts; return class codes, and labels, probabilities and deciding words as columns."""
        pa = import_module("pyarrow")
        indptr, indices = self.vocabulary.rows(texts)
        value = self.vocabulary.values(indptr, indices) if self.model.is_weighted else None
        found = _core.classify_rows(
            indptr, indices, value, self.model.table, self.model.base, N_REASONS, self.vocabulary.threads
        )
        words = [self._words.take(pa.array(c, mask=c < 0)) for c in np.ascontiguousarray(found.reason.T)]
        code = found.label
        return code, [self.classes.take(pa.array(code)), pa.array(found.probability), *words]


def output_schema(documents: Documents) -> pa.Schema:
    """Return the output schema: keys and label as in the documents, then probability and words, renamed if taken."""
    pa = import_module("pyarrow")
    given = documents.source.schema()
    fields = [given.field(key) for key in documents.keys]
    fields = [f if pa.types.is_dictionary(f.type) else f.with_type(plain_type(f.type)) for f in fields]
    fields.append(pa.field(documents.label, documents.label_type))
    taken = {field.name.lower() for field in fields}
    words = [f"word_{i}" for i in range(1, N_REASONS + 1)]
    for name in ("probability", *words):
        while name in taken:
            name += "_"
        taken.add(name)
        fields.append(pa.field(name, pa.float64() if name.startswith("probability") else pa.string()))
    return pa.schema(fields)


def classified(
    documents: Documents, classifier: Classifier, schema: pa.Schema
) -> Iterator[tuple[pa.RecordBatch, np.ndarray]]:
    """Yield the batches to write, with the class codes."""
    pa = import_module("pyarrow")
    for keys, texts in documents.unlabeled():
        if not len(texts):
            continue
        code, columns = classifier.answer(texts)
        arrays = [*keys.columns, *columns]
        yield pa.RecordBatch.from_arrays([a.cast(f.type) for a, f in zip(arrays, schema)], schema=schema), code
