"""Rules that score predictions on rows the model has not seen: k-fold, hold-out and leave-one-out."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv, train_test_split

from vitalfew._progress import progress
from vitalfew.rules.path import Family, LeavingOneOut, Path
from vitalfew.rules.scoring import Scores, score_probabilities
from vitalfew.rules.selection import Selection


def choose_by_folds(rule: str, path: Path, family: Family, data, options) -> Selection:
    """Mean score over folds, the path fitted anew in each: the best point ("cv"), or the simplest within one standard
    error of it ("1se")."""
    scores = []
    splitter = _splitter(options, data)
    with warnings.catch_warnings():
        # A class with fewer members than folds is missing from some test folds, no more.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        splits = list(data.folds(splitter))
    with progress(len(splits), f"{path.knob} by {rule!r}", options.verbose) as bar:
        for train, test in splits:
            fitted, tested = data.split(train, test)
            prediction = family.path(fitted, path.grid).predict(tested)
            scores.append(score_probabilities(prediction, tested, options.scoring).value)
            bar.update()
    table = np.array(scores)
    spread = table.std(axis=0, ddof=1) / np.sqrt(len(table)) if len(table) > 1 else np.full(table.shape[1], np.nan)
    return _select(rule, path, Scores(table.mean(axis=0), spread), options.scoring)


def choose_by_holdout(rule: str, path: Path, family: Family, data, options) -> Selection:
    """Score on a quarter of the rows set aside."""
    rows = np.arange(data.n_rows)
    counts = np.unique(data.y, return_counts=True)[1]
    can_stratify = counts.min() >= 2 and data.n_rows >= 4 * len(counts)
    train, test = train_test_split(
        rows, test_size=0.25, random_state=options.random_state, stratify=data.y if can_stratify else None
    )
    fitted, tested = data.split(train, test)
    prediction = family.path(fitted, path.grid).predict(tested)
    return _select(rule, path, score_probabilities(prediction, tested, options.scoring), options.scoring)


def choose_by_loo(rule: str, path: LeavingOneOut, _family, data, options) -> Selection:
    """Leave-one-out score of each point."""
    found = path.loo()
    selection = _select(rule, path, score_probabilities(found.prediction, data, options.scoring), options.scoring)
    return Selection(**{**selection.__dict__, "note": f"{'exact' if found.is_exact else 'approximate'}; {found.note}"})


def _splitter(options, data):
    if isinstance(options.cv, int) and options.random_state is not None:
        return StratifiedKFold(options.cv, shuffle=True, random_state=options.random_state)
    return check_cv(options.cv, data.y, classifier=True)


def _select(rule: str, path: Path, scores: Scores, scoring) -> Selection:
    sign = 1 if scoring is None else -1
    loss = sign * scores.value
    index = int(np.nanargmin(loss))
    if rule == "1se":
        error = scores.standard_error[index]
        index = int(np.flatnonzero(loss <= loss[index] + (error if error == error else 0.0))[0])
    measure = "error" if scoring is None else scoring if isinstance(scoring, str) else "score"
    return Selection(
        path.knob,
        rule,
        path.grid,
        scores.value,
        scores.standard_error,
        path.n_features,
        index,
        measure,
        sign < 0,
    )
