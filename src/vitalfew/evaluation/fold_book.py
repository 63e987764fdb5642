"""Results by model and fold, kept in a file as they come: work that was stopped goes on where it was."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import joblib
from sklearn.base import clone

from vitalfew.data.aside import written_aside
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
            with written_aside(self.path, "w") as file:
                json.dump(content, file, indent=1)
        except OSError as problem:
            self.is_writable = False
            warnings.warn(
                f"checkpoint {str(self.path)!r} cannot be written ({problem}); the comparison goes on without it.",
                CheckpointWarning,
                stacklevel=2,
            )
