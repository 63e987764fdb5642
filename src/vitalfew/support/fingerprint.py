"""Fingerprint of everything that results depend on: data, estimators, functions with their code, random states."""

from __future__ import annotations

import copyreg
import functools
import hashlib
import sys
from contextlib import contextmanager, suppress
from importlib import metadata
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
    NoneType,
)
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from vitalfew.support.code_parts import (
    MADE_BY_PYTHON,
    code_fields,
    extension_bytes,
    find_by_name,
    globals_of,
    is_installed,
    is_own_module,
    release_of,
)

PLAIN = {NoneType, bool, int, float, complex, str, bytes, type(...), type(NotImplemented)}
LIBRARIES = ("vitalfew", "numpy", "scipy", "scikit-learn")


class FingerprintError(ValueError):
    """Raised for an object whose content does not distinguish it from others of its type."""


def fingerprint(*things: Any) -> str:
    """Compute a digest of the content of `things`, which is the same in every process.

    All values, names and types of arrays, sparse matrices and tables count; their memory layout does not. The code,
    defaults, closure and used globals of functions count. Classes and functions of installed distributions are
    identified by name and version, those of the user by their code. Any other object is identified by its pickled
    form. The versions of the numerical libraries are part of every fingerprint.

    Raises
    ------
    FingerprintError
        If objects of a type cannot be told apart by content, such as open files, generators and bare ``object()``.

    Examples
    --------
    >>> from vitalfew.support.fingerprint import fingerprint
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    True
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    return _Walk().digest((_versions(), things)).hex()


@functools.cache
def _versions() -> tuple:
    return (sys.implementation.cache_tag, *((name, metadata.version(name)) for name in LIBRARIES))


class _Walk:
    """Digests of objects, computed from those of their parts. No object is visited twice, so cycles end."""

    def __init__(self, trail: list[str] | None = None):
        self.known: dict[int, tuple[Any, bytes]] = {}  # holds the objects, so that no other object gets their id
        self.begun: list[int] = []
        self.trail = list(trail or [])

    def digest(self, value: Any) -> bytes:
        """Return the digest of the content of `value`."""
        if type(value) in PLAIN:
            return _hash(b"plain", _plain(value))
        at = id(value)
        if at in self.known:
            return self.known[at][1]
        if at in self.begun:
            return _hash(b"again", str(len(self.begun) - self.begun.index(at)).encode())
        self.begun.append(at)
        try:
            found = self._visit(value)
        except RecursionError:
            raise FingerprintError(f"{self._where()} is nested too deeply to be hashed by content.") from None
        self.begun.pop()
        self.known[at] = (value, found)
        return found

    @contextmanager
    def inside(self, part: str) -> Any:
        """Add the part being visited to the trail, for error messages."""
        self.trail.append(part)
        yield
        self.trail.pop()

    def _visit(self, value: Any) -> bytes:
        if isinstance(value, type):
            return self._class(value)
        for kinds, visit in _VISITS:
            if isinstance(value, kinds):
                return visit(self, value)
        if type(value) in _EXACT:
            return _EXACT[type(value)](self, value)
        if sparse.issparse(value):
            rows = value.tocsr()
            kind = isinstance(value, sparse.sparray)  # arrays and matrices differ in the meaning of *
            return self._parts(b"sparse", [kind, rows.shape, rows.data, rows.indices, rows.indptr])
        if nw.dependencies.is_pandas_dataframe(value) and not value.columns.is_unique:
            columns = [value.iloc[:, j] for j in range(value.shape[1])]
            return self._parts(b"frame", [type(value), value.shape, columns, *self._labels(value)])
        table = nw.from_native(value, allow_series=True, pass_through=True)
        if isinstance(table, nw.DataFrame):
            named = [(name, table[:, j]) for j, name in enumerate(table.columns)]
            native = nw.to_native(table)
            return self._parts(b"frame", [type(native), table.shape, *named, *self._labels(native)])
        if isinstance(table, nw.Series):
            native = nw.to_native(table)
            about = self._parts(b"about", [type(native), table.name, *self._labels(native)])
            return _hash(b"series", about, self._series(table))
        return self._object(value)

    @staticmethod
    def _labels(native: Any) -> list:
        """Return what a frame or series holds besides its values: indexes, names and metadata."""
        index: list[Any] = [getattr(native, name, None) for name in ("index", "columns")]
        # In other libraries these are methods, or lists of names that are hashed with the values.
        index = [(list(i.names), i) for i in index if hasattr(i, "names") and hasattr(i, "to_numpy")]
        metadata = getattr(getattr(native, "schema", None), "metadata", None)
        return [index, getattr(native, "attrs", None), metadata]

    def _parts(self, kind: bytes, parts: Any) -> bytes:
        return _hash(kind, *(self.digest(part) for part in parts))

    def _list(self, values: Any) -> bytes:
        kind = type(values).__name__.encode()
        if set(map(type, values)) <= PLAIN:
            with suppress(ValueError):  # integers with thousands of digits
                return _hash(kind, repr(values).encode("utf-8", "surrogatepass"))
        digests = []
        for i, value in enumerate(values):
            with self.inside(f"[{i}]"):
                digests.append(self.digest(value))
        return _hash(kind, b"items", *digests)

    def _dict(self, values: Any) -> bytes:
        digests = []
        for key, value in values.items():
            digests.append(self.digest(key))
            with self.inside(f"[{key!r}]" if type(key) in PLAIN else "[…]"):
                digests.append(self.digest(value))
        return _hash(b"dict", *digests)

    def _set(self, values: Any) -> bytes:
        # The order of a set differs between processes, so each element is visited on its own.
        return _hash(type(values).__name__.encode(), *sorted(_Walk(self.trail).digest(value) for value in values))

    def _array(self, values: Any) -> bytes:
        names = values.dtype.names
        kind = [values.dtype.str if names is None else [(n, values.dtype[n].str) for n in names], values.shape]
        if values.dtype.names is not None:  # bytes between fields are not content
            return self._parts(b"fields", [kind, *(values[name] for name in values.dtype.names)])
        if values.dtype.kind in "OT":
            return self._parts(b"objects", [kind, values.ravel().tolist()])
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8) if values.nbytes else b""
        return _hash(b"array", self.digest(kind), raw)

    def _series(self, column: nw.Series) -> bytes:
        with self.inside(f"column {column.name!r}"):
            dtype, native = column.dtype, nw.to_native(column)
            kind = [str(dtype), str(getattr(native, "dtype", getattr(native, "type", ""))), len(column)]
            if isinstance(dtype, nw.Categorical | nw.Enum):
                kind.append(column.cat.get_categories().to_list())
            if isinstance(dtype, nw.Object | nw.Unknown) or dtype.is_nested():
                return self._parts(b"column", [kind, column.to_list()])
            if getattr(native, "dtype", None) == np.dtype(object):  # None and NaN are not the same object
                return self._parts(b"column", [kind, native.to_numpy()])
            return self._parts(b"column", [kind, column.is_null().to_numpy(), column.drop_nulls().to_numpy()])

    def _function(self, function: FunctionType) -> bytes:
        if is_installed(function):
            return self._global(function, function.__qualname__)
        # The globals of a library function are identified by its version; those of a user's function are not.
        is_own = release_of(function.__globals__.get("__name__", "")) is None
        digests = [self.digest(function.__code__)]
        with self.inside(f"{function.__qualname__}()"):
            digests += [self.digest(part) for part in (function.__defaults__, function.__kwdefaults__)]
            digests.append(self.digest(function.__closure__))
            for name, value in (globals_of(function) if is_own else {}).items():
                with self.inside(f"global {name}"):
                    # A bare object is identified only by its name.
                    digests += [self.digest(name), b"" if type(value) is object else self.digest(value)]
            digests.append(self.digest(vars(function)))
        return _hash(b"function", *digests)

    def _code(self, code: CodeType) -> bytes:
        return self._parts(b"code", code_fields(code))

    def _cell(self, cell: CellType) -> bytes:
        try:
            content = cell.cell_contents
        except ValueError:
            return _hash(b"empty cell")
        return self._parts(b"cell", [content])

    def _class(self, cls: type) -> bytes:
        if is_installed(cls):
            return self._parts(b"name", [cls.__module__, cls.__qualname__, release_of(cls.__module__)])
        own = {name: part for name, part in sorted(vars(cls).items()) if name not in MADE_BY_PYTHON}
        with self.inside(cls.__qualname__):
            parts = [cls.__module__, cls.__qualname__, cls.__bases__, type(cls), extension_bytes(cls.__module__), own]
            return self._parts(b"class", parts)

    def _module(self, module: ModuleType) -> bytes:
        if not is_own_module(module):
            return self._parts(b"module", [module.__name__, release_of(module.__name__)])
        own = {name: part for name, part in sorted(vars(module).items()) if not name.startswith("__")}
        with self.inside(f"module {module.__name__}"):
            return self._parts(b"module", [module.__name__, extension_bytes(module.__name__), own])

    def _builtin(self, function: BuiltinFunctionType) -> bytes:
        if isinstance(function.__self__, ModuleType | NoneType):
            return self._global(function, function.__qualname__)
        return self._parts(b"method", [function.__qualname__, function.__self__])

    def _global(self, value: Any, name: str) -> bytes:
        """Return the digest of a module attribute; not all functions of NumPy and SciPy know their module."""
        modules = [getattr(value, "__module__", None), "numpy", "scipy.special"]
        module = next((m for m in modules if m and find_by_name(m, name) is value), None)
        if module is None:
            raise self._unknown(value)
        release = release_of(module)
        return self._parts(b"name", [module, name, release, extension_bytes(module) if release is None else b""])

    def _object(self, value: Any) -> bytes:
        """Return the digest of any other object, based on its pickled form."""
        if callable(value) and is_installed(value):
            return self._global(value, value.__qualname__)
        if type(value) is object:
            raise self._unknown(value)
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            found = value.__reduce_ex__(4) if reduce is None else reduce(value)  # type: ignore[call-arg]
        except FingerprintError:
            raise
        except Exception:
            raise self._unknown(value) from None
        if isinstance(found, str):
            return self._global(value, found)
        make, arguments, state, items, pairs, setter = (*found, None, None, None, None)[:6]
        items = None if items is None else list(items)
        pairs = None if pairs is None else list(pairs)
        # A user's class may exclude from its pickles attributes that it computes with.
        own = None if is_installed(type(value)) else object.__getstate__(value)  # type: ignore[attr-defined]
        digests = [self.digest(type(value)), self.digest(make), self.digest(arguments)]
        digests += [self._state(state), self._state(own), *(self.digest(part) for part in (items, pairs, setter))]
        return _hash(b"object", *digests)

    def _state(self, state: Any) -> bytes:
        """Return the digest of attributes by name, regardless of the order in which they were set."""
        if type(state) is tuple and len(state) == 2 and {type(part) for part in state} <= {dict, NoneType}:
            return _hash(b"slots", *map(self._state, state))
        if type(state) is not dict or not all(type(name) is str for name in state):
            return self.digest(state)
        digests = []
        for name in sorted(state):
            with self.inside(f".{name}"):
                digests += [self.digest(name), self.digest(state[name])]
        return _hash(b"state", *digests)

    def _unknown(self, value: Any) -> FingerprintError:
        return FingerprintError(
            f"{self._where()} is of type {type(value).__name__!r}, which cannot be hashed by content."
        )

    def _where(self) -> str:
        named = [part for part in self.trail if not part.startswith("[")] or self.trail
        return " → ".join(named[-4:]).replace(" → .", ".") or "it"


def _plain(value: Any) -> bytes:
    text = f"int {value:x}" if type(value) is int else repr(value)
    return text.encode("utf-8", "surrogatepass")


def _hash(*parts: Any) -> bytes:
    """Return the digest of parts, each prefixed by its length so that their boundaries count."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        state.update(memoryview(part).nbytes.to_bytes(8, "little"))
        state.update(part)
    return state.digest()


_VISITS: list[tuple[Any, Any]] = [
    (FunctionType, _Walk._function),
    (CodeType, _Walk._code),
    (CellType, _Walk._cell),
    (ModuleType, _Walk._module),
    (BuiltinFunctionType, _Walk._builtin),
    (MethodType, lambda walk, m: walk._parts(b"method", [m.__func__, m.__self__])),
    (classmethod | staticmethod, lambda walk, m: walk._parts(type(m).__name__.encode(), [m.__func__])),
    (property, lambda walk, p: walk._parts(b"property", [p.fget, p.fset, p.fdel])),
    (functools.cached_property, lambda walk, p: walk._parts(b"cached property", [p.func, p.attrname])),
    (functools._lru_cache_wrapper, lambda walk, f: walk._parts(b"cached", [f.__wrapped__])),
]
_EXACT: dict[type, Any] = {
    list: _Walk._list,
    tuple: _Walk._list,
    dict: _Walk._dict,
    MappingProxyType: _Walk._dict,
    set: _Walk._set,
    frozenset: _Walk._set,
    np.ndarray: _Walk._array,
    np.memmap: _Walk._array,
}
