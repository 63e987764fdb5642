"""Log of the openings of a sealed test set: in memory, and in its file once it has one."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from vitalfew.evaluation.sealed.sealed_file import read_log, write_log
from vitalfew.exceptions import CheckpointWarning, SealedFileError
from vitalfew.support.file_lock import locked


class SealedLog:
    """Log of openings, written to the file of the set, if it has one, before :meth:`open` returns.

    `sums` are the checksums of the members of the file, which identify the test set.
    """

    def __init__(self, entries: list[dict[str, Any]] | None = None, path=None, sums: Mapping[str, str] | None = None):
        self.entries: list[dict[str, Any]] = list(entries or [])
        self._path = None if path is None else os.path.abspath(path)
        self._sums = sums

    def open(self, entry: dict[str, Any]) -> int:
        """Record an opening and return its number. Raises if it cannot be recorded."""
        if self._path is None:
            return self._add(entry)
        with self._held():
            opening = self._add(entry)
            try:
                write_log(self._path, self.entries)
            except BaseException:
                del self.entries[-1]
                raise
        return opening

    def settle(self, opening: int, result: Mapping[str, Any]) -> None:
        """Add the result to a recorded opening; warn if it cannot be written, since the opening itself is recorded."""
        self.entries[opening - 1].update(result)
        if self._path is None:
            return
        try:
            with self._held():
                self.entries[opening - 1].update(result)
                write_log(self._path, self.entries)
        except (OSError, SealedFileError) as problem:
            warnings.warn(
                f"the result of opening {opening} could not be written to {self._path!r} ({problem}). The opening "
                "itself is recorded there.",
                CheckpointWarning,
                stacklevel=3,
            )

    def save(self, path, write: Callable[[list[dict[str, Any]]], Mapping[str, str]]) -> None:
        """Write the set to a file, which becomes its file; openings that other processes recorded in it are kept."""
        is_same = self._path is not None and os.path.exists(path) and os.path.realpath(path) == self._real()
        if not is_same:
            self._sums = write(self.entries)
        else:
            with self._held():
                self._sums = write(self.entries)
        self._path = os.path.abspath(path)

    def _real(self) -> str:
        return os.path.realpath(str(self._path))

    def _add(self, entry: dict[str, Any]) -> int:
        self.entries.append({"opening": len(self.entries) + 1, **entry})
        return len(self.entries)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Lock the file for this thread, and read its log."""
        path = self._real()
        reason = "so the opening cannot be recorded and nothing was scored"
        try:
            if not stat.S_IMODE(os.stat(path).st_mode) & 0o222:  # a read-only file could still be replaced
                raise PermissionError("it is read-only")
            with locked(path):
                self.entries = read_log(path, self._sums or {})
                yield
        except FileNotFoundError as problem:
            raise FileNotFoundError(
                f"{path!r} does not exist anymore, {reason}; load it from its new path, or save the set again."
            ) from problem
        except PermissionError as problem:
            raise PermissionError(
                f"{path!r} cannot be written ({problem}), {reason}; make the file and its directory writable."
            ) from problem
