"""Model choice: each candidate is evaluated on held-out labeled documents."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitalfew.labeling.candidates import Candidate, LabeledDocuments, Others
from vitalfew.rules.paired import held_out, losses_by_fold, prefer, standard_error, within_noise
from vitalfew.support.progress import progress

FOLDS = 5
# Maximum number of labeled documents for model choice; more would take long and add little.
MOST_TRIED = 2000
# Model used where labeled documents cannot decide: with few labels it is by far the best.
PREFERRED = "em"


@dataclass(frozen=True)
class Score:
    """Performance of one model on held-out labeled documents."""

    name: str
    knob: float
    error: float
    standard_error: float
    excess: float  # error minus that of the best model
    excess_error: float  # its standard error over documents


@dataclass(frozen=True)
class LabelerChoice:
    """The chosen model, the value of its hyperparameter, and the reason."""

    candidate: Candidate
    knob: float
    scores: tuple[Score, ...]
    n_tried: int
    why: str


def choose(
    candidates: Sequence[Candidate], labeled: LabeledDocuments, others: Others, random_state, verbose: bool | None
) -> LabelerChoice:
    """Choose a model by cross-validation on the labeled documents.

    The label of a document is used neither to fit the model evaluated on it nor to choose the hyperparameter of that
    model: the default value is used, unless another one does better in the other folds by more than one standard error.
    The chosen model has the smallest error, or is EM if that is within one standard error of it (of the paired
    differences over documents).
    """
    tried = labeled.take(_stratified(labeled.code, MOST_TRIED, random_state))
    folds = held_out(tried.code, FOLDS, random_state)
    if not folds:
        first = candidates[0]
        why = "no class has two labeled documents for validation; this model is the default for few labels."
        return LabelerChoice(first, first.grid[0], (), 0, why)
    losses, knobs = [], []
    with progress(len(candidates) * len(folds), "validating models", verbose) as bar:
        for candidate in candidates:
            loss = _losses(candidate, tried, others, folds, bar)
            knobs.append(candidate.grid[prefer(loss, 0)])
            losses.append(_cross_fitted(loss, [len(f) for f in folds]))
    scores = _scores(candidates, knobs, np.array(losses))
    index, why = _decide(scores, np.array(losses))
    return LabelerChoice(candidates[index], scores[index].knob, tuple(scores), len(losses[0]), why)


def _losses(candidate: Candidate, tried: LabeledDocuments, others: Others, folds, bar) -> NDArray[np.float64]:
    """Return the zero-one losses of held-out documents: (values of the hyperparameter, documents in fold order)."""

    def losses(train: NDArray[np.intp], test: NDArray[np.intp]) -> NDArray[np.float64]:
        rows = tried.take(test)
        models = candidate.models(tried.take(train), others, candidate.grid)
        bar.update(1)
        return np.array([m.predict(rows) != rows.code for m in models], dtype=float)

    return losses_by_fold(losses, tried.n_rows, folds)


def _cross_fitted(loss: NDArray, sizes: list[int]) -> NDArray[np.float64]:
    """Return the losses of each fold at the value that the other folds choose."""
    start = np.concatenate([[0], np.cumsum(sizes)])
    found = np.empty(loss.shape[1])
    for a, b in itertools.pairwise(start):
        rest = np.delete(loss, np.s_[a:b], axis=1)
        found[a:b] = loss[prefer(rest, 0) if rest.size else 0, a:b]
    return found


def _scores(candidates: Sequence[Candidate], knobs: list[float], losses: NDArray) -> list[Score]:
    error = losses.mean(axis=1)
    excess = losses - losses[int(np.argmin(error))]
    return [
        Score(c.name, k, float(e), float(standard_error(own)), float(x.mean()), float(standard_error(x)))
        for c, k, e, own, x in zip(candidates, knobs, error, losses, excess)
    ]


def _decide(scores: list[Score], losses: NDArray) -> tuple[int, str]:
    best = int(np.argmin([s.error for s in scores]))
    preferred = next((i for i, s in enumerate(scores) if s.name == PREFERRED), best)
    s = scores[preferred]
    if preferred == best:
        rest = [r for i, r in enumerate(scores) if i != best]
        if not rest:
            return best, "it was requested."
        second = min(rest, key=lambda r: r.error)
        return best, f"it has the lowest error, {s.error:.1%}; {second.name}, the next best, has {second.error:.1%}."
    least = f"{scores[best].name} has the lowest error, {scores[best].error:.1%}"
    if within_noise(losses, best)[preferred]:
        return preferred, f"{least}, but {s.error:.1%} is within one standard error ({s.excess_error:.1%}) of it."
    return best, f"{least}; {s.name} has {s.error:.1%}, more than one standard error ({s.excess_error:.1%}) above."


def _stratified(code: NDArray[np.int32], most: int, random_state) -> NDArray[np.intp]:
    """Draw at most about `most` rows, stratified by class, with at least five of each class that has them."""
    n = len(code)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(random_state)
    kept = []
    for c in np.unique(code):
        rows = rng.permutation(np.flatnonzero(code == c))
        kept.append(rows[: max(min(5, len(rows)), round(len(rows) * most / n))])
    return np.sort(np.concatenate(kept))
