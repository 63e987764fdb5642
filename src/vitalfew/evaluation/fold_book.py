"""Results by model and fold, kept in a file as they come: work that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
from sklearn.base import clone

from vitalfew.exceptions import CheckpointWarning

FORMAT = "vitalfew.comparison/1"


def model_fingerprint(model) -> str:
    """What a model is before it is fitted, as a short text."""
    try:
        return joblib.hash(clone(model))
    except Exception:  # parameters that cannot be pickled, such as functions without a name
        return joblib.hash((type(model).__qualname__, repr(model.get_params())))


class FoldBook:
    """A JSON file with the results so far. It is written aside and moved, so that it is whole at any time.

    It belongs to data and a metric; models and folds may be added, each of which is known by what it is.
    """

    def __init__(self, path, data: str):
        self.path = Path(path)
        self.data = data
        self.results: dict[str, dict[str, Any]] = {}
        self.seed: int | None = None
        self.is_writable = True
        if self.path.exists() and self.path.stat().st_size:
            self._read()

    def _read(self) -> None:
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            is_ours = found["vitalfew"] == FORMAT
            data, self.seed, self.results = found["data"], found["seed"], dict(found["results"])
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            is_ours = False
        if not is_ours:
            raise ValueError(f"checkpoint {str(self.path)!r} is not the file of a comparison; give another path.")
        if data != self.data:
            raise ValueError(
                f"checkpoint {str(self.path)!r} belongs to another comparison: its data or scoring differ. Delete it, "
                "or give another path."
            )

    def add(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result."""
        self.results[key] = result
        self.write()

    def write(self) -> None:
        """All results so far."""
        if not self.is_writable:
            return
        content = {"vitalfew": FORMAT, "data": self.data, "seed": self.seed, "results": self.results}
        try:
            write_aside(self.path, json.dumps(content, indent=1).encode("utf-8"))
        except OSError as problem:
            self.is_writable = False
            warnings.warn(
                f"checkpoint {str(self.path)!r} cannot be written ({problem}); the comparison goes on without it.",
                CheckpointWarning,
                stacklevel=2,
            )


def write_aside(path: Path, content: bytes) -> None:
    """A file beside the place, moved there once it is whole."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode_of(path))
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _mode_of(path: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file: temporary ones are for the owner alone."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
