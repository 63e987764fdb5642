"""Allocation of the memory budget."""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Integral

LEAST_MEMORY = 10**9
# Memory of Python, its packages and the caches of a database.
TAKEN = 3 * 2**28
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True)
class Budget:
    """Bytes for each stage; stages run in sequence, but words and documents of one are kept in the next."""

    room: int

    @classmethod
    def of(cls, memory: int | str) -> Budget:
        return cls(parse_memory(memory) - TAKEN)

    @property
    def survey(self) -> int:
        return self.room // 2

    @property
    def rows(self) -> int:
        """Bytes for the words of documents that EM iterates over."""
        return self.room // 4

    def most_words(self, n_classes: int) -> int:
        """Return the number of words for which a model, its sums, and those of the threads fit."""
        return max(self.room // 3 // (8 * 8 * n_classes + 64), 1000)


def parse_memory(memory: int | str) -> int:
    """Return the number of bytes, given as a number or as text such as "2GB"."""
    if isinstance(memory, Integral) and not isinstance(memory, bool):
        n_bytes = int(memory)
    else:
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(memory))
        if parts is None or parts[2].lower() not in _UNITS:
            raise ValueError(f"memory must be a number of bytes or a string such as '2GB', got {memory!r}.")
        n_bytes = int(float(parts[1]) * _UNITS[parts[2].lower()])
    if n_bytes < LEAST_MEMORY:
        raise ValueError(f"memory must be at least 1GB, got {memory!r}.")
    return n_bytes
