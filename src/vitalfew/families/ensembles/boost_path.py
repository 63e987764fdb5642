"""Ensembles of increasing size, from which rules choose the number of rounds, and their tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from vitalfew import _core
from vitalfew.data.coding.bins import BinCoder
from vitalfew.data.samples.binned_data import BinnedData
from vitalfew.data.samples.labeled import LabeledRows
from vitalfew.families.ensembles.boost_learners import LearnerBooster
from vitalfew.families.ensembles.boost_run import MARGIN_BINS, STOPS, BoostRun
from vitalfew.families.ensembles.boost_theory import edge_bound, generalization_bound, stump_dimension
from vitalfew.families.folds import paths_in_threads
from vitalfew.families.trees.binned_tree import BinnedTree
from vitalfew.families.trees.stump_set import StumpSet
from vitalfew.rules.charts.parts import chart_text, knob_x
from vitalfew.rules.path import ALONE, Run
from vitalfew.rules.resampling import paths_in_turn
from vitalfew.rules.scoring import PointScores, mean_loss
from vitalfew.support.deprecated_names import renamed_attribute
from vitalfew.support.optional import import_altair, make_frame
from vitalfew.support.progress import kernel_progress

Data = BinnedData | LabeledRows


def rows_of(data: Data) -> Any:
    """Return the samples in the form that the learners of this kind of data read."""
    return data.bins if isinstance(data, BinnedData) else data.X


@dataclass(frozen=True)
class BoostPath:
    """Ensembles after 1, 2, … rounds.

    With `form` ``"ova"`` there is a run for each class against the others.

    Attributes
    ----------
    classes : ndarray
    runs : list of BoostRun
        One run, or one for each class.
    grid : ndarray of int
        Numbers of rounds.
    n_features : ndarray of int
        Number of features in use at each point.
    validation_error : ndarray or None
        Error on held-out samples after each round.
    """

    classes: NDArray
    runs: list[BoostRun]
    grid: NDArray[np.intp]
    form: str
    loss_name: str
    n_rows: float
    coder: BinCoder | None = field(default=None, repr=False)
    validation_error: NDArray[np.float64] | None = None
    n_columns: int = 0

    knob: ClassVar[str] = "rounds"
    loss: ClassVar[str] = "error"

    def at(self, index: int) -> int:
        return int(self.grid[index])

    @property
    def n_features(self) -> NDArray[np.intp]:
        if not all(isinstance(run.learners, StumpSet) for run in self.runs):
            return np.array([len(self.features(int(rounds))) for rounds in self.grid])
        first = np.full(self.n_columns, np.iinfo(np.intp).max)  # round in which each feature is first used
        for run in self.runs:
            np.minimum.at(first, run.learners.feature, np.arange(1, len(run) + 1))
        return np.searchsorted(np.sort(first), self.grid, side="right")

    def features(self, n_rounds: int) -> NDArray[np.intp]:
        """Return the columns that the first rounds use; all of them if learners do not report theirs."""
        used = [run.learners.features(n_rounds) for run in self.runs]
        if any(columns is None for columns in used):
            return np.arange(self.n_columns)
        return np.unique(np.concatenate(used))

    # Predictions

    def scores(self, rows: Any, n_rounds: int) -> NDArray[np.float64]:
        """Return sums of votes: (samples, 1) for the second of two classes, or (samples, classes)."""
        return np.hstack([run.scores(rows, n_rounds) for run in self.runs])

    def staged(self, rows: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores at each point of the grid; the array may be reused for the next point."""
        runs = [run.staged(rows, int(self.grid[-1])) for run in self.runs]
        now = [run.nothing(rows) for run in self.runs]
        done = 0
        for wanted in self.grid:
            for _ in range(int(wanted) - done):
                now = [next(run, last) for run, last in zip(runs, now)]
            done = int(wanted)
            yield now[0] if len(now) == 1 else np.hstack(now)

    def decide(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the codes of the classes with the most votes."""
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return class probabilities by the logistic link; the exponential loss estimates half the log-odds."""
        scale = 1.0 if self.loss_name == "logistic" else 2.0
        if self.form == "samme":
            return softmax(scores / (len(self.classes) - 1), axis=1)
        own = expit(scale * scores)
        if scores.shape[1] == 1:
            return np.hstack([1 - own, own])
        own = np.maximum(own, np.finfo(float).tiny)
        return own / own.sum(axis=1, keepdims=True)

    def predict(self, data: Data) -> NDArray[np.float64]:
        """Return probabilities at all points: (samples, points, classes)."""
        return np.stack([self.probabilities(scores) for scores in self.staged(rows_of(data))], axis=1)

    def errors(self, data: Data) -> NDArray[np.bool_]:
        """Return a mask of the misclassified samples at each point: (samples, points)."""
        return np.column_stack([self.decide(scores) != data.label for scores in self.staged(rows_of(data))])

    def default_scores(self, tested: Data) -> PointScores:
        """Compute the error at each point, and its standard error."""
        return mean_loss(self.errors(tested).astype(float), tested.weight)

    # Tables and charts

    @property
    def trained(self) -> NDArray[np.float64]:
        """Training error of the first run after each round."""
        return self.runs[0].trained

    def to_frame(self) -> Any:
        """Return a data frame with every round of every run: the learner, ε, α, Z, the bounds, the training error."""
        parts = [self._columns(run, name) for run, name in zip(self.runs, self._run_names())]
        joined = {name: np.concatenate([np.asarray(p[name]) for p in parts]) for name in parts[0]}
        if self.form != "ova":
            del joined["class"]
        return make_frame(joined)

    def _run_names(self) -> list[str]:
        return [str(c) for c in self.classes] if self.form == "ova" else [""]

    def _columns(self, run: BoostRun, name: str) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "class": np.array([name] * len(run), dtype=object),
            "round": np.arange(1, len(run) + 1),
        }
        if isinstance(run.learners, StumpSet) and self.coder is not None:
            coder = self.coder
            said = [self._stump_text(run, t, name, coder) for t in range(len(run))]
            columns["feature"] = np.array([str(coder.names[j]) for j in run.learners.feature], dtype=object)
            columns["stump"] = np.array(said, dtype=object)
        columns |= {"error": run.error, "alpha": run.alpha}
        if self.loss_name == "logistic":
            columns["mean_loss"] = run.z
        else:
            columns |= {"Z": run.z, "product_of_Z": np.cumprod(run.z)}
        if self.form != "samme":
            columns["edge_bound"] = (
                edge_bound(run.error) if self.loss_name == "exponential" else np.full(len(run), np.nan)
            )
        columns["training_error"] = run.trained
        columns["generalization_bound"] = self.generalization_bound(run)
        if self.validation_error is not None and self.form != "ova":
            columns["validation_error"] = self.validation_error[: len(run)]
        return columns

    def _stump_text(self, run: BoostRun, t: int, run_name: str, coder: BinCoder) -> str:
        """Describe a stump in words: the condition for its right side, the vote there, and the vote otherwise."""
        always = run.learners.constant_vote(t, coder)
        if always is None:
            right, left = (self._vote_text(float(vote[t])) for vote in (run.learners.right, run.learners.left))
            return f"{run.learners.condition(t, coder)}: {right}, else {left}"
        if self.form == "samme":
            return f"always {self._vote_text(always)}"
        if self.form == "ova":
            whom = f"{'for' if always > 0 else 'against'} {run_name}"
        else:
            whom = f"for {self.classes[int(always > 0)]}"
        return f"always {whom}" if abs(always) == 1 else f"always {self._vote_text(always)}, {whom}"

    def _vote_text(self, vote: float) -> str:
        return str(self.classes[int(vote)]) if self.form == "samme" else f"{vote:+.3g}"

    generalisation_bound = renamed_attribute("generalisation_bound", "generalization_bound")

    def generalization_bound(self, run: BoostRun) -> NDArray[np.float64]:
        """Return the bound on the error on new samples, for stumps; NaN for learners with an unknown VC dimension."""
        if self.coder is None or self.form == "samme" or not isinstance(run.learners, StumpSet):
            return np.full(len(run), np.nan)
        n_bins = np.array([self.coder.n_bins(j) for j in range(len(self.coder.cuts))])
        return generalization_bound(run.trained, stump_dimension(n_bins, self.coder.is_category), self.n_rows)

    def plot(self) -> Any:
        """Plot training error, its bounds and the validation error over the rounds as an Altair chart."""
        alt = import_altair()
        lines = []
        for run, name in zip(self.runs, self._run_names()):
            curves: dict[str, NDArray] = {"training error": run.trained}
            if self.loss_name == "exponential" and self.form != "samme":
                curves |= {"product of Z": np.cumprod(run.z), "exp(−2 Σ (½ − ε)²)": edge_bound(run.error)}
            if self.validation_error is not None and self.form != "ova":
                curves["validation error"] = self.validation_error[: len(run)]
            lines += [
                {"round": t + 1, "curve": curve, "value": float(value), "class": chart_text(name)}
                for curve, values in curves.items()
                for t, value in enumerate(values)
            ]
        rounds = max((len(run) for run in self.runs), default=1)
        encoded = alt.Chart(alt.Data(values=lines)).encode(
            x=knob_x("round", np.arange(1, rounds + 1)),
            y=alt.Y("value:Q", title="fraction of rows", scale=alt.Scale(domainMin=0)),
            color=alt.Color("curve:N", title=None),
            tooltip=["round:Q", "curve:N", alt.Tooltip("value:Q", format=".4g")],
        )
        chart = encoded.mark_line(clip=True).properties(title="Error by boosting round", width=480, height=280)
        return chart.facet("class:N", columns=3) if self.form == "ova" else chart

    def plot_margins(self, rounds: Iterable[int]) -> Any:
        """Plot the cumulative distribution of the training margins after some rounds as an Altair chart."""
        alt = import_altair()
        edges = np.linspace(-1, 1, MARGIN_BINS + 1)[1:]
        lines = [
            {"margin": float(m), "rounds": str(t), "share": float(s), "class": chart_text(name)}
            for run, name in zip(self.runs, self._run_names())
            for t in rounds
            if 1 <= t <= len(run)
            for m, s in zip(edges, np.cumsum(run.margins[t - 1]))
        ]
        chart = (
            alt.Chart(alt.Data(values=lines))
            .mark_line(interpolate="step-after")
            .encode(
                x=alt.X("margin:Q", scale=alt.Scale(domain=[-1, 1])),
                y=alt.Y("share:Q", title="rows with a smaller margin"),
                color=alt.Color("rounds:N", sort=[str(t) for t in rounds]),
                tooltip=["rounds:N", "margin:Q", alt.Tooltip("share:Q", format=".4g")],
            )
            .properties(title="Margin distribution of the training rows", width=480, height=280)
        )
        return chart.facet("class:N", columns=3) if self.form == "ova" else chart

    @property
    def stop_reasons(self) -> list[str]:
        """Reasons why the runs stopped, in words."""
        return [f"{STOPS[run.stop]} (round {len(run)})" for run in self.runs]


@dataclass(frozen=True)
class BoostFamily:
    """Settings for boosting."""

    learner: Any  # "stump", or a classifier; on bins a DecisionTree
    most: int
    form: str  # "two", "samme" or "ova"
    is_confident: bool
    loss_name: str
    threads: int = 0
    seed: Any = None
    verbose: bool | None = False
    is_resampled: bool = False

    def path(self, data: Data, grid: NDArray | None = None, *, run: Run = ALONE) -> BoostPath:
        """Run all rounds, or those of a grid, continuing from the rounds of a previous path if there is one."""
        most = self.most if grid is None else int(grid[-1])
        labels = [data.label]
        if self.form == "ova":
            labels = [(data.label == c).astype(np.int32) for c in range(len(data.classes))]
        earlier = [None] * len(labels) if run.previous is None else run.previous.runs
        with kernel_progress(most * len(labels), "boosting", self.verbose) as show:
            runs = []
            for at, (label, done) in enumerate(zip(labels, earlier)):
                tell = run.cancel or (None if show is None else partial(_offset, show, at * most))
                runs.append(self._run(data, label, most, done, tell))
        taken = max((len(run) for run in runs), default=0)
        points = np.arange(1, max(taken, 1) + 1) if grid is None else np.asarray(grid)
        coder = data.coder if isinstance(data, BinnedData) else None
        n_rows = float(data.weights.sum())
        return BoostPath(data.classes, runs, points, self.form, self.loss_name, n_rows, coder, None, data.n_features)

    def fold_paths(self, data: Data, splits: Any, path: BoostPath, _options: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the path of each fold; folds of stumps run in parallel, those of other learners one after the other."""
        if self.learner == "stump":
            return paths_in_threads(self, data, splits, path)
        return paths_in_turn(replace(self, verbose=False), data, splits, path)

    def _run(
        self, data: Data, label: NDArray[np.int32], most: int, done: BoostRun | None, tell: Callable | None
    ) -> BoostRun:
        if done is not None and done.stop != 0:
            return done
        rest = most - (0 if done is None else len(done))
        if isinstance(data, BinnedData) and self.learner == "stump":
            more = self._boost_stumps(data, label, rest, done, tell)
        else:
            more = self._boost_learners(data, label, rest, done, tell)
        return more if done is None else done.then(more)

    def _boost_stumps(
        self, data: BinnedData, label: NDArray[np.int32], rounds: int, done: BoostRun | None, tell: Callable | None
    ) -> BoostRun:
        n_classes = len(data.classes) if self.form == "samme" else 2
        votes = _core.Votes.classes if n_classes > 2 else _core.Votes.sign
        request = _core.BoostRequest(
            rounds=rounds,
            n_classes=n_classes,
            votes=_core.Votes.confidence if self.is_confident else votes,
            loss=_core.BoostLoss[self.loss_name],
            threads=self.threads,
            progress=tell,
        )
        score = None if done is None else done.scores(data.bins, len(done)).ravel()
        before = 0.0 if done is None else float(done.vote_sums[-1])
        label = np.ascontiguousarray(label, np.int32)
        found = data.bins.call(_core.boost, label, data.weight, score, before, request)
        return BoostRun.from_kernel(found, n_classes if n_classes > 2 else 1)

    def _boost_learners(
        self, data: Data, label: NDArray[np.int32], rounds: int, done: BoostRun | None, tell: Callable | None
    ) -> BoostRun:
        n_classes = len(data.classes) if self.form == "samme" else 2
        learner = self.learner
        if isinstance(data, BinnedData):
            learner = BinnedTree(learner, data.coder, n_classes)
        booster = LearnerBooster(
            learner,
            rows_of(data),
            label,
            data.weights,
            n_classes,
            is_confident=self.is_confident,
            is_logistic=self.loss_name == "logistic",
            is_resampled=self.is_resampled,
            seed=self.seed,
        )
        return booster.run(rounds, done, tell)


def _offset(show: Callable[[float], None], base: int, taken: float) -> None:
    """Show the progress of a run that follows others."""
    show(base + taken)
