"""The openings of a sealed test set: in memory, and in its file once it has one."""

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
    """Counts openings. With a file, an opening is on the disk before :meth:`open` returns.

    `sums` are the checksums of the members of the file, by which it is known to hold the same rows.
    """

    def __init__(self, entries: list[dict[str, Any]] | None = None, path=None, sums: Mapping[str, str] | None = None):
        self.entries: list[dict[str, Any]] = list(entries or [])
        self._path = None if path is None else os.path.abspath(path)
        self._sums = sums

    def open(self, entry: dict[str, Any]) -> int:
        """Record an opening, and say the how manieth it is. Raises if that is not possible."""
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
        """Add to an opening what came of it. Warn if that cannot be written: the opening itself has been."""
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
        """Write the set to a file, which is its file from now on; what others have recorded in it is kept."""
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
        """The file is held for this thread, and its log is here."""
        path = self._real()
        reason = "so that the opening cannot be recorded and nothing was scored"
        try:
            if not stat.S_IMODE(os.stat(path).st_mode) & 0o222:  # which would not keep it from being replaced
                raise PermissionError("it is read-only")
            with locked(path):
                self.entries = read_log(path, self._sums or {})
                yield
        except FileNotFoundError as problem:
            raise FileNotFoundError(
                f"{path!r} is gone, {reason}; load it from where it is now, or save the set again."
            ) from problem
        except PermissionError as problem:
            raise PermissionError(
                f"{path!r} cannot be written ({problem}), {reason}; make the file and its folder writable."
            ) from problem
