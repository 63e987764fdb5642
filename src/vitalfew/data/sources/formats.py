"""File formats: names, detection, and errors for damaged files."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitalfew.exceptions import DataFileError
from vitalfew.support.optional import import_arrow
from vitalfew.support.outputs import database_format

FORMATS = ("csv", "tsv", "parquet", "arrow", "duckdb", "sqlite")


WRITTEN = ("csv", "tsv", "parquet", "arrow", "json")


SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".json": "json",
}


PACKED = (".gz", ".bz2", ".zst")


NAMES = {"parquet": "Parquet", "arrow": "Arrow", "duckdb": "DuckDB", "sqlite": "SQLite"}


def recognize_format(path: Path) -> str:
    """Detect the format by a known suffix, otherwise by the first bytes; CSV is the default."""
    suffixes = [s.lower() for s in path.suffixes]
    is_packed = bool(suffixes) and suffixes[-1] in PACKED
    if is_packed:
        suffixes.pop()
    found = SUFFIXES.get(suffixes[-1] if suffixes else "", "csv" if is_packed else None)
    if found == "json":
        raise DataFileError(
            f"{str(path)!r} is a JSON file, which is not supported; convert it to CSV or Parquet first."
        )
    if found is not None:
        return found
    with open(path, "rb") as file:
        start = file.read(16)
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:6] == b"ARROW1":
        return "arrow"
    if (database := database_format(path)) is not None:
        return database.lower()
    if suffixes and suffixes[-1] == ".db":
        raise DataFileError(f"{str(path)!r} is neither a DuckDB nor a SQLite database.")
    return "csv"


# Largest folder in which similar file names are searched for.
MOST_NAMES = 2000


def no_file(path: Path) -> str:
    """Return the message for a missing file, with a similar name if there is one."""
    if not path.parent.is_dir():
        return f"the file {str(path)!r} does not exist, and neither does its directory."
    try:
        names = os.listdir(path.parent)
    except OSError:
        names = []
    close = difflib.get_close_matches(path.name, names, n=1) if len(names) <= MOST_NAMES else []
    return f"the file {str(path)!r} does not exist" + (
        f"; did you mean {str(path.with_name(close[0]))!r}?" if close else "."
    )


def check_file(path: Path) -> bool:
    """Check that a file can be read; return True if it is a pipe, which can be read only once."""
    if path.is_dir():
        raise DataFileError(f"{str(path)!r} is a directory; pass the path of a file in it.")
    if not path.exists():
        raise FileNotFoundError(no_file(path))
    if not path.is_file():
        return True
    try:
        with open(path, "rb") as file:
            is_empty = not file.read(1)
    except OSError as error:
        raise DataFileError(f"{str(path)!r} cannot be read ({error.strerror}).") from error
    if is_empty:
        raise DataFileError(f"{str(path)!r} is empty.")
    return False


@contextmanager
def arrow_errors(name: str, kind: str) -> Iterator[None]:
    """Convert the errors of a Parquet or Arrow file to one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (import_arrow().ArrowException, OSError, UnicodeDecodeError) as error:
        what = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataFileError(
            f"{name!r} is not a valid {NAMES[kind]} file ({what}); write or copy it again, or specify its format."
        ) from error
