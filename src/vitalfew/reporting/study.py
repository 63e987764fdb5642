"""The training data of a report, its codes, and the remaining time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vitalfew.reporting.coarse_codes import Alone, Coded, alone, code, label_of
from vitalfew.reporting.table import Features, StudyTable

# Share of the time reserved for the table of out-of-fold predictions and the models.
FOR_MODELS = 0.65


class Clock:
    """Time budget in seconds, shared among the parts of a report."""

    def __init__(self, budget: float):
        self.budget = budget
        self.start = time.perf_counter()
        self.reading = 0.0  # seconds before the budget started

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.start

    def begin(self) -> None:
        """Start the budget now; reading and coding so far were unavoidable."""
        self.reading = self.spent
        self.start = time.perf_counter()

    def share(self, part: float, least: float = 0.2, keep: float = 0.0) -> float:
        """Return the seconds for a part: its share of the total, or less if little is left beyond the share to keep."""
        return max(min(part * self.budget, (1 - keep) * self.budget - self.spent), least)

    def stopped(self, since: float) -> str:
        """Return the message for a part that started at `since` seconds and ran out of time."""
        return (
            f"stopped after {max(self.spent - since, 0):.2g} s of a time budget of {self.budget:g} s; "
            "rerun with a larger time budget"
        )


@dataclass(frozen=True)
class Study:
    """Training data of a report; it never includes the sealed test samples."""

    table: StudyTable
    y: NDArray
    is_numeric: bool
    features: Features
    coded: Coded
    classes: list[str]  # meanings of the label codes
    alone: Alone
    clock: Clock
    seed: int = 0
    threads: int = 0
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, table: StudyTable, y: NDArray, is_numeric: bool, clock: Clock, seed: int, threads: int) -> Study:
        features, notes = table.features()
        label, classes = label_of(y, is_numeric)
        coded = code(features, label, len(classes), threads)
        return cls(
            table, y, is_numeric, features, coded, classes, alone(coded, threads), clock, seed, threads, list(notes)
        )

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def d(self) -> int:
        return self.features.d

    def name(self, j: int) -> str:
        return str(self.features.names[int(j)])

    def rng(self, stream: int) -> np.random.Generator:
        """Return a random generator for one part, independent of what other parts drew."""
        return np.random.default_rng([self.seed, stream])

    def sample(self, most: int, stream: int) -> NDArray[np.intp]:
        """Draw a stratified sample of rows; all rows if they are few."""
        if self.n <= most:
            return np.arange(self.n)
        rng = self.rng(stream)
        place = rng.random(self.n)
        order = np.lexsort((place, self.coded.label))
        within = np.empty(self.n, dtype=float)
        sizes = np.bincount(self.coded.label)
        within[order] = np.concatenate([np.arange(s) / s for s in sizes])
        return np.sort(np.argsort(within + 1e-9 * place, kind="stable")[:most])
