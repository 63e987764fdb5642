"""Several models on the same folds, whatever each of them chooses being chosen inside."""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from vitalfew import _core
from vitalfew.evaluation.comparison import Comparison
from vitalfew.evaluation.fold_cache import FoldBook
from vitalfew.evaluation.indexing import as_rows, looks_like_classes, n_columns, read_y, take_parts
from vitalfew.evaluation.metrics import Metric, task_of
from vitalfew.evaluation.model_size import count_features
from vitalfew.exceptions import CheckpointWarning, TimeBudgetError, UnfinishedWarning
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_consistent_length, check_is_values, is_count
from vitalfew.support.deadline import Inheriting, time_left
from vitalfew.support.fingerprint import FingerprintError, fingerprint
from vitalfew.support.progress import as_verbose, progress
from vitalfew.support.threads import limit_threads

Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def compare(
    models,
    X,
    y,
    *,
    cv=5,
    repeats: int = 1,
    scoring=None,
    groups=None,
    time_budget: float | None = None,
    checkpoint=None,
    n_jobs: int | None = None,
    random_state=None,
    progress="auto",
    baseline: bool = True,
) -> Comparison:
    r"""Honest errors of several models side by side: outer folds estimate, rules choose inside.

    Each model is cloned and fitted on the training rows of each fold, with all that belongs to it: the rule that picks
    its penalty, the selector in its pipeline, its scaling. The rows of the fold took no part in any of that. Folds are
    drawn once and are the same for all models, so that errors can be paired: over J folds the mean difference
    :math:`\bar d` of two models has the corrected variance

    .. math:: \left( \frac1J + \frac{n_{test}}{n_{train}} \right) \frac{1}{J - 1} \sum_{j} (d_j - \bar d)^2

    and is tested by t with J - 1 degrees of freedom. Training sets overlap, and without the second term differences
    that are none look significant far too often. The standard errors of the errors themselves are corrected likewise.

    Parameters
    ----------
    models : dict of str to estimator, or list of estimators
        Any estimators of scikit-learn's kind, all classifiers or all regressors.
    X : array, sparse matrix, data frame or list of texts
    y : array-like of shape (n_samples,)
    cv : int, splitter or iterable, default 5
        Folds: a number (shuffled; with equal shares of each class for classifiers; whole groups where `groups` are
        given), or any splitter, such as scikit-learn's ``TimeSeriesSplit``.
    repeats : int, default 1
        How often to draw the folds anew, where `cv` is a number.
    scoring : str or callable, optional
        By default the error rate, or the root mean squared error of each fold. Scores that scikit-learn negates
        (``"neg_log_loss"``) are turned back into errors; others (``"roc_auc"``) are taken from 1; those of functions
        are negated.
    groups : array-like of shape (n_samples,), optional
        Rows of a group stay together. Rules inside a model do not know of them.
    time_budget : float, optional
        Seconds after which no fit is begun; those that run are finished. All models are fitted to one fold after the
        other, so that what is done can be compared.
    checkpoint : path, optional
        A JSON file for results, written as they come. A comparison that was stopped goes on from there, also with
        further models or repeats. Other data, another scoring and other versions of vitalfew, NumPy, SciPy or
        scikit-learn are refused. Models are known by their class, its code, their parameters, and the code of
        functions among these with all that it refers to: a model that changed in any of it is fitted anew. Failures
        are tried again. A model with a part that cannot be told from others, such as an open file, is fitted anew
        with a ``CheckpointWarning``; such a part in the data or the scoring is an error.
    n_jobs : int, optional
        Fits at a time, as in scikit-learn; each uses its share of the processors.
    random_state : int, RandomState or None
        For folds, and for whatever in a model has ``random_state=None``.
    progress : bool or "auto", default "auto"
        Progress bar: by default on a terminal, for long work.
    baseline : bool, default True
        Also show what is reached without looking at X: the most frequent class, or the mean.

    Returns
    -------
    Comparison
        ``table()``, ``best``, ``simplest``, ``frontier()``, ``difference(a, b)``, ``plot()``, ``to_dict()``.

    Warns
    -----
    UnfinishedWarning
        When time ran out. The status of a model says what was not run.
    PrefittedWarning
        When a part of a model was fitted beforehand and stays so, as in scikit-learn's ``FrozenEstimator``.
    CheckpointWarning
        When results cannot be kept in the checkpoint.

    Notes
    -----
    An estimator that fails takes no part: its status has the message, and the others go on. The number of features is
    what the fitted model says of itself (``support_``, ``coef_``, ``feature_importances_``), or the number of columns
    that its last step was given.

    References
    ----------
    Nadeau & Bengio (2003), doi:10.1023/A:1024068626366. Varma & Simon (2006), doi:10.1186/1471-2105-7-91.
    Cawley & Talbot (2010), https://jmlr.org/papers/v11/cawley10a.html.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from vitalfew import Lasso, Ridge, compare
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> models = {"lasso": Lasso(alpha="1se"), "ridge": Ridge(alpha="loo"), "neighbours": KNeighborsRegressor(10)}
    >>> found = compare(models, X, y, random_state=0)
    >>> found.best, found.simplest
    ('ridge', 'lasso')
    >>> [f"{line['name']} {line['error']:.1f}" for line in found.rows]
    ['ridge 55.5', 'lasso 56.7', 'neighbours 57.9', 'mean alone 77.1']
    >>> found.difference("neighbours", "ridge").p_value < 0.2
    True
    """
    named = _named(models)
    for name, model in named.items():
        warn_if_prefitted(model, f"model {name!r}")
    check_is_values(y)
    X = as_rows(X)
    is_classification = task_of(named.values())
    if is_classification is None:
        check_given(y, "y")
        is_classification = looks_like_classes(np.asarray(y))
    y = read_y(y, is_classification)
    check_consistent_length(X, y)
    _check(repeats, time_budget, cv)
    deadline = None if time_budget is None else time.time() + float(time_budget)
    metric = Metric.of(scoring, is_classification)
    dummy = add_baseline(named, is_classification) if baseline else None
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    book = None
    if checkpoint is not None:
        book = FoldBook(checkpoint, _checkpoint_key(X, y, metric))
        if random_state is None and book.seed is not None:
            seed = book.seed
        book.seed = seed
        book.write()
    splits = make_splits(cv, repeats, X, y, groups, is_classification, seed)
    outer = Outer(named, X, y, splits, metric, seed, book, deadline)
    outer.run(n_jobs, as_verbose(progress))
    found = outer.comparison(dummy)
    if outer.n_left:
        budget = "the deadline has passed" if time_budget is None else f"the time budget of {time_budget:g} s was spent"
        warnings.warn(
            f"{budget} with {outer.n_left} of {len(named) * len(splits)} fits not run: the status of each model says "
            "which. Give more time, or a checkpoint to go on from.",
            UnfinishedWarning,
            stacklevel=2,
        )
    return found


def _checkpoint_key(X, y: NDArray, metric: Metric) -> str:
    """What all results of a checkpoint depend on."""
    try:
        return fingerprint(X, y, metric.label, metric.scoring)
    except FingerprintError as problem:
        raise ValueError(
            f"checkpoint cannot be used: in the data or the scoring, {problem} Results could be mistaken for those of "
            "other data or another scoring. Give a plain function, or no checkpoint."
        ) from None


def _model_key(name: str, model) -> str | None:
    """What a model is before it is fitted; None where that cannot be told from other models."""
    try:
        return fingerprint(clone(model))
    except FingerprintError as problem:
        reason = str(problem)
    except Exception as problem:  # one that cannot be cloned fails on its folds, and says so there
        reason = f"{type(problem).__name__}: {problem}"
    warnings.warn(
        f"model {name!r} is fitted anew, and its results are not kept in the checkpoint: {reason}",
        CheckpointWarning,
        stacklevel=5,
    )
    return None


def _named(models) -> dict[str, Any]:
    """Models by name, names that were not given being those of their classes."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
        if len(named) < len(models):
            raise ValueError(f"two models have the same name: {sorted(map(str, models))}.")
    else:
        listed = list(models) if isinstance(models, list | tuple) else [models]
        named = {}
        for model in listed:
            base = name = model_name(model)
            while name in named:
                name = f"{base} ({sum(n == base or n.startswith(f'{base} (') for n in named) + 1})"
            named[name] = model
    if not named:
        raise ValueError("there is no model to compare: give a dict of estimators by name.")
    for name, model in named.items():
        missing = [method for method in ("fit", "predict", "get_params") if not hasattr(model, method)]
        if missing or isinstance(model, type):
            what = "is a class: give an instance" if isinstance(model, type) else f"has no {', '.join(missing)}"
            raise TypeError(f"model {name!r} {what}; each must be an estimator of scikit-learn's kind.")
    return named


def model_name(model) -> str:
    """The class of a model, or those of the steps of a pipeline."""
    steps = getattr(model, "steps", None)
    if steps and hasattr(model, "named_steps"):
        return " + ".join(type(step).__name__ for _, step in steps if step is not None and step != "passthrough")
    return type(model).__name__


def add_baseline(named: dict[str, Any], is_classification: bool) -> str:
    """Puts a model that looks at nothing before the others. Its name."""
    name = "most frequent class" if is_classification else "mean alone"
    while name in named:
        name = f"baseline: {name}"
    others = dict(named)
    named.clear()
    named[name] = DummyClassifier(strategy="prior") if is_classification else DummyRegressor()
    named.update(others)
    return name


def _check(repeats, time_budget, cv) -> None:
    if not is_count(repeats) or repeats < 1:
        raise ValueError(f"repeats must be a whole number, at least 1, got {repeats!r}.")
    if repeats > 1 and not is_count(cv):
        raise ValueError(
            f"repeats={repeats} draws folds anew, for which cv must be a number, got {cv!r}; use a splitter that "
            "repeats, such as RepeatedKFold."
        )
    if time_budget is not None and not time_budget > 0:
        raise ValueError(f"time_budget must be None or a positive number of seconds, got {time_budget!r}.")


def make_splits(cv, repeats: int, X, y, groups, is_classification: bool, seed: int) -> Splits:
    """Training and test rows of all folds."""
    n = len(y)
    if groups is not None:
        check_given(groups, "groups")
        groups = np.unique(np.asarray(groups), return_inverse=True)[1]
        check_consistent_length(y, groups)
    rng = np.random.RandomState(seed)
    splits: Splits = []
    with warnings.catch_warnings():
        # A class with fewer members than folds is missing from some test folds, no more.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        for _ in range(repeats):
            splitter = _splitter(cv, groups, is_classification, rng.randint(np.iinfo(np.int32).max))
            rows = np.zeros((n, 1)) if n_columns(X) is None else X
            splits += [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(rows, y, groups)]
    for j, (train, test) in enumerate(splits):
        if len(train) == 0 or len(test) == 0:
            raise ValueError(f"fold {j} has {len(train)} training and {len(test)} test rows; use fewer folds.")
    return splits


def _splitter(cv, groups, is_classification: bool, seed: int):
    if not is_count(cv):
        check_given(cv, "cv")
        return check_cv(cv)
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, got {cv!r}.")
    if groups is None:
        kind = StratifiedKFold if is_classification else KFold
        return kind(int(cv), shuffle=True, random_state=seed)
    if len(np.unique(groups)) < cv:
        raise ValueError(
            f"there are {len(np.unique(groups))} groups for cv={cv} folds, and a group is not split; use fewer folds."
        )
    if is_classification:
        return StratifiedGroupKFold(int(cv), shuffle=True, random_state=seed)
    return GroupKFold(int(cv), shuffle=True, random_state=seed)


@dataclass
class Outer:
    """The outer loop: every model on every fold, one fold after the other."""

    models: dict[str, Any]
    X: Any
    y: NDArray
    splits: Splits
    metric: Metric
    seed: int
    book: FoldBook | None
    deadline: float | None

    def __post_init__(self):
        shape = (len(self.models), len(self.splits))
        self.errors, self.sizes, self.seconds = (np.full(shape, np.nan) for _ in range(3))
        self.failures: dict[str, str] = {}
        self.seeds = np.random.RandomState(self.seed).randint(np.iinfo(np.int32).max, size=len(self.splits))
        self.names = list(self.models)

    @property
    def n_left(self) -> int:
        """Fits that were not begun, of models that do not fail."""
        sound = [m for m, name in enumerate(self.names) if name not in self.failures]
        return int(np.isnan(self.errors[sound]).sum())

    def without(self, names: Collection[str]) -> Outer:
        """The same loop without some models, with the results of the others so far."""
        kept = [m for m, name in enumerate(self.names) if name not in names]
        fewer = replace(self, models={self.names[m]: self.models[self.names[m]] for m in kept})
        for name in ("errors", "sizes", "seconds"):
            setattr(fewer, name, getattr(self, name)[kept])
        return fewer

    def run(self, n_jobs: int | None, verbose: bool | None) -> None:
        """What is not known yet is fitted; what has been found stays if it is stopped."""
        keys = {} if self.book is None else self._keys()
        for (m, j), key in keys.items():
            if self.book is not None and key in self.book.results:
                self.put(m, j, self.book.results[key])
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
        team = joblib.effective_n_jobs(n_jobs)
        threads = 0 if team == 1 else max(1, _core.thread_count(0) // team)
        # Folds that run side by side share the processors; what has been set here is restored here, whatever they do.
        with progress(int(np.isnan(self.errors).sum()), "comparing models", verbose) as bar, limit_threads(threads):
            for m, j, result in parallel(self._jobs(threads)):
                if result is None:
                    continue
                if "failure" in result:
                    self.failures.setdefault(self.names[m], f"fold {j}: {result['failure']}")
                else:
                    self.put(m, j, result)
                    if self.book is not None and (m, j) in keys:
                        self.book.add(keys[m, j], {"model": self.names[m], "fold": j, **result})
                bar.update()
                bar.set_postfix_str(self.names[m], refresh=False)

    def comparison(self, baseline: str | None) -> Comparison:
        """What was found."""
        return Comparison(
            names=self.names,
            errors=self.errors,
            n_features=self.sizes,
            seconds=self.seconds,
            n_train=np.array([len(train) for train, _ in self.splits]),
            n_test=np.array([len(test) for _, test in self.splits]),
            metric=self.metric.label,
            baseline=baseline,
            failures=self.failures,
            seed=self.seed,
        )

    def _jobs(self, threads: int) -> Iterator[Any]:
        """Asked for the next job when there is somebody to do it."""
        run = Inheriting(run_fold)
        for j, split in enumerate(self.splits):
            for m, (name, model) in enumerate(self.models.items()):
                if not np.isnan(self.errors[m, j]) or name in self.failures:
                    continue
                if time_left() <= 0 or (self.deadline is not None and time.time() > self.deadline):
                    return
                seed = int(self.seeds[j])
                yield delayed(run)(m, j, model, self.X, self.y, split, self.metric, seed, threads, self.deadline)

    def put(self, m: int, j: int, result: dict[str, Any]) -> None:
        """Keep what came out of one model on one fold."""
        self.errors[m, j] = result["error"]
        self.sizes[m, j] = np.nan if result["n_features"] is None else result["n_features"]
        self.seconds[m, j] = result["seconds"]

    def _keys(self) -> dict[tuple[int, int], str]:
        """Keys of results in the file, for models that can be told from others."""
        of_model = [_model_key(name, model) for name, model in self.models.items()]
        of_fold = [fingerprint(split, int(seed)) for split, seed in zip(self.splits, self.seeds)]
        return {(m, j): f"{a}-{b}" for m, a in enumerate(of_model) if a for j, b in enumerate(of_fold)}


def run_fold(m: int, j: int, model, X, y, split, metric: Metric, seed: int, threads: int, deadline) -> tuple:
    """One model on one fold: numbers of both, and what came out; None if it is too late to begin or to end."""
    if deadline is not None and time.time() > deadline:
        return m, j, None
    train, test = split
    try:
        with limit_threads(threads):
            fresh = seeded(model, seed)
            rows, tested = take_parts(fresh, X, train, test)
            start = time.perf_counter()
            fresh.fit(rows, y[train])
            error = metric.error(fresh, tested, y[test])
            seconds = time.perf_counter() - start
            size = count_features(fresh, n_columns(X))
    except TimeBudgetError:
        return m, j, None
    except Exception as problem:
        return m, j, {"failure": f"{type(problem).__name__}: {problem}"}
    return m, j, {"error": error, "n_features": None if np.isnan(size) else size, "seconds": seconds}


def seeded(model, seed: int):
    """A fresh copy whose random numbers come from a seed where they came from nowhere, without bars of its own."""
    parameters = clone(model).get_params()
    changes: dict[str, Any] = {}
    for key, value in parameters.items():
        last = key.split("__")[-1]
        if value is None and last in ("random_state", "verbose"):
            changes[key] = seed if last == "random_state" else False
    return clone(model).set_params(**changes)
