"""Rules that score predictions on samples the model has not seen: k-fold, hold-out, leave-one-out and out-of-bag."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv, train_test_split

from vitalfew.rules.path import Family, LeavingOneOut, OutOfBagScored, Path
from vitalfew.rules.scoring import PointScores, Targets, deviation, loss_of, score, score_predictions
from vitalfew.rules.selection import Selection
from vitalfew.summaries.fold_summaries import Summaries
from vitalfew.support.checks import is_count
from vitalfew.support.progress import progress

if TYPE_CHECKING:
    from vitalfew.rules.registry import Options

GCV = "approximate; generalized cross-validation: leverages are replaced by their mean"
# Seed of folds and splits without a `random_state`.
DEFAULT_SEED = 0


def with_splits(options: Options, data: Any) -> Options:
    """Return the options with the folds already drawn, so that every use of them sees the same folds."""
    splitter = make_splitter(options.cv, options.random_state, data.y, is_classified(data))
    given = getattr(data, "given", None)
    y = data.y if given is None else given.y
    with warnings.catch_warnings():
        # Harmless: a class with fewer members than folds is only missing from some test folds.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        drawn = list(splitter.split(np.zeros((len(y), 1)), y))
    return replace(options, cv=check_cv(drawn))


def choose_by_folds(rule: str, path: Path, family: Family, data: Any, options: Options) -> Selection:
    """Select a point by its mean score over folds, with the path refitted on each.

    The rule "cv" takes the best point, "1se" the simplest within one standard error of it. Data may be summaries of
    folds if the family fits them.
    """
    splits = data.folds if isinstance(data, Summaries) else splits_of(data, options)
    found = []
    own = getattr(family, "fold_paths", None)
    fitted = paths_in_turn(family, data, splits, path) if own is None else own(data, splits, path, options)
    with progress(len(splits), f"{path.knob} by {rule!r}", options.verbose) as bar:
        for of_fold, tested in fitted:
            found.append(score(of_fold, tested, options.scoring).value)
            bar.update()
    return select_from_folds(rule, path, np.array(found), options.scoring)


def splits_of(data: Any, options: Options) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the training and test rows of each fold, without the rows of weight zero."""
    # Skip folds whose samples all have weight zero: they test nothing.
    splits = [(train, test) for train, test in data.folds(with_splits(options, data).cv) if len(test)]
    if not splits or any(len(train) == 0 for train, _ in splits):
        raise ValueError("a fold has no training rows with a positive weight; use fewer folds or other weights.")
    return splits


def paths_in_turn(family: Family, data: Any, splits: Any, path: Path) -> Iterator[tuple[Any, Any]]:
    """Yield the path of each fold over the grid of `path` and the samples to test it on, one fold after the other."""
    for train, test in splits:
        fitted, tested = data.split(train, test)
        yield family.path(fitted, path.grid), tested


def select_from_folds(rule: str, path: Path, scores: Any, scoring: Any = None) -> Selection:
    """Select a point from a table of scores: (folds, points)."""
    spread = deviation(scores) / np.sqrt(len(scores)) if len(scores) > 1 else np.full(scores.shape[1], np.nan)
    return _select(rule, path, PointScores(scores.mean(axis=0), spread), scoring)


def choose_by_holdout(rule: str, path: Path, family: Family, data: Any, options: Options) -> Selection:
    """Select a point by its score on held-out samples.

    These are the validation samples of the data, if there are any, and the path is not fitted again. Otherwise they are
    the split that `cv` gives, or a quarter of the samples.
    """
    if getattr(data, "validation", None) is not None:
        return _select(rule, path, score(path, data.validation, options.scoring), options.scoring)
    given = getattr(data, "given", None)
    y = data.y if given is None or is_count(options.cv) else given.y
    split = holdout_split(options.cv, options.random_state, y, is_classified(data))
    if given is not None and not is_count(options.cv):  # the splitter indexes the original rows
        split = given.to_kept(split[0]), given.to_kept(split[1])
    fitted, tested = data.split(*split)
    return _select(rule, path, score(family.path(fitted, path.grid), tested, options.scoring), options.scoring)


def choose_by_loo(rule: str, path: LeavingOneOut, _family: Any, data: Any, options: Options) -> Selection:
    """Select a point by its leave-one-out score or, from moments, by generalized cross-validation."""
    n_rows = data.total.n_rows if isinstance(data, Summaries) else data.n_rows
    if n_rows < 2:
        raise ValueError(f"{path.knob}='loo' requires at least two rows, got n_samples = {n_rows}.")
    if isinstance(data, Summaries):
        value = path.gcv()  # type: ignore[attr-defined]
        selection = _select(rule, path, PointScores(value, np.full(len(value), np.nan)), None)
        return replace(selection, note=GCV)
    found = path.loo()
    scores = score_predictions(found.prediction, data, loss_of(path), options.scoring)
    kind = "exact" if found.is_exact else "approximate"
    return replace(_select(rule, path, scores, options.scoring), note=f"{kind}; {found.note}" if found.note else kind)


def choose_by_oob(rule: str, path: OutOfBagScored, _family: Any, data: Any, options: Options) -> Selection:
    """Select a point by its out-of-bag score: each sample is predicted by the learners that have not seen it."""
    found = path.oob()
    if not found.share_out.any():
        raise ValueError(
            f"{path.knob}={rule!r} requires out-of-bag rows, but every bag contains all rows; draw fewer "
            "(max_samples) or with replacement (bootstrap=True)."
        )
    scores = PointScores(found.value, found.standard_error)
    if options.scoring is not None:
        scores = _score_by_point(found, data, options.scoring)
    selection = _select(rule, path, scores, options.scoring)
    return replace(selection, note=f"{found.share_out[selection.index]:.0%} of the rows are out of at least one bag")


def _score_by_point(found: Any, data: Any, scoring: Any) -> PointScores:
    values = [
        score_predictions(prediction[:, None], Targets.of(data, rows), "", scoring).value[0] if len(rows) else np.nan
        for rows, prediction in found.predictions()
    ]
    return PointScores(np.array(values), np.full(len(values), np.nan))


def is_classified(data: Any) -> bool:
    """Return True if the target is a class."""
    return getattr(data, "classes", None) is not None


def _strata(y: Any) -> Any:
    """Return the labels to stratify by, or None if there are too few samples per class."""
    counts = np.unique(y, return_counts=True)[1]
    return y if counts.min() >= 2 and len(y) >= 4 * len(counts) else None


def make_splitter(cv: Any, random_state: int | np.random.RandomState | None, y: Any, is_classification: bool) -> Any:
    """Return a splitter for `cv`; folds given by their number are shuffled, with a fixed seed by default.

    Sorted samples would otherwise make every fold a part of the range that the other folds do not cover.
    """
    splitter = check_cv(cv, y, classifier=is_classification)
    if cv is None or is_count(cv):
        return type(splitter)(splitter.n_splits, shuffle=True, random_state=_seed(random_state))
    return splitter


def holdout_split(
    cv: Any, random_state: int | np.random.RandomState | None, y: Any, is_classification: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the training and held-out rows: the split that `cv` gives, or a random quarter if `cv` is a number."""
    if cv is not None and not is_count(cv):
        splits = list(check_cv(cv, y, classifier=is_classification).split(np.zeros((len(y), 1)), y))
        if len(splits) != 1:
            raise ValueError(
                f"'holdout' uses a single split, but cv gives {len(splits)}; pass one, for instance "
                "PredefinedSplit(test_fold), or use the rule 'cv'."
            )
        return splits[0]
    strata = _strata(y) if is_classification else None
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, random_state=_seed(random_state), stratify=strata)
    return train, test


def _seed(random_state: int | np.random.RandomState | None) -> Any:
    """Return the seed given by the user, or a fixed one, so that repeated fits agree."""
    return DEFAULT_SEED if random_state is None else random_state


def _select(rule: str, path: Path, scores: PointScores, scoring: Any) -> Selection:
    measure = loss_of(path) if scoring is None else scoring if isinstance(scoring, str) else "score"
    selection = Selection(
        path.knob,
        rule,
        path.grid,
        scores.value,
        scores.standard_error,
        path.n_features,
        0,
        measure,
        scoring is not None,
    )
    return replace(selection, index=selection.index_1se if rule == "1se" else selection.index_best)
