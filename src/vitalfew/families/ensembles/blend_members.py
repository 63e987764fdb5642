"""Members of a blend: their checks, fits and out-of-fold predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.parallel import Parallel, delayed

from vitalfew import _core
from vitalfew.data.samples.numeric_data import read_target
from vitalfew.data.samples.zero_weight import DroppedRows, drop_zero_weight, split_rows
from vitalfew.data.tables.frames import check_shape
from vitalfew.data.tables.rows import as_rows, take, take_parts
from vitalfew.families.ensembles.learners import fresh_learner, weight_arguments
from vitalfew.support.checks import check_classes, check_consistent_length, count_weight, encode_labels
from vitalfew.support.deadline import Inheriting, check_deadline
from vitalfew.support.progress import progress
from vitalfew.support.threads import limit_threads

Members = list[tuple[str, Any]]


@dataclass(frozen=True)
class MemberSamples:
    """Samples in the form that members receive; in classification `target` holds codes of `classes`."""

    X: Any
    target: NDArray
    classes: NDArray | None
    weight: NDArray[np.float64] | None
    given: DroppedRows | None

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: ArrayLike | None, *, is_classification: bool) -> MemberSamples:
        """Check the target and the weights; members check the contents of `X`. Samples of weight zero are dropped.

        `X` is the output of `read_rows`.
        """
        target: NDArray
        classes, target = encode_labels(y) if is_classification else (None, read_target(y))
        check_consistent_length(X, target)
        kept = drop_zero_weight(target, classes, sample_weight)
        if kept.classes is not None:
            check_classes(kept.classes)
        X = X if kept.rows is None else take(X, kept.rows)
        return cls(X, kept.target, kept.classes, count_weight(kept.weight), kept.given)

    @property
    def y(self) -> NDArray:
        """Labels or values, as members receive them."""
        return self.target if self.classes is None else self.classes[self.target]

    def folds(self, splitter: Any) -> Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and test rows of each fold of a scikit-learn splitter."""
        return split_rows(splitter, self.y, self.given)


def read_rows(X: Any) -> Any:
    """Return the input in a form whose rows can be indexed; a table needs a row and a column."""
    X = as_rows(X)
    if len(getattr(X, "shape", ())) == 2:
        check_shape(X.shape, 1)
    return X


def check_members(estimators: Any) -> Members:
    """Return the named members; all must be classifiers with probabilities, or all regressors."""
    if not named_members(estimators):
        raise ValueError(
            f"estimators must be a list of pairs (name, estimator) with at least one pair, got {estimators!r}."
        )
    names = [name for name, _ in estimators]
    wrong = next((n for n in names if not isinstance(n, str) or "__" in n or n in RESERVED or names.count(n) > 1), None)
    if wrong is not None:
        raise ValueError(
            f"names of estimators must be distinct strings without '__', other than parameters of Blend, got {wrong!r}."
        )
    for name, model in estimators:
        _check_member(name, model, is_classifier(estimators[0][1]))
    return [(name, model) for name, model in estimators]


# Names that would hide a parameter of `Blend` in its `get_params`.
RESERVED = ("estimators", "weights", "cv", "n_steps", "random_state", "n_jobs", "verbose")


def named_members(estimators: Any) -> Members:
    """Return the members if they are a nonempty list of pairs of a name and an estimator, otherwise none."""
    if not isinstance(estimators, Sequence) or isinstance(estimators, str):
        return []
    pairs = [pair for pair in estimators if isinstance(pair, Sequence) and len(pair) == 2]
    is_valid = len(pairs) == len(estimators) and all(_is_estimator(model) for _, model in pairs)
    return [(name, model) for name, model in pairs] if is_valid else []


def _is_estimator(model: Any) -> bool:
    return all(hasattr(model, name) for name in ("fit", "predict", "get_params")) and not isinstance(model, type)


def _check_member(name: str, model: Any, is_classification: bool) -> None:
    if not (is_classifier(model) or is_regressor(model)):
        raise ValueError(f"estimator {name!r} must be a classifier or a regressor, got {model!r}.")
    if is_classifier(model) != is_classification:
        raise ValueError(
            f"estimators must be all classifiers or all regressors, but {name!r} is not of the kind of the first."
        )
    if is_classification and not hasattr(model, "predict_proba"):
        raise ValueError(
            f"estimator {name!r} has no predict_proba, but a blend averages probabilities; wrap it in "
            "sklearn.calibration.CalibratedClassifierCV."
        )


def out_of_fold(
    members: Members, data: MemberSamples, splits: Any, n_jobs: int | None, verbose: bool | None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the predictions of all members for the test rows of all folds, one fold after the other, and these rows.

    Predictions have the shape (members, rows), or (members, rows, classes) in classification.
    """
    jobs = [(name, model, data, train, test) for train, test in splits for name, model in members]
    found = _in_parallel(_predict_fold, jobs, n_jobs, verbose)
    folds = [np.stack(found[i : i + len(members)]) for i in range(0, len(found), len(members))]
    return np.concatenate(folds, axis=1), np.concatenate([test for _, test in splits])


def fit_members(members: Members, data: MemberSamples, n_jobs: int | None, verbose: bool | None) -> list[Any]:
    """Return the members fitted to all samples."""
    return _in_parallel(_fit, [(*member, data.X, data, slice(None)) for member in members], n_jobs, verbose)


def prediction_of(fitted: Any, X: Any, classes: NDArray | None) -> NDArray[np.float64]:
    """Return the predictions of a fitted member, or its probabilities with a column for each class."""
    if classes is None:
        return np.asarray(fitted.predict(X), dtype=np.float64).ravel()
    probability = np.asarray(fitted.predict_proba(X), dtype=np.float64)
    out = np.zeros((len(probability), len(classes)))
    out[:, np.searchsorted(classes, fitted.classes_)] = probability
    return out


def _predict_fold(
    name: str, model: Any, data: MemberSamples, train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[np.float64]:
    fitted_rows, tested_rows = take_parts(model, data.X, train, test)
    found = prediction_of(_fit(name, model, fitted_rows, data, train), tested_rows, data.classes)
    if not np.isfinite(found).all():
        raise ValueError(f"estimator {name!r} predicts NaN or infinity for rows of a fold; leave it out or scale y.")
    return found


def _fit(name: str, model: Any, X: Any, data: MemberSamples, rows: Any) -> Any:
    """Fit a copy of a member to rows of the samples, which are already taken from `X`."""
    check_deadline()
    y = data.y[rows]
    learner = clone(model) if data.classes is None else fresh_learner(model, y)
    if data.weight is None:
        return learner.fit(X, y)
    try:
        weights = weight_arguments(learner, data.weight[rows])
    except ValueError as error:
        raise ValueError(f"estimator {name!r}: {error}") from None
    return learner.fit(X, y, **weights)


def _in_parallel(function: Callable, jobs: list[tuple], n_jobs: int | None, verbose: bool | None) -> list[Any]:
    """Return the results of the jobs, in order."""
    team = joblib.effective_n_jobs(n_jobs)
    threads = 0 if team == 1 else max(1, _core.thread_count(0) // team)
    calls = (delayed(Inheriting(function))(*job) for job in jobs)
    found = []
    with progress(len(jobs), "blend", verbose) as bar, limit_threads(threads):
        for one in Parallel(n_jobs=n_jobs, return_as="generator")(calls):
            found.append(one)
            bar.update()
    return found
