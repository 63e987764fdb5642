"""The path of bagging: learners fitted to bags one after the other, with their votes and out-of-bag error."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from vitalfew.data.samples.numeric_data import NumericData
from vitalfew.data.tables.frames import is_frame
from vitalfew.families.ensembles.learners import CountsVoter, FrameRows, RowsVoter, ballot
from vitalfew.families.ensembles.out_of_bag import OutOfBagCurve, VoteTally, own_scores
from vitalfew.families.rows_path import RowsPath
from vitalfew.rules.path import ALONE, OutOfBag, Run
from vitalfew.rules.scoring import PointScores
from vitalfew.rules.selection import Selection
from vitalfew.support.deadline import Inheriting, check_deadline, time_left
from vitalfew.support.optional import make_frame
from vitalfew.support.progress import is_shown, progress

# Number of learners fitted between updates of the progress bar and checks of the deadline.
STEP = 10


# Number of learners whose votes are computed in parallel, as one batch.
TOGETHER = 16


@dataclass(frozen=True, kw_only=True)
class BaggingPath(RowsPath):
    """Votes of 1, 2, ... learners.

    Attributes
    ----------
    grid : ndarray of shape (n_rounds,)
        Numbers of learners.
    learners : list of estimators
    bags : list of ndarray
        Rows that each learner was fitted on, repeated as often as they were drawn.
    curve : OutOfBagCurve
        Out-of-bag error (``error``), its standard error, and the share of rows it covers (``share_out``), by round.
    """

    grid: NDArray
    ensemble: BaggingClassifier
    bags: list[NDArray]
    curve: OutOfBagCurve
    classes: NDArray
    n_columns: int
    votes: str
    n_jobs: int | None
    data: NumericData | None = None

    knob = "rounds"
    loss = "error"

    @property
    def seed(self) -> int:
        """Seed for drawing the bags."""
        return self.ensemble.random_state

    @property
    def learners(self) -> list[Any]:
        return [voter.learner_ for voter in self.ensemble.estimators_]

    @property
    def n_features(self) -> NDArray:
        """Number of all features, at each point: the features that a learner uses are not tracked."""
        return np.full(len(self.grid), self.n_columns)

    def at(self, index: int) -> list[Any]:
        """Return the learners of one point."""
        return self.learners[: int(self.grid[index])]

    def staged(self, X: Any, rounds: int | None = None, n_jobs: int | None = None) -> Iterator[NDArray[np.float64]]:
        """Yield the vote share of each class after each round, (samples, classes), using `n_jobs` workers."""
        everyone = ((learner, X) for learner in self.learners[:rounds])
        total = np.zeros((X.shape[0], len(self.classes)))
        for count, votes in enumerate(self._ballots(everyone, n_jobs), start=1):
            total += votes
            yield total / count

    def predict(self, data: NumericData) -> NDArray[np.float64]:
        """Return vote shares at all points: (samples, points, classes)."""
        return np.stack(list(self.staged(data.X, n_jobs=self.n_jobs)), axis=1)

    def default_scores(self, tested: NumericData) -> PointScores:
        """Compute errors at all points without holding the vote shares of all points at once."""
        found = [own_scores(shares, tested) for shares in self.staged(tested.X, n_jobs=self.n_jobs)]
        return PointScores(*(np.concatenate(part) for part in zip(*((s.value, s.standard_error) for s in found))))

    def oob(self) -> OutOfBag:
        """Return scores on samples that some learner has not seen."""
        return OutOfBag(self.curve.error, self.curve.standard_error, self.curve.share_out, self._out_of_bag)

    def oob_shares(self, rounds: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows that some of the first learners have not seen, and the vote shares of those learners."""
        if rounds == len(self.bags):
            return self.curve.tally.shares()
        return deque(self._out_of_bag(rounds), maxlen=1).pop()

    def selection(self, rule: str, index: int) -> Selection:
        """Return the out-of-bag curve with a chosen point."""
        curve, measure = self.curve, "out-of-bag error"
        return Selection(self.knob, rule, self.grid, curve.error, curve.standard_error, self.n_features, index, measure)

    def plot(self) -> Any:
        """Plot the out-of-bag error over rounds with one standard error either way as an Altair chart."""
        return self.selection("fixed", len(self.grid) - 1).plot()

    def to_frame(self) -> Any:
        """Return a data frame by round: out-of-bag error, its standard error, and the share of samples it covers."""
        return make_frame(
            {
                "round": self.grid,
                "oob_error": self.curve.error,
                "standard_error": self.curve.standard_error,
                "share_out": self.curve.share_out,
            }
        )

    def extended(self, first: int) -> BaggingPath:
        """Return the path with the out-of-bag votes of the learners from `first` on."""
        assert self.data is not None
        return replace(self, curve=self.curve.extend(self._out_votes(first), self.data))

    def _out_of_bag(self, rounds: int | None = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        assert self.data is not None
        tally = VoteTally(self.data.n_rows, len(self.classes))
        for out, votes in self._out_votes(0, rounds):
            tally.add(out, votes)
            yield tally.shares()

    def _out_votes(self, first: int, last: int | None = None) -> Iterator[tuple[NDArray, NDArray]]:
        """Yield the rows out of each learner's bag, and its votes for them."""
        assert self.data is not None
        learners, bags, X = self.learners[first:last], self.bags[first:last], self.data.X
        jobs = ((learner, _safe_indexing(X, self._out(bag))) for learner, bag in zip(learners, bags))
        votes = self._ballots(jobs, self.n_jobs)
        yield from zip(map(self._out, bags), votes)

    def _out(self, bag: NDArray) -> NDArray[np.intp]:
        """Return the rows that are not in a bag."""
        assert self.data is not None
        is_out = np.ones(self.data.n_rows, dtype=bool)
        is_out[bag] = False
        return np.flatnonzero(is_out)

    def _ballots(self, jobs: Any, n_jobs: int | None) -> Iterator[NDArray[np.float64]]:
        """Yield the votes of learners in order, in batches: a consumer that stops early leaves no work behind."""
        codes, n_classes = self.ensemble.classes_, len(self.classes)
        run = Parallel(n_jobs=n_jobs, prefer="threads")
        waiting = iter(jobs)
        while some := list(islice(waiting, TOGETHER)):
            yield from run(delayed(Inheriting(ballot))(learner, X, codes, n_classes, self.votes) for learner, X in some)


@dataclass(frozen=True)
class BaggingFamily:
    """Settings for fitting learners to bags."""

    estimator: Any
    most: int
    max_samples: float
    bootstrap: bool
    votes: str
    seed: int
    n_jobs: int | None
    verbose: bool | None

    @classmethod
    def of(cls, model: Any, estimator: Any, most: int) -> BaggingFamily:
        seed = model.random_state
        if not isinstance(seed, int | np.integer):  # a fixed seed continues the same draws when rounds are added
            seed = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        options = (model.max_samples, model.bootstrap, model.votes, seed, model.n_jobs, model.verbose)
        return cls(estimator, most, *options)

    def path(self, data: NumericData, grid: NDArray | None = None, *, run: Run = ALONE) -> BaggingPath:
        """Fit all rounds, or those of `grid`; learners of a previous path are not refitted."""
        before: BaggingPath | None = run.previous
        assert data.classes is not None
        most = self.most if grid is None else int(grid[-1])
        ensemble = self._ensemble(data) if before is None else self._go_on(before, data)
        bags = [] if before is None else before.bags
        fitted = BaggingPath(
            grid=np.arange(1, most + 1),
            ensemble=ensemble,
            bags=bags + self._grow(ensemble, data, len(bags), most),
            curve=OutOfBagCurve.start(data) if before is None else before.curve,
            classes=data.classes,
            n_columns=data.n_features,
            votes=self.votes,
            n_jobs=self.n_jobs,
            data=data,
        )
        return fitted if grid is not None else fitted.extended(len(bags))

    def _go_on(self, before: BaggingPath, data: NumericData) -> BaggingClassifier:
        """Return a copy of the ensemble to extend; the original stays unchanged if the fit is interrupted."""
        ensemble = copy(before.ensemble)
        ensemble.estimators_ = list(ensemble.estimators_)
        ensemble.estimators_features_ = list(ensemble.estimators_features_)
        settings = self._ensemble(data).get_params(deep=False)
        return ensemble.set_params(**{**settings, "random_state": before.seed})

    def _ensemble(self, data: NumericData) -> BaggingClassifier:
        kind = CountsVoter if has_fit_parameter(self.estimator, "sample_weight") else RowsVoter
        return BaggingClassifier(
            kind(self.estimator, FrameRows(data.X) if is_frame(data.X) else None),
            max_samples=bag_size(self.max_samples, data.n_rows),
            bootstrap=self.bootstrap,
            warm_start=True,
            random_state=self.seed,
            n_jobs=self.n_jobs,
        )

    def _grow(self, ensemble: BaggingClassifier, data: NumericData, have: int, most: int) -> list[NDArray]:
        """Fit learners until there are `most` of them, and return the bags of the new ones."""
        bags: list[NDArray] = []
        steps = [*range(have + STEP, most, STEP), most] if is_shown(self.verbose) or time_left() < np.inf else [most]
        weights = {} if data.weight is None else {"sample_weight": data.weight}
        source = ensemble.estimator.source
        X = data.X if source is None else source.numbers()
        with progress(most - have, "bagging", self.verbose) as bar:
            for size in steps if most > have else []:
                check_deadline()
                ensemble.set_params(n_estimators=size).fit(X, data.label, **weights)
                new = size - have - len(bags)
                # After a warm start scikit-learn knows only the draws of the last learners.
                bags += [rows.astype(np.min_scalar_type(data.n_rows)) for rows in ensemble.estimators_samples_[-new:]]
                bar.update(new)
        if source is not None:
            source.frame = None
        return bags


def bag_size(max_samples: Any, n_rows: int) -> int:
    """Return the number of rows in a bag, given as that number or as a share of the rows."""
    return int(max_samples) if isinstance(max_samples, int | np.integer) else max(int(max_samples * n_rows), 1)
