"""Input of documents to the tokenizer: strings, Series, Arrow arrays, and iterators over batches of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from vitalfew.support.arrow import check_arrow

# Documents taken from an iterator at once: enough to keep all threads busy.
BATCH = 8192


def add_documents(rows, documents, progress=None) -> None:
    """Add all documents to `rows`, a ``_core.WordRows``."""
    if isinstance(documents, (str, bytes)):
        raise ValueError(
            f"documents must be an iterable of str, got {type(documents).__name__}; pass a list, [document]."
        )
    for batch in _batches(documents):
        if isinstance(batch, (list, tuple)):
            first_row = rows.n_documents
            position = rows.add_strings(batch, progress)
            if position >= 0:
                _reject(batch[position], first_row + position)
        else:
            for text, start in _arrow_chunks(batch, rows.n_documents):
                rows.add_utf8(text, start, progress)


def _batches(documents) -> Iterator[Any]:
    """Yield lists of expected strings, or Arrow arrays."""
    if _is_batch(documents):
        batch = _as_batch(documents)
        # A list of lists, Series or arrays is a list of batches.
        if not (isinstance(batch, (list, tuple)) and batch and _is_batch(batch[0])):
            yield batch
            return
        documents = batch
    if not isinstance(documents, Iterable):
        raise TypeError(f"documents must be an iterable of str, got {type(documents).__name__}; pass a list.")
    pending: list[Any] = []
    for item in documents:
        if _is_batch(item):
            if pending:
                yield pending
                pending = []
            yield _as_batch(item)
        else:
            pending.append(item)
            if len(pending) == BATCH:
                yield pending
                pending = []
    if pending:
        yield pending


def _is_batch(item) -> bool:
    return isinstance(item, (list, tuple, np.ndarray)) or _library(item) is not None


def _library(item) -> str | None:
    """Return the data frame library of an object, or None, without importing any library."""
    name = type(item).__module__.partition(".")[0]
    if name in ("pandas", "polars", "pyarrow"):
        return name if hasattr(item, "__len__") and name in sys.modules else None
    return None


def _as_batch(item):
    """Return a list, a tuple or an Arrow array."""
    shape = getattr(item, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise ValueError(
            f"documents must be one column of text, got {type(item).__name__} of shape {shape}; "
            "select a column, e.g. table['text']."
        )
    library = _library(item)
    if library == "pyarrow":
        return item
    if library == "pandas" and hasattr(getattr(item, "array", item), "__arrow_array__"):
        return _from_arrow_protocol(getattr(item, "array", item))
    if library == "polars" and str(item.dtype) == "String":
        return _from_polars(item)
    return item if isinstance(item, (list, tuple)) else item.tolist() if hasattr(item, "tolist") else item.to_list()


def _from_arrow_protocol(array):
    """Return a pandas array as Arrow only if it is stored so; other arrays hold str objects."""
    storage = getattr(array.dtype, "storage", None)
    if storage == "pyarrow" or type(array.dtype).__name__ == "ArrowDtype":
        return array.__arrow_array__()
    return array.tolist()


def _from_polars(series):
    try:
        return series.to_arrow()
    except ImportError:
        return series.to_list()


def _arrow_chunks(array, first_row: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the UTF-8 bytes and offsets of each chunk, without copying the text."""
    import pyarrow as pa

    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        raise ValueError(
            f"documents must be one column of text, got pyarrow {type(array).__name__}; "
            "select a column, e.g. table['text']."
        )
    check_arrow(array, "the column of documents")
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        if chunk.null_count:
            _reject(None, first_row + int(np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False))[0]))
        first_row += len(chunk)
        if len(chunk):
            yield _utf8_of(chunk)


def _utf8_of(chunk) -> tuple[np.ndarray, np.ndarray]:
    import pyarrow as pa

    kind = chunk.type.value_type if pa.types.is_dictionary(chunk.type) else chunk.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise TypeError(f"documents must be strings, got an Arrow array of type {chunk.type}; cast it to pa.string().")
    if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
        chunk = chunk.cast(pa.large_string())
    _, offsets, text = chunk.buffers()
    width = np.int32 if pa.types.is_string(chunk.type) else np.int64
    start = np.frombuffer(offsets, dtype=width)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
    return np.frombuffer(text if text is not None else b"", dtype=np.uint8), start


def _reject(item, row: int):
    kind = type(item).__name__
    is_nan = isinstance(item, (float, np.floating)) and item != item
    if item is None or is_nan or kind in ("NAType", "NaTType"):
        raise ValueError(f"document {row} is missing ({item!r}); fill missing documents, e.g. with an empty string.")
    if isinstance(item, (bytes, bytearray)):
        raise TypeError(f"document {row} is {kind}, not str; decode it, e.g. document.decode('utf-8').")
    raise TypeError(f"document {row} is of type {kind}, not str; convert the documents, e.g. with astype(str).")
