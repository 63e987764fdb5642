"""Source for an in-memory data frame."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitalfew.data.sources.protocol import BATCH_ROWS, asked, check_columns, check_header, chosen
from vitalfew.support.arrow import check_arrow

if TYPE_CHECKING:
    import pyarrow as pa


class FrameSource:
    """Data frame in memory; see `Source`."""

    name = "the data frame"

    def __init__(self, frame: Any):
        self.table = _arrow_table(frame)
        check_arrow(self.table, self.name)
        check_header(self.table.column_names, self.name)

    def schema(self) -> pa.Schema:
        return self.table.schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self.schema(), columns, known, missing)
        kept = self.table.select(asked(self.schema(), columns, known, missing))
        yield from chosen(kept.to_batches(), columns, known, missing, batch_rows)

    def n_rows(self) -> int:
        return self.table.num_rows


def _arrow_table(frame: Any) -> pa.Table:
    pa = import_module("pyarrow")
    module = type(frame).__module__.split(".")[0]
    if isinstance(frame, pa.RecordBatchReader):
        raise TypeError("a RecordBatchReader can only be read once; pass reader.read_all(), or a Parquet file.")
    if module == "polars" and hasattr(frame, "collect"):
        raise TypeError("a LazyFrame has no rows yet; pass frame.collect(), or the files it reads.")
    try:
        if isinstance(frame, pa.Table):
            return frame
        if module == "pandas" and hasattr(frame, "columns"):
            return pa.Table.from_pandas(frame, preserve_index=False)
        if module == "polars" and hasattr(frame, "columns"):
            return frame.to_arrow()
        if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
            return pa.table(frame)
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        raise ValueError(f"the data frame cannot be read ({why}); each column must have values of one type.") from error
    raise TypeError(
        "expected a pandas, polars or Arrow data frame, file names, a database or its address, "
        f"got {type(frame).__name__}."
    )
