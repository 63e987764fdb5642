"""Walk of a greedy search over sets of variables, and the best set of each size that it met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew.families.subsets.subset_scores import ScoreBook
from vitalfew.rules.scoring import deviation
from vitalfew.support.optional import make_frame


@dataclass
class SearchPath:
    """Path of the best subset found for each size, with its scores on each fold."""

    grid: NDArray
    subsets: list[tuple[int, ...]]
    scores: NDArray[np.float64]
    n_features: NDArray
    names: Sequence[str]
    knob: str = "k"
    loss: str = "score"

    def at(self, index: int) -> tuple[int, ...]:
        """Return the columns of one point."""
        return self.subsets[index]

    def to_frame(self) -> Any:
        """Return a data frame with the size, features, mean score and its standard error of each point."""
        error = deviation(self.scores.T) / np.sqrt(self.scores.shape[1]) if self.scores.shape[1] > 1 else np.nan
        return make_frame(
            {
                "k": self.grid,
                "features": np.array([", ".join(str(self.names[j]) for j in s) for s in self.subsets], dtype=object),
                "score": self.scores.mean(axis=1),
                "standard_error": np.broadcast_to(error, len(self.grid)),
            }
        )


@dataclass
class Walk:
    """State of a greedy search: its settings, its history, and the best subset of each size so far.

    The scores of `guide` decide which variable enters or leaves, those of `judge` when to stop; they may be the same.
    """

    guide: ScoreBook
    judge: ScoreBook
    variables: list[tuple[int, ...]]
    names: Sequence[str]
    most: int
    patience: int | None
    start: tuple[int, ...] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    best: dict[int, tuple[tuple[int, ...], NDArray]] = field(default_factory=dict)  # by number of variables

    def run(self, direction: str, least: int = 0) -> None:
        """Run the search, backward down to `least` variables; results found so far are kept if it is stopped."""
        first = tuple(range(len(self.variables))) if direction == "backward" else ()
        chosen = first if self.start is None else self.start
        self.keep(chosen, self.guide.scores([self.columns(chosen)])[0])
        if direction == "backward":
            while len(chosen) > least:
                chosen = self.step(chosen, [tuple(v for v in chosen if v != out) for out in reversed(chosen)])
            return
        since, last = 0, -np.inf
        while len(chosen) < self.most:
            left = [v for v in range(len(self.variables)) if v not in chosen]
            entered = self.step(chosen, [(*chosen, v) for v in left])
            chosen, new = entered, entered[-1]
            while direction == "both" and len(chosen) > 2:
                held = {new, *(self.start or ())}
                smaller = [tuple(v for v in chosen if v != out) for out in chosen if out not in held]
                if not smaller:
                    break
                taken = self.step(chosen, smaller, only_better=True)
                if taken == chosen:
                    break
                chosen = taken
            score = float(np.nanmax([np.mean(self.judged(size)) for size in self.best]))
            since, last = (0, score) if score > last else (since + 1, last)
            if self.patience is not None and since >= self.patience:
                return

    def step(self, chosen: Any, candidates: Any, *, only_better: bool = False) -> tuple[int, ...]:
        """Return the best of several sets of variables, the first of them in case of ties."""
        scores = self.guide.scores([self.columns(c) for c in candidates])
        means = scores.mean(axis=1)
        if np.isnan(means).all():
            raise ValueError("all candidate scores are NaN; check estimator and scoring.")
        at = int(np.nanargmax(means))
        taken, size = candidates[at], len(candidates[at])
        if only_better and not means[at] > float(np.mean(self.best[size][1])) + 1e-12:
            return chosen
        self.keep(taken, scores[at])
        changed = set(taken) ^ set(chosen)
        self.history.append(
            {
                "step": len(self.history) + 1,
                "move": "in" if size > len(chosen) else "out",
                "feature": ", ".join(str(self.names[j]) for v in sorted(changed) for j in self.variables[v]),
                "k": size,
                "score": float(means[at]),
                "candidates": len(candidates),
            }
        )
        return taken

    def keep(self, chosen: tuple[int, ...], scores: NDArray) -> None:
        """Record a set of variables if it is the best of its size so far."""
        size = len(chosen)
        if size not in self.best or np.mean(scores) > np.mean(self.best[size][1]):
            self.best[size] = (chosen, scores)

    def judged(self, size: int) -> NDArray[np.float64]:
        """Return the scores by which the best set of one size is compared with those of other sizes."""
        chosen, scores = self.best[size]
        return scores if self.judge is self.guide else self.judge.scores([self.columns(chosen)])[0]

    def path(self) -> SearchPath:
        """Return the best set of each size."""
        sizes = sorted(self.best)
        subsets = [self.columns(self.best[size][0]) for size in sizes]
        scores = np.array([self.judged(size) for size in sizes])
        return SearchPath(np.array(sizes), subsets, scores, np.array([len(s) for s in subsets]), self.names)

    def columns(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(j for v in chosen for j in self.variables[v]))
