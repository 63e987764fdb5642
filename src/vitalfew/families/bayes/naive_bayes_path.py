"""Paths of Naive Bayes models over the number of features and over the prior strength."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitalfew import _core
from vitalfew.data.samples.discrete_data import DiscreteData
from vitalfew.data.tables.blocks import Events
from vitalfew.data.tables.frames import NumberedNames
from vitalfew.families.bayes.evidence import Evidence, PriorMean, log_of, normalize
from vitalfew.families.rows_path import RowsPath
from vitalfew.rules.charts.parts import chart_text, knob_x
from vitalfew.rules.criteria import class_cost, feature_cost, log_binomial, log_star, subset_cost
from vitalfew.rules.path import ALONE, DescriptionLength, LeaveOneOut, Likelihood, Run
from vitalfew.summaries.counts import Counts
from vitalfew.summaries.information import information
from vitalfew.support.deadline import accept_prefix
from vitalfew.support.optional import import_altair, make_frame
from vitalfew.support.progress import kernel_progress
from vitalfew.support.suggest import plain

# Approximate maximum number of sizes on a path.
MAX_POINTS = 64
# Maximum length of greedy paths for rules that do not stop by themselves.
MAX_GREEDY = 200
PATIENCE = 10
ENDLESS = 2**62
# Largest and smallest prior strength that rules compare.
PRIOR_RANGE = (1000.0, 0.01)


@dataclass(frozen=True)
class FeaturePath(RowsPath):
    """Naive Bayes models over feature sets of increasing size.

    The path is a walk through sets: in step e, `feature[e]` enters (`sign` +1) or leaves (-1). Point g of the path is
    the set after `steps[g]` steps. The walk by information only adds features; a greedy walk may also remove them.
    """

    evidence: Evidence
    data: DiscreteData | None
    feature: NDArray[np.int32]
    sign: NDArray[np.int8]
    steps: NDArray[np.int64]
    feature_cost: NDArray[np.float64]
    order: str
    trace: NDArray[np.float64] | None = None  # data part of the description length after each step, where known

    knob = "features"
    kept = ("_data_nats",)

    @cached_property
    def _size_after(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.sign, dtype=np.int64)])

    @property
    def grid(self) -> NDArray[np.int64]:
        return self._size_after[self.steps]

    @property
    def n_features(self) -> NDArray[np.int64]:
        return self.grid

    def at(self, index: int) -> NDArray[np.bool_]:
        """Return the features of one point as a mask."""
        membership = np.zeros(self.evidence.counts.n_features, dtype=np.int64)
        upto = int(self.steps[index])
        np.add.at(membership, self.feature[:upto], self.sign[:upto])
        return membership > 0

    @cached_property
    def _stations(self) -> NDArray[np.int64]:
        """Steps after which the walk is at a point of the path, in the order of the walk."""
        return np.unique(self.steps)

    @cached_property
    def _events(self) -> Events:
        """The walk, cut at its stations and sorted by feature, as the kernels expect it."""
        segment = np.searchsorted(self._stations, np.arange(1, len(self.feature) + 1))
        used = segment < len(self._stations)
        feature, sign, segment = self.feature[used], self.sign[used], segment[used]
        order = np.argsort(feature, kind="stable")
        start = np.searchsorted(feature[order], np.arange(self.evidence.counts.n_features + 1))
        return (
            start.astype(np.int64),
            segment[order].astype(np.int32),
            sign[order].astype(np.int8),
            len(self._stations),
        )

    def _at_points(self, at_stations: NDArray[np.float64]) -> NDArray[np.float64]:
        station = np.searchsorted(self._stations, self.steps)
        return at_stations if np.array_equal(station, np.arange(len(self._stations))) else at_stations[:, station]

    def predict(self, data: DiscreteData) -> NDArray[np.float64]:
        """Return class probabilities at all points: (samples, points, classes).

        The cost is O(entries + samples x points x classes).
        """
        score = data.block.score(self.evidence.log_table, self._events, data.coder.threads)
        return self._at_points(normalize(score + self.evidence.log_prior))

    def loo(self) -> LeaveOneOut:
        """Return leave-one-out predictions, exact for each set of features, which is taken as given."""
        if self.data is None:
            raise ValueError(
                "leave-one-out requires the training rows, which are not stored with the model; fit it again."
            )
        note = "the feature order is computed from all rows"
        return LeaveOneOut(self._at_points(loo_probabilities(self.evidence, self.data, self._events)), True, note)

    def log_likelihood(self) -> Likelihood:
        """Return the joint log-likelihood of features and labels; features outside the set keep their marginal."""
        counts = self.evidence.counts
        values = counts.n_occurring - 1
        extra = (counts.n_classes - 1) * values
        base = float(values.sum() + counts.n_classes - 1)
        return Likelihood(
            self.evidence.null_log_likelihood + self._accumulated(self.evidence.gain),
            base + self._accumulated(extra.astype(float)),
            counts.n,
            counts.n_features,
            is_joint=True,
        )

    def description_length(self) -> DescriptionLength:
        """Return the nats of the labels given the features of each point, and of the set and its parameters."""
        return DescriptionLength(self._data_nats, np.sum(list(self.model_parts().values()), axis=0))

    def model_parts(self) -> dict[str, NDArray[np.float64]]:
        """Return the nats of the size of the set, of its members given the size, and of the counts."""
        counts = self.evidence.counts
        return {
            "size": log_star(self.grid),
            "subset": log_binomial(counts.n_features, self.grid),
            "parameter": class_cost(counts.class_count) + self._accumulated(self.feature_cost),
        }

    @cached_property
    def _data_nats(self) -> NDArray[np.float64]:
        """Nats of the labels given the features of each point."""
        if self.trace is not None:
            return self.trace[self.steps]
        if self.data is None:
            raise ValueError(
                "the description length requires the training rows, which are not stored with the model; fit it again."
            )
        own = np.take_along_axis(self.predict(self.data), self.data.label[:, None, None], axis=2)[:, :, 0]
        weight = np.ones(len(own)) if self.data.weight is None else self.data.weight
        return weight @ -log_of(own)

    def _accumulated(self, per_feature: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a quantity over the feature set of each point."""
        return np.concatenate([[0.0], np.cumsum(self.sign * per_feature[self.feature])])[self.steps]

    def to_frame(self) -> Any:
        """Return the steps of the walk as a data frame."""
        names = self.evidence.counts.names
        step = np.arange(1, len(self.feature) + 1)
        change = np.where(self.sign > 0, "enters", "leaves")
        return make_frame(
            {
                "step": step,
                "feature": np.array([names[f] for f in self.feature], dtype=str),
                "change": change,
                "size": self._size_after[1:],
            }
        )

    def plot(self) -> Any:
        """Plot the description length along the path, with the feature that enters at each point on hover."""
        alt = import_altair()
        data, model = (part / np.log(2) for part in self.description_length())
        names = self.evidence.counts.names
        last = ["(none)", *(chart_text(names[f]) for f in self.feature)]
        rows = [
            {"features": int(k), "bits": float(b), "part": part, "last step": last[s]}
            for part, curve in (("labels", data), ("model", model), ("total", data + model))
            for k, b, s in zip(self.grid, curve, self.steps)
        ]
        x = knob_x("features", self.grid)
        return (
            alt.Chart(alt.Data(values=rows))
            .mark_line(point=True)
            .encode(x=x, y="bits:Q", color="part:N", tooltip=["features:Q", "part:N", "bits:Q", "last step:N"])
            .properties(width=480, height=280, title=f"Description length, features in {self.order} order")
        )


@dataclass(frozen=True)
class FeatureFamily:
    """Family of :class:`FeaturePath`: by mutual information, or greedily by description length."""

    prior_strength: float
    prior_mean: PriorMean
    order: str = "greedy"
    backward: bool = False
    max_features: int | None = None
    stops_by_mdl: bool = False
    verbose: bool | None = None
    correction: str | None = None
    is_regularized: bool = False

    def path(self, data: DiscreteData | Counts, grid: NDArray | None = None, *, run: Run = ALONE) -> FeaturePath:
        """Fit the path to samples or, in the order of information, to their counts."""
        counts = data if isinstance(data, Counts) else counts_of(data)
        evidence = Evidence(counts, self.prior_strength, self.prior_mean)
        rows = None if isinstance(data, Counts) else data
        if self.order == "information" or rows is None:
            sizes = _sizes(self._most(counts)) if grid is None else np.asarray(grid)
            return information_path(evidence, rows, sizes, self.correction, self.is_regularized)
        cost = feature_cost(counts.class_count, counts.n_occurring + counts.has_missing)
        feature, sign, trace = self._search(evidence, rows, cost, grid, run)
        path = FeaturePath(evidence, rows, feature, sign, np.arange(len(feature) + 1), cost, self.order, trace)
        return replace(path, steps=_best_step_of_sizes(path, grid))

    def _most(self, counts: Counts) -> int:
        return counts.n_features if self.max_features is None else min(self.max_features, counts.n_features)

    def _search(
        self, evidence: Evidence, data: DiscreteData, cost: Any, grid: Any, run: Run
    ) -> tuple[NDArray, NDArray, NDArray]:
        counts = evidence.counts
        if grid is not None:
            most, patience = int(grid[-1]), ENDLESS
        elif self.stops_by_mdl:
            most, patience = self._most(counts), PATIENCE
        elif self.max_features is not None:
            most, patience = self._most(counts), ENDLESS
        else:
            most, patience = min(MAX_GREEDY, counts.n_features), PATIENCE
        with kernel_progress(None if self.stops_by_mdl else most, "MDL feature search", self.verbose) as show:
            search = _core.MdlSearch(
                label=data.label,
                weight=data.weight,
                log_prior=np.ascontiguousarray(evidence.log_prior),
                table=np.ascontiguousarray(evidence.log_table),
                feature_cost=np.ascontiguousarray(cost),
                size_cost=subset_cost(np.arange(most + 1), counts.n_features),
                max_features=most,
                patience=patience,
                patience_on_data=not self.stops_by_mdl,
                backward=self.backward,
                threads=data.coder.threads,
                progress=run.cancel or show,
            )
            found = data.block.search_mdl(search)
        if not found.in_time:
            accept_prefix(grid is None, "sizes of the path")
        return found.feature, found.sign, found.data


@dataclass(frozen=True)
class PriorPath(RowsPath):
    """Naive Bayes models over the prior strength, from strong (simple) to weak."""

    data: DiscreteData | None
    counts: Counts
    prior_mean: PriorMean
    grid: NDArray[np.float64]
    support: NDArray[np.bool_] | None = None  # the features in the models, if not all

    knob = "prior_strength"

    @property
    def n_features(self) -> NDArray[np.int64]:
        n_used = self.counts.n_features if self.support is None else int(self.support.sum())
        return np.full(len(self.grid), n_used)

    @property
    def _events(self) -> Events | None:
        return None if self.support is None else events_of(self.support)

    def at(self, index: int) -> float:
        """Return the prior strength of one point."""
        return float(self.grid[index])

    def _evidence(self) -> list[Evidence]:
        return [Evidence(self.counts, float(n), self.prior_mean) for n in self.grid]

    def predict(self, data: DiscreteData) -> NDArray[np.float64]:
        """Return class probabilities at all points: (samples, points, classes)."""
        points = [
            normalize(data.block.score(e.log_table, self._events, data.coder.threads)[:, 0] + e.log_prior)
            for e in self._evidence()
        ]
        return np.stack(points, axis=1)

    def loo(self) -> LeaveOneOut:
        assert self.data is not None
        points = [loo_probabilities(e, self.data, self._events)[:, 0] for e in self._evidence()]
        return LeaveOneOut(np.stack(points, axis=1), True)


@dataclass(frozen=True)
class PriorFamily:
    """Family of :class:`PriorPath`."""

    prior_mean: PriorMean
    support: NDArray[np.bool_] | None = None

    def path(self, data: DiscreteData | Counts, grid: NDArray | None = None, *, run: Run = ALONE) -> PriorPath:  # noqa: ARG002
        values = prior_grid(21) if grid is None else grid
        counts, rows = (data, None) if isinstance(data, Counts) else (counts_of(data), data)
        return PriorPath(rows, counts, self.prior_mean, values, self.support)


def is_given(features: Any) -> bool:
    """Return True if `features` lists the set itself, rather than its size or a rule."""
    return not (features is None or isinstance(features, str) or np.ndim(features) == 0)


def prior_grid(grid: Any) -> NDArray[np.float64]:
    """Return the prior strengths that rules compare, in decreasing order, given their number or themselves."""
    if isinstance(grid, Integral) and not isinstance(grid, bool) and int(grid) >= 1:
        return np.geomspace(*PRIOR_RANGE, int(grid))
    try:
        values = np.unique(np.asarray(grid, dtype=np.float64).ravel())[::-1].copy()
    except (TypeError, ValueError):
        values = np.empty(0)
    if np.ndim(grid) != 1 or not values.size or not np.isfinite(values).all() or values[-1] < 0:
        raise ValueError(
            f"grid must be a number of prior strengths or an array of prior strengths >= 0, got {plain(grid)!r}."
        )
    return values


def events_of(support: NDArray[np.bool_]) -> Events | None:
    """Return one set of features in the form that the kernels expect; None if all are in it."""
    if support.all():
        return None
    start = np.concatenate([[0], np.cumsum(support)]).astype(np.int64)
    n_used = int(start[-1])
    return start, np.zeros(n_used, dtype=np.int32), np.ones(n_used, dtype=np.int8), 1


def information_path(
    evidence: Evidence,
    data: DiscreteData | None,
    sizes: NDArray[np.int64],
    correction: str | None = None,
    is_regularized: bool = False,
) -> FeaturePath:
    """Return the path with features in the order of their mutual information with the label.

    It is computed from the counts or, if `is_regularized`, from the regularized estimates.
    """
    counts = evidence.counts
    found = information(counts.table, counts.offsets)
    score = evidence.information if is_regularized else (found.corrected() if correction else found).mutual
    feature = np.argsort(-score, kind="stable").astype(np.int32)
    cost = feature_cost(counts.class_count, counts.n_occurring + counts.has_missing)
    sign = np.ones(len(feature), dtype=np.int8)
    return FeaturePath(evidence, data, feature, sign, np.minimum(sizes, len(feature)), cost, "information")


def counts_of(data: DiscreteData) -> Counts:
    """Return the counts of labeled and unlabeled samples."""
    counts = Counts.of_block(data.block, data.label, data.weight, data.classes, data.coder)
    return counts if data.unlabeled is None else counts.with_unlabeled(data.unlabeled, threads=data.coder.threads)


def keep_names(model: Any, counts: Counts) -> None:
    """Set `n_features_in_` and `feature_names_in_` of a model, as scikit-learn does, from the columns of counts."""
    model.n_features_in_ = counts.n_features
    if not isinstance(counts.names, NumberedNames):
        model.feature_names_in_ = np.asarray(list(counts.names), dtype=object)
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_


def loo_probabilities(evidence: Evidence, data: DiscreteData, events: Events | None = None) -> NDArray[np.float64]:
    """Return class probabilities of each sample by the model of all others: (samples, points, classes)."""
    return normalize(loo_scores(evidence, data, events))


def loo_scores(evidence: Evidence, data: DiscreteData, events: Events | None = None) -> NDArray[np.float64]:
    """Return log P(x, y) of each sample by the model of all others: (samples, points, classes).

    Samples of one class and weight share a table, so this costs a prediction pass and a table for each of these groups.
    """
    if data.n_rows < 2:
        raise ValueError("leave-one-out requires at least two rows, got n_samples = 1.")
    n_points = 1 if events is None else events[3]
    out = np.empty((data.n_rows, n_points, evidence.counts.n_classes))
    weight = np.ones(data.n_rows) if data.weight is None else data.weight
    groups, group_of_row = np.unique(np.column_stack([data.label, weight]), axis=0, return_inverse=True)
    for g, (label, w) in enumerate(groups):
        rows = np.flatnonzero(group_of_row.reshape(-1) == g)
        log_prior, table = evidence.without_row(int(label), float(w))
        score = data.block.take(rows).score(table, events, data.coder.threads)
        out[rows] = score + log_prior
    return out


def _sizes(most: int) -> NDArray[np.int64]:
    """Return 0 .. most, or about MAX_POINTS sizes that grow geometrically."""
    if most < MAX_POINTS:
        return np.arange(most + 1)
    return np.unique(np.concatenate([np.arange(9), np.geomspace(8, most, MAX_POINTS - 8).round().astype(np.int64)]))


def _best_step_of_sizes(path: FeaturePath, grid: NDArray | None) -> NDArray[np.int64]:
    """Return, for each size, the step with the best set of that size; sizes not reached take the largest."""
    size = path._size_after
    if not (path.sign < 0).any():
        first = np.arange(len(size))
    else:
        data, model = path.description_length()
        by_length = np.lexsort((data + model, size))
        first = by_length[np.searchsorted(size[by_length], np.arange(size.max() + 1))]
    if grid is None:
        return first
    return first[np.minimum(grid, len(first) - 1)]
