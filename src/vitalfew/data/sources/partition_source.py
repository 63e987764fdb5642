"""Source for partitioned frames on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from vitalfew.data.sources.frame_source import FrameSource
from vitalfew.data.sources.protocol import BATCH_ROWS, asked, check_columns, check_header, chosen
from vitalfew.data.tables.partitions import compute, on_each, partitions_of

if TYPE_CHECKING:
    import pyarrow as pa


class PartitionSource:
    """Dask DataFrame, or delayed pandas, polars or Arrow frames; batches are fetched one partition at a time."""

    name = "the Dask collection"

    def __init__(self, data: Any):
        self.data = data
        check_header(self.schema().names, self.name)

    def schema(self) -> pa.Schema:
        return self._schema

    def batches(self, columns=None, *, known=None, missing=None, batch_rows=BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        check_columns(self.schema(), columns, known, missing)
        form = (None if columns is None else list(columns), known, missing, batch_rows)
        for part in on_each(_batches, self.tables(asked(self.schema(), columns, known, missing)), form=form):
            yield from compute(part)

    def n_rows(self) -> None:
        return None

    def tables(self, columns: Sequence[str]) -> list[Any]:
        """Return delayed Arrow tables of these columns with a common schema, one per partition, on the workers."""
        names = list(columns)
        data = self.data[names] if self._is_frame else self.data
        return on_each(_table, partitions_of(data), schema=self.schema(), columns=names)

    def starts(self, column: str) -> list[int]:
        """Return the number of the first row of each partition; workers count the rows of one column."""
        counted = compute(on_each(len, self.tables([column])))
        return [0, *accumulate(counted[:-1])]

    @property
    def _is_frame(self) -> bool:
        return hasattr(self.data, "_meta_nonempty") and hasattr(type(self.data), "to_delayed")

    @cached_property
    def _schema(self) -> pa.Schema:
        """Schema from Dask's metadata; columns of unknown type, and delayed frames, are resolved from partitions."""
        pa = import_module("pyarrow")
        found: Any = FrameSource(self.data._meta_nonempty).schema() if self._is_frame else None
        if found is None or _has_unknown(found):
            for part in on_each(_schema_of, partitions_of(self.data)):
                own = compute(part)
                found = own if found is None else pa.unify_schemas([found, own], promote_options="permissive")
                if not _has_unknown(found):
                    break
        return found.remove_metadata()


def _has_unknown(schema: pa.Schema) -> bool:
    types = import_module("pyarrow").types
    return any(types.is_null(t) or (types.is_dictionary(t) and types.is_null(t.value_type)) for t in schema.types)


def _schema_of(part) -> pa.Schema:
    return FrameSource(part).schema().remove_metadata()


def _table(part, schema: pa.Schema, columns: list[str]) -> pa.Table:
    """Return columns of a partition, cast to the schema, because a column without values has no type."""
    pa = import_module("pyarrow")
    table = FrameSource(part).table
    check_columns(table.schema, columns, None, None)
    found = []
    for name in columns:
        column, kind = table.column(name), schema.field(name).type
        if column.type != kind and not pa.types.is_dictionary(column.type):
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            try:
                column = column.cast(kind)
            except pa.ArrowException as error:
                raise ValueError(
                    f"column {name!r} is {column.type} in one partition and {kind} in another; convert it to one "
                    "type first."
                ) from error
        found.append(column)
    return pa.table(found, names=columns)


def _batches(table: pa.Table, form: tuple) -> list[pa.RecordBatch]:
    columns, known, missing, batch_rows = form
    return list(chosen(table.to_batches(), columns, known, missing, batch_rows))
