"""Files that are there whole or not at all: written aside and moved."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def written_aside(path: str | os.PathLike, mode: str = "wb") -> Iterator[IO]:
    """A file to write, that takes the place of `path` once all of it is written.

    If anything goes wrong, Ctrl-C and a full disk included, what was at `path` before is still there and nothing else
    is left. Devices and pipes are written as they are. Text is UTF-8 with ``\\n`` at the ends of lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from vitalfew.data.aside import written_aside
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with written_aside(path, "w") as file:
    ...     _ = file.write("42")
    >>> path.read_text()
    '42'
    """
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    goal = Path(os.path.realpath(path))
    if goal.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; give the name of a file in it.")
    if goal.exists() and not goal.is_file():
        with open(goal, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        return
    if not goal.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(goal.parent)!r} for {goal.name!r}; make it first.")
    try:
        descriptor, aside = tempfile.mkstemp(prefix=".", suffix=".part", dir=goal.parent)
    except OSError as error:
        raise type(error)(f"cannot write to the folder {str(goal.parent)!r} ({error.strerror}).") from error
    try:
        with open(descriptor, mode, **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(aside, _permissions(goal))
        os.replace(aside, goal)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise


def _permissions(goal: Path) -> int:
    """Those that the file has, or that a new one would get."""
    if goal.exists():
        return stat.S_IMODE(goal.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
