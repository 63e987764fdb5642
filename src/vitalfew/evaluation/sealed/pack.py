"""Conversion of the content of a sealed test set to archive members that need no pickle."""

from __future__ import annotations

import io
import json
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.tables.frames import as_frame
from vitalfew.evaluation.indexing import is_series
from vitalfew.evaluation.sealed.columns import COLUMNS
from vitalfew.evaluation.sealed.members import PLAIN, SCALARS, Members
from vitalfew.support.fingerprint import fingerprint


class Packer:
    """Converter of arrays, lists, matrices and frames to archive members."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def pack(self, value, name: str) -> Any:
        """Store a value in the archive, and return a description of how to rebuild it."""
        if value is None or isinstance(value, str | bool | int | float | dict):
            return {"kind": "value", "value": value}
        if sparse.issparse(value):
            return self._pack_sparse(value)
        if isinstance(value, np.ndarray):
            return self._pack_array(value, name)
        if isinstance(value, list):
            return {"kind": "list", "items": self._add_json(value, name)}
        if as_frame(value) is not None or is_series(value):
            return self._pack_frame(value)
        raise TypeError(f"{name} is a {type(value).__name__}, which cannot be saved without pickle.")

    def _pack_array(self, value: NDArray, name: str) -> dict[str, Any]:
        if value.dtype.kind in PLAIN:
            return {"kind": "array", "npy": self._add_npy(value)}
        if value.dtype.kind not in "OT":
            raise TypeError(f"{name} contains {value.dtype} values, which cannot be saved without pickle.")
        return {"kind": "objects", "shape": list(value.shape), "items": self._add_json(value.ravel().tolist(), name)}

    def _pack_sparse(self, value) -> dict[str, Any]:
        parts = {key: self._add_npy(getattr(value, key)) for key in ("data", "indices", "indptr")}
        is_array = isinstance(value, sparse.sparray)
        return {"kind": "sparse", "format": value.format, "is_array": is_array, "shape": list(value.shape), **parts}

    def _pack_frame(self, value) -> dict[str, Any]:
        frame = as_frame(value)
        is_column = frame is None
        if frame is None:
            series = nw.from_native(value, series_only=True)
            frame = series.alias(str(series.name or "column")).to_frame()
        library = frame.implementation.value
        if library not in COLUMNS:
            raise TypeError(f"X is a data frame of {library!r}; only those of {sorted(COLUMNS)} can be saved.")
        columns = [self._pack_whole_column(frame[:, j], c, library) for j, c in enumerate(frame.columns)]
        return {"kind": "frame", "library": library, "is_column": is_column, "columns": columns}

    def _pack_whole_column(self, series: nw.Series, name, library: str) -> dict[str, Any]:
        """Store a column that can be rebuilt from the file unchanged; reject any other."""
        packed = self._pack_column(series, name, library)
        try:
            native = COLUMNS[library](packed, Members(self.members))
        except ValueError:
            native = None
        if library == "pyarrow" and native is not None:
            import pyarrow as pa

            native = pa.chunked_array([native])
        again = None if native is None else nw.from_native(native, series_only=True)
        if (
            again is None
            or str(again.dtype) != str(series.dtype)
            or fingerprint(again.to_numpy()) != fingerprint(series.to_numpy())
        ):
            raise TypeError(
                f"column {name!r} contains {series.dtype}, which cannot be saved; convert it to text or numbers "
                "before the split."
            )
        return packed

    def _pack_column(self, series: nw.Series, name, library: str) -> dict[str, Any]:
        native = series.to_native()
        packed: dict[str, Any] = {"name": name, "dtype": str(native.dtype if hasattr(native, "dtype") else native.type)}
        dtype = series.dtype
        if isinstance(dtype, nw.Categorical | nw.Enum):
            packed["categories"] = series.cat.get_categories().to_list()
            packed["is_ordered"] = bool(library == "pandas" and native.dtype.ordered)
        is_null = series.is_null().to_numpy()
        is_plain = dtype.is_numeric() or isinstance(dtype, nw.Boolean) or dtype.is_temporal()
        if is_plain and not is_null.any():
            values = series.to_numpy()
            if values.dtype.kind in PLAIN:
                return {**packed, "npy": self._add_npy(values)}
        if dtype.is_float():
            packed["missing"] = self._add_npy(is_null)
            return {**packed, "npy": self._add_npy(series.fill_null(0.0).to_numpy().astype(np.float64))}
        items = [None if missing else v for v, missing in zip(series.to_list(), is_null.tolist())]
        return {**packed, "items": self._add_json(items, f"column {name!r}")}

    def _add_npy(self, value: NDArray) -> str:
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        return self._add(buffer.getvalue(), "npy")

    def _add_json(self, items: list, name: str) -> str:
        plain = [v.item() if isinstance(v, np.generic) else v for v in items]
        for row, v in enumerate(plain):
            if not isinstance(v, SCALARS):
                raise TypeError(
                    f"{name}, row {row} contains a {type(v).__name__}, which cannot be saved without pickle; only "
                    "strings, numbers, booleans and missing values are supported."
                )
        return self._add(json.dumps(plain).encode("utf-8"), "json")

    def _add(self, data: bytes, suffix: str) -> str:
        name = f"{len(self.members)}.{suffix}"
        self.members[name] = data
        return name
