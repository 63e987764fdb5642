"""Atomic writes: a file is written under a temporary name and then moved into place."""

from __future__ import annotations

import errno
import os
import platform
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from vitalfew.support.outputs import STANDARD, STDOUT, current_record, refuse_database

try:
    import fcntl
except ImportError:  # Windows, where an open file can be neither removed nor renamed
    fcntl = None  # type: ignore[assignment]

# A temporary file is named .<goal>.vitalfew-<machine>-<random>.part. Machines that share a folder may not see each
# other's locks, so each machine removes only its own files.
_MARK = f".vitalfew-{zlib.crc32(platform.node().encode()):08x}-"
_STALE = re.compile(rf"\..*{re.escape(_MARK)}\w{{8}}\.part", re.DOTALL)
LONGEST_NAME = 255 - len(f".{_MARK}12345678.part")  # bytes of the goal's name that fit
# Errors that link() raises on file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV)
_swept: set[str] = set()


@contextmanager
def written_aside(path: str | os.PathLike, mode: str = "wb", *, replace: bool = True) -> Iterator[IO]:
    """Open a file for writing that atomically replaces `path` once it is complete.

    If anything fails, including Ctrl-C and a full disk, the previous content of `path` is kept and no temporary file
    remains. Files left behind by a killed process are removed by the next one that writes to the folder. With
    ``replace=False`` the file must be new: if several processes write it at the same time, one succeeds and the others
    raise FileExistsError. A DuckDB or SQLite database is never replaced. Devices and pipes are written directly. Text
    is UTF-8 with ``\\n`` line endings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from vitalfew.support.atomic_write import written_aside
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with written_aside(path, "w") as file:
    ...     _ = file.write("42")
    >>> path.read_text()
    '42'
    """
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    goal = Path(os.path.realpath(path))
    if os.path.isdir(path):
        raise IsADirectoryError(f"{str(path)!r} is a directory; pass the path of a file in it.")
    # /dev/stdout and the like refer to open files that may have no name, or another one: write to them directly.
    if os.path.exists(path) and not (os.path.isfile(path) and goal.exists()):
        with open(path, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        return
    if not goal.parent.is_dir():
        raise FileNotFoundError(
            f"the directory {str(goal.parent)!r} for {goal.name!r} does not exist; create it first."
        )
    refuse_database(path)
    descriptor, aside = _new_part(goal)
    lock = os.dup(descriptor) if fcntl else None  # keep the file locked until it has its final name
    try:
        with open(descriptor, mode, **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(aside, _permissions(goal))
        if (record := current_record()) is not None:
            found = os.stat(aside)
            record.replacing(os.fspath(path), (found.st_dev, found.st_ino))
        refuse_database(path)  # it may have been created in the meantime
        if replace:
            os.replace(aside, goal)
        else:
            _create(aside, goal, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
    finally:
        if lock is not None:
            os.close(lock)


@contextmanager
def written_output(path: str, mode: str = "wb") -> Iterator[IO]:
    """Open a file for writing as `written_aside` does, or standard output if `path` is ``"-"``."""
    if path != STANDARD:
        with written_aside(path, mode) as file:
            yield file
        return
    if (record := current_record()) is not None:
        record.written[STDOUT] = None
    file = sys.stdout.buffer if "b" in mode else sys.stdout
    yield file
    file.flush()


def _new_part(goal: Path) -> tuple[int, str]:
    """Create a temporary file next to `goal`; it stays locked until it is closed."""
    try:
        if os.fspath(goal.parent) not in _swept:
            _swept.add(os.fspath(goal.parent))
            _sweep(goal.parent)
        short = os.fsencode(goal.name)[:LONGEST_NAME].decode(sys.getfilesystemencoding(), "ignore")
        while True:
            descriptor, part = tempfile.mkstemp(prefix=f".{short}{_MARK}", suffix=".part", dir=goal.parent)
            if _lock(descriptor) is not False and os.path.exists(part):
                return descriptor, part
            os.close(descriptor)  # another process took it for a stale file before it was locked
    except OSError as error:
        raise type(error)(f"cannot write to the directory {str(goal.parent)!r} ({error.strerror}).") from error


def _sweep(folder: Path) -> None:
    """Remove temporary files that no process has locked, since their writers have ended."""
    with os.scandir(folder) as entries:
        stale = [e.path for e in entries if _STALE.fullmatch(e.name) and e.is_file(follow_symlinks=False)]
    for part in stale:
        with suppress(OSError):  # owned by another user, or already removed
            descriptor = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)) if fcntl else None
            try:
                if descriptor is None or _lock(descriptor):
                    os.unlink(part)
            finally:
                if descriptor is not None:
                    os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Lock an open file; return False if another process holds the lock, None if files cannot be locked."""
    if not fcntl:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _create(aside: str, goal: Path, path: str | os.PathLike) -> None:
    """Give a file its final name in one step, unless the name is already taken."""
    try:
        try:
            os.link(aside, goal)
        except OSError as error:
            if isinstance(error, FileExistsError) or error.errno not in _NO_LINKS:
                raise
            os.close(os.open(goal, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.replace(aside, goal)
            return
    except FileExistsError:
        raise FileExistsError(
            f"the file {os.fspath(path)!r} was created by another process in the meantime; choose another name, or "
            "allow replacing it (--replace)."
        ) from None
    os.unlink(aside)


def _permissions(goal: Path) -> int:
    """Return the permissions of the existing file, or those a new file would get."""
    if goal.exists():
        return stat.S_IMODE(goal.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
