"""Decoding of dictionary, run-end and view columns in pieces, because decoded values may be far larger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.sources.protocol import BATCH_BYTES

if TYPE_CHECKING:
    import pyarrow as pa


def decoded(pieces: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows with plain columns, at most about `BATCH_BYTES` bytes of decoded values at a time."""
    pa = import_module("pyarrow")
    for piece in pieces:
        plain = {j: plain_type(field.type) for j, field in enumerate(piece.schema)}
        coded = {j: kind for j, kind in plain.items() if kind != piece.schema.field(j).type}
        if not coded:
            yield piece
            continue
        sizes = np.sum([_value_bytes(piece.column(j)) for j in coded], axis=0)
        schema = pa.schema([pa.field(field.name, plain[j]) for j, field in enumerate(piece.schema)])
        for start, end in _ranges(sizes):
            part = piece.slice(start, end - start)
            columns = [_decode(column, plain[j]) if j in coded else column for j, column in enumerate(part.columns)]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _ranges(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield row ranges whose sizes sum to at most `BATCH_BYTES`; a larger row is a range by itself."""
    ends, start = np.cumsum(sizes), 0
    while start < len(sizes):
        done = ends[start - 1] if start else 0
        end = max(int(np.searchsorted(ends, done + BATCH_BYTES, side="right")), start + 1)
        yield start, end
        start = end


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the decoded values."""
    pa = import_module("pyarrow")
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    return {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind, kind)


def _decode(column: pa.Array, kind: pa.DataType) -> pa.Array:
    pa = import_module("pyarrow")
    while pa.types.is_dictionary(column.type) or pa.types.is_run_end_encoded(column.type):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        else:
            column = import_module("pyarrow.compute").run_end_decode(column)
    return column.cast(kind)


def _value_bytes(column: pa.Array) -> NDArray[np.int64]:
    """Return the size in bytes of each decoded value; 8 for fixed-width types."""
    pa, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    kind = column.type
    if pa.types.is_dictionary(kind):
        sizes = np.append(_value_bytes(column.dictionary), 0)  # the last entry is for null
        return sizes[column.indices.fill_null(len(sizes) - 1).to_numpy(zero_copy_only=False)]
    if pa.types.is_run_end_encoded(kind):
        ends = np.clip(column.run_ends.to_numpy() - column.offset, 0, len(column))
        return np.repeat(_value_bytes(column.values), np.diff(ends, prepend=0))
    try:
        return compute.binary_length(column).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    except pa.ArrowNotImplementedError:
        return np.full(len(column), 8, dtype=np.int64)
