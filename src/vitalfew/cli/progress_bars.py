"""Progress bars with the remaining time, on a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from vitalfew.support.progress import progress

# Shorter work shows no bar.
DELAY_S = 0.5


class RichBars:
    """Factory of bars that share one display, so that nested bars appear below their parents."""

    def __init__(self, console: Console | None = None):
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        self.display = Progress(*columns, console=console or Console(stderr=True), transient=True)
        self.n_open = 0

    def __call__(self, total: int | None, title: str) -> RichBar:
        return RichBar(self, total, title)


class RichBar:
    """Progress bar of Rich with the part of tqdm's interface that the library uses."""

    def __init__(self, bars: RichBars, total: int | None, title: str):
        self.bars, self.total, self.title = bars, total, title
        self.n = 0
        self.began = time.monotonic()
        self.task: Any = None

    def update(self, n: float = 1) -> None:
        self.n += n  # type: ignore[assignment]
        if self.task is None and time.monotonic() - self.began > DELAY_S:
            self.show()
        if self.task is not None:
            self.bars.display.update(self.task, completed=self.n)

    def show(self) -> None:
        if self.bars.n_open == 0:
            self.bars.display.start()
        self.bars.n_open += 1
        self.task = self.bars.display.add_task(self.title, total=self.total)

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        del refresh
        if self.task is not None:
            self.bars.display.update(self.task, description=f"{self.title}: {text}")

    def close(self) -> None:
        if self.task is not None:
            self.bars.display.remove_task(self.task)
            self.task = None
            self.bars.n_open -= 1
            if self.bars.n_open == 0:
                self.bars.display.stop()

    def __enter__(self) -> RichBar:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Silent:
    """Invisible progress bar."""

    n = 0

    def update(self, n: float = 1) -> None:
        self.n += n  # type: ignore[assignment]

    def set_postfix_str(self, text: str, refresh: bool = True) -> None: ...

    def close(self) -> None: ...

    def __enter__(self) -> _Silent:
        return self

    def __exit__(self, *_: Any) -> None: ...


def silent(_total: int | None, _title: str) -> _Silent:
    return _Silent()


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show immediately that work of unknown length is in progress."""
    with progress(None, title, None) as bar:
        if isinstance(bar, RichBar):
            bar.show()
        yield
