"""`Comparison`: errors of several models on the same folds, and the statistics derived from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from vitalfew.rules.charts.parts import chart_text
from vitalfew.support.optional import import_altair, make_frame


class Difference(NamedTuple):
    """Mean paired difference over folds."""

    value: float
    standard_error: float
    p_value: float
    low: float
    high: float
    n_folds: int


def corrected_mean(values: NDArray[np.float64], test_share: float) -> tuple[float, float]:
    r"""Compute the mean over folds and its standard error, corrected for overlapping training sets.

    .. math:: \sqrt{\left( \tfrac1J + \tfrac{n_{test}}{n_{train}} \right) s^2}

    with the sample variance :math:`s^2` of the J values (Nadeau & Bengio, 2003, doi:10.1023/A:1024068626366).
    `test_share` is the ratio of test samples to training samples.
    """
    n = len(values)
    if n == 0:
        return np.nan, np.nan
    mean = float(np.mean(values))
    return mean, float(np.sqrt((1 / n + test_share) * np.var(values, ddof=1))) if n > 1 else np.nan


def paired_difference(a: NDArray[np.float64], b: NDArray[np.float64], test_share: float) -> Difference:
    """Compare a and b fold by fold with the corrected t test of Nadeau and Bengio on J - 1 degrees of freedom."""
    mean, error = corrected_mean(a - b, test_share)
    n = len(a)
    if error != error:
        return Difference(mean, np.nan, np.nan, np.nan, np.nan, n)
    reach = float(stats.t.ppf(0.975, n - 1)) * error
    with np.errstate(divide="ignore"):
        p_value = 1.0 if mean == 0 else float(2 * stats.t.sf(abs(np.float64(mean)) / error, n - 1))
    return Difference(mean, error, p_value, mean - reach, mean + reach, n)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Result of :func:`~vitalfew.compare`.

    Attributes
    ----------
    names : list of str
        Names of the models in the order given, the baseline first.
    errors, n_features, seconds : ndarray of shape (n_models, n_folds)
        Results of each model on each fold; NaN if it was not run or failed. Seconds include fitting and predicting.
    n_train, n_test : ndarray of shape (n_folds,)
    metric : str
        Name of the error; lower is better.
    baseline : str or None
        Name of the model that ignores the features.
    failures : dict of str
        By model name: the fold and the error that it failed with.
    seed : int
        Seed of the folds and models.
    rows : list of dict
        One entry per model, the best first and models that could not be compared last. `error` is the mean over folds
        and `se` its corrected standard error; `difference`, `difference_se` and `p_value` are paired with the best
        model; `n_features` and `seconds` are means over folds. `status` is ``"ok"``, or says what is missing and why.
    best : str or None
        The model with the smallest error.
    simplest : str or None
        The model with the fewest features among those within one standard error of the best.

    Notes
    -----
    If time ran out, errors are means over the folds that all models completed. A model that is more than one fold
    behind is excluded, and its entry says so. The best model is the best of several: its p-values against the others
    are not corrected for that choice.
    """

    names: list[str]
    errors: NDArray[np.float64]
    n_features: NDArray[np.float64]
    seconds: NDArray[np.float64]
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]
    metric: str
    baseline: str | None = None
    failures: dict[str, str] = field(default_factory=dict)
    seed: int = 0

    @property
    def n_folds(self) -> int:
        return len(self.n_train)

    @property
    def best(self) -> str | None:
        return None if self._best is None else self.names[self._best]

    @property
    def simplest(self) -> str | None:
        near = [line for line in self.rows if line["within_one_se"]]
        return min(near, key=_complexity)["name"] if near else None

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        lines = [self._line(m) for m in range(len(self.names))]
        front = set(self._front())
        for m, line in enumerate(lines):
            line["is_on_frontier"] = m in front
        return sorted(lines, key=lambda line: (self.names.index(line["name"]) not in self._compared, _error(line)))

    def difference(self, first: str, second: str) -> Difference:
        """Compute the error of the first model minus that of the second, on the folds that both completed.

        Returns
        -------
        Difference
            ``value``, ``standard_error``, ``p_value`` (two-sided, of the corrected t test), and a 95% interval ``low``
            to ``high``; NaN where there are fewer than two folds.
        """
        a, b = self._index(first), self._index(second)
        both = ~np.isnan(self.errors[a]) & ~np.isnan(self.errors[b])
        return paired_difference(self.errors[a, both], self.errors[b, both], self._test_share(both))

    def frontier(self) -> list[dict[str, Any]]:
        """Return the Pareto frontier of error and number of features, by increasing number of features."""
        by_name = {line["name"]: line for line in self.rows}
        return [
            {key: by_name[self.names[m]][key] for key in ("name", "n_features", "error", "se")} for m in self._front()
        ]

    def table(self):
        """Return the rows as a data frame (pandas, polars or Arrow, whichever is installed)."""
        columns = {key: [line[key] for line in self.rows] for key in self.rows[0]}
        texts = ("name", "status")
        return make_frame({k: np.array(v, dtype=object if k in texts else None) for k, v in columns.items()})

    to_frame = table

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and strings, with None for unknown values."""
        return {
            "metric": self.metric,
            "n_folds": self.n_folds,
            "n_train": self.n_train.tolist(),
            "n_test": self.n_test.tolist(),
            "seed": self.seed,
            "best": self.best,
            "simplest": self.simplest,
            "baseline": self.baseline,
            "rows": [{key: _plain(value) for key, value in line.items()} for line in self.rows],
            "frontier": [{key: _plain(value) for key, value in line.items()} for line in self.frontier()],
            "names": list(self.names),
            "errors": [[_plain(e) for e in line] for line in self.errors.tolist()],
        }

    def plot(self):
        """Plot error against number of features with one-standard-error bars, and the frontier, as an Altair chart."""
        alt = import_altair()
        drawn = [line for line in self.rows if _is_drawable(line)]
        points = [
            {
                "name": chart_text(line["name"]),
                "features": line["n_features"],
                "error": line["error"],
                "low": line["error"] - np.nan_to_num(line["se"]),
                "high": line["error"] + np.nan_to_num(line["se"]),
                "seconds": line["seconds"],
                "kind": self._kind(line),
            }
            for line in drawn
        ]
        wide = max((p["features"] for p in points), default=0) > 50
        x = alt.X("features:Q", scale=alt.Scale(type="symlog" if wide else "linear"), title="number of features")
        y = alt.Y("error:Q", title=self.metric, scale=alt.Scale(zero=False))
        base = alt.Chart(alt.Data(values=points))
        tooltip = [
            "name:N",
            *(alt.Tooltip(f"{k}:Q", format=".4g") for k in ("features", "error", "low", "high", "seconds")),
        ]
        front = [{"features": f["n_features"], "error": f["error"]} for f in self.frontier() if _is_drawable(f)]
        layers = [
            alt.Chart(alt.Data(values=front))
            .mark_line(interpolate="step-after", color="gray", strokeDash=[4, 4])
            .encode(x=x, y=y),
            base.mark_rule().encode(x=x, y=alt.Y("low:Q", title=self.metric), y2="high:Q"),
            base.mark_point(filled=True, size=90).encode(
                x=x, y=y, tooltip=tooltip, color=alt.Color("kind:N", title=None), shape=alt.Shape("kind:N", title=None)
            ),
            base.mark_text(align="left", dx=8, dy=-6).encode(x=x, y=y, text="name:N"),
        ]
        title = f"{self.metric} on {self.n_folds} folds, with selection inside each fold"
        return alt.layer(*layers).properties(title=title, width=520, height=320)

    def __repr__(self) -> str:
        head = f"{self.metric} on {self.n_folds} folds: best {self.best!r}, simplest within one standard error "
        lines = [head + repr(self.simplest)]
        width = max(len(repr(name)) for name in self.names)
        for line in self.rows:
            numbers = f"{line['error']:.4g} ± {line['se']:.2g}, {line['n_features']:.4g} features"
            state = "" if line["status"] == "ok" else f" ({line['status']})"
            lines.append(f"  {line['name']!r:<{width}}  {numbers}{state}")
        return "\n".join(lines)

    def _kind(self, line) -> str:
        if line["name"] == self.best:
            return "best"
        if line["name"] == self.simplest:
            return "simplest within one standard error"
        return "baseline" if line["is_baseline"] else "other"

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"unknown model {name!r}; expected one of {self.names}.")
        return self.names.index(name)

    def _test_share(self, folds: NDArray[np.bool_]) -> float:
        return float(self.n_test[folds].mean() / self.n_train[folds].mean()) if folds.any() else np.nan

    @cached_property
    def _is_done(self) -> NDArray[np.bool_]:
        done = ~np.isnan(self.errors)
        for name in self.failures:
            done[self._index(name)] = False
        return done

    @cached_property
    def _compared(self) -> list[int]:
        """Models at most one fold behind; if these share no fold, those with the most folds."""
        count = self._is_done.sum(axis=1)
        most = int(count.max(initial=0))
        if most == 0:
            return []
        near = np.flatnonzero(count >= max(most - 1, 1))
        if not self._is_done[near].all(axis=0).any():
            near = np.flatnonzero(count == most)
        if not self._is_done[near].all(axis=0).any():
            near = near[:1]
        return near.tolist()

    @cached_property
    def _shared(self) -> NDArray[np.bool_]:
        """Mask of the folds completed by all compared models."""
        return np.logical_and(self._is_done[self._compared].all(axis=0), bool(self._compared))

    def _folds_of(self, m: int) -> NDArray[np.bool_]:
        return self._shared if m in self._compared else self._is_done[m]

    def _mean_error(self, m: int) -> float:
        folds = self._folds_of(m)
        return float(self.errors[m, folds].mean()) if folds.any() else np.nan

    def _mean_size(self, m: int) -> float:
        folds = self._folds_of(m)
        return float(self.n_features[m, folds].mean()) if folds.any() else np.nan

    @cached_property
    def _best(self) -> int | None:
        key = {m: (self._mean_error(m), np.nan_to_num(self._mean_size(m), nan=np.inf)) for m in self._compared}
        return min(key, key=lambda m: key[m]) if key else None

    @cached_property
    def _limit(self) -> float:
        """Largest error within one standard error of the best."""
        if self._best is None:
            return -np.inf
        mean, error = corrected_mean(self.errors[self._best, self._shared], self._test_share(self._shared))
        return mean + (error if error == error else 0.0)

    def _front(self) -> list[int]:
        least, front = np.inf, []
        for m in sorted(
            self._compared, key=lambda m: (np.nan_to_num(self._mean_size(m), nan=np.inf), self._mean_error(m))
        ):
            if self._mean_error(m) < least:
                least = self._mean_error(m)
                front.append(m)
        return front

    def _line(self, m: int) -> dict[str, Any]:
        folds = self._folds_of(m)
        error, se = corrected_mean(self.errors[m, folds], self._test_share(folds))
        both = folds & self._shared
        paired = Difference(np.nan, np.nan, np.nan, np.nan, np.nan, 0)
        if self._best is not None and both.any():
            paired = paired_difference(self.errors[m, both], self.errors[self._best, both], self._test_share(both))
        is_best = m == self._best
        return {
            "name": self.names[m],
            "error": error,
            "se": se,
            "n_features": self._mean_size(m),
            "seconds": float(self.seconds[m, folds].mean()) if folds.any() else np.nan,
            "difference": paired.value,
            "difference_se": paired.standard_error,
            "p_value": np.nan if is_best else paired.p_value,
            "within_one_se": m in self._compared and error <= self._limit,
            "is_on_frontier": False,
            "is_baseline": self.names[m] == self.baseline,
            "n_folds": int(folds.sum()),
            "status": self._status(m),
        }

    def _status(self, m: int) -> str:
        name = self.names[m]
        if name in self.failures:
            return f"failed: {self.failures[name]}"
        done = int(self._is_done[m].sum())
        if done == self.n_folds:
            return "ok"
        return f"partial: {done} of {self.n_folds} folds, time budget" if done else "not run: time budget"


def _complexity(line) -> tuple[float, float]:
    return (np.inf if np.isnan(line["n_features"]) else line["n_features"], line["error"])


def _error(line) -> float:
    return line["error"] if line["error"] == line["error"] else np.inf


def _is_drawable(line) -> bool:
    return bool(np.isfinite(line["error"]) and np.isfinite(line["n_features"]))


def _plain(value):
    """Convert a value to its JSON equivalent."""
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return bool(value) if isinstance(value, np.bool_) else value
