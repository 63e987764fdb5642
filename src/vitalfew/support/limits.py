"""Limits on what a file can make its reader do: JSON nesting, array types and shapes, and hashed values.

Every check raises a ValueError; the readers of model files and sealed tests convert it to their own error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

_NOT_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))
_DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f(2|4|8|12|16)|[US][1-9]\d{0,9}|[mM]8(\[\d{0,6}[a-zA-Z]{1,2}\])?|O8?)")
# 64-bit integers cannot be chosen so that many have the same hash; longer ones can.
_MOST_LONG = 1000


def read_json(raw: bytes, *, deepest: int, is_finite: bool) -> Any:
    """Parse a UTF-8 JSON document without duplicate keys, nested at most `deepest` levels.

    With `is_finite`, NaN, infinities and numbers beyond the range of a float64 are rejected. The Python objects take
    at most about 30 times the memory of the document, for lists of empty lists, and about 12 times for lists of short
    texts.
    """
    if (depth := _depth(raw)) > deepest:
        raise ValueError(f"it is nested {depth} levels deep, but at most {deepest} levels are supported")
    hooks: dict[str, Any] = {"parse_constant": _refuse_constant, "parse_float": _finite} if is_finite else {}
    return json.loads(raw.decode("utf-8"), object_pairs_hook=_without_duplicates, **hooks)


def _depth(raw: bytes) -> int:
    """Return the nesting depth of brackets outside strings, before json recurses on the C stack."""
    plain = raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_STRUCTURE)
    brackets = np.frombuffer(b"".join(plain.split(b'"')[::2]), dtype=np.uint8)
    step = np.where((brackets == ord("[")) | (brackets == ord("{")), np.int8(1), np.int8(-1))
    return int(np.cumsum(step, dtype=np.int64).max(initial=0))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not valid JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits[:40]} is out of range for float64")
    return value


def plain_dtype(name: Any, kinds: str) -> np.dtype:
    """Return the dtype for a name such as ``<f8`` if its kind is one of `kinds`.

    Only sizes and units are parsed: no fields, no subarrays, no expressions that NumPy would evaluate.
    """
    if not isinstance(name, str) or not _DTYPE.fullmatch(name):
        raise ValueError(f"{str(name)[:40]!r} is not a supported array type")
    try:
        dtype = np.dtype(name)
    except TypeError as error:
        raise ValueError(f"NumPy has no type {name!r} on this machine ({error})") from None
    if dtype.kind not in kinds:
        raise ValueError(f"it contains an array of type {name!r}, but only kinds {kinds!r} are expected")
    return dtype


def check_shape(shape: Any, n_elements: int, most: int) -> tuple[int, ...]:
    """Return the shape of an array of `n_elements` elements; if empty, no axis may be longer than `most`."""
    if not isinstance(shape, list | tuple) or len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"an array has the invalid shape {str(shape)[:80]}")
    if math.prod(shape) != n_elements:
        raise ValueError(f"an array of shape {str(tuple(shape))[:80]} has {n_elements} elements")
    if max(shape, default=0) > max(most, n_elements):
        raise ValueError(f"an array without elements has the shape {str(tuple(shape))[:80]}")
    return tuple(shape)


def check_hashed(values: Iterable[Any], what: str) -> None:
    """Reject values that are slow to hash or compare: containers, and many integers of more than 64 bits."""
    n_long = 0
    for value in values:
        if value is not None and not isinstance(value, str | bytes | bool | int | float | np.generic):
            raise ValueError(f"{what} is a {type(value).__name__}, but only plain values are supported")
        n_long += isinstance(value, int) and value.bit_length() > 64
    if n_long > _MOST_LONG:
        raise ValueError(f"there are {n_long} integers of more than 64 bits, but at most {_MOST_LONG} are supported")
