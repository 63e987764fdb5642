"""Conversion of values to JSON and back: numbers, text, arrays, containers, and objects of registered classes.

Floats keep every bit: JSON numbers are written with as many digits as necessary, longer arrays as bytes. Nothing in a
file is ever executed or imported: classes are identified by their registered names; any other name is rejected.
"""

from __future__ import annotations

import base64
import math
from collections import UserList
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from vitalfew.exceptions import ModelFileError
from vitalfew.export.record import OTHER_MODELS, Record
from vitalfew.support.limits import check_hashed, check_shape, plain_dtype

# Arrays with at most this many elements are written as readable lists.
MOST_LISTED = 100
SPARSE = {cls.__name__: cls for cls in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix)}
_NUMBERS = (np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8)
TYPES: dict[str, type] = {cls.__name__: cls for cls in (*_NUMBERS, float, int, bool, str, object)}
TEXT_GROWTH = 16
TEXT_ALLOWANCE = 2**24
MOST_VALUES = 10**9
ESTIMATOR = 1000
# Python types of the elements of a listed array, by the kind of its dtype.
ELEMENTS = {"f": (int, float), "i": (int,), "u": (int,), "b": (bool,), "U": (str,), "T": (str,)}


class Encoder:
    """Encoder of objects as JSON. An object that occurs twice is written once."""

    def __init__(self, records: Mapping[type, Record]):
        self.records = records
        self.seen: dict[int, tuple[Any, dict]] = {}
        self.n_shared = 0
        self.classes: set[type] = set()

    def encode(self, value: Any, where: str) -> Any:
        """Encode a value; `where` names it in error messages."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {"kind": "float", "value": repr(value)}
        if kind in self.records:
            return self._once(value, lambda: self._object(value, where))
        if isinstance(value, np.ndarray | np.generic):
            return self._once(value, lambda: self._array(np.asarray(value), where))
        if kind in (list, UserList) or isinstance(value, UserList):
            return [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value)]
        return self._other(value, where)

    def _once(self, value: Any, make: Callable[[], dict]) -> dict:
        if id(value) in self.seen:
            first = self.seen[id(value)][1]
            if "id" not in first:
                first["id"] = self.n_shared
                self.n_shared += 1
            return {"kind": "same", "id": first["id"]}
        node = make()
        self.seen[id(value)] = (value, node)  # keep the value alive, so that its id is not reused
        return node

    def _other(self, value: Any, where: str) -> Any:
        if isinstance(value, tuple):
            return {"kind": "tuple", "items": self.encode(list(value), where)}
        if isinstance(value, set | frozenset):
            return {"kind": type(value).__name__, "items": self.encode(sorted(value), where)}
        if isinstance(value, Mapping):
            items = [[self.encode(k, where), self.encode(v, f"{where}[{k!r}]")] for k, v in value.items()]
            return {"kind": "dict", "items": items}
        if isinstance(value, slice):
            return {"kind": "slice", "items": self.encode([value.start, value.stop, value.step], where)}
        if sparse.issparse(value) and type(value).__name__ in SPARSE:
            parts = {name: self.encode(getattr(value, name), where) for name in ("data", "indices", "indptr")}
            return {"kind": "sparse", "form": type(value).__name__, "shape": list(map(int, value.shape)), **parts}
        if isinstance(value, np.dtype) and value.kind in "biufO":
            return {"kind": "dtype", "name": value.str}
        if isinstance(value, type) and TYPES.get(value.__name__) is value:
            return {"kind": "type", "name": value.__name__}
        if isinstance(value, BaseEstimator):
            raise TypeError(f"{where} is a {type(value).__name__}, which a model file cannot store. {OTHER_MODELS}")
        what = "a function" if callable(value) and not hasattr(value, "get_params") else f"a {type(value).__name__}"
        raise TypeError(
            f"{where} is {what}, which a model file cannot store. Supported are plain values, arrays, and objects of "
            f"{', '.join(sorted(c.name for c in self.records.values() if c.is_estimator))}."
        )

    def _object(self, value: Any, where: str) -> dict:
        record = self.records[type(value)]
        self.classes.add(record.cls)
        inside = where if where else record.name
        node: dict[str, Any] = {"kind": "object", "class": record.name}
        if record.is_estimator:
            given = value.get_params(deep=False).items()
            node["params"] = {name: self.encode(v, f"{inside}.{name}") for name, v in given}
        kept = record.pack(value)
        node["fields"] = {name: self.encode(v, f"{inside}.{name}") for name, v in kept.items()}
        return node

    def _array(self, value: NDArray, where: str) -> dict:
        kind = value.dtype.kind
        node: dict[str, Any] = {"kind": "array", "dtype": value.dtype.str, "shape": list(value.shape)}
        if value.flags.f_contiguous and not value.flags.c_contiguous:
            node["order"] = "F"
        flat = value.ravel("F" if "order" in node else "C")
        if kind == "O":
            return {**node, "dtype": "object", "values": [self.encode(v, where) for v in flat.tolist()]}
        if kind in "UT":
            name = node["dtype"] if kind == "U" else "str"
            return {**node, "dtype": name, "values": [str(v) for v in flat.tolist()]}
        if kind not in "biufSMm":
            raise TypeError(f"{where} is an array of {value.dtype}, which a model file cannot store; convert it first.")
        if flat.size <= MOST_LISTED and kind in "biuf" and value.itemsize <= 8 and np.isfinite(flat).all():
            return {**node, "dtype": value.dtype.newbyteorder("<").str, "values": flat.tolist()}
        little = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
        return {**node, "dtype": little.dtype.str, "base64": base64.b64encode(little.tobytes()).decode("ascii")}


class Decoder:
    """Decoder of JSON to objects, each of which is validated before use.

    Memory is bounded by the size of the document, `n_bytes`. Arrays are as long as their bytes or lists. Fixed-width
    text, which may be much shorter than its type allows, takes at most `TEXT_GROWTH` times the document plus
    `TEXT_ALLOWANCE` in total. Arrays and objects may be referenced repeatedly; the expanded document may hold at most
    `MOST_VALUES` values, where an estimator counts as `ESTIMATOR` of them.
    """

    def __init__(self, records: Mapping[str, Record], n_bytes: int):
        self.records = records
        self.n_bytes = n_bytes
        self.shared: dict[int, tuple[Any, int]] = {}
        self.classes: set[type] = set()
        self.n_values = 0
        self.text_left = TEXT_GROWTH * n_bytes + TEXT_ALLOWANCE

    def decode(self, node: Any) -> Any:
        if isinstance(node, list):
            self._count(len(node))
            return [self.decode(item) for item in node]
        if not isinstance(node, dict):
            return node
        before, kind = self.n_values, node.get("kind")
        make = self._MAKERS.get(kind) if isinstance(kind, str) else None
        if make is None:
            raise ModelFileError(f"it contains a value of unknown kind {str(kind)[:40]!r}")
        self._count(1)
        value = make(self, node)
        if "id" in node and kind != "same":
            if kind not in ("array", "object") or type(node["id"]) is not int or node["id"] in self.shared:
                raise ModelFileError(f"a {kind} has the invalid reference {str(node['id'])[:40]}")
            self.shared[node["id"]] = (value, self.n_values - before)
        return value

    def _count(self, n: int) -> None:
        self.n_values += n
        if self.n_values > MOST_VALUES:
            raise ModelFileError(f"with its references expanded, it has more than {MOST_VALUES} values")

    def _same(self, node: dict) -> Any:
        if type(node["id"]) is not int or node["id"] not in self.shared:
            raise ModelFileError(f"it refers to a value {str(node['id'])[:40]!r} that it does not contain")
        value, n_values = self.shared[node["id"]]
        self._count(n_values)
        return value

    def _float(self, node: dict) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[node["value"]]

    def _items(self, node: dict) -> Any:
        kind, items = node["kind"], self.decode(_listed(node, "items"))
        if kind == "slice":
            return slice(*items)
        if kind == "tuple":
            return tuple(items)
        check_hashed((key for key, _ in items) if kind == "dict" else items, f"a key or member of a {kind}")
        return {"set": set, "frozenset": frozenset, "dict": dict}[kind](items)

    def _type(self, node: dict) -> type:
        return TYPES[node["name"]]

    def _dtype(self, node: dict) -> np.dtype:
        return plain_dtype(node["name"], "biufO")

    def _sparse(self, node: dict) -> Any:
        parts = tuple(self.decode(node[name]) for name in ("data", "indices", "indptr"))
        if not all(isinstance(part, np.ndarray) and part.ndim == 1 and part.dtype.kind in "biuf" for part in parts):
            raise ModelFileError("the parts of a sparse matrix are not arrays of numbers")
        shape = _listed(node, "shape")
        if len(shape) != 2 or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
            raise ModelFileError(f"a sparse matrix has the invalid shape {str(shape)[:80]}")
        matrix = SPARSE[node["form"]](parts, shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix

    def _array(self, node: dict) -> Any:
        order = node.get("order", "C")
        if order not in ("C", "F"):
            raise ModelFileError(f"an array has the unknown order {str(order)[:40]!r}")
        flat = self._values(node) if "values" in node else self._from_bytes(node)
        value = flat.reshape(check_shape(node["shape"], flat.size, self.n_bytes), order=order)
        return value[()] if value.ndim == 0 else value

    def _values(self, node: dict) -> NDArray:
        values = _listed(node, "values")
        if node["dtype"] == "object":
            flat = np.empty(len(values), dtype=object)
            flat[:] = [self.decode(v) for v in values]
            return flat
        dtype = np.dtypes.StringDType() if node["dtype"] == "str" else plain_dtype(node["dtype"], "biufU")
        if not {type(v) for v in values} <= set(ELEMENTS[dtype.kind]):
            raise ModelFileError(f"the values of an array are not all of type {node['dtype']}")
        if dtype.kind == "U":
            self._count_text(dtype, len(values))
        return np.array(values, dtype=dtype)

    def _from_bytes(self, node: dict) -> NDArray:
        dtype = plain_dtype(node["dtype"], "biufSMm")
        raw = base64.b64decode(node["base64"], validate=True)
        self._count_text(dtype, len(raw) // dtype.itemsize)
        # A writable copy in native byte order.
        return np.frombuffer(raw, dtype=dtype).astype(dtype.newbyteorder("="))

    def _count_text(self, dtype: np.dtype, n: int) -> None:
        """Deduct the memory of a text array from the allowance; NumPy allocates one element even for an empty array."""
        self.text_left -= dtype.itemsize * max(n, 1)
        if self.text_left < 0:
            raise ModelFileError(
                f"an array of type {dtype.str} takes more memory than allowed for a file of {self.n_bytes} bytes"
            )

    def _object(self, node: dict) -> Any:
        name = node["class"]
        record = self.records.get(name) if isinstance(name, str) else None
        if record is None:
            raise ModelFileError(
                f"it contains an object of class {str(name)[:60]!r}, which this version does not support"
            )
        self.classes.add(record.cls)
        self._count(ESTIMATOR if record.is_estimator else 1)
        params = {name: self.decode(v) for name, v in node.get("params", {}).items()}
        fields = {name: self.decode(v) for name, v in node["fields"].items()}
        return record.build(params, fields)

    _MAKERS: Mapping[str, Callable[[Decoder, dict], Any]] = {
        "float": _float,
        "tuple": _items,
        "set": _items,
        "frozenset": _items,
        "dict": _items,
        "slice": _items,
        "type": _type,
        "dtype": _dtype,
        "sparse": _sparse,
        "array": _array,
        "object": _object,
        "same": _same,
    }


def _listed(node: dict, key: str) -> list:
    if not isinstance(node[key], list):
        raise ModelFileError(f"the {key} of a {node['kind']} must be a list")
    return node[key]
