"""Lock on a file that others may replace while a process waits for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: str | os.PathLike) -> Iterator[None]:
    """Hold an exclusive lock on a file, among all threads and processes that call this function; wait until it is free.

    The system releases the lock when the process ends. No lock file is left next to the file. Raises FileNotFoundError
    if the file does not exist.
    """
    if fcntl is None:
        with _locked_on_windows(path):
            yield
        return
    while True:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # The previous holder may have replaced the file, and a lock on the old file excludes no other process.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield
                return


@contextmanager
def _locked_on_windows(path: str | os.PathLike) -> Iterator[None]:
    """Lock a file in the temporary folder instead, because an open file cannot be replaced on Windows."""
    import msvcrt

    os.stat(path)
    name = sha256(os.path.normcase(os.path.realpath(path)).encode("utf-8", "surrogatepass")).hexdigest()
    with open(Path(tempfile.gettempdir()) / f"vitalfew-{name[:32]}.lock", "ab") as file:
        while True:
            file.seek(0)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
                break
            except OSError:  # LK_LOCK gives up after ten seconds
                continue
        try:
            yield
        finally:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
