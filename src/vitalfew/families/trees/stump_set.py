"""Decision stumps as found by compiled kernels: their cuts, their votes, and their description in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.coding.bins import BinCoder, Bins


@dataclass(frozen=True)
class StumpSet:
    """Stumps in the order in which they were found.

    A row is on the right of stump t if the code of its feature is at least ``cut[t]``; for a categorical feature, if
    its code is marked in ``side[start[t]:start[t + 1]]``; for a missing value, if ``missing_right[t]`` is set. `left`
    and `right` are votes for the second of two classes, or class codes.
    """

    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    missing_right: NDArray[np.uint8]
    side: NDArray[np.uint8]
    start: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]

    @classmethod
    def from_kernel(cls, found: _core.Stumps) -> StumpSet:
        votes = (found.left, found.right)
        return cls(found.feature, found.cut, found.missing_right, found.side, found.start, *votes)

    def __len__(self) -> int:
        return len(self.feature)

    def __add__(self, other: StumpSet) -> StumpSet:
        start = np.concatenate([self.start, other.start[1:] + self.start[-1]])
        joined = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("feature", "cut", "missing_right", "side", "left", "right")
        }
        return StumpSet(start=start, **joined)

    def take(self, which: NDArray[np.intp]) -> StumpSet:
        """Return some of the stumps, in the given order."""
        sides = [self.side[self.start[t] : self.start[t + 1]] for t in which]
        start = np.concatenate([[0], np.cumsum([len(side) for side in sides])]).astype(np.int64)
        taken = {name: getattr(self, name)[which] for name in ("feature", "cut", "missing_right", "left", "right")}
        return StumpSet(side=np.concatenate([self.side[:0], *sides]), start=start, **taken)

    def features(self, n_rounds: int) -> NDArray[np.intp]:
        """Return the columns that the first `n_rounds` stumps use."""
        return np.unique(self.feature[:n_rounds])

    def goes_right(self, t: int, n_slots: int) -> NDArray[np.bool_]:
        """Return a mask over the codes of the feature, missing last, of those on the right of stump t."""
        known = np.arange(n_slots - 1) >= self.cut[t]
        if self.start[t + 1] > self.start[t]:
            known = self.side[self.start[t] : self.start[t + 1]].astype(bool)
        return np.append(known, bool(self.missing_right[t]))

    def is_right(self, t: int, bins: Bins) -> NDArray[np.bool_]:
        """Return a mask of the rows on the right of stump t."""
        j = self.feature[t]
        return self.goes_right(t, int(bins.offsets[j + 1] - bins.offsets[j]))[bins.column(j)]

    def votes(self, t: int, bins: Bins) -> NDArray[np.float64]:
        """Return the vote of stump t for each row."""
        return np.where(self.is_right(t, bins), self.right[t], self.left[t])

    def table(self, alpha: NDArray[np.float64], offsets: NDArray[np.int64], n_outputs: int) -> NDArray[np.float64]:
        """Return the weighted votes of the first ``len(alpha)`` stumps, summed by slot: (slots, outputs)."""
        total = np.zeros((int(offsets[-1]), n_outputs))
        for t, weight in enumerate(alpha):
            own = slice(offsets[self.feature[t]], offsets[self.feature[t] + 1])
            right = self.goes_right(t, own.stop - own.start)
            if n_outputs == 1:
                total[own, 0] += weight * np.where(right, self.right[t], self.left[t])
            else:
                total[own, int(self.right[t])] += weight * right
                total[own, int(self.left[t])] += weight * ~right
        return total

    def threshold(self, t: int, coder: BinCoder) -> float:
        """Return θ₀ of a numeric stump, above which rows are on the right; NaN for a categorical one."""
        j = int(self.feature[t])
        if j in coder.categories:
            return float("nan")
        return float(coder.cuts[j][self.cut[t] - 1]) if self.cut[t] else float("-inf")

    def constant_vote(self, t: int, coder: BinCoder) -> float | None:
        """Return the vote of stump t if it is the same for every row, missing values included; otherwise None."""
        right = self.goes_right(t, coder.n_bins(int(self.feature[t])) + 1)
        votes = np.unique(np.where(right, self.right[t], self.left[t]))
        return float(votes[0]) if len(votes) == 1 else None

    def condition(self, t: int, coder: BinCoder) -> str:
        """Return in words the condition under which a row is on the right."""
        j = int(self.feature[t])
        name = str(coder.names[j])
        right = self.goes_right(t, coder.n_bins(j) + 1)
        known = right[:-1]
        if right.all():
            return f"{name} has any value"
        if known.all():
            return f"{name} is known"
        if not known.any():
            return f"{name} is missing"
        if j in coder.categories:
            values = [str(v) for v, is_right in zip(coder.categories[j].values, known) if is_right]
            return f"{name} in {{{', '.join(values)}}}"
        return f"{name} > {self.threshold(t, coder):g}"
