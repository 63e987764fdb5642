"""Progress bars, shown on a terminal for long work, always with ``verbose=True``, never with ``verbose=False``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def is_shown(verbose: bool | None) -> bool:
    """Return True if progress is shown."""
    return sys.stderr.isatty() if verbose is None else bool(verbose)


# Replacement for tqdm, called with a total and a title; see `bars_by`.
_maker: Callable[[int | None, str], Any] | None = None


@contextmanager
def bars_by(maker: Callable[[int | None, str], Any]) -> Iterator[None]:
    """Use `maker` for progress bars inside the context if `verbose` is None, as the command line does."""
    global _maker
    before, _maker = _maker, maker
    try:
        yield
    finally:
        _maker = before


def as_verbose(progress: Any) -> bool | None:
    """Convert the argument `progress`, "auto" or a boolean, to `verbose`."""
    if isinstance(progress, str) and progress != "auto":
        raise ValueError(f"progress must be True, False or 'auto', got {progress!r}.")
    return None if progress is None or progress == "auto" else bool(progress)


def progress(total: int | None, title: str, verbose: bool | None) -> Any:
    """Return a progress bar of `total` steps that appears once the work has taken a while."""
    if _maker is not None and verbose is None:
        return _maker(total, title)
    from tqdm.auto import tqdm  # imports notebooks, if there are any

    return tqdm(total=total, desc=title, disable=not is_shown(verbose), delay=0.2 if verbose else 2, leave=False)


@contextmanager
def kernel_progress(total: int | None, title: str, verbose: bool | None) -> Iterator[Callable[[float], None] | None]:
    """Yield a callback by which a kernel reports its progress, or None if progress is not shown."""
    if not is_shown(verbose):
        yield None
        return
    with progress(total, title, verbose) as bar:

        def show(done: float) -> None:
            bar.update(int(done) - bar.n)

        yield show
