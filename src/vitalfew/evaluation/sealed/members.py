"""Members of the archive of a sealed test set as arrays and lists, each read once and validated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.support.limits import check_shape, plain_dtype, read_json

PLAIN = "biufMmUS"  # kinds of arrays that NumPy saves without pickle
SCALARS = str | bool | int | float | None
# Header that `numpy.save` writes before the data of an array without fields.
_HEADER = re.compile(
    rb"\{'descr': '([^']{1,20})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,19}, ?)*\d{0,19})\), \} *\n"
)


class Members:
    """Members of an archive. Each is read once, so that no file can expand by naming a member many times."""

    def __init__(self, members: Mapping[str, bytes]):
        self._left = dict(members)

    def array(self, name: Any) -> NDArray:
        return _npy(self._take(name, "npy"))

    def items(self, name: Any) -> list[Any]:
        """Return a flat list of strings, numbers, booleans and None."""
        items = read_json(self._take(name, "json"), deepest=1, is_finite=False)
        if not isinstance(items, list) or not all(isinstance(v, SCALARS) for v in items):
            raise ValueError(f"{name} is not a list of plain values")
        return items

    def check_all_read(self) -> None:
        if self._left:
            raise ValueError(f"{min(self._left)} is not part of the test set")

    def _take(self, name: Any, suffix: str) -> bytes:
        if not isinstance(name, str) or not name.endswith(suffix) or name not in self._left:
            raise ValueError(f"it refers to a member {str(name)[:40]!r} that is missing or already used")
        return self._left.pop(name)


def _npy(data: bytes) -> NDArray:
    """Parse an array in NumPy's format 1.0 or 2.0, exactly as long as its header says."""
    if data[:6] != b"\x93NUMPY" or data[6:8] not in (b"\x01\x00", b"\x02\x00"):
        raise ValueError("an array is not in NumPy's format 1.0 or 2.0")
    start = 10 if data[6] == 1 else 12
    end = start + int.from_bytes(data[8:start], "little")
    header = _HEADER.fullmatch(data[start : min(end, start + 1000)])
    if header is None:
        raise ValueError("an array has a header that NumPy does not write")
    dtype = plain_dtype(header[1].decode("latin-1"), PLAIN)
    shape = [int(n) for n in header[3].split(b",") if n.strip()]
    n_elements, rest = divmod(len(data) - end, dtype.itemsize)
    if rest:
        raise ValueError("an array is truncated")
    check_shape(shape, n_elements, len(data))
    flat = np.frombuffer(data, dtype, offset=end)
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C").copy(order="K")
