"""Imports of optional packages, with errors that name the extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


def import_arrow() -> Any:
    """Import pyarrow, or raise an error that says how to install it."""
    return import_extra("pyarrow", "reading files requires pyarrow")


def import_extra(module: str, what: str, extra: str = "cli") -> Any:
    """Import an optional package, or raise an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(f"{what}: pip install 'vitalfew[{extra}]'.") from None


def import_altair() -> Any:
    """Import Altair, or raise an error that says how to install it."""
    return import_extra("altair", "charts require Altair", "report")


def make_frame(columns: dict[str, NDArray]) -> Any:
    """Return a data frame of the first installed library among pandas, polars and pyarrow."""
    import narwhals.stable.v2 as nw

    for backend in ("pandas", "polars", "pyarrow"):
        try:
            return nw.from_dict({k: np.asarray(v) for k, v in columns.items()}, backend=backend).to_native()
        except ImportError:
            continue
    raise ImportError("data frame output requires pandas, polars or pyarrow; install one of them.")
