"""Reconstruction of a sealed test set from an untrusted archive, with checks that its parts are consistent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vitalfew.data.tables.sparse_checks import check_sparse
from vitalfew.evaluation.indexing import n_rows
from vitalfew.evaluation.sealed.columns import COLUMNS
from vitalfew.evaluation.sealed.members import Members
from vitalfew.support.checks import check_known
from vitalfew.support.limits import check_hashed, check_shape

PARTS = ("X", "y", "weight", "groups", "log", "train_rows", "train_groups", "train_time", "train_weight")
_SPARSE = {
    (form, is_array): getattr(sparse, f"{form}_{'array' if is_array else 'matrix'}")
    for form in ("csr", "csc")
    for is_array in (False, True)
}


def unpacked(content: Mapping[str, Any], members: Members) -> dict[str, Any]:
    """Return the parts of a sealed test set by name.

    Raises any exception that Python, NumPy or a data frame library may raise.
    """
    if not isinstance(content, dict) or sorted(content) != sorted(PARTS):
        raise ValueError(f"it does not have the parts {', '.join(PARTS)}")
    found = {key: _unpack(value, members) for key, value in content.items()}
    members.check_all_read()
    _check_test(found)
    _check_train(found)
    check_log(found["log"])
    return found


def _unpack(packed: Any, members: Members) -> Any:
    kind = packed["kind"]
    if kind == "value":
        return packed["value"]
    if kind == "array":
        return members.array(packed["npy"])
    if kind == "list":
        return members.items(packed["items"])
    if kind == "objects":
        return _objects(packed, members)
    if kind == "sparse":
        return _sparse(packed, members)
    if kind == "frame":
        return _frame(packed, members)
    raise ValueError(f"it contains a value of unknown kind {str(kind)[:40]!r}")


def _objects(packed: Mapping[str, Any], members: Members) -> NDArray:
    items = members.items(packed["items"])
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(check_shape(packed["shape"], len(items), len(items)))


def _sparse(packed: Mapping[str, Any], members: Members) -> Any:
    data, indices, indptr = (members.array(packed[key]) for key in ("data", "indices", "indptr"))
    shape = packed["shape"]
    if not isinstance(shape, list) or len(shape) != 2 or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
        raise ValueError(f"a sparse matrix has the invalid shape {str(shape)[:80]}")
    if {data.ndim, indices.ndim, indptr.ndim} != {1} or data.dtype.kind not in "biuf":
        raise ValueError("the parts of a sparse matrix are not lists of numbers")
    if not {indices.dtype, indptr.dtype} <= {np.dtype(np.int32), np.dtype(np.int64)}:
        raise ValueError("the indices of a sparse matrix are not integers")
    if packed["is_array"] not in (False, True) or (packed["format"], packed["is_array"]) not in _SPARSE:
        raise ValueError(f"it contains a sparse matrix of the unknown format {str(packed['format'])[:40]!r}")
    matrix = _SPARSE[packed["format"], packed["is_array"]]((data, indices, indptr), shape=tuple(shape))
    check_sparse(matrix)
    return matrix


def _frame(packed: Mapping[str, Any], members: Members) -> Any:
    library, listed = packed["library"], packed["columns"]
    if library not in COLUMNS or not isinstance(listed, list) or not listed:
        raise ValueError(f"it contains a data frame without columns, or of the unknown library {str(library)[:40]!r}")
    names = [column["name"] for column in listed]
    if not all(isinstance(name, str) or (library == "pandas" and type(name) is int) for name in names):
        raise ValueError("a column has a name that is not text")
    check_hashed(names, "a name of a column")
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    if not all(isinstance(column["dtype"], str) for column in listed):
        raise ValueError("a column has a type that is not text")
    columns = [COLUMNS[library](column, members) for column in listed]
    if len({len(values) for values in columns}) > 1:
        raise ValueError("columns have different lengths")
    if packed["is_column"]:
        return columns[0]
    if library == "pandas":
        import pandas as pd

        return pd.concat(columns, axis=1).set_axis(names, axis=1)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(dict(zip(names, columns)))
    import pyarrow as pa

    return pa.table(columns, names=names)


def _check_test(found: Mapping[str, Any]) -> None:
    X, y, groups = found["X"], found["y"], found["groups"]
    if not isinstance(y, np.ndarray) or y.ndim != 1 or len(y) == 0:
        raise ValueError("y is not an array of labels")
    if y.dtype.kind == "O":
        check_hashed(y, "a label")
        if any(v is None or v != v for v in y):
            raise ValueError("a row has no label")
    else:
        check_known(y)
    if X is None or isinstance(X, str | bool | int | float | dict) or n_rows(X) != len(y):
        raise ValueError(f"X must have {len(y)} rows, one per label")
    _check_weight(found["weight"], len(y), "weight")
    if groups is not None and not (_is_array(groups, "iu", len(y)) and (groups >= 0).all()):
        raise ValueError("groups must have one number per row")


def _check_train(found: Mapping[str, Any]) -> None:
    rows = found["train_rows"]
    if not (_is_array(rows, "iu", None) and (rows >= 0).all() and len(np.unique(rows)) == len(rows)):
        raise ValueError("train_rows must be the indices of the training rows")
    for key in ("train_groups", "train_time"):
        if found[key] is not None and not _is_array(found[key], "biufMmUSO", len(rows)):
            raise ValueError(f"{key} must have one entry per training row")
    _check_weight(found["train_weight"], len(rows), "train_weight")


def _check_weight(weight: Any, n: int, name: str) -> None:
    if weight is not None and not (_is_array(weight, "f", n) and np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError(f"{name} must have one finite number >= 0 per row")


def _is_array(value: Any, kinds: str, n: int | None) -> bool:
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in kinds and value.ndim == 1
    return is_array and (n is None or len(value) == n)


def check_log(log: Any) -> None:
    """Check that the entries of a log are numbered consecutively from 1 and have names."""
    entries = log["entries"] if isinstance(log, dict) and list(log) == ["entries"] else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("its log is not a list of openings")
    if [entry.get("opening") for entry in entries] != list(range(1, len(entries) + 1)):
        raise ValueError("its log does not number the openings from 1")
    if not all(isinstance(entry.get("name"), str) for entry in entries):
        raise ValueError("an opening in its log has no name")
