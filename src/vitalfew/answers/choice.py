"""Choice of a few features and of the best model from a table of out-of-fold predictions, and their honest error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vitalfew.answers.out_of_fold_table import OutOfFoldTable
from vitalfew.answers.recipes import Candidate
from vitalfew.evaluation.calibration import tempered
from vitalfew.families.ensembles.blend_weights import blend_weights

N_DRAWS = 300
# Divisions of the rows into halves, on which the blend is compared with the best candidate.
N_HALVES = 4
LEVEL = 0.95
# Members that a blend chooses among: the best candidates of each learner, and the best of all.
MOST_PER_LEARNER, MOST_MEMBERS = 3, 24
# Members of less weight are left out.
LEAST_WEIGHT = 0.03


@dataclass(frozen=True)
class Estimate:
    """Error of a procedure on new rows, with an interval."""

    error: float
    low: float
    high: float


@dataclass(frozen=True)
class Point:
    """Point of the frontier: the best candidate of a size."""

    size: int
    candidate: int
    loss: float
    error: float


@dataclass(frozen=True)
class Halves:
    """Losses and errors of each row by choices that were made on other rows."""

    blend_loss: NDArray[np.float64]
    blend_error: NDArray[np.float64]
    single_loss: NDArray[np.float64]

    @property
    def is_blend_better(self) -> bool:
        return bool(self.blend_loss.mean() < self.single_loss.mean())


@dataclass(frozen=True)
class Choice:
    """Frontier, `few` and `best` of a table."""

    table: OutOfFoldTable
    price: float | None = None  # accepted increase of the loss, in its unit; None: one standard error
    seed: int = 0

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        return np.array([c.size for c in self.table.candidates], dtype=np.intp)

    @cached_property
    def frontier(self) -> list[Point]:
        """Best candidate of each size by its loss."""
        loss, error = self.table.loss.mean(axis=0), self.table.error.mean(axis=0)
        found = []
        for k in np.unique(self.sizes):
            at = np.flatnonzero(self.sizes == k)
            best = int(at[loss[at].argmin()])
            found.append(Point(int(k), best, float(loss[best]), float(error[best])))
        return found

    @cached_property
    def best_single(self) -> int:
        """Candidate of the lowest loss."""
        return int(self.table.loss.mean(axis=0).argmin())

    @cached_property
    def few(self) -> int:
        """Candidate of the smallest size whose loss is within the price of the best."""
        return self._few_of(None)

    def _few_of(self, weight: NDArray[np.float64] | None) -> int:
        """Apply the rule for `few` to weighted rows."""
        loss = self.table.loss
        n = len(loss)
        w = np.full(n, 1 / n) if weight is None else weight / weight.sum()
        mean = w @ loss
        best = int(mean.argmin())
        for k in np.unique(self.sizes):
            at = np.flatnonzero(self.sizes == k)
            own = int(at[mean[at].argmin()])
            more = loss[:, own] - loss[:, best]
            excess = float(w @ more)
            price = np.sqrt(max(float(w @ more**2) - excess**2, 0.0) / n) if self.price is None else self.price
            if excess <= price:
                return own
        return best

    @cached_property
    def blend(self) -> dict[int, float]:
        """Candidates of the blend and their weights."""
        return self._blend_on(np.arange(len(self.table.rows)))

    def _blend_on(self, rows: NDArray[np.intp]) -> dict[int, float]:
        members = self._members(rows)
        found = self._predictions(members, rows)
        weight = blend_weights(found, self.table.target[rows], is_classification=not self.table.problem.is_numeric)
        weight = np.where(weight < LEAST_WEIGHT, 0.0, weight)
        weight /= weight.sum()
        return {m: float(w) for m, w in zip(members, weight) if w > 0}

    def _members(self, rows: NDArray[np.intp]) -> list[int]:
        mean = self.table.loss[rows].mean(axis=0)
        taken: dict[str, int] = {}
        found = []
        for m in np.argsort(mean, kind="stable").tolist():
            name = self.table.candidates[m].task.learner.name
            if taken.get(name, 0) < MOST_PER_LEARNER:
                taken[name] = taken.get(name, 0) + 1
                found.append(m)
        return found[:MOST_MEMBERS]

    def _predictions(self, members: list[int], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return values, or calibrated probabilities, of the members: (members, rows[, classes])."""
        found = []
        for m in members:
            own = self.table.predictions[self.table.candidates[m]][rows]
            found.append(own if own.ndim == 1 else np.exp(tempered(own, self.table.temperatures[m])))
        return np.stack(found).astype(np.float64)

    def blended(self, weights: dict[int, float], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the predictions of a blend."""
        return np.tensordot(np.array(list(weights.values())), self._predictions(list(weights), rows), axes=1)

    @cached_property
    def best(self) -> dict[int, float]:
        """Candidates of the best model and their weights: the blend if its loss is lower, else the best candidate.

        The losses of the two procedures are compared on rows that the choice has not seen.
        """
        return self.blend if len(self.blend) > 1 and self._halves.is_blend_better else {self.best_single: 1.0}

    @cached_property
    def best_error(self) -> Estimate:
        """Error of the best model; that of `few` if it is the same model."""
        if len(self.best) > 1:
            return self.blend_error
        return self.few_error if self.few in self.best else self.single_error

    @cached_property
    def blend_error(self) -> Estimate:
        """Error of the blend: weights are chosen on one half of the rows and scored on the other, several times."""
        return self._with_interval(self._halves.blend_error)

    @cached_property
    def _halves(self) -> Halves:
        """Choose the weights and the best candidate on one half of the rows and score them on the other, repeatedly."""
        rng = np.random.default_rng([self.seed, 2])
        n = len(self.table.rows)
        found = Halves(np.zeros(n), np.zeros(n), np.zeros(n))
        for _ in range(N_HALVES):
            order = rng.permutation(n)
            for own, other in ((order[: n // 2], order[n // 2 :]), (order[n // 2 :], order[: n // 2])):
                loss, error = self._scored(self.blended(self._blend_on(own), other), other)
                found.blend_loss[other] += loss / N_HALVES
                found.blend_error[other] += error / N_HALVES
                single = int(self.table.loss[own].mean(axis=0).argmin())
                found.single_loss[other] += self.table.loss[other, single] / N_HALVES
        return found

    def _scored(self, prediction: NDArray[np.float64], rows: NDArray[np.intp]) -> tuple[NDArray, NDArray]:
        """Return the loss and the error of each row."""
        target = self.table.target[rows]
        if prediction.ndim == 1:
            error = (prediction - target) ** 2
            return error, error
        loss = -np.log(np.maximum(prediction[np.arange(len(rows)), target], np.finfo(np.float64).tiny))
        return loss, (prediction.argmax(axis=1) != target).astype(np.float64)

    def _with_interval(self, each: NDArray[np.float64]) -> Estimate:
        rng = np.random.default_rng([self.seed, 3])
        drawn = rng.multinomial(len(each), np.full(len(each), 1 / len(each)), N_DRAWS) @ each / len(each)
        return self._estimate(float(each.mean()), drawn)

    def _estimate(self, mean: float, drawn: NDArray[np.float64]) -> Estimate:
        low, high = np.quantile(drawn, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
        low, high = max(low, 0.0), max(high, 0.0)
        shown = np.sqrt if self.table.problem.is_numeric else float
        return Estimate(float(shown(mean)), float(shown(low)), float(shown(high)))

    @cached_property
    def single_error(self) -> Estimate:
        """Error of the procedure that chooses the single best candidate, by the same bootstrap."""
        return self._bias_corrected(lambda count: int((count @ self.table.loss).argmin()))

    @cached_property
    def few_error(self) -> Estimate:
        """Error of the procedure that chooses `few`, by bootstrap bias-corrected cross-validation.

        Rows are drawn with replacement, the choice is repeated on the rows drawn, and its error is that on the rows not
        drawn (Tsamardinos, Greasidou & Borboudakis, 2018, doi:10.1007/s10994-018-5714-4).
        """
        return self._bias_corrected(self._few_of)

    def _bias_corrected(self, choose: Callable[[NDArray[np.float64]], int]) -> Estimate:
        rng = np.random.default_rng([self.seed, 1])
        n = len(self.table.rows)
        found = []
        for _ in range(N_DRAWS):
            count = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
            out = count == 0
            if out.any():
                found.append(self.table.error[out, choose(count)].mean())
        return self._estimate(float(np.mean(found)), np.array(found))

    def error_of(self, at: int) -> tuple[float, float]:
        """Return the out-of-fold error of one candidate and its standard error, without a correction for choosing."""
        each = self.table.error[:, at]
        mean, se = float(each.mean()), float(each.std() / np.sqrt(len(each)))
        if not self.table.problem.is_numeric:
            return mean, se
        return float(np.sqrt(mean)), se / max(2 * float(np.sqrt(mean)), 1e-300)

    @property
    def price_said(self) -> str:
        """Sentence on the rule for `few`."""
        loss = "squared error" if self.table.problem.is_numeric else "log loss"
        if self.price is not None:
            return f"Few: the smallest number of features whose {loss} is at most {self.price:g} above the lowest."
        return (
            f"Few: the smallest number of features whose {loss} is within one standard error of the difference to the "
            "lowest."
        )

    def candidate(self, at: int) -> Candidate:
        return self.table.candidates[at]
