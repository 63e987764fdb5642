"""Cache of results by model and fold in a file, so that interrupted work can resume."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from vitalfew.exceptions import CheckpointWarning
from vitalfew.support.atomic_write import written_aside

FORMAT = "vitalfew.comparison/2"


class FoldBook:
    """JSON file with the results so far. It is written atomically, so that it is complete at any time.

    It belongs to a data set and a metric. Models and folds may be added; they are identified by fingerprints.
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
            kind = found["vitalfew"]
            if kind == FORMAT:
                data, self.seed, self.results = found["data"], found["seed"], dict(found["results"])
                is_ours = is_seed(self.seed) and all(map(is_result, self.results.values()))
            else:
                is_ours = kind == "vitalfew.comparison/1"
        except (ValueError, KeyError, TypeError):
            is_ours = False
        if not is_ours:
            raise ValueError(f"checkpoint {str(self.path)!r} is not a file written by a comparison; use another path.")
        if kind != FORMAT:
            raise ValueError(
                f"checkpoint {str(self.path)!r} was written by an earlier version of vitalfew, which could confuse "
                "functions, so its results are not used. Delete it or use another path."
            )
        if data != self.data:
            raise ValueError(
                f"checkpoint {str(self.path)!r} belongs to another comparison: the data, the scoring or the "
                "versions of vitalfew, NumPy, SciPy or scikit-learn differ. Delete it or use another path."
            )

    def add(self, key: str, result: dict[str, Any]) -> None:
        """Add a result and write the file."""
        self.results[key] = result
        self.write()

    def write(self) -> None:
        """Write all results so far."""
        if not self.is_writable:
            return
        content = {"vitalfew": FORMAT, "data": self.data, "seed": self.seed, "results": self.results}
        try:
            with written_aside(self.path, "w") as file:
                json.dump(content, file, indent=1)
        except OSError as problem:
            self.is_writable = False
            warnings.warn(
                f"checkpoint {str(self.path)!r} cannot be written ({problem}); the comparison continues without it.",
                CheckpointWarning,
                stacklevel=2,
            )


def is_seed(value) -> bool:
    """Return True if `value` is valid as the seed in a file."""
    return value is None or (type(value) is int and 0 <= value <= np.iinfo(np.int32).max)


def is_result(value) -> bool:
    """Return True if `value` is valid as the result of a model on a fold."""
    return all(type(value[name]) in (int, float) for name in ("error", "seconds")) and (
        type(value["n_features"]) in (int, float, type(None))
    )
