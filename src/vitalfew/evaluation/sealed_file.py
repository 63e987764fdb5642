"""The file of a sealed test set: a zip archive of NumPy arrays and JSON, with checksums and without pickle.

Members::

    manifest.json    {"format": "vitalfew.sealed/1", "content": …, "members": {name: sha256, …}}
    checksum         sha256 of manifest.json
    0.npy, 1.npy, …  arrays of numbers, truth values, fixed-width text and times (NumPy's format 1.0 to 3.0)
    2.json, …        lists of texts, numbers, truth values and null, where an array would need pickle

``content`` is what `write` was given, with an object ``{"kind": …}`` in place of each array, list, sparse matrix or
data frame, which says how to put it together from members. Anyone can read such a file: labels in it are out of sight,
not safe.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.aside import written_aside
from vitalfew.data.frames import as_frame
from vitalfew.evaluation.rows import fingerprint, is_series

FORMAT = "vitalfew.sealed/1"
PLAIN = "biufMmUS"  # kinds of arrays that NumPy writes without pickle
SCALARS = str | bool | int | float | None


class SealedFileError(ValueError):
    """A file is not that of a sealed test set, or not whole."""


def write(path, content: dict[str, Any]) -> None:
    """Writes beside the place, then moves."""
    packer = Packer()
    packed = {key: packer.pack(value, key) for key, value in content.items()}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in packer.members.items()}
    manifest = json.dumps({"format": FORMAT, "content": packed, "members": sums}, indent=1).encode("utf-8")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
        archive.writestr("checksum", hashlib.sha256(manifest).hexdigest())
        for name, data in packer.members.items():
            archive.writestr(name, data)
    with written_aside(path) as file:
        file.write(buffer.getvalue())


def read(path) -> dict[str, Any]:
    """What `write` was given; a file that is cut off, changed or of another kind is refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "manifest.json" not in names or "checksum" not in names:
                raise SealedFileError(f"{str(path)!r} is not the file of a sealed test set: it has no manifest.")
            raw = archive.read("manifest.json")
            if hashlib.sha256(raw).hexdigest() != archive.read("checksum").decode("ascii", "replace"):
                raise _changed(path, "manifest.json")
            manifest = json.loads(raw)
            if manifest["format"] != FORMAT:
                raise SealedFileError(
                    f"{str(path)!r} has the format {manifest['format']!r}, this version reads {FORMAT!r}."
                )
            members = {name: archive.read(name) for name in manifest["members"]}
    except (SealedFileError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as problem:  # archives that are not whole fail in many ways
        raise SealedFileError(
            f"{str(path)!r} is not the file of a sealed test set, or was cut off ({type(problem).__name__}: {problem})."
        ) from None
    for name, data in members.items():
        if hashlib.sha256(data).hexdigest() != manifest["members"][name]:
            raise _changed(path, name)
    return {key: unpack(value, members) for key, value in manifest["content"].items()}


def _changed(path, member: str) -> SealedFileError:
    return SealedFileError(
        f"{str(path)!r} was changed after it was saved: the checksum of {member} does not match. Its test set can no "
        "longer be trusted; take an unchanged copy, or split anew."
    )


class Packer:
    """Takes arrays, lists, matrices and frames apart into members of the archive."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def pack(self, value, name: str) -> Any:
        """How to put the value together again."""
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
            raise TypeError(f"{name} holds {value.dtype} values, which cannot be saved without pickle.")
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
        if library not in _COLUMNS:
            raise TypeError(f"X is a frame of {library!r}; those of {sorted(_COLUMNS)} can be saved.")
        columns = [self._pack_whole_column(frame[:, j], c, library) for j, c in enumerate(frame.columns)]
        return {"kind": "frame", "library": library, "is_column": is_column, "columns": columns}

    def _pack_whole_column(self, series: nw.Series, name, library: str) -> dict[str, Any]:
        """A column that comes out of the file as it went in; any other is refused."""
        packed = self._pack_column(series, name, library)
        again = nw.from_native(_COLUMNS[library](packed, self.members), allow_series=True, pass_through=True)
        if library == "pyarrow":
            import pyarrow as pa

            again = nw.from_native(pa.chunked_array([again]), allow_series=True)
        is_same = str(again.dtype) == str(series.dtype) and fingerprint(again.to_numpy()) == fingerprint(
            series.to_numpy()
        )
        if not is_same:
            raise TypeError(
                f"column {name!r} holds {series.dtype}, which cannot be saved as it is: convert it to text or numbers "
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
                    f"{name}, row {row} holds a {type(v).__name__}, which cannot be saved without pickle: texts, "
                    "numbers, truth values and missing values can."
                )
        return self._add(json.dumps(plain).encode("utf-8"), "json")

    def _add(self, data: bytes, suffix: str) -> str:
        name = f"{len(self.members)}.{suffix}"
        self.members[name] = data
        return name


def unpack(packed: dict[str, Any], members: dict[str, bytes]) -> Any:
    """The value that `Packer.pack` took apart."""
    kind = packed["kind"]
    if kind == "value":
        return packed["value"]
    if kind == "array":
        return _npy(members[packed["npy"]])
    if kind == "list":
        return json.loads(members[packed["items"]])
    if kind == "objects":
        items = json.loads(members[packed["items"]])
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(packed["shape"])
    if kind == "sparse":
        parts = tuple(_npy(members[packed[key]]) for key in ("data", "indices", "indptr"))
        make = getattr(sparse, f"{packed['format']}_{'array' if packed['is_array'] else 'matrix'}")
        return make(parts, shape=tuple(packed["shape"]))
    return _frame(packed, members)


def _npy(data: bytes) -> NDArray:
    return np.load(io.BytesIO(data), allow_pickle=False)


def _frame(packed: dict[str, Any], members: dict[str, bytes]) -> Any:
    library = packed["library"]
    columns = [(column["name"], _COLUMNS[library](column, members)) for column in packed["columns"]]
    if packed["is_column"]:
        return columns[0][1]
    if library == "pandas":
        import pandas as pd

        made = pd.concat([values for _, values in columns], axis=1)
        return made.set_axis([name for name, _ in columns], axis=1)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(dict(columns))
    import pyarrow as pa

    return pa.table([values for _, values in columns], names=[name for name, _ in columns])


def _values(column: dict[str, Any], members: dict[str, bytes]) -> Any:
    """An array, or a list with None where a value is missing."""
    if "items" in column:
        return json.loads(members[column["items"]])
    values = _npy(members[column["npy"]])
    if "missing" not in column:
        return values
    return [None if missing else v for v, missing in zip(values.tolist(), _npy(members[column["missing"]]))]


def _pandas_column(column: dict[str, Any], members: dict[str, bytes]) -> Any:
    import pandas as pd

    values = _values(column, members)
    if "categories" in column:
        dtype: Any = pd.CategoricalDtype(column["categories"], ordered=column["is_ordered"])
        return pd.Series(pd.Categorical(values, dtype=dtype), name=column["name"])
    if column["dtype"] == "object":
        return pd.Series(np.array([*values, None], dtype=object)[:-1], name=column["name"])
    if isinstance(values, np.ndarray) and values.dtype.kind == "M" and "," in column["dtype"]:
        zone = column["dtype"].split(",")[1].strip(" ]")
        return pd.Series(values, name=column["name"]).dt.tz_localize("UTC").dt.tz_convert(zone)
    return pd.Series(values, name=column["name"], dtype=column["dtype"])


def _polars_column(column: dict[str, Any], members: dict[str, bytes]) -> Any:
    import polars as pl

    values, dtype = _values(column, members), column["dtype"]
    series = pl.Series(column["name"], values)
    if "categories" in column:
        return series.cast(pl.Enum(column["categories"]) if dtype.startswith("Enum") else pl.Categorical)
    kind = getattr(pl, dtype.split("(")[0])
    return series.cast(kind) if dtype == dtype.split("(")[0] and series.dtype != kind else series


def _arrow_column(column: dict[str, Any], members: dict[str, bytes]) -> Any:
    import pyarrow as pa

    values, dtype = _values(column, members), column["dtype"]
    array = pa.array(values)
    if dtype.startswith("dictionary"):
        return array.dictionary_encode()
    with_name = {"string": pa.string(), "large_string": pa.large_string(), "bool": pa.bool_()}
    wanted = with_name.get(dtype) or getattr(pa, {"double": "float64", "float": "float32"}.get(dtype, dtype), None)
    wanted = wanted() if callable(wanted) else wanted
    return array.cast(wanted) if wanted is not None and array.type != wanted else array


_COLUMNS = {"pandas": _pandas_column, "polars": _polars_column, "pyarrow": _arrow_column}
