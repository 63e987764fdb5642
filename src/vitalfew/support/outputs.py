"""Checks of output files against the inputs of a command, and a record of the outputs written."""

from __future__ import annotations

import glob
import os
import stat
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vitalfew.exceptions import DataFileError

Identity = tuple[int, int]  # device and inode: equal for every name of a file

STANDARD, STDOUT = "-", "standard output"
# Suffixes of the files that DuckDB and SQLite keep next to an open database.
COMPANIONS = (".wal", "-wal", "-shm", "-journal")
WHERE_ELSE = "choose another output path."


def check_outputs(outputs: Mapping[str, Any], inputs: Sequence[Any]) -> None:
    """Reject an output that is also an input, another output of the same call, or an existing database.

    Call this before any work is done. Inside `recording`, the inputs stay protected until the end: `written_aside`
    refuses to replace them.

    Parameters
    ----------
    outputs : dict
        Files to write, by the name of the option or parameter. None is skipped. ``"-"`` is standard output, which
        may be redirected to a file: a command that prints its results names it, too.
    inputs : list
        Inputs to read: file names, patterns, folders, ``"-"`` (standard input), or lists of them. Server addresses,
        connections and data frames are skipped, since no output file can replace them.

    Raises
    ------
    ValueError
        The message names the output, the input and the remedy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from vitalfew.support.outputs import check_outputs
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("age\\n31\\n")
    >>> check_outputs({"--output": folder / "model.json"}, [folder / "people.csv"])
    >>> check_outputs({"--output": folder / "people.csv"}, [str(folder / "*.csv")])
    Traceback (most recent call last):
    ...
    ValueError: --output '...people.csv' is also an input ...; choose another output path.
    """
    read = {identity: name for given in inputs for identity, name in _files_read(given)}
    files = {option: os.fspath(path) for option, path in outputs.items() if path not in (None, STANDARD)}
    streams = [option for option, path in outputs.items() if isinstance(path, str) and path == STANDARD]
    stdout = _stream_identity(sys.stdout) if streams else None
    if stdout is not None and stdout in read:
        raise ValueError(
            f"standard output is also an input ({read[stdout]!r}), which would be overwritten; {WHERE_ELSE}"
        )
    places: dict[tuple, str] = {}
    for option, path in files.items():
        _refuse_input(f"{option} {path!r}", path, read)
        refuse_database(path, f"{option} {path!r}")
        other = places.setdefault(_place(path), option)
        if stdout is not None and file_identity(path) == stdout:
            other = f"{streams[0]} (standard output)"
        if other != option:
            raise ValueError(f"{other} and {option} are the same file, {path!r}; {WHERE_ELSE}")
    if (record := _record.get()) is not None:
        record.promised |= files
        record.read |= read


def check_suffix(option: str, path: str | None, suffixes: Sequence[str]) -> None:
    """Check that the name of an output file, if it has a suffix, ends with one that fits its contents.

    Examples
    --------
    >>> from vitalfew.support.outputs import check_suffix
    >>> check_suffix("--output", "model.json", [".json"])
    >>> check_suffix("--output", "model.pdf", [".json"])
    Traceback (most recent call last):
    ValueError: --output 'model.pdf' must end with .json; other formats are not written.
    """
    end = "" if path in (None, STANDARD) else os.path.splitext(str(path))[1].lower()
    if end and end not in suffixes:
        raise ValueError(f"{option} {path!r} must end with {' or '.join(suffixes)}; other formats are not written.")


def refuse_database(path: Any, name: str | None = None) -> None:
    """Refuse to replace an existing DuckDB or SQLite database, or one of its logs, with another kind of file."""
    real = os.path.realpath(path)
    for end in COMPANIONS:
        if real.endswith(end) and database_format(real[: -len(end)]):
            raise DataFileError(
                f"{name or repr(os.fspath(path))} belongs to the database {real[: -len(end)]!r} and may contain its "
                f"latest rows; {WHERE_ELSE}"
            )
    kind = database_format(path)
    if kind is not None:
        raise DataFileError(
            f"{name or repr(os.fspath(path))} is a {kind} database, whose tables would be lost; {WHERE_ELSE[:-1]}, "
            "or delete the database first."
        )


def database_format(path: Any) -> str | None:
    """Return ``"DuckDB"`` or ``"SQLite"`` if a file starts like one of their databases, otherwise None."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            start = file.read(16)
    except OSError:  # an unreadable file cannot be recognized
        return None
    return "SQLite" if start == b"SQLite format 3\0" else "DuckDB" if start[8:12] == b"DUCK" else None


def matching_files(path: Path) -> list[str]:
    """List the files that a path refers to: Parquet files of a folder, matches of a pattern, or the path itself."""
    if path.is_dir():
        inside = [p for p in sorted(path.rglob("*")) if p.suffix.lower() in (".parquet", ".pq") and p.is_file()]
        return [str(p) for p in inside if not any(part[0] in "_." for part in p.relative_to(path).parts)]
    if not path.exists() and glob.has_magic(str(path)):
        return sorted(p for p in glob.glob(str(path), recursive=True) if os.path.isfile(p))
    return [str(path)]


def file_identity(path: Any) -> Identity | None:
    """Return device and inode of a regular file, following links, or None if there is no such file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _stream_identity(stream: Any) -> Identity | None:
    """Return the identity of the file behind a standard stream, or None if it is a terminal, a pipe or closed."""
    try:
        return file_identity(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def _files_read(given: Any) -> Iterator[tuple[Identity, str]]:
    if isinstance(given, list | tuple):
        for one in given:
            yield from _files_read(one)
    elif isinstance(given, str) and given == STANDARD:
        if (identity := _stream_identity(sys.stdin)) is not None:
            yield identity, "standard input"
    elif isinstance(given, str | os.PathLike):
        for name in matching_files(Path(given)):
            logs = [f"{os.path.realpath(name)}{end}" for end in COMPANIONS] if database_format(name) else []
            for part in (name, *logs):
                if (identity := file_identity(part)) is not None:
                    yield identity, part


def _refuse_input(output: str, path: str, read: Mapping[Identity, str]) -> None:
    identity = file_identity(path)
    if identity is not None and identity in read:
        raise ValueError(f"{output} is also an input ({read[identity]!r}), which would be overwritten; {WHERE_ELSE}")
    place = _place(path)
    for name in read.values():
        if database_format(name) and place in {_place(f"{os.path.realpath(name)}{end}") for end in COMPANIONS}:
            raise ValueError(f"{output} belongs to the database {name!r}; {WHERE_ELSE}")


def _place(path: str) -> tuple:
    """Return a key that is equal for all names of a file, existing or not, on any file system.

    Names that differ only in case or Unicode normalization count as equal, because some file systems do not
    distinguish them.
    """
    folder, name = os.path.split(os.path.realpath(path))
    try:
        found = os.stat(folder)
        parent: Any = (found.st_dev, found.st_ino)
    except OSError:
        parent = folder
    return parent, unicodedata.normalize("NFC", name).casefold()


@dataclass
class OutputRecord:
    """Outputs that a command has announced, and which of them were written."""

    promised: dict[str, str] = field(default_factory=dict)
    read: dict[Identity, str] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)  # tables, and standard output
    in_doubt: str | None = None  # table whose transaction is being committed
    _made: set[Identity] = field(default_factory=set)

    def replacing(self, path: str, identity: Identity) -> None:
        """Note that the file `identity` is about to replace `path`; raise if `path` is an input."""
        _refuse_input(f"output {path!r}", path, self.read)
        self._made.add(identity)

    def done(self) -> list[str]:
        """Return the names of written outputs, in order; files are looked up on disk, so the list is always current."""
        files = [path for path in self.promised.values() if file_identity(path) in self._made]
        return [*map(repr, dict.fromkeys(files)), *self.written]

    def missing(self) -> list[str]:
        """Return the names of announced files that were not written."""
        return [repr(path) for path in self.promised.values() if file_identity(path) not in self._made]


_record: ContextVar[OutputRecord | None] = ContextVar("record", default=None)


@contextmanager
def recording() -> Iterator[OutputRecord]:
    """Record the outputs that are checked and written in the context; an outer record is continued."""
    if (record := _record.get()) is not None:
        yield record
        return
    record = OutputRecord()
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)


def current_record() -> OutputRecord | None:
    """Return the active record, if any."""
    return _record.get()


@contextmanager
def committing(table: str) -> Iterator[None]:
    """Record a table as written after the context; an interrupt inside leaves its state in doubt."""
    record = _record.get()
    if record is None:
        yield
        return
    record.in_doubt = f"table {table!r}"
    try:
        yield
        record.written[f"table {table!r}"] = None
    except Exception:  # the transaction was rolled back
        record.in_doubt = None
        raise
    record.in_doubt = None
