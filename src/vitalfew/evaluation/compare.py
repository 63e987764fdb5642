"""Comparison of models on the same folds, with every model choice nested inside the folds."""

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
from vitalfew.evaluation.criterion_table import CRITERIA, CriterionTable, compare_criteria
from vitalfew.evaluation.fold_cache import FoldBook
from vitalfew.evaluation.indexing import as_rows, looks_like_classes, n_columns, read_y, take_parts
from vitalfew.evaluation.metrics import Metric, task_of
from vitalfew.evaluation.model_size import count_features
from vitalfew.exceptions import CheckpointWarning, TimeBudgetError, UnfinishedWarning
from vitalfew.rules.prefitted import warn_if_prefitted
from vitalfew.rules.registry import rule_name
from vitalfew.support.arrow import check_given
from vitalfew.support.checks import check_choice, check_consistent_length, check_is_values, is_count
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
    criterion: str | None = None,
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
) -> Any:
    r"""Compare models by their errors on the same outer folds, or by an information criterion.

    With `criterion`, each model is fitted once to all samples, and the table has its log-likelihood, penalty, criterion
    and posterior probability. Otherwise errors are estimated on held-out samples, as follows.

    Each model is cloned and fitted on the training samples of each fold, with everything that belongs to it: the rule
    that chooses its penalty, the selector in its pipeline, its scaling. The test samples of the fold play no part in
    this. Folds are drawn once and shared by all models, so that errors can be paired: over J folds, the mean difference
    :math:`\bar d` of two models has the corrected variance

    .. math:: \left( \frac1J + \frac{n_{test}}{n_{train}} \right) \frac{1}{J - 1} \sum_{j} (d_j - \bar d)^2

    and is tested by a t test with J - 1 degrees of freedom. Training sets overlap, and without the second term
    nonexistent differences look significant far too often. The standard errors of the errors are corrected likewise.

    Parameters
    ----------
    models : dict of str to estimator, or list of estimators
        Any scikit-learn compatible estimators, all classifiers or all regressors.
    X : array, sparse matrix, data frame or list of texts
    y : array-like of shape (n_samples,)
    criterion : {"bic", "aic", "mdl"}, optional
        Compare fitted function classes (say linear, quadratic and RBF) by a criterion, **smaller is better**. Texts
        that maximize :math:`\mathrm{BIC}(i) = \log L(D; \hat\theta, f_i) - \frac{d_i}{2} \log n` have -1/2 times the
        column ``bic``. The posterior probability of class i, for equal prior probabilities, is
        :math:`e^{-\mathrm{bic}_i / 2} / \sum_j e^{-\mathrm{bic}_j / 2}`; for ``"aic"`` this is the Akaike weight, and
        for ``"mdl"`` it is proportional to :math:`2^{-\mathrm{bits}}`. If some model is a smoother (``Ridge``,
        ``KernelRidge``), all penalties are corrected, see :func:`~vitalfew.bic`. Where it has a closed form,
        ``log_evidence`` is the integral that BIC approximates: for ``NaiveBayes``, ``Ridge`` and ``KernelRidge``.
        Models must be those of this library with a likelihood, or pipelines that end in one. Of the parameters below,
        only `random_state` is used.
    cv : int, splitter or iterable, default 5
        Number of folds (shuffled; stratified for classifiers; whole groups if `groups` is given), or any splitter,
        such as scikit-learn's ``TimeSeriesSplit``.
    repeats : int, default 1
        Number of times the folds are drawn, if `cv` is a number.
    scoring : str or callable, optional
        The error rate or the root mean squared error of each fold by default. Scores that scikit-learn negates
        (``"neg_log_loss"``) are converted back to errors; others (``"roc_auc"``) are subtracted from 1; scores of
        functions are negated.
    groups : array-like of shape (n_samples,), optional
        Samples of a group stay together. Rules inside a model do not see the groups.
    time_budget : float, optional
        Seconds after which no further fit starts; running fits are completed. All models are fitted to one fold after
        the other, so that partial results can be compared.
    checkpoint : path, optional
        JSON file for results, updated after each fit. An interrupted comparison resumes from it, also with more models
        or repeats. Other data, another scoring and other versions of vitalfew, NumPy, SciPy or scikit-learn are
        rejected. Models are identified by their class, its code, their parameters, and the code of functions among
        these with everything it refers to: a model that changed in any of these is refitted. Failures are retried. A
        model with a part that cannot be identified, such as an open file, is refitted with a ``CheckpointWarning``;
        such a part in the data or the scoring is an error.
    n_jobs : int, optional
        Number of parallel fits, as in scikit-learn; each uses its share of the processors.
    random_state : int, RandomState or None
        Seed for the folds, and for every model parameter ``random_state=None``.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar; by default, on a terminal and for long runs.
    baseline : bool, default True
        Whether to add a baseline that ignores X: the most frequent class, or the mean.

    Returns
    -------
    Comparison or CriterionTable
        ``table()``, ``best``, ``simplest``, ``frontier()``, ``difference(a, b)``, ``plot()``, ``to_dict()``. With a
        criterion: ``to_frame()``, ``rows``, ``best``.

    Warns
    -----
    UnfinishedWarning
        If the time budget is spent. The status of a model says what was not run.
    PrefittedWarning
        If a component of a model is prefitted and is not refitted, as in scikit-learn's ``FrozenEstimator``.
    CheckpointWarning
        If results cannot be saved to the checkpoint.

    Notes
    -----
    A failing estimator is excluded: its status holds the message, and the others continue. The number of features is
    the one the fitted model reports (``support_``, ``coef_``, ``feature_importances_``), or the number of columns
    passed to its last step.

    References
    ----------
    Nadeau & Bengio (2003), doi:10.1023/A:1024068626366. Varma & Simon (2006), doi:10.1186/1471-2105-7-91.
    Cawley & Talbot (2010), https://jmlr.org/papers/v11/cawley10a.html. For criteria, Kass & Raftery (1995),
    doi:10.1080/01621459.1995.10476572; 427, lecture 11.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from vitalfew import Lasso, Ridge, compare
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> models = {"lasso": Lasso(alpha="1se"), "ridge": Ridge(alpha="loo"), "neighbors": KNeighborsRegressor(10)}
    >>> found = compare(models, X, y, random_state=0)
    >>> found.best, found.simplest
    ('ridge', 'lasso')
    >>> [f"{line['name']} {line['error']:.1f}" for line in found.rows]
    ['ridge 55.6', 'lasso 56.7', 'neighbors 57.9', 'mean alone 77.1']
    >>> found.difference("neighbors", "ridge").p_value < 0.3
    True
    >>> compare({"all": Ridge(1e-6), "none": Ridge(1e9), "shrunk": Ridge("bic")}, X, y, criterion="bic").best
    'shrunk'
    """
    named = _named(models)
    criterion = rule_name(criterion)
    if criterion is not None:
        unused = {"scoring": scoring, "groups": groups, "time_budget": time_budget, "checkpoint": checkpoint}
        return _by_criterion(named, X, y, criterion, random_state, unused)
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
        budget = "the deadline was reached" if time_budget is None else f"the time budget of {time_budget:g} s ran out"
        warnings.warn(
            f"{budget} with {outer.n_left} of {len(named) * len(splits)} fits not run; see the status of each model. "
            "Allow more time, or pass a checkpoint to continue from.",
            UnfinishedWarning,
            stacklevel=2,
        )
    return found


def _by_criterion(named: dict[str, Any], X, y, criterion: str, random_state, unused: dict[str, Any]) -> CriterionTable:
    """Fit every model to all samples and compare them by a criterion."""
    given = [name for name, value in unused.items() if value is not None]
    if given:
        raise ValueError(
            f"{given[0]} has no effect with criterion={criterion!r}, which uses no folds; omit one of them."
        )
    check_choice("criterion", criterion, CRITERIA)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return compare_criteria({name: seeded(model, seed).fit(X, y) for name, model in named.items()}, criterion)


def _checkpoint_key(X, y: NDArray, metric: Metric) -> str:
    """Return a fingerprint of everything that all results of a checkpoint depend on."""
    try:
        return fingerprint(X, y, metric.label, metric.scoring)
    except FingerprintError as problem:
        raise ValueError(
            f"checkpoint cannot be used: in the data or the scoring, {problem} Results could be confused with those of "
            "other data or another scoring. Pass a plain function, or no checkpoint."
        ) from None


def _model_key(name: str, model) -> str | None:
    """Return a fingerprint of the unfitted model; None, with a warning, if it cannot be identified."""
    try:
        return fingerprint(clone(model))
    except FingerprintError as problem:
        reason = str(problem)
    except Exception as problem:  # a model that cannot be cloned fails on its folds, with a message there
        reason = f"{type(problem).__name__}: {problem}"
    warnings.warn(
        f"model {name!r} will be refitted, and its results are not stored in the checkpoint: {reason}",
        CheckpointWarning,
        stacklevel=5,
    )
    return None


def _named(models) -> dict[str, Any]:
    """Return the models by name; unnamed models are named after their classes."""
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
        raise ValueError("got no models to compare; pass a dict of estimators by name.")
    for name, model in named.items():
        missing = [method for method in ("fit", "predict", "get_params") if not hasattr(model, method)]
        if missing or isinstance(model, type):
            what = "is a class, not an instance" if isinstance(model, type) else f"has no {', '.join(missing)}"
            raise TypeError(f"model {name!r} {what}; each model must be a scikit-learn estimator.")
    return named


def model_name(model) -> str:
    """Return the class name of a model, or the class names of the steps of a pipeline."""
    steps = getattr(model, "steps", None)
    if steps and hasattr(model, "named_steps"):
        return " + ".join(type(step).__name__ for _, step in steps if step is not None and step != "passthrough")
    return type(model).__name__


def add_baseline(named: dict[str, Any], is_classification: bool) -> str:
    """Insert a model that ignores the features before the others, and return its name."""
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
        raise ValueError(f"repeats must be an integer >= 1, got {repeats!r}.")
    if repeats > 1 and not is_count(cv):
        raise ValueError(
            f"repeats={repeats} requires cv to be a number of folds, got {cv!r}; use a splitter that "
            "repeats, such as RepeatedKFold."
        )
    if time_budget is not None and not time_budget > 0:
        raise ValueError(f"time_budget must be None or a positive number of seconds, got {time_budget!r}.")


def make_splits(cv, repeats: int, X, y, groups, is_classification: bool, seed: int) -> Splits:
    """Return the training and test indices of all folds."""
    n = len(y)
    if groups is not None:
        check_given(groups, "groups")
        groups = np.unique(np.asarray(groups), return_inverse=True)[1]
        check_consistent_length(y, groups)
    rng = np.random.RandomState(seed)
    splits: Splits = []
    with warnings.catch_warnings():
        # A class with fewer members than folds is only missing from some test folds.
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
        raise ValueError(f"cv={cv} folds require at least {cv} groups, got {len(np.unique(groups))}; use fewer folds.")
    if is_classification:
        return StratifiedGroupKFold(int(cv), shuffle=True, random_state=seed)
    return GroupKFold(int(cv), shuffle=True, random_state=seed)


@dataclass
class Outer:
    """Outer cross-validation loop: every model on every fold, one fold after the other."""

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
        """Number of fits that were not started, for models without failures."""
        sound = [m for m, name in enumerate(self.names) if name not in self.failures]
        return int(np.isnan(self.errors[sound]).sum())

    def without(self, names: Collection[str]) -> Outer:
        """Return the same loop without some models, keeping the results of the others."""
        kept = [m for m, name in enumerate(self.names) if name not in names]
        fewer = replace(self, models={self.names[m]: self.models[self.names[m]] for m in kept})
        for name in ("errors", "sizes", "seconds"):
            setattr(fewer, name, getattr(self, name)[kept])
        return fewer

    def run(self, n_jobs: int | None, verbose: bool | None) -> None:
        """Fit every model and fold without a result; results are kept if the run is interrupted."""
        keys = {} if self.book is None else self._keys()
        for (m, j), key in keys.items():
            if self.book is not None and key in self.book.results:
                self.put(m, j, self.book.results[key])
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
        team = joblib.effective_n_jobs(n_jobs)
        threads = 0 if team == 1 else max(1, _core.thread_count(0) // team)
        # Parallel fits share the processors; the limit set here is restored here, whatever they do.
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
        """Return the results as a `Comparison`."""
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
        """Yield the next job when a worker is free."""
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
        """Store the result of one model on one fold."""
        self.errors[m, j] = result["error"]
        self.sizes[m, j] = np.nan if result["n_features"] is None else result["n_features"]
        self.seconds[m, j] = result["seconds"]

    def _keys(self) -> dict[tuple[int, int], str]:
        """Return the checkpoint keys of the results, for models that can be identified."""
        of_model = [_model_key(name, model) for name, model in self.models.items()]
        of_fold = [fingerprint(split, int(seed)) for split, seed in zip(self.splits, self.seeds)]
        return {(m, j): f"{a}-{b}" for m, a in enumerate(of_model) if a for j, b in enumerate(of_fold)}


def run_fold(m: int, j: int, model, X, y, split, metric: Metric, seed: int, threads: int, deadline) -> tuple:
    """Fit and score one model on one fold; return both indices and the result, None if the deadline has passed."""
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
    """Return a clone with every ``random_state=None`` set to the seed, and without progress bars."""
    parameters = clone(model).get_params()
    changes: dict[str, Any] = {}
    for key, value in parameters.items():
        last = key.split("__")[-1]
        if value is None and last in ("random_state", "verbose"):
            changes[key] = seed if last == "random_state" else False
    return clone(model).set_params(**changes)
