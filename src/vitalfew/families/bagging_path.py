"""The path of bagging: learners from bags of rows, one after the other, with their votes and their out-of-bag error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from vitalfew._progress import is_shown, progress
from vitalfew.data.numeric import NumericData
from vitalfew.rules.path import OutOfBag
from vitalfew.rules.scoring import LOSSES, Scores, Targets, mean_loss
from vitalfew.rules.selection import Selection, make_frame

# Learners fitted between two steps of the progress bar.
STEP = 10


def fit_learner(estimator, X, y, **weights):
    """A fitted copy. Where there is one class only, which many learners refuse, it is predicted whatever the row."""
    learner = clone(estimator) if len(np.unique(y)) > 1 else DummyClassifier(strategy="most_frequent")
    return learner.fit(X, y, **weights)


class Voter(BaseEstimator):
    """A learner as scikit-learn's bagging holds it."""

    def __init__(self, estimator):
        self.estimator = estimator

    def predict(self, X):
        return self.learner_.predict(X)


class RowsVoter(Voter):
    """A learner that is given the rows of its bag."""

    def fit(self, X, y):
        self.learner_ = fit_learner(self.estimator, X, y)
        return self


class CountsVoter(Voter):
    """A learner that is given how often each row is in the bag, as its weight. Rows that are not in it are left out:
    some learners heed the classes of rows that weigh nothing."""

    def fit(self, X, y, sample_weight):
        rows = np.flatnonzero(sample_weight)
        self.learner_ = fit_learner(self.estimator, X[rows], y[rows], sample_weight=sample_weight[rows])
        return self


def ballot(learner, X, codes: NDArray[np.intp], n_classes: int, votes: str) -> NDArray[np.float64]:
    """What a learner votes for each row: 1 for one class, or its probabilities. `codes` are the classes it knows."""
    out = np.zeros((X.shape[0], n_classes))
    if len(out) == 0:
        return out
    if votes == "label":
        out[np.arange(len(out)), codes[np.asarray(learner.predict(X), dtype=np.intp)]] = 1
    else:
        out[:, codes[np.asarray(learner.classes_, dtype=np.intp)]] = learner.predict_proba(X)
    return out


class Tally:
    """Votes for rows by the learners that had not seen them."""

    def __init__(self, n_rows: int, n_classes: int):
        self.votes = np.zeros((n_rows, n_classes))
        self.times = np.zeros(n_rows, dtype=np.int64)

    def add(self, rows: NDArray[np.intp], votes: NDArray[np.float64]) -> None:
        self.votes[rows] += votes
        self.times[rows] += 1

    def shares(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Rows with votes, and the share that each class has of them."""
        rows = np.flatnonzero(self.times)
        return rows, self.votes[rows] / self.times[rows, None]


@dataclass(frozen=True)
class OutOfBagCurve:
    """Out-of-bag error after each round, its standard error, and the share of rows that were out of some bag."""

    error: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    share_out: NDArray[np.float64]
    tally: Tally

    @classmethod
    def start(cls, data: NumericData) -> OutOfBagCurve:
        assert data.classes is not None
        nothing = np.empty(0)
        return cls(nothing, nothing, nothing, Tally(data.n_rows, len(data.classes)))

    def extend(self, voted: Iterable[tuple[NDArray, NDArray]], data: NumericData) -> OutOfBagCurve:
        """With the votes of further learners."""
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


def own_scores(shares: NDArray[np.float64], targets) -> Scores:
    """Share of rows on which the vote is wrong, at one point."""
    if len(shares) == 0:
        return Scores(np.array([np.nan]), np.array([np.nan]))
    return mean_loss(LOSSES["error"](shares[:, None], targets), targets.weight)


@dataclass(frozen=True, kw_only=True)
class BaggingPath:
    """Votes of 1, 2, ... learners.

    Attributes
    ----------
    grid : ndarray of shape (n_rounds,)
        Numbers of learners.
    learners : list of estimators
    bags : list of ndarray
        Rows that each learner was fitted on, as often as they were drawn.
    curve : OutOfBagCurve
        Out-of-bag error (``error``), its standard error, and the share of rows it is of (``share_out``), by round.
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
        """Where the draws of bags start."""
        return self.ensemble.random_state

    @property
    def learners(self) -> list[Any]:
        return [voter.learner_ for voter in self.ensemble.estimators_]

    @property
    def n_features(self) -> NDArray:
        """All of them: what a learner uses is its own affair."""
        return np.full(len(self.grid), self.n_columns)

    def at(self, index: int) -> list[Any]:
        """Learners of one point."""
        return self.learners[: int(self.grid[index])]

    def staged(self, X, rounds: int | None = None) -> Iterator[NDArray[np.float64]]:
        """Share of the votes that each class has after each round: (rows, classes)."""
        everyone = ((learner, X) for learner in self.learners[:rounds])
        total = np.zeros((X.shape[0], len(self.classes)))
        for count, votes in enumerate(self._ballots(everyone), start=1):
            total += votes
            yield total / count

    def predict(self, data: NumericData) -> NDArray[np.float64]:
        """Shares of votes at all points: (rows, points, classes)."""
        return np.stack(list(self.staged(data.X)), axis=1)

    def default_scores(self, tested: NumericData) -> Scores:
        """Errors at all points, without the shares of all points at once."""
        found = [own_scores(shares, tested) for shares in self.staged(tested.X)]
        return Scores(*(np.concatenate(part) for part in zip(*((s.value, s.standard_error) for s in found))))

    def oob(self) -> OutOfBag:
        """Scores on rows that some learner has not seen."""
        return OutOfBag(self.curve.error, self.curve.standard_error, self.curve.share_out, self._out_of_bag)

    def oob_shares(self, rounds: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Rows that some of the first learners has not seen, and the shares of those learners' votes."""
        if rounds == len(self.bags):
            return self.curve.tally.shares()
        return list(self._out_of_bag(rounds))[-1]

    def selection(self, rule: str, index: int) -> Selection:
        """The out-of-bag curve with a point that was chosen."""
        curve, measure = self.curve, "out-of-bag error"
        return Selection(self.knob, rule, self.grid, curve.error, curve.standard_error, self.n_features, index, measure)

    def plot(self):
        """Out-of-bag error over rounds with one standard error either way, as an Altair chart."""
        return self.selection("fixed", len(self.grid) - 1).plot()

    def to_frame(self):
        """A line for each round: out-of-bag error, its standard error, and the share of rows it is of."""
        return make_frame(
            {
                "round": self.grid,
                "oob_error": self.curve.error,
                "standard_error": self.curve.standard_error,
                "share_out": self.curve.share_out,
            }
        )

    def without_data(self) -> BaggingPath:
        return replace(self, data=None)

    def extended(self, first: int) -> BaggingPath:
        """With the out-of-bag votes of the learners from `first` on."""
        assert self.data is not None
        return replace(self, curve=self.curve.extend(self._out_votes(first), self.data))

    def _out_of_bag(self, rounds: int | None = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
        assert self.data is not None
        tally = Tally(self.data.n_rows, len(self.classes))
        for out, votes in self._out_votes(0, rounds):
            tally.add(out, votes)
            yield tally.shares()

    def _out_votes(self, first: int, last: int | None = None) -> Iterator[tuple[NDArray, NDArray]]:
        """Rows out of each learner's bag, and its votes for them."""
        assert self.data is not None
        outs = []
        for bag in self.bags[first:last]:
            is_out = np.ones(self.data.n_rows, dtype=bool)
            is_out[bag] = False
            outs.append(np.flatnonzero(is_out))
        X = self.data.X
        yield from zip(outs, self._ballots((learner, X[out]) for learner, out in zip(self.learners[first:last], outs)))

    def _ballots(self, jobs) -> Iterator[NDArray[np.float64]]:
        """Votes of learners for rows, in order, as they are ready."""
        codes, n_classes = self.ensemble.classes_, len(self.classes)
        run = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        return run(delayed(ballot)(learner, X, codes, n_classes, self.votes) for learner, X in jobs)


@dataclass(frozen=True)
class BaggingFamily:
    """How learners are fitted to bags."""

    estimator: Any
    most: int
    max_samples: float
    bootstrap: bool
    votes: str
    seed: int
    n_jobs: int | None
    verbose: bool | None

    @classmethod
    def of(cls, model, estimator, most: int) -> BaggingFamily:
        seed = model.random_state
        if not isinstance(seed, int | np.integer):  # the same draws when rounds are added
            seed = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        options = (model.max_samples, model.bootstrap, model.votes, seed, model.n_jobs, model.verbose)
        return cls(estimator, most, *options)

    def path(self, data: NumericData, grid: NDArray | None = None, before: BaggingPath | None = None) -> BaggingPath:
        """All rounds, or as many as a grid has; those of `before` are not fitted again."""
        assert data.classes is not None
        most = self.most if grid is None else int(grid[-1])
        ensemble = self._ensemble(data)
        if before is not None:
            ensemble = before.ensemble.set_params(**{**ensemble.get_params(deep=False), "random_state": before.seed})
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

    def _ensemble(self, data: NumericData) -> BaggingClassifier:
        weighs = has_fit_parameter(self.estimator, "sample_weight")
        return BaggingClassifier(
            CountsVoter(self.estimator) if weighs else RowsVoter(self.estimator),
            max_samples=bag_size(self.max_samples, data.n_rows),
            bootstrap=self.bootstrap,
            warm_start=True,
            random_state=self.seed,
            n_jobs=self.n_jobs,
        )

    def _grow(self, ensemble: BaggingClassifier, data: NumericData, have: int, most: int) -> list[NDArray]:
        """Fit learners until there are so many. The bags of the new ones."""
        bags: list[NDArray] = []
        steps = [*range(have + STEP, most, STEP), most] if is_shown(self.verbose) else [most]
        weights = {} if data.weight is None else {"sample_weight": data.weight}
        with progress(most - have, "bagging", self.verbose) as bar:
            for size in steps if most > have else []:
                ensemble.set_params(n_estimators=size).fit(data.X, data.label, **weights)
                new = size - have - len(bags)
                # After a warm start scikit-learn knows the draws of the last learners alone.
                bags += [rows.astype(np.min_scalar_type(data.n_rows)) for rows in ensemble.estimators_samples_[-new:]]
                bar.update(new)
        return bags


def bag_size(max_samples, n_rows: int) -> int:
    """Rows in a bag: a number as it is, or a share of the rows."""
    return int(max_samples) if isinstance(max_samples, int | np.integer) else max(int(max_samples * n_rows), 1)
