"""Out-of-bag error as learners are added."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.rules.scoring import LOSSES, PointScores, Targets, mean_loss


class VoteTally:
    """Votes for each row by the learners that have not seen it."""

    def __init__(self, n_rows: int, n_classes: int):
        self.votes = np.zeros((n_rows, n_classes))
        self.times = np.zeros(n_rows, dtype=np.int64)

    def add(self, rows: NDArray[np.intp], votes: NDArray[np.float64]) -> None:
        self.votes[rows] += votes
        self.times[rows] += 1

    def shares(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows with votes, and the vote share of each class."""
        rows = np.flatnonzero(self.times)
        return rows, self.votes[rows] / self.times[rows, None]


@dataclass(frozen=True)
class OutOfBagCurve:
    """Out-of-bag error after each round, its standard error, and the share of samples that were out of some bag."""

    error: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    share_out: NDArray[np.float64]
    tally: VoteTally

    @classmethod
    def start(cls, data: NumericData) -> OutOfBagCurve:
        assert data.classes is not None
        nothing = np.empty(0)
        return cls(nothing, nothing, nothing, VoteTally(data.n_rows, len(data.classes)))

    def extend(self, voted: Iterable[tuple[NDArray, NDArray]], data: NumericData) -> OutOfBagCurve:
        """Return the curve extended by the votes of further learners."""
        tally, found = deepcopy(self.tally), []
        for out, votes in voted:
            tally.add(out, votes)
            rows, shares = tally.shares()
            scores = own_scores(shares, Targets.of(data, rows))
            share = np.sum(data.weights[rows]) / data.weight_sum
            found.append((scores.value[0], scores.standard_error[0], share))
        error, spread, share_out = np.array(found).reshape(-1, 3).T
        return OutOfBagCurve(
            np.append(self.error, error),
            np.append(self.standard_error, spread),
            np.append(self.share_out, share_out),
            tally,
        )


def own_scores(shares: NDArray[np.float64], targets: Targets | NumericData) -> PointScores:
    """Return the share of samples on which the vote is wrong, at one point."""
    if len(shares) == 0:
        return PointScores(np.array([np.nan]), np.array([np.nan]))
    return mean_loss(LOSSES["error"](shares[:, None], targets), targets.weight)
