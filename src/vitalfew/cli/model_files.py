"""Reading and writing of model files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from vitalfew.support.atomic_write import written_output


def write_model(model: Any, output: str) -> None:
    """Write a model to a file, atomically, or to standard output."""
    from vitalfew.export.model_file import dump

    text = dump(model)
    with written_output(output, "w") as file:
        file.write(text)


def is_model_file(path: str) -> bool:
    """Return True if a file starts like a model file."""
    from vitalfew.export.model_file import FORMAT

    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return f'"{FORMAT}"'.encode() in file.read(200)


def read_model(path: str) -> Any:
    """Read a model from a file or from standard input."""
    from vitalfew.export.model_file import load, parse

    if path == "-":
        return parse(sys.stdin.buffer.read())
    if Path(path).is_dir():
        raise ValueError(f"{path!r} is a directory; pass the path of a model file.")
    if not Path(path).exists():
        raise FileNotFoundError(f"the file {path!r} does not exist; write a model with vitalfew fit.")
    return load(path)
