"""Values as JSON and back: numbers, text, arrays, containers, and objects of the classes that are listed.

Floats keep every bit: JSON numbers are written with as many digits as that takes, longer arrays as bytes. Nothing in a
file is ever run or imported: a class is known by its name in the list, or it is refused.
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

from vitalfew.exceptions import ModelFileError
from vitalfew.export.record import Record

# Arrays of no more elements are written as lists, which one can read.
MOST_LISTED = 100
SPARSE = {cls.__name__: cls for cls in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix)}
_NUMBERS = (np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8)
TYPES: dict[str, type] = {cls.__name__: cls for cls in (*_NUMBERS, float, int, bool, str, object)}
# What the elements of a listed array are, by the kind of its dtype.
ELEMENTS = {"f": (int, float), "i": (int,), "u": (int,), "b": (bool,), "U": (str,), "T": (str,)}


class Encoder:
    """Turns objects into JSON. What is met twice is written once."""

    def __init__(self, records: Mapping[type, Record]):
        self.records = records
        self.seen: dict[int, tuple[Any, dict]] = {}
        self.n_shared = 0
        self.classes: set[type] = set()

    def encode(self, value: Any, where: str) -> Any:
        """`where` is what an error calls the value."""
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
        self.seen[id(value)] = (value, node)  # the value as well: while it lives, no other has its id
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
        what = "a function" if callable(value) and not hasattr(value, "get_params") else f"a {type(value).__name__}"
        raise TypeError(
            f"{where} is {what}, which a model file cannot hold. It holds plain values, arrays, and objects of "
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
            raise TypeError(f"{where} is an array of {value.dtype}, which a model file cannot hold; convert it first.")
        if flat.size <= MOST_LISTED and kind in "biuf" and value.itemsize <= 8 and np.isfinite(flat).all():
            return {**node, "dtype": value.dtype.newbyteorder("<").str, "values": flat.tolist()}
        little = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
        return {**node, "dtype": little.dtype.str, "base64": base64.b64encode(little.tobytes()).decode("ascii")}


class Decoder:
    """Turns JSON into objects, each of which is checked before anybody uses it."""

    def __init__(self, records: Mapping[str, Record]):
        self.records = records
        self.shared: dict[int, Any] = {}
        self.classes: set[type] = set()

    def decode(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        if not isinstance(node, dict):
            return node
        make = self._MAKERS.get(node.get("kind", ""))
        if make is None:
            raise ModelFileError(f"it holds a value of unknown kind {node.get('kind')!r}")
        value = make(self, node)
        if "id" in node and node["kind"] != "same":
            self.shared[node["id"]] = value
        return value

    def _same(self, node: dict) -> Any:
        if node["id"] not in self.shared:
            raise ModelFileError(f"it refers to a value {node['id']!r} that it does not hold")
        return self.shared[node["id"]]

    def _float(self, node: dict) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[node["value"]]

    def _items(self, node: dict) -> Any:
        items = self.decode(node["items"])
        makers: dict[str, Callable] = {"tuple": tuple, "set": set, "frozenset": frozenset, "dict": dict}
        return slice(*items) if node["kind"] == "slice" else makers[node["kind"]](items)

    def _type(self, node: dict) -> type:
        return TYPES[node["name"]]

    def _dtype(self, node: dict) -> np.dtype:
        return _dtype_of(node["name"], "biufO")

    def _sparse(self, node: dict) -> Any:
        parts = [self.decode(node[name]) for name in ("data", "indices", "indptr")]
        matrix = SPARSE[node["form"]](tuple(parts), shape=_shape_of(node))
        matrix.check_format(full_check=True)
        return matrix

    def _array(self, node: dict) -> Any:
        shape, order = _shape_of(node), node.get("order", "C")
        if order not in ("C", "F"):
            raise ModelFileError(f"an array has the unknown order {order!r}")
        flat = self._listed(node) if "values" in node else _from_bytes(node)
        if flat.size != math.prod(shape):
            raise ModelFileError(f"an array of shape {shape} has {flat.size} elements")
        value = flat.reshape(shape, order=order)
        return value[()] if value.ndim == 0 else value

    def _listed(self, node: dict) -> NDArray:
        values = node["values"]
        if not isinstance(values, list):
            raise ModelFileError("the values of an array are not a list")
        if node["dtype"] == "object":
            flat = np.empty(len(values), dtype=object)
            flat[:] = [self.decode(v) for v in values]
            return flat
        dtype = np.dtypes.StringDType() if node["dtype"] == "str" else _dtype_of(node["dtype"], "biufU")
        if not {type(v) for v in values} <= set(ELEMENTS[dtype.kind]):
            raise ModelFileError(f"the values of an array are not all of type {node['dtype']}")
        return np.array(values, dtype=dtype)

    def _object(self, node: dict) -> Any:
        record = self.records.get(node["class"])
        if record is None:
            raise ModelFileError(f"it holds an object of class {node['class']!r}, which this version does not know")
        self.classes.add(record.cls)
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


def _dtype_of(name: str, kinds: str) -> np.dtype:
    try:
        dtype = np.dtype(name)
    except SyntaxError:  # NumPy reads parts of a name as Python
        raise ModelFileError(f"{name!r} is no type of numbers") from None
    if dtype.kind not in kinds or dtype.fields is not None or dtype.subdtype is not None:
        raise ModelFileError(f"it holds an array of type {name!r}, which a model does not have")
    return dtype


def _shape_of(node: dict) -> tuple[int, ...]:
    shape = node["shape"]
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ModelFileError(f"an array has the shape {shape!r}")
    return tuple(shape)


def _from_bytes(node: dict) -> NDArray:
    dtype = _dtype_of(node["dtype"], "biufSMm")
    raw = base64.b64decode(node["base64"], validate=True)
    # A copy in the byte order of this machine, which may be written to.
    return np.frombuffer(raw, dtype=dtype).astype(dtype.newbyteorder("="))
