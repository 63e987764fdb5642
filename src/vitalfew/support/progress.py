"""Progress bars: on a terminal when work takes long, always with ``verbose=True``, never with ``verbose=False``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm.auto import tqdm


def is_shown(verbose: bool | None) -> bool:
    """Whether somebody looks."""
    return sys.stderr.isatty() if verbose is None else bool(verbose)


# Makes bars of a total and a title in place of tqdm; see `bars_by`.
_maker: Callable[[int | None, str], Any] | None = None


@contextmanager
def bars_by(maker: Callable[[int | None, str], Any]) -> Iterator[None]:
    """Inside, bars that show themselves by default are made by `maker`, as the command line does."""
    global _maker
    before, _maker = _maker, maker
    try:
        yield
    finally:
        _maker = before


def as_verbose(progress) -> bool | None:
    """The argument `progress` of functions, "auto" or a truth value, as `verbose`."""
    if isinstance(progress, str) and progress != "auto":
        raise ValueError(f"progress must be True, False or 'auto', got {progress!r}.")
    return None if progress is None or progress == "auto" else bool(progress)


def progress(total: int | None, title: str, verbose: bool | None) -> Any:
    """A bar of `total` steps that shows itself once the work has taken a while."""
    if _maker is not None and verbose is None:
        return _maker(total, title)
    return tqdm(total=total, desc=title, disable=not is_shown(verbose), delay=0.2 if verbose else 2, leave=False)


@contextmanager
def kernel_progress(total: int | None, title: str, verbose: bool | None) -> Iterator[Callable[[float], None] | None]:
    """A callback for a kernel that reports how far it is; None when nobody looks."""
    if not is_shown(verbose):
        yield None
        return
    with progress(total, title, verbose) as bar:

        def show(done: float) -> None:
            bar.update(int(done) - bar.n)

        yield show
