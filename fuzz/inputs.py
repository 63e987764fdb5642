"""Conversion of bytes to inputs of a harness. The same bytes give the same input, with or without a fuzzer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Inputs:
    """Reader of numbers, choices and text from bytes; past the end, everything is 0."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def whole(self, n_bytes: int) -> int:
        return int.from_bytes(self.some(n_bytes), "little")

    def below(self, n: int) -> int:
        return self.whole(1 if n <= 256 else 3) % n

    def choice(self, values: Sequence[Any]) -> Any:
        return values[self.below(len(values))]

    def some(self, n: int) -> bytes:
        found = self.data[self.at : self.at + n]
        self.at += n
        return found

    def rest(self) -> bytes:
        return self.some(max(0, len(self.data) - self.at))

    def text(self, most: int = 40) -> str:
        """Return text of any code points, including lone surrogates."""
        width = 1 + self.below(3)
        return "".join(chr(self.whole(width) % 0x110000) for _ in range(self.below(most)))


Path = tuple[Any, ...]


def paths(node: Any, before: Path = ()) -> list[Path]:
    """Yield the path of every value of a document, parents before children."""
    found: list[Path] = []
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        found.append((*before, key))
        if isinstance(value, dict | list):
            found += paths(value, (*before, key))
    return found


def holder(node: Any, path: Path) -> Any:
    """Return the container of the value at a path, or None if a change has removed the path."""
    try:
        for key in path[:-1]:
            node = node[key]
        node[path[-1]]
    except (LookupError, TypeError):
        return None
    return node if isinstance(node, dict | list) else None
