"""A lock on a file that is replaced by others while one waits for it."""

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
    """Hold a file for one thread of one process among all that call this function; wait until it is free.

    The system drops the lock when the process ends. Nothing is left beside the file. Raises FileNotFoundError if there
    is no such file.
    """
    if fcntl is None:
        with _locked_on_windows(path):
            yield
        return
    while True:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # Whoever held the lock may have replaced the file: the lock of the old one holds nobody off.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                yield
                return


@contextmanager
def _locked_on_windows(path: str | os.PathLike) -> Iterator[None]:
    """An open file cannot be replaced there: the lock is on a file of the same name in the folder for such."""
    import msvcrt

    os.stat(path)
    name = sha256(os.path.normcase(os.path.realpath(path)).encode("utf-8", "surrogatepass")).hexdigest()
    with open(Path(tempfile.gettempdir()) / f"vitalfew-{name[:32]}.lock", "ab") as file:
        while True:
            file.seek(0)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
                break
            except OSError:  # it gives up after ten seconds
                continue
        try:
            yield
        finally:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
